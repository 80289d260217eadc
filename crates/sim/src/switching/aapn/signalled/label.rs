//! What an agent reads of a slot without its key.

/// Fields of a slot's header: `docs/protocol.md`.
pub(super) struct Label {
    pub(super) class: u8,
    pub(super) to: u16,
    pub(super) frame: u64,
    pub(super) slot: u32,
    pub(super) sequence: u64,
}

impl Label {
    pub(super) fn of(bytes: &[u8]) -> Option<Label> {
        let header: &[u8; 64] = bytes.first_chunk()?;
        let number = |at: usize, long: usize| {
            header[at..at + long].iter().rev().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte))
        };
        let (to, slot) = (number(6, 2) as u16, number(16, 4) as u32);
        Some(Label { class: header[3], to, frame: number(8, 8), slot, sequence: number(40, 8) })
    }
}
