//! Bytes of streams at the sending end: which were written, sent, lost and acknowledged.

use super::chunk::Chunk;
use super::config::{Config, Frames, StreamOrder};
use super::datagrams::Datagrams;
use super::ranges::Ranges;

/// A stream at its sending end.
#[derive(Clone, Debug, Default)]
struct Stream {
    written: u64,
    /// The first byte that was never sent.
    next: u64,
    /// Bytes to be sent again.
    lost: Ranges,
    acked: Ranges,
    acked_bytes: u64,
    /// Where the peer's permission ends.
    limit: u64,
}

/// The streams of a connection, or its datagrams.
#[derive(Clone, Debug)]
pub(super) struct Streams {
    datagrams: Option<Datagrams>,
    list: Vec<Stream>,
    order: StreamOrder,
    /// Whose turn it is.
    turn: usize,
    /// Bytes sent on all streams, each once, and how many the peer permits.
    sent: u64,
    limit: u64,
}

impl Streams {
    pub fn new(config: &Config) -> Streams {
        let stream = Stream { limit: config.peer_max_stream_data, ..Stream::default() };
        let datagrams = (config.frames == Frames::Datagram).then(|| Datagrams::new(config));
        Streams {
            list: vec![stream; if datagrams.is_none() { config.streams as usize } else { 0 }],
            datagrams,
            order: config.stream_order,
            turn: 0,
            sent: 0,
            limit: config.peer_max_data,
        }
    }

    /// More bytes of one stream.
    pub fn write(&mut self, stream: usize, bytes: u64) {
        if let Some(datagrams) = &mut self.datagrams {
            return datagrams.write(bytes);
        }
        let stream = &mut self.list[stream];
        stream.written = stream.written.saturating_add(bytes);
    }

    /// More bytes, spread over all; `u64::MAX` is without end.
    pub fn spread(&mut self, bytes: u64) {
        if let Some(datagrams) = &mut self.datagrams {
            return datagrams.write(bytes);
        }
        let count = self.list.len() as u64;
        for (number, stream) in (0..).zip(&mut self.list) {
            let share = if bytes == u64::MAX { bytes } else { bytes / count + u64::from(number < bytes % count) };
            stream.written = stream.written.saturating_add(share);
        }
    }

    /// What was written and never sent is forgotten.
    pub fn stop(&mut self) {
        self.datagrams.iter_mut().for_each(Datagrams::stop);
        self.list.iter_mut().for_each(|stream| stream.written = stream.next);
    }

    /// Of datagrams the oldest are dropped if too many wait.
    pub fn shorten(&mut self) {
        self.datagrams.iter_mut().for_each(Datagrams::shorten);
    }

    /// Bytes of datagrams that were dropped so.
    pub fn dropped(&self) -> u64 {
        self.datagrams.map_or(0, |datagrams| datagrams.dropped())
    }

    /// Bytes of datagrams that are taken for lost.
    pub fn lost(&self) -> u64 {
        self.datagrams.map_or(0, |datagrams| datagrams.lost())
    }

    /// Whether all that was written has been acknowledged; of datagrams, is known to be lost or to have arrived.
    pub fn is_complete(&self) -> bool {
        self.datagrams.is_none_or(|datagrams| datagrams.is_complete())
            && self.list.iter().all(|stream| stream.acked_bytes == stream.written)
    }

    /// Bytes that have been acknowledged, each once.
    pub fn acked(&self) -> u64 {
        self.datagrams.map_or(0, |datagrams| datagrams.acked())
            + self.list.iter().map(|stream| stream.acked_bytes).sum::<u64>()
    }

    /// Whether something may be sent.
    pub fn has_more(&self) -> bool {
        let room = self.limit.saturating_sub(self.sent);
        self.datagrams.is_some_and(|datagrams| datagrams.waiting() > 0)
            || self.list.iter().any(|stream| !stream.lost.is_empty() || room > 0 && stream.unsent() > 0)
    }

    /// The next bytes: what was lost first.
    #[inline]
    pub fn take(&mut self, most: u32) -> Option<(Chunk, bool)> {
        if let Some(datagrams) = &mut self.datagrams {
            return Some((datagrams.take(most)?, false));
        }
        self.take_lost(most).map(|chunk| (chunk, true)).or_else(|| Some((self.take_new(most)?, false)))
    }

    fn take_lost(&mut self, most: u32) -> Option<Chunk> {
        let (number, stream) = (0..).zip(&mut self.list).find(|(_, stream)| !stream.lost.is_empty())?;
        let (start, end) = stream.lost.take_first(most.into())?;
        Some(Chunk { stream: number, start, length: (end - start) as u32 })
    }

    fn take_new(&mut self, most: u32) -> Option<Chunk> {
        let room = self.limit.saturating_sub(self.sent).min(most.into());
        if room == 0 {
            return None;
        }
        if let [only] = &mut self.list[..] {
            let (start, length) = (only.next, only.unsent().min(room));
            only.next += length;
            self.sent += length;
            return (length > 0).then_some(Chunk { stream: 0, start, length: length as u32 });
        }
        let count = self.list.len();
        let from = if self.order == StreamOrder::RoundRobin { self.turn } else { 0 };
        let place = (from..from + count).map(|place| place % count).find(|place| self.list[*place].unsent() > 0)?;
        self.turn = (place + 1) % count;
        let stream = &mut self.list[place];
        let length = stream.unsent().min(room);
        let chunk = Chunk { stream: place as u32, start: stream.next, length: length as u32 };
        stream.next += length;
        self.sent += length;
        Some(chunk)
    }

    /// Bytes for a probe where nothing new may be sent: the oldest that are not acknowledged, from `from` on as stream
    /// and place.
    pub fn oldest(&self, from: (u32, u64), most: u32) -> Option<Chunk> {
        let streams = (0u32..).zip(&self.list).skip(from.0 as usize);
        streams.into_iter().find_map(|(number, stream)| {
            let start = if number == from.0 { from.1 } else { 0 };
            let (start, end) = stream.acked.missing(start, stream.next.max(start)).next()?;
            Some(Chunk { stream: number, start, length: (end - start).min(most.into()) as u32 })
        })
    }

    /// Bytes have arrived, perhaps after they were taken for lost.
    pub fn acknowledge(&mut self, chunk: Chunk, was_lost: bool) {
        if let Some(datagrams) = &mut self.datagrams {
            return datagrams.acknowledge(chunk.length, was_lost);
        }
        let stream = &mut self.list[chunk.stream as usize];
        stream.acked_bytes += stream.acked.add(chunk.start, chunk.end());
        if !stream.lost.is_empty() {
            stream.lost.remove(chunk.start, chunk.end());
        }
    }

    /// Bytes are lost: those that were not acknowledged are sent again.
    pub fn lose(&mut self, chunk: Chunk) {
        if let Some(datagrams) = &mut self.datagrams {
            return datagrams.lose(chunk.length);
        }
        let stream = &mut self.list[chunk.stream as usize];
        for (start, end) in stream.acked.missing(chunk.start, chunk.end()) {
            stream.lost.insert(start, end);
        }
    }

    /// MAX_DATA and MAX_STREAM_DATA: permission for more. A smaller number changes nothing (RFC 9000 §4.1).
    pub fn permit(&mut self, all: u64, each: impl IntoIterator<Item = u64>) {
        self.limit = self.limit.max(all);
        for (stream, limit) in self.list.iter_mut().zip(each) {
            stream.limit = stream.limit.max(limit);
        }
    }
}

impl Stream {
    /// Bytes that may be sent for the first time.
    fn unsent(&self) -> u64 {
        self.written.min(self.limit).saturating_sub(self.next)
    }
}
