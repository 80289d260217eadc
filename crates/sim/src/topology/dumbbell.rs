//! Hosts left and right of one bottleneck.

use super::{Draft, Entry, Given, MAX_ELEMENTS, Property, network_keys};
use crate::language::keys::whole;
use crate::language::{At, Fault, Key, Room, Speed, Time};
use crate::model::Role;
use units::{Duration, Rate};

pub(super) const ENTRY: Entry = Entry {
    name: "dumbbell",
    summary: "Hosts \"l0\", \"l1\", … and \"r0\", \"r1\", … on both sides of the bottleneck \"left\" – \"right\".",
    source: "the common single-bottleneck network of congestion control studies (RFC 5166 §3)",
};

network_keys! {
    /// Hosts l0, l1, … at the router "left", hosts r0, r1, … at the router "right", and the bottleneck between the routers.
    pub struct Config {
        /// Hosts on each side.
        pub pairs: Key<u32> = 1, in whole(1, (MAX_ELEMENTS / 4 - 1) as u32);
        /// Bit rate between the routers. Default: `link_defaults`.
        pub bottleneck_capacity: Option<At<Speed>>;
        /// Delay between the routers. Default: `link_defaults`.
        pub bottleneck_delay: Option<At<Time>>;
        /// Waiting room at both ends of the bottleneck. Default: `link_defaults`.
        pub bottleneck_buffer: Option<At<Room>>;
        /// Bit rate between hosts and routers. Default: ten times `bottleneck_capacity`.
        pub access_capacity: Option<At<Speed>>;
        /// Delay between hosts and routers.
        pub access_delay: Key<Time> = ACCESS_DELAY;
        /// Delay between hosts and router on the left. Default: `access_delay`.
        pub left_delay: Option<At<Time>>;
        /// Delay between hosts and router on the right. Default: `access_delay`.
        pub right_delay: Option<At<Time>>;
        /// Waiting room of the access links. Default: `link_defaults`.
        pub access_buffer: Option<At<Room>>;
    }
}

impl Config {
    pub(super) fn draw(&self, draft: &mut Draft) -> Result<(), Fault> {
        let pairs = *self.pairs;
        let left = draft.drawn("left", Role::Core);
        let right = draft.drawn("right", Role::Core);
        draft.duplex(left, right, bottleneck(self.bottleneck_capacity, self.bottleneck_delay, self.bottleneck_buffer));
        let access = |delay: Option<At<Time>>| {
            let delay = delay.map(|delay| Property::given(delay, |delay| delay.0));
            let delay = delay.unwrap_or_else(|| Property::of(&self.access_delay, |delay| delay.0));
            access(self.access_capacity, self.bottleneck_capacity, delay, self.access_buffer)
        };
        let left_hosts: Vec<_> = (0..pairs).map(|pair| draft.drawn(format!("l{pair}"), Role::Host)).collect();
        left_hosts.iter().for_each(|host| draft.duplex(*host, left, access(self.left_delay)));
        let right_hosts: Vec<_> = (0..pairs).map(|pair| draft.drawn(format!("r{pair}"), Role::Host)).collect();
        right_hosts.iter().for_each(|host| draft.duplex(right, *host, access(self.right_delay)));
        draft.pairs = left_hosts.into_iter().zip(right_hosts).collect();
        Ok(())
    }
}

/// The properties of a bottleneck.
pub(super) fn bottleneck(capacity: Option<At<Speed>>, delay: Option<At<Time>>, buffer: Option<At<Room>>) -> Given {
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
    buffer: Option<At<Room>>,
) -> Given {
    let given = bottleneck(capacity, None, buffer);
    let tenfold = |rate: Rate| Rate::from_bps(rate.bps().saturating_mul(10));
    Given {
        capacity: given.capacity.or_else(|| Property::built_in(tenfold(bottleneck_capacity?.0))),
        delay: Some(delay),
        ..given
    }
}
