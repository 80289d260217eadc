//! Reservation of wavelengths for bursts at an output fibre of an optical burst switch.
//!
//! A burst header says when its burst will arrive and how long it lasts. The switch books a wavelength of the next
//! fibre for just that time, or refuses the burst: there is no buffer but, perhaps, some lengths of fibre.
//!
//! | file | holds |
//! |---|---|
//! | `timetable`, `voids` | what is booked on the channels |
//! | `horizon`, `lauc_vf`, `min_ev`, `best_fit`, `first_fit` | which channel a burst gets |
//! | `fibre` | a fibre with its rules: signalling, conversion, delay lines, guard and switching times |

mod best_fit;
mod fibre;
mod first_fit;
mod horizon;
mod lauc_vf;
mod min_ev;
mod timetable;
mod voids;

pub use fibre::{Arriving, Booking, Conversion, DelayLines, Fibre, FibreConfig, Refusal, Signalling};
pub use timetable::{Assignment, Timetable, Wish};
pub use voids::Void;

use options::registry;
use std::fmt::Debug;

/// A rule that chooses a channel. It remembers nothing.
pub trait Rule: Debug + Send + Sync {
    /// Where to book the wish; `None` if this rule finds no channel.
    fn choose(&self, table: &Timetable, wish: &Wish) -> Option<Assignment>;
}

/// A rule as it can be named.
pub type Entry = options::Entry<Algorithm, &'static dyn Rule>;

registry! {
    /// The rules by name.
    pub enum Algorithm: &'static dyn Rule {
        Horizon = "horizon", "Turner 1999; LAUC of Xiong, Vandenhoute, Cankaya 2000",
            "Behind the last reservation only: the channel that was free for the shortest time.": &horizon::Horizon;
        LaucVf = "lauc-vf", "Xiong, Vandenhoute, Cankaya 2000",
            "Voids too: of all free channels, the one whose reservation before the burst ends latest.":
            &lauc_vf::LaucVf;
        MinSv = "min-sv", "Xu, Qiao, Li, Xu 2003",
            "The least void before the burst, which is the choice of lauc-vf.": &lauc_vf::LaucVf;
        MinEv = "min-ev", "Xu, Qiao, Li, Xu 2003",
            "The void with the least left behind the burst; without one as horizon.": &min_ev::MinEv;
        BestFit = "best-fit", "Xu, Qiao, Li, Xu 2003",
            "The shortest void that holds the burst; without one as horizon.": &best_fit::BestFit;
        FirstFit = "first-fit", "the baseline without a choice",
            "The first channel that is free for the whole burst.": &first_fit::FirstFit;
    }
}

/// Every rule there is, in a fixed order.
pub fn registry() -> &'static [Entry] {
    Algorithm::REGISTRY
}

impl Algorithm {
    /// The rule itself.
    pub fn rule(self) -> &'static dyn Rule {
        self.entry().item
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_found_under_its_name() {
        for entry in registry() {
            assert_eq!(Algorithm::from_name(entry.name), Some(entry.choice));
            assert_eq!(entry.choice.name(), entry.name);
        }
        assert_eq!(Algorithm::from_name("lauc"), None);
    }
}
