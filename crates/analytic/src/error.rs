//! What can be wrong with a question to a model. Every message names the input, what was found and what is allowed.

use std::fmt;

/// Why a model gives no answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    /// There is no model of that name.
    UnknownModel {
        /// What was asked for.
        name: String,
        /// The nearest name there is.
        nearest: Option<&'static str>,
    },
    /// The model has no input of that name.
    UnknownInput {
        /// The model.
        model: &'static str,
        /// What was given.
        name: String,
        /// The names it has.
        allowed: Vec<&'static str>,
    },
    /// A text or a kind of value that the input cannot be.
    Unreadable {
        /// The input.
        input: &'static str,
        /// What was found.
        found: String,
        /// What is allowed, or what is wrong.
        why: String,
    },
    /// A number outside of the input's range; this includes NaN and infinities.
    OutOfRange {
        /// The input.
        input: &'static str,
        /// What was found.
        value: f64,
        /// The range in words.
        allowed: String,
    },
    /// Inputs that are each in range and contradict one another, or for which the equations have no solution.
    Impossible {
        /// The input that could be changed.
        input: &'static str,
        /// Its value.
        value: f64,
        /// What contradicts it.
        why: String,
    },
    /// A column has another length than at the points before.
    Ragged {
        /// The output.
        output: &'static str,
    },
    /// The answer is beyond what a number can hold.
    NotFinite {
        /// The output.
        output: &'static str,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::UnknownModel { name, nearest } => {
                write!(f, "no model '{name}'")?;
                nearest.map_or(Ok(()), |nearest| write!(f, "; nearest: {nearest}"))
            }
            Error::UnknownInput { model, name, allowed } => {
                write!(f, "{model} has no input '{name}'")?;
                if let Some(near) = nearest(name, allowed.iter().copied()) {
                    write!(f, "; nearest: {near}")?;
                }
                write!(f, "; it has: {}", allowed.join(", "))
            }
            Error::Unreadable { input, found, why } => write!(f, "{input} = {found}: {why}"),
            Error::OutOfRange { input, value, allowed } => write!(f, "{input} = {value}: must be {allowed}"),
            Error::Impossible { input, value, why } => write!(f, "{input} = {value}: {why}"),
            Error::Ragged { output } => write!(f, "{output} has another length than at the points before"),
            Error::NotFinite { output } => write!(f, "{output} is too large for a number with these inputs"),
        }
    }
}

impl std::error::Error for Error {}

/// The name that shares most pairs of neighbouring letters with `found`, if it shares any.
pub(crate) fn nearest<'n>(found: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let pairs = |text: &str| -> Vec<(char, char)> { text.chars().zip(text.chars().skip(1)).collect() };
    let wanted = pairs(&found.to_lowercase());
    let shared = |name: &str| {
        let have = pairs(name);
        let common = wanted.iter().filter(|pair| have.contains(pair)).count();
        2.0 * common as f64 / (wanted.len() + have.len()).max(1) as f64
    };
    let rated = names.into_iter().map(|name| (shared(name), name)).filter(|(rating, _)| *rating > 0.2);
    rated.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
}
