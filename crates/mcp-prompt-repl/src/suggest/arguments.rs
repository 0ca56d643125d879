//! Stage 3 of `.prompt`: the keys of a prompt's arguments and the server's values for one (S45, C14).

use super::rows::{NAME_CHARS, can_be_typed, described, rank, row, word};
use super::{Completion, Known, MAX_ROWS, Need, Row};
use crate::line::quote_key;
use crate::stage::{Stage, Wanted};
use mcp_catalog::PromptArgument;
use mcp_render::shown_line;

pub(super) fn argument(stage: &Stage, declared: &[PromptArgument], known: Known<'_>) -> Completion {
    match &stage.what {
        Wanted::Key { given, options, .. } => keys(stage, declared, given, *options),
        Wanted::Value { server, prompt, key, given } => {
            if !declared.iter().any(|argument| argument.name == *key) {
                return Completion::Rows(Vec::new());
            }
            let need = Need::Completion {
                server: server.clone(),
                prompt: prompt.clone(),
                argument: key.clone(),
                value: stage.typed.clone(),
                context: given.clone(),
            };
            match known.values {
                // The server has filtered already, by rules of its own.
                Some((answered, values)) if *answered == need => {
                    let values = values.iter().filter(|value| can_be_typed(value)).take(MAX_ROWS);
                    Completion::Rows(values.map(|value| row(stage, value, None)).collect())
                }
                _ => Completion::Need(need),
            }
        }
        _ => Completion::Rows(Vec::new()),
    }
}

/// `key=` for each argument that is not given yet: the required ones first, then the others, in declared order.
fn keys(stage: &Stage, declared: &[PromptArgument], given: &[(String, String)], options: bool) -> Completion {
    let left = |required: bool| declared.iter().filter(move |argument| argument.required == required);
    let fits = |argument: &&PromptArgument| {
        let is_given = given.iter().any(|(key, _)| *key == argument.name);
        !is_given && can_be_typed(&argument.name) && rank(&stage.typed, &argument.name).is_some()
    };
    let mut rows: Vec<Row> =
        left(true).chain(left(false)).filter(fits).map(|one| key(stage, &one.name, key_about(one))).collect();
    // A lone row would be taken without a look, and the prompt would not run.
    if options && (!rows.is_empty() || stage.typed.starts_with('-')) {
        rows.extend(word(stage, "--info", "Describe the prompt and run nothing"));
    }
    rows.truncate(MAX_ROWS);
    Completion::Rows(rows)
}

/// `key=`, after which the value is typed.
pub(super) fn key(stage: &Stage, name: &str, description: Option<String>) -> Row {
    Row {
        value: format!("{}=", quote_key(name)),
        display: format!("{}=", shown_line(name, NAME_CHARS)),
        description,
        span: stage.span.clone(),
        append_space: false,
    }
}

fn key_about(argument: &PromptArgument) -> Option<String> {
    let text = argument.description.as_deref().or(argument.title.as_deref()).map(described);
    match (argument.required, text) {
        (true, Some(text)) => Some(format!("(required) {text}")),
        (true, None) => Some("(required)".to_owned()),
        (false, text) => text,
    }
}
