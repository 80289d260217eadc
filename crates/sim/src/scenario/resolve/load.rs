//! What a flow sends.

use super::Context;
use crate::applications::Application;
use crate::applications::sojourn::{Sojourn, apart, enough};
use crate::language::keys::{Reserved, Table};
use crate::language::{At, Fault, FlowSize, quoted};
use crate::model::{FlowSizes, Load, MAX_EXPONENTIAL_MEAN, Protocol, SizeLaw, TransportKind};
use crate::scenario::spec::{self, LoadLaw, Traffic};
use options::Words;
use units::{Bytes, Rate};

/// Refuses what is for another protocol.
pub(super) fn refuse_of_others(table: &Traffic, protocol: Protocol) -> Result<(), Fault> {
    let (own, others): (Vec<Reserved>, _) = table.reserved().into_iter().partition(|one| one.user == protocol.word());
    let Some((key, user, place)) = others.into_iter().find_map(|one| Some((one.key, one.user, one.given?))) else {
        return Ok(());
    };
    let takes: Vec<String> = own.iter().map(|one| quoted(one.key)).collect();
    let message = format!("is for {user}; this transport is {}, which takes {}", protocol.word(), takes.join(", "));
    Err(Fault::new(place, format!("the key {} {message}", quoted(key))))
}

/// Greedy or a size for segments; a rate for datagrams.
pub(super) fn resolve(
    table: &At<Traffic>,
    kind: &TransportKind,
    sizes: Option<&FlowSizes>,
    context: &mut Context,
) -> Result<Load, Fault> {
    if kind.loses() {
        refuse_of_losers(table)?;
    }
    if let (Some(sizes), Some(law)) = (sizes, &table.size_law) {
        return drawn(table, law, sizes);
    }
    match (kind.datagram(), &table.application) {
        (Some(size), _) => datagrams(table, size),
        (None, Some(application)) if kind.needs_header() => {
            Err(application.fault("does not go with xcp, whose packets carry a congestion header; allowed: size"))
        }
        (None, Some(application)) if kind.reads_telemetry() => {
            Err(application.fault("does not go with a law whose packets carry telemetry; allowed: size"))
        }
        (None, Some(application)) => writes(table, application, context),
        (None, None) => stream(table),
    }
}

/// Datagrams that are lost never arrive, so that nothing may wait for all of them.
fn refuse_of_losers(table: &Traffic) -> Result<(), Fault> {
    let message = "nothing waits until all datagrams have arrived, for some may be lost; allowed: size = \"greedy\", \
                   or an application of kind \"paced\" or \"on-off\"";
    match (&table.size_law, &table.application, *table.size) {
        (Some(law), ..) => Err(law.fault(message)),
        (_, Some(application), _) if matches!(**application, Application::RequestResponse(_)) => {
            Err(application.fault(message))
        }
        (.., FlowSize::Bytes(_)) => Err(table.size.fault(message)),
        _ => Ok(()),
    }
}

fn stream(table: &Traffic) -> Result<Load, Fault> {
    match *table.size {
        FlowSize::Greedy => Ok(Load::Greedy),
        FlowSize::Bytes(0) => Err(table.size.fault("found \"0 B\"; allowed: at least 1 B")),
        FlowSize::Bytes(bytes) => Ok(Load::Size(Bytes(bytes))),
    }
}

/// Drawn sizes: a flow of their mean.
fn drawn(table: &Traffic, law: &At<spec::FlowSizeLaw>, sizes: &FlowSizes) -> Result<Load, Fault> {
    if let FlowSize::Bytes(_) = *table.size {
        return Err(table.size.fault("there is a size_law; allowed: size or size_law"));
    }
    match &table.application {
        Some(_) => Err(law.fault("there is an application; allowed: size_law or application")),
        None => Ok(Load::Size(FlowSizes::whole(sizes.mean()))),
    }
}

/// What an application writes.
fn writes(table: &Traffic, application: &At<Application>, context: &mut Context) -> Result<Load, Fault> {
    if let FlowSize::Bytes(_) = *table.size {
        return Err(table.size.fault("there is an application; allowed: size or application"));
    }
    context.applications.push(application.check()?);
    Ok(Load::Writes(context.applications.len() as u32 - 1))
}

fn datagrams(table: &At<Traffic>, packet_size: u32) -> Result<Load, Fault> {
    let Some(rate) = table.rate else { return Err(table.fault("the key \"rate\" is missing: the rate of a UDP flow")) };
    let rate = apart(rate, packet_size)?;
    Ok(match table.load.0 {
        LoadLaw::Constant => Load::Constant(rate),
        LoadLaw::Poisson => Load::Poisson { rate, sizes: sizes(table, packet_size)? },
        LoadLaw::OnOff => on_off(table, rate, packet_size)?,
    })
}

fn sizes(table: &Traffic, packet_size: u32) -> Result<SizeLaw, Fault> {
    let law = table.sizes.0;
    if law == SizeLaw::Exponential && packet_size > MAX_EXPONENTIAL_MEAN {
        let message = format!("the mean is {packet_size} B; allowed: at most {MAX_EXPONENTIAL_MEAN} B");
        return Err(table.sizes.fault(message));
    }
    Ok(law)
}

fn on_off(table: &At<Traffic>, rate: Rate, packet_size: u32) -> Result<Load, Fault> {
    let (Some(on), Some(off)) = (&table.on, &table.off) else {
        return Err(table.fault(
            "load = \"on-off\" needs the keys \"on\" and \"off\", such as {law = \"pareto\", mean = \
            \"10 ms\", shape = 1.5}",
        ));
    };
    let (on_law, off_law) = (Sojourn::resolve(on)?, Sojourn::resolve(off)?);
    enough(on, on_law, rate, packet_size)?;
    Ok(Load::OnOff { rate, on: on_law, off: off_law })
}
