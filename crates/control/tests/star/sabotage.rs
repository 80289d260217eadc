//! Mistakes, planted between the machines: what they do or say is changed as if they had made it.

use super::{figure_3_8, key};
use control::signalling::{Action, Actions, SlotPart};
use control::wire::{Block, Class, Management, NodeId, Slot};
use units::{Duration, Instant};

macro_rules! mistakes {
    ($($name:ident),+ $(,)?) => {
        /// A mistake. Those of a node are node 3's.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Mistake {
            $($name),+
        }

        impl Mistake {
            /// All that there are: a mistake that is declared is tried.
            pub const ALL: &[Mistake] = &[$(Mistake::$name),+];
        }
    };
}

mistakes! {
    GrantsAnothersOutput,
    GrantsOneSlotMore,
    AllocatesTheNextFrame,
    AllocatesForAnotherTerm,
    GrantsLaterSlots,
    PlansLaterSlots,
    PlansOtherOutputs,
    SwitchesAllToOneOutput,
    SwitchesToTheNextOutput,
    SwitchesNothingNowAndThen,
    SendsASlotLate,
    SendsTooEarly,
    SendsDatagramsAtOnce,
    NamesAnotherDestination,
    NumbersTwiceTheSame,
    DeliversTwice,
    DeliversNotAll,
    DeliversSomethingElse,
    ReportsNothing,
    ReportsTooLittle,
    ReportsAnotherNode,
    AnswersAtOnce,
    AsksInAnothersSlot,
}

use Mistake::*;

impl Mistake {
    /// What a node does instead.
    pub fn of_node(self, node: u16, now: Instant, actions: Actions) -> Actions {
        let changed = |action| match action {
            Action::Light { at, part, bytes } => vec![self.of_light(node, now, at, part, bytes)],
            Action::Beside { to, bytes } => {
                vec![Action::Beside { to, bytes: changed(&bytes, |slot| self.of_plan(slot)) }]
            }
            Action::Deliver { from, blocks } => self.of_delivery(from, blocks),
            Action::Missing(mut report) => match self {
                ReportsNothing => vec![],
                ReportsTooLittle => {
                    report.until.sequence = report.until.sequence.saturating_sub(1);
                    vec![Action::Missing(report)]
                }
                ReportsAnotherNode => {
                    report.from.0 ^= 1;
                    vec![Action::Missing(report)]
                }
                _ => vec![Action::Missing(report)],
            },
            other => vec![other],
        };
        actions.into_iter().flat_map(changed).collect()
    }

    fn of_light(self, node: u16, now: Instant, at: Instant, part: SlotPart, bytes: Vec<u8>) -> Action {
        let Ok(slot) = key().open(&bytes) else { return Action::Light { at, part, bytes } };
        let data = slot.header.class == Class::Data;
        let has = |wanted: fn(&Block) -> bool| slot.blocks.iter().any(wanted);
        let later = at + Duration::from_micros(250);
        let at = match self {
            SendsASlotLate if node == 3 && data => later,
            SendsTooEarly if node == 3 && data => Instant::from_ps(at.ps() - 20_000_000),
            SendsDatagramsAtOnce if node == 3 => Instant::from_ps(at.ps() - part.begins(figure_3_8().light()).ps()),
            AnswersAtOnce if has(|block| matches!(block, Block::Answer(_))) => now,
            AsksInAnothersSlot if node == 3 && has(|block| matches!(block, Block::Request(_))) => later,
            _ => at,
        };
        Action::Light { at, part, bytes: changed(&bytes, |slot| self.of_slot(node, slot)) }
    }

    fn of_slot(self, node: u16, slot: &mut Slot) {
        let to_3 = slot.header.destination == NodeId(3);
        for block in &mut slot.blocks {
            let Block::Allocation(allocation) = block else { continue };
            match self {
                GrantsAnothersOutput if to_3 => {
                    allocation.grants.iter_mut().for_each(|grant| grant.destination = NodeId(2))
                }
                GrantsOneSlotMore if to_3 => allocation.grants.iter_mut().for_each(|grant| grant.slots += 1),
                GrantsLaterSlots if to_3 => allocation.grants.iter_mut().for_each(|grant| grant.slot += 1),
                AllocatesTheNextFrame if to_3 => allocation.frame += 1,
                AllocatesForAnotherTerm if to_3 => allocation.term += 1,
                _ => {}
            }
        }
        if slot.header.class == Class::Data && node == 3 {
            match self {
                NamesAnotherDestination => slot.header.destination = NodeId(slot.header.destination.0 ^ 4),
                NumbersTwiceTheSame => slot.header.sequence /= 2,
                _ => {}
            }
        }
    }

    fn of_plan(self, slot: &mut Slot) {
        for block in &mut slot.blocks {
            let Block::Plan(plan) = block else { continue };
            match self {
                PlansLaterSlots if plan.connections.iter().all(|held| held.slot + held.slots < 18) => {
                    plan.connections.iter_mut().for_each(|held| held.slot += 1);
                }
                PlansOtherOutputs => plan.connections.iter_mut().for_each(|held| held.output = (held.output + 1) % 7),
                _ => {}
            }
        }
    }

    fn of_delivery(self, from: NodeId, mut blocks: Vec<Block>) -> Actions {
        let Some(Block::Management(Management { bytes, .. })) = blocks.first_mut() else { return vec![] };
        let third = bytes[0].is_multiple_of(3);
        if self == DeliversSomethingElse && third {
            bytes[7] = 1;
        }
        let deliver = Action::Deliver { from, blocks };
        match self {
            DeliversTwice if third => vec![deliver.clone(), deliver],
            DeliversNotAll if third => vec![],
            _ => vec![deliver],
        }
    }

    /// Where light leaves instead.
    pub fn of_switch(self, bytes: &[u8], output: Option<u16>) -> Option<u16> {
        let data = bytes[3] == Class::Data as u8;
        match self {
            SwitchesAllToOneOutput if data => output.map(|_| 0),
            SwitchesToTheNextOutput if data => output.map(|output| (output + 1) % 7),
            SwitchesNothingNowAndThen if data && bytes[40].is_multiple_of(5) => None,
            _ => output,
        }
    }
}

/// The bytes of a slot after a change, with a tag that is right.
fn changed(bytes: &[u8], change: impl Fn(&mut Slot)) -> Vec<u8> {
    let Ok(mut slot) = key().open(bytes) else { return bytes.to_vec() };
    change(&mut slot);
    slot.encode(&key()).unwrap()
}
