//! The next step for a person at a REPL: its commands in place of a model's functions (style.md 15, S39).

use crate::{app_state::AppState, cli::start_failure};
use mcp_catalog::{PortError, ServerName};
use mcp_meta::Verb;
use mcp_prompt_repl::quote;
use mcp_render::{Code, ErrorShape, shown_line};

/// An error of a call. The sentence stays; the hint is a person's.
pub fn for_a_person(verb: Verb, server: &ServerName, shape: ErrorShape) -> ErrorShape {
    let name = shown_line(&quote(server.as_str()), 80).to_string();
    let what = match verb {
        Verb::Prompt => "prompts",
        Verb::Read => "resources",
        Verb::Invoke | Verb::Search | Verb::Describe => "prompts|resources|templates",
    };
    let hint = match shape.code {
        Code::NotFound | Code::MethodNotFound | Code::Unsupported => {
            format!("`.list {what} {name}` shows what there is")
        }
        Code::SpawnFailed | Code::HandshakeFailed | Code::ConnectionClosed => {
            format!("`.mcp reconnect {name}` tries again; what the server wrote last is in coyote's log")
        }
        Code::AuthRequired => log_in(server),
        Code::Timeout => {
            format!("Ask for less, or give `{}` more `tool_timeout_sec` in mcp.json", server_shown(server))
        }
        Code::Cancelled => "Nothing was sent".to_owned(),
        Code::ProtocolError | Code::InvalidResponse => "The fault is the server's; coyote's log shows more".to_owned(),
        Code::InputRequired => "Give what it asks for in the arguments".to_owned(),
        Code::ServerError if verb == Verb::Prompt => {
            format!("The message is the server's own; `.prompt {name} <name> --info` shows the arguments")
        }
        Code::ServerError => "The message is the server's own; what it wrote to stderr is in coyote's log".to_owned(),
        Code::SpillFailed => "Make room in the cache directory, or make it writable; `.info` shows it".to_owned(),
        Code::InvalidArguments | Code::FrameTooLarge | Code::Denied | Code::TooLarge => shape.hint,
    };
    ErrorShape { hint, ..shape }
}

fn server_shown(server: &ServerName) -> String {
    shown_line(server.as_str(), 80).to_string()
}

/// How a person at the REPL logs in.
pub(super) fn log_in(server: &ServerName) -> String {
    format!("`.mcp auth {}` logs in", shown_line(&quote(server.as_str()), 80))
}

/// A login that failed, for a person at the REPL: it is begun again there.
pub(crate) fn not_logged_in(server: &ServerName, shape: ErrorShape) -> ErrorShape {
    if shape.code != Code::AuthRequired {
        return shape;
    }
    let name = shown_line(&quote(server.as_str()), 80).to_string();
    let hint = format!(
        "`.mcp auth {name}` tries again; or give its `oauth` in mcp.json a `clientId`, or write a token into its `headers` \
         there, then `.mcp reload`"
    );
    ErrorShape { hint, ..shape }
}

/// A server that could not be started, for a person at the REPL: a login is begun there.
pub(crate) fn not_started(server: &ServerName, error: &PortError, app: &AppState) -> ErrorShape {
    let shape = start_failure(server, error, app);
    if *error == PortError::AuthRequired { ErrorShape { hint: log_in(server), ..shape } } else { shape }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_next_step_that_can_be_typed() {
        let server = ServerName::new("my docs").unwrap();
        let mut page = String::new();
        for code in Code::ALL {
            for verb in [Verb::Prompt, Verb::Read, Verb::Search] {
                let (tool_call_error, hint) = ("Sentence".to_owned(), "<what is accepted>".to_owned());
                let shape =
                    for_a_person(verb, &server, ErrorShape { tool_call_error, code, hint, closest: Vec::new() });
                assert_eq!((shape.tool_call_error.as_str(), shape.code), ("Sentence", code));
                page = format!("{page}{code} {}: {}\n", verb.as_str(), shape.hint);
            }
        }
        insta::assert_snapshot!(page);
    }
}
