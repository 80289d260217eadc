//! `docs/protocol.md` and the code say the same. `PHOTOCOL_WRITE=1 cargo test -p photocol-control --test all protocol`
//! writes the tables anew.

use control::wire;
use std::path::PathBuf;

const BEGIN: &str = "<!-- tables: made from crates/control/src/wire -->\n";
const END: &str = "<!-- end of tables -->\n";

fn page() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/protocol.md")
}

#[test]
fn the_tables_of_the_specification_are_those_of_the_code() {
    let text = std::fs::read_to_string(page()).unwrap();
    let (before, rest) = text.split_once(BEGIN).expect("the page marks where its tables begin");
    let (found, after) = rest.split_once(END).expect("the page marks where its tables end");
    let tables = format!("\n{}\n", wire::tables());
    if std::env::var_os("PHOTOCOL_WRITE").is_some() {
        return std::fs::write(page(), format!("{before}{BEGIN}{tables}{END}{after}")).unwrap();
    }
    assert_eq!(found, tables, "run this test with PHOTOCOL_WRITE=1");
}
