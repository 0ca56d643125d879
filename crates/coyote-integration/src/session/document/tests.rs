//! Session files: what is read from a hand's or another program's, and that nothing is lost on the way back.

use super::*;
use crate::{
    functions::{ToolCall, ToolResult},
    model::Part,
};
use mcp_render::Code;
use proptest::prelude::*;
use serde_json::json;
use std::fmt::Write;

fn read(text: &str) -> Result<SessionDocument, String> {
    SessionDocument::parse(text, Path::new("work.yaml"))
}

#[test]
fn settings_role_messages_and_foreign_keys_are_read_and_written_back() {
    let text = "model: openai:gpt-4o
temperature: 0.3
enabled_mcp_servers:
- docs
role_name: reviewer
agent_variables:
  depth: 2
messages:
- role: user
  content: What is in the manual?
- role: assistant
  content: |-
    One page,
      named start.
- role: user
  content:
  - type: text
    text: And this picture?
  - type: image_url
    image_url:
      url: data:image/png;base64,iVBORw0KGgo=
- role: assistant
  content:
    text: I looked.
    tool_results:
    - call:
        name: mcp_read_manual
        arguments:
          uri: manual://start
        id: call_1
      output:
        uri: manual://start
        text: Welcome
";
    let document = read(text).unwrap();
    assert_eq!(document.settings.model.as_deref(), Some("openai:gpt-4o"));
    assert_eq!(document.settings.enabled_mcp_servers, Chosen::of("docs"));
    assert_eq!(
        (document.role_name.as_deref(), &document.others),
        (Some("reviewer"), json!({"agent_variables": {"depth": 2}}).as_object().unwrap())
    );
    let picture = Part::Image { mime: "image/png".to_owned(), data: "iVBORw0KGgo=".to_owned(), name: String::new() };
    let [_, _, Message::User(parts), Message::Assistant { text: said, calls }, Message::Results(results)] =
        document.messages.as_slice()
    else {
        panic!("{:?}", document.messages);
    };
    assert_eq!((parts[1].clone(), said.as_str()), (picture, "I looked."));
    assert_eq!(
        (calls[0].id.as_str(), calls[0].name.as_str(), &calls[0].arguments),
        ("call_1", "mcp_read_manual", &json!({"uri": "manual://start"}))
    );
    assert_eq!(
        (results[0].id.as_str(), &results[0].output),
        ("call_1", &json!({"uri": "manual://start", "text": "Welcome"}))
    );
    assert_eq!(document.to_text().unwrap(), text);
}

#[test]
fn what_is_not_understood_is_named_with_its_place() {
    let errors = [
        "- 1",
        "messages: none",
        "messages: [{content: x}]",
        "messages: [{role: user, content: x}, {role: tool, content: x}]",
        "messages: [{role: user, content: 7}]",
        "messages: [{role: user, content: [{type: audio}]}]",
        "messages: [{role: assistant, content: {tool_results: [{output: 1}]}}]",
        "messages: [{role: assistant, content: {tool_results: [{call: {}}]}}]",
        "messages: [",
    ]
    .map(|text| read(text).unwrap_err());
    insta::assert_snapshot!(errors.join("\n"), @r#"
    `work.yaml` is a list; accepted is a mapping of keys to values
    `work.yaml` line 1: `messages` is text; accepted is a list of messages `{role, content}`
    `work.yaml` line 1: message 1 has no `role`; accepted are `user`, `assistant`, `system` (`messages`)
    `work.yaml` line 1: message 2 has the role `tool`; accepted are `user`, `assistant`, `system` (`messages`)
    `work.yaml` line 1: message 1 has a `content` that is not understood; accepted are text, parts, and `{tool_results, text}` (`messages`)
    `work.yaml` line 1: message 1 has a part whose `type` is not understood; accepted are `text` and `image_url` (`messages`)
    `work.yaml` line 1: message 1 has a tool result 1 without its `call`; accepted is `{call: {name, arguments}, output}` (`messages`)
    `work.yaml` line 1: message 1 has a call 1 without a `name`; accepted is `{call: {name, arguments}, output}` (`messages`)
    `work.yaml` does not parse: unclosed bracket '[' at line 1, column 11
    "#);
}

#[test]
fn a_wrong_setting_is_a_warning_and_the_rest_counts() {
    let document = read("temperature: hot\ntop_p: 0.5\nmodel: null\n").unwrap();
    assert_eq!(document.settings, Settings { top_p: Some(0.5), ..Settings::default() });
    insta::assert_snapshot!(document.warnings.join("\n"), @"`work.yaml` line 1: `temperature` is `hot`; accepted is a number from 0. It does not count");
    assert_eq!(read("").unwrap(), SessionDocument::default());
}

#[test]
fn an_alias_bomb_in_a_session_is_refused_at_once() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let before = level - 1;
        let six = vec![format!("*a{before}"); 6].join(", ");
        writeln!(text, "a{level}: &a{level} [{six}]").unwrap();
    }
    assert!(read(&text).is_err());
}

#[test]
fn calls_without_ids_get_their_own_and_a_failed_calls_code_is_read_back() {
    let text = "messages: [{role: assistant, content: {tool_results: [{call: {name: f}}, {call: {name: g, id: ''}, output: {tool_call_error: x, code: timeout}}]}}]";
    let document = read(text).unwrap();
    let [Message::Assistant { calls, .. }, Message::Results(results)] = document.messages.as_slice() else { panic!() };
    assert_eq!([calls[0].id.as_str(), calls[1].id.as_str()], ["call_1_1", "call_1_2"]);
    assert_eq!((results[0].code, results[1].code.map(Code::as_str)), (None, Some("timeout")));
}

fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[ -~\n]{0,60}",
        prop::sample::select(vec![
            "",
            " ",
            "\n",
            "null",
            "~",
            "yes",
            "1.0",
            "- a",
            "a: b",
            "# c",
            "\ttab\n",
            " \n x\n\n",
            "'\"",
            "{",
            "\u{feff}x",
            "a \n b ",
            "---",
            "..."
        ])
        .prop_map(str::to_owned),
    ]
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1.0e9..1.0e9).prop_map(Value::from),
        words().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((words(), inner), 0..4).prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn messages() -> impl Strategy<Value = Vec<Message>> {
    let user = prop::collection::vec(
        prop_oneof![
            words().prop_map(Part::Text),
            (words()).prop_map(|name| Part::Image { mime: "image/png".to_owned(), data: "AA==".to_owned(), name }),
        ],
        1..3,
    )
    .prop_map(|parts| vec![Message::User(parts)]);
    let answer = words().prop_map(|text| vec![Message::Assistant { text, calls: Vec::new() }]);
    let round = (words(), prop::collection::vec((values(), values()), 1..3)).prop_map(|(text, pairs)| {
        let id = |number: usize| format!("c{number}");
        let calls = pairs.iter().enumerate().map(|(number, (arguments, _))| ToolCall {
            id: id(number),
            name: "f".to_owned(),
            arguments: arguments.clone(),
        });
        let results = pairs.iter().enumerate().map(|(number, (_, output))| ToolResult {
            id: id(number),
            name: "f".to_owned(),
            output: json!({"value": output}),
            code: None,
        });
        vec![Message::Assistant { text, calls: calls.collect() }, Message::Results(results.collect())]
    });
    let system = words().prop_map(|text| vec![Message::System(text)]);
    prop::collection::vec(prop_oneof![user, answer, round, system], 0..4).prop_map(|messages| messages.concat())
}

proptest! {
    #[test]
    fn what_is_written_is_read_back_as_it_was(messages in messages(), compressed in messages(), prompt in words()) {
        let role_prompt = Some(prompt).filter(|prompt| !prompt.is_empty());
        let document = SessionDocument { role_prompt, messages, compressed, ..SessionDocument::default() };
        let text = document.to_text().unwrap();
        prop_assert_eq!(read(&text), Ok(document), "{}", text);
    }
}
