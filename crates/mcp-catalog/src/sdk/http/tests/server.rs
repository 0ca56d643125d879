//! A scripted HTTP server over tokio: it reads one request a connection, keeps it, and answers what it is told to.
//!
//! The handshake, notifications, streams and the end of a session are answered by themselves unless the script does.

use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    io,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
    time::sleep,
};

/// One request.
#[derive(Debug, Clone, Default)]
pub(super) struct Asked {
    pub(super) verb: String,
    pub(super) path: String,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) text: String,
    pub(super) body: Value,
}

impl Asked {
    pub(super) fn method(&self) -> &str {
        self.body["method"].as_str().unwrap_or_default()
    }

    pub(super) fn result(&self, result: &Value) -> Value {
        json!({"jsonrpc": "2.0", "id": self.body["id"], "result": result})
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

/// What is done with a request.
#[derive(Debug, Clone)]
pub(super) enum Reply {
    /// These bytes, then the end of the connection.
    Bytes(Vec<u8>),
    /// Nothing, for as long as the client waits.
    Stall,
    /// The end of the connection at once.
    HangUp,
    /// What the server does by itself.
    Default,
}

impl Reply {
    pub(super) fn of(status: &str, headers: &[(&str, &str)], body: &str) -> Self {
        let mut text = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n", body.len());
        for (name, value) in headers {
            text.extend([*name, ": ", *value, "\r\n"].map(String::from));
        }
        text.push_str("\r\n");
        text.push_str(body);
        Self::Bytes(text.into_bytes())
    }

    pub(super) fn body(body: &str) -> Self {
        Self::of("200 OK", &[("Content-Type", "application/json")], body)
    }

    pub(super) fn json(body: &Value) -> Self {
        Self::body(&body.to_string())
    }

    /// A stream of events that ends.
    pub(super) fn events(events: &[&str]) -> Self {
        let body = events.iter().fold(String::new(), |body, event| body + "data: " + event + "\n\n");
        Self::of("200 OK", &[("Content-Type", "text/event-stream")], &body)
    }
}

type Script = dyn Fn(&Asked) -> Reply + Send + Sync;

/// The server. It ends when it is dropped.
pub(super) struct Server {
    port: u16,
    seen: Arc<Mutex<Vec<Asked>>>,
    task: JoinHandle<()>,
}

impl Server {
    /// Starts a server whose requests `script` answers.
    pub(super) async fn start(script: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (seen, script) = (Arc::new(Mutex::new(Vec::new())), Arc::new(script) as Arc<Script>);
        let kept = Arc::clone(&seen);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&script), Arc::clone(&kept)));
            }
        });
        Self { port, seen, task }
    }

    pub(super) fn url(&self) -> String {
        format!("{}/mcp", self.origin())
    }

    pub(super) fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The requests so far.
    pub(super) fn seen(&self) -> Vec<Asked> {
        self.seen.lock().unwrap().clone()
    }

    /// How often a JSON-RPC method was asked.
    pub(super) fn count(&self, method: &str) -> usize {
        self.seen().iter().filter(|asked| asked.method() == method).count()
    }

    /// The first request that fits, once it is there.
    pub(super) async fn wait_for(&self, fits: impl Fn(&Asked) -> bool) -> Asked {
        for _ in 0..1_000 {
            if let Some(asked) = self.seen().into_iter().find(|asked| fits(asked)) {
                return asked;
            }
            sleep(Duration::from_millis(10)).await;
        }
        panic!("it never came; seen: {:?}", self.seen());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(mut stream: TcpStream, script: Arc<Script>, seen: Arc<Mutex<Vec<Asked>>>) {
    let Ok(asked) = read(&mut stream).await else { return };
    seen.lock().unwrap().push(asked.clone());
    let reply = match script(&asked) {
        Reply::Default => by_itself(&asked),
        reply => reply,
    };
    match reply {
        Reply::Bytes(bytes) => {
            let _ = stream.write_all(&bytes).await;
            let _ = stream.shutdown().await;
        }
        Reply::Stall => {
            // Until the client closes its end.
            let _ = stream.read(&mut [0]).await;
        }
        Reply::HangUp | Reply::Default => {}
    }
}

fn by_itself(asked: &Asked) -> Reply {
    match (asked.verb.as_str(), asked.method()) {
        ("POST", "initialize") => Reply::json(&asked.result(&json!({
            "protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}
        }))),
        ("POST", _) => Reply::of("202 Accepted", &[], ""),
        ("DELETE", _) => Reply::of("200 OK", &[], ""),
        _ => Reply::of("405 Method Not Allowed", &[], ""),
    }
}

async fn read(stream: &mut TcpStream) -> io::Result<Asked> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).await?;
    let mut words = line.split_whitespace().map(str::to_owned);
    let mut asked =
        Asked { verb: words.next().unwrap_or_default(), path: words.next().unwrap_or_default(), ..Asked::default() };
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).await? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            asked.headers.insert(name.to_lowercase(), value.trim().to_owned());
        }
    }
    let length = asked.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).await?;
    asked.text = String::from_utf8_lossy(&body).into_owned();
    asked.body = serde_json::from_slice(&body).unwrap_or_default();
    Ok(asked)
}
