//! Closed-form models of transport over optical networks, each from a named source and checked against something that
//! does not know its formula.
//!
//! A model is one file: what it takes and gives is declared with `model!` of declare.rs, and a function computes the
//! one from the other. The line in `MODELS` registers it; every face (command line, JSON, Python, docs/reference/models.md) shows
//! the declaration. All inputs have ranges. Outside of them, and where the equations have no solution, the answer is an
//! error that names the input; no answer is ever NaN or infinite.

// E[W] is an expectation and W[k] an element; neither is a link.
#![allow(rustdoc::broken_intra_doc_links)]

mod declare;
mod error;
mod input;
mod model;
pub mod reading;

// What several models compute with.
mod chain;
mod dlcc;
mod load_balanced;
mod quadrature;
mod xcp;

pub mod aapn;
pub mod cubic_response;
pub mod dlcc_synchronized;
pub mod dlcc_unsynchronized;
pub mod engset;
pub mod erlang_b;
pub mod gaimd;
pub mod grant_loop;
pub mod highspeed;
pub mod jet_classes;
pub mod md1k;
pub mod mesh;
pub mod mmck;
pub mod output_queue;
pub mod pftk;
pub mod retransmission;
pub mod rr_tcp_lb_obs;
pub mod sack_lb_obs;
pub mod shared_buffer;
pub mod tcp_eng;
pub mod tcp_fluid;
pub mod tfrc;
pub mod xcp_cl;
pub mod xcp_convergence;
pub mod xcp_macroflow;
pub mod xcp_packet;
pub mod xcp_stability;
pub mod xcp_two_links;

#[cfg(test)]
mod random;
#[cfg(test)]
mod rounds;

pub use error::Error;
pub use input::{Argument, Choice, Input, Kind, Range, Unit, Value};
pub use model::{Answer, Answers, Arguments, IntoAnswer, Model, Output, PointError};

/// Every model there is: those of the papers in the papers' order, then the field's standard ones.
static MODELS: &[&Model] = &[
    &dlcc_synchronized::MODEL,
    &dlcc_unsynchronized::MODEL,
    &tcp_eng::MODEL,
    &xcp_macroflow::MODEL,
    &xcp_packet::MODEL,
    &xcp_two_links::MODEL,
    &xcp_stability::MODEL,
    &xcp_convergence::MODEL,
    &xcp_cl::MODEL,
    &aapn::MODEL,
    &grant_loop::MODEL,
    &tcp_fluid::MODEL,
    &sack_lb_obs::MODEL,
    &rr_tcp_lb_obs::MODEL,
    &erlang_b::MODEL,
    &engset::MODEL,
    &md1k::MODEL,
    &mmck::MODEL,
    &output_queue::MODEL,
    &shared_buffer::MODEL,
    &jet_classes::MODEL,
    &retransmission::MODEL,
    &mesh::MODEL,
    &pftk::MODEL,
    &tfrc::MODEL,
    &highspeed::MODEL,
    &cubic_response::MODEL,
    &gaimd::MODEL,
];

/// Every model there is, in a fixed order.
pub fn models() -> &'static [&'static Model] {
    MODELS
}

/// The model of that name.
pub fn find(name: &str) -> Result<&'static Model, Error> {
    let found = MODELS.iter().find(|model| model.name == name).copied();
    found.ok_or_else(|| Error::UnknownModel { name: name.to_owned(), nearest: nearest(name) })
}

/// The name that shares most pairs of neighbouring letters with `found`, if it shares any.
fn nearest(found: &str) -> Option<&'static str> {
    let pairs = |text: &str| -> Vec<(char, char)> { text.chars().zip(text.chars().skip(1)).collect() };
    let wanted = pairs(&found.to_lowercase());
    let shared = |name: &str| {
        let have = pairs(name);
        let common = wanted.iter().filter(|pair| have.contains(pair)).count();
        2.0 * common as f64 / (wanted.len() + have.len()).max(1) as f64
    };
    let rated = MODELS.iter().map(|model| (shared(model.name), model.name)).filter(|(rating, _)| *rating > 0.2);
    rated.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for model in models() {
            assert_eq!(find(model.name).map(|found| found.name), Ok(model.name));
            assert_eq!(models().iter().filter(|other| other.name == model.name).count(), 1);
        }
        assert_eq!(find("erlangb").unwrap_err().to_string(), "no model 'erlangb'; nearest: erlang-b");
    }

    #[test]
    fn every_default_has_an_answer() {
        for model in models() {
            let answers = model.evaluate(model.arguments().values()).unwrap_or_else(|e| panic!("{}: {e}", model.name));
            assert_eq!(answers.len(), model.outputs.len());
        }
    }
}
