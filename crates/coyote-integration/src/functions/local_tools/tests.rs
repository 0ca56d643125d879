//! The user's own tools and the built-in ones, run for real (host.md "Files", S18, S25, S31, S39, S47).

#![cfg(unix)]

use super::*;
use crate::mcp::ParentEnv;
use mcp_meta::Answer;
use mcp_render::{Ceiling, Code, SpillStore, json_len};
use serde_json::json;
use std::{ffi::OsString, fs, os::unix::fs::PermissionsExt, time::Instant};
use tokio_util::sync::CancellationToken;

struct Machine {
    dir: tempfile::TempDir,
    scope: LocalScope,
    timeout: Duration,
}

impl Machine {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("functions/bin")).unwrap();
        fs::create_dir(dir.path().join("work")).unwrap();
        let spills = Arc::new(SpillStore::new(dir.path().join("spills")));
        let scope = LocalScope { ceiling: Ceiling::default(), cancel: CancellationToken::new(), spills };
        Self { dir, scope, timeout: Duration::from_secs(20) }
    }

    fn work(&self, name: &str) -> PathBuf {
        self.dir.path().join("work").join(name)
    }

    fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::create_dir_all(self.work(name).parent().unwrap()).unwrap();
        fs::write(self.work(name), content).unwrap();
    }

    fn program(&self, name: &str, script: &str) {
        let path = self.dir.path().join("functions/bin").join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn declare(&self, entries: &Value) {
        fs::write(self.dir.path().join("functions/functions.json"), entries.to_string()).unwrap();
    }

    fn load(&self) -> (LocalToolBox, Vec<Warning>) {
        let home = self.dir.path().join("work").to_string_lossy().into_owned();
        let path = std::env::var("PATH").unwrap();
        let env = [
            ("PATH", path.as_str()),
            ("HOME", &home),
            ("OPENAI_API_KEY", "sk-1"),
            ("PLAIN", "p"),
            ("SHELL", "/bin/sh"),
        ];
        let parent: ParentEnv = env.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect();
        LocalToolBox::load(LocalSetup {
            functions_dir: self.dir.path().join("functions"),
            working_dir: self.dir.path().join("work"),
            environment: parent.without(&withheld_names([], [])),
            timeout: self.timeout,
        })
    }

    async fn call(&self, name: &str, arguments: Value) -> Answer {
        let answer = self.load().0.call(name, &arguments, &self.scope).unwrap().await;
        assert!(json_len(&answer.value) <= self.scope.ceiling.bytes(), "{name}");
        answer
    }

    async fn value(&self, name: &str, arguments: Value) -> Value {
        let answer = self.call(name, arguments).await;
        assert_eq!(answer.code, None, "{}", answer.value);
        answer.value
    }
}

fn tool(name: &str) -> Value {
    json!({"name": name, "description": "d", "parameters": {"type": "object", "properties": {}}})
}

#[tokio::test]
async fn a_users_tool_gets_its_arguments_as_json_and_answers_by_llm_output_or_stdout() {
    let machine = Machine::new();
    machine.declare(&json!([tool("to_file"), tool("to_stdout"), tool("nothing")]));
    machine.program("to_file", r#"echo ignored; printf '%s' "$1" > "$LLM_OUTPUT""#);
    machine.program("to_stdout.sh", "echo plain text; cat");
    machine.program("nothing", "true");
    let arguments = json!({"a": "ä \" 1", "b": [1]});
    assert_eq!(machine.value("to_file", arguments.clone()).await, arguments);
    assert_eq!(machine.value("to_stdout", json!({})).await, "plain text", "stdin is empty");
    assert!(machine.value("nothing", json!({})).await["note"].is_string());
}

#[tokio::test]
async fn a_users_tool_that_fails_is_an_error_with_the_end_of_its_stderr() {
    let machine = Machine::new();
    machine.declare(&json!([tool("fails")]));
    machine.program("fails", "echo partial; echo the cause >&2; exit 3");
    let answer = machine.call("fails", json!({})).await;
    assert_eq!(answer.code, Some(Code::ServerError));
    insta::assert_snapshot!(answer.value, @r#"{"tool_call_error":"`fails` failed (exit status: 3); stderr ends: the cause","code":"server_error","hint":"Correct the arguments by what it says, or tell the user"}"#);
}

#[tokio::test]
async fn a_bad_entry_is_one_warning_and_the_others_load() {
    let machine = Machine::new();
    machine.declare(
        &json!([3, {"name": "bad name"}, tool("gone"), {"name": "w", "parameters": 1}, tool("good.sh"), tool("good")]),
    );
    machine.program("good.sh", "echo 1");
    machine.program("gone.txt", "");
    let (tools, warnings) = machine.load();
    assert_eq!(warnings.len(), 5, "{warnings:#?}");
    assert_eq!(tools.names().next(), Some("good"));
    assert_eq!(tools.names().count(), 1 + BUILTINS.len());
    fs::write(machine.dir.path().join("functions/functions.json"), "[").unwrap();
    let (tools, warnings) = machine.load();
    assert_eq!((warnings.len(), tools.names().count()), (1, BUILTINS.len()));
}

#[tokio::test]
async fn a_users_own_program_wins_over_a_built_in_tool_and_does_not_ask() {
    let machine = Machine::new();
    assert!(machine.load().0.asks("fs_write") && machine.load().0.asks("execute_command"));
    machine.program("fs_write.sh", "echo mine");
    let (tools, warnings) = machine.load();
    assert!(warnings.is_empty() && !tools.asks("fs_write") && tools.asks("execute_command"));
    assert_eq!(machine.value("fs_write", json!({"path": "x"})).await, "mine");
    assert_eq!(tools.functions().iter().filter(|function| function.name == "fs_write").count(), 1);
}

#[test]
fn a_selection_has_the_enabled_tools_and_no_others() {
    let tools = Machine::new().load().0.select(|name| name.starts_with("fs_c"));
    assert_eq!(tools.names().collect::<Vec<_>>(), ["fs_cat"]);
    assert!(!tools.asks("fs_write"));
    let scope = Machine::new().scope;
    assert!(tools.call("fs_write", &json!({}), &scope).is_none());
}

/// The first and the last cell of each row of a page that is about tools, the names without their ticks.
fn rows(page: &str) -> Vec<(&str, &str)> {
    let text = crate::builtin::PAGES.iter().find(|known| known.name == page).unwrap().text;
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.strip_suffix('|'));
    rows.map(|row| (row.split_once('`').unwrap().0, row.rsplit('|').next().unwrap().trim())).collect()
}

#[test]
fn the_manual_lists_every_built_in_tool_and_says_which_ask() {
    let asks = |tool: &Builtin| if tool.asks == Asks::Never { "no" } else { "yes" };
    let expected: Vec<_> = BUILTINS.iter().map(|tool| (tool.name, asks(tool))).collect();
    assert_eq!(rows("tools"), expected);
    let asking: Vec<_> = expected.into_iter().filter(|(_, asks)| *asks == "yes").collect();
    let in_approval: Vec<_> = rows("approval").into_iter().filter(|(name, _)| builtin(name).is_some()).collect();
    assert_eq!(in_approval, asking);
}

#[test]
fn every_built_in_tool_declares_an_object_and_those_that_change_something_ask() {
    let asking: Vec<&str> = BUILTINS.iter().filter(|tool| tool.asks != Asks::Never).map(|tool| tool.name).collect();
    assert_eq!(asking, ["fs_write", "execute_command"]);
    for tool in BUILTINS {
        let function = tool.function();
        assert_eq!(function.parameters["type"], "object", "{}", tool.name);
        assert!(!function.description.is_empty());
    }
}

#[tokio::test]
async fn keys_of_providers_reach_no_program_s47() {
    let machine = Machine::new();
    machine.declare(&json!([tool("show_env")]));
    machine.program("show_env", "env");
    let own = machine.value("show_env", json!({})).await;
    let shell = machine.value("execute_command", json!({"command": "env"})).await;
    for shown in [own.to_string(), shell["stdout"].to_string()] {
        assert!(shown.contains("PLAIN=p") && !shown.contains("sk-1"), "{shown}");
    }
}

#[tokio::test]
async fn a_program_that_does_not_end_is_stopped_with_everything_it_started() {
    for (name, arguments) in [("hangs", json!({})), ("execute_command", json!({"command": "sleep 7531 & sleep 7531"}))]
    {
        let mut machine = Machine::new();
        machine.timeout = Duration::from_millis(300);
        machine.declare(&json!([tool("hangs")]));
        machine.program("hangs", "echo $$ > pid; sleep 7531 & echo $! > child; wait");
        let begun = Instant::now();
        let answer = machine.call(name, arguments).await;
        assert_eq!(answer.code, Some(Code::Timeout), "{}", answer.value);
        assert!(begun.elapsed() < Duration::from_secs(10));
        if name == "hangs" {
            assert!(ends(&machine.work("pid")).await && ends(&machine.work("child")).await);
        }
    }
}

/// Whether the process whose number stands in this file ends soon.
async fn ends(file: &std::path::Path) -> bool {
    let pid = fs::read_to_string(file).unwrap();
    let state = PathBuf::from(format!("/proc/{}/stat", pid.trim()));
    for _ in 0..100 {
        // A zombie has ended; its parent has not looked yet.
        if fs::read_to_string(&state).map_or(true, |stat| stat.contains(") Z")) {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    false
}

#[tokio::test]
async fn cancelling_and_dropping_end_the_program() {
    let machine = Machine::new();
    machine.declare(&json!([tool("hangs")]));
    machine.program("hangs", "echo $$ > pid; exec sleep 7532");
    let (tools, arguments) = (machine.load().0, json!({}));
    let started = || async {
        while fs::read_to_string(machine.work("pid")).map_or(true, |pid| pid.trim().is_empty()) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let mut running = tools.call("hangs", &arguments, &machine.scope).unwrap();
    tokio::select! { _ = &mut running => panic!("it hangs"), () = started() => {} }
    drop(running);
    assert!(ends(&machine.work("pid")).await);
    fs::remove_file(machine.work("pid")).unwrap();
    let cancel = async {
        started().await;
        machine.scope.cancel.cancel();
    };
    let (answer, ()) = tokio::join!(tools.call("hangs", &arguments, &machine.scope).unwrap(), cancel);
    assert_eq!(answer.code, Some(Code::Cancelled));
    assert!(ends(&machine.work("pid")).await);
}

#[tokio::test]
async fn what_is_over_the_ceiling_is_cut_and_kept_whole_and_fs_cat_reads_it_back() {
    let mut machine = Machine::new();
    machine.scope.ceiling = Ceiling::new(5_000);
    machine.declare(&json!([tool("text"), tool("json")]));
    machine.program("text", "i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done");
    machine.program("json", "printf '['; i=0; while [ $i -lt 3000 ]; do printf '%s,' $i; i=$((i+1)); done; echo 0]");
    for name in ["text", "json"] {
        let cut = machine.value(name, json!({})).await;
        assert_eq!(cut["truncated"], true, "{cut}");
        assert!(cut["note"].as_str().unwrap().contains("`fs_cat` with this `path`"), "{cut}");
        let (path, mut offset, mut whole) = (cut["path"].clone(), json!(0), String::new());
        while !offset.is_null() {
            let page = machine.value("fs_cat", json!({"path": path, "offset": offset})).await;
            whole.push_str(page["text"].as_str().unwrap());
            offset = page["next_offset"].clone();
        }
        assert_eq!(json!(whole.len()), cut["total_bytes"]);
        assert!(whole.contains("2999"));
    }
}

#[tokio::test]
async fn a_flood_is_bounded_and_what_was_dropped_is_counted() {
    let machine = Machine::new();
    let command =
        format!("head -c {} /dev/zero | tr '\\0' x; echo err >&2; exit 4", mcp_render::LOCAL_OUTPUT_MAX_BYTES + 77);
    let value = machine.value("execute_command", json!({"command": command})).await;
    assert_eq!(value["exit_code"], 4);
    assert_eq!(value["stdout_dropped_bytes"], 77);
    assert_eq!(value["stdout"]["total_bytes"], mcp_render::LOCAL_OUTPUT_MAX_BYTES);
    assert_eq!(value["stderr"], "err\n");
}

#[tokio::test]
async fn a_page_of_a_file_never_cuts_a_character_and_pages_are_the_file() {
    let machine = Machine::new();
    let text = "aäé\u{1F600}\n".repeat(50);
    machine.put("t.txt", &text);
    for limit in [1, 7, 10, 64, 100_000] {
        let (mut offset, mut whole) = (json!(0), String::new());
        while !offset.is_null() {
            let page =
                machine.value("fs_cat", json!({"path": "t.txt", "offset": offset, "limit": limit.to_string()})).await;
            whole.push_str(page["text"].as_str().unwrap());
            offset = page["next_offset"].clone();
        }
        assert_eq!(whole, text, "{limit}");
    }
    machine.put("b.bin", [0, 159, 146, 150]);
    let binary = machine.value("fs_cat", json!({"path": "~/b.bin"})).await;
    assert_eq!((&binary["binary"], &binary["size_bytes"]), (&json!(true), &json!(4)));
    let missing = machine.call("fs_cat", json!({"path": "t.tx"})).await;
    assert_eq!(missing.code, Some(Code::NotFound));
    assert!(missing.value["closest"][0].as_str().unwrap().ends_with("t.txt"), "{}", missing.value);
}

#[tokio::test]
async fn listing_and_finding_show_what_there_is_and_leave_out_what_is_ignored() {
    let machine = Machine::new();
    for name in ["src/a.rs", "src/deep/b.rs", "src/c.txt", "target/x.rs", ".git/y.rs"] {
        machine.put(name, "x");
    }
    machine.put(".gitignore", "target/\n");
    let names = |value: &Value| {
        value["entries"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&machine.value("fs_ls", json!({"path": "src"})).await), ["a.rs", "c.txt", "deep"]);
    let found = machine.value("fs_glob", json!({"pattern": "**/*.rs"})).await;
    let ends: Vec<bool> = found["paths"]
        .as_array()
        .unwrap()
        .iter()
        .zip(["src/a.rs", "src/deep/b.rs"])
        .map(|(path, end)| path.as_str().unwrap().ends_with(end))
        .collect();
    assert_eq!((ends, &found["total"]), (vec![true, true], &json!(2)));
    assert_eq!(machine.call("fs_glob", json!({"pattern": "[", "path": null})).await.code, Some(Code::InvalidArguments));
    for n in 0..1_500 {
        machine.put(&format!("many/{n}"), "");
    }
    let many = machine.value("fs_ls", json!({"path": "many"})).await;
    assert_eq!((&many["total"], names(&many).len()), (&json!(1_500), 1_000));
}

#[tokio::test]
async fn fs_grep_shows_lines_as_a_filtered_resource_does() {
    let mut machine = Machine::new();
    machine.put("src/a.txt", "one\ntwo\nthree needle\nfour\nfive\nsix\n");
    machine.put("src/b.bin", b"needle\0");
    let found = machine.value("fs_grep", json!({"pattern": "n[e]+dle$"})).await;
    assert_eq!(found["matches"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(found["matches"][0]["lines"], "1-one\n2-two\n3:three needle\n4-four\n5-five\n");
    assert!(machine.value("fs_grep", json!({"pattern": "needle", "glob": "*.rs"})).await["note"].is_string());
    assert_eq!(machine.call("fs_grep", json!({"pattern": "("})).await.code, Some(Code::InvalidArguments));
    machine.scope.ceiling = Ceiling::new(0);
    for n in 0..50 {
        machine.put(&format!("src/long{n}"), "needle \"quoted\"\t\n".repeat(30));
    }
    let cut = machine.value("fs_grep", json!({"pattern": "needle"})).await;
    assert_eq!(cut["truncated"], true);
}

#[tokio::test]
async fn fs_write_replaces_a_file_whole_and_makes_its_directories() {
    let machine = Machine::new();
    let first = machine.value("fs_write", json!({"path": "new/dir/f.txt", "content": "one"})).await;
    assert_eq!((&first["replaced"], &first["bytes"]), (&json!(false), &json!(3)));
    machine.value("fs_write", json!({"path": "new/dir/f.txt", "content": "two"})).await;
    assert_eq!(fs::read_to_string(machine.work("new/dir/f.txt")).unwrap(), "two");
    assert_eq!(
        machine.call("fs_write", json!({"path": "new", "content": ""})).await.code,
        Some(Code::InvalidArguments)
    );
    assert_eq!(machine.call("fs_write", json!({"path": "x"})).await.code, Some(Code::InvalidArguments));
}

#[tokio::test]
async fn wrong_parameters_of_a_built_in_tool_name_what_is_accepted() {
    let machine = Machine::new();
    let unknown = machine.call("fs_cat", json!({"file": "x"})).await;
    insta::assert_snapshot!(unknown.value, @r#"{"tool_call_error":"`file` is no parameter of `fs_cat`","code":"invalid_arguments","hint":"`fs_cat` takes `path`, `offset`, `limit`"}"#);
    let wrong = machine.call("fs_cat", json!({"path": "x", "offset": -1})).await;
    insta::assert_snapshot!(wrong.value, @r#"{"tool_call_error":"`offset` is -1; a whole number from 0 is accepted","code":"invalid_arguments","hint":"Give `offset` as a whole number from 0"}"#);
    assert!(machine.value("get_current_time", json!({})).await["utc"].as_str().unwrap().ends_with('Z'));
}
