//! Options of machines, as Python gives them and as its package lists them.

use options::{Key, Kind, Options, Value, WordList};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt};
use sim::language::nearest;
use transport::tcp::{self, keys};
use transport::xcp::RouterConfig;
use units::{BufferSize, Duration};

/// Sets an option from what Python has for its kind.
pub fn set(options: &mut dyn Options, place: usize, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let Key { name, kind, .. } = options.keys()[place];
    let value = match kind {
        Kind::Flag => Value::Flag(value.extract().or_else(|_| not(name, value, "True or False"))?),
        Kind::Whole(_) | Kind::Bytes => {
            Value::Whole(value.extract::<u32>().or_else(|_| not(name, value, WHOLE))?.into())
        }
        Kind::Number(_) => Value::Number(value.extract().or_else(|_| not(name, value, "a number"))?),
        Kind::Window => Value::Whole(value.extract().or_else(|_| not(name, value, "a whole number of bytes"))?),
        Kind::Time(_) | Kind::Delay => Value::Time(span(name, value)?),
        Kind::Room => Value::Room(
            units::parse_packets_or_bytes(&value.extract::<String>().or_else(|_| not(name, value, "a size in words"))?)
                .map_err(|why| PyValueError::new_err(format!("{name} is '{value}': {why}")))?,
        ),
        Kind::Word(list) => word(name, list, value, "")?,
        Kind::Segments(list) => match value.extract::<u32>() {
            Ok(segments) => Value::Whole(segments.into()),
            Err(_) => word(name, list, value, "a number of segments, ")?,
        },
    };
    options.set(place, value);
    Ok(())
}

const WHOLE: &str = "a whole number from 0 to 4294967295";

/// The error for a value that is not what the option takes: of the wrong kind, or a number out of range.
fn not<T>(name: &str, value: &Bound<'_, PyAny>, allowed: &str) -> PyResult<T> {
    let message = format!("{name} is {}, must be {allowed}", value.repr()?);
    let is_number = value.is_instance_of::<PyInt>() || value.is_instance_of::<PyFloat>();
    Err(if is_number { PyValueError::new_err(message) } else { PyTypeError::new_err(message) })
}

/// One of the words of a list; `or` is what else it may be.
fn word(name: &str, list: &WordList, value: &Bound<'_, PyAny>, or: &str) -> PyResult<Value> {
    let found = value.extract::<String>().ok();
    let known = list.words.iter().find(|one| Some(one.word) == found.as_deref());
    if let Some(known) = known {
        return Ok(Value::Word(known.word));
    }
    let (last, before) = list.words.split_last().expect("a choice has words");
    let before: Vec<String> = before.iter().map(|one| format!("'{}'", one.word)).collect();
    let (before, found) = (before.join(", "), value.repr()?);
    Err(PyValueError::new_err(format!("{name} must be {or}{before} or '{}', not {found}", last.word)))
}

/// (name, type, default, meaning, algorithms); the algorithms are none if all have it.
type Described = (String, String, String, String, Vec<String>);

/// Every option of senders ("sender"), of receivers ("receiver"), of QUIC's ("quic-sender", "quic-receiver"), of queues
/// ("queue") or of XCP's routers ("router").
#[pyfunction]
pub fn transport_options(of: &str) -> Vec<Described> {
    let all = match of {
        "sender" => keys::all(),
        "receiver" => keys::of(&tcp::ReceiverConfig::default(), &[]),
        "queue" => return queue_options(),
        "quic-sender" => keys::of(&transport::quic::Config::default(), &[]),
        "quic-receiver" => keys::of(&transport::quic::ReceiverConfig::default(), &[]),
        _ => keys::of(&RouterConfig::default(), &[]),
    };
    all.iter().map(described).collect()
}

fn described(one: &keys::SenderKey) -> Described {
    of_key(&one.key, one.default, one.algorithms.iter().map(|name| (*name).to_owned()).collect())
}

fn of_key(key: &Key, default: Value, users: Vec<String>) -> Described {
    let meaning = key.meaning.split_whitespace().collect::<Vec<_>>().join(" ");
    (key.name.to_owned(), type_of(&key.kind), default_of(default), meaning, users)
}

/// The options of every discipline, in the order of the disciplines.
fn queue_options() -> Vec<Described> {
    let disciplines = sim::queue::list().iter().filter_map(|entry| sim::queue::Config::named(entry.name));
    let of = |config: sim::queue::Config| {
        let keys = config.options().map_or(&[][..], Options::keys).iter().enumerate();
        let get = |place| config.options().map_or(Value::Nothing, |options| options.get(place));
        let users = || vec![config.name().to_owned()];
        keys.map(|(place, key)| of_key(key, get(place), users())).collect::<Vec<_>>()
    };
    disciplines.flat_map(of).collect()
}

/// The type of an option in Python's words.
fn type_of(kind: &Kind) -> String {
    let words = |list: &WordList| {
        let words: Vec<String> = list.words.iter().map(|one| format!("\"{}\"", one.word)).collect();
        format!("Literal[{}]", words.join(", "))
    };
    match kind {
        Kind::Flag => "bool".to_owned(),
        Kind::Whole(_) | Kind::Bytes | Kind::Window => "int".to_owned(),
        Kind::Number(_) | Kind::Time(_) | Kind::Delay => "float".to_owned(),
        Kind::Room => "str".to_owned(),
        Kind::Word(list) => words(list),
        Kind::Segments(list) => format!("int | {}", words(list)),
    }
}

/// A default as Python writes it; empty if it is none.
fn default_of(value: Value) -> String {
    match value {
        Value::Nothing => String::new(),
        Value::Flag(flag) => if flag { "True" } else { "False" }.to_owned(),
        Value::Whole(number) => number.to_string(),
        Value::Number(number) => format!("{number:?}"),
        Value::Time(span) => format!("{span}"),
        Value::Room(BufferSize::Packets(packets)) => format!("\"{packets} packets\""),
        Value::Room(BufferSize::Bytes(bytes)) => format!("\"{bytes}\""),
        Value::Room(BufferSize::Time(span)) => format!("\"{span}\""),
        Value::Room(BufferSize::Unlimited) => "\"unlimited\"".to_owned(),
        Value::Word(word) => format!("\"{word}\""),
    }
}

/// Calls `set` for every option that is not `None`.
pub fn each(
    options: Option<&Bound<'_, PyDict>>,
    mut set: impl FnMut(&str, &Bound<'_, PyAny>) -> PyResult<()>,
) -> PyResult<()> {
    for (name, value) in options.into_iter().flat_map(|options| options.iter()).filter(|(_, value)| !value.is_none()) {
        set(&name.extract::<String>()?, &value)?;
    }
    Ok(())
}

/// A span of time in seconds.
pub fn span(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Duration> {
    let seconds = value.extract().or_else(|_| not(name, value, "seconds"))?;
    Duration::from_secs_f64(seconds)
        .ok_or_else(|| PyValueError::new_err(format!("{name} is {seconds}, must be seconds")))
}

/// Parameters that a machine cannot run with.
pub fn wrong(error: tcp::ConfigError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// An option that this algorithm does not have, or none has.
pub fn misplaced(name: &str) -> PyErr {
    match keys::users(name) {
        Some(users) => PyValueError::new_err(format!("{name} is for {users}")),
        None => {
            let keys = keys::all();
            unknown_option(name, keys.iter().map(|one| one.key.name))
        }
    }
}

/// A name that is none of these.
pub fn unknown_name(what: &str, name: &str, names: &[&str]) -> PyErr {
    let advice = nearest(name, names.iter().copied()).map_or(String::new(), |near| format!("; nearest: {near}"));
    PyValueError::new_err(format!("{what} '{name}' is unknown{advice}; there are: {}", names.join(", ")))
}

/// No machine has such an option; these are the ones that there are.
pub fn unknown_option<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> PyErr {
    let advice = nearest(name, known).map_or(String::new(), |near| format!("; nearest: {near}"));
    PyTypeError::new_err(format!("unknown option '{name}'{advice}"))
}
