//! The manifests as cargo prints them.

use super::*;

#[test]
fn edges_are_read_with_their_kind() {
    let metadata = br#"{"workspace_root": "/w", "packages": [{"name": "a", "manifest_path": "/w/crates/a/Cargo.toml", "dependencies": [
        {"name": "b", "kind": null}, {"name": "c", "kind": "dev"}, {"name": "d", "kind": "build", "optional": true}]}]}"#;
    let edge = |to: &str, use_| Edge { to: to.to_owned(), use_ };
    let edges = vec![edge("b", Use::Shipped), edge("c", Use::Dev), edge("d", Use::Shipped)];
    let expected = Manifest { name: "a".to_owned(), path: "crates/a/Cargo.toml".to_owned(), edges };
    assert_eq!(Manifest::parse(metadata).unwrap(), [expected]);
}

#[test]
fn what_is_no_metadata_is_an_error_that_names_the_missing_key() {
    let cases: [(&[u8], &str); 4] = [
        (b"no", "`cargo metadata` printed no JSON"),
        (b"{}", "no `workspace_root` in the metadata"),
        (br#"{"workspace_root": "/w"}"#, "no `packages` in the metadata"),
        (br#"{"workspace_root": "/w", "packages": [{"manifest_path": "/w/x"}]}"#, "no `dependencies` in the metadata"),
    ];
    for (metadata, expected) in cases {
        assert_eq!(Manifest::parse(metadata).unwrap_err().to_string(), expected);
    }
}

#[test]
fn cargo_is_asked_about_a_workspace_on_disk() {
    let root = crate::scratch::Scratch::new();
    root.write("Cargo.toml", "[workspace]\nresolver = \"3\"\nmembers = [\"crates/*\"]\n");
    root.write("crates/low/Cargo.toml", "[package]\nname = \"low\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
    root.write("crates/low/src/lib.rs", "//! x\n");
    let manifest = "[package]\nname = \"high\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[dependencies]\nlow = { path = \"../low\" }\n";
    root.write("crates/high/Cargo.toml", manifest);
    root.write("crates/high/src/lib.rs", "//! x\n");
    let mut manifests = Manifest::load(root.path()).unwrap();
    manifests.sort_by(|a, b| a.name.cmp(&b.name));
    let names: Vec<_> = manifests
        .iter()
        .map(|m| (m.name.as_str(), m.edges.iter().map(|e| e.to.as_str()).collect::<Vec<_>>()))
        .collect();
    assert_eq!(names, [("high", vec!["low"]), ("low", vec![])]);
}
