//! `[[traffic]]`.

use super::FlowSizeLaw;
use crate::applications::Application;
use crate::applications::sojourn::Sojourn;
use crate::language::keys::{When, Within, keys, more_than_zero, whole};
use crate::language::{At, FlowSize, Key, PairsSpec, Size, Speed, Time, Word};
use crate::model::{MAX_FLOWS, Protocol, SizeLaw};
use options::{Words, words};
use units::Duration;

const NOT_LISTED: When<Traffic> = When::new(
    |keys| keys.list.is_none() && keys.file.is_none(),
    "does not go with a list of flows, which says all of that",
);
const LISTED: When<Traffic> =
    When::new(|keys| keys.list.is_some() || keys.file.is_some(), "goes with a list of flows: list or file");
const FIXED: When<Traffic> = When::new(
    |keys| keys.arrivals.0 == ArrivalLaw::Fixed,
    "goes with arrivals = \"fixed\"; for \"poisson\": count, over",
);
const SPREAD: When<Traffic> = When::new(
    |keys| keys.arrivals.0 != ArrivalLaw::Poisson,
    "goes with arrivals = \"fixed\" and \"incast\"; for \"poisson\": count, over",
);
const PROCESS: When<Traffic> = When::new(
    |keys| keys.arrivals.0 != ArrivalLaw::Fixed,
    "goes with arrivals = \"poisson\" and \"incast\"; for \"fixed\": flows, start, spread",
);
const INCAST: When<Traffic> =
    When::new(|keys| keys.arrivals.0 == ArrivalLaw::Incast, "goes with arrivals = \"incast\"");
const NOT_INCAST: When<Traffic> = When::new(
    |keys| keys.arrivals.0 != ArrivalLaw::Incast,
    "does not go with arrivals = \"incast\", which takes to, among, senders",
);
const POISSON: When<Traffic> = When::new(
    |keys| keys.arrivals.0 == ArrivalLaw::Poisson,
    "goes with arrivals = \"poisson\"; for \"fixed\": flows, start, spread",
);
const OPEN: When<Traffic> = When::new(|keys| keys.over.is_none(), "does not go with count and over");
const SHARED: When<Traffic> = When::new(|keys| keys.load_share.is_some(), "goes with load_share");
const COUNTED: When<Traffic> = When::new(|keys| keys.over.is_some(), "goes with count and over");
const POISSON_LOAD: When<Traffic> = When::new(|keys| keys.load.0 == LoadLaw::Poisson, "goes with load = \"poisson\"");
const ON_OFF: When<Traffic> = When::new(|keys| keys.load.0 == LoadLaw::OnOff, "goes with load = \"on-off\"");

const TCP: &str = word(Protocol::Tcp);
const UDP: &str = word(Protocol::Udp);

const fn word(protocol: Protocol) -> &'static str {
    Protocol::LIST.words[protocol as usize].word
}

fn flows() -> Within<u32> {
    whole(1, MAX_FLOWS as u32)
}

keys! {
    /// A rule that yields flows: between whom, when, and what each sends.
    pub struct Traffic {
        /// For tables and random streams; unique. Default: "traffic-N" with its number from 0.
        pub name: Option<At<String>>;
        /// A `[transport.NAME]`, or the name of a built-in algorithm or host (`photocol list transports`).
        pub transport: At<String>;

        /// Sources and destinations: a list of pairs that take turns; "random": drawn for each flow, all ordered pairs
        /// of distinct nodes of `among` alike; "all": each of those pairs in turn; "permutation": the nodes in
        /// turn, each to a partner of its own that is drawn for the run. Default: the pairs of the topology if it has
        /// some (dumbbell: l<i> to r<i>; parking-lot: source to sink, then across each hop).
        pub pairs: Option<At<PairsSpec>>, when NOT_LISTED, when NOT_INCAST;
        /// The source, with `to` instead of `pairs`.
        pub from: Option<At<String>>, when NOT_LISTED, when NOT_INCAST;
        /// The destination, with `from` instead of `pairs`; with arrivals = "incast" who asks, by default drawn for
        /// each request.
        pub to: Option<At<String>>, when NOT_LISTED;
        /// The nodes of "random", "all", "permutation" and incast. Default: all hosts, and edge nodes that no host
        /// is joined to, or all nodes if there are none.
        pub among: Option<At<Vec<At<String>>>>, when NOT_LISTED;

        /// When flows start.
        pub arrivals: Key<Word<ArrivalLaw>> = Word(ArrivalLaw::Fixed), when NOT_LISTED;
        /// Number of flows in all. Default: one a pair.
        pub flows: Option<At<u32>>, in flows(), when NOT_LISTED, when FIXED;
        /// The first possible start.
        pub start: Key<Time> = Time(Duration::ZERO), when NOT_LISTED;
        /// Starts are uniform over this span after `start`; all at once if it is none.
        pub spread: Key<Time> = Time(Duration::ZERO), when NOT_LISTED, when SPREAD;
        /// The mean time between starts; with arrivals = "incast" between requests, which are a Poisson process then.
        pub mean_gap: Option<At<Time>>, in more_than_zero(), when NOT_LISTED, when PROCESS, when OPEN;
        /// The mean number of starts in a second, instead of `mean_gap`.
        pub flows_per_second: Option<At<f64>>, when NOT_LISTED, when POISSON, when OPEN;
        /// The load that the flows offer to a link, as a share of its capacity, instead of `mean_gap`. Their mean size
        /// (payload, no headers, no retransmissions) and the part of them that passes the link count.
        pub load_share: Option<At<f64>>,
            in Within::new("above 0 and at most 10", |share| *share > 0.0 && *share <= 10.0), of TCP,
            when NOT_LISTED, when PROCESS, when OPEN;
        /// The link of `load_share`, such as "left->right". Default: the one that these flows load most.
        pub load_link: Option<At<String>>, of TCP, when NOT_LISTED, when SHARED;
        /// Equal steps between requests, instead of `mean_gap`.
        pub every: Option<At<Time>>, in more_than_zero(), when NOT_LISTED, when INCAST;
        /// Nodes that answer a request at once; fewer than all are drawn for each. Default: all others of `among`.
        pub senders: Option<At<u32>>, in flows(), when NOT_LISTED, when INCAST;
        /// The number of requests. Default: as many as come until the end; 1 if nothing says when they come.
        pub requests: Option<At<u32>>, in flows(), when NOT_LISTED, when INCAST;
        /// No start from then on. Default: the end of the run.
        pub until: Option<At<Time>>, when NOT_LISTED, when PROCESS, when OPEN;
        /// With `over`, the number of starts; otherwise the process ends after this many.
        pub count: Option<At<u32>>, in flows(), when NOT_LISTED, when POISSON;
        /// The span after `start` that `count` starts fall into.
        pub over: Option<At<Time>>, in more_than_zero(), when NOT_LISTED, when POISSON;
        /// true: exactly `count` starts, that is the process given its number, whose starts are independent and
        /// uniform. false: the mean gap is over/count and the number is random.
        pub conditioned: Key<bool> = true, when NOT_LISTED, when POISSON, when COUNTED;
        /// Work that depends on work among the nodes of `among`, in their order, instead of flows that start by the
        /// clock; it begins at `start`. UDP sends each transfer at `rate`, and its bytes are those on the wire.
        pub work: Option<At<crate::work::Keys>>, when NOT_LISTED, when FIXED;
        /// Exactly these flows.
        pub list: Option<At<Vec<At<Listed>>>>;
        /// Exactly the flows of this CSV file, with the header `start_s,source,destination[,size_bytes]`, or of a list
        /// of HPCC, htsim or others (docs/guide/other-peoples-files.md). A number that is no node's name counts hosts
        /// and edge nodes from 0.
        pub file: Option<At<String>>;
        /// Of the list only flows of fewer bytes; `sizes_from` in another traffic gives the others another transport.
        pub sizes_below: Option<At<Size>>, when LISTED;
        /// Of the list only flows of so many bytes at least, and those without a size.
        pub sizes_from: Option<At<Size>>, when LISTED;

        /// The band of its packets and their ACKs at ports with queue = { kind = "priority" }, 0 the first.
        pub priority: Key<u32> = 0, in whole(0, 255);
        /// When flows stop sending at the latest. Default: at the end of the run.
        pub stop: Option<At<Time>>;
        /// What a flow sends, "greedy" or a size.
        pub size: Key<FlowSize> = FlowSize::Greedy, of TCP;
        /// The law that the size of each flow is drawn from, instead of `size`.
        pub size_law: Option<At<FlowSizeLaw>>, of TCP;
        /// What writes into the connections, instead of a size: an application that has something to write only now and
        /// then.
        pub application: Option<At<Application>>, of TCP;
        /// This many segments of a flow in a row are one burst, which is lost as a whole.
        pub bursts: Option<At<Bursts>>, of TCP;
        /// How a source sends.
        pub load: Key<Word<LoadLaw>> = Word(LoadLaw::Constant), of UDP;
        /// Bit rate on the wire, headers included. "poisson": the mean rate; "on-off": the rate while on.
        pub rate: Option<At<Speed>>, of UDP;
        /// The law of packet sizes, whose mean is the transport's.
        pub sizes: Key<Word<SizeLaw>> = Word(SizeLaw::Fixed), of UDP, when POISSON_LOAD;
        /// The law of the on-times.
        pub on: Option<At<Sojourn>>, of UDP, when ON_OFF;
        /// The law of the off-times.
        pub off: Option<At<Sojourn>>, of UDP, when ON_OFF;
    }
}

keys! {
    /// Segments of each flow in a row, copies included, are one burst, which the source drops as a whole. Nothing waits
    /// for a burst to fill; a lost one ends when the sender knows.
    pub struct Bursts {
        /// Segments of a burst.
        pub segments: At<u32>, in Within::new("from 1", |segments| *segments >= 1);
        /// Each burst is lost with this probability.
        pub loss: Option<At<f64>>, in Within::new("0 to 1", |loss| (0.0..=1.0).contains(loss));
        /// Exactly these bursts of each flow are lost, numbered from 0, instead of `loss`.
        pub lose: Option<At<Vec<At<u64>>>>;
        /// Senders that listen (tcp-eng; btcp with "bnak") are told of a lost burst, a round trip after it.
        pub notify: Key<bool> = false;
    }
}

words! {
    /// When flows start.
    pub enum ArrivalLaw {
        /// A number of flows, at once or spread.
        Fixed = "fixed",
        /// A Poisson process.
        Poisson = "poisson",
        /// Requests that many nodes answer at once, each with a flow. The requests themselves are not sent.
        Incast = "incast",
    }
}

words! {
    /// How a UDP source sends; no source reacts to the network.
    pub enum LoadLaw {
        /// A packet every packet_size/rate.
        Constant = "constant",
        /// Packets as a Poisson process.
        Poisson = "poisson",
        /// On and off by turns.
        OnOff = "on-off",
    }
}

keys! {
    /// One flow of a list.
    pub struct Listed {
        /// When it starts.
        pub start: At<Time>;
        /// Where.
        pub source: At<String>;
        /// To whom.
        pub destination: At<String>;
        /// What it sends, if not what the traffic says.
        pub size: Option<At<Size>>;
    }
}
