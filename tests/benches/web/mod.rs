//! A server over HTTP that has one resource, a blob, and answers as plainly as HTTP allows. It judges nothing, and never holds
//! the blob: a child's peak is not told below what the process holds that starts it.

use serde_json::{Value, json};
use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    thread,
};

/// Serves a blob of so many bytes as `a://1` for as long as this process runs; the URL.
pub(crate) fn serve(bytes: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || while answer(&stream, bytes).is_some() {});
        }
    });
    url
}

/// Reads one request and answers it; `None` when the connection is over.
fn answer(stream: &TcpStream, bytes: usize) -> Option<()> {
    let mut input = BufReader::new(stream);
    let (mut line, mut length, mut post) = (String::new(), 0, false);
    loop {
        line.clear();
        if input.read_line(&mut line).ok()? == 0 {
            return None;
        }
        post |= line.starts_with("POST");
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body).ok()?;
    let mut output = stream;
    if !post {
        return output.write_all(b"HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n").ok();
    }
    let request: Value = serde_json::from_slice(&body).ok()?;
    let Some(id) = request.get("id") else {
        return output.write_all(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n").ok();
    };
    let own = json!({"name": "bench", "version": "1"});
    // The blob stands between the two parts of its result: bytes of zero, which are no text.
    let (before, blob, behind) = match request.get("method").and_then(Value::as_str)? {
        "initialize" => {
            let version = request.pointer("/params/protocolVersion");
            let hello = json!({"protocolVersion": version, "capabilities": {"resources": {}}, "serverInfo": own});
            (hello.to_string(), 0, "")
        }
        "resources/read" => {
            let before = r#"{"contents":[{"uri":"a://1","mimeType":"image/png","blob":""#;
            (before.to_owned(), bytes / 3 * 4, r#""}]}"#)
        }
        "resources/list" => (json!({"resources": [{"uri": "a://1", "name": "a"}]}).to_string(), 0, ""),
        _ => (json!({"resourceTemplates": []}).to_string(), 0, ""),
    };
    let head = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{before}"#);
    let length = head.len() + blob + behind.len() + 1;
    write!(output, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{head}")
        .ok()?;
    io::copy(&mut io::repeat(b'A').take(blob as u64), &mut output).ok()?;
    write!(output, "{behind}}}").ok()
}
