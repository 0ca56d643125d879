//! What the REPL keeps and takes from files: its history, macros, a workspace's macros, an agent's sessions (S47, R5).

use super::{WIDE, machine, opened, talking};
use acceptance::{
    host::is_running,
    model_server::{Answer, Api, ModelServer},
    terminal::Terminal,
};
use std::{fs, os::unix::fs::PermissionsExt, time::Duration};

#[test]
fn the_history_is_its_users_alone_s47() {
    let host = machine();
    let terminal = opened(&host, WIDE);
    terminal.enter(".help model").unwrap();
    terminal.until_shown("Show the model").unwrap();
    terminal.until_idle().unwrap();
    terminal.leave().unwrap();
    let mode = |path: &str| fs::metadata(host.path(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("cache/repl-history/default"), mode("cache/repl-history")), (0o600, 0o700));
    assert!(fs::read_to_string(host.path("cache/repl-history/default")).unwrap().contains(".help model"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_macro_runs_its_steps_in_the_conversation_and_a_commands_name_wins_r5() {
    let (host, model) = (
        machine(),
        ModelServer::start(Api::OpenAi, vec![Answer::text("Little."), Answer::text("Much.")]).await.unwrap(),
    );
    host.write("config/config.yaml", &model.config_yaml()).unwrap();
    host.write("config/roles/reviewer.md", "You review.").unwrap();
    let standup = "variables: [{name: topic, rest: true}]\nsteps: [.role reviewer, 'What of {{topic}}?']\n";
    host.write("config/macros/standup.yaml", standup).unwrap();
    host.write("config/macros/role.yaml", "steps: [from the macro]\n").unwrap();
    let terminal = opened(&host, WIDE);
    assert!(terminal.everything().contains("The macro `role` is shadowed by the command `.role`"));
    terminal.enter(".standup the parser").unwrap();
    terminal.until_shown("Little.").unwrap();
    terminal.until("the role in the prompt", |screen| screen.ends_with("\nreviewer >")).unwrap();
    let screen = terminal.screen();
    assert!(screen.contains("\n> .role reviewer\n> What of the parser?\n"), "{screen}");
    assert_eq!(model.requests()[0].system().as_deref(), Some("You review."));
    terminal.enter(".macro role").unwrap();
    terminal.until_shown("Much.").unwrap();
    terminal.until_idle().unwrap();
    assert_eq!(model.requests()[1].roles(), ["system", "user", "assistant", "user"]);
    terminal.enter(".macro standpu").unwrap();
    terminal.until_shown("Did you mean `standup`?").unwrap();
    terminal.leave().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_workspaces_macros_are_asked_about_before_the_repl_opens_and_a_no_keeps_them_away() {
    let (host, model, terminal) = talking(vec![Answer::text("Theirs ran.")], WIDE).await;
    terminal.leave().unwrap();
    host.write("project/.coyote/macros/theirs.yaml", "steps: [hello, \"!touch made\\e[2J\"]\n").unwrap();
    let asked = || {
        let terminal = Terminal::open(&host, &[], WIDE).unwrap();
        let screen = terminal.until_shown("Trust these macros? [y/N]").unwrap();
        assert!(screen.contains("  macro  .theirs") && screen.contains("  step   \"hello\""), "{screen}");
        assert!(screen.contains("  step   \"!touch made\\u001b[2J\""), "a step cannot write to the terminal: {screen}");
        terminal
    };
    let terminal = asked();
    terminal.press("\r").unwrap();
    terminal.until_shown("The workspace's macros are not used").unwrap();
    terminal.until_idle().unwrap();
    terminal.enter(".theirs").unwrap();
    terminal.until_shown("There is no command").unwrap();
    terminal.until_idle().unwrap();
    terminal.leave().unwrap();
    assert!(model.requests().is_empty());

    let terminal = asked();
    terminal.press("y\r").unwrap();
    terminal.until_shown("`.help` shows").unwrap();
    terminal.until_idle().unwrap();
    terminal.leave().unwrap();
    // Trusted as it is: nothing is asked until it is another one.
    let terminal = opened(&host, WIDE);
    assert!(!terminal.everything().contains("Trust these macros?"));
    terminal.leave().unwrap();
    host.write("project/.coyote/macros/theirs.yaml", "steps: [hello]\n").unwrap();
    let terminal = Terminal::open(&host, &[], WIDE).unwrap();
    terminal.until_shown("(changed since you trusted it)").unwrap();
    terminal.until_shown("Trust these macros? [y/N]").unwrap();
    terminal.press("y\r").unwrap();
    terminal.until_idle().unwrap();
    // Behind `.macro` all are offered that it runs, by name.
    host.write("config/macros/own.yaml", "steps: [hello]\n").unwrap();
    host.write("config/macros/broken.yaml", "steps: 1\n").unwrap();
    terminal.press(".macro \t").unwrap();
    terminal.until("both", |screen| screen.contains("\nown") && screen.contains("\ntheirs")).unwrap();
    assert!(!terminal.screen().contains("\nbroken"), "{}", terminal.screen());
    terminal.press("\u{3}").unwrap();
    terminal.until("an empty prompt", |screen| screen.ends_with("\n>")).unwrap();
    terminal.press(".macro th\t").unwrap();
    terminal.until("the workspace's", |screen| screen.ends_with("> .macro theirs")).unwrap();
    terminal.press("\r").unwrap();
    terminal.until_shown("Theirs ran.").unwrap();
    terminal.until_idle().unwrap();
    terminal.leave().unwrap();
}

#[test]
fn a_macro_file_with_a_name_that_cannot_be_typed_or_a_variable_it_has_not_is_named_with_what_is_accepted() {
    let host = machine();
    host.write("config/macros/my macro.yaml", "steps: [hello]\n").unwrap();
    host.write("config/macros/typo.yaml", "variables: [{name: topic}]\nsteps:\n- What of {{topci}}?\n").unwrap();
    let terminal = opened(&host, WIDE);
    let told = terminal.everything().replace('\n', " ");
    assert!(told.contains("my macro.yaml` is no macro; accepted is a name of one word without blanks"), "{told}");
    assert!(told.contains("line 3: step 1 holds `{{topci}}`"), "{told}");
    assert!(told.contains("its variables are `topic`"), "{told}");
    terminal.leave().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn with_an_agent_tab_behind_session_offers_the_agents_sessions() {
    let (host, model) = (machine(), ModelServer::start(Api::OpenAi, vec![]).await.unwrap());
    host.write("config/config.yaml", &model.config_yaml()).unwrap();
    host.write("config/agents/lead/config.yaml", "instructions: You lead.\n").unwrap();
    host.write("config/agents/lead/sessions/plan.yaml", "model: stand-in:m\nmessages: []\n").unwrap();
    host.write("config/sessions/groceries.yaml", "model: stand-in:m\nmessages: []\n").unwrap();
    let terminal = opened(&host, WIDE);
    terminal.press(".session \t").unwrap();
    terminal.until_shown("> .session groceries").unwrap();
    terminal.press("\u{3}").unwrap();
    terminal.until("an empty prompt", |screen| screen.ends_with("\n>")).unwrap();
    terminal.enter(".agent lead").unwrap();
    terminal.until("the agent in the prompt", |screen| screen.ends_with("\nlead >")).unwrap();
    terminal.press(".session \t").unwrap();
    terminal.until_shown("lead > .session plan").unwrap();
    terminal.press("\u{3}").unwrap();
    terminal.until("an empty prompt", |screen| screen.ends_with("\nlead >")).unwrap();
    terminal.enter(".list sessions").unwrap();
    let screen =
        terminal.until("the list", |screen| screen.ends_with("\nlead >") && screen.contains("\nplan")).unwrap();
    assert!(!screen.split_once(".list sessions").unwrap().1.contains("groceries"), "{screen}");
    terminal.leave().unwrap();
}

// What a user must be able to rely on: a kill costs the turn in flight and nothing else.
#[tokio::test(flavor = "multi_thread")]
async fn a_kill_in_the_middle_of_a_turn_loses_that_turn_alone() {
    let slow = Answer::text("never whole, never whole").in_pieces().slow(Duration::from_mins(10));
    let answers = vec![Answer::text("One."), Answer::text("Two."), slow, Answer::text("Four.")];
    let (host, model, terminal) = talking(answers, WIDE).await;
    let file = || fs::read_to_string(host.path("config/sessions/work.yaml")).unwrap();
    terminal.enter(".session work").unwrap();
    terminal.until("the session in the prompt", |screen| screen.ends_with("\nwork >")).unwrap();
    for (line, answer) in [("first", "One."), ("second", "Two.")] {
        terminal.enter(line).unwrap();
        terminal.until_shown(answer).unwrap();
        terminal.until_idle().unwrap();
    }
    let before = file();
    assert!(before.contains("Two."), "{before}");
    terminal.enter("third").unwrap();
    while model.requests().len() < 3 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let pid = terminal.pid();
    std::process::Command::new("kill").arg("-KILL").arg(pid.to_string()).status().unwrap();
    while is_running(pid.try_into().unwrap()) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(file(), before);

    let terminal = Terminal::open(&host, &["--session", "work"], WIDE).unwrap();
    terminal.until("the prompt of the session", |screen| screen.ends_with("\nwork >")).unwrap();
    terminal.until_shown("Two.").unwrap();
    assert!(!terminal.everything().contains("read-only"), "the lock went with its process");
    terminal.enter("fourth").unwrap();
    terminal.until_shown("Four.").unwrap();
    terminal.until_idle().unwrap();
    assert_eq!(model.requests()[3].roles(), ["user", "assistant", "user", "assistant", "user"]);
    let text = file();
    assert!(text.contains("first") && text.contains("fourth") && !text.contains("third"), "{text}");
    terminal.leave().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_takes_over_what_was_said_shows_none_of_it_again_and_one_from_a_file_does() {
    let (host, _model, terminal) = talking(vec![Answer::text("Blue."), Answer::text("Green.")], WIDE).await;
    terminal.enter("which colour").unwrap();
    terminal.until_shown("Blue.").unwrap();
    terminal.until_idle().unwrap();
    terminal.enter(".session sky").unwrap();
    terminal.until("the session in the prompt", |screen| screen.ends_with("\nsky >")).unwrap();
    terminal.until_idle().unwrap();
    assert_eq!(terminal.everything().matches("Blue.").count(), 1, "{}", terminal.everything());
    terminal.enter("and the grass").unwrap();
    terminal.until_shown("Green.").unwrap();
    terminal.until_idle().unwrap();
    assert!(fs::read_to_string(host.path("config/sessions/sky.yaml")).unwrap().contains("Blue."));
    terminal.enter(".exit session").unwrap();
    terminal.until("no session", |screen| screen.ends_with("\n>")).unwrap();
    terminal.enter(".session sky").unwrap();
    terminal.until("the session in the prompt", |screen| screen.ends_with("\nsky >")).unwrap();
    terminal.until_idle().unwrap();
    assert_eq!(terminal.everything().matches("Green.").count(), 2, "{}", terminal.everything());
    terminal.leave().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_macro_that_is_written_while_the_repl_is_open_is_there_at_once() {
    let (host, model, terminal) = talking(vec![Answer::text("One."), Answer::text("Two.")], WIDE).await;
    terminal.enter(".late").unwrap();
    terminal.until_shown("There is no command `.late`").unwrap();
    host.write("config/macros/late.yaml", "description: Comes late\nsteps: [first]\n").unwrap();
    terminal.enter(".list macros").unwrap();
    terminal.until_shown("Comes late").unwrap();
    terminal.until_idle().unwrap();
    terminal.press(".la\t").unwrap();
    terminal.until("the macro's name", |screen| screen.ends_with("> .late")).unwrap();
    terminal.press("\r").unwrap();
    terminal.until_shown("One.").unwrap();
    terminal.until_idle().unwrap();
    host.write("config/macros/late.yaml", "steps: [changed by then]\n").unwrap();
    // Those of the workspace that nobody trusted stay away, which is told once; a file with a mistake is told, too.
    host.write("project/.coyote/macros/theirs.yaml", "steps: ['!touch made']\n").unwrap();
    host.write("config/macros/wrong.yaml", "steps: 1\n").unwrap();
    terminal.enter(".macro late").unwrap();
    terminal.until_shown("Two.").unwrap();
    terminal.until_idle().unwrap();
    terminal.enter(".theirs").unwrap();
    terminal.until_shown("There is no command `.theirs`").unwrap();
    terminal.until_idle().unwrap();
    let everything = terminal.everything();
    assert_eq!(everything.matches("have not trusted them as they are: `theirs`").count(), 1, "{everything}");
    assert!(everything.contains("wrong.yaml"), "{everything}");
    assert!(!host.path("project/made").exists());
    let said: Vec<String> = model.requests().iter().map(|request| request.body["messages"].to_string()).collect();
    assert!(said[0].contains("first") && said[1].contains("changed by then"), "{said:?}");
    terminal.leave().unwrap();
}
