//! What shall happen to the processes of a demo, and when: `--kill 4@10s`, `--stop core-0@10s+2s`, `--leave 4@10s`.

use super::role::Role;
use crate::config::{Refusal, input};
use crate::sys::time::Nanos;

/// What happens to a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    /// It is killed (SIGKILL), and starts again like every process that dies.
    Kill,
    /// It stands still (SIGSTOP).
    Stop,
    /// It is asked to go (SIGTERM): a slave reports PowerFailure, a master MasterShutdown.
    Leave,
}

impl Deed {
    /// The deed of an option.
    pub(crate) fn of(option: &str) -> Option<Deed> {
        match option {
            "--kill" => Some(Deed::Kill),
            "--stop" => Some(Deed::Stop),
            "--leave" => Some(Deed::Leave),
            _ => None,
        }
    }

    fn option(self) -> &'static str {
        match self {
            Deed::Kill => "--kill",
            Deed::Stop => "--stop",
            Deed::Leave => "--leave",
        }
    }
}

/// A deed, to whom, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) deed: Deed,
    pub(crate) role: Role,
    /// So long after the start of the demo.
    pub(crate) at: Nanos,
    /// For so long it is away, or stands still. None: the deed's default.
    pub(crate) lasts: Option<Nanos>,
    pub(crate) text: String,
}

impl Event {
    const ALLOWED: &str = "WHO@WHEN or WHO@WHEN+HOW-LONG, as 4@10s, core-0@10s, fibre@500ms, 4@10s+2s";

    /// Reads `WHO@WHEN[+HOW-LONG]`.
    pub(crate) fn parse(deed: Deed, text: &str) -> Result<Event, Refusal> {
        let option = deed.option();
        let wrong = || input(format!("{option} is '{text}'; allowed: {}", Event::ALLOWED));
        let (who, when) = text.split_once('@').ok_or_else(wrong)?;
        let (at, lasts) = when.split_once('+').map_or((when, None), |(at, lasts)| (at, Some(lasts)));
        let time = |time: &str| {
            let parsed = units::parse_duration(time);
            let parsed = parsed.map_err(|error| input(format!("{option} is '{text}': '{time}': {error}")))?;
            Ok::<Nanos, Refusal>((parsed.ps() / 1000) as Nanos)
        };
        let role = role(who).ok_or_else(wrong)?;
        Ok(Event { deed, role, at: time(at)?, lasts: lasts.map(time).transpose()?, text: text.to_string() })
    }

    /// Refuses who is not there, and what would come after the end.
    pub(crate) fn checked(&self, roles: &[Role], seconds: Option<f64>) -> Result<(), Refusal> {
        let (option, text) = (self.deed.option(), &self.text);
        if !roles.contains(&self.role) {
            let nodes = roles.iter().filter(|role| matches!(role, Role::Node(_))).count();
            let others = roles.iter().filter(|role| !matches!(role, Role::Node(_)));
            let others: Vec<String> = others.map(|role| role.file().replace(".toml", "")).collect();
            let allowed = format!("0 to {}, {}", nodes.saturating_sub(1), others.join(", "));
            return Err(input(format!("{option} is '{text}': there is no such process; allowed: {allowed}")));
        }
        match seconds.filter(|seconds| self.at as f64 >= seconds * 1e9) {
            Some(end) => Err(input(format!("{option} is '{text}': the demo ends after {end} s; allowed: before that"))),
            None => Ok(()),
        }
    }
}

/// A process by its name: `4`, `node-4`, `core-0`, `fibre`.
fn role(name: &str) -> Option<Role> {
    let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten();
    match name.split_once('-') {
        None if name == "fibre" => Some(Role::Fibre),
        None => number(name).map(Role::Node),
        Some(("node", which)) => number(which).map(Role::Node),
        Some(("core", which)) => number(which).map(Role::Core),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<(Role, Nanos, Option<Nanos>), String> {
        let event = Event::parse(Deed::Kill, text).map_err(|refusal| refusal.to_string())?;
        Ok((event.role, event.at, event.lasts))
    }

    #[test]
    fn processes_and_times_are_read() {
        assert_eq!(parsed("4@10s"), Ok((Role::Node(4), 10_000_000_000, None)));
        assert_eq!(parsed("node-4@1.5s"), Ok((Role::Node(4), 1_500_000_000, None)));
        assert_eq!(parsed("core-1@500ms+2s"), Ok((Role::Core(1), 500_000_000, Some(2_000_000_000))));
        assert_eq!(parsed("fibre@0s"), Ok((Role::Fibre, 0, None)));
    }

    #[test]
    fn whatever_else_is_said_is_refused_with_what_is_allowed() {
        let strange = ["", "4", "@10s", "4@", "core@1s", "core-@1s", "-4@1s", "+4@1s", "4@1s+", "4@-1s", "99999@1s"];
        for text in strange.into_iter().chain(["4@1e300s", "core-x@1s", "fibre-0@1s", "4@10", "\u{1b}@1s"]) {
            let refusal = parsed(text).unwrap_err();
            assert!(refusal.starts_with(&format!("--kill is '{text}'")), "{text}: {refusal}");
        }
    }

    #[test]
    fn who_is_not_there_is_named_with_who_is() {
        let roles = [Role::Core(0), Role::Fibre, Role::Node(0), Role::Node(1)];
        let checked = |text: &str, seconds| {
            Event::parse(Deed::Leave, text).unwrap().checked(&roles, seconds).map_err(|refusal| refusal.to_string())
        };
        assert_eq!(checked("1@9s", Some(10.0)), Ok(()));
        let nobody = "--leave is '2@9s': there is no such process; allowed: 0 to 1, core-0, fibre";
        assert_eq!(checked("2@9s", None), Err(nobody.into()));
        assert!(checked("core-1@9s", None).is_err());
        assert_eq!(
            checked("1@10s", Some(10.0)),
            Err("--leave is '1@10s': the demo ends after 10 s; allowed: before that".into())
        );
    }
}
