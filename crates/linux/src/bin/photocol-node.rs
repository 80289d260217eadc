//! The command `photocol-node`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let called = words.next().unwrap_or_default();
    let itself = std::env::current_exe().map_or(called, |path| path.to_string_lossy().into_owned());
    ExitCode::from(linux::main(vec![itself], &words.collect::<Vec<_>>()))
}
