//! RotorLB: a rack offers the far end of a circuit what it has for other racks and its circuit has room for; the far
//! end accepts what it has room for (RotorNet: Mellette et al., SIGCOMM 2017, §4).
//!
//! When a matching begins, a rack counts what waits for the rack at the far end: relayed packets first, then its own.
//! What is left of the circuit's bytes it shares evenly among its other queues, and offers that. The far end accepts
//! for each rack as much as `relay_room` leaves beside what waits there already and what it has promised. Offers and
//! answers travel beside the light, on a control channel with the circuit's delay.

use super::super::keys::Answers;
use super::super::queue::Queue;
use super::super::{Bulk, Notice, Rotor};
use super::Rack;
use crate::engine::node::agent_setup::BuildContext;
use crate::engine::node::node_context::{AgentPath, ControlPacket, NodeContext};
use crate::engine::packet::message::Message;

/// Bytes of an offer or an answer on the wire, besides those of its entries.
const HEADER: usize = 64;
/// A rack and a number of bytes.
const ENTRY: usize = 8;

/// Bytes by the number of the queue that they are in at the rack that offers them: those for one rack are in a row.
pub(in crate::switching::rotor) type Shares = Vec<(u32, u64)>;

/// What one rack offers another.
#[derive(Clone, Debug)]
pub(in crate::switching::rotor) struct Offer {
    /// Who offers.
    pub from: u32,
    /// Over which switch, in which of its matchings.
    pub switch: u32,
    pub matching: u32,
    pub shares: Shares,
    /// In an answer of hosts: by share, what they would take together.
    pub asked: Vec<u64>,
}

/// The same for an answer, to whom the offer came from.
pub(in crate::switching::rotor) type Answer = Offer;

/// Offers that a rack has made and answered.
#[derive(Debug, Default)]
pub(super) struct Offers {
    /// By matching and rack, of this rack alone: the way of a message over its circuit, and that of one back. Empty
    /// without RotorLB.
    ways: Vec<Option<AgentPath>>,
    uplinks: Vec<Open>,
    /// By queue: bytes that are offered, or accepted and not sent.
    offered: Vec<u64>,
    /// By rack: bytes that are accepted from others and have not come.
    promised: Vec<u64>,
    /// Bytes that a rack takes from others for one rack.
    room: u64,
    /// Whether each host answers by itself.
    by_hosts: bool,
    /// Messages sent.
    sent: u64,
}

/// What an uplink has to do with offers in its present matching.
#[derive(Clone, Debug, Default)]
struct Open {
    matching: u32,
    is_answered: bool,
    /// Offered, or accepted and not sent.
    offered: Shares,
    /// To the rack whose circuit leads here.
    promised: Vec<Promise>,
}

/// Bytes for one rack that are accepted and have not come.
#[derive(Clone, Debug, Default)]
struct Promise {
    rack: u32,
    bytes: u64,
    /// By host, where hosts answer offers: the room that it had, and bytes that it has been given.
    hosts: Vec<(u64, u64)>,
}

impl Promise {
    /// Of the hosts the one that relays a packet: each sends as is due at a rate in proportion to the room that it had.
    fn give(&mut self, size: u16) -> Option<usize> {
        let with_room = self.hosts.iter().enumerate().filter(|(_, (room, _))| *room > 0);
        let wide = |bytes: u64| u128::from(bytes);
        let (host, _) = with_room
            .min_by(|(_, one), (_, other)| (wide(one.1) * wide(other.0)).cmp(&(wide(other.1) * wide(one.0))))?;
        self.hosts[host].1 += u64::from(size);
        Some(host)
    }
}

impl Offers {
    /// Before the first matching.
    pub fn new(plan: &Rotor, number: u32, build: &mut BuildContext) -> Offers {
        let Bulk::RotorLb { room, parts, answers } = plan.rules.bulk else { return Offers::default() };
        let (racks, switches, by_hosts) = (plan.racks.len(), plan.slices.switches(), answers == Answers::Hosts);
        let mut way = |to: u32, switch: u32| {
            let [own, far] = [number, to].map(|rack| &plan.racks[rack as usize]);
            let links = [own.control_up[switch as usize], far.control_down[switch as usize]];
            build.agent_path(own.node, &links)
        };
        let mut ways = vec![None; racks * switches as usize];
        for (switch, matching) in plan.slices.matchings() {
            let back = matching.iter().position(|to| *to == Some(number)).map(|rack| rack as u32);
            for to in matching[number as usize].into_iter().chain(back) {
                ways[*switch as usize * racks + to as usize].get_or_insert_with(|| way(to, *switch));
            }
        }
        let uplinks = vec![Open::default(); switches as usize];
        Offers { ways, uplinks, offered: vec![0; racks * parts], promised: vec![0; racks], room, by_hosts, sent: 0 }
    }

    /// The matching of an uplink is over.
    pub fn end(&mut self, uplink: usize) {
        let Some(open) = self.uplinks.get_mut(uplink) else { return };
        let Open { offered, promised, .. } = std::mem::take(open);
        offered.iter().for_each(|(queue, bytes)| self.offered[*queue as usize] -= bytes);
        promised.iter().for_each(|promise| self.promised[promise.rack as usize] -= promise.bytes);
    }

    /// The queues out of which an uplink may send packets on a detour.
    pub fn granted(&self, uplink: usize) -> impl Iterator<Item = usize> {
        let open = &self.uplinks[uplink];
        let accepted = open.offered.iter().filter(|(_, bytes)| open.is_answered && *bytes > 0);
        accepted.map(|(queue, _)| *queue as usize)
    }

    /// A packet is sent on a detour.
    pub fn use_grant(&mut self, uplink: usize, queue: usize, size: u16) {
        let Some(open) = self.uplinks.get_mut(uplink) else { return };
        if let Some((_, bytes)) = open.offered.iter_mut().find(|(number, _)| *number as usize == queue) {
            let used = u64::from(size).min(*bytes);
            *bytes -= used;
            self.offered[queue] -= used;
        }
    }

    /// A packet on a detour has come over a switch. The host that relays it, if hosts have answered the offer.
    pub fn note_arrival(&mut self, switch: usize, to: u32, size: u16) -> Option<usize> {
        let open = self.uplinks.get_mut(switch)?;
        let promise = open.promised.iter_mut().find(|promise| promise.rack == to)?;
        let come = u64::from(size).min(promise.bytes);
        promise.bytes -= come;
        self.promised[to as usize] -= come;
        promise.give(size)
    }

    /// The far end has answered; what it does not accept is no longer offered. Whether the answer is in time.
    pub fn take_answer(&mut self, answer: &Answer) -> bool {
        let open = &mut self.uplinks[answer.switch as usize];
        if open.matching != answer.matching || open.is_answered {
            return false;
        }
        open.is_answered = true;
        for ((queue, offered), (_, accepted)) in open.offered.iter_mut().zip(&answer.shares) {
            self.offered[*queue as usize] -= *offered - accepted;
            *offered = *accepted;
        }
        true
    }
}

impl Rack {
    /// A matching begins: what there is for other racks is offered, as far as the circuit has room.
    pub(super) fn offer(&mut self, now: u64, uplink: usize, context: &mut NodeContext) {
        let stay = self.uplinks[uplink].stay;
        let Some(to) = stay.to.filter(|_| now < stay.until) else { return };
        let shares = self.spare_shares(now, uplink, to);
        if shares.is_empty() {
            return;
        }
        shares.iter().for_each(|(queue, bytes)| self.offers.offered[*queue as usize] += bytes);
        let open = &mut self.offers.uplinks[uplink];
        (open.matching, open.offered) = (stay.matching, shares.clone());
        let offer =
            Offer { from: self.number, switch: uplink as u32, matching: stay.matching, shares, asked: Vec::new() };
        self.tell(now, to, offer, Notice::Offer, context);
    }

    /// What a circuit has room for beside the packets for its far end, shared evenly among the queues for other racks:
    /// of each host by itself, where hosts are counted.
    fn spare_shares(&self, now: u64, uplink: usize, to: u32) -> Shares {
        let (parts, own_left) = (self.own.parts(), &self.uplinks[uplink].allowance.own);
        let mut wanted = vec![Shares::new(); parts];
        for number in self.own.all_filled().filter(|number| number / parts as u32 != to) {
            let place = number as usize;
            let bytes = self.own.at(place).bytes().saturating_sub(self.offers.offered[place]);
            if bytes > 0 {
                wanted[place % parts].push((number, bytes));
            }
        }
        let direct: Vec<u64> =
            self.own.of(to).iter().zip(own_left).map(|(queue, left)| queue.bytes().min(*left)).collect();
        let taken = self.relayed.taken(to).bytes() + direct.iter().sum::<u64>();
        let mut room = self.light(now, uplink).saturating_sub(taken);
        let mut all = Shares::new();
        for (part, wanted) in wanted.into_iter().enumerate() {
            let shares = fair_shares(wanted, room.min(own_left[part] - direct[part]));
            room -= shares.iter().map(|(_, bytes)| bytes).sum::<u64>();
            all.extend(shares);
        }
        all.sort_unstable();
        all
    }

    /// A rack offers packets for others: as much is accepted for each as there is room.
    pub(super) fn answer(&mut self, now: u64, offer: Offer, context: &mut NodeContext) {
        let Offer { from, switch, matching, mut shares, mut asked } = offer;
        if self.uplinks[switch as usize].stay.matching != matching {
            return;
        }
        let (parts, offers) = (self.own.parts() as u32, &mut self.offers);
        let of_host = offers.room / u64::from(parts);
        let mut promised: Vec<Promise> = Vec::new();
        for (queue, bytes) in &mut shares {
            let rack = *queue / parts;
            let place = rack as usize;
            let waiting = self.relayed.taken(rack).bytes() + self.own.taken(rack).bytes() + offers.promised[place];
            let (mut free, mut rooms) = (offers.room.saturating_sub(waiting), Vec::new());
            if offers.by_hosts {
                let of_hosts = self.relayed.of(rack).chunks(parts as usize).zip(self.own.of(rack));
                let taken = of_hosts.map(|(relayed, own)| relayed.iter().map(Queue::bytes).sum::<u64>() + own.bytes());
                rooms = taken.map(|taken| (of_host.saturating_sub(taken), 0)).collect();
                free = rooms.iter().map(|(room, _)| room).sum::<u64>().saturating_sub(offers.promised[place]);
                asked.push(rooms.iter().map(|(room, _)| (*bytes).min(*room)).sum::<u64>().min(free));
            }
            *bytes = (*bytes).min(free);
            offers.promised[place] += *bytes;
            match promised.last_mut().filter(|last| last.rack == rack) {
                Some(last) => last.bytes += *bytes,
                None => promised.push(Promise { rack, bytes: *bytes, hosts: rooms }),
            }
        }
        offers.uplinks[switch as usize].promised = promised;
        let answer = Answer { from: self.number, switch, matching, shares, asked };
        self.tell(now, from, answer, Notice::Answer, context);
    }

    /// Hosts at the far end have accepted more than some of this rack's hosts can send.
    pub(super) fn cut_relayed(&mut self, answer: &Answer) {
        let uplink = &mut self.uplinks[answer.switch as usize];
        let Some(to) = uplink.stay.to.filter(|_| !answer.asked.is_empty()) else { return };
        let parts = self.own.parts();
        let mut asked: Vec<u64> =
            self.own.of(to).iter().zip(&uplink.allowance.own).map(|(direct, left)| direct.bytes().min(*left)).collect();
        answer.shares.iter().zip(&answer.asked).for_each(|((queue, _), bytes)| asked[*queue as usize % parts] += bytes);
        for (host, asked) in asked.into_iter().enumerate() {
            uplink.allowance.cut_relayed(host, asked, self.relayed.of(to));
        }
    }

    fn tell(&mut self, now: u64, to: u32, said: Offer, notice: fn(Offer) -> Notice, context: &mut NodeContext) {
        let size = u16::try_from(HEADER + ENTRY * said.shares.len()).unwrap_or(u16::MAX);
        let place = (said.switch * self.slices.racks() + to) as usize;
        let way = self.offers.ways[place].expect("a rack has a way to those that its circuits join it with");
        self.offers.sent += 1;
        let (number, message) = (self.offers.sent, Message::new(notice(said)));
        context.send(now, ControlPacket { to, way, size, number, message });
    }
}

/// Shares of `room` that are as even as can be without giving anybody more than it has; nothing for those with none.
pub(super) fn fair_shares(mut wanted: Shares, room: u64) -> Shares {
    wanted.sort_by_key(|(rack, bytes)| (*bytes, *rack));
    let (mut left, mut count) = (room, wanted.len() as u64);
    for (_, bytes) in &mut wanted {
        *bytes = (*bytes).min(left / count);
        left -= *bytes;
        count -= 1;
    }
    wanted.retain(|(_, bytes)| *bytes > 0);
    wanted.sort_unstable();
    wanted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_even_and_nobody_gets_more_than_it_wants() {
        assert_eq!(fair_shares(vec![(1, 100), (2, 10), (3, 100)], 90), [(1, 40), (2, 10), (3, 40)]);
        assert_eq!(fair_shares(vec![(1, 30), (2, 10)], 90), [(1, 30), (2, 10)]);
        assert_eq!(fair_shares(vec![(5, 7)], 0), []);
        assert_eq!(fair_shares(Vec::new(), 90), []);
    }

    #[test]
    fn what_is_offered_accepted_sent_and_come_is_counted_once() {
        let mut offers = Offers { uplinks: vec![Open::default()], ..Offers::default() };
        (offers.offered, offers.promised) = (vec![0, 300, 200], vec![0, 500, 0]);
        let promised = vec![Promise { rack: 1, bytes: 500, hosts: Vec::new() }];
        offers.uplinks[0] = Open { matching: 4, is_answered: false, offered: vec![(1, 300), (2, 200)], promised };
        assert_eq!(offers.granted(0).count(), 0, "nothing is sent before the answer");
        let shares = || vec![(1, 100), (2, 0)];
        let answer = |matching| Answer { from: 1, switch: 0, matching, shares: shares(), asked: Vec::new() };
        assert!(!offers.take_answer(&answer(3)));
        assert_eq!(offers.offered, [0, 300, 200], "the answer of another matching is late");
        assert!(offers.take_answer(&answer(4)));
        assert_eq!((offers.offered.clone(), offers.granted(0).collect::<Vec<_>>()), (vec![0, 100, 0], vec![1]));
        offers.use_grant(0, 1, 60);
        assert_eq!(offers.note_arrival(0, 1, 200), None);
        assert_eq!((offers.offered[1], offers.promised[1]), (40, 300));
        offers.end(0);
        assert_eq!((offers.offered, offers.promised), (vec![0; 3], vec![0; 3]));
    }

    #[test]
    fn hosts_relay_in_proportion_to_the_room_that_they_had() {
        let mut promise = Promise { rack: 1, bytes: 0, hosts: vec![(300, 0), (0, 0), (100, 0)] };
        let order: Vec<_> = (0..8).map(|_| promise.give(100).unwrap()).collect();
        assert_eq!(order, [0, 2, 0, 0, 0, 2, 0, 0]);
        assert_eq!(Promise::default().give(100), None);
    }
}
