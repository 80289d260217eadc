//! What the window laws may know: neither the sender that runs them nor the routers that talk to it.

use std::fs;
use std::path::Path;

#[test]
fn no_window_law_names_the_sender_or_xcps_routers() {
    let laws = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cc");
    let mut read = 0;
    for entry in fs::read_dir(laws).expect("the laws lie there") {
        let path = entry.expect("a file").path();
        let text = fs::read_to_string(&path).expect("it is text");
        let code = text.lines().map(str::trim_start).filter(|line| !line.starts_with("//"));
        for line in code {
            assert!(!line.contains("crate::tcp") && !line.contains("crate::xcp"), "{}: {line}", path.display());
        }
        read += 1;
    }
    assert!(read >= 7, "a module and at least six laws, found {read} files");
}
