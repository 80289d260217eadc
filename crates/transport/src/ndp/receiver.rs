//! What has arrived of a flow.

use std::collections::BTreeMap;

/// The receiving end of a flow.
#[derive(Clone, Debug, Default)]
pub struct Receiver {
    /// All before has arrived.
    next: u64,
    /// What has arrived behind it: first bytes and lengths.
    behind: BTreeMap<u64, u32>,
    /// The end of what its sender has, once a packet has come that says so; what comes behind it says that there is
    /// more.
    end: Option<u64>,
    /// The greatest number behind a packet or at a header that has come.
    highest: u64,
    arrived: u64,
    headers: u64,
    pulls: u64,
}

impl Receiver {
    /// A whole packet has come; `is_last` if nothing waited behind it when it left. It is to be acknowledged.
    pub fn handle_packet(&mut self, seq: u64, len: u32, is_last: bool) {
        let end = seq.saturating_add(len.into());
        self.note_highest(end);
        if is_last && end >= self.highest {
            self.end = Some(end);
        }
        if seq < self.next || len == 0 || self.behind.contains_key(&seq) {
            return;
        }
        self.arrived += u64::from(len);
        if seq > self.next {
            self.behind.insert(seq, len);
            return;
        }
        self.next = end;
        while let Some(first) = self.behind.first_entry().filter(|first| *first.key() <= self.next) {
            let (seq, len) = first.remove_entry();
            self.next = self.next.max(seq.saturating_add(len.into()));
        }
    }

    /// The header of a packet has come, whose payload a switch has cut off. It is to be answered with a NACK.
    pub fn handle_header(&mut self, seq: u64) {
        self.note_highest(seq.saturating_add(1));
        self.headers += 1;
    }

    fn note_highest(&mut self, end: u64) {
        self.highest = self.highest.max(end);
        self.end = self.end.filter(|known| *known >= self.highest);
    }

    /// Whether all that its sender had, when the newest packet left, has arrived.
    pub fn is_complete(&self) -> bool {
        self.end.is_some_and(|end| self.next >= end)
    }

    /// The number of the PULL that leaves now, from 1.
    pub fn pull(&mut self) -> u64 {
        self.pulls += 1;
        self.pulls
    }

    /// Bytes of payload that have arrived, each once.
    pub fn bytes_arrived(&self) -> u64 {
        self.arrived
    }

    /// Those of them that are all from the first on.
    pub fn bytes_in_order(&self) -> u64 {
        self.next
    }

    /// Headers that have come.
    pub fn headers(&self) -> u64 {
        self.headers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_is_complete_when_all_before_the_end_of_its_last_packet_has_come() {
        let mut receiver = Receiver::default();
        receiver.handle_packet(200, 50, true);
        receiver.handle_packet(0, 100, false);
        receiver.handle_header(100);
        receiver.handle_packet(0, 100, false);
        assert_eq!((receiver.is_complete(), receiver.bytes_arrived(), receiver.headers()), (false, 150, 1));
        receiver.handle_packet(100, 100, false);
        assert_eq!((receiver.is_complete(), receiver.bytes_arrived()), (true, 250));
        assert_eq!([receiver.pull(), receiver.pull()], [1, 2]);
    }

    #[test]
    fn a_packet_that_comes_twice_behind_a_hole_counts_once_and_headers_each_time() {
        let mut receiver = Receiver::default();
        [100, 100].into_iter().for_each(|seq| receiver.handle_packet(seq, 50, false));
        receiver.handle_packet(300, 0, false);
        [(), ()].into_iter().for_each(|()| receiver.handle_header(100));
        assert_eq!((receiver.bytes_arrived(), receiver.headers()), (50, 2));
    }

    #[test]
    fn what_comes_behind_the_end_says_that_there_is_more() {
        let mut receiver = Receiver::default();
        receiver.handle_packet(0, 100, true);
        assert!(receiver.is_complete());
        receiver.handle_header(100);
        assert!(!receiver.is_complete(), "a header of what was written later");
        receiver.handle_packet(100, 50, true);
        assert!(receiver.is_complete());
        receiver.handle_packet(200, 50, false);
        receiver.handle_packet(150, 50, true);
        assert!(!receiver.is_complete(), "an old end that was overtaken");
        receiver.handle_packet(250, 50, true);
        assert_eq!((receiver.is_complete(), receiver.bytes_arrived()), (true, 300));
    }
}
