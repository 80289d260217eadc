//! A law from outside of this crate, behind a trait object: what hosts of other languages bring, and programs that use
//! the crate ([`brought`]). It runs in the same sender as every other law, and costs what its host costs. The crate
//! knows nothing of the host.
//!
//! It can ask for no more than any law: it is told delivery rates, and hears of every ACK if it wants. Left out:
//! congestion headers and news about bursts, which are the business of senders; and pacing, which the configuration
//! asks for.

use super::{Asks, CongestionControl, Event, Loss, Marks, News, Wants, Window};
use crate::ConfigError;
use options::{Key, Options, Value};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use units::{Duration, Rate};

/// A law of one flow; what it answers is as in [`CongestionControl`].
pub trait Foreign: fmt::Debug + Send + Sync {
    /// Which flow it is of, told once before anything happens.
    fn set_flow(&mut self, flow: u64);
    /// True if it hears of ACKs in fast recovery, of those that acknowledge nothing new and of those that echo a mark.
    fn hears_every_ack(&self) -> bool;
    /// As [`CongestionControl::on_ack`].
    fn on_ack(&mut self, window: &mut Window, event: &Event);
    /// As [`CongestionControl::on_loss`].
    fn on_loss(&mut self, window: &mut Window, loss: &Loss);
    /// As [`CongestionControl::on_repeated_timeout`].
    fn on_repeated_timeout(&mut self, window: &mut Window, event: &Event);
    /// As [`CongestionControl::on_idle`].
    fn on_idle(&mut self, window: &mut Window, restart: u64, event: &Event);
    /// As [`CongestionControl::on_news`].
    fn on_news(&mut self, window: &mut Window, news: &News);
    /// As [`CongestionControl::pacing_rate`].
    fn pacing_rate(&self, window: &Window, srtt: Option<Duration>) -> Option<Rate>;
    /// A copy in the same state.
    fn copy(&self) -> Box<dyn Foreign>;
}

/// Makes the laws of flows.
pub trait Maker: fmt::Debug + Send + Sync {
    /// Its name.
    fn name(&self) -> &str;
    /// The law of a new flow.
    fn make(&self) -> Box<dyn Foreign>;
    /// True if segments are paced, whatever the configuration says.
    fn paces(&self) -> bool;
    /// True if its laws hear of their paths.
    fn hears_news(&self) -> bool;
}

/// The maker of the laws. Without one a law leaves the window as it is; faces refuse that before.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The maker.
    pub maker: Option<Arc<dyn Maker>>,
}

impl Options for Config {
    fn owner(&self) -> &'static str {
        concat!(module_path!(), "::Config")
    }

    fn keys(&self) -> &'static [Key] {
        &[]
    }

    fn get(&self, _: usize) -> Value {
        Value::Nothing
    }

    fn derived(&self, _: usize) -> Value {
        Value::Nothing
    }

    fn set(&mut self, _: usize, _: Value) {}
}

/// The law of one flow.
#[derive(Debug)]
pub struct External(Option<Box<dyn Foreign>>);

impl Clone for External {
    fn clone(&self) -> External {
        External(self.0.as_ref().map(|law| law.copy()))
    }
}

impl External {
    /// Which flow it is of.
    pub fn set_flow(&mut self, flow: u64) {
        self.0.iter_mut().for_each(|law| law.set_flow(flow));
    }
}

impl CongestionControl for External {
    type Config = Config;

    const ASKS: Asks = Asks { rate_samples: true, every_ack: true, ..Asks::NOTHING };

    fn new(config: &Config) -> External {
        External(config.maker.as_ref().map(|maker| maker.make()))
    }

    fn wants(config: &Config) -> Wants {
        Wants { news: config.maker.as_ref().is_some_and(|maker| maker.hears_news()), ..Wants::default() }
    }

    fn on_ack(&mut self, _: &Config, window: &mut Window, event: &Event) {
        let Some(law) = &mut self.0 else { return };
        let is_usual = event.acked > 0 && !event.in_recovery && !event.ecn_echo;
        if is_usual || law.hears_every_ack() {
            law.on_ack(window, event);
        }
    }

    fn on_loss(&mut self, _: &Config, window: &mut Window, loss: &Loss) {
        match &mut self.0 {
            Some(law) => law.on_loss(window, loss),
            None => window.cut(loss.cause, loss.flight / 2),
        }
    }

    fn on_repeated_timeout(&mut self, _: &Config, window: &mut Window, event: &Event) {
        match &mut self.0 {
            Some(law) => law.on_repeated_timeout(window, event),
            None => window.cwnd = window.mss,
        }
    }

    fn on_idle(&mut self, _: &Config, window: &mut Window, restart: u64, event: &Event) {
        match &mut self.0 {
            Some(law) => law.on_idle(window, restart, event),
            None => window.cwnd = window.cwnd.min(restart),
        }
    }

    fn on_news(&mut self, _: &Config, window: &mut Window, news: &News) {
        self.0.iter_mut().for_each(|law| law.on_news(window, news));
    }

    fn pacing_rate(&self, _: &Config, window: &Window, srtt: Option<Duration>) -> Option<Rate> {
        self.0.as_ref()?.pacing_rate(window, srtt)
    }
}

/// The maker of a law of Rust that the program brings, as if it were in the list: `brought::<Law>("name", config)`. An
/// error if there is no law with these parameters. A law that asks for more than pacing, rates and every ACK does not
/// compile.
pub fn brought<L: Own>(name: &str, config: L::Config) -> Result<Arc<dyn Maker>, ConfigError>
where
    L::Config: Copied,
{
    const { assert!(is_for_all(L::ASKS), "only a law of the list can ask for that") };
    L::validate(&config)?;
    Ok(Arc::new(Brought::<L> { name: name.to_owned(), config, law: PhantomData }))
}

/// A law that can be brought.
pub trait Own: CongestionControl + Copied {}

impl<L: CongestionControl + Copied> Own for L {}

/// What a flow keeps, on any thread.
pub trait Copied: Clone + fmt::Debug + Send + Sync + 'static {}

impl<T: Clone + fmt::Debug + Send + Sync + 'static> Copied for T {}

/// Whether a law that is in no list can ask for it.
const fn is_for_all(asks: Asks) -> bool {
    let Asks { telemetry, congestion_header, pacing: _, by_rate, rate_samples: _, every_ack: _, .. } = asks;
    let is_usual = matches!(asks.marks, Marks::AsLosses) && !asks.model && !asks.each_loss;
    is_usual && !telemetry && !congestion_header && !by_rate
}

#[derive(Debug)]
struct Brought<L: Own<Config: Copied>> {
    name: String,
    config: L::Config,
    law: PhantomData<fn() -> L>,
}

impl<L: Own<Config: Copied>> Maker for Brought<L> {
    fn name(&self) -> &str {
        &self.name
    }

    fn make(&self) -> Box<dyn Foreign> {
        Box::new(OwnLaw { law: L::new(&self.config), config: self.config.clone() })
    }

    fn paces(&self) -> bool {
        L::ASKS.pacing
    }

    fn hears_news(&self) -> bool {
        L::wants(&self.config).news
    }
}

/// Such a law of one flow.
#[derive(Clone, Debug)]
struct OwnLaw<L: Own<Config: Copied>> {
    law: L,
    config: L::Config,
}

impl<L: Own<Config: Copied>> Foreign for OwnLaw<L> {
    fn set_flow(&mut self, _: u64) {}

    fn hears_every_ack(&self) -> bool {
        L::ASKS.every_ack
    }

    fn on_ack(&mut self, window: &mut Window, event: &Event) {
        self.law.on_ack(&self.config, window, event);
    }

    fn on_loss(&mut self, window: &mut Window, loss: &Loss) {
        self.law.on_loss(&self.config, window, loss);
    }

    fn on_repeated_timeout(&mut self, window: &mut Window, event: &Event) {
        self.law.on_repeated_timeout(&self.config, window, event);
    }

    fn on_idle(&mut self, window: &mut Window, restart: u64, event: &Event) {
        self.law.on_idle(&self.config, window, restart, event);
    }

    fn on_news(&mut self, window: &mut Window, news: &News) {
        self.law.on_news(&self.config, window, news);
    }

    fn pacing_rate(&self, window: &Window, srtt: Option<Duration>) -> Option<Rate> {
        self.law.pacing_rate(&self.config, window, srtt)
    }

    fn copy(&self) -> Box<dyn Foreign> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CongestionControl, LossCause, NewsWay, PathChange, Turn, reno};
    use super::*;
    use crate::cc::Algorithm;
    use crate::tcp::{Ack, Actions, SackBlock, Sender, SenderConfig};
    use units::Instant;

    /// Reno's window law, which hears news.
    #[derive(Clone, Debug)]
    struct Listening(reno::Reno);

    impl CongestionControl for Listening {
        type Config = reno::Config;

        fn new(config: &reno::Config) -> Listening {
            Listening(reno::Reno::new(config))
        }
        fn on_ack(&mut self, config: &reno::Config, window: &mut Window, event: &Event) {
            self.0.on_ack(config, window, event);
        }
        fn on_loss(&mut self, config: &reno::Config, window: &mut Window, loss: &Loss) {
            self.0.on_loss(config, window, loss);
        }
        fn on_news(&mut self, _: &reno::Config, window: &mut Window, news: &News) {
            window.cwnd = match news.change.turn {
                Turn::Up => 3 * window.cwnd,
                Turn::Down | Turn::Same => window.cwnd / 3,
            };
        }
        fn wants(_: &reno::Config) -> Wants {
            Wants { news: true, ..Wants::default() }
        }
    }

    fn sender(algorithm: Algorithm) -> Sender {
        let mut config = SenderConfig { algorithm, mss: 1000, ..SenderConfig::default() };
        config.laws.external.maker = Some(brought::<Listening>("reno from outside", reno::Config::default()).unwrap());
        Sender::new(Arc::new(config))
    }

    #[test]
    fn a_law_from_outside_moves_the_window_as_the_same_law_within() {
        let (mut inner, mut outer) = (sender(Algorithm::Sack), sender(Algorithm::External));
        let (mut one, mut two) = (Actions::default(), Actions::default());
        inner.write(Instant::ZERO, u64::MAX, &mut one);
        outer.write(Instant::ZERO, u64::MAX, &mut two);
        let mut ack = 0;
        for step in 1..400u64 {
            // Every 37th ACK reports a hole behind `ack`, three times; the others move on by a segment.
            let now = Instant::ZERO + Duration::from_millis(step);
            let holes = step % 37 < 3;
            ack += if holes { 0 } else { 1000 };
            let block = [SackBlock { start: ack + 1000, end: ack + 1000 * (2 + step % 37) }];
            let sack: &[SackBlock] = if holes { &block } else { &[] };
            let news = Ack { ack, window: 1 << 40, sack, ecn_echo: false };
            inner.handle_ack(now, &news, &mut one);
            outer.handle_ack(now, &news, &mut two);
            assert_eq!(
                (inner.cwnd(), inner.ssthresh(), inner.snd_nxt()),
                (outer.cwnd(), outer.ssthresh(), outer.snd_nxt())
            );
        }
        assert_eq!(one.segments, two.segments);
        assert!(inner.stats().fast_retransmits > 3);
        let cut = |sender: &mut Sender| {
            sender.handle_timeout(sender.next_timeout().unwrap(), &mut Actions::default());
            (sender.cwnd(), sender.ssthresh())
        };
        assert_eq!(cut(&mut inner), cut(&mut outer.clone()));
    }

    #[test]
    fn a_law_from_outside_hears_news_and_what_its_window_admits_leaves_at_once() {
        let (mut outer, mut actions) = (sender(Algorithm::External), Actions::default());
        outer.write(Instant::ZERO, u64::MAX, &mut actions);
        let (before, sent) = (outer.cwnd(), actions.segments.len() as u64);
        let now = Instant::ZERO + Duration::from_millis(1);
        let (way, division, capacity, base_rtt) = (NewsWay::Message, Some(1), None, None);
        let change = |turn, at| PathChange { way, turn, division, capacity, base_rtt, at };
        outer.handle_news(now, change(Turn::Up, now), &mut actions);
        assert_eq!((outer.cwnd(), actions.segments.len() as u64), (3 * before, 3 * sent));
        outer.handle_news(now, change(Turn::Down, now), &mut actions);
        assert_eq!((outer.cwnd(), actions.segments.len() as u64), (before, 3 * sent));
        // A law of Reno's does not listen.
        let mut inner = sender(Algorithm::Sack);
        inner.handle_news(now, change(Turn::Up, now), &mut actions);
        assert_eq!(inner.cwnd(), before);
    }

    #[test]
    fn without_a_maker_a_loss_acts_as_in_tcp() {
        let mut law = External::new(&Config::default());
        let mut window = Window { cwnd: 10_000, ssthresh: u64::MAX, mss: 1000 };
        law.on_ack(&Config::default(), &mut window, &Event::ack(1000));
        law.on_loss(&Config::default(), &mut window, &Loss::of(LossCause::FastRetransmit, 8000));
        assert_eq!((window.cwnd, window.ssthresh), (4000, 4000));
    }
}
