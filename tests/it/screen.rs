//! One turn of chat at a real terminal: what moves, what is asked, what is left on the screen (host.md "A turn", S40, S46).
//!
//! Each screen is one that a person would see at that moment; what moves is the same character in all of them.

use crate::machine::{shelf, with};
use acceptance::{
    host::Host,
    model_server::{Answer, Api, Gate, ModelServer},
    terminal::Terminal,
};
use serde_json::{Value, json};

struct Scene {
    host: Host,
    model: ModelServer,
}

impl Scene {
    /// A machine with the server `docs`, and a model that answers with these.
    async fn new(script: Value, config: &str, answers: Vec<Answer>) -> Self {
        Self::on(with(script), config, answers).await
    }

    async fn on(host: Host, config: &str, answers: Vec<Answer>) -> Self {
        let model = ModelServer::start(Api::OpenAi, answers).await.unwrap();
        host.write("config/config.yaml", &format!("{config}{}", model.config_yaml())).unwrap();
        Self { host, model }
    }

    fn open(&self, columns: u16) -> Terminal {
        Terminal::open(&self.host, &["go", "on"], (columns, 30)).unwrap()
    }

    fn calls(&self) -> usize {
        self.host.received("docs", "tools/call").unwrap().len()
    }

    /// What the model got for the calls of its first reply.
    fn results(&self) -> Vec<String> {
        self.model.requests()[1].results().into_iter().map(|(_, text)| text).collect()
    }
}

fn add() -> Answer {
    Answer::new().call("c1", "mcp_invoke_docs", &json!({"tool": "add", "arguments": {"a": 1, "b": 2}}))
}

fn done() -> Answer {
    Answer::text("**Done.**").usage(1_200, 34)
}

/// A screen on which everything that turns is the same.
fn still(screen: &str) -> String {
    let turns = |c: char| ('\u{2800}'..='\u{28ff}').contains(&c);
    screen.lines().map(|line| line.replace(turns, "*")).collect::<Vec<_>>().join("\n")
}

const ASKED: &str = "or numbers:";

fn answered(scene: &Scene, keys: &str) -> (Terminal, i32) {
    let terminal = scene.open(80);
    terminal.until_shown(ASKED).unwrap();
    terminal.press(keys).unwrap();
    let status = terminal.status().unwrap();
    (terminal, status)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_yes_runs_the_call_and_the_screen_keeps_question_call_reply_and_usage() {
    let scene = Scene::new(shelf(), "", vec![add(), done()]).await;
    let terminal = scene.open(80);
    terminal.until_shown(ASKED).unwrap();
    insta::assert_snapshot!("asked", still(&terminal.snapshot()));
    assert_eq!(scene.calls(), 0);
    terminal.press("y\r").unwrap();
    assert_eq!(terminal.status().unwrap(), 0);
    insta::assert_snapshot!("answered_yes", still(&terminal.snapshot()));
    assert_eq!(scene.calls(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_narrow_terminal_shows_the_whole_question() {
    let scene =
        Scene::new(shelf(), "", vec![add().call("c2", "mcp_invoke_docs", &json!({"tool": "fail"})), done()]).await;
    let terminal = scene.open(60);
    terminal.until_shown(ASKED).unwrap();
    insta::assert_snapshot!("asked_about_two_at_60_columns", still(&terminal.snapshot()));
    terminal.press("2\r").unwrap();
    assert_eq!(terminal.status().unwrap(), 0);
    assert!(scene.results()[0].contains("denied") && !scene.results()[1].contains("denied"), "{:?}", scene.results());
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_no_yes_runs_nothing_and_the_model_is_told() {
    for keys in ["n\r", "\r", "yes please\r", "\u{1b}[A\r", "2\r"] {
        let scene = Scene::new(shelf(), "", vec![add(), done()]).await;
        let (terminal, status) = answered(&scene, keys);
        assert_eq!((scene.calls(), status), (0, 0), "{keys:?}\n{}", terminal.screen());
        assert!(scene.results()[0].contains("\"code\":\"denied\""), "{keys:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_typed_before_the_question_was_shown_runs_nothing() {
    let gate = Gate::default();
    let scene = Scene::new(shelf(), "", vec![add().held(0, &gate), done()]).await;
    let terminal = scene.open(80);
    while scene.model.requests().is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    terminal.press("y\ry\rs").unwrap();
    gate.open();
    terminal.until_shown(ASKED).unwrap();
    terminal.press("n\r").unwrap();
    assert_eq!(terminal.status().unwrap(), 0);
    assert_eq!(scene.calls(), 0, "{}", terminal.screen());
    assert!(scene.results()[0].contains("\"code\":\"denied\""), "{:?}", scene.results());
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_at_the_question_ends_the_turn_and_runs_nothing() {
    let scene = Scene::new(shelf(), "", vec![add(), done()]).await;
    let (terminal, status) = answered(&scene, "\u{3}");
    assert_eq!((scene.calls(), status), (0, 130), "{}", terminal.screen());
    assert_eq!(scene.model.requests().len(), 1);
    insta::assert_snapshot!("stopped_at_the_question", still(&terminal.snapshot()));
}

#[tokio::test(flavor = "multi_thread")]
async fn always_is_kept_for_the_next_run_and_this_server_is_not() {
    let answers = vec![add(), done(), add(), done()];
    let scene = Scene::new(shelf(), "", answers.clone()).await;
    answered(&scene, "a\r");
    let terminal = scene.open(80);
    assert_eq!(terminal.status().unwrap(), 0);
    assert!(!terminal.screen().contains(ASKED), "{}", terminal.screen());
    assert_eq!(scene.calls(), 2);

    let scene = Scene::new(shelf(), "", answers).await;
    answered(&scene, "s\r");
    answered(&scene, "n\r");
    assert_eq!(scene.calls(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trusted_server_is_not_asked_about() {
    let mut host = crate::machine::machine();
    host.serve_with("docs", shelf(), json!({"trust": true})).unwrap();
    let scene = Scene::on(host, "", vec![add(), done()]).await;
    let terminal = scene.open(80);
    assert_eq!(terminal.status().unwrap(), 0);
    assert!(!terminal.screen().contains(ASKED), "{}", terminal.screen());
    assert_eq!(scene.calls(), 1);
}

const LOCAL: &str = "enabled_tools: [fs_write, execute_command]\n";

fn local() -> Answer {
    Answer::new().call("c1", "fs_write", &json!({"path": "note.txt", "content": "x"})).call(
        "c2",
        "execute_command",
        &json!({"command": "touch made"}),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn local_tools_that_change_something_wait_for_a_yes_and_always_is_not_kept_for_commands() {
    let scene = Scene::new(shelf(), LOCAL, vec![local(), done(), local(), done(), local(), done()]).await;
    let there = |name: &str| scene.host.path("project").join(name).exists();
    let (terminal, _) = answered(&scene, "n\r");
    insta::assert_snapshot!("asked_about_local_tools", still(&terminal.snapshot()));
    assert!(!there("note.txt") && !there("made"));
    answered(&scene, "a\r");
    assert!(there("note.txt") && there("made"));
    std::fs::remove_file(scene.host.path("project/made")).unwrap();
    let (terminal, _) = answered(&scene, "n\r");
    assert!(!there("made") && !terminal.screen().contains("1. fs_write"), "{}", terminal.screen());
}

#[tokio::test(flavor = "multi_thread")]
async fn with_yes_nothing_is_asked_at_a_terminal_either() {
    let scene = Scene::new(shelf(), LOCAL, vec![local(), done()]).await;
    let terminal = Terminal::open(&scene.host, &["--yes", "go"], (80, 30)).unwrap();
    assert_eq!(terminal.status().unwrap(), 0);
    assert!(!terminal.screen().contains(ASKED), "{}", terminal.screen());
    assert!(scene.host.path("project/note.txt").exists() && scene.host.path("project/made").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_terminal_local_tools_are_refused() {
    let scene = Scene::new(shelf(), LOCAL, vec![local(), done()]).await;
    crate::machine::ends(&scene.host, 0, &["go"]).await;
    assert!(scene.results().iter().all(|result| result.contains("\"code\":\"denied\"")), "{:?}", scene.results());
    assert!(!scene.host.path("project/note.txt").exists() && !scene.host.path("project/made").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_runs_is_a_line_that_turns_and_its_progress_a_bar() {
    let mut script = shelf();
    script["rules"] = json!([{"on": "tools/call", "reply": "nothing",
        "before": [{"progress": {"progress": 1, "total": 4, "message": "a quarter \u{1b}[2J"}}]}]);
    let scene = Scene::new(script, "mcp_approval: never\n", vec![add()]).await;
    let terminal = scene.open(80);
    terminal.until_shown("25%").unwrap();
    insta::assert_snapshot!("progress", still(&terminal.snapshot()));
    terminal.press("\u{3}").unwrap();
    assert_eq!(terminal.status().unwrap(), 130);
    insta::assert_snapshot!("progress_stopped", still(&terminal.snapshot()));
    assert_eq!(scene.host.received("docs", "notifications/cancelled").unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_waits_is_a_line_that_turns_with_the_models_name() {
    let silent = Answer::text("Never.").ending(0, acceptance::model_server::Ending::Silence);
    let scene = Scene::new(shelf(), "", vec![silent]).await;
    let terminal = scene.open(80);
    terminal.until_shown("stand-in:m answers").unwrap();
    insta::assert_snapshot!("waiting", still(&terminal.snapshot()));
    terminal.press("\u{3}").unwrap();
    assert_eq!(terminal.status().unwrap(), 130);
}

const REPLY: &str = "# Books\n\nThere is **one** book and a \u{1b}]52;c;aGk=\u{7}\u{1b}[2J\u{202e}trap:\n\n| Title | Pages |\n|---|--:|\n\
                     | Book one | 38 |\n\n```rust\nfn main() {}\n```\n\n- see [it](https://example.org/one)\n";

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_is_markdown_in_colours_and_cannot_change_the_terminal() {
    let scene = Scene::new(shelf(), "wrap: auto\n", vec![Answer::text(REPLY).in_pieces(), Answer::text(REPLY)]).await;
    for columns in [60, 120] {
        let terminal = scene.open(columns);
        assert_eq!(terminal.status().unwrap(), 0);
        insta::assert_snapshot!(format!("reply_at_{columns}"), still(&terminal.snapshot()));
        let cells = terminal.cells();
        let title = cells.cell(0, 0).unwrap();
        assert!(title.contents() == "B" && title.bold() && title.fgcolor() != vt100::Color::Default);
        assert!(!terminal.written().contains("\x1b]52"), "the clipboard was written");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_color_shows_the_text_as_it_was_written_and_escaped() {
    let mut scene = Scene::new(shelf(), "", vec![Answer::text(REPLY)]).await;
    scene.host.env("NO_COLOR", "1");
    let terminal = Terminal::open(&scene.host, &["go"], (80, 30)).unwrap();
    assert_eq!(terminal.status().unwrap(), 0);
    insta::assert_snapshot!("no_color", still(&terminal.snapshot()));
}
