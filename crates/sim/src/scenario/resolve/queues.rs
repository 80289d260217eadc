//! Queue disciplines at ports that cannot have them.

use crate::language::{Fault, quoted};
use crate::model::{Light, LinkId, Network, Opening};
use crate::switching::kind::Plan;
use crate::topology::Draft;

/// A discipline that decides when packets leave needs a port that stores packets and sends when it will: where light
/// passes, or waits for its slot, departures are somebody else's decision.
pub(super) fn check(network: &Network, draft: &Draft, plan: &dyn Plan) -> Result<(), Fault> {
    for (id, link) in (0..).map(LinkId).zip(&network.links).filter(|(_, link)| link.queue.is_scheduler()) {
        let rule = plan.port(network, id);
        if rule.light == Light::None && rule.opening == Opening::Always {
            continue;
        }
        let drawn = &draft.links[id.index()];
        let place = drawn.given.queue.as_ref().map_or(&drawn.place, |given| &given.place);
        let message = format!(
            "{} has the queue discipline {}, which decides when packets leave; optical links of this kind of switching \
                decide that \
             themselves",
            quoted(&link.name),
            quoted(link.queue.name())
        );
        return Err(Fault::new(place.clone().or_at(&drawn.place), message));
    }
    Ok(())
}
