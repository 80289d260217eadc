//! What a constellation's file of contacts has to have: the routes of which pairs of stations, and until when.

use crate::language::{At, Fault};
use crate::scenario::spec::{Spec, Traffic};
use crate::scenario::{Files, ImportError, Orbits};
use crate::topology::{Draft, Topology};

/// The pairs that traffic names; `None` if any does not, so that all are asked for.
fn pairs(traffic: &[At<Traffic>]) -> Option<Vec<(String, String)>> {
    let mut all = Vec::new();
    for table in traffic {
        let listed = table.list.as_ref().map(|list| {
            let ends = list.iter().map(|flow| (flow.source.to_string(), flow.destination.to_string()));
            ends.collect::<Vec<_>>()
        });
        let given = table.pairs.as_ref().and_then(|pairs| pairs.list());
        let ends =
            table.from.as_ref().zip(table.to.as_ref()).map(|(from, to)| vec![(from.to_string(), to.to_string())]);
        all.extend(listed.or(given).or(ends)?);
    }
    (!all.is_empty()).then_some(all)
}

/// Has the file of contacts made, or found, if the network is a constellation.
pub(super) fn prepare(spec: &Spec, files: Option<&dyn Files>, draft: &mut Draft) -> Result<(), Fault> {
    let Some(topology) = &spec.topology else { return Ok(()) };
    let Topology::Constellation(keys) = &**topology else { return Ok(()) };
    let Some(files) = files else {
        return Err(
            topology.fault("orbits are computed only where Python runs the scenario; there: kind = \"contacts\"")
        );
    };
    let folder = keys.cache.as_ref().map_or_else(String::new, |cache| cache.to_string());
    let orbits = Orbits { keys: keys.orbit(), pairs: pairs(&spec.traffic), duration: spec.run.duration.0, folder };
    let wrong = |why: ImportError| keys.fault(&why.message).unwrap_or_else(|| topology.fault(why.message));
    let path = files.contacts(&orbits).map_err(wrong)?;
    draft.contacts = Some(topology.mark().map(|()| path));
    Ok(())
}
