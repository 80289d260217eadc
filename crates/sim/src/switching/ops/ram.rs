//! Optical RAM that the wavelengths of an output share: several servers and one waiting room (paper 002, §3.1, with
//! more than one data wavelength).
//!
//! A packet goes at once to the wavelength that is free first among those it can be converted to (its own, then the
//! lowest, if several are), and its place in the room is free again when its transmission starts. That is first in,
//! first out over all wavelengths if each can be reached from each. Conventions as at any port: what is in transmission
//! takes no room, and a packet whose transmission starts exactly now does not wait any more.

use super::plan::Conversion;
use crate::model::Buffer;
use std::collections::VecDeque;
use units::ByteTime;

/// The RAM of one output.
#[derive(Clone, Debug)]
pub struct Ram {
    room: Buffer,
    conversion: Conversion,
    byte_time: ByteTime,
    wavelengths: Vec<Wavelength>,
    /// What may still wait, on all wavelengths.
    packets: u64,
    bytes: u64,
}

#[derive(Clone, Debug, Default)]
struct Wavelength {
    /// When it has sent all it has.
    free_at: u64,
    /// When the transmission of each packet starts that may still wait, and its size.
    waiting: VecDeque<(u64, u64)>,
}

impl Ram {
    /// Room for this much, at an output of `wavelengths` wavelengths of one rate.
    pub fn new(room: Buffer, conversion: Conversion, wavelengths: u32, byte_time: ByteTime) -> Ram {
        let wavelengths = vec![Wavelength::default(); wavelengths as usize];
        Ram { room, conversion, byte_time, wavelengths, packets: 0, bytes: 0 }
    }

    /// A packet on wavelength `own`: the one on which it leaves, and whether it is accepted.
    pub fn offer(&mut self, now: u64, own: u32, size: u16) -> (u32, bool) {
        let number = self.choose(now, own);
        let start = self.wavelengths[number as usize].free_at.max(now);
        if start > now && self.is_full(now, size) {
            return (number, false);
        }
        let wavelength = &mut self.wavelengths[number as usize];
        wavelength.free_at = start + self.byte_time.of(u32::from(size)).ps();
        if start > now {
            wavelength.waiting.push_back((start, u64::from(size)));
            self.packets += 1;
            self.bytes += u64::from(size);
        }
        (number, true)
    }

    fn choose(&self, now: u64, own: u32) -> u32 {
        let reach = match self.conversion {
            Conversion::None => return own,
            Conversion::Limited(range) => range,
            Conversion::Full => u32::MAX,
        };
        let last = self.wavelengths.len() as u32 - 1;
        let within = own.saturating_sub(reach)..=own.saturating_add(reach).min(last);
        let rank = |number: u32| (self.wavelengths[number as usize].free_at.max(now), number != own, number);
        within.min_by_key(|number| rank(*number)).unwrap_or(own)
    }

    /// Packets that wait, on all wavelengths.
    pub fn waiting(&mut self, now: u64) -> u64 {
        self.sweep(now);
        self.packets
    }

    /// Forgets packets whose transmission has started.
    fn sweep(&mut self, now: u64) {
        for wavelength in &mut self.wavelengths {
            while let Some((start, size)) = wavelength.waiting.front()
                && *start <= now
            {
                self.packets -= 1;
                self.bytes -= size;
                wavelength.waiting.pop_front();
            }
        }
    }

    fn is_full(&mut self, now: u64, size: u16) -> bool {
        self.sweep(now);
        match self.room {
            Buffer::Packets(places) => self.packets >= places,
            Buffer::Bytes(room) => self.bytes + u64::from(size) > room.count(),
            Buffer::Unlimited => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Seed, exponential};
    use analytic::mmck;
    use units::{Bytes, Rate};

    /// 1 Gb/s: 1000 B last 8 µs.
    fn ram(room: Buffer, conversion: Conversion, wavelengths: u32) -> Ram {
        Ram::new(room, conversion, wavelengths, ByteTime::at(Rate::from_gbps(1)).unwrap())
    }

    #[test]
    fn wavelengths_share_the_room_and_packets_in_transmission_take_none() {
        let mut ram = ram(Buffer::Bytes(Bytes(2000)), Conversion::None, 2);
        assert_eq!([ram.offer(0, 0, 1000), ram.offer(0, 1, 1000)], [(0, true), (1, true)]);
        assert_eq!([ram.offer(0, 0, 1000), ram.offer(0, 1, 1000)], [(0, true), (1, true)]);
        assert_eq!(ram.offer(7_999_999, 0, 40), (0, false));
        // At 8 µs both that waited start.
        assert_eq!(ram.offer(8_000_000, 0, 1000), (0, true));
    }

    #[test]
    fn conversion_goes_to_the_wavelength_that_is_free_first_within_reach() {
        let mut full = ram(Buffer::Packets(0), Conversion::Full, 3);
        let taken: Vec<_> = (0..4).map(|_| full.offer(0, 1, 1000)).collect();
        assert_eq!(taken, [(1, true), (0, true), (2, true), (1, false)]);
        let mut limited = ram(Buffer::Packets(0), Conversion::Limited(1), 4);
        let taken: Vec<_> = (0..3).map(|_| limited.offer(0, 0, 1000)).collect();
        assert_eq!(taken, [(0, true), (1, true), (0, false)]);
    }

    /// Four standard errors of 20 replications, as at any port.
    #[test]
    fn full_conversion_with_exponential_sizes_blocks_as_m_m_c_k() {
        for (load, servers, places) in [(1.5, 2, 3), (3.2, 4, 0), (7.0, 8, 6)] {
            let shares: Vec<f64> = (0..20).map(|run| blocked(run, load, servers, places)).collect();
            let expected = mmck::evaluate(&mmck::Inputs { load, servers, places }).unwrap().blocking;
            let mean = shares.iter().sum::<f64>() / 20.0;
            let error = (shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / 19.0 / 20.0).sqrt();
            assert!((mean - expected).abs() < 4.0 * error, "{mean} ± {error}, expected {expected}");
        }
    }

    fn blocked(run: u32, load: f64, servers: u32, places: u32) -> f64 {
        let mut stream = Seed { seed: 5, run }.stream("ram", "test");
        let mut ram = ram(Buffer::Packets(u64::from(places)), Conversion::Full, servers);
        let (mut now, mut refused, packets) = (0, 0, 50_000);
        for _ in 0..packets {
            now += exponential(&mut stream, 8e6 / load).round() as u64;
            let size = exponential(&mut stream, 1000.0).round().clamp(1.0, 65535.0) as u16;
            refused += u32::from(!ram.offer(now, 0, size).1);
        }
        f64::from(refused) / f64::from(packets)
    }
}
