//! Time, sizes and rates as integer types, the parsing of quantities such as `"10 Gbps"`, and of tables (CSV).
//!
//! Conversion and rounding live here and nowhere else. Everything is an integer: time in picoseconds, sizes in bytes,
//! rates in bits per second. There is deliberately no clock, no random number and no dependency in this crate.

mod quantity;
mod rate;
mod size;
mod table;
mod time;

pub use quantity::{BufferSize, Kilometres, PortBuffer, Products, QuantityError};
pub use quantity::{parse_bytes, parse_duration, parse_length, parse_packets_or_bytes, parse_port_buffer, parse_rate};
pub use rate::{ByteTime, Rate};
pub use size::Bytes;
pub use table::{Field, Rows, Separator, TableError};
pub use time::{Duration, Instant, PS_PER_SECOND};
