//! TDTCP: S. Chen, W. Wang, C. Canel, S. Seshan, A. Snoeren, P. Steenkiste, "Time-Division TCP for Reconfigurable Data
//! Center Networks", SIGCOMM 2022.
//!
//! Each division of time, such as a packet network and a circuit, has congestion state of its own: cwnd, ssthresh and
//! what the growth remembers. When the division changes, its window counts. An ACK moves the window of the division in
//! which the data left that it acknowledges, and a loss cuts that of the division in which the first missing data left.
//! Data that left in other divisions do not count against the window of this one. The sender keeps the rest. Round
//! trips are by division, and one that a change interrupts is no sample. To RACK-TLP nothing is late that left in
//! another division than the newest delivered segment ([`Holes`]).
//!
//! The text of the paper was not available. Its abstract, and the names of the state in its kernel
//! (`shuoshuc/linux-tdtcp`, `include/net/tdtcp.h`), say what is kept by division; what they leave open is a parameter.
//! Left out: the options in which data and ACKs carry the number of their division; a sender knows when its data left.
//! The news comes as `[[news]]` says, in the paper as an ICMP message of the switch. A timeout takes all that is
//! outstanding for lost, in each division.

use super::cubic::{self, Cubic};
use super::reno::{self, Reno};
use super::{Asks, CongestionControl, Event, Loss, LossCause, News, Wants, Window};
use options::{Kind, Words, options, words};
use std::collections::VecDeque;
use units::Duration;

words! {
    /// How the window of a division grows.
    pub enum Growth {
        /// As CUBIC's, each with its own curve.
        Cubic = "cubic",
        /// As Reno's.
        Reno = "reno",
    }
}

words! {
    /// Which data count against the window of a division.
    pub enum Against {
        /// Those that left in it.
        Own = "own",
        /// All that are outstanding.
        All = "all",
    }
}

words! {
    /// Which missing data may be found lost by what was delivered.
    pub enum Holes {
        /// Those of the division in which the newest delivered segment left: a change makes no losses.
        Own = "own-division",
        /// All, as in RACK.
        Any = "any",
    }
}

options! {
    /// Parameters of the law.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// How the window of a division grows, with the parameters of that law.
        pub growth as "tdtcp_growth": Growth = Growth::Cubic, Kind::Word(&Growth::LIST);
        /// Which data count against the window of a division.
        pub against as "tdtcp_in_flight": Against = Against::Own, Kind::Word(&Against::LIST);
        /// Which missing data may be found lost by what was delivered.
        pub holes as "tdtcp_holes": Holes = Holes::Own, Kind::Word(&Holes::LIST);
    }
}

/// The law of one flow.
#[derive(Clone, Debug)]
pub struct TdTcp(Box<State>);

#[derive(Clone, Debug)]
struct State {
    divisions: Vec<Division>,
    /// The place of the one that is on.
    current: usize,
    /// The window at the start of the flow, which each division begins with.
    first: Option<Window>,
    /// What the window that the sender sees holds besides that of the division.
    besides: u64,
    /// The window of the division that is on, where the sender repairs losses of another one: that is what it goes back
    /// to, and not ssthresh, which may be none.
    held: Option<u64>,
    /// Outstanding bytes that are not in the network: they were SACKed, or are lost.
    gone: u64,
    /// Bytes acknowledged so far.
    una: u64,
    /// Where data end that left in a division, and its place, in the order of the flow. What lies behind the last
    /// belongs to the one that is on.
    spans: VecDeque<(u64, usize)>,
}

/// The state of a division.
#[derive(Clone, Debug)]
struct Division {
    number: u16,
    window: Window,
    growth: Grower,
    srtt: Option<Duration>,
    /// Before its last loss: what an undo may give back.
    before: Window,
    /// True if something else than its window held the flow back when it was on last.
    is_app_limited: bool,
}

#[derive(Clone, Debug)]
enum Grower {
    Cubic(Cubic, cubic::Config),
    Reno(Reno, reno::Config),
}

impl CongestionControl for TdTcp {
    type Config = Config;

    const ASKS: Asks = Asks { every_ack: true, ..Asks::NOTHING };

    fn new(_: &Config) -> TdTcp {
        let (divisions, spans) = (Vec::new(), VecDeque::new());
        TdTcp(Box::new(State { divisions, current: 0, first: None, besides: 0, held: None, gone: 0, una: 0, spans }))
    }

    fn wants(config: &Config) -> Wants {
        Wants { news: true, division_rtt: true, division_losses: config.holes == Holes::Own, ..Wants::default() }
    }

    fn on_ack(&mut self, config: &Config, window: &mut Window, event: &Event) {
        let state = &mut *self.0;
        state.read(config, window);
        state.divisions[state.current].srtt = event.srtt;
        state.look(event);
        if !event.in_recovery {
            state.release();
        }
        let mut left = event.acked;
        while left > 0 {
            let (end, place) = state.spans.front().copied().unwrap_or((u64::MAX, state.current));
            let part = left.min(end.saturating_sub(state.una));
            state.una += part;
            left -= part;
            if state.una >= end {
                state.spans.pop_front();
            }
            // An ACK that echoes a mark raises no window (RFC 3168 §6.1.2).
            if !event.in_recovery && !event.ecn_echo && part > 0 {
                state.grow(place, part, event);
            }
        }
        state.show(config, window);
    }

    fn on_news(&mut self, config: &Config, window: &mut Window, news: &News) {
        let state = &mut *self.0;
        state.read(config, window);
        state.look(&news.event);
        // While the path is down nothing leaves, and the division that was on stays.
        let Some(number) = news.change.division else { return };
        state.divisions[state.current].is_app_limited = news.event.is_app_limited;
        let next = state.place_of(config, number);
        if next != state.current {
            state.release();
            state.end_span(state.una + news.event.in_flight, next);
            state.held = news.event.in_recovery.then_some(state.divisions[next].window.cwnd);
        }
        state.show(config, window);
    }

    fn on_loss(&mut self, config: &Config, window: &mut Window, loss: &Loss) {
        let state = &mut *self.0;
        state.read(config, window);
        state.look(&loss.event);
        let flight = loss.event.in_flight.max(loss.flight);
        let others = state.in_flight_of(|place| place != state.current);
        let hit = state.spans.front().map_or(state.current, |(_, place)| *place);
        for place in 0..state.divisions.len() {
            let own = match place == state.current {
                true => flight.saturating_sub(others),
                false => state.in_flight_of(|one| one == place),
            };
            let is_lost = loss.cause == LossCause::Timeout && own > 0;
            if place == hit || is_lost {
                let event = Event { in_flight: own, ..loss.event };
                let flight = own.min(state.divisions[place].window.cwnd);
                state.divisions[place].lose(&Loss { flight, event, ..*loss });
            }
        }
        state.release();
        if loss.cause == LossCause::Timeout {
            state.spans.clear();
        } else if hit != state.current {
            state.held = Some(state.divisions[state.current].window.cwnd);
        }
        state.show(config, window);
    }

    fn on_repeated_timeout(&mut self, config: &Config, window: &mut Window, _: &Event) {
        let state = &mut *self.0;
        state.read(config, window);
        state.divisions[state.current].window.cwnd = window.mss;
        state.show(config, window);
    }

    fn on_idle(&mut self, config: &Config, window: &mut Window, restart: u64, _: &Event) {
        let state = &mut *self.0;
        state.read(config, window);
        state.divisions.iter_mut().for_each(|one| one.window.cwnd = one.window.cwnd.min(restart));
        state.show(config, window);
    }

    fn figures(&self) -> Vec<(&'static str, f64)> {
        let Some(on) = self.0.divisions.get(self.0.current) else { return Vec::new() };
        vec![("division", f64::from(on.number)), ("division_cwnd", on.window.cwnd as f64)]
    }
}

impl State {
    /// The window of the division that is on is that which the sender has, without what it holds besides. Only this law
    /// opens it.
    fn read(&mut self, config: &Config, window: &Window) {
        let first = *self.first.get_or_insert(*window);
        if self.divisions.is_empty() {
            self.divisions.push(Division::new(config, 0, first));
        }
        let besides = self.besides;
        let most = self.divisions[self.current].most();
        let Division { window: own, before, .. } = &mut self.divisions[self.current];
        // The sender lowers the window, or undoes a loss: it then gives back what was besides at that time, too.
        own.cwnd = window.cwnd.saturating_sub(besides).min(most).max(own.mss);
        if self.held.is_none() {
            own.ssthresh = less(window.ssthresh, besides).min(own.ssthresh.max(before.ssthresh));
        }
    }

    /// The division that is on has its window again.
    fn release(&mut self) {
        if let Some(cwnd) = self.held.take() {
            self.divisions[self.current].window.cwnd = cwnd;
        }
    }

    /// What is outstanding and not in the network any more.
    fn look(&mut self, event: &Event) {
        self.gone = event.pipe.map_or(0, |pipe| event.in_flight.saturating_sub(pipe));
    }

    /// The other way round. What is gone left in other divisions, as far as these have so much outstanding: a hole of
    /// theirs that is not repaired yet must not open the window for all that was delivered behind it.
    fn show(&mut self, config: &Config, window: &mut Window) {
        self.besides = match config.against {
            Against::Own => self.others().saturating_sub(self.gone),
            Against::All => 0,
        };
        let own = self.divisions[self.current].window;
        window.cwnd = own.cwnd.saturating_add(self.besides);
        window.ssthresh = self.held.unwrap_or(own.ssthresh).saturating_add(self.besides);
    }

    /// What is outstanding of other divisions, of each at most the window that let it leave.
    fn others(&self) -> u64 {
        let places = (0..self.divisions.len()).filter(|place| *place != self.current);
        places.map(|place| self.in_flight_of(|one| one == place).min(self.divisions[place].most())).sum()
    }

    /// Outstanding bytes that left in such divisions, what has left in the one that is on since it began not counted.
    fn in_flight_of(&self, is_one: impl Fn(usize) -> bool) -> u64 {
        let (mut start, mut bytes) = (self.una, 0);
        for (end, place) in &self.spans {
            bytes += if is_one(*place) { end.saturating_sub(start) } else { 0 };
            start = start.max(*end);
        }
        bytes
    }

    /// What has left up to `end` belongs to the division that is on; `next` begins. If nothing has left in between, its
    /// last span goes on.
    fn end_span(&mut self, end: u64, next: usize) {
        let last = self.spans.back().copied();
        if last.is_none_or(|(last, _)| last < end) {
            if end > self.una {
                self.spans.push_back((end, self.current));
            }
        } else if last.is_some_and(|(_, place)| place == next) {
            self.spans.pop_back();
        }
        self.current = next;
    }

    fn place_of(&mut self, config: &Config, number: u16) -> usize {
        let known = self.divisions.iter().position(|one| one.number == number);
        known.unwrap_or_else(|| {
            let first = self.first.unwrap_or(self.divisions[self.current].window);
            self.divisions.push(Division::new(config, number, first));
            self.divisions.len() - 1
        })
    }

    /// So many bytes that left in a division are acknowledged.
    fn grow(&mut self, place: usize, acked: u64, event: &Event) {
        let one = &mut self.divisions[place];
        let event = match place == self.current {
            true => Event { acked, ..*event },
            false => Event {
                acked,
                rtt_sample: None,
                srtt: one.srtt.or(event.srtt),
                is_app_limited: one.is_app_limited,
                ..*event
            },
        };
        match &mut one.growth {
            Grower::Cubic(law, config) => {
                config.slow_start_counts = event.counts;
                law.on_ack(config, &mut one.window, &event);
            }
            Grower::Reno(law, config) => {
                config.slow_start_counts = event.counts;
                law.on_ack(config, &mut one.window, &event);
            }
        }
    }
}

impl Division {
    fn new(config: &Config, number: u16, window: Window) -> Division {
        let growth = match config.growth {
            Growth::Cubic => Grower::Cubic(Cubic::new(&cubic::Config::default()), cubic::Config::default()),
            Growth::Reno => Grower::Reno(Reno::new(&reno::Config::default()), reno::Config::default()),
        };
        Division { number, window, growth, srtt: None, before: window, is_app_limited: false }
    }

    /// The window, or that before the last loss: whichever let more leave.
    fn most(&self) -> u64 {
        self.window.cwnd.max(self.before.cwnd)
    }

    fn lose(&mut self, loss: &Loss) {
        self.before = self.window;
        match &mut self.growth {
            Grower::Cubic(law, config) => law.on_loss(config, &mut self.window, loss),
            Grower::Reno(law, config) => law.on_loss(config, &mut self.window, loss),
        }
    }
}

/// ssthresh without so many bytes; none is none.
fn less(ssthresh: u64, besides: u64) -> u64 {
    if ssthresh == u64::MAX { u64::MAX } else { ssthresh.saturating_sub(besides) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::{NewsWay, Turn};

    const MSS: u64 = 1000;

    /// A flow with a window of ten segments in congestion avoidance, and what it has outstanding.
    struct Flow {
        config: Config,
        law: TdTcp,
        window: Window,
        in_flight: u64,
    }

    impl Flow {
        fn new(config: Config) -> Flow {
            let window = Window { cwnd: 10 * MSS, ssthresh: 5 * MSS, mss: MSS };
            Flow { law: TdTcp::new(&config), config, window, in_flight: 10 * MSS }
        }

        fn reno() -> Flow {
            Flow::new(Config { growth: Growth::Reno, against: Against::Own, holes: Holes::Own })
        }

        fn division(&mut self, number: u16) {
            let turn = if number > 0 { Turn::Up } else { Turn::Down };
            let mut news = News::of(NewsWay::Message, turn, number);
            news.event.in_flight = self.in_flight;
            self.law.on_news(&self.config, &mut self.window, &news);
        }

        /// An ACK of so many segments, after which the window is full again.
        fn ack(&mut self, segments: u64) {
            self.in_flight -= segments * MSS;
            let event = Event { in_flight: self.in_flight, ..Event::ack(segments * MSS) };
            self.law.on_ack(&self.config, &mut self.window, &event);
            self.in_flight = self.window.cwnd / MSS * MSS;
        }

        /// cwnd of each division in segments, in the order in which they came.
        fn windows(&self) -> Vec<u64> {
            self.law.0.divisions.iter().map(|one| one.window.cwnd / MSS).collect()
        }
    }

    #[test]
    fn a_new_division_begins_with_the_first_window_and_data_of_another_do_not_count_against_it() {
        let mut flow = Flow::reno();
        flow.ack(10);
        assert_eq!(flow.windows(), [11]);
        flow.division(1);
        // 11 segments of the packet network are outstanding, and ten more may be.
        assert_eq!((flow.windows(), flow.window.cwnd), (vec![11, 10], 21 * MSS));
        let mut all = Flow::new(Config { against: Against::All, ..flow.config });
        all.ack(10);
        all.division(1);
        assert_eq!(all.window.cwnd, 10 * MSS);
    }

    #[test]
    fn acks_move_the_window_of_the_division_in_which_their_data_left() {
        let mut flow = Flow::reno();
        flow.ack(10);
        flow.division(1);
        flow.in_flight = flow.window.cwnd;
        // The eleven segments of division 0 make it twelve; the ten of division 1 make that eleven.
        flow.ack(11);
        assert_eq!((flow.windows(), flow.window.cwnd), (vec![12, 10], 10 * MSS));
        flow.ack(10);
        assert_eq!(flow.windows(), [12, 11]);
        flow.division(0);
        assert_eq!(flow.window.cwnd, 23 * MSS, "its own twelve beside eleven of the circuit");
    }

    /// The window that an undo gives back held eleven segments of division 0 besides, which are acknowledged by then.
    #[test]
    fn an_undo_gives_back_the_divisions_own_window() {
        let mut flow = Flow::reno();
        flow.ack(10);
        flow.division(1);
        flow.in_flight = flow.window.cwnd;
        let before = flow.window;
        flow.ack(11);
        flow.window = before;
        flow.ack(10);
        assert_eq!((before.cwnd, flow.windows()), (21 * MSS, vec![12, 11]));
    }

    #[test]
    fn a_loss_cuts_the_division_in_which_the_missing_data_left_and_a_timeout_all_that_are_outstanding() {
        let loss = |flow: &mut Flow, cause| {
            let event = Event { in_flight: flow.in_flight, ..Event::ack(0) };
            flow.law.on_loss(&flow.config, &mut flow.window, &Loss { cause, flight: event.in_flight, event });
        };
        let on_circuit = || {
            let mut flow = Flow::reno();
            flow.division(1);
            flow.in_flight = flow.window.cwnd;
            flow
        };
        let mut flow = on_circuit();
        loss(&mut flow, LossCause::FastRetransmit);
        assert_eq!((flow.windows(), flow.window.cwnd), (vec![5, 10], 20 * MSS), "half of the ten of division 0");
        let mut flow = on_circuit();
        flow.ack(10);
        loss(&mut flow, LossCause::FastRetransmit);
        assert_eq!(flow.windows()[1], 5);
        let mut flow = on_circuit();
        loss(&mut flow, LossCause::Timeout);
        assert_eq!((flow.windows(), flow.window.cwnd), (vec![1, 1], MSS));
    }

    #[test]
    fn what_was_delivered_behind_a_hole_of_another_division_opens_no_window() {
        // Ten segments of division 0 are outstanding; of these one is missing, and nine are SACKed.
        let mut flow = Flow::reno();
        flow.division(1);
        assert_eq!(flow.window.cwnd, 20 * MSS);
        let event = Event { in_flight: 10 * MSS, pipe: Some(MSS), in_recovery: true, ..Event::ack(0) };
        flow.law.on_ack(&flow.config, &mut flow.window, &event);
        assert_eq!(flow.window.cwnd, 11 * MSS, "its own ten beside the one that may still be on its way");
        // Eleven more leave, and ten of them are SACKed too: division 0 has nothing that could count more.
        let event = Event { in_flight: 21 * MSS, pipe: Some(2 * MSS), in_recovery: true, ..Event::ack(0) };
        flow.law.on_ack(&flow.config, &mut flow.window, &event);
        assert_eq!((flow.window.cwnd, flow.windows()), (10 * MSS, vec![10, 10]));
    }

    /// While losses of division 0 are repaired, what the sender aims at is the circuit's window. Its ssthresh, none
    /// yet, would let PRR send without end (RFC 6937: ssthresh over the flight at the loss, for each byte delivered).
    #[test]
    fn a_repair_of_another_division_aims_at_the_window_of_the_one_that_is_on() {
        let mut flow = Flow::reno();
        flow.window.ssthresh = u64::MAX;
        flow.division(1);
        flow.in_flight = 20 * MSS;
        let event = Event { in_flight: 20 * MSS, pipe: Some(20 * MSS), ..Event::ack(0) };
        flow.law.on_loss(
            &flow.config,
            &mut flow.window,
            &Loss { cause: LossCause::FastRetransmit, flight: event.in_flight, event },
        );
        assert_eq!(flow.window.ssthresh, 20 * MSS, "the circuit's ten beside the ten of division 0");
        // PRR has its own window meanwhile; when it ends the circuit has ten again, and no ssthresh.
        flow.window.cwnd = 13 * MSS;
        let event = Event { in_flight: 10 * MSS, pipe: Some(10 * MSS), ..Event::ack(10 * MSS) };
        flow.law.on_ack(&flow.config, &mut flow.window, &event);
        assert_eq!((flow.windows()[1], flow.window.cwnd, flow.window.ssthresh), (10, 10 * MSS, u64::MAX));
        // A division that begins while losses are repaired keeps its window too.
        let mut news = News::of(NewsWay::Message, Turn::Down, 0);
        (news.event.in_flight, news.event.in_recovery) = (10 * MSS, true);
        flow.law.on_news(&flow.config, &mut flow.window, &news);
        assert_eq!(flow.window.ssthresh, (6 + 10) * MSS, "half of ten, one for its ACK, and the circuit's ten beside");
    }

    #[test]
    fn what_the_sender_makes_of_the_window_is_that_of_the_division_that_is_on() {
        let mut flow = Flow::reno();
        flow.division(1);
        flow.window.cwnd -= 4 * MSS;
        flow.division(1);
        assert_eq!(flow.windows(), [10, 6]);
        let mut idle = Flow::reno();
        idle.in_flight = 0;
        idle.division(1);
        idle.law.on_idle(&idle.config, &mut idle.window, 3 * MSS, &Event::ack(0));
        assert_eq!((idle.windows(), idle.window.cwnd), (vec![3, 3], 3 * MSS));
    }

    #[test]
    fn while_the_path_is_down_the_division_stays() {
        let mut flow = Flow::reno();
        flow.division(1);
        let mut news = News::of(NewsWay::Message, Turn::Down, 0);
        news.change.division = None;
        flow.law.on_news(&flow.config, &mut flow.window, &news);
        assert_eq!(flow.law.figures()[0], ("division", 1.0));
    }

    #[test]
    fn with_cubic_a_loss_keeps_seven_tenths_of_the_division() {
        let mut flow = Flow::new(Config::default());
        flow.division(1);
        let event = Event { in_flight: 20 * MSS, ..Event::ack(0) };
        let loss = Loss { cause: LossCause::FastRetransmit, flight: event.in_flight, event };
        flow.law.on_loss(&flow.config, &mut flow.window, &loss);
        assert_eq!(flow.windows(), [7, 10]);
    }
}
