//! Both dispatch chains of the host, and where the features of a context come from (R4, R15, S6, S13, S25).

use crate::rig::{Rig, resource};
use coyote_integration::{
    functions::{LocalCall, LocalScope, LocalTools, NoLocalTools, ToolCall, eval, eval_mcp, partition, run_calls},
    model::Function,
};
use mcp_render::Code;
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tempfile::TempDir;

fn calls(calls: &[(&str, Value)]) -> Vec<ToolCall> {
    let of = |(n, (name, arguments)): (usize, &(&str, Value))| ToolCall {
        id: n.to_string(),
        name: (*name).to_owned(),
        arguments: arguments.clone(),
    };
    calls.iter().enumerate().map(of).collect()
}

fn whole() -> Value {
    let mut script = resource("a://1", json!([{"uri": "a://1", "text": "the text"}]));
    script["tools"] = json!([{"name": "t", "inputSchema": {"type": "object"}}]);
    script["prompts"] = json!([{"name": "p"}]);
    script["prompt_results"] =
        json!({"p": {"messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}]}});
    script
}

// R4
#[tokio::test]
async fn every_verb_means_the_same_on_both_chains_and_none_falls_through_to_invoke() {
    let rig = Rig::of(whole()).await;
    let asked = calls(&[
        ("mcp_read_docs", json!({"uri": "a://1"})),
        ("mcp_prompt_docs", json!({"prompt": "p"})),
        ("mcp_search_docs", json!({})),
        ("mcp_describe_docs", json!({"tool": "t"})),
        ("mcp_invoke_docs", json!({"tool": "t"})),
    ]);
    let numbered: Vec<(usize, ToolCall)> = asked.into_iter().enumerate().collect();
    let concurrent = eval_mcp(&rig.context, numbered.clone()).await;
    let sequential = eval(&rig.context, &NoLocalTools, numbered.clone()).await;
    assert_eq!(concurrent, sequential);
    assert!(concurrent.iter().all(|(_, result)| result.code.is_none()), "{concurrent:?}");
    assert_eq!(concurrent[0].1.output["text"], "the text");
    let reached: usize = rig.log().received("tools/call").len();
    assert_eq!(reached, 2, "only the two invokes have reached the tool");

    let reads = [(0, numbered[0].1.clone()), (1, numbered[1].1.clone())].to_vec();
    let split = partition(reads.into_iter().map(|(_, call)| call).collect());
    assert_eq!((split.meta.len(), split.local.len()), (2, 0));
}

// R4, S6
#[tokio::test]
async fn an_undeclared_name_is_refused_on_both_chains_before_the_server_is_asked() {
    let rig = Rig::of(json!({"tools": [{"name": "bogus_x", "inputSchema": {}}]})).await;
    let before = rig.log().entries().len();
    let numbered: Vec<(usize, ToolCall)> =
        calls(&[("mcp_bogus_x", json!({"tool": "bogus_x"})), ("mcp_read_docs", json!({"uri": "a"}))])
            .into_iter()
            .enumerate()
            .collect();
    for results in [eval_mcp(&rig.context, numbered.clone()).await, eval(&rig.context, &NoLocalTools, numbered).await] {
        assert!(results.iter().all(|(_, result)| result.code == Some(Code::Unsupported)), "{results:?}");
    }
    assert_eq!(rig.log().entries().len(), before);
}

/// A tool of the user's own that notes how many run at once.
#[derive(Default)]
struct Counting {
    running: AtomicUsize,
    most: AtomicUsize,
}

impl LocalTools for Counting {
    fn functions(&self) -> Vec<Function> {
        let own = |name: &str| Function { name: name.to_owned(), description: String::new(), parameters: json!({}) };
        vec![own("mcp_reader"), own("fs_cat")]
    }

    fn call<'a>(&'a self, name: &'a str, _arguments: &'a Value, _scope: &'a LocalScope) -> Option<LocalCall<'a>> {
        if !self.names().iter().any(|own| own == name) {
            return None;
        }
        Some(Box::pin(async move {
            let now = self.running.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(now, Ordering::SeqCst);
            tokio::task::yield_now().await;
            self.running.fetch_sub(1, Ordering::SeqCst);
            mcp_meta::Answer { value: json!({"ran": name}), code: None }
        }))
    }
}

#[tokio::test]
async fn meta_functions_run_at_once_local_tools_in_order_and_results_keep_the_order_of_the_calls() {
    let dir = TempDir::new().unwrap();
    let mut script = whole();
    // The four reads answer only when all four have come.
    script["rules"] = json!([{"on": "resources/read", "before": [{"meet": {"dir": dir.path(), "of": 4}}]}]);
    let rig = Rig::of(script).await;
    let local = Counting::default();
    let read = || ("mcp_read_docs", json!({"uri": "a://1"}));
    let asked = calls(&[
        read(),
        ("fs_cat", json!({})),
        read(),
        ("mcp_reader", json!({})),
        read(),
        ("fs_cat", json!({})),
        read(),
    ]);
    let results = run_calls(&rig.context, &local, asked).await;
    let names: Vec<&str> = results.iter().map(|result| result.name.as_str()).collect();
    assert_eq!(
        names,
        ["mcp_read_docs", "fs_cat", "mcp_read_docs", "mcp_reader", "mcp_read_docs", "fs_cat", "mcp_read_docs"]
    );
    assert_eq!(
        results.iter().map(|result| result.id.as_str()).collect::<Vec<_>>(),
        ["0", "1", "2", "3", "4", "5", "6"]
    );
    assert!(results.iter().all(|result| result.code.is_none()));
    assert_eq!(local.most.load(Ordering::SeqCst), 1, "local tools run one by one");
}

// S13
#[tokio::test]
async fn one_call_that_fails_costs_the_others_nothing() {
    let mut script = whole();
    script["rules"] = json!([{"on": "prompts/get", "reply": {"line": "{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{\"a\":\"\u{1}\"}}"}}]);
    let rig = Rig::of(script).await;
    let results = run_calls(
        &rig.context,
        &NoLocalTools,
        calls(&[
            ("mcp_prompt_docs", json!({"prompt": "p"})),
            ("mcp_read_docs", json!({"uri": "a://1"})),
            ("nonsense", json!({})),
        ]),
    )
    .await;
    assert_eq!(results[0].code, Some(Code::ProtocolError));
    assert_eq!(results[1].output["text"], "the text");
    assert_eq!(results[2].code, Some(Code::Unsupported));
}

// S25
#[tokio::test]
async fn the_calls_of_one_reply_share_what_a_reply_may_hold() {
    let rig = Rig::of(resource("a://1", json!([{"uri": "a://1", "text": {"text_bytes": 250_000}}]))).await;
    for (count, share) in [(1, 204_800), (6, 102_400), (26, 25_600)] {
        let read = ("mcp_read_docs", json!({"uri": "a://1", "max_bytes": 204_800}));
        let results = run_calls(&rig.context, &NoLocalTools, calls(&vec![read; count])).await;
        assert_eq!(results.len(), count);
        for result in results {
            let bytes = result.output.to_string().len();
            assert!(bytes <= share && bytes > share * 9 / 10, "{bytes} of {share} for one of {count}");
        }
    }
}

// S28: what one context has read serves its next calls, and nobody else's.
#[tokio::test]
async fn a_page_store_is_the_hosts_to_share() {
    let rig = Rig::of(resource("a://1", json!([{"uri": "a://1", "text": {"text_bytes": 200_000}}]))).await;
    let mut other = rig.context.clone();
    other.snapshots = Arc::new(mcp_catalog::LruSnapshots::default());
    rig.read("a://1").await;
    rig.good("read", json!({"uri": "a://1", "offset": 51_200})).await;
    assert_eq!(rig.log().uris_read().len(), 1);
    mcp_meta::call(&other, "mcp_read_docs", json!({"uri": "a://1", "offset": 51_200})).await;
    assert_eq!(rig.log().uris_read().len(), 2);
}
