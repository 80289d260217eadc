//! Files between edge nodes. The sender offers a file; the receiver answers with what it lacks; that is sent, and the
//! file offered again, until nothing is lacking and the SHA-256 is right. Slots of two nodes come in order, so an offer
//! that follows its chunks finds every one there or lost.
//!
//! Offers and answers are blocks of management with topic 2: JSON, and the tag of the network's key behind it, since
//! slots of data have none. Each names the sessions of both ends, so none of an earlier session is believed: light
//! without the key makes no file, and recorded light makes none either. A receiver that has started again lacks
//! everything. What it cannot take it refuses, and the sender gives up.
//!
//! `incoming` is a file on its way in, `outgoing` one on its way out, `word` an offer or an answer.

use super::incoming::{Incoming, Refused};
use super::outgoing::Outgoing;
use super::word::{Offer, Says, Word, digest, hexadecimal};
use super::{BLOCK, Packer};
use crate::sys::file;
use crate::sys::time::Nanos;
use control::wire::{Block, FileChunk, Key, Management, TAG_LENGTH};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::Path;

/// The topic of offers and answers.
pub(crate) const TOPIC: u16 = 2;
/// An offer without an answer is repeated after this.
const REPEAT: Nanos = 500_000_000;
/// Gaps that an answer names at most, and the bytes that one takes in it, and all but the gaps.
const GAPS: usize = 64;
const GAP: usize = 30;
const ANSWER: usize = 150;
/// Bytes of a file's name, and of a reason: an offer fits the smallest datagram.
const NAME: usize = 200;
/// Files that may be on their way in.
const TRANSFERS: usize = 64;
/// Files of which is remembered how they ended.
const ENDED: usize = 1024;
/// A file of which nothing has come for so long makes room for another.
const IDLE: Nanos = 30_000_000_000;
const LARGEST: u64 = 1 << 40;
/// The words of files begin so under the tag; slots begin otherwise.
const DOMAIN: &[u8] = b"photocol file word";

/// A file that comes, or has come, and when it was last heard of.
struct Entry {
    sha256: String,
    heard: Nanos,
    state: State,
}

enum State {
    Arriving(Incoming),
    Whole,
    Refused(String),
}

/// How many files came to what end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcomes {
    pub(crate) sent: u64,
    pub(crate) received: u64,
    /// Given up by the sender.
    pub(crate) unsent: u64,
    /// Refused by the receiver.
    pub(crate) refused: u64,
}

/// The files of a node.
pub(crate) struct Files {
    node: u16,
    key: Key,
    session: u64,
    receive: Option<super::incoming::Folder>,
    outgoing: BTreeMap<u32, Outgoing>,
    incoming: BTreeMap<(u16, u32), Entry>,
    pub(crate) outcomes: Outcomes,
    /// Words without a right tag.
    pub(crate) forged: u64,
    /// What there is to say to whoever runs this node.
    said: Vec<String>,
    /// Files that are there: from whom, and their names.
    arrived: Vec<(u16, String)>,
}

impl Files {
    /// The files of a node; what comes goes into a directory, which must be there.
    pub(crate) fn new(receive: Option<&Path>, node: u16, key: Key) -> io::Result<Files> {
        Ok(Files {
            node,
            key,
            session: u64::from_le_bytes(file::random()?).max(1),
            receive: receive.map(|path| super::incoming::Folder::open(path, node)).transpose()?,
            outgoing: BTreeMap::new(),
            incoming: BTreeMap::new(),
            outcomes: Outcomes::default(),
            forged: 0,
            said: Vec::new(),
            arrived: Vec::new(),
        })
    }

    /// A file for another node.
    pub(crate) fn send(&mut self, path: &Path, to: u16) -> io::Result<()> {
        let (file, length) = file::open_ordinary(path, true)?;
        let sha256 = hexadecimal(&digest(&file, length)?);
        let name = path.file_name().map_or_else(|| "file".into(), |name| name.to_string_lossy().into_owned());
        let name = shortened(&name);
        let number = Sha256::digest(format!("{name} {sha256} {to}"));
        let transfer = u32::from_le_bytes(*number.first_chunk().expect("SHA-256 has 32 bytes"));
        let (pending, offered, failed) = (VecDeque::new(), None, None);
        let offer = Offer { name, length, sha256 };
        let outgoing = Outgoing { to, file, offer, receiver: 0, pending, offered, failed };
        self.outgoing.insert(transfer, outgoing);
        Ok(())
    }

    /// What there is to say since somebody asked last.
    pub(crate) fn said(&mut self) -> Vec<String> {
        std::mem::take(&mut self.said)
    }

    /// The files that have arrived since somebody asked last.
    pub(crate) fn arrived(&mut self) -> Vec<(u16, String)> {
        std::mem::take(&mut self.arrived)
    }

    /// To whom files go, and their names.
    pub(crate) fn offers(&self) -> impl Iterator<Item = (u16, &str)> {
        self.outgoing.values().map(|file| (file.to, file.offer.name.as_str()))
    }

    /// When offers should be looked at again.
    pub(crate) fn next_timeout(&self) -> Option<Nanos> {
        self.outgoing.values().map(|file| file.offered.map_or(0, |at| at + REPEAT)).min()
    }

    /// Puts what is due into slots. `room` says how many slots a node's queue still takes.
    pub(crate) fn fill(&mut self, now: Nanos, into: &mut Packer, room: impl Fn(u16) -> usize) {
        let mut offers = Vec::new();
        for (transfer, file) in &mut self.outgoing {
            let mut chunks = room(file.to) * into.datagrams();
            while chunks > 0 && !file.pending.is_empty() && file.failed.is_none() {
                file.send_chunk(*transfer, into);
                chunks -= 1;
            }
            let waits = file.offered.is_some_and(|at| now < at + REPEAT);
            if file.pending.is_empty() && chunks > 0 && !waits {
                file.offered = Some(now);
                offers.push((file.to, file.offer(*transfer, self.session)));
            }
        }
        offers.into_iter().for_each(|(to, word)| self.say(&word, to, into));
        let failed: Vec<(u32, String)> =
            self.outgoing.iter().filter_map(|(transfer, file)| Some((*transfer, file.failed.clone()?))).collect();
        failed.into_iter().for_each(|(transfer, why)| self.give_up(transfer, &why));
    }

    /// A file will not be sent.
    fn give_up(&mut self, transfer: u32, why: &str) {
        if let Some(Outgoing { offer: Offer { name, .. }, to, .. }) = self.outgoing.remove(&transfer) {
            self.outcomes.unsent += 1;
            self.said.push(format!("the file '{name}' for node {to} is given up: {why}"));
        }
    }

    /// A chunk has come.
    pub(crate) fn take_chunk(&mut self, now: Nanos, from: u16, chunk: &FileChunk) {
        let Some(entry) = self.incoming.get_mut(&(from, chunk.transfer)) else { return };
        let State::Arriving(file) = &mut entry.state else { return };
        entry.heard = now;
        if let Err(why) = file.take(chunk) {
            self.refuse((from, chunk.transfer), why);
        }
    }

    /// An offer or an answer has come.
    pub(crate) fn take_word(&mut self, now: Nanos, from: u16, bytes: &[u8], into: &mut Packer) {
        let (json, tag) = bytes.split_at(bytes.len().saturating_sub(TAG_LENGTH));
        if !self.key.made(tag, &tagged(from, self.node, json)) {
            self.forged += 1;
            return;
        }
        let Ok(Word { transfer, sender, receiver, says }) = serde_json::from_slice(json) else { return };
        match says {
            Says::Offer(offer) => {
                let most = GAPS.min((into.largest() - ANSWER) / GAP);
                let says = match receiver == self.session {
                    true => self.answer(now, (from, transfer), &offer, most),
                    false => Some(Says::Again),
                };
                if let Some(says) = says {
                    self.say(&Word { transfer, sender, receiver: self.session, says }, from, into);
                }
            }
            answer if sender == self.session => self.take_answer(from, transfer, receiver, answer),
            _ => {}
        }
    }

    fn take_answer(&mut self, from: u16, transfer: u32, receiver: u64, answer: Says) {
        let Some(file) = self.outgoing.get_mut(&transfer).filter(|file| file.to == from) else { return };
        // An answer to an earlier offer, while chunks are still to be sent, says nothing new.
        if !file.pending.is_empty() || file.offered.take().is_none() {
            return;
        }
        match answer {
            Says::Again => file.receiver = receiver,
            Says::Refused { why } => self.give_up(transfer, &shortened(&why)),
            Says::Lacks { gaps } if gaps.is_empty() => {
                self.outgoing.remove(&transfer);
                self.outcomes.sent += 1;
            }
            Says::Lacks { gaps } => {
                let length = file.offer.length;
                file.pending = gaps.into_iter().filter(|(start, end)| start < end && *end <= length).collect();
            }
            Says::Offer(_) => {}
        }
    }

    /// What is to be said of an offered file, with so many gaps at most; nothing while there is no room for it.
    fn answer(&mut self, now: Nanos, key: (u16, u32), offer: &Offer, most: usize) -> Option<Says> {
        // Two files may have one number: the later one is meant.
        self.incoming.retain(|known, entry| *known != key || entry.sha256 == offer.sha256);
        if !self.incoming.contains_key(&key) {
            self.make_room(now)?;
            let state = match self.begin(key.0, offer) {
                Ok(state) => state,
                Err(why) => self.refused(key.0, &offer.name, why),
            };
            self.incoming.insert(key, Entry { sha256: offer.sha256.clone(), heard: now, state });
        }
        let entry = self.incoming.get_mut(&key)?;
        entry.heard = now;
        if let State::Arriving(file) = &mut entry.state {
            match file.gaps_or_finish(most, self.receive.as_ref()?) {
                Ok(None) => {
                    entry.state = State::Whole;
                    self.outcomes.received += 1;
                    self.arrived.push((key.0, shortened(&offer.name)));
                }
                Ok(Some(gaps)) => return Some(Says::Lacks { gaps }),
                Err(why) => self.refuse(key, why),
            }
        }
        match &self.incoming.get(&key)?.state {
            State::Refused(why) => Some(Says::Refused { why: why.clone() }),
            _ => Some(Says::Lacks { gaps: Vec::new() }),
        }
    }

    fn begin(&mut self, from: u16, offer: &Offer) -> Result<State, Refused> {
        let folder = self.receive.as_ref().ok_or_else(|| Refused::new("node has no directory 'receive'"))?;
        if offer.length > LARGEST || offer.sha256.len() != 64 {
            return Err(Refused::new("the offer makes no sense"));
        }
        if folder.has(offer) {
            self.said.push(format!("the file '{}' from node {from} is there already", shortened(&offer.name)));
            self.outcomes.received += 1;
            self.arrived.push((from, shortened(&offer.name)));
            return Ok(State::Whole);
        }
        Ok(State::Arriving(folder.begin(offer)?))
    }

    fn refuse(&mut self, key: (u16, u32), why: Refused) {
        let Some(Entry { state: State::Arriving(file), .. }) = self.incoming.get(&key) else { return };
        let name = file.name.clone();
        let state = self.refused(key.0, &name, why);
        if let Some(entry) = self.incoming.get_mut(&key) {
            entry.state = state;
        }
    }

    fn refused(&mut self, from: u16, name: &str, why: Refused) -> State {
        self.outcomes.refused += 1;
        self.said.push(format!("the file '{}' from node {from} is refused: {why}", shortened(name)));
        State::Refused(shortened(&why.to_string()))
    }

    /// Forgets what ended longest ago, or what has been idle for long. Nothing if all are busy.
    fn make_room(&mut self, now: Nanos) -> Option<()> {
        let is_arriving = |entry: &Entry| matches!(entry.state, State::Arriving(_));
        for (arriving, most) in [(true, TRANSFERS), (false, ENDED)] {
            let of_kind = || self.incoming.iter().filter(move |(_, entry)| is_arriving(entry) == arriving);
            if of_kind().count() < most {
                continue;
            }
            let (key, heard) = of_kind().map(|(key, entry)| (*key, entry.heard)).min_by_key(|(_, heard)| *heard)?;
            if arriving && now - heard < IDLE {
                return None;
            }
            self.incoming.remove(&key);
        }
        Some(())
    }

    fn say(&self, word: &Word, to: u16, into: &mut Packer) {
        let mut bytes = serde_json::to_vec(word).unwrap_or_default();
        let tag = self.key.tag(&tagged(self.node, to, &bytes));
        bytes.extend_from_slice(&tag);
        let size = BLOCK + 2 + bytes.len();
        if size <= into.largest() {
            into.add(to, Block::from(Management { topic: TOPIC, bytes }), size);
        }
    }
}

/// What the tag of a word is made of.
fn tagged(from: u16, to: u16, json: &[u8]) -> Vec<u8> {
    [DOMAIN, &from.to_le_bytes(), &to.to_le_bytes(), json].concat()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SlotRoom;
    use crate::sys::file::tests::Scratch;
    use std::fs;

    /// Every so many-th datagram is lost.
    fn exchange(sender: &mut Files, receiver: &mut Files, room: SlotRoom, drop_every: usize) -> u32 {
        let (mut out, mut back) = (Packer::new(room), Packer::new(room));
        let (mut now, mut count, mut rounds) = (0, 0, 0);
        while !sender.outgoing.is_empty() && rounds < 500 {
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
                        Block::FileChunk(chunk) => receiver.take_chunk(now, 3, &chunk),
                        Block::Management(word) => receiver.take_word(now, 3, &word.bytes, &mut back),
                        _ => unreachable!(),
                    }
                }
            }
            back.close_all();
            for (to, slot) in back.take() {
                assert_eq!(to, 3);
                for block in slot.into_iter().flatten() {
                    let Block::Management(word) = block else { unreachable!() };
                    sender.take_word(now, 5, &word.bytes, &mut out);
                }
            }
        }
        rounds
    }

    #[test]
    fn a_file_arrives_whole_though_every_third_datagram_is_lost() {
        arrives_whole(SlotRoom { slot: 1000, datagram: 1000 });
        arrives_whole(ROOM);
    }

    const ROOM: SlotRoom = SlotRoom { slot: 5000, datagram: 700 };

    fn key() -> Key {
        Key::new(b"0123456789abcdef").unwrap()
    }

    /// Node 3 sends, node 5 receives, in a folder `in`; a file `thing.bin` beside it.
    fn pair(folder: &Path) -> (Files, Files) {
        fs::create_dir_all(folder.join("in")).unwrap();
        let content: Vec<u8> = (0..100_000u32).map(|n| ((n * 7919) >> 3) as u8).collect();
        fs::write(folder.join("thing.bin"), &content).unwrap();
        let receiver = Files::new(Some(&folder.join("in")), 5, key()).unwrap();
        (Files::new(None, 3, key()).unwrap(), receiver)
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().flatten();
        let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn arrives_whole(room: SlotRoom) {
        let Scratch(folder) = &Scratch::new();
        let (mut sender, mut receiver) = pair(folder);
        fs::write(folder.join("empty"), []).unwrap();
        sender.send(&folder.join("thing.bin"), 5).unwrap();
        sender.send(&folder.join("empty"), 5).unwrap();
        let rounds = exchange(&mut sender, &mut receiver, room, 3);
        assert!(sender.outgoing.is_empty(), "{rounds} rounds");
        assert_eq!(fs::read(folder.join("in/thing.bin")).unwrap(), fs::read(folder.join("thing.bin")).unwrap());
        assert_eq!(fs::read(folder.join("in/empty")).unwrap(), b"");
        assert_eq!((sender.outcomes.sent, receiver.outcomes.received), (2, 2));
        assert_eq!(names(&folder.join("in")), ["empty", "thing.bin"]);
    }

    #[test]
    fn what_is_there_is_never_replaced_and_the_same_file_is_not_written_twice() {
        let Scratch(folder) = &Scratch::new();
        let (mut sender, mut receiver) = pair(folder);
        fs::create_dir(folder.join("in/thing.bin")).unwrap();
        fs::write(folder.join("in/thing-2.bin"), "precious").unwrap();
        sender.send(&folder.join("thing.bin"), 5).unwrap();
        exchange(&mut sender, &mut receiver, ROOM, 1000);
        assert_eq!((sender.outcomes.sent, receiver.outcomes.received), (1, 1));
        assert_eq!(fs::read(folder.join("in/thing-2.bin")).unwrap(), b"precious");
        assert_eq!(fs::read(folder.join("in/thing-3.bin")).unwrap(), fs::read(folder.join("thing.bin")).unwrap());
        let Scratch(folder) = &Scratch::new();
        for _ in 0..2 {
            let (mut sender, mut receiver) = pair(folder);
            sender.send(&folder.join("thing.bin"), 5).unwrap();
            exchange(&mut sender, &mut receiver, ROOM, 1000);
            assert_eq!((sender.outcomes.sent, receiver.outcomes.received), (1, 1));
        }
        assert_eq!(names(&folder.join("in")), ["thing.bin"]);
    }

    #[test]
    fn a_file_that_cannot_be_finished_is_said_and_counted_and_its_sender_gives_up() {
        let Scratch(folder) = &Scratch::new();
        let (mut sender, mut receiver) = pair(folder);
        sender.send(&folder.join("thing.bin"), 5).unwrap();
        fs::remove_dir(folder.join("in")).unwrap();
        assert!(exchange(&mut sender, &mut receiver, ROOM, 1000) < 10);
        let refused = Outcomes { refused: 1, ..Outcomes::default() };
        assert_eq!((sender.outcomes, receiver.outcomes), (Outcomes { unsent: 1, ..Outcomes::default() }, refused));
        assert!(receiver.said()[0].contains("'thing.bin' from node 3 is refused: No such file"));
        assert!(sender.said()[0].contains("'thing.bin' for node 5 is given up: No such file"));
    }

    #[test]
    fn a_file_that_changes_while_it_is_sent_is_given_up_after_five_times() {
        let Scratch(folder) = &Scratch::new();
        let (mut sender, mut receiver) = pair(folder);
        sender.send(&folder.join("thing.bin"), 5).unwrap();
        fs::write(folder.join("thing.bin"), [1; 100_000]).unwrap();
        assert!(exchange(&mut sender, &mut receiver, ROOM, 1000) < 100);
        assert_eq!((sender.outcomes.unsent, receiver.outcomes.refused), (1, 1));
        assert_eq!(names(&folder.join("in")), [""; 0], "nothing is left");
    }

    #[test]
    fn a_node_without_a_directory_refuses() {
        let Scratch(folder) = &Scratch::new();
        let (mut sender, _) = pair(folder);
        sender.send(&folder.join("thing.bin"), 5).unwrap();
        assert!(exchange(&mut sender, &mut Files::new(None, 5, key()).unwrap(), ROOM, 1000) < 10);
        assert_eq!(sender.outcomes.unsent, 1);
        assert!(Files::new(Some(&folder.join("nowhere")), 5, key()).is_err(), "said at the start");
        assert!(sender.send(Path::new("/dev/zero"), 5).is_err() && sender.send(folder, 5).is_err());
    }

    /// More than the 64 that may come at a time, and the 200 offers are made at once.
    #[test]
    fn two_hundred_files_arrive_one_after_the_other_and_at_once() {
        let Scratch(folder) = &Scratch::new();
        let (mut sender, mut receiver) = pair(folder);
        for number in 0..200 {
            fs::write(folder.join(format!("file-{number}.txt")), number.to_string()).unwrap();
            sender.send(&folder.join(format!("file-{number}.txt")), 5).unwrap();
        }
        let rounds = exchange(&mut sender, &mut receiver, ROOM, 1000);
        assert_eq!((sender.outcomes.sent, receiver.outcomes.received), (200, 200), "{rounds} rounds");
    }

    #[test]
    fn an_idle_transfer_makes_room_and_a_busy_one_does_not() {
        let Scratch(folder) = &Scratch::new();
        let (_, mut receiver) = pair(folder);
        let thing = Offer { name: "thing".into(), length: 9, sha256: "0".repeat(64) };
        let mut offer = |now, number| receiver.answer(now, (3, number), &thing, 9).is_some();
        assert!((0..64).all(|number| offer(0, number)));
        assert!(!offer(IDLE - 1, 64) && offer(IDLE, 64));
        assert_eq!(names(&folder.join("in")).len(), 64);
    }

    #[test]
    fn light_without_the_key_and_recorded_light_make_no_file() {
        let Scratch(folder) = &Scratch::new();
        let (mut sender, mut receiver) = pair(folder);
        let (mut out, mut back) = (Packer::new(ROOM), Packer::new(ROOM));
        // An offer as it was said to an earlier session, and one with another network's key.
        let says = Says::Offer(Offer { name: "thing".into(), length: 9, sha256: "0".repeat(64) });
        let word = |receiver| Word { transfer: 1, sender: 2, receiver, says: says.clone() };
        sender.say(&word(receiver.session ^ 1), 5, &mut out);
        sender.key = Key::new(b"another key, as long").unwrap();
        sender.say(&word(receiver.session), 5, &mut out);
        out.close_all();
        let blocks: Vec<Block> = out.take().into_iter().flat_map(|(_, slot)| slot).flatten().collect();
        for block in blocks {
            let Block::Management(word) = block else { unreachable!() };
            receiver.take_word(0, 3, &word.bytes, &mut back);
            // The same from another node is another's word, and no word without its tag is one.
            receiver.take_word(0, 4, &word.bytes, &mut back);
            receiver.take_word(0, 3, &word.bytes[..word.bytes.len() - TAG_LENGTH], &mut back);
            receiver.take_word(0, 3, b"", &mut back);
        }
        assert_eq!((names(&folder.join("in")), receiver.forged), (Vec::new(), 7));
        // The true one does.
        sender.key = key();
        sender.say(&word(receiver.session), 5, &mut out);
        out.close_all();
        let Some(Block::Management(word)) = out.take().remove(0).1.remove(0).pop() else { unreachable!() };
        receiver.take_word(0, 3, &word.bytes, &mut back);
        let [part] = &names(&folder.join("in"))[..] else { panic!("one file") };
        assert!(part.starts_with(".photocol-5-") && part.len() == 12 + 32 + 5, "{part}");
    }
}
