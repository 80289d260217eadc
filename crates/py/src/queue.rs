//! Queues, driven by hand. Times are seconds, sizes bytes, buffers and thresholds text such as "20 packets", "30 kB" or
//! "5 ms".

use crate::clock::reading;
use crate::options::{each, set, unknown_option, wrong};
use crate::xcp::rate;
use options::Options;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sim::queue::{self, ByHand, Dropped, Ecn, Item, Reason, Room, Site};
use sim::random::Seed;
use units::{BufferSize, ByteTime, Bytes, Instant, Rate};

/// (number, flow, size, ecn, priority, arrival in seconds, reason or "").
type Packet = (u32, u64, u16, &'static str, u8, f64, &'static str);

const ECN: [(&str, Ecn); 4] =
    [("not-ect", Ecn::NotCapable), ("ect0", Ecn::Classic), ("ect1", Ecn::Scalable), ("ce", Ecn::Marked)];

/// `sim::queue::ByHand` with its clock.
#[pyclass(module = "photocol._core")]
pub struct Queue {
    machine: ByHand,
    now: Instant,
    next: u32,
}

#[pymethods]
impl Queue {
    #[new]
    #[pyo3(signature = (discipline, buffer, capacity, seed=1, **options))]
    fn new(
        discipline: &str,
        buffer: &str,
        capacity: &Bound<'_, PyAny>,
        seed: u64,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Queue> {
        let mut config = queue::Config::named(discipline).ok_or_else(|| unknown_discipline(discipline))?;
        each(options, |name, value| {
            match config.options_mut().and_then(|options| Some((options.find(name)?, options))) {
                Some((place, options)) => set(options, place, value),
                None => {
                    let keys = config.options().map_or(&[][..], Options::keys);
                    Err(unknown_option(name, keys.iter().map(|key| key.name)))
                }
            }
        })?;
        config.validate().map_err(wrong)?;
        let capacity = rate(capacity)?;
        let site = Site { byte_time: byte_time(capacity)?, stream: Seed { seed, run: 0 }.stream("queue", "by hand") };
        let machine = ByHand::new(&config.at(capacity), room(buffer, capacity)?, site);
        Ok(Queue { machine, now: Instant::ZERO, next: 0 })
    }

    /// A packet comes; what is dropped for it.
    #[pyo3(signature = (t, flow, size, ecn="not-ect", priority=0))]
    fn enqueue(&mut self, t: f64, flow: u64, size: u32, ecn: &str, priority: u8) -> PyResult<Vec<Packet>> {
        let words: Vec<&str> = ECN.iter().map(|(word, _)| *word).collect();
        let unknown = || PyValueError::new_err(format!("ecn is '{ecn}', must be one of {}", words.join(", ")));
        let ecn = ECN.iter().find(|(word, _)| *word == ecn).map(|(_, ecn)| *ecn).ok_or_else(unknown)?;
        let out_of_range = || PyValueError::new_err(format!("size is {size}, must be from 1 to {} B", u16::MAX));
        let size = u16::try_from(size).ok().filter(|size| *size > 0).ok_or_else(out_of_range)?;
        let too_many = || PyValueError::new_err("a queue by hand numbers 2^32 packets");
        let next = self.next.checked_add(1).ok_or_else(too_many)?;
        self.now = reading(self.now, Some(t))?;
        let item = Item { id: self.next, size, priority, ecn, flow, arrived: self.now.ps(), ..Item::default() };
        self.next = next;
        Ok(self.machine.enqueue(self.now.ps(), item).iter().map(dropped).collect())
    }

    /// The next packet leaves, if there is one; and what is dropped before it.
    fn dequeue(&mut self, t: f64) -> PyResult<(Option<Packet>, Vec<Packet>)> {
        self.now = reading(self.now, Some(t))?;
        let (item, gone) = self.machine.dequeue(self.now.ps());
        Ok((item.as_ref().map(|item| packet(item, "")), gone.iter().map(dropped).collect()))
    }

    /// What its link carries from now on.
    fn set_capacity(&mut self, capacity: &Bound<'_, PyAny>) -> PyResult<()> {
        self.machine.set_byte_time(byte_time(rate(capacity)?)?);
        Ok(())
    }

    /// Packets and bytes that wait.
    #[getter]
    fn held(&self) -> (u64, u64) {
        let held = self.machine.held();
        (held.packets, held.bytes)
    }

    /// What the discipline knows of congestion, by name.
    #[getter]
    fn figures(&self) -> Vec<(&'static str, f64)> {
        self.machine.figures()
    }
}

fn byte_time(capacity: Rate) -> PyResult<ByteTime> {
    let too_slow = || PyValueError::new_err(format!("capacity is {capacity}, must be at least 8 bit/s"));
    ByteTime::at(capacity).ok_or_else(too_slow)
}

fn unknown_discipline(name: &str) -> PyErr {
    let names: Vec<&str> = queue::list().iter().map(|entry| entry.name).collect();
    PyValueError::new_err(format!("there is no queue discipline '{name}'; there are {}", names.join(", ")))
}

fn room(text: &str, capacity: Rate) -> PyResult<Room> {
    let wrong = |why| PyValueError::new_err(format!("buffer is '{text}': {why}"));
    Ok(match units::parse_packets_or_bytes(text).map_err(wrong)? {
        BufferSize::Packets(packets) => Room::Packets(packets),
        BufferSize::Bytes(Bytes(bytes)) => Room::Bytes(bytes),
        BufferSize::Time(span) => Room::Bytes(capacity.bytes_in(span).count()),
        BufferSize::Unlimited => Room::Unlimited,
    })
}

fn packet(item: &Item, reason: &'static str) -> Packet {
    let ecn = ECN.iter().find(|(_, ecn)| *ecn == item.ecn).map_or("", |(word, _)| word);
    let arrived = Instant::from_ps(item.arrived).as_secs_f64();
    (item.id, item.flow, item.size, ecn, item.priority, arrived, reason)
}

fn dropped(one: &Dropped) -> Packet {
    let reason = match one.reason {
        Reason::Early => "early",
        Reason::Full => "congestion",
        Reason::Returned => "returned",
    };
    packet(&one.item, reason)
}
