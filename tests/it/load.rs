//! Many at once, and a disk that fails. Counts decide, not times.
#![cfg(unix)]

use crate::machine::{ends, machine, shelf, with};
use crate::rig::Rig;
use futures_util::future::join_all;
use mcp_render::SpillStore;
use serde_json::{Value, json};
use std::{
    fs,
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
};
use tempfile::TempDir;

/// Tells the second process of a test where the tree is.
const TREE: &str = "ACCEPTANCE_SPILL_TREE";
/// The room of the tree: three of the twelve blobs.
const ROOM: u64 = 30_000;

// S9, S12. The server answers none before all have come, so they are in flight together.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_reads_over_one_connection_are_answered_each_with_its_own() {
    const READS: usize = 200;
    let dir = TempDir::new().unwrap();
    let item = |n: usize| json!([{"uri": format!("a://{n}"), "text": format!("text of {n}")}]);
    let contents: serde_json::Map<String, Value> = (0..READS).map(|n| (format!("a://{n}"), item(n))).collect();
    let rig = Rig::of(json!({
        "resources": [{"uri": "a://0", "name": "first"}],
        "contents": contents,
        "rules": [{"on": "resources/read", "before": [{"meet": {"dir": dir.path(), "of": READS}}]}],
    }))
    .await;
    let uris: Vec<String> = (0..READS).map(|n| format!("a://{n}")).collect();
    let answers = join_all(uris.iter().map(|uri| rig.read(uri))).await;
    for (n, answer) in answers.iter().enumerate() {
        assert_eq!((&answer["uri"], &answer["text"]), (&json!(format!("a://{n}")), &json!(format!("text of {n}"))));
    }
    assert_eq!(rig.log().received("resources/read").len(), READS);
    assert_eq!(rig.log().received("notifications/cancelled").len(), 0);
}

// S14. One after the other they would wait for each other until their start deadlines.
#[tokio::test]
async fn twenty_servers_start_at_once_and_none_is_left() {
    const SERVERS: usize = 20;
    let mut host = machine();
    let dir = host.path("scripts/meeting");
    fs::create_dir(&dir).unwrap();
    for n in 0..SERVERS {
        let mut script = shelf();
        script["process"] = json!({"meet": {"dir": dir, "of": SERVERS}});
        host.serve(&format!("s{n}"), script).unwrap();
    }
    let done = ends(&host, 0, &["mcp", "list", "--json"]).await.json().unwrap();
    let servers = done["servers"].as_array().unwrap();
    let ready = servers.iter().filter(|row| row["state"] == "ready").count();
    assert_eq!((servers.len(), ready), (SERVERS + 1, SERVERS + 1), "and the embedded one");
    let started = (0..SERVERS).flat_map(|n| host.wire(&format!("s{n}")).unwrap());
    let pids = started.filter_map(|entry| match entry {
        acceptance::fixture::Entry::Started { pid, .. } => Some(pid),
        _ => None,
    });
    let pids: Vec<u32> = pids.collect();
    assert_eq!(pids.len(), SERVERS);
    assert!(pids.iter().all(|pid| !acceptance::host::is_running(*pid)));
}

/// Everything below a directory that is no directory.
fn files(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    entries
        .flatten()
        .flat_map(|entry| if entry.path().is_dir() { files(&entry.path()) } else { vec![entry.path()] })
        .collect()
}

/// Reads the same twelve blobs over and over into a tree that has room for three.
async fn spill_and_evict(tree: &Path) {
    const BLOBS: u64 = 12;
    let blob = |n: u64| json!([{"uri": format!("a://{n}"), "mimeType": "application/gzip", "blob": {"blob_bytes": 10_000, "seed": n}}]);
    let contents: serde_json::Map<String, Value> = (0..BLOBS).map(|n| (format!("a://{n}"), blob(n))).collect();
    let mut rig = Rig::of(json!({"resources": [{"uri": "a://0", "name": "first"}], "contents": contents})).await;
    rig.context.spills = Arc::new(SpillStore::with_limit(tree.to_owned(), ROOM));
    for _ in 0..20 {
        let uris: Vec<String> = (0..BLOBS).map(|n| format!("a://{n}")).collect();
        for answer in join_all(uris.iter().map(|uri| rig.read(uri))).await {
            assert_eq!((&answer["size_bytes"], answer.get("code")), (&json!(10_000), None), "{answer}");
            assert!(answer["path"].as_str().is_some_and(|path| path.contains(answer["sha256"].as_str().unwrap())));
        }
    }
}

// S32
#[tokio::test]
async fn two_processes_that_spill_the_same_bytes_and_evict_lose_nothing_but_old_files() {
    if let Some(tree) = std::env::var_os(TREE) {
        return spill_and_evict(Path::new(&tree)).await;
    }
    let dir = TempDir::new().unwrap();
    let tree = dir.path().join("mcp-resources");
    let name = "load::two_processes_that_spill_the_same_bytes_and_evict_lose_nothing_but_old_files";
    let worker = || {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", name, "--nocapture"]).env(TREE, &tree).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    for worker in [worker(), worker()] {
        let output = worker.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{output:?}");
    }
    let kept = files(&tree);
    assert!(!kept.is_empty());
    for path in &kept {
        let bytes = fs::read(path).unwrap();
        let sha256 = crate::blob::sha256(&bytes);
        assert_eq!(path.file_stem().unwrap().to_str().unwrap(), sha256, "whole, and no temporary file");
    }
    // Each of the two may still have held what it wrote last.
    let size: u64 = kept.iter().map(|path| fs::metadata(path).unwrap().len()).sum();
    assert!(size <= ROOM + 12 * 10_000, "{size}");
}

// S32, S35. A file-size limit is a full disk that needs no privilege: a write beyond it fails.
#[tokio::test]
async fn a_full_disk_loses_the_file_and_not_the_answer() {
    let mut script = shelf();
    script["contents"]["book://cover"] =
        json!([{"uri": "book://cover", "mimeType": "image/png", "blob": {"blob_bytes": 1_000_000}}]);
    let host = with(script);
    let plain = host.command(&["mcp", "call", "mcp_read_docs", r#"{"uri":"book://cover"}"#]);
    let plain = plain.as_std();
    let mut limited = Command::new("sh");
    // The signal of such a write is ignored across exec, as for a program whose disk is full.
    limited.arg0("sh").args(["-c", r#"trap '' XFSZ; ulimit -f 64; exec "$@""#, "sh"]);
    limited.arg(plain.get_program()).args(plain.get_args()).current_dir(host.path("project")).env_clear();
    limited.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = limited.stdin(Stdio::null()).output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    assert_eq!((&answer["code"], &answer["path"]), (&json!("spill_failed"), &Value::Null), "{answer}");
    assert_eq!(answer["size_bytes"], json!(1_000_000));
    assert_eq!(files(&host.path("cache/mcp-resources")), Vec::<PathBuf>::new(), "no half-written file is left");
    // The disk has room again.
    let done = ends(&host, 0, &["mcp", "call", "mcp_read_docs", r#"{"uri":"book://cover"}"#]).await;
    assert_eq!(files(&host.path("cache/mcp-resources")).len(), 1, "{done}");
}

// S32. What may not be written and what cannot be are the same; a file in the tree's place stops root, too.
#[tokio::test]
async fn a_cache_that_cannot_be_written_loses_the_file_and_not_the_answer() {
    let host = with(shelf());
    host.write("cache/mcp-resources", "").unwrap();
    let done = ends(&host, 0, &["mcp", "call", "mcp_read_docs", r#"{"uri":"book://bundle"}"#]).await;
    let answer = done.json().unwrap();
    let codes: Vec<&Value> = answer.as_array().unwrap().iter().map(|item| &item["code"]).collect();
    assert_eq!(codes[1], &json!("spill_failed"), "{answer}");
    assert_eq!(answer[0]["text"], json!("text\n"));
}
