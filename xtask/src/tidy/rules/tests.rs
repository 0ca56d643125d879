//! Seeded tables: whole, with holes, and with proofs that are none.

use super::*;

/// A table in which every rule is accepted, but for `rows`, which replace theirs.
fn table(rows: &[(&str, &str)]) -> String {
    let of = |rule: &String| {
        rows.iter()
            .find(|(given, _)| given == rule)
            .map_or("Proof::Accepted(\"nothing has to hold here\")", |(_, proof)| *proof)
    };
    let rows: Vec<String> = expected().map(|rule| format!("(\"{rule}\", {}),\n", of(&rule))).collect();
    format!("const RULES: &[(&str, Proof)] = &[\n{}];", rows.concat())
}

fn whats(files: &[(&str, &str)]) -> Vec<String> {
    check(&Tree::of(files)).into_iter().map(|finding| finding.what).collect()
}

fn whats_of(proof: &str, others: &[(&str, &str)]) -> Vec<String> {
    let table = table(&[("S7", proof)]);
    let mut files = vec![(TABLE, table.as_str()), (ROOT, "mod rules;")];
    files.extend(others);
    whats(&files)
}

const NOTHING: [String; 0] = [];

#[test]
fn a_whole_table_passes() {
    assert_eq!(expected().count(), 62);
    assert_eq!(whats_of("Proof::Later(4)", &[]), NOTHING);
}

#[test]
fn a_missing_table_is_found() {
    assert_eq!(whats(&[]), ["The table of rules is missing (style.md 24)"]);
    let expected = ["There is no `const RULES: &[(&str, Proof)] = &[…]` (style.md 24)"];
    assert_eq!(whats(&[(TABLE, "fn f() {}")]), expected);
    assert_eq!(whats(&[(TABLE, "const RULES: usize = 1;")]), expected);
}

#[test]
fn a_missing_a_double_and_an_unknown_rule_are_found() {
    let without = table(&[]).replace("(\"S47\",", "(\"S48\",").replace("(\"R2\",", "(\"R1\",");
    let found = whats(&[(TABLE, &without), (ROOT, "mod rules;")]);
    let expected =
        ["`R1` has two rows", "`S48` is no rule", "`R2` has no row (style.md 24)", "`S47` has no row (style.md 24)"];
    assert_eq!(found, expected);
}

#[test]
fn what_is_no_row_is_found_with_its_line() {
    for proof in
        ["Proof::Tests(NAMES)", "Proof::Later(issue)", "Proof::Never", "Proof::Other(1)", "Proof::Tests(&[\"a\"], 1)"]
    {
        let found = check(&Tree::of(&[(TABLE, &table(&[("R1", proof)])), (ROOT, "mod rules;")]));
        let row = found.iter().find(|finding| finding.what == "This is no row of the table");
        assert_eq!(row.map(|finding| finding.line), Some(2), "{proof}: {found:?}");
    }
}

#[test]
fn a_test_must_exist_and_run() {
    let elsewhere = [(
        "crates/a/src/b/tests.rs",
        "#[test] fn it_holds() {}\n#[test] #[ignore = \"slow\"] fn it_waits() {}\nfn no_test() {}",
    )];
    assert_eq!(whats_of("Proof::Tests(&[\"it_holds\"])", &elsewhere), NOTHING);
    assert_eq!(whats_of("Proof::Tests(&[])", &elsewhere), ["`S7`: no test is named"]);
    let found = whats_of("Proof::Tests(&[\"it_holds\", \"it_waits\", \"no_test\", \"nowhere\"])", &elsewhere);
    assert_eq!(
        found,
        ["`S7`: `it_waits` is ignored", "`S7`: no test is called `no_test`", "`S7`: no test is called `nowhere`"]
    );
}

#[test]
fn tests_of_every_kind_are_known() {
    let text = "
        mod inner { #[tokio::test] async fn over_tokio() {} }
        #[rstest] #[case(1)] fn by_table(#[case] n: u8) {}
        proptest! { #![proptest_config(x())] #[test] fn a_law(a in 0..1u8) { f(|| { fn nested() {} }) } }
        proptest::proptest! { #[test] fn another_law(a in 0..1u8) {} }
    ";
    for name in ["over_tokio", "by_table", "a_law", "another_law"] {
        assert_eq!(whats_of(&format!("Proof::Tests(&[\"{name}\"])"), &[("tests/it/a.rs", text)]), NOTHING, "{name}");
    }
}

#[test]
fn an_example_in_documentation_is_a_proof_when_it_runs() {
    let path = "crates/a/src/b.rs";
    for text in [
        "//! ```\n//! f();\n//! ```",
        "/// ```compile_fail,E0308\n/// f();\n/// ```\nfn g() {}",
        "/// ```text\n/// x\n/// ```\n/// ```rust\n/// f();\n/// ```\nfn g() {}",
    ] {
        assert_eq!(whats_of("Proof::Tests(&[\"doc:crates/a/src/b.rs\"])", &[(path, text)]), NOTHING, "{text}");
    }
    for text in [
        "//! no fence",
        "/// ```text\n/// f();\n/// ```\nfn g() {}",
        "/// ```ignore\n/// f();\n/// ```\nfn g() {}",
        "/// ```json\n/// {}\n/// ```\nfn g() {}",
    ] {
        let expected = ["`S7`: `crates/a/src/b.rs` has no example in its documentation that runs"];
        assert_eq!(whats_of("Proof::Tests(&[\"doc:crates/a/src/b.rs\"])", &[(path, text)]), expected, "{text}");
    }
}

#[test]
fn an_issue_has_a_number_and_a_reason_has_words() {
    assert_eq!(whats_of("Proof::Later(0)", &[]), ["`S7`: there is no issue 0"]);
    assert_eq!(whats_of("Proof::Accepted(\"fine\")", &[]), ["`S7`: `fine` is no reason"]);
}

#[test]
fn the_table_is_part_of_the_test_binary() {
    assert_eq!(whats(&[(TABLE, &table(&[])), (ROOT, "mod other;")]), ["`mod rules;` is missing (style.md 24)"]);
}
