//! What a flow sends.

use crate::language::keys::{Reserved, Table};
use crate::language::{At, Fault, FlowSize, Size, Speed, quoted, rate_in_range};
use crate::model::{FlowSizes, Load, MAX_EXPONENTIAL_MEAN, Protocol, SizeLaw, Sojourn, TransportKind, Writes};
use crate::scenario::spec::{self, Application, LoadLaw, SojournPareto, SojournUniform, Traffic};
use options::Words;
use units::{ByteTime, Bytes, Duration, Rate};

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
pub(super) fn resolve(table: &At<Traffic>, kind: &TransportKind, sizes: Option<&FlowSizes>) -> Result<Load, Fault> {
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
        (None, Some(application)) if kind.ndp().is_some() => {
            Err(application.fault("does not go with ndp, which is given its bytes at once; allowed: size"))
        }
        (None, Some(application)) => writes(table, application),
        (None, None) => stream(table),
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
fn writes(table: &Traffic, application: &At<Application>) -> Result<Load, Fault> {
    if let FlowSize::Bytes(_) = *table.size {
        return Err(table.size.fault("there is an application; allowed: size or application"));
    }
    Ok(match &**application {
        Application::RequestResponse(table) => {
            Load::Writes { bytes: written(table.response)?, when: Writes::Responses { think: sojourn(&table.think)? } }
        }
        Application::Paced(table) => {
            Load::Writes { bytes: written(table.write)?, when: Writes::Paced { every: table.every.0 } }
        }
        Application::OnOff(table) => {
            let bytes = written(table.write)?;
            let (rate, on, off) = (apart(table.rate, bytes)?, sojourn(&table.on)?, sojourn(&table.off)?);
            enough(&table.on, on, rate, bytes)?;
            Load::Writes { bytes, when: Writes::OnOff { rate, on, off } }
        }
    })
}

/// What is written at once.
fn written(size: At<Size>) -> Result<u32, Fault> {
    match u32::try_from(size.0.count()) {
        Ok(bytes) if bytes > 0 => Ok(bytes),
        _ => Err(size.fault(format!("found {}; allowed: 1 B to 4 GB", size.0))),
    }
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

/// A rate at which packets are a picosecond apart at least, the resolution of time.
fn apart(rate: At<Speed>, packet_size: u32) -> Result<Rate, Fault> {
    let found = rate_in_range(rate.0, || rate.place())?;
    if ByteTime::at(found).is_some_and(|byte| byte.of(packet_size) > Duration::ZERO) {
        return Ok(found);
    }
    // Half a picosecond is rounded up: 8 bits in 0.5 ps are 16 Tb/s.
    let most = Rate::from_gbps(16_000).bps() * u64::from(packet_size);
    let message = format!(
        "found \"{found}\", at which packets of {packet_size} B are less than a picosecond apart; allowed: at most \
            \"{}\"",
        Rate::from_bps(most)
    );
    Err(rate.fault(message))
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
    let (on_law, off_law) = (sojourn(on)?, sojourn(off)?);
    enough(on, on_law, rate, packet_size)?;
    Ok(Load::OnOff { rate, on: on_law, off: off_law })
}

/// A packet is collected over on-times; more than some thousand of them for each make no sense and take forever.
fn enough(on: &At<spec::Sojourn>, law: Sojourn, rate: Rate, packet_size: u32) -> Result<(), Fault> {
    let gap = ByteTime::at(rate).map_or(Duration::MAX, |byte| byte.of(packet_size));
    match law.mean().saturating_mul(1000) < gap {
        true => Err(on.fault(format!("the mean is less than a thousandth of the time between packets, \"{gap}\""))),
        false => Ok(()),
    }
}

fn sojourn(law: &At<spec::Sojourn>) -> Result<Sojourn, Fault> {
    Ok(match &**law {
        spec::Sojourn::Constant(constant) => Sojourn::Constant(constant.mean.0),
        spec::Sojourn::Exponential(exponential) => Sojourn::Exponential(exponential.mean.0),
        spec::Sojourn::Uniform(table) => uniform(table)?,
        spec::Sojourn::Pareto(pareto) => Sojourn::Pareto { mean: pareto.mean.0, shape: shape(law, pareto)? },
    })
}

fn uniform(table: &SojournUniform) -> Result<Sojourn, Fault> {
    let (least, most) = (table.least.0, table.most.0);
    if most > least {
        return Ok(Sojourn::Uniform { least, most });
    }
    Err(table.most.fault(format!("found \"{most}\"; allowed: more than least, \"{least}\"")))
}

fn shape(law: &At<spec::Sojourn>, pareto: &SojournPareto) -> Result<f64, Fault> {
    match (pareto.shape, pareto.hurst) {
        (Some(_), Some(hurst)) => Err(hurst.fault("there is a shape already; allowed: shape or hurst")),
        (Some(shape), None) => Ok(*shape),
        (None, Some(hurst)) => Ok(3.0 - 2.0 * *hurst),
        (None, None) => Err(law.fault("the key \"shape\" (or \"hurst\") is missing")),
    }
}
