//! The blocks of a pcapng file.

use std::fmt;
use std::io::{self, Write};

/// Where captured packets go.
pub type CaptureWriter = Box<dyn Write + Send>;

const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const NAMES: u32 = 4;
const PACKET: u32 = 6;
const LINKTYPE_RAW: u16 = 101;
/// Options of blocks.
const COMMENT: u16 = 1;
const NAME: u16 = 2;
const DESCRIPTION: u16 = 3;
const RESOLUTION: u16 = 9;
/// A record of names: an IPv4 address and its names.
const IPV4: u16 = 1;

/// A file in progress.
pub struct File {
    output: CaptureWriter,
    count: u64,
    /// The first failure of the output; later packets are not written.
    failure: Option<io::Error>,
}

impl File {
    /// A file with its section header.
    pub fn new(output: CaptureWriter) -> File {
        let mut file = File { output, count: 0, failure: None };
        let parts: [&[u8]; 4] =
            [&0x1a2b_3c4d_u32.to_le_bytes(), &1u16.to_le_bytes(), &0u16.to_le_bytes(), &(-1i64).to_le_bytes()];
        file.put(&block(SECTION, &parts));
        file
    }

    /// The next interface.
    pub fn interface(&mut self, name: &str, description: &str) {
        let texts = [(NAME, name.as_bytes()), (DESCRIPTION, description.as_bytes()), (RESOLUTION, &[9])];
        let parts: [&[u8]; 4] =
            [&LINKTYPE_RAW.to_le_bytes(), &0u16.to_le_bytes(), &0u32.to_le_bytes(), &options(&texts)];
        self.put(&block(INTERFACE, &parts));
    }

    /// Names of addresses.
    pub fn names<'a>(&mut self, names: impl Iterator<Item = ([u8; 4], &'a str)>) {
        let mut records = Vec::new();
        for (address, name) in names {
            // A name ends with a zero.
            let name: Vec<u8> = name.bytes().filter(|byte| *byte != 0).take(255).collect();
            option(&mut records, IPV4, &[&address[..], &name, &[0]].concat());
        }
        records.extend([0; 4]);
        self.put(&block(NAMES, &[&records]));
    }

    /// A packet's header; `length` is the whole packet's.
    pub fn packet(&mut self, at: u64, interface: u32, header: &[u8], length: u32, comment: Option<&str>) {
        let nanoseconds = at / 1000;
        let fields = [interface, (nanoseconds >> 32) as u32, nanoseconds as u32, header.len() as u32, length];
        let fields: Vec<u8> = fields.iter().flat_map(|field| field.to_le_bytes()).collect();
        let padding = vec![0; header.len().next_multiple_of(4) - header.len()];
        let said = comment.map_or(Vec::new(), |text| options(&[(COMMENT, text.as_bytes())]));
        self.put(&block(PACKET, &[&fields, header, &padding, &said]));
        self.count += 1;
    }

    /// Flushes, and reports the first failure.
    pub fn finish(&mut self) -> io::Result<()> {
        match self.failure.take() {
            Some(failure) => Err(failure),
            None => self.output.flush(),
        }
    }

    fn put(&mut self, bytes: &[u8]) {
        if self.failure.is_none() {
            self.failure = self.output.write_all(bytes).err();
        }
    }
}

impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("File").field("packets", &self.count).finish_non_exhaustive()
    }
}

/// A block: type, total length, body padded to 32 bits, total length again.
fn block(kind: u32, parts: &[&[u8]]) -> Vec<u8> {
    let body = parts.concat();
    let padded = body.len().next_multiple_of(4);
    let total = (12 + padded as u32).to_le_bytes();
    let padding = vec![0; padded - body.len()];
    [&kind.to_le_bytes()[..], &total, &body, &padding, &total].concat()
}

/// Options and their end.
fn options(all: &[(u16, &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    all.iter().for_each(|(code, value)| option(&mut out, *code, value));
    out.extend([0; 4]);
    out
}

/// Code, length, value padded to 32 bits; longer texts are cut.
fn option(out: &mut Vec<u8>, code: u16, value: &[u8]) {
    let value = &value[..value.len().min(0xfff0)];
    out.extend(code.to_le_bytes());
    out.extend((value.len() as u16).to_le_bytes());
    out.extend_from_slice(value);
    out.resize(out.len().next_multiple_of(4), 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_padded_to_words_and_keeps_its_length() {
        let mut out = Vec::new();
        option(&mut out, COMMENT, b"abcde");
        assert_eq!(out, [1, 0, 5, 0, b'a', b'b', b'c', b'd', b'e', 0, 0, 0]);
    }
}
