//! How a core node that computes schedules shares a frame: what is asked for, and what nobody asked for.

use super::plan::Spare;
use control::allowance::{Allowance, Queues, Terms};
use control::scheduler::{Requests, share_all, share_weighted};

/// The rule, and what is known of the use of each queue's slots.
pub(super) struct Shares {
    rule: Spare,
    /// How what is too much is shared; None: evenly.
    weights: Option<Requests>,
    /// Of every pair of edge nodes, row after row; of none by rules that do not look at use.
    allowances: Vec<Allowance>,
}

impl Shares {
    pub(super) fn new(rule: Spare, weights: Option<Requests>, nodes: usize, terms: Terms) -> Shares {
        let pairs = if rule == Spare::Using { nodes * nodes } else { 0 };
        Shares { rule, weights, allowances: vec![Allowance::full(terms); pairs] }
    }

    /// An edge node says how many slots to each other one were empty.
    pub(super) fn hear(&mut self, edge: usize, unused: &[u32]) {
        let nodes = self.allowances.len().isqrt();
        let row = self.allowances.iter_mut().skip(edge * nodes).take(nodes);
        row.zip(unused).for_each(|(known, unused)| known.hear(*unused));
    }

    /// The slots of every pair in a frame in which an edge node can send in `frame` slots; `turn` counts frames.
    pub(super) fn share(&mut self, requests: Requests, frame: u32, turn: u64) -> Requests {
        let Shares { rule, weights, allowances } = self;
        let weights = weights.as_ref();
        let all = |requests: &Requests| share_all(requests, frame, turn, weights, |input, output| input != output);
        let asking = |requests: &Requests| {
            share_all(requests, frame, turn, weights, |input, output| requests.row(input)[output] > 0)
        };
        match (*rule, weights) {
            (Spare::All, _) => all(&requests),
            (Spare::Asking, _) => asking(&requests),
            (Spare::Idle, Some(weights)) => share_weighted(&requests, frame, turn, weights),
            (Spare::Idle, None) => requests,
            (Spare::Using, _) => {
                let wanted = wanted(&requests, allowances);
                // Who has not sent lately has what is left of lines in which nobody has.
                let shared = all(&asking(&wanted));
                plan(&wanted, &shared, allowances);
                shared
            }
        }
    }
}

/// What is asked for, and at least what a queue that sends uses or can pay for.
fn wanted(requests: &Requests, allowances: &mut [Allowance]) -> Requests {
    let one = |(slots, known): (&u32, &mut Allowance)| match *slots > 0 || known.is_in_use() {
        true => known.slots().max(*slots),
        false => 0,
    };
    let slots = requests.slots().iter().zip(allowances).map(one).collect();
    Requests::new(requests.nodes(), slots).expect("as many entries as the requests have")
}

fn plan(wanted: &Requests, shared: &Requests, allowances: &mut [Allowance]) {
    let pair = |place: usize| (place / wanted.nodes(), place % wanted.nodes());
    let asking = (0..allowances.len()).filter(|place| wanted.slots()[*place] > 0);
    let queues = Queues::of(asking.map(pair));
    for (place, known) in allowances.iter_mut().enumerate() {
        let (from, to) = pair(place);
        known.plan(wanted.slots()[place], shared.slots()[place], queues.beside(from, to));
    }
}
