//! Sentence and hint of every failure, each pinned (S19, S39).

use super::*;
use crate::{Answer, ParameterType};
use mcp_catalog::TemplateError;
use mcp_render::{Ceiling, FilterError, json_len};
use std::fmt::Write;

fn server() -> ServerName {
    ServerName::new("docs").unwrap()
}

/// Every failure there is.
fn failures() -> Vec<MetaError> {
    [of_ports(), of_lookups(), of_arguments(), of_values()].concat()
}

/// One of every error that a port can give.
fn of_ports() -> Vec<MetaError> {
    let port = |verb, source| MetaError::Port { server: server(), verb, source };
    let cause = || "`notes-server`: No such file or directory (os error 2)".to_owned();
    let after = Duration::from_mins(1);
    vec![
        port(Verb::Search, PortError::SpawnFailed { cause: cause() }),
        port(Verb::Search, PortError::HandshakeFailed { cause: "no answer in 30 s".to_owned() }),
        port(Verb::Read, PortError::AuthRequired),
        port(Verb::Search, PortError::Timeout { method: "tools/list", after }),
        port(Verb::Read, PortError::Timeout { method: "resources/read", after }),
        port(Verb::Invoke, PortError::Cancelled),
        port(Verb::Invoke, PortError::ConnectionClosed { retry_in: None }),
        port(Verb::Invoke, PortError::ConnectionClosed { retry_in: Some(Duration::from_secs(8)) }),
        port(Verb::Read, PortError::FrameTooLarge { limit: mcp_render::FRAME_MAX_BYTES }),
        port(Verb::Read, PortError::Protocol { cause: "the reply is no JSON".to_owned() }),
        port(Verb::Read, PortError::InvalidResponse { cause: "the result has no `contents`".to_owned() }),
        port(Verb::Invoke, PortError::InputRequired { question: "Which account?".to_owned() }),
        port(Verb::Read, PortError::Server { code: -32603, message: "disk is on fire".to_owned() }),
        port(Verb::Invoke, PortError::Server { code: -32602, message: "`n` must be a number".to_owned() }),
        port(Verb::Prompt, PortError::Server { code: -32602, message: "missing `topic`".to_owned() }),
        port(Verb::Invoke, PortError::Server { code: -32601, message: "Method not found".to_owned() }),
        port(Verb::Read, PortError::Unsupported { cause: "An entry of type `sse` is not supported".to_owned() }),
    ]
}

/// What is not there, or not to be had.
fn of_lookups() -> Vec<MetaError> {
    vec![
        MetaError::NoServer { server: server(), closest: vec!["doc".to_owned()] },
        MetaError::NotDeclared { server: server(), kind: CatalogKind::Resource },
        MetaError::NotFound {
            server: server(),
            what: "resource",
            id: "log://bog".to_owned(),
            closest: vec!["log://big".to_owned()],
            said: Some("it answered: no such log".to_owned()),
        },
        MetaError::NotFound { server: server(), what: "tool", id: "ehco".to_owned(), closest: vec![], said: None },
        MetaError::NoSpill { server: server(), sha256: "0".repeat(64) },
        MetaError::Lost { server: server() },
        MetaError::Denied { server: server(), tool: "delete_all".to_owned() },
    ]
}

/// Parameters that are missing or wrong.
fn of_arguments() -> Vec<MetaError> {
    vec![
        MetaError::SpillId { parameter: "uri", given: "spill:abc".to_owned() },
        MetaError::NoArguments { verb: Verb::Search, given: "an array" },
        MetaError::MissingParameter { verb: Verb::Describe, parameter: "tool", empty: false },
        MetaError::MissingParameter { verb: Verb::Prompt, parameter: "prompt", empty: true },
        MetaError::WrongType {
            verb: Verb::Invoke,
            parameter: "arguments",
            given: "an array ([1])".to_owned(),
            accepted: ParameterType::Object,
        },
        MetaError::NoChoice { parameter: "kind", given: "tools".to_owned(), choices: &["tool", "prompt"] },
        MetaError::Misplaced { parameter: "offset" },
        MetaError::Pattern { source: FilterError { sentence: "`pattern` is no regular expression: …".to_owned() } },
    ]
}

/// Values of templates, pages and prompts that are missing or wrong.
fn of_values() -> Vec<MetaError> {
    vec![
        MetaError::Template {
            source: TemplateError {
                sentence: "No value for `id` (`m://{id}`)".to_owned(),
                hint: "Give `arguments`".to_owned(),
            },
        },
        MetaError::TemplateUnfilled { uri: "m://{id}".to_owned(), variables_of: vec![("id".to_owned(), true)] },
        MetaError::TemplateUnfilled {
            uri: "m://{id}{?q}".to_owned(),
            variables_of: vec![("id".to_owned(), true), ("q".to_owned(), false)],
        },
        MetaError::Page { source: RenderError::ItemOutOfRange { given: 3, count: 2 } },
        MetaError::NoStrings { prompt: "wins".to_owned(), keys: vec!["tags".to_owned()] },
        MetaError::UnknownPromptArguments {
            prompt: "review".to_owned(),
            unknown: vec!["topc".to_owned()],
            declared: vec!["topic".to_owned(), "depth".to_owned()],
        },
        MetaError::UnknownPromptArguments {
            prompt: "daily".to_owned(),
            unknown: vec!["x".to_owned()],
            declared: vec![],
        },
        MetaError::MissingPromptArguments {
            prompt: "diff".to_owned(),
            missing: vec![("repo".to_owned(), Some("Which repository".to_owned())), ("branch".to_owned(), None)],
        },
    ]
}

#[test]
fn every_failure_has_its_sentence_and_a_next_step() {
    let mut table = String::new();
    for failure in failures() {
        let shape = failure.to_shape();
        let closest =
            if shape.closest.is_empty() { String::new() } else { format!(" (closest: {})", shape.closest.join(", ")) };
        writeln!(table, "{}\n  {}\n  → {}{closest}", shape.code, shape.tool_call_error, shape.hint).unwrap();
    }
    insta::assert_snapshot!(table);
}

#[test]
fn every_code_has_a_next_step_for_every_verb() {
    let mut table = String::new();
    for code in Code::ALL {
        let mut steps: Vec<String> = Verb::ALL.into_iter().map(|verb| next_step(code, verb, &server())).collect();
        steps.dedup();
        writeln!(table, "{code}\n  {}", steps.join("\n  ")).unwrap();
    }
    insta::assert_snapshot!(table);
}

#[test]
fn a_sentence_starts_with_a_capital_or_a_name_and_ends_without_a_full_stop() {
    for shape in failures().iter().map(MetaError::to_shape) {
        for text in [&shape.tool_call_error, &shape.hint] {
            let first = text.chars().next().unwrap();
            assert!(first.is_uppercase() || first == '`', "{text}");
            assert!(!text.ends_with('.'), "{text}");
            for word in ["simply", "just ", "please", "oops"] {
                assert!(!text.to_lowercase().contains(word), "{text}");
            }
        }
    }
}

#[test]
fn endless_names_do_not_make_an_endless_error() {
    let long = "x".repeat(1 << 15);
    let many = vec![long.clone(); 100];
    let errors = [
        MetaError::Undeclared { name: long.clone(), verb: Verb::Read, declared: many.clone(), closest: many.clone() },
        MetaError::NotFound {
            server: server(),
            what: "tool",
            id: long.clone(),
            closest: many.clone(),
            said: Some(long.clone()),
        },
        MetaError::UnknownParameter { verb: Verb::Read, name: long.clone() },
        MetaError::UnknownPromptArguments { prompt: long.clone(), unknown: many.clone(), declared: many.clone() },
        MetaError::MissingPromptArguments {
            prompt: long.clone(),
            missing: vec![(long.clone(), Some(long.clone())); 100],
        },
        MetaError::NoStrings { prompt: long.clone(), keys: many },
    ];
    for error in errors {
        let shape = error.to_shape();
        assert!(shape.hint.len() < 8 << 10, "{}", shape.hint.len());
        let answer = Answer::error(shape, Ceiling::new(0));
        assert!(json_len(&answer.value) <= Ceiling::new(0).bytes());
        assert!(answer.value["hint"].as_str().is_some_and(|hint| !hint.is_empty()));
    }
}

#[test]
fn an_answer_for_a_server_that_did_not_start_is_that_of_a_call() {
    let answer =
        Answer::failed(&server(), Verb::Read, PortError::HandshakeFailed { cause: "no answer in 30 s".to_owned() });
    assert_eq!(answer.code, Some(Code::HandshakeFailed));
    assert_eq!(answer.value["tool_call_error"], "`docs`: Handshake failed: no answer in 30 s");
    assert_eq!(Answer::denied(&server(), "rm").code, Some(Code::Denied));
}
