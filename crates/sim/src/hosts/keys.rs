//! `[transport.NAME]` as a kind of host reads it.

use crate::language::{At, ByteCount, Fault, Parameter, Place, Setting, quoted};
use crate::model::Record;
use options::{ConfigError, Kind, Options, Value};
use std::ops::RangeInclusive;
use transport::tcp::ReceiverConfig;
use units::{Bytes, Duration};

/// The largest IP packet.
pub(crate) const MAX_PACKET: u32 = 65_535;
/// A full packet of data, headers included.
pub(crate) const DEFAULT_PACKET: u32 = 1500;

/// What is given.
#[derive(Clone, Copy)]
pub(crate) struct Keys<'a> {
    /// The name of the kind.
    pub kind: &'static str,
    /// Size of a full packet.
    pub packet_size: Option<At<ByteCount>>,
    /// Bytes that headers add to a payload.
    pub header: Option<At<ByteCount>>,
    /// Size of an ACK.
    pub ack_size: Option<At<ByteCount>>,
    /// How packets carry what hops measure, for laws that read it.
    pub record: Record,
    /// Whether news of paths comes by marks.
    pub by_marks: bool,
    /// Parameters of machines.
    pub given: &'a [Parameter],
}

impl Keys<'_> {
    /// Payload of a full packet with such a header: by `mss` or `packet_size`.
    pub fn payload(&self, header: u32) -> Result<u32, Fault> {
        let mss = self.get("mss").map(segment_size);
        let (Some(mss), packet) = (mss, self.packet_size) else {
            let packet = bytes(self.packet_size, DEFAULT_PACKET.max(header + 1), header + 1..=MAX_PACKET)?;
            return Ok(packet - header);
        };
        let mss_bytes = bytes(Some(mss), 0, 1..=MAX_PACKET - header)?;
        match packet {
            Some(packet) if packet.0 != u64::from(mss_bytes + header) => Err(packet.fault(format!(
                "found {} B, but mss and header make {} B; allowed: mss or packet_size",
                packet.0,
                mss_bytes + header
            ))),
            _ => Ok(mss_bytes),
        }
    }

    /// Sets the given ones of a kind's own parameters, and refuses those that are another's. A window of so many
    /// packets is that many times `packet` bytes.
    pub fn set(&self, own: &mut dyn Options, packet: u32) -> Result<(), Fault> {
        for one in self.given.iter().filter(|one| one.key.name != "mss") {
            let value = one.value.with_packets_of(packet);
            match own.find(one.key.name) {
                Some(place) if own.keys()[place].kind == Kind::POSITIVE && value == Value::Time(Duration::ZERO) => {
                    return Err(one.value.fault("found \"0 s\"; allowed: more than zero"));
                }
                Some(place)
                    if own.keys()[place].kind == Kind::Window && is_below(value, packet) && value != own.get(place) =>
                {
                    let (found, least) = (one.value, Bytes(packet.into()));
                    return Err(found.fault(format!("found less than a packet; allowed: {least} or more")));
                }
                Some(place) => own.set(place, value),
                None => {
                    let names = ["packet_size", "header", "ack_size", "mss"].into_iter();
                    let names: Vec<&str> = names.chain(own.keys().iter().map(|key| key.name)).collect();
                    return Err(self.refused(one.key.name, one.value.place(), &names));
                }
            }
        }
        own.check_ranges().map_err(|why| self.wrong(&why))
    }

    /// The given parameter of this name.
    pub fn get(&self, name: &str) -> Option<&Parameter> {
        self.given.iter().find(|one| one.key.name == name)
    }

    /// A parameter cannot be so, at its place if it is given.
    pub fn wrong(&self, why: &ConfigError) -> Fault {
        let place = self.get(why.field).map_or(Place::Unknown, |one| one.value.place());
        Fault::new(place, why.to_string())
    }

    /// Refuses every key but these, for a kind without parameters of its own.
    pub fn only(&self, allowed: &[&str]) -> Result<(), Fault> {
        let sizes = [("packet_size", self.packet_size), ("header", self.header), ("ack_size", self.ack_size)];
        let sizes = sizes.into_iter().filter_map(|(name, size)| Some((name, size?.place())));
        let given = self.given.iter().map(|one| (one.key.name, one.value.place()));
        match given.chain(sizes).find(|(name, _)| !allowed.contains(name)) {
            Some((name, place)) => Err(self.refused(name, place, allowed)),
            None => Ok(()),
        }
    }

    /// A key of another kind is given.
    fn refused(&self, key: &str, place: Place, allowed: &[&str]) -> Fault {
        let is_tcps = transport::tcp::keys::all().iter().any(|known| known.key.name == key);
        let others = super::users(key).filter(|_| !is_tcps && ReceiverConfig::default().find(key).is_none());
        // A law may run in several kinds.
        let others = transport::tcp::keys::users(key).or(others);
        let (owner, kind, allowed) = (others.as_deref().unwrap_or("TCP"), quoted(self.kind), allowed.join(", "));
        let key = quoted(key);
        Fault::new(place, format!("the key {key} is for {owner}; allowed with algorithm = {kind}: {allowed}"))
    }
}

/// Whether a value is a number below this.
fn is_below(value: Value, least: u32) -> bool {
    matches!(value, Value::Whole(number) if number < u64::from(least))
}

/// A given number of bytes in its range, or a default.
pub(crate) fn bytes(count: Option<At<ByteCount>>, default: u32, range: RangeInclusive<u32>) -> Result<u32, Fault> {
    let Some(count) = count else { return Ok(default) };
    match u32::try_from(count.0) {
        Ok(bytes) if range.contains(&bytes) => Ok(bytes),
        _ => Err(count.fault(format!("found {}; allowed: {} B to {} B", Bytes(count.0), range.start(), range.end()))),
    }
}

/// `mss` as a number of bytes, in its place.
fn segment_size(given: &Parameter) -> At<ByteCount> {
    given.value.map(|written| match written {
        Setting::Value(Value::Whole(bytes)) | Setting::Packets(bytes) => ByteCount(bytes),
        Setting::Value(_) => ByteCount(0),
    })
}
