//! What a role is read as, and the messages it makes.

use super::*;
use crate::config::{Chosen, ProcessEnv};

fn facts() -> Facts {
    let [os, shell, now, cwd, arch, locale] = ["linux", "fish", "noon", "/src", "x86_64", "de_DE"].map(str::to_owned);
    Facts { os, shell, now, cwd, arch, locale }
}

fn messages(prompt: &str, input: &str) -> Vec<Message> {
    Role::temporary(prompt).messages(&facts(), vec![Part::Text(input.to_owned())])
}

fn parse(text: &str) -> Result<(Role, Vec<Warning>), RoleFault> {
    Role::parse("reviewer", text, Path::new("reviewer.md"))
}

#[test]
fn a_role_is_front_matter_and_a_text() {
    let text = "---\nmodel: ollama:llama3.1\ntemperature: 0.1\nenabled_tools: fs\nenabled_mcp_servers: null\n---\nBe brief.\n\n---\n";
    let (role, warnings) = parse(text).unwrap();
    assert_eq!((role.prompt.as_str(), warnings.len()), ("Be brief.\n\n---", 0));
    assert_eq!(role.settings.model.as_deref(), Some("ollama:llama3.1"));
    assert_eq!(role.settings.temperature, Some(0.1));
    assert_eq!(role.settings.enabled_tools, Chosen::of("fs"));
    assert_eq!(role.settings.enabled_mcp_servers, Chosen::Null);
}

#[test]
fn a_text_without_front_matter_is_the_whole_role() {
    assert_eq!(parse("Translate:\n__INPUT__\n").unwrap().0.prompt, "Translate:\n__INPUT__");
    let rule = "---\nA rule of Markdown begins this role.\n";
    assert_eq!(parse(rule).unwrap().0.prompt, rule.trim());
    assert_eq!(parse("---\n---\nText").unwrap().0, Role { name: "reviewer".to_owned(), ..Role::temporary("Text") });
}

#[test]
fn a_wrong_or_unknown_key_of_a_role_is_a_warning_and_the_rest_counts() {
    let (role, warnings) = parse("---\ntemperature: hot\nstream: false\ntop_p: 0.5\n---\nText").unwrap();
    assert_eq!(role.settings.top_p, Some(0.5));
    let told: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn front_matter_that_does_not_parse_is_shown_with_file_and_line() {
    let fault = parse("---\nmodel: [broken\n---\nA role.\n").unwrap_err();
    insta::assert_snapshot!(format!("{fault}\n{}", fault.hint()));
    assert!(matches!(parse("---\n- a\n---\n"), Err(RoleFault::FrontMatter { .. })));
}

#[test]
fn an_unknown_role_names_the_closest_and_a_path_is_no_name() {
    let dir = tempfile::tempdir().unwrap();
    let mut environment = Environment::new(ProcessEnv::of(&[("COYOTE_CONFIG_DIR", dir.path().to_str().unwrap())]));
    let paths =
        Paths::find(&mut environment, Some(&crate::config::PlatformDirs { config: "/c".into(), cache: "/k".into() }));
    let paths = paths.unwrap();
    assert_eq!(Role::names(&paths), [""; 0]);
    std::fs::create_dir(&paths.roles_dir).unwrap();
    for (file, text) in [("reviewer.md", "Review."), ("translate.md", "x"), ("notes.txt", "x"), (".hidden.md", "x")] {
        std::fs::write(paths.roles_dir.join(file), text).unwrap();
    }
    std::fs::write(dir.path().join("secret.md"), "outside").unwrap();
    assert_eq!(Role::names(&paths), ["reviewer", "translate"]);
    assert_eq!(Role::load(&paths, "reviewer").unwrap().0.prompt, "Review.");
    let fault = Role::load(&paths, "reviwer").unwrap_err().to_string();
    insta::assert_snapshot!(fault.replace(dir.path().to_str().unwrap(), "DIR"));
    for outside in ["../secret", "", ".hidden"] {
        assert!(matches!(Role::load(&paths, outside), Err(RoleFault::Unknown { .. })), "{outside}");
    }
}

#[test]
fn a_role_is_the_system_message_and_no_role_is_none() {
    let user = Message::user("hello");
    assert_eq!(
        messages("Be brief on {{__os__}}.", "hello"),
        [Message::System("Be brief on linux.".to_owned()), user.clone()]
    );
    assert_eq!(messages("", "hello"), [user]);
}

#[test]
fn the_users_text_stands_where_the_role_says_and_nothing_in_it_is_filled_in() {
    let made = messages("Translate on {{__shell__}}: __INPUT__", "{{__cwd__}} __INPUT__");
    assert_eq!(made, [Message::user("Translate on fish: {{__cwd__}} __INPUT__")]);
}

#[test]
fn pictures_follow_the_embedded_text() {
    let image = Part::Image { mime: "image/png".to_owned(), data: String::new(), name: "a.png".to_owned() };
    let input = vec![image.clone(), Part::Text("one".to_owned()), Part::Text("two".to_owned())];
    let made = Role::temporary("See: __INPUT__").messages(&facts(), input);
    assert_eq!(made, [Message::User(vec![Part::Text("See: one\ntwo".to_owned()), image])]);
}

#[test]
fn examples_become_messages_of_both_sides() {
    let prompt = "Answer in one word.\n### INPUT:\nsky\n### OUTPUT:\nblue\n### INPUT:\ngrass\n### OUTPUT:\ngreen\n";
    let assistant = |text: &str| Message::Assistant { text: text.to_owned(), calls: Vec::new() };
    let expected = [
        Message::System("Answer in one word.".to_owned()),
        Message::user("sky"),
        assistant("blue"),
        Message::user("grass"),
        assistant("green"),
        Message::user("coal"),
    ];
    assert_eq!(messages(prompt, "coal"), expected);
    let half = "Say.\n### INPUT:\nsky";
    assert_eq!(messages(half, "x"), [Message::System(half.to_owned()), Message::user("x")]);
}

#[test]
fn all_six_facts_are_filled_in_and_other_braces_are_text() {
    let text = "{{__os__}} {{__shell__}} {{__now__}} {{__cwd__}} {{__arch__}} {{ __locale__ }} {{NAME}} {{__x__}}";
    assert_eq!(facts().fill(text), "linux fish noon /src x86_64 de_DE {{NAME}} {{__x__}}");
}

#[test]
fn facts_come_from_the_environment() {
    let environment = ProcessEnv::of(&[("SHELL", "/usr/bin/zsh"), ("LANG", "fr_FR.UTF-8"), ("LC_ALL", "")]);
    let facts = Facts::gather(&Environment::new(environment));
    assert_eq!(facts.locale, "fr_FR");
    if cfg!(unix) {
        assert_eq!(facts.shell, "zsh");
    }
    assert_eq!(facts.os, std::env::consts::OS);
}
