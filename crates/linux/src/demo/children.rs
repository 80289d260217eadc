//! The processes of a demo: started, heard, started again when they are killed, and stopped.

use super::links;
use super::plan::{Plan, Role, Where};
use crate::config::{Refusal, input};
use crate::report::Report;
use crate::sys::process::{self, Network};
use crate::sys::{file, time};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Reports of all processes, by role.
type Heard = Arc<Mutex<BTreeMap<Role, Vec<Report>>>>;

pub(super) struct Children {
    processes: BTreeMap<Role, Child>,
    heard: Heard,
    directory: Directory,
    /// When dead processes start again.
    revivals: BTreeMap<Role, Revival>,
}

/// A process that will start again, and how often that was tried.
struct Revival {
    at: time::Nanos,
    tries: u32,
}

/// A dead process starts again after this.
const REVIVAL: time::Nanos = 1_000_000_000;
/// A process that could not be started again so often ends the demo.
const TRIES: u32 = 5;
/// Bytes of a line of reports.
const LONGEST_LINE: u64 = 1 << 20;
/// A process that does not stop is killed after this.
const PATIENCE: time::Nanos = 3_000_000_000;

/// A private folder with the key and the configurations. It goes when this is dropped; those of demos that were
/// killed go when the next one starts.
struct Directory(PathBuf);

const PREFIX: &str = "photocol-demo-";
/// Only this user reads and writes what is in it.
const MODE: u32 = 0o600;

impl Directory {
    fn new() -> Result<Directory, Refusal> {
        let temporary = std::env::temp_dir();
        for left in file::own_folders(&temporary, |name| left_by_the_dead(&name.to_string_lossy())) {
            let _ = fs::remove_dir_all(left);
        }
        let begins = temporary.join(format!("{PREFIX}{}-", std::process::id()));
        let path = file::private_folder(&begins)
            .map_err(|error| input(format!("a folder in {}: {error}", temporary.display())))?;
        Ok(Directory(path))
    }

    /// Writes a file that is not there yet.
    fn write(&self, name: &str, text: &[u8]) -> Result<(), Refusal> {
        let path = self.0.join(name);
        let written = file::create(&path, MODE).and_then(|mut file| file.write_all(text));
        written.map_err(|error| input(format!("{}: {error}", path.display())))
    }
}

/// Whether a folder's name says that it is of a demo whose process has gone.
fn left_by_the_dead(name: &str) -> bool {
    let owner = name.strip_prefix(PREFIX).and_then(|rest| rest.split('-').next()?.parse::<u32>().ok());
    owner.is_some_and(|owner| !PathBuf::from(format!("/proc/{owner}")).exists())
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Children {
    /// Starts all processes and connects them.
    pub(super) fn start(plan: &Plan) -> Result<Children, Refusal> {
        plan.make_directories()?;
        let directory = Directory::new()?;
        let key = file::random::<32>().map_err(|error| Refusal::Failure(format!("/dev/urandom: {error}")))?;
        let text: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
        directory.write("key", text.as_bytes())?;
        let mut children =
            Children { processes: BTreeMap::new(), heard: Arc::default(), directory, revivals: BTreeMap::new() };
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
        let mut command = crate::command::again()?;
        command.args([role.command(), "--reports", "--after-line", "--config"]);
        command.arg(self.directory.0.join(role.file()));
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

    /// Starts processes again that have been killed or have gone as they were told. If one has failed, so has the demo.
    pub(super) fn revive(&mut self, plan: &Plan) -> Result<(), Refusal> {
        let now = time::now();
        let mut ended = Vec::new();
        for (role, child) in &mut self.processes {
            if let Ok(Some(status)) = child.try_wait() {
                ended.push((*role, status));
            }
        }
        for (role, status) in ended {
            if status.code().is_some_and(|code| code != 0) {
                return Err(Refusal::Failure(format!("{} has ended ({status})", role.file())));
            }
            self.bury(role);
            self.revivals.insert(role, Revival { at: now + REVIVAL, tries: 0 });
        }
        let due: Vec<Role> = self.revivals.iter().filter(|(_, next)| next.at <= now).map(|(role, _)| *role).collect();
        due.into_iter().try_for_each(|role| self.try_again(plan, role))
    }

    /// Starts a process again. Another that is dead, but not known to be, may make that fail; so it is tried several
    /// times.
    fn try_again(&mut self, plan: &Plan, role: Role) -> Result<(), Refusal> {
        let tries = self.revivals.remove(&role).map_or(1, |revival| revival.tries + 1);
        match self.start_again(plan, role) {
            Err(why) if tries == TRIES => Err(why),
            Err(_) => {
                if let Some(mut child) = self.bury(role) {
                    let _ = child.kill();
                    let _ = child.wait();
                }
                self.revivals.insert(role, Revival { at: time::now() + REVIVAL, tries });
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    fn start_again(&mut self, plan: &Plan, role: Role) -> Result<(), Refusal> {
        self.spawn(plan, role)?;
        if plan.place == Where::Namespaces {
            links::connect(plan, Some(role), |role| self.number(role))?;
        }
        self.release(role)
    }

    /// A process and its reports are no more.
    fn bury(&mut self, role: Role) -> Option<Child> {
        held(&self.heard).remove(&role);
        self.processes.remove(&role)
    }

    /// The latest reports: cores, fibres, nodes. Each says how old it is.
    pub(super) fn reports(&self) -> Vec<Report> {
        let now = time::now();
        held(&self.heard).values().flatten().map(|report| report.aged(now)).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::file::tests::Scratch;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn the_folder_of_a_demo_and_the_key_in_it_are_for_its_user_alone_and_follow_no_link() {
        let directory = Directory::new().unwrap();
        directory.write("key", b"secret").unwrap();
        let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(directory.0.clone()), mode(directory.0.join("key"))), (0o700, 0o600));
        let name = directory.0.file_name().unwrap().to_string_lossy().into_owned();
        assert_ne!(name, format!("{PREFIX}{}", std::process::id()), "nobody can prepare it");
        let Scratch(other) = &Scratch::new();
        fs::write(other.join("precious"), "untouched").unwrap();
        symlink(other.join("precious"), directory.0.join("node-0.toml")).unwrap();
        assert!(directory.write("node-0.toml", b"x").is_err());
        assert_eq!(fs::read(other.join("precious")).unwrap(), b"untouched");
    }

    #[test]
    fn folders_of_dead_demos_are_known_by_their_names() {
        let own = std::process::id();
        let names =
            [format!("{PREFIX}{own}-abcdef"), format!("{PREFIX}4294967295-abcdef"), format!("{PREFIX}4294967295")];
        assert_eq!(names.map(|name| left_by_the_dead(&name)), [false, true, true]);
        assert!(!left_by_the_dead("photocol-demo-") && !left_by_the_dead("else-4294967295-abcdef"));
    }

    #[test]
    fn a_line_of_reports_without_end_is_heard_no_further_than_its_most() {
        let mut heard = 0;
        let short = crate::report::json(&[Report::default()]) + "\n";
        hear(format!("{short}nonsense\n{short}").as_bytes(), |reports| heard += reports.len());
        assert_eq!(heard, 2);
        hear(std::io::repeat(b'x'), |_| panic!("no report"));
    }
}
