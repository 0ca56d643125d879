//! A peer that a host has connected by itself, against the SDK's own server.

use super::server::{Server, greeting, shown};
use crate::{Budget, CatalogKind, PortError, PromptName, Request, ResourceUri, ServerName, ServerPort, sdk::PeerPort};
use rmcp::{
    ErrorData, RoleClient, RoleServer, ServerHandler, ServiceExt,
    model::{
        ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
        ResourceContents, ServerCapabilities, ServerConfig,
    },
    service::{RequestContext, RunningService},
};
use serde_json::{Map, json};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

#[derive(Clone)]
struct Docs;

impl ServerHandler for Docs {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_resources().build()).with_instructions("Read the docs")
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if request.uri == "docs://none" {
            return Err(ErrorData::resource_not_found("no such page", None));
        }
        Ok(ReadResourceResult::new(vec![ResourceContents::text("page", request.uri)]).into())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        std::future::pending().await
    }
}

async fn docs() -> (PeerPort, RunningService<RoleClient, ()>, RunningService<RoleServer, Docs>) {
    let (client, server) = tokio::io::duplex(4_096);
    let (client, server) = tokio::join!(().serve(client), Docs.serve(server));
    let client = client.unwrap();
    (PeerPort::new(ServerName::new("docs").unwrap(), client.peer().clone()), client, server.unwrap())
}

fn read(uri: &str) -> Request {
    Request::ReadResource { uri: ResourceUri::new(uri).unwrap() }
}

fn budget() -> Budget {
    Budget::new(Duration::from_mins(1))
}

#[tokio::test]
async fn a_hosts_own_peer_is_a_port() {
    let (port, _client, _server) = docs().await;
    let handshake = port.handshake();
    assert!(handshake.lists(CatalogKind::Resource) && !handshake.lists(CatalogKind::Tool));
    assert_eq!(handshake.instructions.as_deref(), Some("Read the docs"));
    let answer = port.ask(read("docs://a b"), budget()).await.unwrap();
    let answer: serde_json::Value = answer.parse().unwrap();
    assert_eq!(answer["contents"], json!([{"uri": "docs://a b", "mimeType": "text/plain", "text": "page"}]));
    let missing = port.ask(read("docs://none"), budget()).await;
    assert!(matches!(missing, Err(PortError::Server { .. })), "{missing:?}");
    assert_eq!(port.changes(), 0);
    port.note_change();
    assert_eq!(port.changes(), 1);
}

/// What the SDK does not know arrives whole; of a content with both, it has dropped the blob before (S9).
#[tokio::test]
async fn a_result_of_an_unknown_shape_arrives_whole_over_a_hosts_peer() {
    let ((reader, writer), mut server) = Server::pair();
    let greeting = greeting();
    let (client, ()) = tokio::join!(().serve((reader, writer)), server.greet(&greeting));
    let client = client.unwrap();
    let port = PeerPort::new(ServerName::new("docs").unwrap(), client.peer().clone());
    for (sent, expected) in [
        (json!({"contents": [{"uri": "a"}, {"uri": 7}]}), r#"result {"contents":[{"uri":"a"},{"uri":7}]}"#),
        (
            json!({"contents": [{"uri": "a", "text": "t", "blob": "AA=="}]}),
            r#"result {"contents":[{"uri":"a","text":"t"}]}"#,
        ),
    ] {
        let serve = async {
            let id = server.read_request("resources/read").await;
            server.answer(id, &sent).await;
        };
        let (answer, ()) = tokio::join!(port.ask(read("a"), budget()), serve);
        assert_eq!(shown(answer), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_deadline_a_cancellation_and_a_dropped_future_are_told_to_the_server_over_a_hosts_peer() {
    let ((reader, writer), mut server) = Server::pair();
    let greeting = greeting();
    let (client, ()) = tokio::join!(().serve((reader, writer)), server.greet(&greeting));
    let client = client.unwrap();
    let port = PeerPort::new(ServerName::new("docs").unwrap(), client.peer().clone());

    let told = async |server: &mut Server| {
        let id = server.read_request("resources/read").await;
        let message = server.read().await.unwrap();
        assert_eq!(message["method"], "notifications/cancelled", "{message}");
        assert_eq!(message["params"]["requestId"], id);
    };
    let late = Budget::new(Duration::from_secs(3));
    let (answer, ()) = tokio::join!(port.ask(read("a"), late), told(&mut server));
    assert_eq!(answer, Err(PortError::Timeout { method: "resources/read", after: Duration::from_secs(3) }));

    let cancel = CancellationToken::new();
    cancel.cancel();
    let (answer, ()) = tokio::join!(port.ask(read("a"), budget().cancelled_by(cancel)), told(&mut server));
    assert_eq!(answer, Err(PortError::Cancelled));

    let mut asking = port.ask(read("a"), budget());
    let id = tokio::select! {
        answer = &mut asking => panic!("answered: {answer:?}"),
        id = server.read_request("resources/read") => id,
    };
    drop(asking);
    assert_eq!(server.read().await.unwrap()["params"]["requestId"], id);

    server.hang_up().await;
    drop(client);
    drop(server);
}

#[tokio::test]
async fn a_peer_whose_server_is_gone_answers_connection_closed() {
    let (port, client, server) = docs().await;
    server.cancel().await.unwrap();
    client.waiting().await.unwrap();
    let answer = port.ask(read("docs://a"), budget()).await;
    assert_eq!(answer, Err(PortError::ConnectionClosed { retry_in: None }));
}

/// The eight methods as they stand on the wire: cursors and URIs byte for byte, `{}` where it was given (S11, C06, C66).
#[tokio::test]
async fn the_eight_requests_stand_on_the_wire_as_they_were_made() {
    let (port, mut server) = super::server::connected(super::server::options()).await;
    let name = |text: &str| PromptName::new(text).unwrap();
    let context = Map::from_iter([("language".to_owned(), json!("de")), ("n".to_owned(), json!(2))]);
    let list = |kind, cursor: Option<&str>| Request::List { kind, cursor: cursor.map(str::to_owned) };
    let requests = [
        list(CatalogKind::Tool, None),
        list(CatalogKind::Resource, Some("")),
        list(CatalogKind::ResourceTemplate, Some("Vq==")),
        list(CatalogKind::Prompt, Some("a\"b")),
        read("Notes://Team/Ünï?Q=a+b&x=%7e#Frag"),
        Request::GetPrompt { name: name("daily"), arguments: None },
        Request::GetPrompt { name: name("daily"), arguments: Some(Map::new()) },
        super::server::call(),
        Request::Complete { prompt: name("daily"), argument: "a".to_owned(), value: "b".to_owned(), context },
        Request::Complete {
            prompt: name("daily"),
            argument: "a".to_owned(),
            value: String::new(),
            context: Map::new(),
        },
    ];
    let mut report = String::new();
    for request in requests {
        let serve = async {
            let mut message = server.read().await.unwrap();
            server.answer(message["id"].as_i64().unwrap(), &json!({})).await;
            if let Some(arguments) = message.pointer_mut("/params/context/arguments") {
                arguments.as_object_mut().unwrap().sort_keys();
            }
            message["params"].as_object_mut().unwrap().remove("_meta");
            format!("{} {}\n", message["method"], message["params"])
        };
        let (answer, line) = tokio::join!(port.ask(request, budget()), serve);
        assert_eq!(shown(answer), "result {}");
        report += &line;
    }
    insta::assert_snapshot!(report, @r#"
    "tools/list" {}
    "resources/list" {"cursor":""}
    "resources/templates/list" {"cursor":"Vq=="}
    "prompts/list" {"cursor":"a\"b"}
    "resources/read" {"uri":"Notes://Team/Ünï?Q=a+b&x=%7e#Frag"}
    "prompts/get" {"name":"daily"}
    "prompts/get" {"arguments":{},"name":"daily"}
    "tools/call" {"arguments":{},"name":"t"}
    "completion/complete" {"context":{"arguments":{"language":"de","n":"2"}},"ref":{"type":"ref/prompt","name":"daily"},"argument":{"name":"a","value":"b"}}
    "completion/complete" {"argument":{"name":"a","value":""},"ref":{"type":"ref/prompt","name":"daily"}}
    "#);
}
