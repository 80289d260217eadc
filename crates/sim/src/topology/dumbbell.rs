//! Hosts left and right of one bottleneck.

use super::{Draft, Entry, Given, MAX_ELEMENTS, Property};
use crate::language::{At, Fault, Room, Speed, Time, bounded};
use crate::model::Role;
use schemars::JsonSchema;
use serde::Deserialize;
use units::{Duration, Rate};

pub(super) const ENTRY: Entry = Entry {
    name: "dumbbell",
    summary: "Hosts \"l0\", \"l1\", … and \"r0\", \"r1\", … on both sides of the bottleneck \"left\" – \"right\".",
    source: "the common single-bottleneck network of congestion control studies (RFC 5166 §3)",
};

/// Hosts l0, l1, … at the router "left", hosts r0, r1, … at the router "right", and the bottleneck between the routers.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Hosts on each side. Default 1.
    pub pairs: Option<At<u32>>,
    /// Bit rate between the routers. Default: `link_defaults`.
    pub bottleneck_capacity: Option<At<Speed>>,
    /// Delay between the routers. Default: `link_defaults`.
    pub bottleneck_delay: Option<At<Time>>,
    /// Waiting room at both ends of the bottleneck. Default: `link_defaults`.
    pub bottleneck_buffer: Option<At<Room>>,
    /// Bit rate between hosts and routers. Default: ten times `bottleneck_capacity`.
    pub access_capacity: Option<At<Speed>>,
    /// Delay between hosts and routers. Default "1 ms".
    pub access_delay: Option<At<Time>>,
    /// Delay between hosts and router on the left. Default: `access_delay`.
    pub left_delay: Option<At<Time>>,
    /// Delay between hosts and router on the right. Default: `access_delay`.
    pub right_delay: Option<At<Time>>,
    /// Waiting room of the access links. Default: `link_defaults`.
    pub access_buffer: Option<At<Room>>,
    /// After a link goes down or comes up, routes are computed anew this long later. Default: never.
    pub reroute_after: Option<At<Time>>,
}

impl Config {
    pub(super) fn draw(&self, draft: &mut Draft) -> Result<(), Fault> {
        let pairs = self.pairs.map_or(Ok(1), |pairs| bounded(pairs, MAX_ELEMENTS / 4 - 1))?;
        let left = draft.drawn("left", Role::Core);
        let right = draft.drawn("right", Role::Core);
        draft.duplex(left, right, bottleneck(self.bottleneck_capacity, self.bottleneck_delay, self.bottleneck_buffer));
        let access = |delay: Option<At<Time>>| {
            access(self.access_capacity, self.bottleneck_capacity, delay.or(self.access_delay), self.access_buffer)
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
        capacity: capacity.map(|capacity| Property { value: capacity.0, place: capacity.place() }),
        delay: delay.map(|delay| Property { value: delay.0, place: delay.place() }),
        buffer: buffer.map(|buffer| Property { value: buffer.0, place: buffer.place() }),
        ..Given::default()
    }
}

/// The properties of an access link: ten times the bottleneck's rate and 1 ms, unless given.
pub(super) fn access(
    capacity: Option<At<Speed>>,
    bottleneck_capacity: Option<At<Speed>>,
    delay: Option<At<Time>>,
    buffer: Option<At<Room>>,
) -> Given {
    let given = bottleneck(capacity, delay, buffer);
    let tenfold = |rate: Rate| Rate::from_bps(rate.bps().saturating_mul(10));
    Given {
        capacity: given.capacity.or_else(|| Property::built_in(tenfold(bottleneck_capacity?.0))),
        delay: given.delay.or_else(|| Property::built_in(Duration::from_millis(1))),
        ..given
    }
}
