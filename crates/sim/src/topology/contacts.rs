//! A network of contacts that are known beforehand: satellites and stations, when which two are in contact, and the
//! routes of pairs of stations from when on.
//!
//! `plan` reads the text; here it becomes nodes, links with laws of time, and routes.

mod plan;

use super::{Draft, Given, Property};
use crate::language::{At, Fault, Place, Speed, quote, quoted, read_text};
use crate::model::{
    DelayForm, DelayLaw, GONE, Knot, LawfulLink, LinkId, NodeId, Role, TimedRoute, TimedRoutes, UnderWay,
};
use options::{Words, words};
use plan::{Contact, NodeKind, Plan, PlanNode, PlanRoute, Wrong};
use std::collections::BTreeMap;
use std::path::Path;

/// The largest file.
const MAX_BYTES: u64 = 1 << 30;

words! {
    /// What becomes of a packet whose link has gone when its last bit leaves.
    pub enum Gone {
        /// It is lost, as one that had to wait for it too long (cause `out of sight`).
        Lost = "lost",
        /// It arrives, over the last delay of the link.
        Delivered = "delivered",
    }
}

/// Declares the keys of a network of contacts besides those that say what it is.
macro_rules! contact_keys {
    ($(#[doc = $about:literal])+ pub struct $name:ident { $($keys:tt)* }) => {
        crate::topology::network_keys! {
            $(#[doc = $about])+
            pub struct $name {
                $($keys)*
                /// Capacity of links between satellites. Default: that of `[link_defaults]`.
                pub laser_capacity: Option<crate::language::At<crate::language::Speed>>,
                    in crate::language::keys::a_rate();
                /// Capacity of links between a station and a satellite. Default: that of `[link_defaults]`.
                pub ground_capacity: Option<crate::language::At<crate::language::Speed>>,
                    in crate::language::keys::a_rate();
                /// How the delay of a link goes from one step to the next; a packet has that of the instant at which
                /// its last bit leaves.
                pub delay_law: crate::language::Key<crate::language::Word<crate::model::DelayForm>> =
                    crate::language::Word(crate::model::DelayForm::Linear);
                /// What packets do that are under way when the route of their pair changes.
                pub under_way: crate::language::Key<crate::language::Word<crate::model::UnderWay>> =
                    crate::language::Word(crate::model::UnderWay::New);
                /// What becomes of a packet whose link has gone when its last bit leaves.
                pub gone: crate::language::Key<crate::language::Word<crate::topology::contacts::Gone>> =
                    crate::language::Word(crate::topology::contacts::Gone::Lost);
            }
        }

        impl $name {
            fn rules(&self) -> crate::topology::contacts::ContactRules {
                crate::topology::contacts::ContactRules {
                    laser_capacity: self.laser_capacity,
                    ground_capacity: self.ground_capacity,
                    form: self.delay_law.0,
                    under_way: self.under_way.0,
                    gone: self.gone.0,
                    unwanted: self.reroute_after.map(|at| at.place()).or(self.routing.place()),
                }
            }
        }
    };
}
pub(super) use contact_keys;

contact_keys! {
    /// Satellites and ground stations as a file of contacts has them, which `photocol orbits --contacts` writes. Links
    /// and routes are in time: nothing of them is an event.
    pub struct Config {
        /// The file, relative to this scenario.
        pub path: At<String>;
    }
}

/// What the keys of a network of contacts say.
pub(super) struct ContactRules {
    pub laser_capacity: Option<At<Speed>>,
    pub ground_capacity: Option<At<Speed>>,
    pub form: DelayForm,
    pub under_way: UnderWay,
    pub gone: Gone,
    /// Where a key is given that looks for routes.
    pub unwanted: Option<Place>,
}

impl Config {
    pub(super) fn draw(&self, draft: &mut Draft) -> Result<(), Fault> {
        self.rules().draw(&self.path, draft)
    }
}

impl ContactRules {
    /// Draws the network of a file.
    pub fn draw(self, file: &At<String>, draft: &mut Draft) -> Result<(), Fault> {
        if let Some(place) = self.unwanted {
            return Err(Fault::new(place, "the routes are those of the contacts; allowed: no such key"));
        }
        let text = read_text(Path::new(file.as_str()), MAX_BYTES);
        let text = text.map_err(|why| file.fault(format!("found {}: {why}", quoted(file))))?;
        let wrong = |Wrong { line, column, message }: Wrong| {
            Fault::new(Place::Data { node: file.node(), file: file.to_string(), line, column }, message)
        };
        let plan = Plan::read(&text).map_err(wrong)?;
        if plan.routes.is_empty() {
            return Err(file.fault("the file has no routes; allowed: one or more"));
        }
        add_nodes(&plan.nodes, draft).map_err(wrong)?;
        for ((one, other), contacts) in &plan.contacts {
            self.add_link([*one, *other], contacts, &plan, draft);
        }
        let pairs = routes(&plan, draft).map_err(wrong)?;
        let keys = vec![
            ("path", quote(file)),
            ("delay_law", quote(self.form.word())),
            ("under_way", quote(self.under_way.word())),
            ("gone", quote(self.gone.word())),
        ];
        let nodes = plan.nodes.len() as u32;
        draft.timed = Some(TimedRoutes { pairs, under_way: self.under_way, nodes, keys });
        let back = |pair: &(u32, u32)| plan.pairs.iter().position(|other| *other == (pair.1, pair.0));
        let first = plan.pairs.iter().enumerate().filter(|(place, pair)| back(pair).is_none_or(|back| back > *place));
        draft.pairs = first.map(|(_, pair)| (NodeId(pair.0), NodeId(pair.1))).collect();
        Ok(())
    }

    /// A link in both directions, whose delay is a law.
    fn add_link(&self, ends: [u32; 2], contacts: &[Contact], plan: &Plan, draft: &mut Draft) {
        let knots = knots(contacts, plan, self.gone);
        let law = DelayLaw::new(&knots, self.form, None).expect("contacts have been checked");
        let is_ground = ends.iter().any(|end| plan.nodes[*end as usize].kind == NodeKind::Terminal);
        let capacity = if is_ground { self.ground_capacity } else { self.laser_capacity };
        let given = Given {
            capacity: capacity.map(|at| Property::given(at, |speed| speed.0)),
            delay: Property::built_in(law.least()),
            ..Given::default()
        };
        for [from, to] in [ends, [ends[1], ends[0]]] {
            let link = LinkId(draft.simplex(NodeId(from), NodeId(to), given.clone()) as u32);
            draft.laws.push(LawfulLink { link, law: law.clone() });
        }
    }
}

fn add_nodes(nodes: &[PlanNode], draft: &mut Draft) -> Result<(), Wrong> {
    for node in nodes {
        let role = if node.kind == NodeKind::Terminal { Role::Host } else { Role::Core };
        let taken =
            || Wrong { line: node.line, column: 6, message: format!("there is a node {} already", quoted(&node.name)) };
        let id = draft.node(node.name.as_str(), role).ok_or_else(taken)?;
        draft.nodes[id.index()].position = node.position;
    }
    Ok(())
}

/// The delays of contacts, and that there is no link between them if it is said then, else that its last delay stays.
/// What is there when the file ends stays.
fn knots(contacts: &[Contact], plan: &Plan, gone: Gone) -> Vec<Knot> {
    let mut knots: Vec<Knot> = Vec::new();
    let mut over = 0;
    for contact in contacts {
        if contact.start > over {
            knots.push(match (gone, knots.last()) {
                (Gone::Lost, _) => Knot { at: over, delay: GONE },
                (Gone::Delivered, Some(last)) => Knot { at: contact.start - 1, ..*last },
                (Gone::Delivered, None) => Knot { at: 0, delay: contact.delays[0] },
            });
        }
        let at = |step: u64| contact.start + step * contact.step;
        knots.extend((0..).zip(&contact.delays).map(|(step, delay)| Knot { at: at(step), delay: *delay }));
        over = contact.end();
    }
    if gone == Gone::Lost && over < plan.end {
        knots.push(Knot { at: over, delay: GONE });
    }
    knots
}

/// The routes of pairs, node by node and link by link.
fn routes(plan: &Plan, draft: &Draft) -> Result<BTreeMap<(NodeId, NodeId), Vec<TimedRoute>>, Wrong> {
    let way = |nodes: &[u32], route: &PlanRoute| -> Result<Vec<LinkId>, Wrong> {
        let link = |pair: &[u32]| {
            let found = draft.between(NodeId(pair[0]), NodeId(pair[1])).first();
            found.map(|link| LinkId(*link as u32)).ok_or_else(|| {
                let message =
                    format!("nodes {} and {} are never in contact; allowed: nodes that are", pair[0], pair[1]);
                Wrong { line: route.line, column: 1, message }
            })
        };
        nodes.windows(2).map(link).collect()
    };
    let timed = |route: &PlanRoute| {
        let others = route.others.iter().map(|other| way(other, route)).collect::<Result<_, Wrong>>()?;
        Ok(TimedRoute { from: route.from, way: way(&route.way, route)?, others })
    };
    let pair = |((from, to), routes): (&(u32, u32), &Vec<PlanRoute>)| {
        Ok(((NodeId(*from), NodeId(*to)), routes.iter().map(timed).collect::<Result<_, Wrong>>()?))
    };
    plan.routes.iter().map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In contact from 100 to 130 and from 200 on, a step is 10: the last delay stays until just before 200, and the
    /// first is that before 100; or there is no link then.
    #[test]
    fn between_contacts_the_last_delay_stays_or_there_is_no_link() {
        let contacts = [
            Contact { start: 100, step: 10, delays: vec![7, 8, 9] },
            Contact { start: 200, step: 10, delays: vec![5, 4] },
        ];
        let plan = Plan { end: 220, ..Plan::default() };
        let made = |gone| knots(&contacts, &plan, gone).iter().map(|knot| (knot.at, knot.delay)).collect::<Vec<_>>();
        let [first, second] = [[(100, 7), (110, 8), (120, 9)].as_slice(), &[(200, 5), (210, 4)]];
        assert_eq!(made(Gone::Delivered), [&[(0, 7)], first, &[(199, 9)], second].concat());
        assert_eq!(made(Gone::Lost), [&[(0, GONE)], first, &[(130, GONE)], second].concat());
    }
}
