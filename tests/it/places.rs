//! What is wrong is told with its place: the file, the line, the option that named it. A link that leads nowhere is no
//! absent file.

use crate::machine::{ends, machine, run};
use acceptance::{host::Host, terminal::Terminal};
use insta::assert_snapshot;
use rstest::rstest;
use serde_json::json;

/// What a run said, which must end with this status.
async fn said(host: &Host, status: i32, args: &[&str]) -> String {
    let done = ends(host, status, args).await;
    host.filters().apply(&done.stderr)
}

/// A machine with these files.
fn with_files(files: &[(&str, &str)]) -> Host {
    let mut host = machine();
    host.env("OLLAMA_HOST", "127.0.0.1:1");
    for (file, text) in files {
        host.write(file, text).unwrap();
    }
    host
}

#[tokio::test]
async fn a_model_that_does_not_exist_is_told_with_what_named_it() {
    let files = [
        ("config/config.yaml", "stream: true\nmodel: gone:m\n"),
        ("config/roles/r.md", "---\ntemperature: 0\nmodel: of-role:m\n---\nBe brief.\n"),
        ("config/agents/a/config.yaml", "description: A\nmodel: of-agent:m\n"),
        ("config/sessions/s.yaml", "model: of-session:m\nmessages: []\n"),
    ];
    let host = with_files(&files);
    let mut told = String::new();
    for args in [&["hi"][..], &["-m", "of-flag:m", "hi"], &["-r", "r", "hi"], &["-s", "s", "hi"]] {
        told += &said(&host, 2, args).await;
    }
    host.write("config/config.yaml", "model: offline\n").unwrap();
    told += &said(&host, 2, &["-a", "a", "hi"]).await;
    assert_snapshot!(told);
}

#[tokio::test]
async fn a_role_and_a_session_that_a_setting_names_are_told_with_that_setting() {
    let host = with_files(&[
        ("config/config.yaml", "model: offline\ncmd_prelude: role:nobody\nagent_session: of/config\n"),
        ("config/agents/a/config.yaml", "description: A\n"),
        ("config/agents/b/config.yaml", "description: B\nagent_session: of/agent\n"),
        ("config/sessions/s.yaml", "model: offline\nrole_name: left\nmessages: []\n"),
    ]);
    let mut told = String::new();
    told += &said(&host, 2, &["hi"]).await;
    told += &said(&host, 2, &["-a", "a", "hi"]).await;
    told += &said(&host, 2, &["-a", "b", "hi"]).await;
    told += &said(&host, 0, &["-s", "s", "hi"]).await;
    host.write("config/config.yaml", "model: offline\ncmd_prelude: session:no/name\n").unwrap();
    told += &said(&host, 2, &["hi"]).await;
    assert_snapshot!(told);
}

#[tokio::test]
async fn front_matter_that_does_not_end_is_an_error_and_a_rule_of_markdown_is_a_warning() {
    let host = with_files(&[
        ("config/config.yaml", "model: offline\n"),
        ("config/roles/open.md", "---\n# Limits\nenabled_mcp_servers: null\nBe brief.\n"),
        ("config/roles/rule.md", "---\nBe brief.\n"),
        ("config/roles/late.md", "\n\n---\ntemperature: hot\n---\nBe brief.\n"),
    ]);
    let mut told = said(&host, 2, &["-r", "open", "hi"]).await;
    told += &said(&host, 0, &["-r", "rule", "hi"]).await;
    told += &said(&host, 0, &["-r", "late", "hi"]).await;
    assert_snapshot!(told);
}

#[tokio::test]
async fn a_warning_names_file_and_line_what_was_given_and_what_is_accepted() {
    let mut host = with_files(&[
        ("config/config.yaml", "model: offline\nenabled_tools:\n- fs_cat\n- no_tool\n"),
        (
            "config/agents/a/config.yaml",
            "description: A\nmcp_servers:\n  - coyote\n  - nowhere\nglobal_tools: [fs_cat,\n  nothing]\n\
             can_spawn_agents: true\nspawnable_agents:\n  - a\n  - nobody\nmcp_tools:\n  coyote: ['*']\n  coyoet: [check_*]\n",
        ),
        (
            "config/sessions/s.yaml",
            "temperature: hot\nmessages:\n- role: user\n  content: x\n- role: tool\n  content: x\n",
        ),
        ("config/sessions/t.yaml", "model: offline\ntop_p: 7\nmessages: []\n"),
    ]);
    let mut told = said(&host, 0, &["hi"]).await;
    told += &said(&host, 0, &["-a", "a", "hi"]).await;
    told += &said(&host, 2, &["-s", "s", "hi"]).await;
    told += &said(&host, 0, &["-s", "t", "hi"]).await;
    host.entry("old", json!({"type": "sse", "url": "http://h/sse"})).unwrap();
    told += &said(&host, 3, &["mcp", "search", "old"]).await;
    assert_snapshot!(told);
}

#[rstest]
#[case::config("config/config.yaml", &["hi"], 2)]
#[case::env("config/.env", &["hi"], 0)]
#[case::mcp("config/mcp.json", &["mcp", "list"], 0)]
#[case::add("config/mcp.json", &["mcp", "add", "x", "--", "y"], 1)]
#[case::role("config/roles/r.md", &["-r", "r", "hi"], 2)]
#[case::session("config/sessions/s.yaml", &["-s", "s", "hi"], 2)]
#[case::agent("config/agents/a/config.yaml", &["-a", "a", "hi"], 1)]
#[case::macros("config/macros/m.yaml", &["--macro", "m"], 2)]
#[case::functions("config/functions/functions.json", &["hi"], 0)]
#[tokio::test]
async fn a_file_that_is_not_utf8_is_told_with_its_line(#[case] file: &str, #[case] args: &[&str], #[case] status: i32) {
    let host = with_files(&[(file, "")]);
    std::fs::write(host.path(file), b"A=b\nC=\xff\xfe\n").unwrap();
    let told = said(&host, status, args).await;
    let name = file.rsplit('/').next().unwrap();
    assert!(told.contains(name) && told.contains("line 2 is not UTF-8; save the file as UTF-8"), "{told}");
}

#[cfg(unix)]
#[rstest]
#[case::config("config/config.yaml", &["hi"], 2)]
#[case::env("config/.env", &["mcp", "list"], 0)]
#[case::mcp("config/mcp.json", &["mcp", "list"], 0)]
#[case::mcp_below("config/functions/mcp.json", &["mcp", "list"], 0)]
#[case::add("config/mcp.json", &["mcp", "add", "x", "--", "y"], 1)]
#[case::workspace("project/.mcp.json", &["mcp", "list"], 0)]
#[case::role("config/roles/r.md", &["-r", "r", "hi"], 2)]
#[case::roles("config/roles", &["--list-roles"], 0)]
#[case::agents("config/agents", &["mcp", "list"], 0)]
#[case::agent("config/agents/a", &["-a", "a", "hi"], 1)]
#[case::session("config/sessions/s.yaml", &["-s", "s", "hi"], 2)]
#[case::macros("config/macros", &["--list-macros"], 0)]
#[case::one_macro("config/macros/m.yaml", &["--macro", "m"], 2)]
#[case::functions("config/functions/functions.json", &["hi"], 0)]
#[case::programs("config/functions/bin", &["hi"], 0)]
#[case::macros_here("project/.coyote/macros", &["--macro", "m"], 2)]
#[case::trust("config/trust.json", &["mcp", "trust"], 1)]
#[case::the_whole("config", &["hi"], 2)]
#[tokio::test]
async fn a_link_that_leads_nowhere_is_named_and_not_taken_as_absent(
    #[case] file: &str,
    #[case] args: &[&str],
    #[case] status: i32,
) {
    let host = machine();
    let path = host.path(file);
    if path.is_dir() {
        std::fs::remove_dir_all(&path).unwrap();
    }
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink("/gone/for/good", &path).unwrap();
    if file == "config/trust.json" {
        host.write("project/.mcp.json", r#"{"mcpServers": {"x": {"command": "y"}}}"#).unwrap();
    }
    let done = run(&host, args).await;
    let told = host.filters().apply(&done.stderr);
    let name = format!("{}`", path.file_name().unwrap().to_str().unwrap());
    let is_told =
        |line: &str| line.contains("is a link to `/gone/for/good`, which is not there") && line.contains(&name);
    assert!(told.lines().any(is_told), "{done}");
    assert_eq!(done.status, Some(status), "{done}");
    assert!(path.is_symlink(), "it is left as it was");
}

#[cfg(unix)]
#[tokio::test]
async fn what_is_behind_a_dead_link_is_still_listed_and_info_says_that_it_leads_nowhere() {
    let host = with_files(&[("config/roles/there.md", "Be brief.\n")]);
    for link in ["config/roles/gone.md", "config/config.yaml"] {
        std::os::unix::fs::symlink("/gone/for/good", host.path(link)).unwrap();
    }
    assert_eq!(ends(&host, 0, &["--list-roles"]).await.text(), "gone\nthere\n");
    let info = ends(&host, 0, &["--info"]).await;
    let row = info.text().lines().find(|line| line.starts_with("config.yaml")).unwrap().to_owned();
    assert!(row.ends_with("a link that leads nowhere"), "{info}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_part_of_the_prompt_that_is_not_understood_is_told_with_its_line_and_what_is_accepted() {
    let host = with_files(&[("config/config.yaml", "model: offline\nleft_prompt: '{nothing} {color.beige}> '\n")]);
    let terminal = Terminal::open(&host, &[], (250, 40)).unwrap();
    let screen = terminal.until_shown("`{color.beige}`").unwrap();
    let accepted = "which is shown as it is; accepted are `{model}`, `{role}`, `{session}`, `{agent}`, `{servers}`";
    for part in ["`{nothing}`", "`{color.beige}`"] {
        let line = screen.lines().find(|line| line.contains(part)).unwrap();
        assert!(line.contains("config.yaml` line 2 holds") && line.contains(accepted), "{screen}");
    }
    terminal.until_idle().unwrap();
    terminal.leave().unwrap();
}
