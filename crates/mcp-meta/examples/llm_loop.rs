//! The functions in a model's loop, over a connection that the host already has: `cargo run -p mcp-meta --example llm_loop`.
//!
//! The host speaks to its server with rmcp and owns the `Peer`; [`PeerPort`] makes it one of the servers of a context. The
//! model here is a script, so that the example needs no network: put your provider where `Scripted` is.

use mcp_catalog::{
    Budget, LruSnapshots, McpRuntime, Offload, Offloaded, ServerName, ServerPort, deadline, sdk::PeerPort,
};
use mcp_meta::{Declarations, MetaContext, MetaName, Verb, call, declare};
use mcp_render::{Ceiling, SpillStore};
use rmcp::{
    ServerHandler, ServiceExt,
    model::{
        ListResourcesResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
        ReadResourceResult, Resource, ResourceContents, ServerCapabilities, ServerConfig,
    },
    service::{RequestContext, RoleServer},
};
use serde_json::{Value, json};
use std::{env, error::Error, sync::Arc};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // The host's own connection; yours may be a child process or HTTP.
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    tokio::spawn(async move {
        if let Ok(server) = Notes.serve(theirs).await {
            server.waiting().await.ok();
        }
    });
    let client = ().serve(ours).await?;

    let port = PeerPort::new(ServerName::new("notes")?, client.peer().clone());
    let runtime = McpRuntime::new([Arc::new(port) as Arc<dyn ServerPort>]);
    // Once a request: what it declares, which is also all that its reply may call.
    let declared = Arc::new(declare(&runtime.server_features(), &[]));
    let context = MetaContext {
        runtime,
        declared: Arc::clone(&declared),
        allow: Arc::default(),
        snapshots: Arc::new(LruSnapshots::default()),
        offload: Arc::new(BlockingThreads),
        spills: Arc::new(SpillStore::new(env::temp_dir().join("mcp-meta-example"))),
        ceiling: Ceiling::default(),
        budget: Budget::new(deadline::CALL),
    };

    let mut model = Scripted::default();
    let mut messages = vec![json!({"role": "user", "content": "What must I buy?"})];
    loop {
        let reply = model.chat(&declared, &messages);
        println!("model: {reply}");
        let Some(calls) = reply.get("calls").and_then(Value::as_array).cloned() else { break };
        messages.push(json!({"role": "assistant", "calls": calls}));
        for asked in calls {
            let name = asked.get("name").and_then(Value::as_str).unwrap_or_default();
            // Whatever the model wrote, this is JSON for it: a page, or an error that it can mend.
            let answer = call(&context, name, asked.get("arguments").cloned().unwrap_or_default()).await;
            println!("{name}: {}", mcp_render::json_for_terminal(&answer.value, false));
            messages.push(json!({"role": "tool", "name": name, "content": answer.value}));
        }
    }
    client.cancel().await?;
    Ok(())
}

/// A model that finds a note and reads it. A real one gets `declared` as its tools and `messages` as they are.
#[derive(Default)]
struct Scripted {
    turn: usize,
}

impl Scripted {
    fn chat(&mut self, declared: &Declarations, messages: &[Value]) -> Value {
        self.turn += 1;
        let names: Vec<&str> = declared.functions.iter().map(|function| function.name.as_str()).collect();
        let that = |verb| names.iter().find(|name| MetaName::parse(name).is_some_and(|name| name.verb() == verb));
        match self.turn {
            1 => {
                println!("declared: {}", names.join(", "));
                json!({"calls": [{"name": that(Verb::Search), "arguments": {"query": "shopping"}}]})
            }
            2 => json!({"calls": [{"name": that(Verb::Read), "arguments": {"uri": "note://shopping"}}]}),
            _ => json!({"text": messages.last().and_then(|message| message.pointer("/content/text"))}),
        }
    }
}

/// Decoding, hashing and writing leave the async threads.
#[derive(Debug)]
struct BlockingThreads;

impl Offload for BlockingThreads {
    fn run(&self, work: Box<dyn FnOnce() + Send>) -> Offloaded {
        let running = tokio::task::spawn_blocking(work);
        Box::pin(async move { drop(running.await) })
    }
}

/// The host's server, with rmcp's own types.
struct Notes;

impl ServerHandler for Notes {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_resources().build())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, rmcp::ErrorData> {
        Ok(ListResourcesResult::with_all_items(vec![Resource::new("note://shopping", "Shopping list")]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, rmcp::ErrorData> {
        Ok(ReadResourceResult::new(vec![ResourceContents::text("Buy bread\n", request.uri)]).into())
    }
}
