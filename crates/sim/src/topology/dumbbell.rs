//! Hosts left and right of one bottleneck.

use super::round_trips::{self, RoundTripLaw};
use super::{Draft, Given, MAX_ELEMENTS, Property, network_keys};
use crate::language::keys::whole;
use crate::language::{At, Fault, Key, PortRoom, Speed, Time};
use crate::model::{NodeId, Role};
use units::{Duration, Rate};

network_keys! {
    /// Hosts l0, l1, … at the router "left", hosts r0, r1, … at the router "right", and the bottleneck between the
    /// routers.
    pub struct Config {
        /// Hosts on each side.
        pub pairs: Key<u32> = 1, in whole(1, (MAX_ELEMENTS / 4 - 1) as u32);
        /// Bit rate between the routers. Default: `link_defaults`.
        pub bottleneck_capacity: Option<At<Speed>>;
        /// Delay between the routers. Default: `link_defaults`.
        pub bottleneck_delay: Option<At<Time>>;
        /// Waiting room at both ends of the bottleneck. Default: `link_defaults`.
        pub bottleneck_buffer: Option<At<PortRoom>>;
        /// Bit rate between hosts and routers. Default: ten times `bottleneck_capacity`.
        pub access_capacity: Option<At<Speed>>;
        /// Delay between hosts and routers.
        pub access_delay: Key<Time> = ACCESS_DELAY;
        /// Delay between hosts and router on the left. Default: `access_delay`.
        pub left_delay: Option<At<Time>>;
        /// Delay between hosts and router on the right. Default: `access_delay`.
        pub right_delay: Option<At<Time>>;
        /// Round-trip times of the pairs, which take turns if there are fewer; propagation only. The links of a pair's
        /// hosts get the delay that the bottleneck leaves, half each.
        pub round_trips: Option<At<Vec<At<Time>>>>;
        /// The law of the round-trip times, instead of a list: pair i of n has the quantile (i + 1/2)/n.
        pub round_trip_law: Option<At<RoundTripLaw>>;
        /// Waiting room of the access links. Default: `link_defaults`.
        pub access_buffer: Option<At<PortRoom>>;
    }
}

impl Config {
    pub(super) fn draw(&self, draft: &mut Draft) -> Result<(), Fault> {
        let pairs = *self.pairs;
        let left = draft.drawn("left", Role::Core);
        let right = draft.drawn("right", Role::Core);
        draft.duplex(left, right, bottleneck(self.bottleneck_capacity, self.bottleneck_delay, self.bottleneck_buffer));
        let own = self.own_delays()?;
        let access = |pair: usize, delay: Option<At<Time>>| {
            let delay = delay.map(|delay| Property::given(delay, |delay| delay.0));
            let delay = own.get(pair).cloned().or(delay);
            let delay = delay.unwrap_or_else(|| Property::of(&self.access_delay, |delay| delay.0));
            access(self.access_capacity, self.bottleneck_capacity, delay, self.access_buffer)
        };
        let left_hosts: Vec<_> = (0..pairs).map(|pair| draft.drawn(format!("l{pair}"), Role::Host)).collect();
        let number = |hosts: &[NodeId]| -> Vec<(usize, NodeId)> { hosts.iter().copied().enumerate().collect() };
        for (pair, host) in number(&left_hosts) {
            draft.duplex(host, left, access(pair, self.left_delay));
        }
        let right_hosts: Vec<_> = (0..pairs).map(|pair| draft.drawn(format!("r{pair}"), Role::Host)).collect();
        for (pair, host) in number(&right_hosts) {
            draft.duplex(right, host, access(pair, self.right_delay));
        }
        draft.pairs = left_hosts.into_iter().zip(right_hosts).collect();
        Ok(())
    }

    /// The delay of each link of each pair's hosts, if round-trip times are given.
    fn own_delays(&self) -> Result<Vec<Property<Duration>>, Fault> {
        let (trips, place) = match (&self.round_trips, &self.round_trip_law) {
            (None, None) => return Ok(Vec::new()),
            (Some(_), Some(law)) => {
                return Err(law.fault("there are round_trips already; allowed: round_trips or round_trip_law"));
            }
            (Some(list), None) => (round_trips::list(list, *self.pairs)?, list.place()),
            (None, Some(law)) => (round_trips::drawn(law, *self.pairs)?, law.place()),
        };
        let delays =
            [self.access_delay.place(), self.left_delay.map(|at| at.place()), self.right_delay.map(|at| at.place())];
        if let Some(delay) = delays.into_iter().flatten().next() {
            return Err(Fault::new(delay, "the delays follow from the round-trip times; allowed: these or delays"));
        }
        let Some(bottleneck) = self.bottleneck_delay else {
            return Err(Fault::new(place, "goes with the key \"bottleneck_delay\", which is missing"));
        };
        // A round trip passes four access links and twice the bottleneck.
        let own = |(pair, trip): (usize, &Duration)| {
            let rest = trip
                .ps()
                .checked_sub(bottleneck.0.ps().saturating_mul(2))
                .map(|rest| rest / 4)
                .filter(|rest| *rest > 0);
            let rest = rest.ok_or_else(|| {
                let least = bottleneck.0.saturating_mul(2);
                Fault::new(
                    place.clone(),
                    format!("pair {pair} has \"{trip}\"; allowed: more than \"{least}\", twice the bottleneck's delay"),
                )
            })?;
            Ok(Property { value: Duration::from_ps(rest), place: place.clone() })
        };
        trips.iter().enumerate().map(own).collect()
    }
}

/// The properties of a bottleneck.
pub(super) fn bottleneck(capacity: Option<At<Speed>>, delay: Option<At<Time>>, buffer: Option<At<PortRoom>>) -> Given {
    Given {
        capacity: capacity.map(|capacity| Property::given(capacity, |capacity| capacity.0)),
        delay: delay.map(|delay| Property::given(delay, |delay| delay.0)),
        buffer: buffer.map(|buffer| Property::given(buffer, |buffer| buffer.0)),
        ..Given::default()
    }
}

/// Between hosts and routers.
pub(super) const ACCESS_DELAY: Time = Time(Duration::from_millis(1));

/// The properties of an access link: ten times the bottleneck's rate, unless given.
pub(super) fn access(
    capacity: Option<At<Speed>>,
    bottleneck_capacity: Option<At<Speed>>,
    delay: Property<Duration>,
    buffer: Option<At<PortRoom>>,
) -> Given {
    let given = bottleneck(capacity, None, buffer);
    let tenfold = |rate: Rate| Rate::from_bps(rate.bps().saturating_mul(10));
    Given {
        capacity: given.capacity.or_else(|| Property::built_in(tenfold(bottleneck_capacity?.0))),
        delay: Some(delay),
        ..given
    }
}
