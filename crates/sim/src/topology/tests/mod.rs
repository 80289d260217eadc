//! Importers.

use super::geography::Capacity;
use super::*;
use crate::model::Position;
use units::Rate;

#[test]
fn gml_is_read_with_its_quirks() {
    let imported = parse_gml(include_str!("ring.gml")).unwrap();
    let names: Vec<&str> = imported.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["Munich", "Vienna", "Prague", "Vienna (7)"]);
    assert_eq!(imported.nodes[0].position, Some(Position { latitude: 48.13743, longitude: 11.57549 }));
    assert_eq!((imported.nodes[3].position, imported.directed), (None, false));
    assert_eq!(imported.links[0].capacity, Some(Capacity::Number(1e10)));
    assert_eq!(imported.links[1].capacity, Some(Capacity::Rate(Rate::from_mbps(2500))));
    assert_eq!((imported.links[2].metres, imported.links[3].metres), (Some(300_000), Some(100_000)));
    assert_eq!(imported.links.len(), 6);
}

#[test]
fn broken_files_are_errors_with_places() {
    let gml = |text: &str| parse_gml(text).map(|_| ()).map_err(|error| (error.offset, error.message));
    assert_eq!(gml(""), Err((0, "there is no \"graph [ … ]\" in the file".into())));
    assert_eq!(gml("graph [ node [ id \"x\" ] ]"), Err((15, "id: found \"x\": allowed: a finite number".into())));
    assert_eq!(gml("graph [ node [ id 1e999 ] ]"), Err((15, "id: found inf: allowed: a finite number".into())));
    assert_eq!(gml("graph [ node [ id 1 x nano ] ]").unwrap_err().0, 22);
    assert_eq!(gml("graph [ label \"abc").unwrap_err().0, 8);
    assert_eq!(gml("graph [ ] ]").unwrap_err().0, 10);
    assert_eq!(gml("graph [ x ]").unwrap_err().1, "x has no value: the file is cut off or a value is missing");
    assert!(parse_sndlib("<a").is_err());
    assert!(parse_sndlib("<!DOCTYPE a [<!ENTITY b \"c\">]><network/>").is_err(), "no entities");
}

#[test]
fn a_label_of_gml_may_have_entities_by_name_and_by_number() {
    // networkx 3.4 writes "K&#246;ln" for Köln; GML's own names are those of ISO 8859-1.
    let text = r#"graph [ node [ id 0 label "K&#246;ln" ] node [ id 1 label "R&amp;D &#34;West&#x22; &eacute;" ] ]"#;
    let names: Vec<String> = parse_gml(text).unwrap().nodes.into_iter().map(|node| node.name).collect();
    assert_eq!(names, ["Köln", "R&D \"West\" é"]);
}

#[test]
fn numbers_that_are_none_may_stand_where_nobody_asks() {
    for number in ["NAN", "NaN", "+INF", "-INF", "_NAN", "1e999"] {
        let text = |key: &str| {
            format!("graph [ node [ id 0 x {number} ] node [ id 1 ] edge [ source 0 target 1 {key} {number} ] ]")
        };
        assert_eq!(parse_gml(&text("weight")).unwrap().links.len(), 1, "{number}");
        for key in ["capacity", "delay", "dist"] {
            assert!(parse_gml(&text(key)).is_err(), "{key} {number}");
        }
        assert!(parse_gml(&format!("graph [ node [ id 0 latitude {number} longitude 1 ] ]")).is_err(), "{number}");
    }
}
