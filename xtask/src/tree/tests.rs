//! What is a test and what is shipped: every check stands on this.

use super::*;

fn shipped_words(tree: &Tree, path: &str) -> Vec<String> {
    let source = tree.source(path).unwrap();
    source.shipped_tokens().iter().filter_map(|token| token.ident()).map(str::to_owned).collect()
}

#[test]
fn a_file_is_a_test_by_its_place_or_its_name() {
    let tests = [
        "tests/it/main.rs",
        "tests/src/lib.rs",
        "crates/a/tests/all.rs",
        "crates/a/src/b/tests.rs",
        "crates/a/src/tests/c.rs",
    ];
    let shipped =
        ["crates/a/src/lib.rs", "crates/a/src/latest.rs", "crates/a/src/tests_of_time.rs", "xtask/src/main.rs"];
    for (paths, expected) in [(&tests[..], true), (&shipped[..], false)] {
        for path in paths {
            assert_eq!(Tree::of(&[(path, "fn f() {}")]).source(path).unwrap().test, expected, "{path}");
        }
    }
}

#[test]
fn a_module_that_only_tests_declare_is_a_test_with_all_below_it() {
    let tree = Tree::of(&[
        ("crates/a/src/verb.rs", "#[cfg(test)] mod laws; mod read;"),
        ("crates/a/src/verb/laws.rs", "mod deep;"),
        ("crates/a/src/verb/laws/deep.rs", ""),
        ("crates/a/src/verb/read.rs", ""),
        ("crates/a/src/lib.rs", "#[cfg(test)] mod fake;"),
        ("crates/a/src/fake/mod.rs", ""),
        ("crates/a/src/fakes.rs", ""),
    ]);
    let tests: Vec<&str> = tree.sources().iter().filter(|s| s.test).map(|s| s.path.as_str()).collect();
    assert_eq!(tests, ["crates/a/src/fake/mod.rs", "crates/a/src/verb/laws.rs", "crates/a/src/verb/laws/deep.rs"]);
}

#[test]
fn an_item_that_only_tests_compile_is_not_shipped() {
    let text = "
        fn kept() {}
        #[cfg(test)] mod tests { fn inner() {} }
        #[cfg(all(test, unix))] fn gated() {}
        #[cfg(any(test, unix))] fn either() {}
        #[cfg(not(test))] fn never_in_tests() {}
        #[test] fn marked() {}
        impl Kept { #[cfg(test)] fn probe() {} fn real() {} }
        #[cfg(test)] use fake::Fake;
    ";
    let tree = Tree::of(&[("crates/a/src/lib.rs", text)]);
    let words = shipped_words(&tree, "crates/a/src/lib.rs");
    for word in ["kept", "either", "never_in_tests", "real"] {
        assert!(words.iter().any(|w| w == word), "{word} is shipped: {words:?}");
    }
    for word in ["inner", "gated", "marked", "probe", "Fake"] {
        assert!(words.iter().all(|w| w != word), "{word} is not shipped: {words:?}");
    }
}

#[test]
fn a_file_that_says_it_is_for_tests_is_one() {
    let tree = Tree::of(&[("crates/a/src/fake.rs", "//! x\n#![cfg(test)]\nfn f() {}")]);
    assert!(tree.source("crates/a/src/fake.rs").unwrap().test);
}

#[test]
fn a_file_that_does_not_parse_is_an_error_with_its_line() {
    let files = vec![("crates/a/src/lib.rs".to_owned(), "fn f() {}\nfn {}\n".to_owned())];
    let Err(error) = Tree::parse(files) else { panic!("it parsed") };
    assert!(error.to_string().starts_with("crates/a/src/lib.rs:2: does not parse"), "{error}");
}

#[test]
fn a_tree_on_disk_is_read_without_build_output_and_hidden_directories() {
    let root = crate::scratch::Scratch::new();
    for path in
        ["crates/a/src/lib.rs", "xtask/src/main.rs", "crates/a/target/out.rs", "crates/.git/x.rs", "elsewhere/x.rs"]
    {
        root.write(path, "//! text\n");
    }
    root.write("crates/a/README.md", "no source");
    let tree = Tree::load(root.path()).unwrap();
    let paths: Vec<&str> = tree.sources().iter().map(|s| s.path.as_str()).collect();
    assert_eq!(paths, ["crates/a/src/lib.rs", "xtask/src/main.rs"]);
}
