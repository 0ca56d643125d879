//! The tables of `.list prompts|resources|templates` and `.mcp`, as text (S44).
//!
//! They fit the width they are given and hold nothing of a server that a terminal obeys (S46). They read without emphasis,
//! which is ours alone and only added where a host asks for it. A server that failed is a row, and so is everything else
//! there is to say about a listing.

use crate::ServerStatus;
use comfy_table::{Attribute, Cell, CellAlignment, ContentArrangement, Table as Grid, presets};
use mcp_catalog::{CatalogItem, CatalogKind, Details, Listing, ServerName, Template};
use mcp_render::shown_line;

/// Blanks between two columns.
const GAP: u16 = 2;
/// From this width on, each count of `.mcp` has a column of its own; below, headers would be cut.
const WIDE: u16 = 100;
/// The most characters of a name and of a description in a table.
const NAME_CHARS: usize = 120;
const DESCRIPTION_CHARS: usize = 160;

/// How a table is shown. A width alone is one without emphasis; without a width nothing is wrapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Look {
    /// The columns of the screen.
    pub width: Option<u16>,
    /// Whether headers, failures and what is out of use are set off by terminal attributes.
    pub emphasis: bool,
}

impl From<Option<u16>> for Look {
    fn from(width: Option<u16>) -> Self {
        Self { width, emphasis: false }
    }
}

/// What a server answered to a listing.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerListing {
    /// The server.
    pub server: ServerName,
    /// Its listing, or why there is none.
    pub outcome: Result<Listing, String>,
}

/// `.list prompts|resources|templates`: one row an item, and a row for each failure and note.
///
/// ```
/// use mcp_catalog::{CatalogKind, ServerName};
/// use mcp_prompt_repl::{ServerListing, list_table};
/// # fn main() -> Result<(), mcp_catalog::NameError> {
/// let down = ServerListing { server: ServerName::new("docs")?, outcome: Err("No answer in 30 s".to_owned()) };
/// assert_eq!(list_table(CatalogKind::Prompt, &[down], Some(60)), "SERVER  PROMPT  ARGUMENTS  ABOUT\ndocs    !                  No answer in 30 s");
/// # Ok(()) }
/// ```
pub fn list_table(kind: CatalogKind, listings: &[ServerListing], look: impl Into<Look>) -> String {
    let header: &[&str] = match kind {
        CatalogKind::Prompt => &["SERVER", "PROMPT", "ARGUMENTS", "ABOUT"],
        CatalogKind::Resource => &["SERVER", "URI", "TYPE", "ABOUT"],
        CatalogKind::ResourceTemplate => &["SERVER", "TEMPLATE", "VARIABLES", "ABOUT"],
        CatalogKind::Tool => &["SERVER", "TOOL", "", "ABOUT"],
    };
    let rows: Vec<Vec<String>> = listings.iter().flat_map(|listing| rows(kind, listing)).collect();
    if rows.is_empty() {
        return format!("No {}: no server is enabled here", kind.plural());
    }
    layout(header, &rows, look.into())
}

/// `.mcp`: one row a server.
pub fn mcp_table(servers: &[ServerStatus], look: impl Into<Look>) -> String {
    let look = look.into();
    if servers.is_empty() {
        return "No servers are configured".to_owned();
    }
    if look.width.is_some_and(|width| width < WIDE) {
        let rows: Vec<Vec<String>> = servers.iter().map(ServerStatus::narrow_row).collect();
        return layout(&["SERVER", "STATE", "PROTOCOL", "OFFERS"], &rows, look);
    }
    let rows: Vec<Vec<String>> = servers.iter().map(ServerStatus::row).collect();
    layout(&["SERVER", "STATE", "PROTOCOL", "TOOLS", "RES", "TMPL", "PROMPTS", "SKIPPED", "LAST ERROR"], &rows, look)
}

/// `.prompt <server> <name> --info`: safe to show, one line a thing.
pub fn prompt_info(server: &ServerName, item: &CatalogItem) -> String {
    let mut lines = vec![format!("{} of {}", cut(&item.id, NAME_CHARS), cut(server.as_str(), NAME_CHARS))];
    lines.extend(item.title.as_deref().map(|title| flat(title, DESCRIPTION_CHARS)));
    lines.extend(item.description.as_deref().map(|text| flat(text, mcp_render::SERVER_TEXT_MAX_BYTES)));
    if let Details::Prompt { arguments } = &item.details {
        if arguments.is_empty() {
            lines.push("It takes no arguments".to_owned());
        }
        for argument in arguments {
            let required = if argument.required { " (required)" } else { "" };
            let text = argument.description.as_deref().or(argument.title.as_deref());
            let text = text.map(|text| format!("  {}", flat(text, DESCRIPTION_CHARS)));
            lines.push(format!("  {}={required}{}", cut(&argument.name, NAME_CHARS), text.unwrap_or_default()));
        }
    }
    lines.join("\n")
}

fn rows(kind: CatalogKind, listing: &ServerListing) -> Vec<Vec<String>> {
    let server = cut(listing.server.as_str(), NAME_CHARS);
    let said = |mark: &str, text: String| vec![server.clone(), mark.to_owned(), String::new(), text];
    let listed = match &listing.outcome {
        Ok(listed) => listed,
        Err(why) => return vec![said("!", flat(why, DESCRIPTION_CHARS))],
    };
    let items = listed.items.iter().filter(|item| item.kind() == kind);
    let mut rows: Vec<_> = items.map(|item| item_row(&server, item)).collect();
    let notes = listed.notes.iter().filter(|note| note.kind == kind);
    rows.extend(notes.map(|note| said("!", flat(&note.to_string(), DESCRIPTION_CHARS))));
    if rows.is_empty() {
        rows.push(said("-", format!("no {}", kind.plural())));
    }
    rows
}

fn item_row(server: &str, item: &CatalogItem) -> Vec<String> {
    let extra = match &item.details {
        // Optional ones in brackets, as in a synopsis.
        Details::Prompt { arguments } => {
            let one = |name: &str, required: bool| if required { name.to_owned() } else { format!("[{name}]") };
            arguments.iter().map(|argument| one(&argument.name, argument.required)).collect::<Vec<_>>().join(" ")
        }
        Details::ResourceTemplate => match Template::parse(&item.id) {
            Ok(template) => template.variables().into_iter().map(|(name, _)| name).collect::<Vec<_>>().join(" "),
            Err(error) => error.sentence,
        },
        Details::Resource => item.mime_type.clone().unwrap_or_default(),
        Details::Tool { .. } => String::new(),
    };
    let about = item.description.as_deref().or(item.title.as_deref()).unwrap_or_default();
    // A prompt is called by its id; the name of a resource says more than its absence of a description.
    let about = if about.is_empty() && item.name != item.id { &item.name } else { about };
    vec![server.to_owned(), cut(&item.id, NAME_CHARS), cut(&extra, NAME_CHARS), flat(about, DESCRIPTION_CHARS)]
}

fn cut(text: &str, chars: usize) -> String {
    shown_line(text, chars).to_string()
}

/// Prose on one line, its blanks and newlines as one blank each.
fn flat(text: &str, chars: usize) -> String {
    cut(&text.split_whitespace().collect::<Vec<_>>().join(" "), chars)
}

/// What the second column of a row says about the row.
fn emphasis(mark: &str) -> Option<Attribute> {
    match mark {
        "!" | "failed" | "needs login" => Some(Attribute::Bold),
        "-" | "disabled" => Some(Attribute::Dim),
        _ => None,
    }
}

/// Rows under a header, without trailing blanks. The cells are safe already.
fn layout(header: &[&str], rows: &[Vec<String>], look: Look) -> String {
    let mut grid = Grid::new();
    grid.load_style(presets::NOTHING).force_no_tty();
    match look.width {
        Some(width) => grid.set_content_arrangement(ContentArrangement::Dynamic).set_width(width),
        None => grid.set_content_arrangement(ContentArrangement::Disabled),
    };
    if look.emphasis {
        grid.enforce_styling();
    }
    grid.set_header(header.iter().copied());
    for row in rows {
        let mark = row.get(1).map(String::as_str).and_then(emphasis);
        let cells = row.iter().enumerate().map(|(column, text)| match mark {
            Some(mark) if column == 1 => Cell::new(text).add_attribute(mark),
            _ => Cell::new(text),
        });
        grid.add_row(cells);
    }
    for column in grid.column_iter_mut() {
        column.set_padding((0, GAP));
        column.set_cell_alignment(CellAlignment::Left);
    }
    let lines: Vec<String> = grid.lines().map(|line| line.trim_end().to_owned()).collect();
    match lines.split_first() {
        // The rest of a header that is wrapped stays plain.
        Some((first, rest)) if look.emphasis => {
            let first = format!("\u{1b}[1m{first}\u{1b}[0m");
            [&[first], rest].concat().join("\n")
        }
        _ => lines.join("\n"),
    }
}

#[cfg(test)]
mod tests;
