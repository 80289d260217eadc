//! The same way on each wavelength: the array of paths has the ways of a trip one after the other, in the order of
//! their wavelengths, so that a node can put a packet on another one.

/// Routes on several wavelengths.
#[derive(Clone, Debug, Default)]
pub struct WavelengthRoutes {
    /// Where the ways of each trip begin, and how long one is with its end, in order.
    trips: Vec<(u32, u32)>,
}

impl WavelengthRoutes {
    /// The trips, of which each has its first way at the first number and is as long as the second says.
    pub fn new(mut trips: Vec<(u32, u32)>) -> WavelengthRoutes {
        trips.sort_unstable();
        WavelengthRoutes { trips }
    }

    /// The place at which a packet that is at `hop` goes on on a wavelength. A packet whose trip is not here stays
    /// where it is.
    pub fn on(&self, hop: u32, wavelength: u32) -> u32 {
        let Some((first, length)) = self.trip(hop) else { return hop };
        first + wavelength * length + (hop - first) % length
    }

    /// The wavelength of a packet that is at `hop`.
    pub fn wavelength(&self, hop: u32) -> u32 {
        self.trip(hop).map_or(0, |(first, length)| (hop - first) / length)
    }

    fn trip(&self, hop: u32) -> Option<(u32, u32)> {
        let after = self.trips.partition_point(|(first, _)| *first <= hop);
        after.checked_sub(1).map(|place| self.trips[place])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Demands of 3 and of 2 links on 2 wavelengths: 10 … 13 and 14 … 17, 18 … 20 and 21 … 23.
    #[test]
    fn a_packet_goes_on_where_it_is_on_another_wavelength() {
        let ways = WavelengthRoutes::new(vec![(18, 3), (10, 4)]);
        assert_eq!([ways.on(11, 0), ways.on(11, 1), ways.on(15, 0), ways.on(15, 1)], [11, 15, 11, 15]);
        assert_eq!([ways.on(19, 1), ways.on(22, 0)], [22, 19]);
        assert_eq!([11, 15, 19, 22, 3].map(|hop| ways.wavelength(hop)), [0, 1, 0, 1, 0]);
        assert_eq!(ways.on(3, 1), 3);
    }
}
