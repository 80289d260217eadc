//! The processes of a demo by what they are.

/// The kind of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    Core(u16),
    Fibre,
    Node(u16),
}

impl Role {
    /// The word of the command.
    pub(crate) fn command(self) -> &'static str {
        match self {
            Role::Core(_) => "core",
            Role::Fibre => "fibre",
            Role::Node(0) => "master",
            Role::Node(_) => "slave",
        }
    }

    /// How it is called: a node as its reports call it, a core with its number.
    pub(crate) fn name(self) -> String {
        match self {
            Role::Core(core) => format!("core {core}"),
            Role::Fibre => "fibre".into(),
            Role::Node(node) => format!("node {node}"),
        }
    }

    /// The name of its configuration.
    pub(crate) fn file(self) -> String {
        match self {
            Role::Core(core) => format!("core-{core}.toml"),
            Role::Fibre => "fibre.toml".into(),
            Role::Node(node) => format!("node-{node}.toml"),
        }
    }
}
