//! The bytes of a packet of a host outside of the simulator. They travel with it and go when it is lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The bytes, and the count of those of all packets that are inside.
#[derive(Debug)]
pub struct RealBytes {
    bytes: Box<[u8]>,
    inside: Arc<AtomicU64>,
}

impl RealBytes {
    /// Of a packet that enters.
    pub fn new(bytes: Box<[u8]>, inside: &Arc<AtomicU64>) -> RealBytes {
        inside.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        RealBytes { bytes, inside: Arc::clone(inside) }
    }

    /// They, while they are inside.
    pub fn seen(&self) -> &[u8] {
        &self.bytes
    }

    /// They leave.
    pub fn taken(mut self) -> Box<[u8]> {
        self.inside.fetch_sub(self.bytes.len() as u64, Ordering::Relaxed);
        std::mem::take(&mut self.bytes)
    }
}

/// A packet that is in the network twice has its bytes twice.
impl Clone for RealBytes {
    fn clone(&self) -> RealBytes {
        RealBytes::new(self.bytes.clone(), &self.inside)
    }
}

impl Drop for RealBytes {
    fn drop(&mut self) {
        self.inside.fetch_sub(self.bytes.len() as u64, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_inside_until_they_leave_or_are_lost() {
        let inside = Arc::default();
        let first = RealBytes::new(Box::new([1, 2, 3]), &inside);
        let second = first.clone();
        let count = || inside.load(Ordering::Relaxed);
        assert_eq!(count(), 6);
        assert_eq!((first.taken().to_vec(), count()), (vec![1, 2, 3], 3));
        drop(second);
        assert_eq!(count(), 0);
    }
}
