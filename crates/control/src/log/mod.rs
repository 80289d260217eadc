//! What happened in overlaid stars, as one log of the simulator and of processes: nodes that join and go, masters,
//! every slot of light at a core, pairs that change their star, files. [`violations`] reads it.
//!
//! An entry is a line: when, in picoseconds of a time that all share; the star, which is the number of its core; who,
//! a node's number or `core`; what, and its numbers.
//!
//! ```text
//! 3600000000 0 2 part slave
//! 7241000000 0 core light 2 5 2 11 0 180000000 passed
//! ```

mod check;

pub use check::violations;

use crate::signalling::{Node, Part};
use crate::wire::NodeId;
use std::fmt;
use std::str::FromStr;
use units::Duration;

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When, in picoseconds of a time that all share.
    pub at: u64,
    /// The star.
    pub star: u16,
    /// To whom, or who says so.
    pub who: NodeId,
    /// What.
    pub what: What,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// It begins, or is whole again.
    Up,
    /// It stops, or its fibres are cut.
    Down,
    /// How long a frame is, and after how long without a word a star is left.
    Announced {
        /// A frame.
        frame: Duration,
        /// The time-out.
        timeout: Duration,
    },
    /// The part that a node plays from now on.
    Part(Part),
    /// Who is master from now on, by the core; nobody is `all`.
    Led {
        /// The master.
        by: NodeId,
        /// The term.
        term: u64,
    },
    /// Light of data at the core.
    Light(Light),
    /// A node reaches another one by another star from now on.
    Moved {
        /// The other node.
        to: NodeId,
        /// The star.
        into: u16,
    },
    /// A node has something to send to another one from now on, to the end.
    Wants {
        /// The other node.
        to: NodeId,
    },
    /// A node has a file to send.
    Offered {
        /// To whom.
        to: NodeId,
        /// Its name, without spaces.
        file: String,
    },
    /// A file is there.
    Arrived {
        /// Who sent it.
        from: NodeId,
        /// Its name.
        file: String,
    },
}

/// A slot of data, or a datagram of one, at the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Light {
    /// Who sent it.
    pub from: NodeId,
    /// To whom.
    pub to: NodeId,
    /// The frame for which it was granted.
    pub frame: u64,
    /// The slot.
    pub slot: u32,
    /// Which datagram of the slot.
    pub part: u16,
    /// How long it lasts.
    pub lasts: Duration,
    /// Whether it found its connection; otherwise it is lost.
    pub passed: bool,
}

struct Who(NodeId);

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            NodeId::CORE | NodeId::ALL => write!(f, "{}", self.0),
            NodeId(number) => write!(f, "{number}"),
        }
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} ", self.at, self.star, Who(self.who))?;
        match &self.what {
            What::Up => write!(f, "up"),
            What::Down => write!(f, "down"),
            What::Announced { frame, timeout } => write!(f, "announced {} {}", frame.ps(), timeout.ps()),
            What::Part(part @ Part::Master { term }) => write!(f, "part {} {term}", part.name()),
            What::Part(part) => write!(f, "part {}", part.name()),
            What::Led { by, term } => write!(f, "led {} {term}", Who(*by)),
            What::Light(Light { from, to, frame, slot, part, lasts, passed }) => {
                let fate = if *passed { "passed" } else { "lost" };
                write!(f, "light {} {} {frame} {slot} {part} {} {fate}", Who(*from), Who(*to), lasts.ps())
            }
            What::Moved { to, into } => write!(f, "moved {} {into}", Who(*to)),
            What::Wants { to } => write!(f, "wants {}", Who(*to)),
            What::Offered { to, file } => write!(f, "offered {} {}", Who(*to), file.replace(' ', "_")),
            What::Arrived { from, file } => write!(f, "arrived {} {}", Who(*from), file.replace(' ', "_")),
        }
    }
}

/// The line that is no entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoEntry(String);

impl fmt::Display for NoEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no entry of a log of stars: {:?}", self.0)
    }
}

impl std::error::Error for NoEntry {}

impl FromStr for Entry {
    type Err = NoEntry;

    fn from_str(line: &str) -> Result<Entry, NoEntry> {
        let mut words = Words(line.split(' '));
        let entry = words.entry().filter(|_| words.0.next().is_none());
        entry.ok_or_else(|| NoEntry(line.to_owned()))
    }
}

/// The words of a line, in turn.
struct Words<'a>(std::str::Split<'a, char>);

impl Words<'_> {
    fn number<T: FromStr>(&mut self) -> Option<T> {
        self.0.next()?.parse().ok()
    }

    fn node(&mut self) -> Option<NodeId> {
        match self.0.next()? {
            "core" => Some(NodeId::CORE),
            "all" => Some(NodeId::ALL),
            number => number.parse().ok().map(NodeId),
        }
    }

    fn lasts(&mut self) -> Option<Duration> {
        self.number().map(Duration::from_ps)
    }

    fn text(&mut self) -> Option<String> {
        self.0.next().map(str::to_owned)
    }

    fn entry(&mut self) -> Option<Entry> {
        let (at, star, who) = (self.number()?, self.number()?, self.node()?);
        let what = match self.0.next()? {
            "up" => What::Up,
            "down" => What::Down,
            "announced" => What::Announced { frame: self.lasts()?, timeout: self.lasts()? },
            "part" => What::Part(Part::from_name(self.0.next()?, || self.number())?),
            "led" => What::Led { by: self.node()?, term: self.number()? },
            "light" => What::Light(Light {
                from: self.node()?,
                to: self.node()?,
                frame: self.number()?,
                slot: self.number()?,
                part: self.number()?,
                lasts: self.lasts()?,
                passed: match self.0.next()? {
                    "passed" => true,
                    "lost" => false,
                    _ => return None,
                },
            }),
            "moved" => What::Moved { to: self.node()?, into: self.number()? },
            "wants" => What::Wants { to: self.node()? },
            "offered" => What::Offered { to: self.node()?, file: self.text()? },
            "arrived" => What::Arrived { from: self.node()?, file: self.text()? },
            _ => return None,
        };
        Some(Entry { at, star, who, what })
    }
}

/// What a node's host looks at to keep the log: its part, and what it announces.
#[derive(Clone, Debug)]
pub struct Watch {
    star: u16,
    who: NodeId,
    part: Part,
    announced: bool,
}

impl Watch {
    /// Of a node that begins.
    pub fn new(star: u16, who: NodeId) -> Watch {
        Watch { star, who, part: Part::Listening, announced: false }
    }

    /// What is new with a node's machine; `timeout` is that of its star, if there are several.
    pub fn look(&mut self, at: u64, node: &Node, timeout: Option<Duration>) -> Vec<Entry> {
        let mut news = Vec::new();
        let mut say = |what| news.push(Entry { at, star: self.star, who: self.who, what });
        if let Some((network, timeout)) = node.network().zip(timeout).filter(|_| !self.announced) {
            self.announced = true;
            say(What::Announced { frame: network.frame(), timeout });
        }
        if node.part() != self.part {
            self.part = node.part();
            say(What::Part(self.part));
        }
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_entry_and_an_entry_its_line() {
        let lines = [
            "0 0 core up",
            "12 1 3 down",
            "12 1 3 announced 3600000000 28800000000",
            "12 1 3 part listening",
            "12 1 3 part answered",
            "12 1 3 part slave",
            "12 1 3 part master 1048577",
            "13 1 core led 3 1048577",
            "14 1 core led all 1048577",
            "7241000000 0 core light 2 5 2 11 0 180000000 passed",
            "7241000000 0 core light 2 5 2 11 4 180000000 lost",
            "18 0 2 moved 5 1",
            "18 0 2 wants 5",
            "18 0 2 offered 5 thing.bin",
            "18 0 5 arrived 2 thing.bin",
        ];
        for line in lines {
            let entry: Entry = line.parse().unwrap();
            assert_eq!(entry.to_string(), line);
        }
        for line in
            ["", "0 0 core", "0 0 core up down", "x 0 core up", "0 0 core light 2 5 2 11 0 1 seen", "0 0 3 part king"]
        {
            assert_eq!(line.parse::<Entry>(), Err(NoEntry(line.to_owned())));
        }
    }
}
