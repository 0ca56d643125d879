//! The arguments of the commands of the table, each by its kind.
//!
//! What stands in directories is read off the async threads and kept for the life of the line.

use super::{Answer, ArgumentSource, Item, listing, offer};
use crate::repl::{
    commands::{Argument, Completes, find},
    standing::Standing,
};
use mcp_prompt_repl::{Line, Typed};
use std::{
    collections::HashMap,
    path::{MAIN_SEPARATOR, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

/// Everything that the table describes by kinds alone.
pub(super) struct Arguments {
    standing: Standing,
    kept: Arc<Mutex<HashMap<Wanted, Vec<Item>>>>,
}

/// A listing that takes a look at the disk.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Wanted {
    Roles,
    /// The sessions in this directory.
    Sessions(PathBuf),
    Agents,
    Macros,
    /// The files in the directory that this typed path names.
    Files(String),
}

impl Arguments {
    pub(super) fn new(standing: Standing) -> Self {
        Self { standing, kept: Arc::default() }
    }

    fn kept(&self, wanted: &Wanted) -> Option<Vec<Item>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(wanted).cloned()
    }

    fn listed(&self, line: &str, cursor: usize, wanted: Wanted) -> Answer {
        if let Some(items) = self.kept(&wanted) {
            return Answer::Rows(offer(line, cursor, items));
        }
        let (kept, standing) = (Arc::clone(&self.kept), self.standing.clone());
        Answer::Work(Box::pin(async move {
            let read = tokio::task::spawn_blocking({
                let wanted = wanted.clone();
                move || listing::read(&standing, &wanted)
            });
            let items = read.await.unwrap_or_default();
            kept.lock().unwrap_or_else(PoisonError::into_inner).insert(wanted, items);
        }))
    }
}

impl ArgumentSource for Arguments {
    fn complete(&self, line: &str, cursor: usize) -> Answer {
        let nothing = Answer::Rows(Vec::new());
        let Typed::Command(command) = Typed::read(line) else { return nothing };
        let Some(Completes::Arguments(arguments)) = find(command.name()).map(|command| command.completes) else {
            return nothing;
        };
        let lexed = Line::lex(line);
        let place = lexed.at(cursor);
        let at = place.before.len() - 1;
        // The last kind stands for all that follow, if it may be repeated.
        let kind = arguments.get(at).or_else(|| arguments.last().filter(|kind| kind.repeats()));
        let Some(kind) = kind else { return nothing };
        let flags = self.standing.flags();
        match kind {
            Argument::Text => nothing,
            Argument::Words(words) => {
                let valid = words.iter().filter(|word| word.needs.iter().all(|need| need.holds(flags)));
                Answer::Rows(offer(line, cursor, valid.map(|word| Item::new(word.name, word.about))))
            }
            Argument::Command => {
                let commands = crate::repl::commands::COMMANDS.iter();
                Answer::Rows(offer(line, cursor, commands.map(|command| Item::new(command.name, command.about))))
            }
            Argument::Model => Answer::Rows(offer(line, cursor, listing::models(&self.standing))),
            Argument::Server => Answer::Rows(offer(line, cursor, listing::servers(&self.standing))),
            Argument::Setting => Answer::Rows(offer(line, cursor, listing::settings())),
            Argument::SettingValue => {
                let key = place.before.get(1).map(|word| word.value().to_owned()).unwrap_or_default();
                Answer::Rows(offer(line, cursor, listing::values(&self.standing, &key)))
            }
            Argument::Role => self.listed(line, cursor, Wanted::Roles),
            Argument::Session => self.listed(line, cursor, Wanted::Sessions(self.standing.sessions_dir())),
            Argument::Agent => self.listed(line, cursor, Wanted::Agents),
            Argument::Macro => self.listed(line, cursor, Wanted::Macros),
            Argument::File => {
                let typed = place.typed.value();
                let dir = typed.rfind(['/', MAIN_SEPARATOR]).and_then(|at| typed.get(..=at)).unwrap_or_default();
                self.listed(line, cursor, Wanted::Files(dir.to_owned()))
            }
        }
    }

    fn forget(&self) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
