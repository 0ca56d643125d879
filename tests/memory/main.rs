//! What a frame of 66.7 MiB costs (performance.md): its own size and little more, from the pipe to the spilled file.
//!
//! The only test of its target, so that the process's high-water mark is this read's and no other's. It measures this
//! process, in which everything between the pipe and the file runs; the server is a process of its own. The mark counts
//! pages, so it is the same for a debug and a release build.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail loudly, also where it shares a function")]

use acceptance::{fixture::generated_blob, functions::functions_over};
use mcp_catalog::{
    ServerName, ServerPort,
    sdk::{ConnectOptions, connect_io},
};
use mcp_meta::{MetaContext, call};
use serde_json::json;
use sha2::{Digest, Sha256};
use std::{fmt::Write, fs, process::Stdio, sync::Arc};
use tempfile::TempDir;
use tokio::process::Command;

const BLOB: usize = 50 << 20;
/// The frame: the blob in base64; the rest of it is less than a page.
const FRAME_KIB: u64 = (BLOB as u64).div_ceil(3) * 4 / 1024;

#[tokio::test]
async fn a_frame_of_66_mebibytes_is_read_within_1_3_times_its_size() {
    let dir = TempDir::new().unwrap();
    let context = context(&dir).await;
    let before = status_kib("VmRSS:");
    let answer = call(&context, "mcp_read_docs", json!({"uri": "a://1"})).await;
    let peak = status_kib("VmHWM:") - before;
    assert_eq!(answer.code, None, "{:#}", answer.value);
    assert_eq!(answer.value["size_bytes"], BLOB);
    assert!(
        peak * 10 <= FRAME_KIB * 13,
        "the read of a frame of {FRAME_KIB} KiB took {peak} KiB, {} % of it",
        peak * 100 / FRAME_KIB
    );
    eprintln!("peak {peak} KiB of a frame of {FRAME_KIB} KiB");
    // After the measurement: the expected bytes take memory themselves.
    let digest = Sha256::digest(generated_blob(BLOB, 9));
    let expected = digest.iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").unwrap();
        hex
    });
    assert_eq!(answer.value["sha256"], expected);
    assert_eq!(fs::metadata(answer.value["path"].as_str().unwrap()).unwrap().len(), BLOB as u64);
}

/// A server over stdio that has the blob, and a context that asks it.
async fn context(dir: &TempDir) -> MetaContext {
    let script = json!({
        "resources": [{"uri": "a://1"}],
        "contents": {"a://1": [{"uri": "a://1", "mimeType": "image/png", "blob": {"blob_bytes": BLOB, "seed": 9}}]},
    });
    let path = dir.path().join("script.json");
    fs::write(&path, script.to_string()).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_fixture-server"))
        .arg(path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (stdout, stdin) = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
    let options = ConnectOptions::new(ServerName::new("docs").unwrap(), "acceptance", "1.0.0");
    let port: Arc<dyn ServerPort> = Arc::new(connect_io(stdout, stdin, options).await.unwrap());
    functions_over([port], dir.path())
}

/// One of the process's memory figures, in KiB.
fn status_kib(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).expect("the kernel tells it");
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
