//! reTCP: M. Mukerjee, C. Canel, W. Wang, D. Kim, S. Seshan, A. Snoeren, "Adapting TCP for Reconfigurable Datacenter
//! Networks", NSDI 2020, and the Linux module of its artefact (`mukerjee/etalon`, `reTCP/retcp.c`), whose parameters
//! and order these are.
//!
//! The window is Reno's. When a circuit comes it is multiplied, once; when the circuit goes it is divided, once.
//! ssthresh stays. The module hears of the circuit by the flag ECE in ACKs. There the jump follows Reno's growth, at
//! the next ACK of new data outside of a recovery. A message or a schedule brings no ACK, so the jump comes with it; in
//! a recovery it waits for the same ACK.
//!
//! Left out: nothing of the module. Its window is a number of whole segments, of which a division leaves none of a
//! window of one; here it is bytes, and the sender keeps a segment.

use super::reno::{self, Reno};
use super::{CongestionControl, Event, Loss, News, NewsWay, Turn, Wants, Window};
use options::{Kind, Range, options};

options! {
    /// Parameters of the law.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// By what the window is multiplied when a circuit comes. The module's `jump_up`: 2.
        pub jump_up as "retcp_jump_up": f64 = 2.0, Kind::Number(Range::closed(1.0, 1000.0));
        /// By what it is divided when the circuit goes. The module's `jump_down`: 2.
        pub jump_down as "retcp_jump_down": f64 = 2.0, Kind::Number(Range::closed(1.0, 1000.0));
    }
}

/// The law of one flow.
#[derive(Clone, Debug)]
pub struct ReTcp(Box<State>);

#[derive(Clone, Debug)]
struct State {
    reno: Reno,
    growth: reno::Config,
    has_circuit: bool,
    has_jumped: bool,
}

impl CongestionControl for ReTcp {
    type Config = Config;

    fn new(_: &Config) -> ReTcp {
        let growth = reno::Config::default();
        ReTcp(Box::new(State { reno: Reno::new(&growth), growth, has_circuit: false, has_jumped: false }))
    }

    fn wants(_: &Config) -> Wants {
        Wants { news: true, ..Wants::default() }
    }

    fn on_ack(&mut self, config: &Config, window: &mut Window, event: &Event) {
        let state = &mut *self.0;
        state.growth.slow_start_counts = event.counts;
        state.reno.on_ack(&state.growth, window, event);
        state.jump(config, window);
    }

    fn on_news(&mut self, config: &Config, window: &mut Window, news: &News) {
        let state = &mut *self.0;
        match news.change.turn {
            Turn::Up => state.has_circuit = true,
            Turn::Down => state.has_circuit = false,
            Turn::Same => return,
        }
        if news.change.way != NewsWay::Mark && !news.event.in_recovery {
            state.jump(config, window);
        }
    }

    fn figures(&self) -> Vec<(&'static str, f64)> {
        vec![("circuit", f64::from(u8::from(self.0.has_circuit)))]
    }

    fn ssthresh_after(&mut self, _: &Config, window: &Window, loss: &Loss) -> u64 {
        let state = &mut *self.0;
        state.reno.ssthresh_after(&state.growth, window, loss)
    }
}

impl State {
    /// The window follows the circuit, if it does not yet.
    fn jump(&mut self, config: &Config, window: &mut Window) {
        if self.has_circuit == self.has_jumped {
            return;
        }
        self.has_jumped = self.has_circuit;
        let cwnd = window.cwnd as f64;
        // `as` saturates.
        window.cwnd = if self.has_circuit { cwnd * config.jump_up } else { cwnd / config.jump_down } as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    fn flow() -> (Config, ReTcp, Window) {
        let config = Config::default();
        (config, ReTcp::new(&config), Window { cwnd: 10 * MSS, ssthresh: 5 * MSS, mss: MSS })
    }

    #[test]
    fn a_mark_makes_the_next_ack_double_the_window_once_and_its_absence_halve_it() {
        // retcp.c: tcp_reno_cong_avoid(), then snd_cwnd *= jump_up while the flag is new, snd_cwnd /= jump_down when it
        // has gone; both are 2.
        let (config, mut law, mut window) = flow();
        let mut cwnd = |told: Option<Turn>| {
            if let Some(turn) = told {
                law.on_news(&config, &mut window, &News::of(NewsWay::Mark, turn, 1));
            }
            law.on_ack(&config, &mut window, &Event::ack(MSS));
            window.cwnd
        };
        assert_eq!([cwnd(None), cwnd(Some(Turn::Up)), cwnd(None)], [10_000, 20_000, 20_000]);
        assert_eq!([cwnd(Some(Turn::Down)), cwnd(None)], [10_000, 10_000]);
    }

    #[test]
    fn a_message_moves_the_window_at_once_and_in_a_recovery_with_the_next_ack() {
        let (config, mut law, mut window) = flow();
        let up = News::of(NewsWay::Message, Turn::Up, 1);
        law.on_news(&config, &mut window, &up);
        law.on_news(&config, &mut window, &up);
        assert_eq!((window.cwnd, window.ssthresh), (20_000, 5000), "once, and ssthresh stays");
        let mut down = News::of(NewsWay::Schedule, Turn::Down, 0);
        down.event.in_recovery = true;
        law.on_news(&config, &mut window, &down);
        assert_eq!(window.cwnd, 20_000);
        law.on_ack(&config, &mut window, &Event::ack(MSS));
        assert_eq!(window.cwnd, 10_000);
    }

    #[test]
    fn the_jumps_are_parameters() {
        let config = Config { jump_up: 8.0, jump_down: 5.0 };
        let (mut law, mut window) = (ReTcp::new(&config), Window { cwnd: 10 * MSS, ssthresh: MSS, mss: MSS });
        law.on_news(&config, &mut window, &News::of(NewsWay::Message, Turn::Up, 1));
        assert_eq!(window.cwnd, 80_000);
        law.on_news(&config, &mut window, &News::of(NewsWay::Message, Turn::Down, 0));
        assert_eq!(window.cwnd, 16_000);
    }
}
