//! `application` of a traffic: what writes into a TCP connection, and when.

use super::Sojourn;
use crate::language::keys::{Form, Table, Written, keys, more_than_zero};
use crate::language::{At, Fault, Size, Speed, Time};
use schemars::JsonSchema;
use serde::Deserialize;

/// What an application writes, and when; the key `kind` chooses. A connection sends what is written as its window
/// permits; what it cannot send yet waits.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(tag = "kind")]
pub enum Application {
    /// Requests, one after the other: each is answered by a number of bytes, and when the last is acknowledged the next
    /// request comes after a time to think. The requests themselves are not sent.
    RequestResponse(RequestResponse),
    /// The same number of bytes in equal steps of time, as media players and sensors send them.
    Paced(PacedWriter),
    /// The same in on-times, and nothing in off-times.
    OnOff(OnOffWriter),
}

impl Form for Application {
    fn form(&self) -> Written {
        let (kind, table) = match self {
            Application::RequestResponse(table) => ("request-response", table.explained()),
            Application::Paced(table) => ("paced", table.explained()),
            Application::OnOff(table) => ("on-off", table.explained()),
        };
        Written::Table(table.of_kind("kind", kind))
    }

    fn check_keys(&self) -> Result<(), Fault> {
        match self {
            Application::RequestResponse(table) => table.check(),
            Application::Paced(table) => table.check(),
            Application::OnOff(table) => table.check(),
        }
    }
}

keys! {
    /// Requests, one after the other.
    pub struct RequestResponse {
        /// Bytes of a response.
        pub response: At<Size>;
        /// The law of the time between a response and the next request.
        pub think: At<Sojourn>;
    }
}

keys! {
    /// Equal steps.
    pub struct PacedWriter {
        /// Bytes that are written at once, such as a frame of a film.
        pub write: At<Size>;
        /// The time from one to the next.
        pub every: At<Time>, in more_than_zero();
    }
}

keys! {
    /// Equal steps in on-times.
    pub struct OnOffWriter {
        /// Bytes that are written at once.
        pub write: At<Size>;
        /// Bit rate of what is written while on.
        pub rate: At<Speed>;
        /// The law of the on-times.
        pub on: At<Sojourn>;
        /// The law of the off-times.
        pub off: At<Sojourn>;
    }
}
