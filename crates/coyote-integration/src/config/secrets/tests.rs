//! `{{NAME}}`, `.env`, and what is never shown.

use super::*;

fn environment(variables: &[(&str, &str)], env_file: &str) -> Environment {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(".env");
    std::fs::write(&path, env_file).unwrap();
    let mut environment = Environment::new(ProcessEnv::of(variables));
    environment.read_file(&path);
    environment
}

fn warnings(environment: &Environment) -> Vec<String> {
    let path = environment.file_path().unwrap().display().to_string();
    environment.warnings().iter().map(|warning| warning.text.replace(&path, ".env")).collect()
}

#[test]
fn a_placeholder_is_a_variables_name_between_double_braces() {
    let names = |text| placeholders(text).map(|found| found.name).collect::<Vec<_>>();
    assert_eq!(names("a{{B}}c{{ D_1 }}"), ["B", "D_1"]);
    assert_eq!(names("{{{B}}"), ["B"]);
    assert_eq!(names("{{B}}}"), ["B"]);
    assert_eq!(names("{{}} {{1A}} {{a.b}} {{a b}} {B} {{B {{ {{é}}"), Vec::<&str>::new());
    assert_eq!(names("{{a.b}}{{C}}"), ["C"]);
}

#[test]
fn the_environment_comes_before_the_env_file() {
    let environment = environment(&[("A", "process")], "A=file\nB=file\n");
    assert_eq!(environment.fill("{{A}}/{{B}}/{{C}}"), ("process/file/{{C}}".to_owned(), vec!["C".to_owned()]));
}

#[test]
fn a_value_that_looks_like_a_placeholder_is_not_filled_again() {
    let environment = environment(&[("A", "{{B}}"), ("B", "secret")], "");
    assert_eq!(environment.fill("{{A}}").0, "{{B}}");
}

#[test]
fn the_env_file_is_never_put_into_the_process_environment() {
    let environment = environment(&[], "COYOTE_TEST_ONLY_IN_FILE=x\n");
    assert_eq!(environment.get("COYOTE_TEST_ONLY_IN_FILE").as_deref(), Some("x"));
    assert_eq!(std::env::var_os("COYOTE_TEST_ONLY_IN_FILE"), None);
}

#[test]
fn quotes_comments_exports_and_a_byte_order_mark_are_understood() {
    let text = "\u{feff}# who\nexport A='a b'\nB=\"x\\ny\"\n\nC=3 # three\n";
    let environment = environment(&[], text);
    assert_eq!(
        [environment.get("A"), environment.get("B"), environment.get("C")].map(Option::unwrap),
        ["a b", "x\ny", "3"]
    );
    assert!(warnings(&environment).is_empty());
}

#[test]
fn a_line_that_does_not_parse_is_named_by_number_only_and_its_siblings_count() {
    let environment = environment(&[], "A=1\nhunter2 is my password\nB=2\n");
    assert_eq!(environment.fill("{{A}}{{B}}").0, "12");
    insta::assert_snapshot!(warnings(&environment).join("\n"), @"`.env` line 2 does not parse and is skipped. A line is `NAME=value`, a comment, or empty; a value with blanks stands in quotes");
}

#[test]
fn an_absent_env_file_is_no_fault_and_an_unreadable_one_is_a_warning() {
    let dir = tempfile::tempdir().unwrap();
    let mut absent = Environment::new(ProcessEnv::of(&[]));
    absent.read_file(&dir.path().join("none"));
    assert!(absent.warnings().is_empty());
    let mut unreadable = Environment::new(ProcessEnv::of(&[]));
    unreadable.read_file(dir.path());
    assert!(unreadable.warnings()[0].text.contains("could not be read"), "{:?}", unreadable.warnings());
}

#[test]
fn an_environment_shown_for_debugging_tells_no_value() {
    let shown = format!("{:?}", environment(&[("P", "hunter1")], "TOKEN=hunter2\n"));
    assert!(shown.contains("TOKEN") && !shown.contains("hunter"), "{shown}");
}
