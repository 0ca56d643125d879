//! A secret in each field of an entry, and nowhere else: not in what coyote says, and in no file that it writes (S47).

use crate::machine::{ends, machine, run, shelf};
use acceptance::{
    host::Host,
    model_server::{Answer, Api, ModelServer},
};
use rstest::rstest;
use serde_json::{Value, json};
use std::{
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

const SECRET: &str = "hunter2-in-every-field";
const WRITTEN: &str = "{{THE_KEY}}";

/// Answers every request with this status, and with what was asked for in its body and in its `Location`.
async fn parrot(status: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut bytes = vec![0; 65_536];
            let read = stream.read(&mut bytes).await.unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes[..read]).into_owned();
            let target = text.split(' ').nth(1).unwrap_or_default();
            let answer = format!(
                "HTTP/1.1 {status}\r\nLocation: https://elsewhere.invalid{target}\r\nContent-Type: text/plain\r\n\
                 Content-Length: {}\r\nConnection: close\r\n\r\n{target}",
                target.len()
            );
            let _ = stream.write_all(answer.as_bytes()).await;
            let _ = stream.shutdown().await;
        }
    });
    address
}

/// Every file below, but those that the user wrote.
fn files(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            files(&entry.path(), found);
        } else {
            found.push(entry.path());
        }
    }
}

/// A machine with one server that does not start, and all that it says and writes of it.
async fn everything_about(entry: Value) -> String {
    let mut host: Host = machine();
    host.env("COYOTE_LOG_LEVEL", "trace");
    host.write("config/.env", &format!("THE_KEY={SECRET}\n")).unwrap();
    host.entry("docs", entry).unwrap();
    let mut said = String::new();
    for args in [
        &["mcp", "list"][..],
        &["mcp", "list", "--json"],
        &["mcp", "doctor", "docs"],
        &["mcp", "doctor", "--json"],
        &["mcp", "get", "docs"],
        &["mcp", "get", "docs", "--json"],
        &["mcp", "functions"],
        &["mcp", "call", "mcp_search_docs", "{}"],
        &["mcp", "read", "docs", "a://1"],
        &["mcp", "invoke", "docs", "t", "--json", "{}"],
        &["mcp", "invoke", "coyote", "check_config", "--json", "{}"],
        &["mcp", "auth", "docs", "--no-browser"],
        &["--info"],
    ] {
        let done = run(&host, args).await;
        write!(said, "{args:?}\n{}\n{}\n", done.text(), done.stderr).unwrap();
    }
    let mut written = Vec::new();
    files(&host.path("cache"), &mut written);
    files(&host.path("config"), &mut written);
    for file in written.iter().filter(|file| !file.ends_with("mcp.json") && !file.ends_with(".env")) {
        write!(said, "{}:\n{}\n", file.display(), String::from_utf8_lossy(&fs::read(file).unwrap())).unwrap();
    }
    said
}

/// The lines that show the secret, and whether the entry is shown as it was written.
fn shown(said: &str) -> (Vec<&str>, bool) {
    (said.lines().filter(|line| line.contains(SECRET)).collect(), said.contains(WRITTEN))
}

// S47
#[rstest]
#[case::command(json!({"command": "{{THE_KEY}}"}))]
#[case::part_of_a_command(json!({"command": "/no/such/{{THE_KEY}}/program"}))]
#[case::cwd(json!({"command": "sh", "cwd": "/no/such/{{THE_KEY}}"}))]
#[case::arg_that_is_said(json!({"command": "sh", "args": ["-c", "echo \"$0\" >&2; exit 3", "{{THE_KEY}}"]}))]
#[case::arg_on_stdout(json!({"command": "sh", "args": ["-c", "echo \"$0\"; exit 3", "{{THE_KEY}}"]}))]
#[case::env(json!({"command": "sh", "args": ["-c", "echo \"$TOKEN\" >&2; exit 3"], "env": {"TOKEN": "{{THE_KEY}}"}}))]
#[case::url_of_nobody(json!({"url": "http://127.0.0.1:9/{{THE_KEY}}?key={{THE_KEY}}"}))]
#[case::url_that_does_not_parse(json!({"url": "http://{{THE_KEY}}:port/"}))]
#[case::host(json!({"url": "http://{{THE_KEY}}.invalid/"}))]
#[case::header(json!({"url": "http://127.0.0.1:9/", "headers": {"Authorization": "Bearer {{THE_KEY}}"}}))]
#[case::header_that_http_refuses(json!({"url": "http://127.0.0.1:9/", "headers": {"X-Key": "{{THE_KEY}}\n"}}))]
#[case::oauth(json!({"url": "http://127.0.0.1:9/", "oauth": {"clientId": "{{THE_KEY}}", "clientSecret": "{{THE_KEY}}"}}))]
#[tokio::test]
async fn a_secret_of_a_server_that_does_not_start_is_shown_nowhere(#[case] entry: Value) {
    let said = everything_about(entry).await;
    assert_eq!(shown(&said), (Vec::new(), true));
}

// S47: what a server makes of its own address.
#[rstest]
#[case::redirect("302 Found")]
#[case::failure("500 Internal Server Error")]
#[case::login("401 Unauthorized")]
#[tokio::test]
async fn a_secret_that_a_server_repeats_is_shown_nowhere(#[case] status: &'static str) {
    let url = format!("http://{}/{{{{THE_KEY}}}}?key={{{{THE_KEY}}}}", parrot(status).await);
    let said = everything_about(json!({"url": url})).await;
    assert_eq!(shown(&said), (Vec::new(), true));
}

// S47. A server that works gets the value, and coyote still does not show it.
#[tokio::test]
async fn a_server_that_works_gets_its_secret_and_what_it_says_of_it_on_stderr_is_redacted() {
    let mut host = machine();
    host.env("COYOTE_LOG_LEVEL", "trace");
    host.env("THE_KEY", SECRET);
    let mut script = shelf();
    script["process"] = json!({"stderr": [format!("started with {SECRET}")]});
    host.serve_with("docs", script, json!({"env": {"TOKEN": WRITTEN}})).unwrap();
    let doctor = ends(&host, 0, &["mcp", "doctor", "docs"]).await;
    let text = doctor.text();
    assert!(text.contains("started with {{THE_KEY}}") && !text.contains(SECRET), "{doctor}");
    let log = fs::read_to_string(host.path("cache/coyote.log")).unwrap();
    assert!(log.contains("started with {{THE_KEY}}") && !log.contains(SECRET), "{log}");
}

// The library that speaks to providers logs what they answer.
#[tokio::test]
async fn a_key_that_a_provider_repeats_is_shown_nowhere_and_is_in_no_file() {
    let host = machine();
    let body = json!({"error": {"message": "Incorrect API key provided: key-of-the-stand-in"}}).to_string();
    let model = ModelServer::start(Api::OpenAi, [Answer::status(401, &body)]).await.unwrap();
    host.write("config/config.yaml", &format!("{}save: true\n", model.config_yaml())).unwrap();
    let done = ends(&host, 1, &["-s", "work", "hello"]).await;
    assert!(done.stderr.contains("Incorrect API key provided: …"), "{done}");
    let log = fs::read_to_string(host.path("cache/coyote.log")).unwrap();
    assert!(log.contains("Incorrect API key provided: {{STAND_IN_API_KEY}}"), "{log}");
    let mut found = Vec::new();
    files(&host.path("cache"), &mut found);
    files(&host.path("config/sessions"), &mut found);
    for file in found {
        let text = String::from_utf8_lossy(&fs::read(&file).unwrap()).into_owned();
        assert!(!text.contains("key-of-the-stand-in"), "{}: {text}", file.display());
    }
}
