//! A whole slot: header, blocks, tag.

use super::block::Block;
use super::error::{self, Malformed, TooLong, WrongFields};
use super::field::{Entry, Field};
use super::header::{Class, Header};
use super::key::{Key, TAG_LENGTH};
use super::reader::Reader;
use super::value::Fields;
use crc::{CRC_32_ISCSI, Crc, Table};

/// A slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Its header.
    pub header: Header,
    /// Its payload.
    pub blocks: Vec<Block>,
}

/// CRC-32C, as iSCSI and SCTP have it.
static CHECKSUM: Crc<u32, Table<1>> = Crc::<u32, Table<1>>::new(&CRC_32_ISCSI);
/// Where the length of the payload stands; the checksum follows, then the payload.
const LENGTH_AT: usize = Header::LENGTH - 8;
const CHECKSUM_AT: usize = Header::LENGTH - 4;

impl Slot {
    /// The longest payload.
    pub const MAX_PAYLOAD: usize = error::MAX_PAYLOAD;

    /// The slot as bytes; the tag is made with `key` where its class has one.
    pub fn encode(&self, key: &Key) -> Result<Vec<u8>, TooLong> {
        let mut out = Vec::with_capacity(Header::LENGTH + 64);
        out.extend_from_slice(&Header::MAGIC);
        out.push(Header::VERSION);
        self.header.put(&mut out);
        out.extend_from_slice(&[0; 8]);
        self.blocks.iter().try_for_each(|block| block.put(&mut out))?;
        let payload = out.len() - Header::LENGTH;
        if payload > Slot::MAX_PAYLOAD {
            return Err(TooLong { block: "payload" });
        }
        out[LENGTH_AT..CHECKSUM_AT].copy_from_slice(&(payload as u32).to_le_bytes());
        let sum = checksum(&out);
        out[CHECKSUM_AT..Header::LENGTH].copy_from_slice(&sum.to_le_bytes());
        if has_tag(self.header.class) {
            let tag = key.tag(&out);
            out.extend_from_slice(&tag);
        }
        Ok(out)
    }

    /// The header, and every block by its name.
    pub fn values(&self) -> (Fields, Vec<(&'static str, Fields)>) {
        (self.header.values(), self.blocks.iter().map(|block| (block.name(), block.values())).collect())
    }

    /// The slot with these values.
    pub fn of_values(header: Fields, blocks: Vec<(String, Fields)>) -> Result<Slot, WrongFields> {
        let blocks = blocks.into_iter().map(|(name, fields)| Block::of_values(&name, fields));
        Ok(Slot { header: Header::of_values(header)?, blocks: blocks.collect::<Result<_, _>>()? })
    }
}

impl Key {
    /// The slot in `bytes`, if it is whole and, where its class has a tag, was made with this key.
    pub fn open(&self, bytes: &[u8]) -> Result<Slot, Malformed> {
        let (header, payload, tag) = parts(bytes)?;
        // The tag comes first: nothing inside a forged slot is looked at.
        if has_tag(header.class) && !self.made(tag, &bytes[..bytes.len() - tag.len()]) {
            return Err(Malformed::Tag);
        }
        with_blocks(header, payload)
    }
}

/// The slot in `bytes`, which must be all of it. The tag is not looked at: [`Key::open`] does that.
pub fn decode(bytes: &[u8]) -> Result<Slot, Malformed> {
    let (header, payload, _) = parts(bytes)?;
    with_blocks(header, payload)
}

fn with_blocks(header: Header, payload: &[u8]) -> Result<Slot, Malformed> {
    let mut from = Reader::new(payload);
    let mut blocks = Vec::new();
    while from.left() > 0 {
        blocks.push(Block::take(header.class, &mut from)?);
    }
    Ok(Slot { header, blocks })
}

/// Header, payload and tag of a slot whose checksum is right. The tag is empty where the class has none.
fn parts(bytes: &[u8]) -> Result<(Header, &[u8], &[u8]), Malformed> {
    let mut from = Reader::new(bytes);
    if from.array()? != Header::MAGIC {
        return Err(Malformed::Magic);
    }
    match u8::take(&mut from)? {
        Header::VERSION => {}
        found => return Err(Malformed::Version { found }),
    }
    let header = Header::take(&mut from)?;
    let length = u32::take(&mut from)?;
    if length as usize > Slot::MAX_PAYLOAD {
        return Err(Malformed::Length { found: length });
    }
    let sum = u32::take(&mut from)?;
    let payload = from.take(length as usize)?;
    let tag = from.take(if has_tag(header.class) { TAG_LENGTH } else { 0 })?;
    from.finish()?;
    if checksum(&bytes[..Header::LENGTH + payload.len()]) != sum {
        return Err(Malformed::Checksum);
    }
    if header.reserved != 0 {
        return Err(Malformed::Code { of: "reserved byte", found: header.reserved });
    }
    Ok((header, payload, tag))
}

fn has_tag(class: Class) -> bool {
    class != Class::Data
}

/// Of all but the checksum itself.
fn checksum(bytes: &[u8]) -> u32 {
    let mut digest = CHECKSUM.digest();
    digest.update(&bytes[..CHECKSUM_AT]);
    digest.update(&bytes[Header::LENGTH..]);
    digest.finalize()
}
