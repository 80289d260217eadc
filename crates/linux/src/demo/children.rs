//! The processes of a demo: started, heard, started again when they are killed, and stopped.

use super::folder::Directory;
use super::journal::Journal;
use super::links;
use super::plan::{Plan, Where};
use super::role::Role;
use super::schedule::{Deed, Event};
use crate::config::{Refusal, input};
use crate::report::Report;
use crate::sys::process::{self, Network};
use crate::sys::{file, time};
use control::log::What;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Reports of all processes, by role.
type Heard = Arc<Mutex<BTreeMap<Role, Vec<Report>>>>;

pub(super) struct Children {
    processes: BTreeMap<Role, Child>,
    heard: Heard,
    directory: Directory,
    /// Processes that are not there, and when they start again; never without an instant.
    away: BTreeMap<Role, Option<time::Nanos>>,
    /// How often each has started in vain, in a row.
    tries: BTreeMap<Role, u32>,
    /// Who has reported since the demo began.
    known: BTreeSet<Role>,
    /// How long who goes next stays away, if not as usual.
    absences: BTreeMap<Role, Option<time::Nanos>>,
    /// Who stands still, as which process, and until when.
    still: Vec<(Role, u32, time::Nanos)>,
    journal: Journal,
}

/// A dead process starts again after this.
const REVIVAL: time::Nanos = 1_000_000_000;
/// A process that started in vain so often is not started any more.
const TRIES: u32 = 5;
/// Bytes of a line of reports.
const LONGEST_LINE: u64 = 1 << 20;
/// A process that does not stop is killed after this.
const PATIENCE: time::Nanos = 3_000_000_000;

impl Children {
    /// Starts all processes and connects them. What happens to them is kept in the journal.
    pub(super) fn start(plan: &Plan, journal: Journal) -> Result<Children, Refusal> {
        plan.make_directories()?;
        let directory = Directory::new()?;
        let key = file::random::<32>().map_err(|error| Refusal::Failure(format!("/dev/urandom: {error}")))?;
        let text: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
        directory.write("key", text.as_bytes())?;
        let mut children = Children {
            processes: BTreeMap::new(),
            heard: Arc::default(),
            directory,
            away: BTreeMap::new(),
            tries: BTreeMap::new(),
            known: BTreeSet::new(),
            absences: BTreeMap::new(),
            still: Vec::new(),
            journal,
        };
        for role in plan.roles() {
            children.directory.write(&role.file(), plan.configuration(role).as_bytes())?;
            children.spawn(plan, role)?;
        }
        if plan.place == Where::Namespaces {
            links::connect(plan, None, |role| children.number(role))?;
        }
        for role in plan.roles() {
            children.release(role)?;
        }
        Ok(children)
    }

    /// The number of a process, if it lives.
    fn number(&self, role: Role) -> Option<u32> {
        self.processes.get(&role).map(Child::id)
    }

    /// Starts a process, which waits until it is released.
    fn spawn(&mut self, plan: &Plan, role: Role) -> Result<(), Refusal> {
        let mut command = crate::program::again()?;
        command.args([role.command(), "--reports", "--after-line", "--config"]);
        command.arg(self.directory.path(&role.file()));
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let network = if plan.place == Where::Namespaces { Network::Own } else { Network::Shared };
        process::prepare_child(&mut command, network);
        let mut child = start(&mut command)?;
        if let Some(out) = child.stdout.take() {
            let heard = Arc::clone(&self.heard);
            std::thread::spawn(move || hear(out, |reports| held(&heard).insert(role, reports)));
        }
        self.processes.insert(role, child);
        Ok(())
    }

    fn release(&mut self, role: Role) -> Result<(), Refusal> {
        let stdin = self.processes.get_mut(&role).and_then(|child| child.stdin.as_mut());
        let released = stdin.map_or(Ok(()), |stdin| stdin.write_all(b"go\n"));
        released.map_err(|error| Refusal::Failure(format!("{}: {error}", role.file())))
    }

    /// Starts processes again that have died or left. That is an event; only a process that fails before it has ever
    /// reported ends the demo, since it will not do better.
    pub(super) fn revive(&mut self, plan: &Plan) -> Result<(), Refusal> {
        let now = time::now();
        let reporting: Vec<Role> = held(&self.heard).keys().copied().collect();
        for role in reporting {
            self.known.insert(role);
            self.tries.remove(&role);
        }
        let mut ended = Vec::new();
        for (role, child) in &mut self.processes {
            if let Ok(Some(status)) = child.try_wait() {
                ended.push((*role, status));
            }
        }
        for (role, status) in ended {
            if !status.success() && status.code().is_some() && !self.known.contains(&role) {
                return Err(Refusal::Failure(format!("{} has ended ({status})", role.file())));
            }
            self.bury(role);
            self.note_end(role, status, now);
        }
        let due = self.away.iter().filter(|(_, back)| back.is_some_and(|back| back <= now));
        let due: Vec<Role> = due.map(|(role, _)| *role).collect();
        due.into_iter().for_each(|role| self.try_again(plan, role));
        Ok(())
    }

    /// A process has ended: in what manner, and when it will be back.
    fn note_end(&mut self, role: Role, status: ExitStatus, now: time::Nanos) {
        let absence = self.absences.remove(&role).unwrap_or(Some(REVIVAL));
        let tries = self.tries.get(&role).copied().unwrap_or(0);
        let absence = absence.filter(|_| tries < TRIES);
        let then = match absence {
            Some(absence) => format!("starts again in {:.1} s", absence as f64 / 1e9),
            None => "does not start again".into(),
        };
        let (what, count) = match (status.code(), status.success()) {
            (_, true) => ("has left".into(), "processes_left"),
            (None, _) => (format!("was killed ({status})"), "processes_killed"),
            (Some(_), _) => (format!("has failed ({status})"), "processes_failed"),
        };
        self.journal.log(role, &What::Down);
        self.journal.note(role, &format!("{what}; {then}"), Some(count));
        self.away.insert(role, absence.map(|absence| now + absence));
    }

    /// Starts a process again. Another that is dead, but not known to be, may make that fail; so it is tried several
    /// times.
    fn try_again(&mut self, plan: &Plan, role: Role) {
        self.away.remove(&role);
        let tries = self.tries.entry(role).or_insert(0);
        *tries += 1;
        let again = *tries < TRIES;
        match self.start_again(plan, role) {
            Ok(()) => self.journal.note(role, "starts again", Some("processes_started_again")),
            Err(why) => {
                if let Some(mut child) = self.bury(role) {
                    let _ = child.kill();
                    let _ = child.wait();
                }
                if !again {
                    self.journal.note(role, &format!("cannot be started again: {why}"), None);
                }
                self.away.insert(role, again.then(|| time::now() + REVIVAL));
            }
        }
    }

    fn start_again(&mut self, plan: &Plan, role: Role) -> Result<(), Refusal> {
        self.spawn(plan, role)?;
        if plan.place == Where::Namespaces {
            links::connect(plan, Some(role), |role| self.number(role))?;
        }
        self.release(role)
    }

    /// Does what of a schedule is due, and takes it off. The schedule is in the order of time.
    pub(super) fn follow(&mut self, schedule: &mut Vec<Event>) {
        let (lasted, now) = (self.journal.lasted(), time::now());
        let due = schedule.iter().take_while(|event| event.at <= lasted).count();
        for event in schedule.drain(..due).collect::<Vec<_>>() {
            self.perform(&event, now);
        }
        for (role, process, until) in std::mem::take(&mut self.still) {
            if self.number(role) != Some(process) {
                continue;
            }
            if until > now {
                self.still.push((role, process, until));
            } else if process::signal(process, libc::SIGCONT).is_ok() {
                self.journal.log(role, &What::Up);
                self.journal.note(role, "goes on", None);
            }
        }
    }

    fn perform(&mut self, event: &Event, now: time::Nanos) {
        let Event { deed, role, lasts, .. } = *event;
        let Some(process) = self.number(role) else {
            return self.journal.note(role, &format!("is not there for '{}'", event.text), None);
        };
        let signal = match deed {
            Deed::Kill => libc::SIGKILL,
            Deed::Stop => libc::SIGSTOP,
            Deed::Leave => libc::SIGTERM,
        };
        if let Err(error) = process::signal(process, signal) {
            return self.journal.note(role, &format!("cannot be told: {error}"), None);
        }
        if matches!(deed, Deed::Kill | Deed::Stop) {
            self.journal.log(role, &What::Down);
        }
        match deed {
            Deed::Stop => {
                self.still.extend(lasts.map(|lasts| (role, process, now + lasts)));
                self.journal.note(role, "stands still", Some("processes_stopped"));
            }
            // Who dies comes back soon; who leaves stays away unless it was said for how long.
            Deed::Kill => drop(self.absences.insert(role, Some(lasts.unwrap_or(REVIVAL)))),
            Deed::Leave => {
                self.absences.insert(role, lasts);
                self.journal.note(role, "is told to leave", None);
            }
        }
    }

    /// A process and its reports are no more.
    fn bury(&mut self, role: Role) -> Option<Child> {
        held(&self.heard).remove(&role);
        self.processes.remove(&role)
    }

    /// The latest reports: cores, fibres, nodes, the demo's own. Each says how old it is.
    pub(super) fn reports(&self) -> Vec<Report> {
        let now = time::now();
        let heard = held(&self.heard);
        // Of a process that has gone a last line may come late.
        let lives = |(role, reports): (&Role, &Vec<Report>)| {
            let number = self.number(*role);
            reports.iter().filter(move |report| Some(report.process) == number).cloned().collect::<Vec<_>>()
        };
        let of_processes = heard.iter().flat_map(lives);
        of_processes.chain([self.journal.report()]).map(|report| report.aged(now)).collect()
    }

    /// Stops all processes, nodes first. Their last reports.
    pub(super) fn stop(&mut self) -> Vec<Report> {
        let reports = self.reports();
        for child in self.processes.values() {
            // It may have ended by itself.
            let _ = process::signal(child.id(), libc::SIGTERM);
            let _ = process::signal(child.id(), libc::SIGCONT);
        }
        let until = time::now() + PATIENCE;
        for child in self.processes.values_mut() {
            while time::now() < until && matches!(child.try_wait(), Ok(None)) {
                let _ = time::sleep_until(time::now() + 10_000_000);
            }
            let _ = child.kill();
            let _ = child.wait();
        }
        self.processes.clear();
        reports
    }
}

fn held(heard: &Heard) -> MutexGuard<'_, BTreeMap<Role, Vec<Report>>> {
    heard.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Shows every line of reports that a process says. It is heard no more after a line that is too long.
fn hear<T>(out: impl Read, mut show: impl FnMut(Vec<Report>) -> T) {
    let (mut out, mut line) = (BufReader::new(out), Vec::new());
    while matches!(out.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line), Ok(1..)) && line.ends_with(b"\n") {
        if let Ok(reports) = serde_json::from_slice(&line) {
            show(reports);
        }
        line.clear();
    }
}

/// Starts this program with other words, as a child that waits for a line.
pub(crate) fn spawn(words: &[String], place: Where) -> Result<Child, Refusal> {
    let mut command = crate::program::again()?;
    command.args(words).arg("--after-line").stdin(Stdio::piped()).stdout(Stdio::piped());
    let network = if place == Where::Namespaces { Network::Own } else { Network::Shared };
    process::prepare_child(&mut command, network);
    start(&mut command)
}

fn start(command: &mut Command) -> Result<Child, Refusal> {
    command
        .spawn()
        .map_err(|error| input(format!("a process cannot be started: {error}; a network of its own needs root")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_reports_without_end_is_heard_no_further_than_its_most() {
        let mut heard = 0;
        let short = crate::forms::json(&[Report::default()]) + "\n";
        hear(format!("{short}nonsense\n{short}").as_bytes(), |reports| heard += reports.len());
        assert_eq!(heard, 2);
        hear(std::io::repeat(b'x'), |_| panic!("no report"));
    }
}
