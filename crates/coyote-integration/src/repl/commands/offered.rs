//! What the commands about servers' offers share: the view of a conversation, and how their refusals are told.

use crate::{
    chat::Refusal,
    mcp::{ServerEntry, ServerState},
    offers::ListingView,
    repl::context::Context,
};
use mcp_catalog::{ServerName, deadline};
use mcp_prompt_repl::{ListLine, Look, ReplError, list_table, quote};
use mcp_render::{ErrorShape, shown_line};

/// Why a line about a server's offers is wrong: a server that is there and not in use is another matter than a typo.
pub(super) fn wrong(context: &Context, error: ReplError) -> Refusal {
    if let ReplError::UnknownServer { word, .. } = &error
        && let Ok(server) = context.conversation.app().servers.get(word)
    {
        return not_in_use(&server.entry);
    }
    error.into()
}

/// A server that the conversation does not use.
pub(super) fn not_in_use(server: &ServerEntry) -> Refusal {
    let name = shown_line(&quote(server.name.as_str()), 80).to_string();
    let why = if server.disabled { "disabled in mcp.json" } else { "not enabled here" };
    Refusal::given(format!("`{name}` is {why}"), format!("`.mcp enable {name}` enables it for this session"))
}

/// The conversation's servers, once this one has had its time to start (S14); the refusal when it does not run.
pub(super) async fn view(context: &Context, server: &ServerName) -> Result<ListingView, Refusal> {
    let registry = &context.conversation.app().registry;
    if matches!(registry.state(server), Some(ServerState::Starting)) {
        registry.wait(deadline::LATE_START).await;
    }
    let view = ListingView::of(context.conversation.tools(), context.cancel.clone());
    match view.refusal(server) {
        None => Ok(view),
        Some(why) => Err(failed(&why)),
    }
}

/// `.list` of what servers offer: all that are enabled, or the one that is named.
pub(super) async fn list(context: &Context, kind: &str, rest: &[String]) -> Result<String, Refusal> {
    let words = rest.iter().map(|word| quote(word));
    let line = [".list".to_owned(), kind.to_owned()].into_iter().chain(words).collect::<Vec<_>>().join(" ");
    let parsed = ListLine::parse(&line, context.conversation.enabled_servers());
    let parsed = parsed.map_err(|error| wrong(context, error))?;
    let Some(ListLine { kind, server }) = parsed else {
        return Err(Refusal::given(
            format!("Servers offer no `{kind}`"),
            "They offer `prompts`, `resources`, `templates`",
        ));
    };
    context.conversation.app().registry.wait(deadline::LATE_START).await;
    let view = ListingView::of(context.conversation.tools(), context.cancel.clone());
    Ok(list_table(kind, &view.list(kind, server.as_ref()).await, look(context)))
}

/// A line that is wrong.
impl From<ReplError> for Refusal {
    fn from(error: ReplError) -> Self {
        Self::given(error.to_string(), error.hint())
    }
}

/// A server that failed.
pub(super) fn failed(shape: &ErrorShape) -> Refusal {
    let closest: Vec<String> = shape.closest.iter().map(|name| format!("`{name}`")).collect();
    let meant = if closest.is_empty() { String::new() } else { format!("The closest are {}. ", closest.join(", ")) };
    Refusal::outside(format!("{} ({})", shape.tool_call_error, shape.code), format!("{meant}{}", shape.hint))
}

/// How tables look on this terminal.
pub(super) fn look(context: &Context) -> Look {
    let emphasis = context.report.has_colour() && context.conversation.app().config.highlight;
    Look { width: context.report.width(), emphasis }
}

/// Shows a table, whose cells are safe already and whose emphasis is ours.
pub(super) fn show_table(context: &Context, table: &str) {
    context.terminal.printer().print(table);
}
