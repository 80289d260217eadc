//! `[sharing]`: what a master grants besides the letter of the requests.

use super::value;
use control::demand::Reading;
use control::scheduler::FrameScheduler;
use control::signalling::{Sharing, Spare};
use options::Words;
use serde::{Deserialize, Deserializer, de::Error};
use units::Duration;

/// `[sharing]`. The defaults are the letter of the requests.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SharingConfig {
    /// `all`, `asking`, `using` or `idle`.
    #[serde(default = "idle", deserialize_with = "word")]
    spare_slots: Spare,
    /// Slots of every frame that a queue counts as wanting at least while it asks.
    #[serde(default, deserialize_with = "floor")]
    floor: u32,
    /// A request counts for this much more than it says.
    #[serde(default, deserialize_with = "probe")]
    probe: f64,
    /// `backlog` or `rate`.
    #[serde(default = "backlog", deserialize_with = "word")]
    request_means: Reading,
    /// A queue that has asked counts as asking for so long.
    #[serde(default = "one_second", deserialize_with = "value::duration")]
    idle_timeout: Duration,
}

fn idle() -> Spare {
    Sharing::LITERAL.spare
}

fn backlog() -> Reading {
    Sharing::LITERAL.reading
}

fn one_second() -> Duration {
    Sharing::IDLE_TIMEOUT
}

fn word<'de, D: Deserializer<'de>, W: Words>(from: D) -> Result<W, D::Error> {
    let text = String::deserialize(from)?;
    W::from_word(&text).ok_or_else(|| {
        let words: Vec<_> = W::LIST.words.iter().map(|word| format!("'{}'", word.word)).collect();
        D::Error::custom(format!("found '{text}'; allowed: {}", words.join(", ")))
    })
}

fn floor<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    let found = u32::deserialize(from)?;
    match found <= FrameScheduler::MAX_FRAME {
        true => Ok(found),
        false => {
            let most = FrameScheduler::MAX_FRAME;
            Err(D::Error::custom(format!("floor is {found}; allowed: 0 to {most} slots")))
        }
    }
}

fn probe<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    let (found, most) = (f64::deserialize(from)?, f64::from(Sharing::MOST_PROBE) / 1000.0);
    match (0.0..=most).contains(&found) {
        true => Ok(found),
        false => Err(D::Error::custom(format!("probe is {found:?}; allowed: 0 to {most} times what is asked for"))),
    }
}

impl SharingConfig {
    /// The master's rules.
    pub(crate) fn sharing(&self) -> Sharing {
        Sharing {
            spare: self.spare_slots,
            floor: self.floor,
            probe: (self.probe * 1000.0).round() as u32,
            reading: self.request_means,
            idle_timeout: self.idle_timeout,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Sharing, String> {
        toml::from_str::<SharingConfig>(text).map(|config| config.sharing()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_master_follows_the_letter_unless_told_otherwise() {
        assert_eq!(parsed(""), Ok(Sharing::LITERAL));
        let text = "spare_slots = 'asking'\nfloor = 2\nprobe = 0.25\nrequest_means = 'rate'\nidle_timeout = '2 s'";
        let all = Sharing {
            spare: Spare::Asking,
            floor: 2,
            probe: 250,
            reading: Reading::Rate,
            idle_timeout: Duration::from_secs(2),
        };
        assert_eq!(parsed(text), Ok(all));
    }

    #[test]
    fn what_cannot_be_is_refused_with_the_range() {
        let refused = [
            ("spare_slots = 'some'", "allowed: 'all', 'asking', 'using', 'idle'"),
            ("request_means = 'speed'", "allowed: 'backlog', 'rate'"),
            ("floor = 2000000", "allowed: 0 to 1048576 slots"),
            ("probe = -0.1", "allowed: 0 to 10 times what is asked for"),
            ("probe = nan", "allowed: 0 to 10 times what is asked for"),
            ("idle_timeout = '1 m/s'", "'1 m/s'"),
        ];
        for (text, allowed) in refused {
            let why = parsed(text).unwrap_err();
            assert!(why.contains(allowed), "{text}: {why}");
        }
    }
}
