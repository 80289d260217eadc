//! The program at work.

use std::path::Path;
use std::process::{Command, Output};

fn run(file: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_own-law")).arg(file).output().unwrap()
}

fn goodput(printed: &str, transport: &str) -> f64 {
    let line = printed.lines().find(|line| line.starts_with(transport)).unwrap();
    line.split(' ').nth(1).unwrap().parse().unwrap()
}

/// AIMD that grows by α and leaves the share β has a window in proportion to √(α(1 + β)/(2(1 − β))): Eager's is
/// √7, SACK's √1.5, both over the square root of the loss probability. With losses drawn at random, 10 % is some three
/// standard deviations of 300 s.
#[test]
fn its_law_takes_what_its_numbers_say() {
    let done = run(&Path::new(env!("CARGO_MANIFEST_DIR")).join("scenario.toml"));
    let printed = String::from_utf8(done.stdout).unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let ratio = goodput(&printed, "mine") / goodput(&printed, "sack");
    let expected = (7.0f64 / 1.5).sqrt();
    assert!((ratio / expected - 1.0).abs() < 0.1, "{ratio:.3}, not {expected:.3}");
}

#[test]
fn a_law_that_the_program_lacks_is_told_at_its_place() {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("scenario.toml")).unwrap();
    let file = std::env::temp_dir().join(format!("own-law-{}.toml", std::process::id()));
    std::fs::write(&file, text.replace("\"eager\"", "\"eagr\"")).unwrap();
    let done = run(&file);
    std::fs::remove_file(&file).unwrap();
    let told = String::from_utf8(done.stderr).unwrap();
    assert!(!done.status.success() && told.contains("transport.mine.law"), "{told}");
    assert!(told.contains("there are: eager, timid"), "{told}");
}

/// The guide shows what this program does.
#[test]
fn the_guide_shows_it() {
    let (guide, code) = (include_str!("../../../docs/guide/add-a-law.md"), include_str!("../src/main.rs"));
    let begins = code.find("fn law(").unwrap();
    let ends = code.find("\n/// The goodput").unwrap();
    let shown = code[begins..ends].trim_end();
    assert!(guide.contains(&format!("```rust\n{shown}\n```\n")), "docs/guide/add-a-law.md shows another text");
}
