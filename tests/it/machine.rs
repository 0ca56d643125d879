//! The binary on a user's machine with fixture servers.

use acceptance::{
    host::{Host, Programs},
    transcript::Transcript,
};
use serde_json::{Value, json};

/// An empty machine.
pub(crate) fn machine() -> Host {
    Host::new(Programs {
        coyote: env!("CARGO_BIN_EXE_coyote-under-test").into(),
        fixture: env!("CARGO_BIN_EXE_fixture-server").into(),
    })
    .unwrap()
}

/// A machine with one server, `docs`.
pub(crate) fn with(script: Value) -> Host {
    let mut host = machine();
    host.serve("docs", script).unwrap();
    host
}

/// Runs the binary. No run may show a backtrace or end by a panic (S19).
pub(crate) async fn run(host: &Host, args: &[&str]) -> Transcript {
    let done = host.run(args).await.unwrap();
    for word in ["stack backtrace", "RUST_BACKTRACE", "panicked at"] {
        assert!(!done.stderr.contains(word) && !done.text().contains(word), "{done}");
    }
    done
}

/// Runs the binary, which must end with this status.
pub(crate) async fn ends(host: &Host, status: i32, args: &[&str]) -> Transcript {
    let done = run(host, args).await;
    assert_eq!(done.status, Some(status), "{done}");
    done
}

/// A server with something of every kind.
pub(crate) fn shelf() -> Value {
    json!({
        "server_info": {"name": "shelf", "version": "2.1"},
        "instructions": "A shelf of books",
        "tools": [
            {"name": "add", "description": "Adds two numbers",
             "inputSchema": {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}, "required": ["a", "b"]}},
            {"name": "fail", "description": "Always fails", "inputSchema": {"type": "object"}},
        ],
        "resources": [
            {"uri": "book://one", "name": "one", "title": "Book one", "description": "The first book", "mimeType": "text/plain", "size": 38},
            {"uri": "book://cover", "name": "cover", "mimeType": "image/png"},
            {"uri": "book://long", "name": "long", "mimeType": "text/plain"},
            {"uri": "book://bundle", "name": "bundle"},
        ],
        "resource_templates": [{"uriTemplate": "book://page/{n}", "name": "page", "description": "One page"}],
        "prompts": [{"name": "review", "description": "Reviews a book",
                     "arguments": [{"name": "book", "description": "Which book", "required": true}, {"name": "tone"}]}],
        "contents": {
            "book://one": [{"uri": "book://one", "mimeType": "text/plain", "text": "first line\nsecond line\nthe third line\n"}],
            "book://cover": [{"uri": "book://cover", "mimeType": "image/png", "blob": {"blob_bytes": 1000}}],
            "book://long": [{"uri": "book://long", "mimeType": "text/plain", "text": {"text_bytes": 120_000}}],
            "book://bundle": [
                {"uri": "book://bundle/text", "mimeType": "text/plain", "text": "text\n"},
                {"uri": "book://bundle/picture", "mimeType": "image/png", "blob": {"blob_bytes": 1000}},
                {"uri": "book://bundle/none", "mimeType": "text/plain"}],
            "book://page/7": [{"uri": "book://page/7", "text": "page seven\n"}],
        },
        "tool_results": {
            "add": {"content": [{"type": "text", "text": "3"}], "structuredContent": {"sum": 3}},
            "fail": {"isError": true, "content": [{"type": "text", "text": "E1"}, {"type": "text", "text": "E2"}]},
        },
        "prompt_results": {"review": {"messages": [
            {"role": "user", "content": {"type": "text", "text": "Review the book"}},
            {"role": "assistant", "content": {"type": "text", "text": "Gladly"}}]}},
    })
}
