//! What may be typed. The reference page of the manual is made of this (`command`).
//!
//! Each command's own arguments stand beside the command, in `cli/mcp/`.

use super::{completions::KnownShell, mcp};
use clap::{CommandFactory, Parser, Subcommand};

/// A terminal client for MCP servers.
///
/// It finds what a server offers, reads its resources page by page, calls its tools and runs its prompts. The embedded
/// server `coyote` needs no configuration: `coyote mcp read coyote coyote://manual/start` prints the first page of the
/// manual.
#[derive(Debug, Parser)]
#[command(name = "coyote", version, max_term_width = 100, disable_help_subcommand = true)]
pub(super) struct Args {
    /// Show where coyote's files are, and exit
    #[arg(long)]
    pub(super) info: bool,

    /// Do not use the workspace's own mcp.json, trusted or not
    #[arg(long, global = true)]
    pub(super) no_workspace_mcp: bool,

    /// Print a script with which a shell completes this command line, and exit
    #[arg(long, value_name = "SHELL")]
    pub(super) completions: Option<KnownShell>,

    #[command(flatten)]
    pub(super) chat: ChatArgs,

    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

/// One turn of chat.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(super) struct ChatArgs {
    /// The model, as `client:name`
    #[arg(short, long, value_name = "MODEL")]
    pub(super) model: Option<String>,

    /// The role that begins the conversation
    #[arg(short, long, value_name = "NAME", conflicts_with = "temp_role")]
    pub(super) role: Option<String>,

    /// A role that is this text
    #[arg(long, value_name = "TEXT")]
    pub(super) temp_role: Option<String>,

    /// The agent that answers
    #[arg(short, long, value_name = "NAME", conflicts_with_all = ["role", "temp_role"])]
    pub(super) agent: Option<String>,

    /// Give a variable of the agent a value; may be repeated
    #[arg(long, num_args = 2, value_names = ["NAME", "VALUE"], requires = "agent")]
    pub(super) agent_variable: Vec<String>,

    /// Go on with this session, or begin it; without a name one that is thrown away
    #[arg(short, long, value_name = "NAME", num_args = 0..=1, default_missing_value = crate::session::TEMP)]
    pub(super) session: Option<String>,

    /// Attach a file, a glob or a URL; may be repeated
    #[arg(short, long = "file", value_name = "FILE")]
    pub(super) files: Vec<String>,

    /// Print the reply when it is whole
    #[arg(short = 'S', long)]
    pub(super) no_stream: bool,

    /// Print the request, and send nothing
    #[arg(long)]
    pub(super) dry_run: bool,

    /// Run every tool that is called without asking
    #[arg(long)]
    pub(super) yes: bool,

    /// Run this macro; what is said are its words
    #[arg(long = "macro", value_name = "NAME", conflicts_with_all = ["files", "dry_run"])]
    pub(super) run_macro: Option<String>,

    /// Do not use the workspace's own macros, trusted or not
    #[arg(long)]
    pub(super) no_workspace_macros: bool,

    /// List the models
    #[arg(long)]
    pub(super) list_models: bool,

    /// List the roles
    #[arg(long)]
    pub(super) list_roles: bool,

    /// List the agents
    #[arg(long)]
    pub(super) list_agents: bool,

    /// List the sessions
    #[arg(long)]
    pub(super) list_sessions: bool,

    /// List the macros
    #[arg(long)]
    pub(super) list_macros: bool,

    /// What is said; what stands on stdin is appended
    #[arg(value_name = "TEXT")]
    pub(super) text: Vec<String>,
}

/// What `coyote` does beside chat.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Use MCP servers without a model
    Mcp(Mcp),
}

/// `coyote mcp`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_STATUS)]
pub(super) struct Mcp {
    #[command(subcommand)]
    pub(super) command: McpCommand,
}

const EXIT_STATUS: &str = "Exit status: 0 done, and `list` and `doctor` once they reported; 1 the call answered an error; \
                           2 wrong usage or arguments; 3 the server does not exist or could not be started; 4 a started \
                           server did not answer in time; 130 cancelled";

/// One command a variant, in the order of the manual.
#[derive(Debug, Subcommand)]
pub(super) enum McpCommand {
    List(mcp::list::ListArgs),
    Functions(mcp::functions::FunctionsArgs),
    Call(mcp::call::CallArgs),
    Search(mcp::search::SearchArgs),
    Describe(mcp::describe::DescribeArgs),
    Read(mcp::read::ReadArgs),
    Invoke(mcp::invoke::InvokeArgs),
    Prompt(mcp::prompt::PromptArgs),
    Add(mcp::add::AddArgs),
    Remove(mcp::remove::RemoveArgs),
    Get(mcp::get::GetArgs),
    Trust(mcp::trust::TrustArgs),
    Untrust(mcp::trust::UntrustArgs),
    Doctor(mcp::doctor::DoctorArgs),
    Auth(mcp::auth::AuthArgs),
    #[command(hide = true)]
    Conformance(mcp::conformance::ConformanceArgs),
}

/// The whole command line, for help, reference pages and completions.
pub fn command() -> clap::Command {
    Args::command()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write;

    #[test]
    fn the_command_line_is_well_formed() {
        command().debug_assert();
    }

    #[test]
    fn only_the_first_word_mcp_is_the_subcommand() {
        let parse = |words: &[&str]| Args::try_parse_from([&["coyote"], words].concat());
        assert!(parse(&["mcp", "list"]).unwrap().command.is_some());
        let chat = parse(&["what", "is", "mcp"]).unwrap();
        assert!(chat.command.is_none() && chat.chat.text == ["what", "is", "mcp"]);
        assert!(parse(&["help", "me"]).unwrap().command.is_none());
    }

    #[test]
    fn every_help_page_is_pinned() {
        fn pages(command: &mut clap::Command, path: &str, text: &mut String) {
            let path = format!("{path} {}", command.get_name());
            writeln!(text, "==={path}\n{}", command.render_help()).unwrap();
            for sub in command.get_subcommands_mut() {
                pages(sub, &path, text);
            }
        }
        let mut text = String::new();
        let mut command = command().term_width(100);
        command.build();
        pages(&mut command, "", &mut text);
        insta::assert_snapshot!(text);
    }
}
