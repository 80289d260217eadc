//! Captures of slots: pcapng with nanoseconds, link type USER0. `crates/linux/photocol.lua` shows them in Wireshark.
//!
//! A packet is the 16 bytes of the line and the slot behind it; its comment says what became of it.

use crate::line::Line;
use crate::sys::file;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// A capture. What is written after the disk is full is lost, as every capture loses.
pub(crate) struct Capture(BufWriter<File>);

/// Everybody may read it whom the umask lets.
const MODE: u32 = 0o666;
const SECTION: u32 = 0x0A0D_0D0A;
const INTERFACE: u32 = 1;
const PACKET: u32 = 6;
/// LINKTYPE_USER0.
const LINK_TYPE: u16 = 147;
const COMMENT: u16 = 1;
const RESOLUTION: u16 = 9;

impl Capture {
    /// A new capture; an ordinary file of its name is replaced, a link is not followed.
    pub(crate) fn create(path: &Path) -> io::Result<Capture> {
        let mut out = BufWriter::new(file::replace(path, MODE)?);
        let section = [&0x1A2B_3C4Du32.to_le_bytes()[..], &[1, 0, 0, 0], &u64::MAX.to_le_bytes()].concat();
        block(&mut out, SECTION, &section)?;
        let nanoseconds = option(RESOLUTION, &[9]);
        let interface = [&LINK_TYPE.to_le_bytes()[..], &[0, 0], &0u32.to_le_bytes(), &nanoseconds, &[0; 4]].concat();
        block(&mut out, INTERFACE, &interface)?;
        Ok(Capture(out))
    }

    /// A slot at a time of day, in nanoseconds.
    pub(crate) fn add(&mut self, at: u64, line: Line, slot: &[u8], comment: &str) {
        let length = (crate::line::HEAD + slot.len()) as u32;
        let mut body = vec![0; 4];
        body.extend_from_slice(&((at >> 32) as u32).to_le_bytes());
        body.extend_from_slice(&(at as u32).to_le_bytes());
        body.extend_from_slice(&length.to_le_bytes());
        body.extend_from_slice(&length.to_le_bytes());
        body.extend_from_slice(&line.bytes());
        body.extend_from_slice(slot);
        body.resize(body.len().next_multiple_of(4), 0);
        body.extend_from_slice(&option(COMMENT, comment.as_bytes()));
        body.extend_from_slice(&[0; 4]);
        let _ = block(&mut self.0, PACKET, &body);
    }

    /// Writes what is held back.
    pub(crate) fn flush(&mut self) {
        let _ = self.0.flush();
    }
}

fn option(code: u16, value: &[u8]) -> Vec<u8> {
    let mut bytes = [code.to_le_bytes(), (value.len() as u16).to_le_bytes()].concat();
    bytes.extend_from_slice(value);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

fn block(out: &mut impl Write, kind: u32, body: &[u8]) -> io::Result<()> {
    let length = (12 + body.len() as u32).to_le_bytes();
    out.write_all(&kind.to_le_bytes())?;
    out.write_all(&length)?;
    out.write_all(body)?;
    out.write_all(&length)
}
