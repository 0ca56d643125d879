//! What the offline model does with each command, and what it says of the rest. No network, no context.

use super::*;

struct Heard(std::sync::Mutex<String>);

impl ReplySink for Heard {
    fn text(&self, more: &str) {
        self.0.lock().unwrap().push_str(more);
    }
}

fn request(text: &str, functions: &[&str]) -> ChatRequest {
    let functions = functions
        .iter()
        .map(|name| Function { name: (*name).to_owned(), description: String::new(), parameters: json!({}) })
        .collect();
    let messages = vec![Message::System("Be brief".to_owned()), Message::user(text)];
    ChatRequest { messages, functions, stream: true, ..ChatRequest::default() }
}

fn calls(text: &str) -> Vec<(String, Value)> {
    let declared =
        ["fs_cat", "mcp_search_docs", "mcp_read_docs", "mcp_describe_docs", "mcp_search_coyote", "mcp_read_coyote"];
    answer(&request(text, &declared)).calls.into_iter().map(|call| (call.name, call.arguments)).collect()
}

fn call(name: &str, arguments: Value) -> (String, Value) {
    (name.to_owned(), arguments)
}

#[test]
fn find_asks_every_search_function_in_the_order_of_servers() {
    let query = json!({"query": "two words"});
    assert_eq!(calls("find two words"), [call("mcp_search_docs", query.clone()), call("mcp_search_coyote", query)]);
}

#[test]
fn a_uri_is_read_by_the_server_of_its_scheme_and_else_by_the_users_servers() {
    let read = |uri: &str| calls(&format!("read {uri}"));
    assert_eq!(read("coyote://manual/start"), [call("mcp_read_coyote", json!({"uri": "coyote://manual/start"}))]);
    assert_eq!(read("file:///a"), [call("mcp_read_docs", json!({"uri": "file:///a"}))]);
}

#[test]
fn describe_and_call_go_on_as_they_were_written() {
    assert_eq!(calls("describe tool a b"), [call("mcp_describe_docs", json!({"kind": "tool", "tool": "a b"}))]);
    assert_eq!(calls("call fs_cat {\"path\": \"x\"}"), [call("fs_cat", json!({"path": "x"}))]);
    assert_eq!(calls("call unknown"), [call("unknown", json!({}))]);
    assert_eq!(calls("call fs_cat {broken"), [call("fs_cat", json!("{broken"))]);
}

#[tokio::test]
async fn anything_else_shows_what_would_have_been_sent_and_streams_it() {
    let heard = Heard(std::sync::Mutex::default());
    let asked = request("hello", &["mcp_search_docs"]);
    let reply = Offline::new().chat(asked, &heard, CancellationToken::new()).await.unwrap();
    let expected = "A language model would have been sent:\n- system: 8 bytes\n- user: 5 bytes\n\nDeclared functions (1):\n- \
                    mcp_search_docs\n";
    assert_eq!(reply.text, expected);
    assert_eq!(*heard.0.lock().unwrap(), expected);
}

#[test]
fn results_are_shown_an_item_a_line_and_bounded() {
    let result = |output: Value| ToolResult { id: "1".to_owned(), name: "f".to_owned(), output, code: None };
    let items =
        json!({"items": [{"kind": "tool", "id": "t", "description": "Does\nmore"}, {"kind": "prompt", "id": "p"}]});
    assert_eq!(shown(&[result(items)]), "f:\n- tool t: Does\n- prompt p\n\n");
    let long = shown(&[result(json!({"text": "é".repeat(SHOWN_MAX + 5)}))]);
    assert!(long.contains("…\n(11 more bytes)"), "{long}");
}

#[test]
fn what_is_no_markdown_stands_in_a_fence_longer_than_any_in_it() {
    let result = |output: Value| shown(&[ToolResult { id: "1".to_owned(), name: "f".to_owned(), output, code: None }]);
    assert_eq!(result(json!({"a": {"b": 1}})), "f:\n```json\n{\n  \"a\": {\n    \"b\": 1\n  }\n}\n```\n\n");
    let plain = |text: &str| result(json!({"mime_type": "text/plain", "text": text}));
    assert_eq!(plain("a\n  b\n"), "f:\n```\na\n  b\n```\n\n");
    assert_eq!(plain("````\nx"), "f:\n`````\n````\nx\n`````\n\n");
    for mime in [json!("Text/Markdown; charset=utf-8"), Value::Null] {
        assert_eq!(result(json!({"mime_type": mime, "text": "# A\n"})), "f:\n# A\n\n\n");
    }
}

#[test]
fn the_preface_says_that_it_is_no_language_model_and_how_to_configure_one() {
    let preface = Offline::new().preface().unwrap().to_owned();
    assert!(preface.contains("no language model") && preface.contains("config.yaml") && !preface.contains('\n'));
}
