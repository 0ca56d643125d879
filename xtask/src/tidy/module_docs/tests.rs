//! Seeded files with and without an opening.

use super::*;

fn whats(text: &str) -> Vec<String> {
    check(&Tree::of(&[("crates/a/src/lib.rs", text)])).into_iter().map(|finding| finding.what).collect()
}

#[test]
fn a_file_that_says_what_it_is_passes() {
    assert_eq!(whats("//! The names of things, each in a type.\nfn f() {}"), Vec::<String>::new());
    assert_eq!(whats("//! Names of things,\n//! and no more.\nfn f() {}"), Vec::<String>::new());
}

#[test]
fn a_file_without_an_opening_is_found() {
    for text in [
        "fn f() {}",
        "",
        "// a comment\n//! too late, the opening is first\nfn f() {}",
        "/// An item's own.\nfn f() {}",
    ] {
        assert_eq!(whats(text), ["No module documentation (style.md 3)"], "{text}");
    }
}

#[test]
fn an_opening_that_says_nothing_is_found() {
    assert_eq!(whats("//! x\nfn f() {}"), ["The module documentation says no more than `x` (style.md 3)"]);
}

#[test]
fn the_readme_is_the_documentation_of_a_root_only() {
    let text = "#![doc = include_str!(\"../README.md\")]\nmod a;";
    assert_eq!(whats(text), Vec::<String>::new());
    assert_eq!(check(&Tree::of(&[("crates/a/src/b.rs", text)])).len(), 1);
}

#[test]
fn tests_have_an_opening_too() {
    let tree = Tree::of(&[("tests/it/a.rs", "fn f() {}"), ("crates/a/src/b/tests.rs", "fn f() {}")]);
    assert_eq!(check(&tree).len(), 2);
}
