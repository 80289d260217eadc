//! Checks of values that several tables share; each fault stands at the value that it is about.

use super::{At, Fault, Place};
use crate::model::Buffer;
use units::{BufferSize, Bytes, Rate};

/// A rate at which a byte lasts a second at most (the resolution of [`units::ByteTime`]).
pub(crate) fn rate_in_range(rate: Rate, place: impl FnOnce() -> Place) -> Result<Rate, Fault> {
    const MOST: Rate = Rate::from_bps(1_000_000_000_000_000);
    if rate.bps() < 8 || rate > MOST {
        return Err(Fault::new(place(), format!("found \"{rate}\"; allowed: 8 bps to 1000 Tbps")));
    }
    Ok(rate)
}

/// A count that is positive and not absurd.
pub(crate) fn bounded(count: At<u32>, limit: u64) -> Result<u32, Fault> {
    if (1..=limit).contains(&u64::from(*count)) {
        return Ok(*count);
    }
    Err(count.fault(format!("found {}; allowed: 1 to {limit}", *count)))
}

/// A buffer in packets or bytes. One in bytes holds a whole packet at least.
pub(crate) fn room(
    size: BufferSize,
    capacity: Rate,
    packet: u32,
    place: impl FnOnce() -> Place,
) -> Result<Buffer, Fault> {
    match size {
        BufferSize::Packets(packets) => Ok(Buffer::Packets(packets)),
        BufferSize::Unlimited => Ok(Buffer::Unlimited),
        BufferSize::Bytes(bytes) => room_of(bytes, &format!("\"{bytes}\""), packet, place),
        BufferSize::Time(span) => {
            let bytes = capacity.bytes_in(span);
            room_of(bytes, &format!("\"{span}\", that is {bytes} at {capacity}"), packet, place)
        }
    }
}

/// A buffer in bytes, and what was found.
pub(crate) fn room_of(bytes: Bytes, found: &str, packet: u32, place: impl FnOnce() -> Place) -> Result<Buffer, Fault> {
    if bytes < Bytes(u64::from(packet)) {
        let message =
            format!("found {found}, less than the largest packet; allowed: at least {packet} B, or \"0 packets\"");
        return Err(Fault::new(place(), message));
    }
    // No run fills an exabyte, and sums with it do not overflow.
    Ok(if bytes < Bytes(1 << 60) { Buffer::Bytes(bytes) } else { Buffer::Unlimited })
}
