//! What stands on the screen after what is typed.

use super::{NARROW, WIDE, machine, opened, talking};
use acceptance::{model_server::Answer, terminal::Terminal};
use rstest::rstest;
use std::os::unix::fs::PermissionsExt;

#[rstest]
#[case::narrow(NARROW)]
#[case::wide(WIDE)]
fn with_nothing_configured_it_opens_with_help_typos_and_a_search(#[case] size: (u16, u16)) {
    let host = machine();
    let begun = std::time::Instant::now();
    let terminal = Terminal::open(&host, &[], size).unwrap();
    terminal.until("the prompt", |screen| screen.lines().last() == Some(">")).unwrap();
    let first = begun.elapsed();
    terminal.until("the banner", |screen| screen.contains("`.help` shows")).unwrap();
    println!("the first prompt stands {} ms after the start", first.as_millis());
    let columns = size.0;
    terminal.until_idle().unwrap();
    insta::assert_snapshot!(format!("opened_{columns}"), terminal.snapshot());
    terminal.enter(".help role").unwrap();
    terminal.until_shown("stays as it is").unwrap();
    terminal.enter(".hlep").unwrap();
    terminal.until_shown("There is no command").unwrap();
    terminal.enter(".copy").unwrap();
    terminal.until_shown("not valid here").unwrap();
    terminal.until_idle().unwrap();
    insta::assert_snapshot!(format!("help_typo_state_{columns}"), terminal.snapshot());
    terminal.enter(".exit").unwrap();
    assert_eq!(terminal.status().unwrap(), 0);
}

#[rstest]
#[case::narrow(NARROW)]
#[case::wide(WIDE)]
fn tab_offers_what_fits_and_a_lone_answer_is_taken(#[case] size: (u16, u16)) {
    let host = machine();
    host.write("config/roles/reviewer.md", "Review").unwrap();
    host.write("config/roles/poet.md", "Rhyme").unwrap();
    let terminal = opened(&host, size);
    terminal.press(".e\t").unwrap();
    terminal.until_shown("Leave the role").unwrap();
    let columns = size.0;
    insta::assert_snapshot!(format!("menu_of_commands_{columns}"), terminal.snapshot());
    terminal.press("\u{1b}").unwrap();
    terminal.until("no menu", |screen| screen.ends_with("> .e")).unwrap();
    terminal.press("\u{3}").unwrap();
    terminal.until_idle().unwrap();
    terminal.press(".role \t").unwrap();
    terminal.until("the roles", |screen| screen.contains("poet") && screen.contains("reviewer")).unwrap();
    terminal.press("rev").unwrap();
    terminal.until("one role", |screen| !screen.contains("poet")).unwrap();
    terminal.press("\r").unwrap();
    terminal.until_shown("> .role reviewer").unwrap();
    terminal.press("\r").unwrap();
    terminal.until("the prompt with the role", |screen| screen.lines().last() == Some("reviewer >")).unwrap();
    terminal.press(".exit ro\t").unwrap();
    terminal.until_shown(".exit role").unwrap();
    terminal.press("\r").unwrap();
    terminal.until("the prompt without it", |screen| screen.lines().last() == Some(">")).unwrap();
    terminal.press("\u{4}").unwrap();
    assert_eq!(terminal.status().unwrap(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_of_several_lines_are_said_whole_and_no_line_of_a_block_is_a_command() {
    let (host, model, terminal) = talking(vec![Answer::text("One."), Answer::text("Two.")], NARROW).await;
    terminal.press("first\nsecond").unwrap();
    terminal.until_shown("… second").unwrap();
    terminal.press("\r").unwrap();
    terminal.until_shown("One.").unwrap();
    terminal.until_idle().unwrap();
    for line in [":::", ".exit", "!touch ran", ":::"] {
        terminal.enter(line).unwrap();
    }
    terminal.until_shown("Two.").unwrap();
    terminal.until_idle().unwrap();
    insta::assert_snapshot!("several_lines_60", terminal.snapshot());
    let said: Vec<String> = model.requests().iter().map(|request| request.body["messages"].to_string()).collect();
    assert!(said[0].contains("first\\nsecond"), "{}", said[0]);
    assert!(said[1].contains(".exit\\n!touch ran"), "{}", said[1]);
    assert!(!host.path("project/ran").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn pasted_lines_wait_for_enter_and_two_dots_are_one() {
    let (_host, model, terminal) = talking(vec![Answer::text("Seen."), Answer::text("Dot.")], WIDE).await;
    terminal.press("\u{1b}[200~.exit\r!touch ran\r\u{1b}[201~").unwrap();
    terminal.until_shown("… !touch ran").unwrap();
    terminal.press("\u{3}").unwrap();
    terminal.until_idle().unwrap();
    terminal.enter("..exit is a command").unwrap();
    terminal.until_shown("Seen.").unwrap();
    assert!(model.requests()[0].body["messages"].to_string().contains("\".exit is a command\""));
}

#[test]
fn the_history_is_there_in_the_next_run_for_its_user_alone() {
    let host = machine();
    let terminal = opened(&host, NARROW);
    terminal.enter(".help model").unwrap();
    terminal.until_shown("Show the model").unwrap();
    terminal.enter(" .help set").unwrap();
    terminal.until_shown("Set a key").unwrap();
    terminal.enter(".exit").unwrap();
    assert_eq!(terminal.status().unwrap(), 0);
    let terminal = opened(&host, NARROW);
    terminal.press("\u{1b}[A").unwrap();
    terminal.until_shown("> .exit").unwrap();
    terminal.press("\u{1b}[A").unwrap();
    terminal.until_shown("> .help model").unwrap();
    let mode = |inside: &str| std::fs::metadata(host.path(inside)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("cache/repl-history"), mode("cache/repl-history/default")), (0o700, 0o600));
    assert!(!std::fs::read_to_string(host.path("cache/repl-history/default")).unwrap().contains("set"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shell_line_has_the_terminal_and_ctrl_c_is_its_own() {
    let (_host, _model, terminal) = talking(vec![], WIDE).await;
    terminal.enter("!read x; echo got $x").unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    terminal.press("hello\r").unwrap();
    terminal.until_shown("got hello").unwrap();
    terminal.until_idle().unwrap();
    terminal.enter("!exec sleep 100").unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    terminal.press("\u{3}").unwrap();
    terminal.until_shown("signal: 2").unwrap();
    terminal.until_idle().unwrap();
    terminal.enter(".help exit").unwrap();
    terminal.until_shown("Leave the role").unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_change_what_the_next_request_holds_and_the_clipboard_gets_the_answer() {
    let answers = vec![Answer::text("First answer."), Answer::text("Better answer."), Answer::text("More.")];
    let (host, model, terminal) = talking(answers, WIDE).await;
    host.write("project/notes.txt", "the notes").unwrap();
    host.write("config/roles/poet.md", "You are a poet").unwrap();
    for (line, shown) in [
        (".set temperature 0.25", ""),
        (".role poet", ""),
        (".file notes.txt -- don't summarise", "First answer."),
        (".regenerate", "Better answer."),
        (".copy", "14 characters"),
        (".continue", "More."),
        (".info", "temperature"),
        (".set temperature warm", "a number from 0"),
    ] {
        terminal.enter(line).unwrap();
        terminal.until_shown(shown).unwrap();
        terminal.until_idle().unwrap();
    }
    insta::assert_snapshot!("commands_120", terminal.snapshot());
    let body = &model.requests()[0].body;
    assert_eq!(body["temperature"], 0.25);
    let messages = body["messages"].to_string();
    assert!(
        messages.contains("You are a poet") && messages.contains("the notes") && messages.contains("don't summarise")
    );
    // Base64 of the answer.
    assert_eq!(terminal.noticed(|noticed| noticed.clipboard.clone()), ["QmV0dGVyIGFuc3dlci4="]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_kept_emptied_resumed_and_left() {
    let (host, model, terminal) = talking(vec![Answer::text("Blue."), Answer::text("Still blue.")], WIDE).await;
    terminal.enter(".empty session").unwrap();
    terminal.until_shown("no session is open").unwrap();
    terminal.enter(".session sky").unwrap();
    terminal.until("the session in the prompt", |screen| screen.ends_with("sky >")).unwrap();
    terminal.enter("which colour").unwrap();
    terminal.until_shown("Blue.").unwrap();
    terminal.until_idle().unwrap();
    assert!(std::fs::read_to_string(host.path("config/sessions/sky.yaml")).unwrap().contains("Blue."));
    terminal.enter(".exit").unwrap();
    assert_eq!(terminal.status().unwrap(), 0);
    let terminal = Terminal::open(&host, &["--session", "sky"], WIDE).unwrap();
    terminal.until_idle().unwrap();
    terminal.enter(".info session").unwrap();
    terminal.until_shown("messages").unwrap();
    terminal.until_idle().unwrap();
    insta::assert_snapshot!("resumed_120", terminal.snapshot());
    terminal.enter("and now").unwrap();
    terminal.until_shown("Still blue.").unwrap();
    assert!(model.requests()[1].body["messages"].to_string().contains("which colour"));
    terminal.until_idle().unwrap();
    terminal.enter(".exit session").unwrap();
    terminal.until("no session", |screen| screen.lines().last() == Some(">")).unwrap();
}

#[test]
fn files_are_edited_in_the_users_editor_and_read_again() {
    let mut host = machine();
    host.write("bin/edit", "#!/bin/sh\nprintf 'temperature: 0.75\\n' > \"$1\"\n").unwrap();
    std::process::Command::new("chmod").arg("+x").arg(host.path("bin/edit")).status().unwrap();
    let editor = host.path("bin/edit").display().to_string();
    host.env("EDITOR", &editor);
    let terminal = opened(&host, WIDE);
    terminal.enter(".edit config").unwrap();
    terminal.until_idle().unwrap();
    terminal.enter(".info").unwrap();
    terminal.until_shown("0.75").unwrap();
    terminal.until_idle().unwrap();
    terminal.enter(".edit role").unwrap();
    terminal.until_shown("no role is in use").unwrap();
    // Ctrl-O edits what is being typed.
    terminal.press("abc\u{f}").unwrap();
    terminal.until_shown("> temperature: 0.75").unwrap();
}

#[test]
fn without_colours_there_are_none() {
    let mut host = machine();
    host.env("NO_COLOR", "1");
    let terminal = opened(&host, NARROW);
    terminal.press(".help").unwrap();
    terminal.until_shown("> .help").unwrap();
    assert!(!terminal.has_colour());
    terminal.press("\r").unwrap();
    terminal.until_idle().unwrap();
    assert!(!terminal.has_colour());
    let terminal = opened(&machine(), NARROW);
    assert!(terminal.has_colour(), "the prompt is green");
}

#[test]
fn the_prompt_is_as_the_template_says_and_a_mistake_in_it_is_told() {
    let host = machine();
    host.write("config/config.yaml", "left_prompt: '[{model}{?role /{role}}] {nonsense}> '\nkeybindings: vi\n")
        .unwrap();
    let terminal = Terminal::open(&host, &["--temp-role", "x"], WIDE).unwrap();
    terminal.until("the prompt", |screen| screen.ends_with("[offline/temporary] {nonsense}>")).unwrap();
    terminal.until_shown("holds `{nonsense}`").unwrap();
    terminal.press("one two").unwrap();
    terminal.until_shown("> one two").unwrap();
    terminal.press("\u{1b}").unwrap();
    terminal.until_shown("> : one two").unwrap();
    terminal.press("0dwi").unwrap();
    terminal.until("vi's own keys", |screen| screen.ends_with("> two")).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lone_exit_is_said_and_told_how_to_leave() {
    let (_host, model, terminal) = talking(vec![Answer::text("Good bye?"), Answer::text("Exits are.")], WIDE).await;
    terminal.enter("exit").unwrap();
    terminal.until_shown("`.exit` or Ctrl-D leaves coyote").unwrap();
    terminal.until_shown("Good bye?").unwrap();
    terminal.until_idle().unwrap();
    terminal.enter("exit codes").unwrap();
    terminal.until_shown("Exits are.").unwrap();
    terminal.until_idle().unwrap();
    assert_eq!(terminal.everything().matches("leaves coyote").count(), 1);
    assert_eq!(model.requests().len(), 2);
    terminal.leave().unwrap();
}

#[test]
fn without_any_editor_that_is_what_is_told_and_one_that_is_missing_is_named() {
    let mut host = machine();
    std::fs::create_dir(host.path("empty")).unwrap();
    let empty = host.path("empty").display().to_string();
    host.env("PATH", &empty);
    let terminal = opened(&host, WIDE);
    terminal.enter(".edit config").unwrap();
    terminal.until_shown("There is no editor").unwrap();
    terminal.until_shown("VISUAL or EDITOR").unwrap();
    terminal.leave().unwrap();
    host.env("VISUAL", "no-such-editor --wait");
    let terminal = opened(&host, WIDE);
    terminal.enter(".edit config").unwrap();
    terminal.until_shown("The editor `no-such-editor` could not be started").unwrap();
    terminal.until_idle().unwrap();
    terminal.leave().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn how_answers_look_and_come_is_set_at_once() {
    let long = "A sentence of words that is longer than forty columns are wide, and some.";
    let code = "```rust\nfn main() {}\n```\n";
    let answers = [long, long, code, code].map(Answer::text);
    let (_host, model, terminal) = talking(answers.to_vec(), WIDE).await;
    let say = |line: &str, shown: &str| {
        let before = terminal.everything().matches(shown).count();
        terminal.enter(line).unwrap();
        terminal.until(shown, |_| terminal.everything().matches(shown).count() > before).unwrap();
        terminal.until_idle().unwrap();
    };
    let colours = |row: &str| {
        let cells = terminal.cells();
        let at = terminal.screen().lines().collect::<Vec<_>>().iter().rposition(|line| line.contains(row)).unwrap();
        let at = u16::try_from(at).unwrap();
        let colours = (0..20).filter_map(|column| cells.cell(at, column).map(vt100::Cell::fgcolor));
        colours.fold(Vec::new(), |mut all, colour| {
            if !all.contains(&colour) {
                all.push(colour);
            }
            all
        })
    };
    say("one", "than forty columns are wide");
    say(".set wrap 40", ">");
    say("two", "forty columns are wide");
    assert!(terminal.screen().lines().all(|line| !line.starts_with("A sentence") || line.len() <= 75));
    assert!(terminal.screen().lines().any(|line| line.starts_with("A sentence") && line.len() <= 40));
    say("three", "fn main() {}");
    assert!(colours("fn main() {}").len() > 2, "{:?}", colours("fn main() {}"));
    say(".set highlight false", ">");
    say(".set stream false", ">");
    terminal.press(".help").unwrap();
    terminal.until_shown("> .help").unwrap();
    assert_eq!(colours("> .help").len(), 2, "the prompt and what is typed");
    terminal.press("\u{3}").unwrap();
    terminal.until("an empty prompt", |screen| screen.ends_with("\n>")).unwrap();
    say("four", "fn main() {}");
    assert!(colours("fn main() {}").len() <= 2, "{:?}", colours("fn main() {}"));
    assert_eq!(
        model.requests().iter().map(acceptance::model_server::Request::streamed).collect::<Vec<_>>(),
        [true, true, true, false]
    );
    terminal.leave().unwrap();
}

#[test]
fn json_of_the_offline_model_keeps_its_indents() {
    let terminal = opened(&machine(), (WIDE.0, 60));
    terminal.enter("describe prompt add-server").unwrap();
    terminal.until_shown("\n  \"arguments\": [\n    {\n").unwrap();
    terminal.until_idle().unwrap();
    terminal.enter("hello").unwrap();
    terminal.until_shown("Declared functions").unwrap();
    terminal.until_idle().unwrap();
    let shown = terminal.everything();
    let shown = shown.split_once("> describe").unwrap().1;
    insta::assert_snapshot!("offline_120", shown);
    terminal.leave().unwrap();
}
