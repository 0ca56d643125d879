//! A server behind a URL that wants a login, its own authority, and the browser of its user, all in this process (S47).
//!
//! Every request is in a journal, so that a test sees what began a login and what did not. It checks the token and the
//! state and nothing else of OAuth: what the protocol asks of a client is tested where the client is.

use acceptance::host::Host;
use serde_json::{Value, json};
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

const TOKEN: &str = "the-token-of-the-login";

/// The server, as a test sees it.
pub(super) struct Guarded {
    pub(super) origin: String,
    shared: Arc<Shared>,
}

struct Shared {
    origin: String,
    /// How long a token lasts, by its own word.
    lasts_s: u64,
    /// Whether the token is no longer taken.
    revoked: AtomicBool,
    journal: Mutex<Vec<String>>,
}

/// One request.
struct Heard {
    line: String,
    head: String,
    body: Value,
}

impl Guarded {
    /// Starts it; its tokens last so many seconds.
    pub(super) async fn start(lasts_s: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let shared = Arc::new(Shared {
            origin: origin.clone(),
            lasts_s,
            revoked: AtomicBool::new(false),
            journal: Mutex::default(),
        });
        let own = Arc::clone(&shared);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let own = Arc::clone(&own);
                tokio::spawn(async move { own.serve(stream).await });
            }
        });
        Self { origin, shared }
    }

    /// What came so far: method and path, and the name of the message where it is one.
    pub(super) fn journal(&self) -> Vec<String> {
        self.shared.journal.lock().unwrap().clone()
    }

    /// The token is taken no longer.
    pub(super) fn revoke(&self) {
        self.shared.revoked.store(true, Ordering::SeqCst);
    }
}

impl Shared {
    async fn serve(&self, mut stream: TcpStream) {
        let Some(asked) = hear(&mut stream).await else { return };
        let (status, body) = self.answer(&asked);
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        // Whoever asked may have gone.
        let _ = stream.write_all((head + &body).as_bytes()).await;
        let _ = stream.shutdown().await;
    }

    fn answer(&self, heard: &Heard) -> (String, String) {
        let path = heard.line.split(' ').nth(1).unwrap_or_default();
        let message = heard.body["method"].as_str().map(|method| format!(" {method}")).unwrap_or_default();
        let verb = heard.line.split(' ').next().unwrap_or_default();
        let bare = path.split('?').next().unwrap_or_default();
        self.journal.lock().unwrap().push(format!("{verb} {bare}{message}"));
        let own = &self.origin;
        let good = |body: Value| ("200 OK".to_owned(), body.to_string());
        if bare.starts_with("/.well-known/oauth-protected-resource") {
            return good(json!({"resource": format!("{own}/mcp"), "authorization_servers": [own]}));
        }
        if bare.starts_with("/.well-known/oauth-authorization-server") {
            return good(json!({
                "issuer": own, "authorization_endpoint": format!("{own}/authorize"),
                "token_endpoint": format!("{own}/token"), "response_types_supported": ["code"],
                "code_challenge_methods_supported": ["S256"],
            }));
        }
        match bare {
            "/authorize" => {
                let back =
                    format!("{}?code=the-code&state={}", decoded(&query(path, "redirect_uri")), query(path, "state"));
                (format!("302 Found\r\nLocation: {back}"), String::new())
            }
            "/token" => good(json!({"access_token": TOKEN, "token_type": "Bearer", "expires_in": self.lasts_s})),
            "/mcp" if self.admits(heard) => mcp(verb, &heard.body),
            "/mcp" => ("401 Unauthorized\r\nWWW-Authenticate: Bearer".to_owned(), String::new()),
            _ => ("404 Not Found".to_owned(), String::new()),
        }
    }

    fn admits(&self, heard: &Heard) -> bool {
        let bearer = format!("authorization: bearer {TOKEN}");
        heard.head.to_lowercase().contains(&bearer) && !self.revoked.load(Ordering::SeqCst)
    }
}

/// A server with one prompt.
fn mcp(verb: &str, body: &Value) -> (String, String) {
    if verb != "POST" {
        return ("405 Method Not Allowed".to_owned(), String::new());
    }
    let result = match body["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": body["params"]["protocolVersion"], "capabilities": {"prompts": {}},
            "serverInfo": {"name": "guarded", "version": "1"},
        }),
        "prompts/list" => json!({"prompts": [{"name": "greet"}, {"name": "review"}]}),
        "prompts/get" => json!({"messages": [{"role": "user", "content": {"type": "text", "text": "Good day"}}]}),
        _ if body["id"].is_null() => return ("202 Accepted".to_owned(), String::new()),
        _ => json!({}),
    };
    ("200 OK".to_owned(), json!({"jsonrpc": "2.0", "id": body["id"], "result": result}).to_string())
}

async fn hear(stream: &mut TcpStream) -> Option<Heard> {
    let mut bytes = Vec::new();
    let mut piece = [0; 4_096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.to_lowercase().lines().find_map(|line| {
                line.strip_prefix("content-length:").and_then(|length| length.trim().parse::<usize>().ok())
            });
            if body.len() >= length.unwrap_or(0) {
                let line = head.lines().next().unwrap_or_default().to_owned();
                let body = serde_json::from_str(body).unwrap_or_default();
                return Some(Heard { line, head: head.to_owned(), body });
            }
        }
        let read = stream.read(&mut piece).await.ok()?;
        if read == 0 {
            return None;
        }
        bytes.extend_from_slice(&piece[..read]);
    }
}

fn query(path: &str, name: &str) -> String {
    let pairs = path.split_once('?').map(|(_, query)| query).unwrap_or_default().split('&');
    let mut values = pairs.filter_map(|pair| pair.split_once('=')).filter(|(key, _)| *key == name);
    values.next().map(|(_, value)| value.to_owned()).unwrap_or_default()
}

/// `%3A` and its like.
fn decoded(text: &str) -> String {
    let mut pieces = text.split('%');
    let mut whole = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (hex, rest) = piece.split_at(2);
        whole.push(u8::from_str_radix(hex, 16).unwrap().into());
        whole.push_str(rest);
    }
    whole
}

/// A browser that writes down what it is to open; the test goes there itself.
pub(super) fn browser(host: &mut Host) {
    let opened = host.path("opened");
    let script = format!("#!/bin/sh\nprintf '%s' \"$1\" > '{0}.new' && mv '{0}.new' '{0}'\n", opened.display());
    host.write("bin/xdg-open", &script).unwrap();
    fs::set_permissions(host.path("bin/xdg-open"), fs::Permissions::from_mode(0o700)).unwrap();
    host.env("PATH", &format!("{}:/usr/bin:/bin", host.path("bin").display()));
}

/// What the user does in the browser: the page that was opened sends them back, with the answer of the login.
pub(super) async fn log_in_there(host: &Host) -> String {
    while !host.path("opened").exists() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let answered = get(&fs::read_to_string(host.path("opened")).unwrap()).await;
    let back = answered.lines().find_map(|line| line.strip_prefix("Location: ")).unwrap().to_owned();
    get(back.trim_end()).await
}

async fn get(address: &str) -> String {
    let (at, path) = address.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(at).await.unwrap();
    let request = format!("GET /{path} HTTP/1.1\r\nHost: {at}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}
