//! What a large frame costs: its own bytes and little more, from the stream to the caller (S9, S16).
//!
//! One test, since it counts every allocation of its process.
#![expect(unsafe_code, reason = "an allocator cannot be counted otherwise")]

use mcp_catalog::{
    Budget, Request, ResourceUri, ServerName, ServerPort,
    sdk::{ConnectOptions, connect_io},
};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering::SeqCst},
    time::Duration,
};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, split};

struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn grew(bytes: usize) {
    let live = LIVE.fetch_add(bytes, SeqCst) + bytes;
    PEAK.fetch_max(live, SeqCst);
}

// SAFETY: every call is handed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grew(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), SeqCst);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // A large block is remapped, so its two sizes never exist side by side.
        LIVE.fetch_sub(layout.size(), SeqCst);
        grew(size);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const FRAME: usize = 30 << 20;

async fn serve(stream: DuplexStream) -> std::io::Result<()> {
    let (input, mut output) = split(stream);
    let mut lines = BufReader::new(input).lines();
    lines.next_line().await?;
    let greeting = r#"{"protocolVersion":"2025-11-25","capabilities":{"resources":{}}}"#;
    output.write_all(format!("{{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{greeting}}}\n").as_bytes()).await?;
    lines.next_line().await?;
    lines.next_line().await?;
    output.write_all(br#"{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"a","blob":""#).await?;
    let piece = [b'A'; 16 << 10];
    for _ in 0..FRAME / piece.len() {
        output.write_all(&piece).await?;
    }
    output.write_all(b"\"}]}}\n").await?;
    lines.next_line().await?;
    Ok(())
}

#[tokio::test]
async fn a_frame_of_thirty_mebibytes_costs_no_second_copy_of_itself() {
    let (client, server) = tokio::io::duplex(64 << 10);
    tokio::spawn(serve(server));
    let (reader, writer) = split(client);
    let options = ConnectOptions::new(ServerName::new("docs").unwrap(), "coyote", "0.0.0");
    let port = connect_io(reader, writer, options).await.unwrap();
    let before = LIVE.load(SeqCst);
    PEAK.store(before, SeqCst);
    let request = Request::ReadResource { uri: ResourceUri::new("a").unwrap() };
    let result = port.ask(request, Budget::new(Duration::from_mins(1))).await.unwrap();
    assert!(result.json().len() > FRAME);
    let cost = PEAK.load(SeqCst) - before;
    // A growing line leaves up to a quarter of itself unused.
    assert!(cost < FRAME + FRAME / 4 + (1 << 20), "{cost} bytes for a frame of {FRAME}");
    drop(result);
    assert!(LIVE.load(SeqCst) < before + (2 << 20), "the frame is still held");
}
