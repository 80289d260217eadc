//! The parameters of the window laws in `[transport.NAME]`.

use crate::language::{At, Fault, given, refuse};
use crate::scenario::spec::{self, Increase, Response, XcpDuplicates, XcpLoss};
use transport::cc::xcp::{DuplicateAcks, LossReaction};
use transport::cc::{self, Algorithm, btcp, gaimd, highspeed, reno, tcp_eng};

/// The parameters of all laws; those of bursts only where `algorithm` has them.
pub(super) fn resolve(table: &spec::Transport, algorithm: Algorithm) -> Result<cc::Config, Fault> {
    let mut laws = cc::Config::default();
    burst_laws(table, algorithm, &mut laws)?;
    if let Some(increase) = table.increase {
        laws.reno.increase = match *increase {
            Increase::ByteCounting => reno::Increase::ByteCounting,
            Increase::PerAck => reno::Increase::PerAck,
        };
    }
    laws.xcp.loss = match table.loss_reaction.map(|at| *at) {
        None | Some(XcpLoss::Tcp) => LossReaction::Tcp,
        Some(XcpLoss::RepairOnly) => LossReaction::RepairOnly,
    };
    laws.xcp.duplicate_acks = match table.duplicate_acks.map(|at| *at) {
        None => laws.xcp.duplicate_acks,
        Some(XcpDuplicates::Obey) => DuplicateAcks::Obey,
        Some(XcpDuplicates::Ignore) => DuplicateAcks::Ignore,
    };
    if let Some(given) = &table.highspeed {
        high_speed(given, &mut laws.highspeed)?;
    }
    Ok(laws)
}

/// GAIMD, BAIMD, BTCP and TCP-ENG.
fn burst_laws(table: &spec::Transport, algorithm: Algorithm, laws: &mut cc::Config) -> Result<(), Fault> {
    let is_gaimd = matches!(algorithm, Algorithm::Gaimd | Algorithm::Baimd | Algorithm::TcpEng);
    if !is_gaimd {
        refuse(&given!(table; beta, alpha, relation), "is for gaimd, baimd and tcp-eng")?;
    }
    if algorithm != Algorithm::TcpEng {
        refuse(&given!(table; alpha_applies, congestion_beta), "is for tcp-eng")?;
    }
    if algorithm != Algorithm::Btcp {
        refuse(&given!(table; detector), "is for btcp")?;
    }
    let relation = table.relation.map(|relation| match *relation {
        spec::Relation::TripleDuplicate => gaimd::Relation::TripleDuplicate,
        spec::Relation::Timeout => gaimd::Relation::Timeout,
    });
    let (alpha, plain, eng) = (table.alpha.map(|alpha| *alpha), laws.gaimd, laws.tcp_eng);
    if algorithm == Algorithm::TcpEng {
        laws.tcp_eng = tcp_eng::Config {
            beta: table.beta.map_or(eng.beta, |beta| *beta),
            alpha,
            relation: relation.unwrap_or(eng.relation),
            alpha_applies: table.alpha_applies.map_or(eng.alpha_applies, |at| alpha_applies(*at)),
            congestion_beta: table.congestion_beta.map_or(eng.congestion_beta, |beta| *beta),
        };
    } else {
        let beta = table.beta.map_or(plain.beta, |beta| *beta);
        laws.gaimd = gaimd::Config { beta, alpha, relation: relation.unwrap_or(plain.relation) };
    }
    laws.btcp.detector = match table.detector.map(|detector| *detector) {
        None => laws.btcp.detector,
        Some(spec::Detector::Ble) => btcp::Detector::Ble,
        Some(spec::Detector::Back) => btcp::Detector::Back,
        Some(spec::Detector::Bnak) => btcp::Detector::Bnak,
    };
    Ok(())
}

fn alpha_applies(reading: spec::AlphaApplies) -> tcp_eng::AlphaApplies {
    match reading {
        spec::AlphaApplies::BenOnly => tcp_eng::AlphaApplies::BenOnly,
        spec::AlphaApplies::LargeWindow => tcp_eng::AlphaApplies::LargeWindow,
        spec::AlphaApplies::BenPeriod => tcp_eng::AlphaApplies::BenPeriod,
    }
}

fn high_speed(given: &At<spec::HighSpeed>, law: &mut highspeed::Config) -> Result<(), Fault> {
    let numbers = [
        (&mut law.low_window, given.low_window),
        (&mut law.low_p, given.low_p),
        (&mut law.high_window, given.high_window),
        (&mut law.high_p, given.high_p),
        (&mut law.high_decrease, given.high_decrease),
    ];
    for (number, given) in numbers {
        *number = given.map_or(*number, |at| *at);
    }
    if let Some(response) = given.response {
        law.response = match response {
            Response::Rounded => highspeed::ResponseFunction::Rounded,
            Response::Unrounded => highspeed::ResponseFunction::Unrounded,
        };
    }
    law.halve_after_slow_start = given.halve_after_slow_start.unwrap_or(law.halve_after_slow_start);
    law.validate().map_err(|why| given.fault(why.to_string()))
}
