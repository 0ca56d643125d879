//! As much HTTP/1.1 as a stand-in needs: one request a connection, bodies with a length, answers in chunks.

use super::{Api, Request, answer::Answer, answer::Ending, encode};
use serde_json::Value;
use std::{io, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// How an answer went out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delivery {
    Done,
    HungUp,
}

/// Reads one request; `None` when the client says nothing.
pub(super) async fn read_request(stream: &mut TcpStream, api: Api) -> io::Result<Option<Request>> {
    let mut got = Vec::new();
    let head_end = loop {
        if let Some(at) = got.windows(4).position(|window| window == b"\r\n\r\n") {
            break at;
        }
        if stream.read_buf(&mut got).await? == 0 {
            return Ok(None);
        }
    };
    let head = String::from_utf8_lossy(got.get(..head_end).unwrap_or_default()).into_owned();
    let mut lines = head.split("\r\n");
    let mut first = lines.next().unwrap_or_default().split(' ').map(str::to_owned);
    let (method, path) = (first.next().unwrap_or_default(), first.next().unwrap_or_default());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, value)| value.parse().ok());
    let body_end = head_end + 4 + length.unwrap_or(0usize);
    while got.len() < body_end {
        if stream.read_buf(&mut got).await? == 0 {
            return Ok(None);
        }
    }
    let body = got.get(head_end + 4..body_end).unwrap_or_default();
    let body = serde_json::from_slice(body).unwrap_or(Value::Null);
    Ok(Some(Request { api, method, path, headers, body, hung_up: false }))
}

/// Sends an answer.
pub(super) async fn send(stream: &mut TcpStream, answer: &Answer, request: &Request) -> Delivery {
    match deliver(stream, answer, request).await {
        Ok(delivery) => delivery,
        Err(_) => Delivery::HungUp,
    }
}

/// Says that there is nothing here; a client that does not listen misses nothing.
pub(super) async fn refuse(stream: &mut TcpStream) {
    let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").await;
}

/// Lists models; a client that does not listen misses nothing.
pub(super) async fn list(stream: &mut TcpStream, api: Api, names: &[String]) {
    let body = encode::models(api, names).to_string();
    let length = body.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    );
    let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
}

async fn deliver(stream: &mut TcpStream, answer: &Answer, request: &Request) -> io::Result<Delivery> {
    let (content_type, frames) = match &answer.body {
        Some(body) => ("text/plain", vec![body.clone()]),
        None if request.streamed() => (encode::content_type(request.api), encode::frames(request.api, answer)),
        None => ("application/json", vec![encode::whole(request.api, answer).to_string()]),
    };
    let mut head = format!(
        "HTTP/1.1 {} Scripted\r\ncontent-type: {content_type}\r\ntransfer-encoding: chunked\r\nconnection: close\r\n",
        answer.status
    );
    for (name, value) in &answer.headers {
        head.extend([name, ": ", value, "\r\n"]);
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes()).await?;
    let count = answer.frames.map_or(frames.len(), |frames_wanted| frames_wanted.min(frames.len()));
    for (place, frame) in frames.iter().take(count).enumerate() {
        if let Some((held, gate)) = &answer.held
            && *held == place
        {
            gate.passed().await;
        }
        if let Some(pause) = answer.pause
            && hangs_up(stream, pause).await
        {
            return Ok(Delivery::HungUp);
        }
        let size = if answer.halves { 3 } else { frame.len().max(1) };
        for piece in frame.as_bytes().chunks(size) {
            write_chunk(stream, piece).await?;
        }
    }
    match answer.ending {
        Ending::Whole | Ending::Early => stream.write_all(b"0\r\n\r\n").await?,
        Ending::Cut => {}
        Ending::Silence => {
            while !hangs_up(stream, Duration::from_secs(1)).await {}
            return Ok(Delivery::HungUp);
        }
    }
    stream.shutdown().await?;
    Ok(Delivery::Done)
}

async fn write_chunk(stream: &mut TcpStream, piece: &[u8]) -> io::Result<()> {
    let mut chunk = format!("{:x}\r\n", piece.len()).into_bytes();
    chunk.extend_from_slice(piece);
    chunk.extend_from_slice(b"\r\n");
    stream.write_all(&chunk).await?;
    stream.flush().await
}

/// Whether the client hangs up within `pause`. It has nothing more to say, so anything read is its end.
async fn hangs_up(stream: &mut TcpStream, pause: Duration) -> bool {
    let mut nothing = [0; 1];
    match tokio::time::timeout(pause, stream.read(&mut nothing)).await {
        Err(_) => false,
        Ok(Ok(read)) => read == 0,
        Ok(Err(_)) => true,
    }
}
