//! Any bytes on a server's stdout while a call waits (S10, S16): the call ends, and so does the next one.
//!
//! The first byte says in what pieces the stream arrives, the rest is the stream; each `0xFE` in it stands for 3,000 bytes
//! of filling, so that lines pass the limit. The server behind it greets, says the stream, and then answers every
//! request it was asked. Nothing here reads what is inside a result.

use mcp_catalog::{
    Budget, PortError, RawResult, Request, ResourceUri, ServerName, ServerPort,
    sdk::{ConnectOptions, WireStats, connect_io},
};
use serde_json::Value;
use std::{io, time::Duration};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, split},
    sync::mpsc,
};

/// The longest line that the connection reads.
const LIMIT: usize = 8_192;
/// A call that takes so long hangs.
const PATIENCE: Duration = Duration::from_secs(10);
const GREETING: &str =
    r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"resources":{}}}}"#;

/// What came of a stream.
struct Met {
    first: Result<RawResult, PortError>,
    second: Result<RawResult, PortError>,
    stats: WireStats,
}

/// No stream silences a call or the connection, and how it is cut makes no difference.
pub fn raw_lines(bytes: &[u8]) {
    let [cut, stream @ ..] = bytes else { return };
    let filling = [b'x'; 3_000];
    let stream: Vec<u8> = stream
        .iter()
        .flat_map(|byte| if *byte == 0xFE { filling.as_slice() } else { std::slice::from_ref(byte) })
        .copied()
        .collect();
    let met = meet(&stream, 64 << 10);
    lawful(&stream, &met);
    let pieces = meet(&stream, usize::from(*cut) + 1);
    lawful(&stream, &pieces);
    let longest = stream.split(|byte| *byte == b'\n').map(<[u8]>::len).max().unwrap_or_default();
    if longest <= LIMIT {
        assert_eq!(met.stats.oversized, 0, "no line is over the limit");
        assert_eq!(met.first, pieces.first, "the answer depends on how the stream was cut");
    }
}

fn lawful(stream: &[u8], met: &Met) {
    for answer in [&met.first, &met.second] {
        if let Err(PortError::Timeout { .. } | PortError::ConnectionClosed { .. }) = answer {
            assert!(answer.is_ok(), "the call was silenced: {answer:?}");
        }
    }
    assert!(met.stats.longest_line <= LIMIT, "a line over the limit was kept");
    if let Ok(raw) = &met.first {
        let value: Value = serde_json::from_slice(raw.json()).expect("a result is JSON");
        assert!(value.is_object(), "a result is an object: {value}");
    }
    if let Some(expected) = plain_answer(stream) {
        let found = met.first.as_ref().ok().and_then(|raw| serde_json::from_slice::<Value>(raw.json()).ok());
        assert_eq!(found, Some(expected), "the first line that was more than noise was the answer");
    }
}

/// The result of the first line that could mean anything, when it is a plain answer to the waiting call.
fn plain_answer(stream: &[u8]) -> Option<Value> {
    let line = stream.split(|byte| *byte == b'\n').find(|line| line.contains(&b'{') || line.len() > LIMIT)?;
    let text = std::str::from_utf8(line).ok().filter(|line| line.len() <= LIMIT && !line.contains('\\'))?;
    let once = ["\"jsonrpc\"", "\"id\"", "\"result\""].iter().all(|name| text.matches(name).count() == 1);
    let value: Value = serde_json::from_str(text).ok().filter(|_| once)?;
    let members = value.as_object().filter(|members| members.len() == 3)?;
    let answers = members.get("jsonrpc")? == "2.0" && members.get("id")? == 1;
    members.get("result").filter(|result| answers && result.is_object()).cloned()
}

fn meet(stream: &[u8], piece: usize) -> Met {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime starts");
    runtime.block_on(async {
        let (client, server) = tokio::io::duplex(piece);
        let serving = tokio::spawn(serve(server, stream.to_vec()));
        let (reader, writer) = split(client);
        let mut options = ConnectOptions::new(ServerName::new("laws").expect("a plain name"), "coyote", "0.0.0");
        options.frame_limit = LIMIT;
        let port = connect_io(reader, writer, options).await.expect("the greeting is a good one");
        let ask = || {
            let uri = ResourceUri::new("law://lines").expect("a plain URI");
            port.ask(Request::ReadResource { uri }, Budget::new(PATIENCE))
        };
        let (first, second) = (ask().await, ask().await);
        let stats = port.stats();
        port.close().await;
        serving.abort();
        Met { first, second, stats }
    })
}

/// Greets, says the stream once it is asked, and then answers each request.
async fn serve(server: DuplexStream, stream: Vec<u8>) -> io::Result<()> {
    let (input, mut output) = split(server);
    let (heard, mut asked) = mpsc::unbounded_channel();
    // Read at the same time: a client that must wait to be heard might not read on.
    let listening = tokio::spawn(async move {
        let mut lines = BufReader::new(input).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let message: Value = serde_json::from_str(&line).unwrap_or_default();
            let id = message.get("method").and_then(|_| message.get("id")?.as_i64());
            if id.is_some_and(|id| heard.send(id).is_err()) {
                break;
            }
        }
    });
    let mut stream = Some(stream);
    while let Some(id) = asked.recv().await {
        if id == 0 {
            output.write_all(format!("{GREETING}\n").as_bytes()).await?;
            continue;
        }
        if let Some(stream) = stream.take() {
            output.write_all(&stream).await?;
        }
        let answer = format!("\n{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"contents\":[]}}}}\n");
        output.write_all(answer.as_bytes()).await?;
    }
    listening.await.map_err(io::Error::other)
}
