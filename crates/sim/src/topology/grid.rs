//! A grid of routers with hosts around it: as large as wanted, with many paths of many hops.

use super::dumbbell::bottleneck;
use super::{Draft, MAX_ELEMENTS, network_keys};
use crate::language::{At, Fault, PortRoom, Speed, Time, bounded};
use crate::model::{NodeId, Role};

network_keys! {
    /// Routers "row,column", each with a link to its neighbours in the row and in the column. Hosts "h0", "h1", … are
    /// at the routers in turn, row by row. The routers have (rows − 1) · columns + rows · (columns − 1) links in both
    /// directions, the hosts one each.
    pub struct Config {
        /// Rows of routers.
        pub rows: At<u32>;
        /// Routers in a row. Default: as many as rows.
        pub columns: Option<At<u32>>;
        /// Hosts, all together. Default: one for each router.
        pub hosts: Option<At<u32>>;
        /// Bit rate between routers. Default: `link_defaults`.
        pub trunk_capacity: Option<At<Speed>>;
        /// Delay between routers. Default: `link_defaults`.
        pub trunk_delay: Option<At<Time>>;
        /// Waiting room between routers. Default: `link_defaults`.
        pub trunk_buffer: Option<At<PortRoom>>;
        /// Bit rate between hosts and routers. Default: `link_defaults`.
        pub access_capacity: Option<At<Speed>>;
        /// Delay between hosts and routers. Default: `link_defaults`.
        pub access_delay: Option<At<Time>>;
        /// Waiting room of the links of hosts. Default: `link_defaults`.
        pub access_buffer: Option<At<PortRoom>>;
    }
}

impl Config {
    pub(super) fn draw(&self, draft: &mut Draft) -> Result<(), Fault> {
        let (rows, columns) = self.shape()?;
        let routers = rows * columns;
        let hosts = self.hosts.map_or(Ok(routers), |hosts| bounded(hosts, MAX_ELEMENTS / 4))?;
        let places = (0..rows).flat_map(|row| (0..columns).map(move |column| format!("{row},{column}")));
        let nodes: Vec<NodeId> = places.map(|place| draft.drawn(place, Role::Core)).collect();
        for place in 0..routers {
            let beside = (place % columns + 1 < columns).then_some(place + 1);
            let below = (place + columns < routers).then_some(place + columns);
            for other in beside.into_iter().chain(below) {
                let given = bottleneck(self.trunk_capacity, self.trunk_delay, self.trunk_buffer);
                draft.duplex(nodes[place as usize], nodes[other as usize], given);
            }
        }
        for host in 0..hosts {
            let end = draft.drawn(format!("h{host}"), Role::Host);
            let given = bottleneck(self.access_capacity, self.access_delay, self.access_buffer);
            draft.duplex(end, nodes[(host % routers) as usize], given);
        }
        Ok(())
    }

    /// Rows and columns. A router has up to four directed links to others, a host has two: half of all that may be for
    /// either.
    fn shape(&self) -> Result<(u32, u32), Fault> {
        let most = MAX_ELEMENTS / 8;
        let Some(columns) = self.columns else {
            let rows = bounded(self.rows, most.isqrt())?;
            return Ok((rows, rows));
        };
        let rows = bounded(self.rows, most)?;
        Ok((rows, bounded(columns, most / u64::from(rows))?))
    }
}
