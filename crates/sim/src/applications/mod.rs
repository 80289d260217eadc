//! Applications: what writes into a flow now and then, one file a kind, above any kind of host that carries a stream.
//!
//! | file | holds |
//! |---|---|
//! | `request_response` | a response when a request comes |
//! | `paced` | the same number of bytes in equal steps |
//! | `on_off` | the same in on-times |
//! | `sojourn` | how long something lasts, and rates that go with it |
//!
//! Another one is a file here and one line in `kinds!` (and its `mod`).

mod on_off;
mod paced;
mod request_response;
pub(crate) mod sojourn;

use crate::engine::node::machine::ApplicationMaker;
use crate::language::Fault;
use crate::language::keys::{Form, Table, Written};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

macro_rules! kinds {
    (
        #![doc = $first:literal] #![doc = $second:literal]
        $($(#[doc = $doc:literal])+ $variant:ident = $name:literal: $module:ident;)+
    ) => {
        #[doc = $first]
        #[doc = $second]
        #[derive(Clone, Debug, Deserialize, JsonSchema)]
        #[schemars(tag = "kind")]
        pub enum Application { $($(#[doc = $doc])+ #[serde(rename = $name)] $variant($module::Keys)),+ }

        impl Form for Application {
            fn form(&self) -> Written {
                let (kind, table) = match self { $(Application::$variant(table) => ($name, table.explained())),+ };
                Written::Table(table.of_kind("kind", kind))
            }

            fn check_keys(&self) -> Result<(), Fault> {
                match self { $(Application::$variant(table) => table.check()),+ }
            }
        }

        impl Application {
            /// Checks the keys against one another; what comes out makes the application of each flow.
            pub(crate) fn check(&self) -> Result<Arc<dyn ApplicationMaker>, Fault> {
                match self { $(Application::$variant(table) => $module::check(table)),+ }
            }
        }
    };
}

kinds! {
    //! What an application writes, and when; the key `kind` chooses. A connection sends what is written as its window
    //! permits; what it cannot send yet waits.

    /// Requests, one after the other: each is answered by a number of bytes, and when the last is acknowledged the next
    /// request comes after a time to think. The requests themselves are not sent.
    RequestResponse = "request-response": request_response;
    /// The same number of bytes in equal steps of time, as media players and sensors send them.
    Paced = "paced": paced;
    /// The same in on-times, and nothing in off-times.
    OnOff = "on-off": on_off;
}
