//! A server that reads lines and writes whatever bytes a test wants.

use crate::{
    Budget, PortError, RawResult, Request, ServerName, ServerPort, ToolName,
    sdk::{ConnectOptions, SdkPort, connect_io},
};
use serde_json::{Map, Value, json};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf, duplex, split};

/// The server's side of a duplex stream.
pub(super) struct Server {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    output: WriteHalf<DuplexStream>,
}

/// The client's side.
pub(super) type Client = (ReadHalf<DuplexStream>, WriteHalf<DuplexStream>);

impl Server {
    /// The two sides of a stream.
    pub(super) fn pair() -> (Client, Self) {
        let (client, server) = duplex(64 << 10);
        let (input, output) = split(server);
        (split(client), Self { lines: BufReader::new(input).lines(), output })
    }

    /// The next message of the client; `None` when it has closed the stream.
    pub(super) async fn read(&mut self) -> Option<Value> {
        let line = self.lines.next_line().await.unwrap()?;
        Some(serde_json::from_str(&line).unwrap())
    }

    /// The next message of the client, which is a request of this method; its id.
    pub(super) async fn read_request(&mut self, method: &str) -> i64 {
        let message = self.read().await.expect("the client has closed the stream");
        assert_eq!(message["method"], method, "{message}");
        message["id"].as_i64().unwrap()
    }

    /// Writes bytes as they are.
    pub(super) async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        self.output.write_all(bytes.as_ref()).await.unwrap();
        self.output.flush().await.unwrap();
    }

    /// Writes a message as a line.
    pub(super) async fn say(&mut self, message: &Value) {
        self.write(format!("{message}\n")).await;
    }

    /// Answers the request `id`.
    pub(super) async fn answer(&mut self, id: i64, result: &Value) {
        self.say(&json!({"jsonrpc": "2.0", "id": id, "result": result})).await;
    }

    /// Answers the handshake with `result`.
    pub(super) async fn greet(&mut self, result: &Value) {
        let id = self.read_request("initialize").await;
        self.answer(id, result).await;
        assert_eq!(self.read().await.unwrap()["method"], "notifications/initialized");
    }

    /// Ends the stream to the client; the other direction stays open.
    pub(super) async fn hang_up(&mut self) {
        self.output.shutdown().await.unwrap();
    }
}

/// The options of a test.
pub(super) fn options() -> ConnectOptions {
    ConnectOptions::new(ServerName::new("docs").unwrap(), "coyote", "0.0.0")
}

/// A usual answer to `initialize`.
pub(super) fn greeting() -> Value {
    json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}, "resources": {}},
        "serverInfo": {"name": "scripted", "version": "1.0"}
    })
}

/// A connected pair.
pub(super) async fn connected(options: ConnectOptions) -> (SdkPort, Server) {
    let ((reader, writer), mut server) = Server::pair();
    let greeting = greeting();
    let (port, ()) = tokio::join!(connect_io(reader, writer, options), server.greet(&greeting));
    (port.unwrap(), server)
}

/// A call of a tool.
pub(super) fn call() -> Request {
    Request::CallTool { name: ToolName::new("t").unwrap(), arguments: Map::new() }
}

/// An answer as a line of a snapshot.
pub(super) fn shown(answer: Result<RawResult, PortError>) -> String {
    match answer {
        Ok(result) => format!("result {}", String::from_utf8_lossy(result.json())),
        Err(error) => format!("{}: {error}", error.code()),
    }
}

/// Calls the tool and waits as long as it takes.
pub(super) async fn ask(port: &SdkPort) -> String {
    shown(port.ask(call(), Budget::new(Duration::from_mins(1))).await)
}
