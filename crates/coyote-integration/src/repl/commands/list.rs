//! `.list what`: what there is, by kind. Each kind is a row of [`LISTS`]; whoever adds one adds a row.

use super::{Argument, Command, Completes, Outcome, Pace, Running, Word, command_names, offered, usage, word, words};
use crate::{
    chat::Refusal,
    config::Role,
    functions::LocalTools,
    macros::MacroOrigin,
    mcp::ServerState,
    repl::{
        complete::{agents, stems},
        context::Context,
    },
    table::{head, table},
};
use mcp_prompt_repl::CommandLine;

pub(super) const LIST: Command = Command {
    name: "list",
    usage: "roles|sessions|agents|macros|tools|mcp-servers|prompts|resources|templates|models",
    about: "What there is",
    help: "`prompts`, `resources` and `templates` ask all enabled servers at once, or the one that is named after them; a server \
           that fails is a row.",
    needs: &[],
    pace: Pace::InTurn,
    completes: Completes::Arguments(&[Argument::Words(WORDS), Argument::Server]),
    run,
};

const WORDS: &[Word] = &[
    Word { name: "roles", about: "roles of the roles directory", needs: &[] },
    Word { name: "sessions", about: "sessions that were kept", needs: &[] },
    Word { name: "agents", about: "agents", needs: &[] },
    Word { name: "macros", about: "macros", needs: &[] },
    Word { name: "tools", about: "local tools, and which of them are declared", needs: &[] },
    Word { name: "mcp-servers", about: "servers and their state", needs: &[] },
    Word { name: "prompts", about: "prompts of the servers", needs: &[] },
    Word { name: "resources", about: "resources of the servers", needs: &[] },
    Word { name: "templates", about: "resource templates of the servers", needs: &[] },
    Word { name: "models", about: "models; `*` is the one in use", needs: &[] },
];

/// What shows one kind. The words are those after the kind.
type Show = for<'a> fn(&'a Context, &'a [String]) -> Showing<'a>;
type Showing<'a> = std::pin::Pin<Box<dyn Future<Output = Result<Listed, Refusal>> + Send + 'a>>;

/// A list.
enum Listed {
    /// As text; foreign parts of it are escaped when it is shown.
    Text(String),
    /// A table whose cells are safe and whose emphasis is ours.
    Table(String),
}

const LISTS: &[(&str, Show)] = &[
    ("roles", |context, _| {
        Box::pin(async { Ok(Listed::Text(names(&Role::names(&context.conversation.app().paths), "role"))) })
    }),
    ("sessions", |context, _| {
        Box::pin(async { Ok(Listed::Text(names(&stems(&context.conversation.sessions_dir(), "yaml"), "session"))) })
    }),
    ("agents", |context, _| {
        Box::pin(async { Ok(Listed::Text(names(&agents(&context.conversation.app().paths.agents_dir), "agent"))) })
    }),
    ("macros", |context, _| Box::pin(async { Ok(Listed::Text(macros(context))) })),
    ("tools", |context, _| Box::pin(async { Ok(Listed::Text(tools(context))) })),
    ("mcp-servers", |context, _| Box::pin(async { Ok(Listed::Text(servers(context))) })),
    ("prompts", |context, rest| Box::pin(async { offered::list(context, "prompts", rest).await.map(Listed::Table) })),
    ("resources", |context, rest| {
        Box::pin(async { offered::list(context, "resources", rest).await.map(Listed::Table) })
    }),
    ("templates", |context, rest| {
        Box::pin(async { offered::list(context, "templates", rest).await.map(Listed::Table) })
    }),
    ("models", |context, _| Box::pin(async { Ok(Listed::Text(models(context))) })),
];

fn run<'a>(context: &'a mut Context, line: CommandLine<'a>) -> Running<'a> {
    Box::pin(async move {
        let words = words(line)?;
        let Some((given, rest)) = words.split_first() else {
            return Err(Refusal::given("`.list` needs to know what", usage(&LIST)));
        };
        let word = word(&LIST, WORDS, given, context.conversation.flags())?;
        let Some((_, show)) = LISTS.iter().find(|(name, _)| *name == word.name) else {
            return Err(Refusal::given(format!("There is no list of `{}`", word.name), usage(&LIST)));
        };
        match show(context, rest).await? {
            Listed::Text(text) => context.report.print(&text),
            Listed::Table(table) => offered::show_table(context, &table),
        }
        Ok(Outcome::Done)
    })
}

fn names(names: &[String], what: &str) -> String {
    if names.is_empty() { format!("There is no {what}") } else { names.join("\n") }
}

/// The macros, and those that a command hides (R5).
fn macros(context: &Context) -> String {
    let rows: Vec<Vec<String>> = context
        .macros
        .enabled(context.conversation.layers())
        .map(|known| {
            let origin = match known.origin {
                MacroOrigin::User => "",
                MacroOrigin::Workspace => "workspace",
            };
            vec![known.usage(), origin.to_owned(), head(&known.description, 120)]
        })
        .collect();
    if rows.is_empty() {
        return "There is no macro".to_owned();
    }
    let shadowed = context.macros.shadowed(&command_names());
    let shown = table(&["MACRO", "FROM", "DOES"], &rows, context.report.width());
    [shown].into_iter().chain(shadowed).collect::<Vec<_>>().join("\n")
}

fn tools(context: &Context) -> String {
    let enabled = context.conversation.tools().local.names();
    let functions = context.conversation.toolbox().functions();
    let rows: Vec<Vec<String>> = functions
        .into_iter()
        .map(|tool| {
            let state = if enabled.contains(&tool.name) { "declared" } else { "" };
            vec![tool.name, state.to_owned(), head(&tool.description, 120)]
        })
        .collect();
    table(&["TOOL", "STATE", "DOES"], &rows, context.report.width())
}

fn servers(context: &Context) -> String {
    let app = context.conversation.app();
    let enabled = context.conversation.enabled_servers();
    let rows: Vec<Vec<String>> = app
        .servers
        .iter()
        .map(|server| {
            let name = &server.entry.name;
            let state = match app.registry.state(name) {
                _ if server.startable().is_err() => "cannot be started",
                Some(ServerState::Ready(_)) => "ready",
                Some(ServerState::Starting) => "starting",
                Some(ServerState::Failed(_)) => "failed",
                Some(ServerState::Disabled) => "disabled",
                None if enabled.contains(name) => "enabled",
                None => "not enabled here",
            };
            vec![name.to_string(), state.to_owned()]
        })
        .collect();
    if rows.is_empty() {
        "There is no server".to_owned()
    } else {
        table(&["SERVER", "STATE"], &rows, context.report.width())
    }
}

fn models(context: &Context) -> String {
    let current = context.conversation.model().id();
    let list = context.conversation.models().list();
    let rows = list.iter().map(|model| format!("{} {}", if model.id == current { "*" } else { " " }, model.id));
    rows.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_has_its_list_and_each_list_its_word() {
        let words: Vec<&str> = WORDS.iter().map(|word| word.name).collect();
        let lists: Vec<&str> = LISTS.iter().map(|(name, _)| *name).collect();
        assert_eq!(words, lists);
        assert_eq!(LIST.usage, words.join("|"));
    }
}
