//! Requests and their answers.

use super::uniform_span;
use crate::model::{Incast, NodeId, Requests, SimTime};
use crate::random::{Stream, exponential_span, uniform_index};

/// Tells `add` of every answer: when it starts, and its ends. The answers of request k have the numbers from k·senders
/// on.
pub fn answers(
    incast: &Incast,
    starts: &mut Stream,
    ends: &mut Stream,
    mut add: impl FnMut(SimTime, (NodeId, NodeId)),
) {
    let mut time = incast.start;
    for request in 0..incast.at_most {
        time = match incast.requests {
            Requests::Every(_) if request == 0 => time,
            Requests::Every(gap) => time + gap,
            Requests::Poisson(gap) => time + exponential_span(gap, starts),
        };
        if time >= incast.until {
            break;
        }
        let to = incast.to.unwrap_or_else(|| incast.among[uniform_index(ends, incast.among.len() as u64) as usize]);
        for sender in senders(incast, to, ends) {
            add(time + uniform_span(incast.spread, starts), (sender, to));
        }
    }
}

/// Who answers a request of `to`.
fn senders(incast: &Incast, to: NodeId, ends: &mut Stream) -> Vec<NodeId> {
    let mut others: Vec<NodeId> = incast.among.iter().copied().filter(|node| *node != to).collect();
    let wanted = incast.senders as usize;
    if wanted < others.len() {
        // The first steps of a shuffle are a sample without repetition.
        for place in 0..wanted {
            let left = (others.len() - place) as u64;
            others.swap(place, place + uniform_index(ends, left) as usize);
        }
        others.truncate(wanted);
    }
    others
}
