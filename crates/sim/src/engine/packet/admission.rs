//! What a port is offered, and what becomes of it.

/// Why a device dropped a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// The buffer was full.
    Congestion,
    /// Its queue discipline dropped it before the buffer was full.
    Early,
    /// The scenario's random loss.
    Random,
    /// The link was down.
    Unreachable,
    /// The scenario ordered it.
    Forced,
    /// It was sent in a window in which the switch did not pass it.
    GuardViolation,
    /// Its link had gone when it left.
    OutOfSight,
    /// The queue had no room for its header, which has gone back to its sender.
    Returned,
    /// A reason that only agents know, by its number among those of their kind of switching.
    Agent(u8),
}

impl Cause {
    /// Whether the packet was transmitted: the fibre or the switch loses it.
    pub fn is_after_transmission(self) -> bool {
        matches!(self, Cause::Random | Cause::GuardViolation | Cause::OutOfSight)
    }

    /// As written in tables; `agents` are the names of the reasons of agents.
    pub fn name<'n>(self, agents: &[&'n str]) -> &'n str {
        match self {
            Cause::Congestion => "congestion",
            Cause::Early => "early",
            Cause::Random => "random",
            Cause::Unreachable => "unreachable",
            Cause::Forced => "forced",
            Cause::GuardViolation => "guard violation",
            Cause::OutOfSight => "out of sight",
            Cause::Returned => "returned",
            Cause::Agent(number) => agents.get(usize::from(number)).copied().unwrap_or("agent"),
        }
    }
}

/// What becomes of a packet offered to a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// Its last bit arrives at the far end at this time.
    Scheduled(u64),
    /// The same, and it is marked.
    Marked(u64),
    /// It is dropped.
    Dropped(Cause),
    /// It is dropped, and its header of so many bytes goes back to its sender.
    Returned(u16),
    /// It stays in the port, which may send it or one before it: it is to be asked. Only a port with a gate or a
    /// discipline says so.
    Queued,
    /// The same, and a copy of it is to come behind it.
    Doubled,
    /// It stays in the port, which can send nothing before its gate opens or a transmission ends, as it knows already.
    Blocked,
}

/// An agent that takes all packets for a port and sends them on when it sees fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interceptor {
    /// The agent.
    pub agent: u32,
    /// What the agent calls the port.
    pub place: u32,
}

/// A number of packets and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Packets.
    pub packets: u64,
    /// Bytes on the wire.
    pub bytes: u64,
}

impl Admission {
    /// Whether the port has sent a packet that it lets go: what its discipline drops has not been sent, what the switch
    /// or the fibre loses has.
    pub fn is_sent(self) -> bool {
        !matches!(self, Admission::Dropped(Cause::Early | Cause::Congestion) | Admission::Returned(_))
    }

    /// The same for a packet that is marked. One that is held carries its mark itself.
    pub fn marked(self) -> Admission {
        match self {
            Admission::Scheduled(at) => Admission::Marked(at),
            other => other,
        }
    }
}

impl Count {
    /// One packet.
    #[inline]
    pub fn of(size: u16) -> Count {
        Count { packets: 1, bytes: size.into() }
    }

    /// Adds one packet.
    #[inline]
    pub fn add(&mut self, size: u16) {
        *self = self.plus(Count::of(size));
    }

    /// The sum, part by part.
    #[inline]
    pub fn plus(self, other: Count) -> Count {
        Count { packets: self.packets + other.packets, bytes: self.bytes + other.bytes }
    }

    /// The difference, part by part.
    #[inline]
    pub fn since(self, earlier: Count) -> Count {
        Count { packets: self.packets - earlier.packets, bytes: self.bytes - earlier.bytes }
    }
}
