//! The boundary of the window laws: they know neither the sender that runs them nor the routers that talk to it.

use std::fs;
use std::path::{Path, PathBuf};

/// Every file below a folder: a law of more than one file has a folder of its own.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the laws lie there").map(|entry| entry.expect("a file").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn no_window_law_names_the_sender_or_xcps_routers() {
    let read = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cc"));
    for path in &read {
        let text = fs::read_to_string(path).expect("it is text");
        let text = text.split("#[cfg(test)]\nmod tests").next().expect("a part before");
        let code = text.lines().map(str::trim_start).filter(|line| !line.starts_with("//"));
        for line in code {
            assert!(!line.contains("crate::tcp") && !line.contains("crate::xcp"), "{}: {line}", path.display());
        }
    }
    assert!(read.len() >= 7, "a module and at least six laws, found {} files", read.len());
}
