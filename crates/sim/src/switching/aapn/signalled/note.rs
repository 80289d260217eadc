//! What a user is told of queues that follow their grants: which remedy keeps them from starving, or that none does.

use super::expect;
use crate::model::Scenario;
use crate::switching::aapn::plan::Aapn;
use control::demand::Reading;
use control::signalling::{Sharing, Spare};
use options::Words;

/// A sentence, with one that is served badly by the remedy, if there is one.
pub fn remedies(aapn: &Aapn, sharing: &Sharing, scenario: &Scenario) -> String {
    match expect::worst_served(aapn, sharing.spare, scenario) {
        Some(worst) => format!("{}; {worst}", named(sharing)),
        None => named(sharing),
    }
}

/// The remedies by name.
fn named(sharing: &Sharing) -> String {
    let mut remedies = Vec::new();
    if sharing.spare != Spare::Idle {
        remedies.push(format!("spare_slots = \"{}\"", sharing.spare.word()));
    }
    if sharing.floor > 0 {
        remedies.push(format!("floor = {}", sharing.floor));
    }
    if sharing.probe > 0 {
        remedies.push(format!("probe = {}", f64::from(sharing.probe) / 1000.0));
    }
    if sharing.reading == Reading::Rate {
        remedies.push("request_means = \"rate\"".to_owned());
    }
    let what = "queues that follow their slots (XCP-CL)";
    match remedies.is_empty() {
        true => format!(
            "{what} starve: the master grants what is asked for and no more; a remedy is spare_slots = \"using\""
        ),
        false => format!("{what} are kept from starving by {}", remedies.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_remedy_is_named_and_the_lack_of_one() {
        assert!(named(&Sharing::LITERAL).contains("starve: "));
        let all = Sharing { spare: Spare::All, floor: 2, probe: 250, reading: Reading::Rate, ..Sharing::LITERAL };
        let said = "by spare_slots = \"all\", floor = 2, probe = 0.25, request_means = \"rate\"";
        assert!(named(&all).ends_with(said), "{}", named(&all));
    }
}
