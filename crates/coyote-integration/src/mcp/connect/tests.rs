//! Real processes: what they get, how they end, and that nothing is left (S18).

use super::*;
use crate::mcp::{
    Origin,
    testing::{SERVES, answers, gone, line_of, parent, parent_of, runs, script, with_env},
};
use mcp_catalog::deadline;
use std::{collections::BTreeMap, fs, path::Path};

const SHORT: Duration = Duration::from_millis(50);

async fn open(entry: ServerEntry, parent: &ParentEnv) -> Result<Connection, PortError> {
    Connection::open(entry, parent, &Client::default(), &Processes::default(), &Web::default()).await
}

fn id(text: &str) -> u32 {
    text.trim().parse().unwrap()
}

/// A child that waits, and its number in `$CHILD`.
const GRANDCHILD: &str = r#"sleep 1000 & printf '%s\n' "$!" > "$CHILD""#;

#[tokio::test]
async fn a_server_is_asked_over_its_pipes_and_ends_with_its_stdin() {
    let connection = open(script("docs", SERVES), &parent()).await.unwrap();
    assert_eq!(connection.handshake().protocol, "2025-06-18");
    assert!(answers(&connection).await);
    connection.close(deadline::GRACE).await;
    let exit = connection.process().unwrap().exit().unwrap();
    assert!(exit.ordered && exit.status.unwrap().success(), "{exit:?}");
    assert!(connection.is_closed() && !answers(&connection).await);
}

#[tokio::test]
async fn a_server_that_ignores_the_end_of_stdin_and_sigterm_is_killed_with_what_it_started() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("child");
    let stubborn = format!("trap '' TERM HUP INT\n{GRANDCHILD}\n{SERVES}\nwhile :; do sleep 1000; done");
    let connection = open(with_env(script("cron", &stubborn), &[("CHILD", &file)]), &parent()).await.unwrap();
    let (server, grandchild) = (connection.process().unwrap().id().unwrap(), id(&line_of(&file).await));
    assert!(runs(server) && runs(grandchild));
    connection.close(SHORT).await;
    assert!(!runs(server));
    gone(grandchild).await;
    assert_eq!(connection.process().unwrap().exit().unwrap().status.and_then(|status| status.code()), None);
}

#[tokio::test]
async fn what_a_server_leaves_behind_ends_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("child");
    let entry = with_env(script("docs", &format!("{GRANDCHILD}\n{SERVES}")), &[("CHILD", &file)]);
    let connection = open(entry, &parent()).await.unwrap();
    let grandchild = id(&line_of(&file).await);
    drop(connection);
    gone(grandchild).await;
}

/// The guard of the keeper: nothing is ended in order here, and nothing is awaited.
#[test]
fn the_end_of_the_runtime_ends_a_server_and_what_it_started() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("child");
    let stubborn = format!("trap '' TERM HUP INT\n{GRANDCHILD}\n{SERVES}\nwhile :; do sleep 1000; done");
    let entry = with_env(script("cron", &stubborn), &[("CHILD", &file)]);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let (connection, grandchild) = runtime.block_on(async {
        let connection = open(entry, &parent()).await.unwrap();
        (connection, id(&line_of(&file).await))
    });
    let server = connection.process().unwrap().id().unwrap();
    runtime.shutdown_background();
    while runs(server) || runs(grandchild) {
        std::thread::sleep(SHORT);
    }
}

/// A server cannot write to the user's terminal: it has none.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_server_runs_in_a_session_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("stat");
    let entry = with_env(script("docs", &format!("cat /proc/$$/stat > \"$OUT\"\n{SERVES}")), &[("OUT", &file)]);
    let connection = open(entry, &parent()).await.unwrap();
    let stat = line_of(&file).await;
    let fields: Vec<&str> = stat.rsplit_once(") ").unwrap().1.split(' ').collect();
    let server = connection.process().unwrap().id().unwrap().to_string();
    assert_eq!((fields[2], fields[3], fields[4]), (server.as_str(), server.as_str(), "0"), "group, session, terminal");
}

async fn environment(origin: Origin) -> BTreeMap<String, String> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("env");
    let parent = parent_of(&[("OPENAI_API_KEY", "sk-1"), ("HOME", "/nowhere"), ("LC_ALL", "C")]);
    let script = script("docs", &format!("env > \"$OUT.part\"; mv \"$OUT.part\" \"$OUT\"\n{SERVES}"));
    let entry = ServerEntry { origin, ..with_env(script, &[("OUT", &file), ("TOKEN", Path::new("t 1"))]) };
    let connection = open(entry, &parent).await.unwrap();
    let text = fs::read_to_string(&file).unwrap();
    drop(connection);
    text.lines().filter_map(|line| line.split_once('=')).map(|(k, v)| (k.to_owned(), v.to_owned())).collect()
}

#[tokio::test]
async fn a_users_server_has_the_users_environment_and_a_workspace_server_has_no_key_of_it() {
    let own = environment(Origin::User).await;
    assert_eq!(own.get("OPENAI_API_KEY").map(String::as_str), Some("sk-1"));
    let strange = environment(Origin::Workspace).await;
    assert_eq!(strange.get("OPENAI_API_KEY"), None);
    for env in [own, strange] {
        let shown = ["HOME", "LC_ALL", "TOKEN"].map(|name| env.get(name).cloned().unwrap_or_default());
        assert_eq!(shown, ["/nowhere", "C", "t 1"]);
        // Not from the parent that was given, so not from this process either.
        assert_eq!(env.get("CARGO_MANIFEST_DIR"), None);
    }
}

async fn failure(entry: ServerEntry) -> String {
    let error = open(entry, &parent()).await.unwrap_err();
    format!("{}: {error}", error.code())
}

#[tokio::test]
async fn a_start_that_fails_names_its_command_and_its_cause() {
    let mut missing = script("broken", "");
    let Transport::Stdio { command, .. } = &mut missing.transport else { panic!() };
    "no-such-command".clone_into(command);
    let mut nowhere = script("broken", SERVES);
    let Transport::Stdio { cwd, .. } = &mut nowhere.transport else { panic!() };
    *cwd = Some("/no/such/directory".into());
    let sse = Transport::Unsupported { reason: "`sse` is not supported; use `http`".to_owned() };
    let report = [
        failure(missing).await,
        failure(nowhere).await,
        failure(script("broken", "echo 'a key is missing' >&2; exit 3")).await,
        failure(script("broken", "echo Usage; kill -9 $$")).await,
        failure(ServerEntry::new(ServerName::new("docs").unwrap(), sse)).await,
        failure(ServerEntry::new(ServerName::new("docs").unwrap(), Transport::Embedded)).await,
    ];
    insta::assert_snapshot!(report.join("\n"));
}

/// C76. The process that never answers is ended, too.
#[tokio::test]
async fn a_server_that_never_answers_fails_after_its_own_deadline_and_is_ended() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("id");
    let silent = "trap '' TERM\nprintf '%s\\n' $$ > \"$OUT\"\nwhile :; do sleep 1000; done";
    let entry = with_env(script("never", silent), &[("OUT", &file)]);
    let processes = Processes::default();
    let entry = ServerEntry { startup_timeout: Some(Duration::from_millis(300)), ..entry };
    let error = Connection::open(entry, &parent(), &Client::default(), &processes, &Web::default()).await.unwrap_err();
    assert_eq!(error.to_string(), "Handshake failed: no answer in 0.3 s");
    let server = id(&line_of(&file).await);
    processes.end_all(SHORT).await;
    assert!(!runs(server));
    assert_eq!(processes.running(), 0);
}

/// C75: the call in flight ends when the process does; what it wrote to stderr is kept for a diagnosis.
#[tokio::test]
async fn a_server_that_dies_closes_its_connection_and_leaves_its_last_words() {
    let dies = "IFS= read -r line\nprintf '%s\\n' '{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":\"2025-06-18\"}}'\n\
                IFS= read -r line; IFS= read -r line; echo 'Last words' >&2; exit 7";
    let connection = open(script("docs", dies), &parent()).await.unwrap();
    assert!(!answers(&connection).await);
    let process = connection.process().unwrap();
    process.exited().await;
    let exit = process.exit().unwrap();
    assert_eq!((exit.ordered, exit.status.and_then(|status| status.code())), (false, Some(7)));
    while connection.stderr() != ["Last words"] {
        tokio::task::yield_now().await;
    }
}
