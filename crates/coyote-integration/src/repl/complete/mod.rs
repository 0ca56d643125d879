//! What Tab offers: commands, and for each argument of a command what it may be (S45).
//!
//! An [`ArgumentSource`] answers at once, from what it has: rows, or the work that must be done first. It keeps what the
//! work brought until the line is submitted or cleared. Who waits for the work is the editor's side; nothing here does.

mod arguments;
mod listing;
mod servers;

pub(crate) use listing::{agents, stems};
pub(crate) use mcp_prompt_repl::Row;
pub(crate) use servers::offers;

use super::{
    commands::{self, Completes},
    standing::Standing,
};
use arguments::Arguments;
use mcp_prompt_repl::{Line, MAX_ROWS, Typed, quote};
use mcp_render::shown_line;
use std::{
    collections::BTreeMap,
    fmt,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::runtime::Handle;

/// Work to be done before there are rows. Its result stays with the source that gave it.
pub(crate) type Working = Pin<Box<dyn Future<Output = ()> + Send>>;

/// What a source answers.
pub(crate) enum Answer {
    /// These; none is an answer too.
    Rows(Vec<Row>),
    /// Do this, and ask again.
    Work(Working),
}

/// Who completes the arguments of a command.
pub(crate) trait ArgumentSource: Send + Sync {
    /// The rows for a cursor in a line, whose first word is the command. It returns at once.
    fn complete(&self, line: &str, cursor: usize) -> Answer;

    /// The line is gone: what was kept for it goes too (S45).
    fn forget(&self) {}
}

/// Completion of whole lines.
#[derive(Clone)]
pub(crate) struct Completions(Arc<Inner>);

struct Inner {
    /// How many lines are gone.
    lines: AtomicUsize,
    runtime: Handle,
    standing: Standing,
    arguments: Arguments,
    /// The commands that complete their arguments themselves.
    own: BTreeMap<&'static str, Arc<dyn ArgumentSource>>,
}

impl Completions {
    /// Completion in the state that `standing` tells; work runs on `runtime`.
    pub(super) fn new(runtime: Handle, standing: Standing) -> Self {
        let own = commands::COMMANDS.iter().filter_map(|command| match command.completes {
            Completes::Own(source) => Some((command.name, source(&standing))),
            Completes::Arguments(_) => None,
        });
        let own = own.collect();
        Self(Arc::new(Inner {
            lines: AtomicUsize::new(0),
            runtime,
            arguments: Arguments::new(standing.clone()),
            standing,
            own,
        }))
    }

    /// Completion of the one command `name` by `source`.
    #[cfg(test)]
    pub(super) fn of_source(name: &'static str, source: Arc<dyn ArgumentSource>) -> Self {
        let standing = Standing::for_tests();
        let arguments = Arguments::new(standing.clone());
        Self(Arc::new(Inner {
            lines: AtomicUsize::new(0),
            runtime: Handle::current(),
            standing,
            arguments,
            own: BTreeMap::from([(name, source)]),
        }))
    }

    /// Where work runs.
    pub(super) fn runtime(&self) -> &Handle {
        &self.0.runtime
    }

    /// What the editor offers here.
    pub(super) fn complete(&self, line: &str, cursor: usize) -> Answer {
        let Typed::Command(command) = Typed::read(line) else { return Answer::Rows(Vec::new()) };
        if Line::lex(line).at(cursor).before.is_empty() {
            return Answer::Rows(self.names(line, cursor));
        }
        match self.0.own.get(command.name()) {
            Some(source) => source.complete(line, cursor),
            None => self.0.arguments.complete(line, cursor),
        }
    }

    /// The number of the line that is being typed: what was answered for another one counts no more (S45).
    pub(super) fn line(&self) -> usize {
        self.0.lines.load(Ordering::Relaxed)
    }

    /// The line was submitted or cleared.
    pub(super) fn forget(&self) {
        self.0.lines.fetch_add(1, Ordering::Relaxed);
        self.0.arguments.forget();
        self.0.own.values().for_each(|source| source.forget());
    }

    /// The commands that are valid now, and the macros.
    fn names(&self, line: &str, cursor: usize) -> Vec<Row> {
        let flags = self.0.standing.flags();
        let commands = commands::COMMANDS.iter().filter(|command| command.is_valid(flags).is_ok());
        let items = commands.map(|command| Item::new(format!(".{}", command.name), command.about));
        // A command wins over a macro of its name (R5).
        let (macros, enabled) = (self.0.standing.macros(), self.0.standing.enabled_macros());
        let macros = macros.chosen(&enabled).filter(|known| commands::find(&known.name).is_none());
        let macros = macros.map(|known| Item::new(format!(".{}", known.name), known.description.as_str()));
        offer(line, cursor, items.chain(macros))
    }

    /// Whether this is the name of a command or of a macro.
    pub(super) fn knows(&self, name: &str) -> bool {
        commands::find(name).is_some() || self.0.standing.macros().get(name).is_some()
    }
}

impl fmt::Debug for Completions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Completions").finish_non_exhaustive()
    }
}

/// Something that may stand at the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    value: String,
    about: String,
    /// More of the same word may follow: a directory.
    open: bool,
}

impl Item {
    /// A word, and what it is.
    pub(crate) fn new(value: impl Into<String>, about: impl Into<String>) -> Self {
        Self { value: value.into(), about: about.into(), open: false }
    }

    /// The same, where more of the word may follow.
    #[must_use]
    pub(crate) fn open(mut self) -> Self {
        self.open = true;
        self
    }
}

/// The most characters of a row's name and of its description.
const NAME_SHOWN: usize = 60;
const ABOUT_SHOWN: usize = 120;

/// The rows of those that fit what is typed at the cursor, the best first, at most [`MAX_ROWS`].
pub(crate) fn offer(line: &str, cursor: usize, items: impl IntoIterator<Item = Item>) -> Vec<Row> {
    let lexed = Line::lex(line);
    let place = lexed.at(cursor);
    let typed = place.typed.value().to_lowercase();
    let mut ranked: Vec<(u8, Item)> = items
        .into_iter()
        .filter(|item| can_be_typed(&item.value))
        .filter_map(|item| Some((rank(&typed, &item.value.to_lowercase())?, item)))
        .collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    // Letters that are only scattered in a name count when nothing holds them together.
    let apart = ranked.partition_point(|(rank, _)| *rank < SCATTERED);
    if apart > 0 {
        ranked.truncate(apart);
    }
    ranked.truncate(MAX_ROWS);
    let span = place.typed.span().start..place.word_end;
    let before_blank = line.get(place.word_end..).is_some_and(|rest| rest.starts_with(char::is_whitespace));
    let row = |item: Item| Row {
        display: shown_line(&item.value, NAME_SHOWN).to_string(),
        description: (!item.about.is_empty()).then(|| shown_line(&item.about, ABOUT_SHOWN).to_string()),
        value: quote(&item.value),
        span: span.clone(),
        append_space: !before_blank && !item.open,
    };
    ranked.into_iter().map(|(_, item)| row(item)).collect()
}

/// The rank of a name that holds what is typed only in parts.
const SCATTERED: u8 = 2;

/// A control or invisible character would reach the terminal through the editor (S46).
fn can_be_typed(name: &str) -> bool {
    !name.is_empty() && shown_line(name, usize::MAX).to_string() == name
}

/// How well `typed` fits: at the start, inside, or its characters in order. `None` when it does not.
fn rank(typed: &str, name: &str) -> Option<u8> {
    if name.starts_with(typed) {
        return Some(0);
    }
    if name.contains(typed) {
        return Some(1);
    }
    let mut rest = name.chars();
    typed.chars().all(|wanted| rest.any(|c| c == wanted)).then_some(SCATTERED)
}

#[cfg(test)]
mod tests;
