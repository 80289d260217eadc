//! Files between edge nodes. The sender offers a file; the receiver answers with what it lacks; that is sent, and the file offered again, until
//! nothing is lacking and the SHA-256 is right. Slots of two nodes come in order, so an offer that follows its chunks finds every one there or lost.
//!
//! Offers and answers are blocks of management with topic 2, in JSON. A receiver that has started again lacks everything.

use super::ranges::Ranges;
use super::{BLOCK, Packer};
use crate::sys::time::Nanos;
use control::wire::{Block, FileChunk, Management};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, VecDeque};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// The topic of offers and answers.
pub(crate) const TOPIC: u16 = 2;
/// Bytes of the fields of a [`FileChunk`] before its data.
const FIELDS: usize = 20;
/// A chunk is at least so long, unless it is the last one.
const SHORTEST: usize = 200;
/// An offer without an answer is repeated after this.
const REPEAT: Nanos = 500_000_000;
/// Gaps that an answer names at most, and the bytes that one takes in it, and all but the gaps.
const GAPS: usize = 64;
const GAP: usize = 30;
const ANSWER: usize = 60;
/// Bytes of a file's name: an offer fits the smallest datagram.
const NAME: usize = 200;
/// Transfers that a receiver keeps track of.
const TRANSFERS: usize = 64;
/// Pieces into which what has come may fall.
const PIECES: usize = 1 << 16;
const LARGEST: u64 = 1 << 40;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum Word {
    /// The file is this.
    Offer { transfer: u32, name: String, length: u64, sha256: String },
    /// This is lacking; nothing, if it is there and right.
    Lacks { transfer: u32, gaps: Vec<(u64, u64)> },
}

/// A file on its way out.
struct Outgoing {
    to: u16,
    file: File,
    offer: Word,
    /// What is to be sent.
    pending: VecDeque<(u64, u64)>,
    /// When the offer was made that no answer has come to.
    offered: Option<Nanos>,
    done: bool,
}

/// A file on its way in.
struct Incoming {
    file: File,
    part: PathBuf,
    whole: PathBuf,
    length: u64,
    sha256: String,
    ranges: Ranges,
    done: bool,
}

/// The files of a node.
pub(crate) struct Files {
    receive: Option<PathBuf>,
    outgoing: BTreeMap<u32, Outgoing>,
    incoming: BTreeMap<(u16, u32), Incoming>,
    pub(crate) sent: u64,
    pub(crate) received: u64,
}

impl Files {
    pub(crate) fn new(receive: Option<PathBuf>) -> Files {
        Files { receive, outgoing: BTreeMap::new(), incoming: BTreeMap::new(), sent: 0, received: 0 }
    }

    /// A file for another node.
    pub(crate) fn send(&mut self, path: &Path, to: u16) -> io::Result<()> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        let digest = digest(&file, length)?;
        let name = path.file_name().map_or_else(|| "file".into(), |name| name.to_string_lossy().into_owned());
        let name = shortened(&name);
        let sha256 = hexadecimal(&digest);
        let number = Sha256::digest(format!("{name} {sha256} {to}"));
        let transfer = u32::from_le_bytes(*number.first_chunk().expect("SHA-256 has 32 bytes"));
        let offer = Word::Offer { transfer, name, length, sha256 };
        let outgoing = Outgoing { to, file, offer, pending: VecDeque::new(), offered: None, done: false };
        self.outgoing.insert(transfer, outgoing);
        Ok(())
    }

    /// Whether all files have been sent and found right.
    #[cfg(test)]
    fn all_sent(&self) -> bool {
        self.outgoing.values().all(|file| file.done)
    }

    /// When offers should be looked at again.
    pub(crate) fn next_timeout(&self) -> Option<Nanos> {
        self.outgoing.values().filter(|file| !file.done).map(|file| file.offered.map_or(0, |at| at + REPEAT)).min()
    }

    /// Puts what is due into slots. `room` says how many slots a node's queue still takes.
    pub(crate) fn fill(&mut self, now: Nanos, into: &mut Packer, room: impl Fn(u16) -> usize) {
        for (transfer, file) in self.outgoing.iter_mut().filter(|(_, file)| !file.done) {
            let mut chunks = room(file.to) * into.datagrams();
            while chunks > 0 && !file.pending.is_empty() {
                file.send_chunk(*transfer, into);
                chunks -= 1;
            }
            let waits = file.offered.is_some_and(|at| now < at + REPEAT);
            if file.pending.is_empty() && chunks > 0 && !waits {
                file.offered = Some(now);
                say(&file.offer, file.to, into);
            }
        }
    }

    /// A chunk has come.
    pub(crate) fn take_chunk(&mut self, from: u16, chunk: &FileChunk) {
        let Some(file) = self.incoming.get_mut(&(from, chunk.transfer)) else { return };
        let end = chunk.offset.saturating_add(chunk.bytes.len() as u64);
        let fits = chunk.length == file.length && end <= file.length && file.ranges.count() < PIECES;
        if !file.done && fits && file.file.write_all_at(&chunk.bytes, chunk.offset).is_ok() {
            file.ranges.insert(chunk.offset, end);
        }
    }

    /// An offer or an answer has come.
    pub(crate) fn take_word(&mut self, from: u16, bytes: &[u8], into: &mut Packer) {
        match serde_json::from_slice(bytes) {
            Ok(Word::Offer { transfer, name, length, sha256 }) => {
                if let Some(mut gaps) = self.lacks(from, transfer, &name, length, sha256) {
                    gaps.truncate((into.largest() - ANSWER) / GAP);
                    say(&Word::Lacks { transfer, gaps }, from, into);
                }
            }
            Ok(Word::Lacks { transfer, gaps }) => self.take_gaps(from, transfer, gaps),
            Err(_) => {}
        }
    }

    fn take_gaps(&mut self, from: u16, transfer: u32, gaps: Vec<(u64, u64)>) {
        let Some(file) = self.outgoing.get_mut(&transfer).filter(|file| file.to == from && !file.done) else { return };
        // An answer to an earlier offer, while chunks are still to be sent, says nothing new.
        if !file.pending.is_empty() || file.offered.take().is_none() {
            return;
        }
        file.done = gaps.is_empty();
        self.sent += u64::from(file.done);
        let Word::Offer { length, .. } = file.offer else { return };
        file.pending = gaps.into_iter().filter(|(start, end)| start < end && *end <= length).collect();
    }

    /// What is lacking of an offered file; nothing to say if it cannot be taken.
    fn lacks(&mut self, from: u16, transfer: u32, name: &str, length: u64, sha256: String) -> Option<Vec<(u64, u64)>> {
        let key = (from, transfer);
        if !self.incoming.contains_key(&key) {
            let fits = length <= LARGEST && self.incoming.len() < TRANSFERS && sha256.len() == 64;
            let incoming = Incoming::new(self.receive.as_ref().filter(|_| fits)?, from, transfer, name, length, sha256);
            self.incoming.insert(key, incoming.ok()?);
        }
        let file = self.incoming.get_mut(&key)?;
        let gaps = file.ranges.gaps(length, GAPS);
        if file.done || !gaps.is_empty() {
            return Some(gaps);
        }
        match file.finish() {
            Ok(true) => self.received += 1,
            // What has come is not the file: all of it again.
            _ => file.ranges = Ranges::default(),
        }
        Some(file.ranges.gaps(length, GAPS))
    }
}

impl Outgoing {
    fn send_chunk(&mut self, transfer: u32, into: &mut Packer) {
        let Word::Offer { length, .. } = self.offer else { return };
        let Some((start, end)) = self.pending.pop_front() else { return };
        // What is left of a slot takes a shorter chunk.
        let room = if into.left(self.to) < SHORTEST { into.largest() } else { into.left(self.to) };
        let size = (end - start).min((room - BLOCK - FIELDS) as u64);
        let mut bytes = vec![0; size as usize];
        if self.file.read_exact_at(&mut bytes, start).is_err() {
            return;
        }
        let block = FileChunk { transfer, offset: start, length, bytes };
        into.add(self.to, block.into(), BLOCK + FIELDS + size as usize);
        if start + size < end {
            self.pending.push_front((start + size, end));
        }
    }
}

impl Incoming {
    fn new(
        directory: &Path,
        from: u16,
        transfer: u32,
        name: &str,
        length: u64,
        sha256: String,
    ) -> io::Result<Incoming> {
        // A name is a name and no path.
        let name: String = name.chars().filter(|c| !c.is_control() && *c != '/').take(200).collect();
        let name = name.trim_start_matches('.');
        let whole = directory.join(if name.is_empty() { "file" } else { name });
        let part = directory.join(format!(".{from}-{transfer:08x}.part"));
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&part)?;
        file.set_len(length)?;
        Ok(Incoming { file, part, whole, length, sha256, ranges: Ranges::default(), done: false })
    }

    /// Everything has come: whether it is the file.
    fn finish(&mut self) -> io::Result<bool> {
        self.done = hexadecimal(&digest(&self.file, self.length)?) == self.sha256;
        if self.done {
            self.file.sync_all()?;
            fs::rename(&self.part, &self.whole)?;
        }
        Ok(self.done)
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        if !self.done {
            // Half a file is of no use to anybody.
            let _ = fs::remove_file(&self.part);
        }
    }
}

/// As much of a name as an offer has room for, in JSON.
fn shortened(name: &str) -> String {
    let mut left = NAME;
    let fits = |c: &char| {
        let long = if c.is_control() { 6 } else { c.len_utf8() + usize::from(matches!(c, '"' | '\\')) };
        left = left.saturating_sub(long);
        left > 0
    };
    name.chars().take_while(fits).collect()
}

fn say(word: &Word, to: u16, into: &mut Packer) {
    let bytes = serde_json::to_vec(word).unwrap_or_default();
    let size = BLOCK + 2 + bytes.len();
    if size <= into.largest() {
        into.add(to, Block::from(Management { topic: TOPIC, bytes }), size);
    }
}

fn digest(file: &File, length: u64) -> io::Result<[u8; 32]> {
    let (mut sum, mut at, mut buffer) = (Sha256::new(), 0, vec![0; 1 << 16]);
    while at < length {
        let size = buffer.len().min((length - at) as usize);
        file.read_exact_at(&mut buffer[..size], at)?;
        sum.update(&buffer[..size]);
        at += size as u64;
    }
    Ok(sum.finalize().into())
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::super::SlotRoom;
    use super::*;

    /// Every so many-th datagram is lost.
    fn exchange(sender: &mut Files, receiver: &mut Files, room: SlotRoom, drop_every: usize) -> u32 {
        let (mut out, mut back) = (Packer::new(room), Packer::new(room));
        let (mut now, mut count, mut rounds) = (0, 0, 0);
        while !sender.all_sent() && rounds < 500 {
            rounds += 1;
            now += REPEAT;
            sender.fill(now, &mut out, |_| 20);
            out.close_all();
            for blocks in out.take().into_iter().flat_map(|(_, slot)| slot) {
                count += 1;
                if count % drop_every == 0 {
                    continue;
                }
                for block in blocks {
                    match block {
                        Block::FileChunk(chunk) => receiver.take_chunk(3, &chunk),
                        Block::Management(word) => receiver.take_word(3, &word.bytes, &mut back),
                        _ => unreachable!(),
                    }
                }
            }
            back.close_all();
            for (to, slot) in back.take() {
                assert_eq!(to, 3);
                for block in slot.into_iter().flatten() {
                    let Block::Management(word) = block else { unreachable!() };
                    sender.take_word(5, &word.bytes, &mut out);
                }
            }
        }
        rounds
    }

    #[test]
    fn a_file_arrives_whole_though_every_third_datagram_is_lost() {
        arrives_whole("one", SlotRoom { slot: 1000, datagram: 1000 });
        arrives_whole("several", SlotRoom { slot: 5000, datagram: 700 });
    }

    fn arrives_whole(name: &str, room: SlotRoom) {
        let directory = std::env::temp_dir().join(format!("photocol-files-{name}-{}", std::process::id()));
        fs::create_dir_all(directory.join("in")).unwrap();
        let content: Vec<u8> = (0..100_000u32).map(|n| ((n * 7919) >> 3) as u8).collect();
        fs::write(directory.join("thing.bin"), &content).unwrap();
        fs::write(directory.join("empty"), []).unwrap();
        let (mut sender, mut receiver) = (Files::new(None), Files::new(Some(directory.join("in"))));
        sender.send(&directory.join("thing.bin"), 5).unwrap();
        sender.send(&directory.join("empty"), 5).unwrap();
        let rounds = exchange(&mut sender, &mut receiver, room, 3);
        assert!(sender.all_sent(), "{rounds} rounds");
        assert_eq!(fs::read(directory.join("in/thing.bin")).unwrap(), content);
        assert_eq!(fs::read(directory.join("in/empty")).unwrap(), b"");
        assert_eq!((sender.sent, receiver.received), (2, 2));
        fs::remove_dir_all(directory).unwrap();
    }
}
