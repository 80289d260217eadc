//! The blocks of a payload: a code of one byte, a reserved byte, a length of two, and as many bytes as the length says.

use super::allocation::Allocation;
use super::answer::Answer;
use super::beacon::Beacon;
use super::claim::Claim;
use super::configuration::Configuration;
use super::error::{Malformed, TooLong, WrongFields};
use super::fault::Fault;
use super::field::{Entry, Field, Row};
use super::header::Class;
use super::invitation::Invitation;
use super::measurement::{FollowUp, Measurement};
use super::payload::{FileChunk, IpPacket, Management};
use super::plan::Plan;
use super::reader::Reader;
use super::request::{Request, Unused};
use super::value::Fields;
use super::verdict::Verdict;

// Over 40 lines: whatever goes over all blocks stands where their codes do.
macro_rules! blocks {
    ($($code:literal $variant:ident = $name:literal;)+) => {
        /// A block.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Block { $( #[doc = concat!("Code ", $code, ".")] $variant($variant) ),+ }

        impl Block {
            /// Every block: code, name, rows of its table.
            pub(super) const ALL: &'static [(u8, &'static str, &'static [Row])] =
                &[$( ($code, $name, <$variant as Entry>::ROWS) ),+];

            /// What `docs/protocol.md` calls it.
            pub fn name(&self) -> &'static str {
                match self { $( Block::$variant(_) => $name ),+ }
            }

            fn code(&self) -> u8 {
                match self { $( Block::$variant(_) => $code ),+ }
            }

            fn put_fields(&self, out: &mut Vec<u8>) {
                match self { $( Block::$variant(message) => message.put(out) ),+ }
            }

            /// Its fields as plain values.
            pub fn values(&self) -> Fields {
                match self { $( Block::$variant(message) => message.values() ),+ }
            }

            /// The block of that name with these fields.
            pub fn of_values(name: &str, fields: Fields) -> Result<Block, WrongFields> {
                match name {
                    $( $name => $variant::of_values(fields).map(Block::$variant), )+
                    other => Err(WrongFields::Block { name: other.to_string(), known: vec![$($name),+] }),
                }
            }

            fn take_fields(code: u8, from: &mut Reader<'_>) -> Result<Block, Malformed> {
                match code {
                    $( $code => <$variant as Field>::take(from).map(Block::$variant), )+
                    found => Err(Malformed::Code { of: "block", found }),
                }
            }
        }

        $( impl From<$variant> for Block {
            fn from(message: $variant) -> Block {
                Block::$variant(message)
            }
        } )+
    };
}

blocks! {
    1 Invitation = "invitation";
    2 Answer = "answer";
    3 Configuration = "configuration";
    4 Measurement = "measurement";
    5 FollowUp = "follow-up";
    6 Request = "request";
    7 Allocation = "allocation";
    8 Fault = "fault";
    9 Unused = "unused";
    16 Beacon = "beacon";
    17 Claim = "claim";
    18 Plan = "plan";
    19 Verdict = "verdict";
    32 IpPacket = "ip";
    33 FileChunk = "file";
    34 Management = "management";
}

impl Block {
    /// Whether a data slot, which has no tag, may carry it.
    pub fn is_payload(&self) -> bool {
        matches!(self, Block::IpPacket(_) | Block::FileChunk(_) | Block::Management(_))
    }

    pub(super) fn put(&self, out: &mut Vec<u8>) -> Result<(), TooLong> {
        out.extend_from_slice(&[self.code(), 0, 0, 0]);
        let start = out.len();
        self.put_fields(out);
        let length = u16::try_from(out.len() - start).map_err(|_| TooLong { block: self.name() })?;
        out[start - 2..start].copy_from_slice(&length.to_le_bytes());
        Ok(())
    }

    pub(super) fn take(class: Class, from: &mut Reader<'_>) -> Result<Block, Malformed> {
        let [code, reserved] = from.array()?;
        if reserved != 0 {
            return Err(Malformed::Code { of: "reserved byte", found: reserved });
        }
        let length = u16::take(from)?;
        let mut data = Reader::new(from.take(usize::from(length))?);
        let block = Block::take_fields(code, &mut data)?;
        data.finish()?;
        if class == Class::Data && !block.is_payload() {
            return Err(Malformed::Unprotected { block: block.name() });
        }
        Ok(block)
    }

    /// For fuzzers: a block whose code is the first byte and whose fields are the rest, as far as they are there; zeros
    /// follow.
    pub(crate) fn any(bytes: &[u8]) -> Option<Block> {
        let (code, data) = bytes.split_first()?;
        let mut fields = data.to_vec();
        fields.resize(data.len().max(120), 0);
        let code = Block::ALL[usize::from(*code) % Block::ALL.len()].0;
        Block::take_fields(code, &mut Reader::new(&fields)).ok()
    }
}
