//! A fixed plan: `allocation`, a list of times, queues and numbers of slots.

use super::{Nodes, Star};
use crate::language::{At, Fault, Time, quoted};
use crate::model::{LinkId, SimTime};
use crate::switching::aapn::keys;
use crate::switching::aapn::plan::{Allocation, SlotFrame, Uplink};

impl Star<'_> {
    /// The allocations in the order of time, each with its queue.
    pub(super) fn allocations(
        &self,
        list: &At<Vec<At<keys::Allocation>>>,
        frame: SlotFrame,
        known: Nodes,
        uplinks: &[Uplink],
    ) -> Result<Vec<Allocation>, Fault> {
        let mut allocations: Vec<Allocation> = Vec::with_capacity(list.len());
        let mut slots = vec![0; uplinks.len() * known.edges.len()];
        for (number, entry) in list.iter().enumerate() {
            let at = SimTime::ZERO + entry.at.0;
            if let Some(before) = allocations.last().filter(|before| before.at > at) {
                let before = before.at.saturating_since(SimTime::ZERO);
                return Err(match entry.at.place() {
                    Some(_) => {
                        let found = entry.at.0;
                        entry.at.fault(format!("found \"{found}\" after \"{before}\"; allowed: the order of time"))
                    }
                    None => {
                        entry.fault("it has no time, \"0 s\", and stands after later ones; allowed: the order of time")
                    }
                });
            }
            let (place, link) = self.queue(entry, known, uplinks)?;
            let twice = allocations.iter().rev().take_while(|before| before.at == at).any(|before| before.link == link);
            if twice {
                let time = Time(at.saturating_since(SimTime::ZERO)).0;
                return Err(entry.fault(format!("there is an allocation of this queue at \"{time}\" already")));
            }
            slots[place] = *entry.slots;
            allocations.push(Allocation { at, link, slots: *entry.slots });
            let next = list.get(number + 1).map(|next| SimTime::ZERO + next.at.0);
            if next != Some(at) {
                self.check_sums(&slots, entry, frame, known)?;
            }
        }
        Ok(allocations)
    }

    /// Where a table of all pairs through all core nodes has the queue of an allocation, and the queue.
    fn queue(&self, entry: &At<keys::Allocation>, known: Nodes, uplinks: &[Uplink]) -> Result<(usize, LinkId), Fault> {
        let Nodes { edges: nodes, cores } = known;
        let edge = |name: &At<String>| {
            let node = self.draft.require(name, name.place())?;
            let not_one = || name.fault(format!("{} is not an edge node of the slotted network", quoted(name)));
            nodes.binary_search(&node).map_err(|_| not_one())
        };
        let (from, to) = (edge(&entry.from)?, edge(&entry.to)?);
        let core = match &entry.via {
            None if cores.len() == 1 => 0,
            None => return Err(entry.fault("the key \"via\" is missing: there is more than one core node")),
            Some(name) => {
                let node = self.draft.require(name, name.place())?;
                let not_one = || name.fault(format!("{} is not a core node of the slotted network", quoted(name)));
                cores.binary_search(&node).map_err(|_| not_one())?
            }
        };
        let queues = &uplinks[from * cores.len() + core].queues;
        let queue = queues.iter().find(|(place, _)| *place as usize == to);
        let (_, link) = queue.ok_or_else(|| entry.to.fault("there is no queue between these edge nodes"))?;
        Ok(((from * nodes.len() + to) * cores.len() + core, *link))
    }

    /// No edge node sends, or receives, through a core node in more slots than a frame has.
    fn check_sums(
        &self,
        slots: &[u32],
        entry: &At<keys::Allocation>,
        frame: SlotFrame,
        known: Nodes,
    ) -> Result<(), Fault> {
        let Nodes { edges: nodes, cores } = known;
        let at = |from: usize, to: usize, core: usize| u64::from(slots[(from * nodes.len() + to) * cores.len() + core]);
        let most = u64::from(frame.data_slots());
        for core in 0..cores.len() {
            for node in 0..nodes.len() {
                let sends: u64 = (0..nodes.len()).map(|to| at(node, to, core)).sum();
                let receives: u64 = (0..nodes.len()).map(|from| at(from, node, core)).sum();
                let (does, sum) = if sends >= receives { ("sends", sends) } else { ("receives", receives) };
                if sum > most {
                    let name = self.name(nodes[node]);
                    let message =
                        format!("with this {name} {does} in {sum} slots of a frame; allowed: {most}, those for data");
                    return Err(entry.slots.fault(message));
                }
            }
        }
        Ok(())
    }
}
