//! S42: what is refused before any request, and what is sent.

use super::Invocation;
use mcp_catalog::{PromptArgument, ServerName};
use rstest::rstest;

fn parse(line: &str) -> Result<Invocation, String> {
    let servers = [ServerName::new("docs").unwrap(), ServerName::new("my git").unwrap()];
    Invocation::parse(line, &servers).map_err(|error| format!("{error}. {}", error.hint()))
}

fn declared(names: &[(&str, bool)]) -> Vec<PromptArgument> {
    let argument = |(name, required): &(&str, bool)| PromptArgument {
        name: (*name).to_owned(),
        title: None,
        description: Some(format!("about {name}")),
        required: *required,
    };
    names.iter().map(argument).collect()
}

// C01, C02, C03, C09, S43
#[rstest]
#[case("", "`.prompt` needs a server. Write `.prompt <server> …`. Enabled are `docs`, `my git`")]
#[case(
    ".prompt You are a pirate",
    "`You` is no server that is enabled here. Enabled are `docs`, `my git`. For a role of one session use `.temp-role <text>`"
)]
#[case(".prompt dosc x", "`dosc` is no server that is enabled here. Did you mean `docs`?")]
#[case(".prompt docs", "`.prompt docs` needs the name of a prompt. `.list prompts docs` shows what there is")]
#[case(".prompt docs ''", "`.prompt docs` needs the name of a prompt")]
#[case(
    ".prompt docs p topic=a b c d=e",
    "`b` at column 24 is no `key=value`. If it belongs to the value before it, quote the value: `topic='a b c'`"
)]
#[case(".prompt docs p word", "`word` at column 16 is no `key=value`. Arguments are written `key=value`")]
#[case(".prompt docs p =v", "The key before `=` at column 16 is empty. Write `key=value`")]
#[case(".prompt docs p a=1 a=2", "`a` is given more than once. Keep one `a=…`")]
#[case(".prompt docs p a='b c", "The quote ' at column 18 is not closed. Close it with '")]
fn a_wrong_line_is_refused_before_any_request_s42(#[case] line: &str, #[case] message: &str) {
    let error = parse(line).unwrap_err();
    assert!(error.starts_with(message), "{error}");
}

// C02, C10
#[test]
fn quoted_names_and_values_keep_every_byte() {
    let line = parse(r#".prompt 'my git' "code review" path=C:\x q="a \"b\" c" empty= --info"#).unwrap();
    assert_eq!((line.server.as_str(), line.prompt.as_str(), line.info), ("my git", "code review", true));
    let pairs: Vec<_> = line.arguments.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    assert_eq!(pairs, [("path", r"C:\x"), ("q", r#"a "b" c"#), ("empty", "")]);
}

// C09
#[test]
fn an_unknown_key_names_the_nearest_declared_one_s42() {
    let line = parse(".prompt docs ask topc=x").unwrap();
    let error = line.check(&declared(&[("topic", true), ("depth", false)])).unwrap_err();
    assert_eq!(error.to_string(), "`ask` takes no `topc`");
    assert_eq!(error.hint(), "Did you mean `topic`? It takes `topic`, `depth`");
    assert_eq!(line.check(&[]).unwrap_err().hint(), "It takes no arguments");
}

// C05, C06
#[test]
fn an_object_is_sent_whenever_the_prompt_declares_arguments() {
    let bare = parse(".prompt docs p").unwrap();
    assert_eq!(bare.to_send(Some(&declared(&[("a", false)]))), Some(serde_json::Map::new()));
    assert_eq!(bare.to_send(Some(&[])), None);
    assert_eq!(bare.to_send(None), None);
    let given = parse(".prompt docs p a=1").unwrap().to_send(None).unwrap();
    assert_eq!(given["a"], "1");
}

#[test]
fn an_empty_value_is_given_and_not_missing_s41() {
    let line = parse(".prompt docs p b=").unwrap();
    let missing = line.missing(&declared(&[("c", true), ("a", false), ("b", true)]));
    assert_eq!(missing.iter().map(ToString::to_string).collect::<Vec<_>>(), ["c (about c)"]);
}
