//! Every message with names that mean harm: safe to show, bounded, and with a next step (S42, S46, C71).

use super::ReplError;
use crate::{ChatText, Question, prompt_info};
use mcp_catalog::{CatalogItem, Details, PromptArgument, ServerName};
use std::fmt::Write;

/// ESC, bidi, zero-width, newline, nothing, and 300 characters.
fn hostile() -> Vec<String> {
    let long = "long-".repeat(60);
    ["esc\u{1b}[2J", "bidi\u{202e}gnp", "zero\u{200b}width", "new\nline", "", &long].map(String::from).to_vec()
}

/// One of each.
fn every(name: &str) -> Vec<ReplError> {
    let (own, names) = (|| name.to_owned(), || vec![name.to_owned(), "plain".to_owned()]);
    let (server, prompt, word, key) = (own(), own(), own(), own());
    let unknown = |command| ReplError::UnknownServer { command, word: own(), closest: names(), servers: names() };
    vec![
        ReplError::OpenQuote { quote: '"', column: 7 },
        ReplError::NoServer { command: ".prompt", servers: names() },
        ReplError::NoServer { command: ".mcp enable", servers: Vec::new() },
        unknown(".prompt"),
        unknown(".mcp"),
        ReplError::Incomplete { command: ".prompt", server, what: "the name of a prompt", list: ".list prompts" },
        ReplError::Stray { word: own(), column: 9, instead: Some(format!("a='b {name}'")) },
        ReplError::Stray { word, column: 9, instead: None },
        ReplError::EmptyKey { column: 3 },
        ReplError::RepeatedKey { key },
        ReplError::UnknownKeys { prompt: own(), keys: names(), closest: Some(own()), declared: names() },
        ReplError::UnknownKeys { prompt: own(), keys: vec![own()], closest: None, declared: Vec::new() },
        ReplError::Missing { prompt: own(), missing: names() },
        ReplError::NotListed { server: own(), prompt: own(), closest: names() },
        ReplError::NotListed { server: own(), prompt, closest: Vec::new() },
    ]
}

fn safe(text: &str) -> &str {
    assert!(!text.replace('\n', "").chars().any(mcp_render::is_hidden), "{text:?}");
    text
}

#[test]
fn every_message_has_a_next_step_and_nothing_that_a_terminal_obeys_s46() {
    let mut page = String::new();
    for name in hostile() {
        for error in every(&name) {
            let (sentence, hint) = (error.to_string(), error.hint());
            assert!(!safe(&sentence).contains('\n') && !safe(&hint).contains('\n') && !hint.is_empty());
            assert!(sentence.chars().count() + hint.chars().count() < 600, "{sentence} {hint}");
            write!(page, "{sentence}\n    {hint}\n").unwrap();
        }
        page.push('\n');
    }
    insta::assert_snapshot!(page);
}

#[test]
fn questions_descriptions_and_echoes_hold_nothing_that_a_terminal_obeys_s46() {
    let mut page = String::new();
    for name in hostile() {
        let argument =
            PromptArgument { name: name.clone(), title: None, description: Some(name.clone()), required: true };
        let question = Question { argument: name.clone(), description: Some(name.clone()) };
        let item = CatalogItem {
            id: name.clone(),
            name: name.clone(),
            title: Some(name.clone()),
            description: Some(name.clone()),
            mime_type: None,
            size: None,
            audience: Vec::new(),
            annotations: None,
            details: Details::Prompt { arguments: vec![argument] },
        };
        let info = prompt_info(&ServerName::new("evil\u{1b}").unwrap(), &item);
        let echo = ChatText::typed(format!("[user]\n{name}")).echo();
        write!(page, "{}\n{}\n{}\n\n", safe(&question.to_string()), safe(&info), safe(&echo.to_string())).unwrap();
    }
    insta::assert_snapshot!(page);
}
