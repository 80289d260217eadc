//! `[switching]` with `kind = "rotor"`.

use crate::language::keys::{When, Within, keys, more_than_zero, whole};
use crate::language::{At, Key, Room, Size, Time, Word};
use control::scheduler::circuits::{Algorithm, Order};
use options::words;
use units::{BufferSize, Duration};

const NO_FILE: When<RotorSwitching> = When::new(|keys| keys.file.is_none(), "goes without file");
const TURNS: When<RotorSwitching> = When::new(
    |keys| keys.file.is_none() && *keys.matchings != Algorithm::Opera.name(),
    "goes neither with file nor with matchings = \"opera\", whose switches change one by one",
);
const VLB: When<RotorSwitching> = When::new(|keys| keys.routes.0 == Routes::Vlb, "goes with routes = \"vlb\"");
const ROTORLB: When<RotorSwitching> =
    When::new(|keys| keys.routes.0 == Routes::RotorLb, "goes with routes = \"rotorlb\"");
const BY_HOSTS: When<RotorSwitching> = When::new(|keys| keys.counts.0 == Counts::Hosts, "goes with counts = \"hosts\"");
const HOSTS: When<RotorSwitching> = When::new(|keys| keys.queues.0 == QueuesAt::Hosts, "goes with queues = \"hosts\"");
const BULK: When<RotorSwitching> =
    When::new(|keys| keys.routes.0 != Routes::Slice, "goes with routes = \"direct\", \"vlb\" or \"rotorlb\"");

keys! {
    /// Rotor switches: each goes through a fixed list of matchings of racks (RotorNet: Mellette et al., SIGCOMM 2017;
    /// Opera: Mellette et al., NSDI 2020). The core nodes without hosts are the rotor switches; a rack is a node with a
    /// link to and from each of them (topology "rotor").
    pub struct RotorSwitching {
        /// How long until the next matching. With order = "together" all switches change then; one by one, one of them
        /// does, so that a matching stays for as many slices as there are switches. This, `cycle` or `file`.
        pub slice: Option<At<Time>>, in more_than_zero(), when NO_FILE;
        /// How long the matchings of a cycle take; beside `slice`, how long at most.
        pub cycle: Option<At<Time>>, in more_than_zero(), when NO_FILE;
        /// At the end of a matching, while its switch turns to the next, no light passes.
        pub reconfiguration: Key<Time> = Time(Duration::ZERO), when NO_FILE;
        /// So long before that racks send nothing that would not have left.
        pub guard: Key<Time> = Time(Duration::ZERO);
        /// The matchings, which switches take in turn: a rule of `photocol list circuit-schedules` that needs no
        /// demand.
        pub matchings: Key<String> = Algorithm::Offsets.name().to_owned(), when NO_FILE;
        /// How switches change.
        pub order: Key<Word<Order>> = Word(Order::Together), when TURNS;
        /// Another number, other matchings where they are random.
        pub seed: Key<u32> = 1, when NO_FILE;
        /// The schedule of a file that `photocol schedule -o` has written as CSV, its ports the racks; relative to the
        /// scenario's folder.
        pub file: Option<At<String>>;
        /// How packets find their rack.
        pub routes: Key<Word<Routes>> = Word(Routes::Direct);
        /// Where a detour may lead.
        pub first_hop: Key<Word<FirstHop>> = Word(FirstHop::Any), when VLB;
        /// What a rack takes from others for one rack, in bytes that a circuit carries while it stays.
        pub relay_room: Key<f64> = 1.0, in Within::new("0.01 to 1000", |room| (0.01..=1000.0).contains(room)),
            when ROTORLB;
        /// By whom RotorLB counts. By hosts, each host sends its part of a circuit's bytes while the circuit stays; the
        /// hosts of a rack take turns in relaying, and each relays its part of that part to each host.
        pub counts: Key<Word<Counts>> = Word(Counts::Racks), when ROTORLB;
        /// Who answers offers.
        pub answers: Key<Word<Answers>> = Word(Answers::Rack), when BY_HOSTS;
        /// Flows of fewer bytes of payload take the shortest path within the present slice. Default: none.
        pub cutoff: Option<At<Size>>, when BULK;
        /// The way of ACKs.
        pub acks: Key<Word<Acks>> = Word(Acks::AsData), when BULK;
        /// Where packets wait for their circuit.
        pub queues: Key<Word<QueuesAt>> = Word(QueuesAt::Racks), when BULK;
        /// What of a host may wait at its rack for each other rack. Default: the host's part of what the uplinks of the
        /// rack carry while a matching stays, with routes = "vlb" in a cycle; at most its part of `buffer`.
        pub host_room: Option<At<Size>>, when HOSTS;
        /// Packets for another rack that may wait at a rack, those that it relays counted apart.
        pub buffer: Key<Room> = Room(BufferSize::Unlimited);
        /// Racks mark packets (ECN) that find so many waiting for the same rack. Default: never.
        pub mark_from: Option<At<u32>>, in whole(1, u32::MAX);
    }
}

words! {
    /// How packets find their rack.
    pub enum Routes {
        /// They wait for the circuit to it.
        Direct = "direct",
        /// By one other rack, which may be any (Valiant load balancing).
        Vlb = "vlb",
        /// By the circuit to it; spare room of circuits is offered to other racks' packets, as far as the rack at the
        /// far end accepts them (RotorLB).
        RotorLb = "rotorlb",
        /// The shortest path over the circuits of the present slice.
        Slice = "slice",
    }
}

words! {
    /// Where the first hop of a packet leads with routes = "vlb".
    pub enum FirstHop {
        /// To a rack that is drawn among all others; if it is the packet's own, the packet is there.
        Any = "any",
        /// To a rack that is drawn among all but the packet's own.
        Other = "other",
        /// Nothing is drawn: by the next circuit that has room, wherever it leads.
        Next = "next",
    }
}

words! {
    /// The way of ACKs.
    pub enum Acks {
        /// That of their flow's data.
        AsData = "as-data",
        /// The shortest path within the present slice.
        Slice = "slice",
    }
}

words! {
    /// Where packets wait for their circuit.
    pub enum QueuesAt {
        /// At their first rack.
        Racks = "racks",
        /// At their host, until its rack has room for them; the rack tells it.
        Hosts = "hosts",
    }
}

words! {
    /// By whom RotorLB counts.
    pub enum Counts {
        /// By racks.
        Racks = "racks",
        /// By hosts (Opera's simulator).
        Hosts = "hosts",
    }
}

words! {
    /// Who answers offers.
    pub enum Answers {
        /// The rack on the way, for all its hosts: as much as is offered at most.
        Rack = "rack",
        /// Each of its hosts by itself (Opera's simulator). Together they may accept more than is offered. Then the
        /// host that offers sends its part of the circuit, and relays as much less as it is asked for more.
        Hosts = "hosts",
    }
}
