//! Seeded files over each budget, and at its edge.

use super::*;

fn whats(path: &str, text: &str) -> Vec<String> {
    check(&Tree::of(&[(path, text)])).into_iter().map(|finding| finding.what).collect()
}

/// `n` lines of code.
fn code(n: usize) -> String {
    "const A: u8 = 0;\n".repeat(n)
}

/// A function of `n` lines.
fn function(n: usize) -> String {
    format!("fn long() {{\n{}}}\n", "    let a = 0;\n".repeat(n - 2))
}

#[test]
fn a_file_of_400_lines_of_code_is_over_its_budget() {
    assert_eq!(whats("crates/a/src/b.rs", &code(399)), Vec::<String>::new());
    assert_eq!(whats("crates/a/src/b.rs", &code(400)), ["400 lines of code; the limit is under 400 (style.md 2)"]);
}

#[test]
fn blank_lines_comments_and_documentation_are_free() {
    let free = "\n// a comment\n/* one\n two */\n//! module\n".to_owned() + &"/// doc\n// note\n\n".repeat(300);
    assert_eq!(whats("crates/a/src/b.rs", &format!("{free}{}", code(399))), Vec::<String>::new());
}

#[test]
fn a_literal_counts_all_its_lines_in_shipped_code() {
    let text = format!("const T: &str = \"{}\";\n", "x\n".repeat(399));
    assert_eq!(whats("crates/a/src/b.rs", &text), ["400 lines of code; the limit is under 400 (style.md 2)"]);
}

#[test]
fn tests_are_free_of_the_budget_of_a_file() {
    for path in ["crates/a/src/b/tests.rs", "crates/a/tests/b.rs", "tests/it/b.rs"] {
        assert_eq!(whats(path, &code(500)), Vec::<String>::new(), "{path}");
    }
    assert_eq!(whats("tests/src/fixture.rs", &code(400)).len(), 1, "the fixture is a program of its own");
    let inline = format!("{}#[cfg(test)]\nmod tests {{\n{}}}\n", code(350), code(70));
    assert_eq!(whats("crates/a/src/b.rs", &inline), Vec::<String>::new());
}

#[test]
fn a_test_module_over_80_lines_has_its_own_file() {
    let inline = |n| format!("#[cfg(test)]\nmod laws {{\n{}}}\n", code(n));
    assert_eq!(whats("crates/a/src/b.rs", &inline(77)), Vec::<String>::new());
    let tree = Tree::of(&[("crates/a/src/b.rs", &inline(78))]);
    let expected = Finding::new(
        "crates/a/src/b.rs",
        1,
        "the test module `laws` has 81 lines of code; over 80 it has its own file (style.md 2)",
        "Move it to `crates/a/src/b/laws.rs`",
    );
    assert_eq!(check(&tree), [expected]);
}

#[test]
fn a_function_of_60_lines_is_over_its_budget_wherever_it_stands() {
    let long = function(60);
    let places =
        [long.clone(), format!("impl A {{\n{long}}}"), format!("trait A {{\n{long}}}"), format!("mod b {{\n{long}}}")];
    for text in places {
        let expected = ["fn `long` has 60 lines of code; the limit is under 60 (style.md 2)"];
        assert_eq!(whats("crates/a/src/b.rs", &text), expected, "{text}");
    }
    assert_eq!(whats("crates/a/src/b.rs", &function(59)), Vec::<String>::new());
    assert_eq!(whats("tests/it/b.rs", &format!("#[test]\n{long}")).len(), 1, "tests have the budget too");
}

#[test]
fn in_a_test_a_literal_is_data_and_counts_once() {
    let text = format!("fn f() {{\n let a = \"{}\";\n}}\n", "x\n".repeat(80));
    assert_eq!(whats("tests/it/b.rs", &text), Vec::<String>::new());
    assert_eq!(whats("crates/a/src/b.rs", &text).len(), 1);
}

#[test]
fn a_main_of_15_lines_is_over_its_budget() {
    assert_eq!(whats("crates/a/src/main.rs", &code(14)), Vec::<String>::new());
    assert_eq!(
        whats("crates/a/src/main.rs", &code(15)),
        ["main.rs has 15 lines of code; the limit is under 15 (style.md 5)"]
    );
    assert_eq!(whats("tests/it/main.rs", &code(30)), Vec::<String>::new(), "a list of test modules is no program");
}

#[test]
fn a_name_that_says_nothing_is_found_in_files_and_directories() {
    for (path, name) in
        [("crates/a/src/utils.rs", "utils"), ("crates/a/src/helpers/b.rs", "helpers"), ("tests/it/common.rs", "common")]
    {
        assert_eq!(whats(path, ""), [format!("`{name}` names no thing of the design (style.md 1)")], "{path}");
    }
    assert_eq!(whats("crates/a/src/mime_types.rs", ""), Vec::<String>::new());
}
