//! The processes of a demo: started, heard, started again when they are killed, and stopped.

use super::links;
use super::plan::{Plan, Role, Where};
use crate::config::{Refusal, input};
use crate::report::Report;
use crate::sys::process::{self, Network};
use crate::sys::time;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

/// Reports of all processes, by role.
type Heard = Arc<Mutex<BTreeMap<Role, Vec<Report>>>>;

pub(super) struct Children {
    processes: BTreeMap<Role, Child>,
    heard: Heard,
    directory: Directory,
    /// When dead nodes start again.
    revivals: BTreeMap<Role, time::Nanos>,
}

/// A dead node starts again after this.
const REVIVAL: time::Nanos = 1_000_000_000;
/// A process that does not stop is killed after this.
const PATIENCE: time::Nanos = 3_000_000_000;

/// Where the configurations are. It goes when this is dropped; those of demos that were killed go when the next one starts.
struct Directory(PathBuf);

const PREFIX: &str = "photocol-demo-";

impl Directory {
    fn new() -> Result<Directory, Refusal> {
        let temporary = std::env::temp_dir();
        for entry in fs::read_dir(&temporary).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let owner = name.strip_prefix(PREFIX).and_then(|number| number.parse::<u32>().ok());
            if owner.is_some_and(|owner| !PathBuf::from(format!("/proc/{owner}")).exists()) {
                // Another user's stays.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        let path = temporary.join(format!("{PREFIX}{}", std::process::id()));
        fs::create_dir_all(&path).map_err(|error| input(format!("{}: {error}", path.display())))?;
        Ok(Directory(path))
    }

    fn write(&self, name: &str, text: &[u8]) -> Result<PathBuf, Refusal> {
        let path = self.0.join(name);
        fs::write(&path, text).map_err(|error| input(format!("{}: {error}", path.display())))?;
        Ok(path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Children {
    /// Starts all processes and connects them.
    pub(super) fn start(plan: &Plan) -> Result<Children, Refusal> {
        let directory = Directory::new()?;
        for wanted in plan.directories() {
            fs::create_dir_all(&wanted).map_err(|error| input(format!("{}: {error}", wanted.display())))?;
        }
        let mut key = [0u8; 32];
        let random = fs::File::open("/dev/urandom").and_then(|mut file| std::io::Read::read_exact(&mut file, &mut key));
        random.map_err(|error| Refusal::Failure(format!("/dev/urandom: {error}")))?;
        let text: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
        directory.write("key", text.as_bytes())?;
        let mut children =
            Children { processes: BTreeMap::new(), heard: Arc::default(), directory, revivals: BTreeMap::new() };
        for role in plan.roles() {
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

    fn number(&self, role: Role) -> u32 {
        self.processes.get(&role).map_or(0, Child::id)
    }

    /// Starts a process, which waits until it is released.
    fn spawn(&mut self, plan: &Plan, role: Role) -> Result<(), Refusal> {
        let path = self.directory.write(&role.file(), plan.configuration(role).as_bytes())?;
        let mut command = crate::command::again()?;
        command.args([role.command(), "--reports", "--after-line", "--config"]).arg(path);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let network = if plan.place == Where::Namespaces { Network::Own } else { Network::Shared };
        process::prepare_child(&mut command, network);
        let mut child = start(&mut command)?;
        if let Some(out) = child.stdout.take() {
            let heard = Arc::clone(&self.heard);
            std::thread::spawn(move || {
                for line in BufReader::new(out).lines().map_while(Result::ok) {
                    if let Ok(reports) = serde_json::from_str(&line) {
                        heard.lock().unwrap_or_else(PoisonError::into_inner).insert(role, reports);
                    }
                }
            });
        }
        self.processes.insert(role, child);
        Ok(())
    }

    fn release(&mut self, role: Role) -> Result<(), Refusal> {
        let stdin = self.processes.get_mut(&role).and_then(|child| child.stdin.as_mut());
        let released = stdin.map_or(Ok(()), |stdin| stdin.write_all(b"go\n"));
        released.map_err(|error| Refusal::Failure(format!("{}: {error}", role.file())))
    }

    /// Starts nodes again that have been killed. If anything else has ended, so does the demo.
    pub(super) fn revive(&mut self, plan: &Plan) -> Result<(), Refusal> {
        let now = time::now();
        let mut ended = Vec::new();
        for (role, child) in &mut self.processes {
            if let Ok(Some(status)) = child.try_wait() {
                ended.push((*role, status));
            }
        }
        for (role, status) in ended {
            if status.code().is_some() || !matches!(role, Role::Node(_)) {
                return Err(Refusal::Failure(format!("{} has ended ({status})", role.file())));
            }
            self.processes.remove(&role);
            self.heard.lock().unwrap_or_else(PoisonError::into_inner).remove(&role);
            self.revivals.insert(role, now + REVIVAL);
        }
        let due: Vec<Role> = self.revivals.iter().filter(|(_, at)| **at <= now).map(|(role, _)| *role).collect();
        for role in due {
            self.revivals.remove(&role);
            self.spawn(plan, role)?;
            if let (Where::Namespaces, Role::Node(node)) = (plan.place, role) {
                links::connect(plan, Some(node), |role| self.number(role))?;
            }
            self.release(role)?;
        }
        Ok(())
    }

    /// The latest reports: cores, fibres, nodes.
    pub(super) fn reports(&self) -> Vec<Report> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).values().flatten().cloned().collect()
    }

    /// Stops all processes, nodes first. Their last reports.
    pub(super) fn stop(&mut self) -> Vec<Report> {
        let reports = self.reports();
        for child in self.processes.values() {
            // It may have ended by itself.
            let _ = process::signal(child.id(), libc::SIGTERM);
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

/// Starts this program with other words, as a child that waits for a line.
pub(crate) fn spawn(words: &[String], place: Where) -> Result<Child, Refusal> {
    let mut command = crate::command::again()?;
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
