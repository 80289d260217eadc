//! Slots sealed and opened: key, sessions, replays, and counts of what was refused.

use super::SlotPart;
use crate::wire::{Block, Class, Header, Key, Malformed, NodeId, ReplayWindow, Slot, Stamp};
use std::collections::BTreeMap;
use units::Instant;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Count {
    /// Bytes that are no slot.
    Malformed,
    /// A tag that the network's key did not make.
    Forged,
    /// A slot heard before, or of a session that is over.
    Replayed,
    /// A slot made for an earlier session of this node.
    Outdated,
    /// An invitation was answered.
    InvitationAnswered,
    /// An answer came and its node is being configured.
    Joined,
    /// An invitation had no answer in time.
    InvitationExpired,
    /// A slave was not heard for too long.
    SlaveSilent,
    /// A node claimed to be master.
    Claimed,
    /// A node became master of a term.
    Elected,
    /// A master learnt that it is so no more.
    Deposed,
    /// The core ended a term whose master was silent, or heard nothing.
    TermEnded,
    /// A plan was accepted by the core.
    PlanAccepted,
    /// A plan was refused by the core.
    PlanRefused,
    /// A claim was refused: somebody is master.
    ClaimRefused,
    /// An allocation came for a frame that has begun or has one.
    StaleAllocation,
    /// A grant was not used: nothing waited.
    GrantUnused,
    /// Light would have left too late and was not sent.
    TooLate,
    /// Nothing was heard from the core for too long.
    NoSignal,
    /// T_d is too old to send.
    HoldoverEnded,
    /// A configuration that cannot work.
    BadConfiguration,
    /// Data that came twice, or after it was reported missing.
    DataRefused,
}

/// How often things happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally(BTreeMap<Count, u64>);

impl Tally {
    /// It happened.
    pub(super) fn add(&mut self, what: Count) {
        *self.0.entry(what).or_insert(0) += 1;
    }

    /// How often it happened.
    pub fn of(&self, what: Count) -> u64 {
        self.0.get(&what).copied().unwrap_or(0)
    }

    /// All that happened.
    pub fn iter(&self) -> impl Iterator<Item = (Count, u64)> {
        self.0.iter().map(|(what, times)| (*what, *times))
    }
}

/// Where a slot goes, and when it passes the core.
#[derive(Clone, Copy, Debug)]
pub(super) struct Address {
    pub(super) class: Class,
    pub(super) to: NodeId,
    pub(super) frame: u64,
    pub(super) slot: u32,
}

/// The numbers of a slot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers {
    pub(super) peer_session: u64,
    pub(super) sequence: u64,
    pub(super) part: SlotPart,
}

/// What a node has of others.
#[derive(Clone, Debug)]
pub(super) struct Post {
    pub(super) me: NodeId,
    pub(super) session: u64,
    pub(super) stamp: Stamp,
    pub(super) tally: Tally,
    key: Key,
    sequence: u64,
    heard: BTreeMap<NodeId, ReplayWindow>,
}

impl Post {
    pub(super) fn new(me: NodeId, key: Key, session: u64) -> Post {
        let (tally, heard) = (Tally::default(), BTreeMap::new());
        Post { me, session, stamp: Stamp::Exact, tally, key, sequence: 0, heard }
    }

    /// The session of another node, 0 if it was not heard.
    pub(super) fn session_of(&self, node: NodeId) -> u64 {
        self.heard.get(&node).map_or(0, ReplayWindow::session)
    }

    /// A slot for `address`, and its own number within this session.
    pub(super) fn seal(&mut self, address: Address, sent_at: Instant, blocks: Vec<Block>) -> Vec<u8> {
        let peer_session = self.session_of(address.to);
        let sequence = self.sequence;
        self.sequence += 1;
        self.seal_as(address, sent_at, Numbers { peer_session, sequence, part: SlotPart::WHOLE }, blocks)
    }

    /// A slot with a number that the caller keeps.
    pub(super) fn seal_as(&self, address: Address, sent_at: Instant, numbers: Numbers, blocks: Vec<Block>) -> Vec<u8> {
        let header = Header {
            class: address.class,
            source: self.me,
            destination: address.to,
            frame: address.frame,
            slot: address.slot,
            piece: numbers.part.number(),
            stamp: self.stamp,
            reserved: 0,
            session: self.session,
            peer_session: numbers.peer_session,
            sequence: numbers.sequence,
            sent_at,
        };
        // Lists have at most as many entries as there are members or slots, and payloads were checked when they were
        // queued.
        Slot { header, blocks }.encode(&self.key).unwrap_or_default()
    }

    /// The slot in `bytes`, if it is for this node and may be believed. Data may be anybody's: it has no tag.
    pub(super) fn open(&mut self, bytes: &[u8]) -> Option<Slot> {
        let slot = match self.key.open(bytes) {
            Ok(slot) => slot,
            Err(malformed) => {
                self.tally.add(if malformed == Malformed::Tag { Count::Forged } else { Count::Malformed });
                return None;
            }
        };
        let Header { class, source, destination, session, peer_session, sequence, .. } = slot.header;
        if destination != self.me && destination != NodeId::ALL || source == self.me {
            return None;
        }
        if class == Class::Data {
            return Some(slot);
        }
        let first_contact = |block: &Block| matches!(block, Block::Invitation(_) | Block::Beacon(_));
        // Who invites may know an earlier session of this node, or none.
        let fresh = peer_session == self.session || slot.blocks.iter().all(first_contact);
        if !fresh {
            self.tally.add(Count::Outdated);
            return None;
        }
        if !self.heard.entry(source).or_default().accept(session, sequence) {
            self.tally.add(Count::Replayed);
            return None;
        }
        Some(slot)
    }

    /// A node that others vouch for has this session now, unless a later one was heard.
    pub(super) fn vouched(&mut self, node: NodeId, session: u64) {
        self.heard.entry(node).or_default().advance(session);
    }
}
