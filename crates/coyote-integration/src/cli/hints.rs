//! The next step for a person, where a model's would be of no use: commands and files in place of functions (style.md 15,
//! S39).

use crate::{app_state::AppState, config::ConfiguredServer, mcp::Transport};
use mcp_catalog::{PortError, ServerName};
use mcp_meta::Verb;
use mcp_render::{Code, ErrorShape};
use std::path::Path;

/// A server that could not be started.
pub(crate) fn start(server: &ServerName, error: &PortError, app: &AppState) -> ErrorShape {
    let [expected, _] = app.paths.mcp_json();
    let entry = app.servers.get(server.as_str()).ok();
    let file = entry.and_then(|own| app.servers.file_of(&own.entry)).unwrap_or(&expected);
    ErrorShape {
        tool_call_error: named(server.as_str(), &error.to_string()),
        code: error.code(),
        hint: start_hint(server, error.code(), entry.is_some_and(is_web), file, &app.paths.log_file()),
        closest: Vec::new(),
    }
}

/// Whether it is behind a URL: such a server has no stderr.
fn is_web(server: &ConfiguredServer) -> bool {
    matches!(server.entry.transport, Transport::Http { .. })
}

/// A sentence about a server, its key first.
pub(super) fn named(server: &str, sentence: &str) -> String {
    format!("`{server}`: {sentence}")
}

fn start_hint(server: &ServerName, code: Code, web: bool, file: &Path, log: &Path) -> String {
    let (file, log) = (file.display(), log.display());
    match code {
        Code::SpawnFailed => format!(
            "Check `command` and `cwd` of `{server}` in `{file}`; `.env` does not reach a server, only its `env` does"
        ),
        Code::HandshakeFailed if web => format!(
            "Check `url` and `headers` of `{server}` in `{file}`, and that it is reached from here; give a slow server more \
             `startup_timeout_sec` there"
        ),
        Code::HandshakeFailed => {
            format!("What it wrote is in `{log}`; give a slow server more `startup_timeout_sec` in `{file}`")
        }
        Code::AuthRequired => format!(
            "Run `coyote mcp auth '{server}'`, or write its token into `headers` of `{server}` in `{file}`, as `{{{{NAME}}}}`"
        ),
        Code::Unsupported => format!("Change the entry of `{server}` in `{file}`"),
        _ if web => format!("What went wrong on the way is in `{log}`"),
        _ => format!("What it wrote is in `{log}`"),
    }
}

/// An error of a call. The sentence stays; the hint is a person's.
pub(super) fn call(verb: Verb, server: &ServerName, shape: ErrorShape) -> ErrorShape {
    let hint = match shape.code {
        Code::NotFound if verb == Verb::Describe => {
            format!("Say what it is with `--kind`; `coyote mcp search '{server}'` lists what there is")
        }
        Code::NotFound | Code::MethodNotFound | Code::Unsupported => {
            format!("`coyote mcp search '{server}'` lists what there is")
        }
        Code::SpawnFailed | Code::HandshakeFailed | Code::ConnectionClosed => {
            "What the server wrote to stderr is in the log; `coyote --info` shows where".to_owned()
        }
        Code::Timeout => "Ask for less, or give the server more `tool_timeout_sec` in mcp.json".to_owned(),
        Code::Cancelled => "Run the command again to start over".to_owned(),
        Code::ProtocolError | Code::InvalidResponse => {
            "The fault is the server's; `--json` and the log (`coyote --info`) show more".to_owned()
        }
        Code::InputRequired => "Give what it asks for in the arguments".to_owned(),
        Code::InvalidArguments => invalid_arguments(verb, &shape),
        Code::ServerError => server_error(verb, server),
        Code::AuthRequired => format!(
            "Run `coyote mcp auth '{server}'`, or write its token into its `headers` in mcp.json, as `{{{{NAME}}}}`"
        ),
        Code::SpillFailed => {
            "Make room in the cache directory, or make it writable; `coyote --info` shows it".to_owned()
        }
        Code::FrameTooLarge | Code::Denied | Code::TooLarge => shape.hint,
    };
    ErrorShape { hint, ..shape }
}

fn invalid_arguments(verb: Verb, shape: &ErrorShape) -> String {
    match verb {
        Verb::Prompt => {
            "Give each argument as key=value; `coyote mcp describe <server> <name> --kind prompt` shows them".to_owned()
        }
        Verb::Invoke => {
            "Give arguments as key=value or `--json '{…}'`; `coyote mcp describe <server> <tool>` shows them".to_owned()
        }
        Verb::Search | Verb::Describe | Verb::Read => shape.hint.clone(),
    }
}

fn server_error(verb: Verb, server: &ServerName) -> String {
    let words = "The message is the server's own";
    match verb {
        Verb::Invoke => format!("{words}; `coyote mcp describe '{server}' <tool>` shows the arguments"),
        Verb::Prompt => format!("{words}; `coyote mcp describe '{server}' <name> --kind prompt` shows the arguments"),
        Verb::Search | Verb::Describe | Verb::Read => format!("{words}; what it wrote to stderr is in the log"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Phase, Status};
    use std::fmt::Write;

    fn server() -> ServerName {
        ServerName::new("docs").unwrap()
    }

    #[test]
    fn every_code_of_a_failed_start_has_a_next_step() {
        let (file, log) = (Path::new("/config/mcp.json"), Path::new("/cache/coyote.log"));
        let table = Code::ALL.iter().fold(String::new(), |mut table, code| {
            let status = Status::of(*code, Phase::Start).number();
            for (reached, web) in [("stdio", false), ("http", true)] {
                let hint = start_hint(&server(), *code, web, file, log);
                writeln!(table, "{code} ({status}) {reached}: {hint}").unwrap();
            }
            table
        });
        insta::assert_snapshot!(table);
    }

    #[test]
    fn every_code_of_a_failed_call_has_a_next_step_for_a_person() {
        let mut table = String::new();
        for code in Code::ALL {
            let status = Status::of(code, Phase::Call).number();
            writeln!(table, "{code} ({status})").unwrap();
            for verb in Verb::ALL {
                let (tool_call_error, hint) = ("Sentence".to_owned(), "<the model's own hint>".to_owned());
                let shape = call(verb, &server(), ErrorShape { tool_call_error, code, hint, closest: Vec::new() });
                assert_eq!(shape.tool_call_error, "Sentence");
                writeln!(table, "  {:<9} {}", verb.as_str(), shape.hint).unwrap();
            }
        }
        insta::assert_snapshot!(table);
    }
}
