//! What a kind of host answers, and what it is asked with.

use super::keys::Keys;
use crate::engine::node::machine::HostMaker;
use crate::language::{Fault, quoted};
use crate::model::{HostKind, Link, LinkId, Network};
use options::Options;
use std::any::Any;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::Arc;

/// Links that a warning names.
const MOST_NAMES: usize = 3;

/// What is known of a kind of host without a scenario.
#[derive(Debug)]
pub struct Kind {
    /// Its own parameters with their defaults, if it has any.
    pub(crate) options: fn() -> Option<Box<dyn Options>>,
    /// Reads `[transport.NAME]`.
    pub(crate) check: fn(&Keys) -> Result<Arc<dyn HostKind>, Fault>,
    /// Makes the hosts of what [`check`](Kind::check) has read; `None` for another kind's.
    pub(crate) maker: fn(&dyn Any) -> Option<Arc<dyn HostMaker>>,
    /// What to tell a user of such traffic in this network, a sentence each; `None` if there is never anything.
    pub(crate) warnings: Option<Warnings>,
}

/// Says what a user of such traffic should know.
pub(crate) type Warnings = fn(&dyn HostKind, &Ways) -> Vec<String>;

impl Kind {
    /// One without parameters of its own, with nothing to tell users.
    pub(crate) const fn new(
        check: fn(&Keys) -> Result<Arc<dyn HostKind>, Fault>,
        maker: fn(&dyn Any) -> Option<Arc<dyn HostMaker>>,
    ) -> Kind {
        Kind { options: || None, check, maker, warnings: None }
    }
}

/// Ways of flows through a network.
pub(crate) struct Ways<'a> {
    /// Resolved.
    pub network: &'a Network,
    /// The links of each, in their order.
    pub paths: Vec<Vec<LinkId>>,
    /// Whether packets are sure to take a link that is one of a way.
    pub is_sure: &'a dyn Fn(LinkId) -> bool,
}

impl Ways<'_> {
    /// Those of the first links of each way of which `which` is true, by their names.
    pub fn first_links(&self, which: impl Fn(&Link) -> bool) -> Option<String> {
        some_names(self.paths.iter().filter_map(|path| path.first()).map(|link| self.link(*link)), which)
    }

    /// The same of those links behind the first that packets are sure to take.
    pub fn later_links(&self, which: impl Fn(&Link) -> bool) -> Option<String> {
        let later = self.paths.iter().flat_map(|path| path.iter().skip(1)).filter(|link| (self.is_sure)(**link));
        some_names(later.map(|link| self.link(*link)), which)
    }

    /// A link.
    pub fn link(&self, id: LinkId) -> &Link {
        &self.network.links[id.index()]
    }
}

fn some_names<'l>(links: impl Iterator<Item = &'l Link>, which: impl Fn(&Link) -> bool) -> Option<String> {
    let names: BTreeSet<&str> = links.filter(|link| which(link)).map(|link| link.name.as_str()).collect();
    let some: Vec<String> = names.iter().take(MOST_NAMES).map(|name| quoted(name)).collect();
    (!some.is_empty()).then(|| some.join(", ") + if names.len() > MOST_NAMES { ", …" } else { "" })
}
