//! What a person gets of a read: bytes, paths, and talk beside them.

use super::*;
use crate::cli::mcp::fake_host::FakeHost;
use mcp_catalog::{PortError, Request};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// 14 bytes a line, some characters of several bytes.
fn long_text(lines: usize) -> String {
    (0..lines).map(|line| format!("zeile {line:04} ä\n")).collect::<Vec<_>>().concat()
}

struct Run {
    machine: FakeHost,
    status: Result<Status, Failed>,
    asked: usize,
}

/// Reads from a server that answers `contents` to every read.
async fn read(contents: Value, change: impl FnOnce(&mut Reading<'_>)) -> Run {
    run(contents, false, change).await
}

async fn run(contents: Value, json: bool, change: impl FnOnce(&mut Reading<'_>)) -> Run {
    let machine = FakeHost::new("");
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let session = machine.session(move |request| match request {
        Request::ReadResource { .. } => {
            counter.fetch_add(1, Ordering::Relaxed);
            Ok(json!({"contents": contents}))
        }
        _ => Err(PortError::Unsupported { cause: "Only reads".to_owned() }),
    });
    let arguments = json!({"uri": "test://x"}).as_object().unwrap().clone();
    let host = &machine.host;
    let mut reading = Reading { session: &session, host, arguments, all: false, file: None, item: None };
    change(&mut reading);
    let status = if json { reading.json(None).await } else { reading.plain(None).await };
    let asked = asked.load(Ordering::Relaxed);
    Run { machine, status, asked }
}

fn text(uri: &str, text: &str) -> Value {
    json!({"uri": uri, "mimeType": "text/plain", "text": text})
}

#[tokio::test]
async fn a_page_of_text_is_printed_as_it_is_and_the_next_one_is_named() {
    let long = long_text(5000);
    let run = read(json!([text("test://x", &long)]), |_| {}).await;
    assert_eq!(run.status, Ok(Status::Done));
    assert!(long.starts_with(&run.machine.out()) && run.machine.out().len() > 50_000);
    insta::assert_snapshot!(run.machine.err(), @"note: 70000 bytes in all; go on with `--offset 51200`, or take all with `--all`");
}

#[tokio::test]
async fn all_pages_are_the_whole_text_and_the_server_is_asked_once() {
    let long = long_text(50_000);
    let run = read(json!([text("test://x", &long)]), |reading| reading.all = true).await;
    assert_eq!(run.machine.out(), long);
    assert_eq!(run.machine.err(), "");
    assert_eq!(run.asked, 1);
}

#[tokio::test]
async fn all_pages_of_all_items_are_read_in_order_with_a_header_each_on_stderr() {
    let (first, second) = (long_text(5000), long_text(6000));
    let contents =
        json!([text("test://1", &first), text("test://2", &second), {"uri": "test://3", "blob": "/9j/4A=="}]);
    let run = read(contents, |reading| reading.all = true).await;
    let out = run.machine.out();
    assert!(out.starts_with(&format!("{first}{second}<dir>/")), "{}", &out[out.len() - 200..]);
    assert_eq!(run.asked, 1);
    insta::assert_snapshot!(run.machine.err());
}

#[tokio::test]
async fn items_that_did_not_fit_are_named_or_followed() {
    let contents: Value = (0..6).map(|index| text(&format!("test://{index}"), &long_text(5000))).collect();
    let run = read(contents.clone(), |_| {}).await;
    assert!(run.machine.err().contains("omitted") || run.machine.err().contains("item"), "{}", run.machine.err());
    let run = read(contents, |reading| reading.all = true).await;
    assert_eq!(run.machine.out(), long_text(5000).repeat(6));
    assert_eq!(run.asked, 1);
}

#[tokio::test]
async fn a_filter_and_its_pages_count_the_filtered_text() {
    let long = long_text(20_000);
    let run = read(json!([text("test://x", &long)]), |reading| {
        reading.all = true;
        reading.arguments.insert("pattern".to_owned(), json!("[05] ä$"));
    })
    .await;
    let out = run.machine.out();
    assert_eq!(out.lines().filter(|line| line.contains(':')).count(), 4000);
    assert_eq!(run.asked, 1);
}

#[tokio::test]
async fn a_binary_is_a_path_on_stdout_and_a_line_of_talk() {
    let run = read(json!([{"uri": "test://x", "mimeType": "image/jpeg", "blob": "/9j/4A=="}]), |_| {}).await;
    assert_eq!(run.status, Ok(Status::Done));
    insta::assert_snapshot!(run.machine.out() + "---\n" + &run.machine.err());
}

#[tokio::test]
async fn a_broken_item_is_told_while_its_sibling_is_printed() {
    let contents = json!([{"uri": "test://1", "blob": "@@@"}, text("test://2", "ok")]);
    let run = read(contents, |_| {}).await;
    assert_eq!(run.status, Ok(Status::Done));
    insta::assert_snapshot!(run.machine.out() + "\n---\n" + &run.machine.err());
}

#[tokio::test]
async fn a_read_of_which_nothing_could_be_taken_failed() {
    let run = read(json!([{"uri": "test://1"}]), |_| {}).await;
    assert_eq!(run.status, Ok(Status::Failed));
    assert_eq!(run.machine.out(), "");
}

async fn into_file(contents: Value) -> (Run, Option<Vec<u8>>) {
    let mut path = None;
    let run = read(contents, |reading| {
        let place = reading.host.app.paths.config_dir.join("out");
        reading.file = Some(OutFile::create(&place).unwrap());
        reading.all = true;
        path = Some(place);
    })
    .await;
    let bytes = std::fs::read(path.unwrap()).ok();
    (run, bytes)
}

#[tokio::test]
async fn a_file_gets_the_whole_text_or_the_blobs_own_bytes() {
    let long = long_text(20_000);
    let (_, bytes) = into_file(json!([text("test://x", &long)])).await;
    assert_eq!(bytes, Some(long.into_bytes()));
    let (run, bytes) = into_file(json!([{"uri": "test://x", "blob": "/9j/4A=="}])).await;
    assert_eq!(bytes, Some(vec![0xff, 0xd8, 0xff, 0xe0]));
    assert_eq!(run.machine.out(), "");
}

#[tokio::test]
async fn one_file_holds_one_item_and_a_broken_item_makes_no_file() {
    let (run, bytes) = into_file(json!([text("a", "a"), text("b", "b"), text("c", "c")])).await;
    let failed = run.status.unwrap_err();
    assert_eq!((failed.failure.status(), bytes), (Status::Usage, None));
    insta::assert_snapshot!(failed.failure.shape.tool_call_error + ". " + &failed.failure.shape.hint, @"The resource has 3 items; one file holds one. Choose one with `--item`, 0 to 2");
    let (run, bytes) = into_file(json!([{"uri": "a"}])).await;
    assert_eq!((run.status, bytes), (Ok(Status::Failed), None));
}

#[tokio::test]
async fn json_is_exactly_what_a_model_gets_one_page_a_line() {
    let long = long_text(20_000);
    let run = run(json!([text("test://x", &long)]), true, |reading| reading.all = true).await;
    let pages: Vec<Value> = run.machine.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let whole: String = pages.iter().map(|page| page["text"].as_str().unwrap()).collect();
    assert!(pages.len() > 1);
    assert_eq!(whole, long);
    assert_eq!(pages[0]["total_bytes"], json!(long.len()));
    assert_eq!(run.machine.err(), "");
}

#[tokio::test]
async fn an_error_keeps_the_models_json_and_has_a_hint_for_a_person() {
    let machine = FakeHost::new("");
    let session = machine.session(|_| Err(PortError::Server { code: -1, message: "No luck\u{1b}[2J".to_owned() }));
    let failed = session.call(Verb::Read, json!({"uri": "test://x"})).await.unwrap_err();
    assert_eq!(failed.failure.status(), Status::Failed);
    assert_eq!(failed.answer["code"], json!("server_error"));
    assert_ne!(failed.answer["hint"], json!(failed.failure.shape.hint));
}

#[test]
fn a_page_that_does_not_advance_is_an_error_and_not_a_loop() {
    let page = |next: Value| json!({"uri": "a", "text": "x", "next_offset": next});
    assert_eq!(next_page(&page(json!(6)), 5), Ok(Some(6)));
    assert_eq!(next_page(&page(json!(null)), 5), Ok(None));
    assert_eq!(next_page(&page(json!(5)), 5).unwrap_err().shape.code, Code::InvalidResponse);
}
