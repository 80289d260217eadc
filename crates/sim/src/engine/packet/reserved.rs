//! Numbers that stand for no time, no link and no payload.

/// The time of what never happens.
pub const NEVER: u64 = u64::MAX;
/// End of a path: the packet is for a host of the node it has reached.
pub const DELIVER: u32 = u32::MAX;
/// Instead of a path's first link: there is no path.
pub const NO_PATH: u32 = u32::MAX - 1;
/// Instead of a link of a path: which one it is depends on the time.
pub const IN_TIME: u32 = u32::MAX - 2;
/// Instead of the last link of a path that flows share: the one to the host that a packet is for.
pub const TO_HOST: u32 = u32::MAX - 3;
/// Before a path: the number of the set of paths among which its packets are spread, above this. There are fewer links.
pub const SPREAD: u32 = 1 << 31;
/// The packet carries nothing besides itself.
pub const NO_PAYLOAD: u32 = u32::MAX;
/// The position of "there is no way" in the array of paths.
pub const NOWHERE: u32 = 0;
