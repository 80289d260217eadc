//! A whole slot: header, blocks, tag.

use super::block::Block;
use super::field::Field;
use super::header::{Class, Header};
use super::key::{Key, TAG_LENGTH};
use super::reader::{Malformed, Reader};
use crc::{CRC_32_ISCSI, Crc, Table};
use std::fmt;

/// A slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Its header.
    pub header: Header,
    /// Its payload.
    pub blocks: Vec<Block>,
}

/// A block or a payload has more bytes than its length can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong {
    /// The block, or `payload`.
    pub block: &'static str,
}

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "'{}' is too long for a slot; allowed: blocks up to 65535 bytes, payloads up to {}",
            self.block,
            Slot::MAX_PAYLOAD
        )
    }
}

impl std::error::Error for TooLong {}

/// CRC-32C, as iSCSI and SCTP have it.
static CHECKSUM: Crc<u32, Table<1>> = Crc::<u32, Table<1>>::new(&CRC_32_ISCSI);
/// Where the length of the payload stands; the checksum follows, then the payload.
const LENGTH_AT: usize = Header::LENGTH - 8;
const CHECKSUM_AT: usize = Header::LENGTH - 4;

impl Slot {
    /// The longest payload.
    pub const MAX_PAYLOAD: usize = 1 << 20;

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
}

/// The slot in `bytes`, which must be all of it. The tag is not looked at: [`Key::open`] does that.
pub fn decode(bytes: &[u8]) -> Result<Slot, Malformed> {
    let (header, payload, _) = parts(bytes)?;
    with_blocks(header, payload)
}

/// The slot in `bytes` if `key` made its tag.
pub(super) fn open(bytes: &[u8], key: &Key) -> Result<Slot, Malformed> {
    let (header, payload, tag) = parts(bytes)?;
    // The tag comes first: nothing inside a forged slot is looked at.
    if has_tag(header.class) && !key.made(tag, &bytes[..bytes.len() - tag.len()]) {
        return Err(Malformed::Tag);
    }
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
