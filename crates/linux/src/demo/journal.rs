//! What happened to the processes of a demo, in words and numbers: its own report beside theirs.

use super::role::Role;
use crate::log::Log;
use crate::report::{DEMO, Report};
use crate::sys::time::{self, Nanos};
use control::log::What;
use control::wire::NodeId;
use std::collections::{BTreeMap, VecDeque};

/// Events that are remembered.
const MOST: usize = 64;

/// The events of a demo.
pub(super) struct Journal {
    began: Nanos,
    events: VecDeque<String>,
    counts: BTreeMap<String, u64>,
    /// Whether events go to standard error too: not over a live table.
    says: bool,
    /// Beside the captures, and how many stars there are.
    log: Option<(Log, u16)>,
}

impl Journal {
    pub(super) fn new(says: bool) -> Journal {
        let counts = ["processes_killed", "processes_failed", "processes_left", "processes_stopped"];
        let counts = counts.into_iter().chain(["processes_started_again"]).map(|name| (name.to_string(), 0)).collect();
        Journal { began: time::now(), events: VecDeque::new(), counts, says, log: None }
    }

    /// The same, which says in a log of so many stars who dies.
    pub(super) fn with_log(self, log: Option<Log>, stars: u16) -> Journal {
        Journal { log: log.map(|log| (log, stars)), ..self }
    }

    /// A process dies, stands still or goes on.
    pub(super) fn log(&mut self, role: Role, what: &What) {
        let Some((log, stars)) = &mut self.log else { return };
        match role {
            Role::Core(core) => log.note(time::now(), core.into(), NodeId::CORE, what.clone()),
            Role::Node(node) => {
                let stars = 0..usize::from(*stars);
                stars.for_each(|star| log.note(time::now(), star, NodeId(node), what.clone()));
            }
            Role::Fibre => {}
        }
    }

    /// How long the demo has lasted.
    pub(super) fn lasted(&self) -> Nanos {
        time::now() - self.began
    }

    /// Something happened to a process; `count` is what it is counted as, if it is.
    pub(super) fn note(&mut self, role: Role, what: &str, count: Option<&str>) {
        let text = format!("{:.1} s: {} {what}", self.lasted() as f64 / 1e9, role.name());
        if self.says {
            eprintln!("demo: {text}");
        }
        if self.events.len() == MOST {
            self.events.pop_front();
        }
        self.events.push_back(text);
        if let Some(count) = count {
            *self.counts.entry(count.into()).or_default() += 1;
        }
    }

    pub(super) fn report(&self) -> Report {
        Report {
            name: "demo".into(),
            process: std::process::id(),
            part: DEMO.into(),
            made: time::now(),
            master: "-".into(),
            counts: self.counts.clone(),
            events: self.events.iter().cloned().collect(),
            ..Report::default()
        }
    }
}
