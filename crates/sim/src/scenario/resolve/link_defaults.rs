//! What links have that do not say otherwise.

use crate::language::{At, Fault, Place};
use crate::model::Role;
use crate::queue;
use crate::scenario::spec::{self, LinkKeys, Spec};
use crate::topology::{Draft, Given, NSFNET_CAPACITY, Property, Topology};
use units::{BufferSize, PortBuffer};

/// Where nobody says anything: 100 packets, as in ns-3.
const DEFAULT_BUFFER: PortBuffer = PortBuffer::Size(BufferSize::Packets(100));
const UNLIMITED: PortBuffer = PortBuffer::Size(BufferSize::Unlimited);

/// What links have that do not say otherwise, by the role of the node they leave.
pub(super) struct Defaults {
    core: Given,
    edge: Given,
    host: Given,
    /// The place to name when something is missing.
    pub place: Place,
}

impl Defaults {
    pub fn new(spec: &Spec, draft: &Draft) -> Result<Defaults, Fault> {
        let table = &spec.link_defaults;
        let built_in = Given {
            capacity: match spec.topology.as_deref() {
                Some(Topology::Nsfnet(_) | Topology::NsfnetEdge(_)) => Property::built_in(NSFNET_CAPACITY),
                _ => None,
            },
            buffer: match spec.topology.as_deref() {
                Some(Topology::Racks(_) | Topology::Rotor(_)) => Property::built_in(UNLIMITED),
                _ => Property::built_in(DEFAULT_BUFFER),
            },
            ..Given::default()
        };
        let general = table.shared().given(draft)?.or(&built_in);
        let class = |class: &Option<At<spec::ClassDefaults>>| match class {
            Some(class) => Ok(class.shared().given(draft)?.or(&general)),
            None => Ok(general.clone()),
        };
        let by_flow = Given { queue: own_queue_of_hosts(spec), ..Given::default() };
        Ok(Defaults {
            core: class(&table.core)?,
            edge: class(&table.edge)?,
            host: class(&table.host)?.or(&by_flow),
            place: spec.topology.as_ref().map_or(Place::Unknown, At::place),
        })
    }

    pub fn of(&self, role: Role) -> &Given {
        match role {
            Role::Core => &self.core,
            Role::Edge => &self.edge,
            Role::Host => &self.host,
        }
    }
}

/// The queue of a host's own links in a data centre, where nobody names one: flows take turns.
fn own_queue_of_hosts(spec: &Spec) -> Option<Property<queue::Config>> {
    use Topology::{FatTree, LeafSpine, Racks, Rotor};
    let is_data_centre = matches!(spec.topology.as_deref(), Some(LeafSpine(_) | FatTree(_) | Racks(_) | Rotor(_)));
    is_data_centre.then(|| Property::built_in(queue::Config::Drr(queue::drr::Config::default()))).flatten()
}
