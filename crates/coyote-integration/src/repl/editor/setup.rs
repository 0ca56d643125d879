//! The line editor as the user's configuration wants it.

use super::{
    blocks::Blocks,
    completer::Background,
    hand::{Hand, Handed},
    keys::mode,
    menu::menu,
    prompt::{Face, Painter},
};
use crate::{
    config::{Keybindings, private_dir},
    repl::{complete::Completions, printer::Printer},
};
use mcp_catalog::deadline::LOOK;
use nu_ansi_term::{Color, Style};
use reedline::{DefaultHinter, ExternalPrinter, FileBackedHistory, Reedline};
use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// How many texts the history keeps.
const HISTORY: usize = 2_000;
/// Portions between two looks; more wait in the printer.
const PORTIONS: usize = 4;

/// What the editor is built from.
pub(crate) struct Setup {
    /// The first prompt.
    pub(crate) prompt: String,
    /// `keybindings`.
    pub(crate) keybindings: Keybindings,
    /// Whether text is coloured.
    pub(crate) colours: bool,
    /// Whether what is typed is, at first.
    pub(crate) highlight: bool,
    /// The file of the history; `None` keeps it in memory.
    pub(crate) history: Option<PathBuf>,
    /// The words of the external editor: a program and its arguments.
    pub(crate) editor: Arc<[String]>,
    /// The file that it edits.
    pub(crate) scratch: PathBuf,
    /// What completes the line.
    pub(crate) completions: Completions,
}

type Repaint = Arc<dyn Fn() + Send + Sync>;

impl Setup {
    pub(super) fn build(self, printer: &Printer, face: &Face, hand: &Hand) -> (Reedline, Repaint) {
        let above = ExternalPrinter::new(PORTIONS);
        let completer = Background::new(self.completions.clone(), printer.clone(), above.sender());
        face.highlight(self.highlight);
        let colours = Painter { face: face.clone(), colours: self.colours, completions: self.completions };
        let keys = Handed { keys: mode(self.keybindings), hand: hand.clone() };
        let mut editor = Reedline::create()
            .use_bracketed_paste(true)
            .with_ansi_colors(self.colours)
            .with_edit_mode(Box::new(keys))
            .with_validator(Box::new(Blocks))
            .with_completer(Box::new(completer))
            .with_menu(menu())
            .with_quick_completions(true)
            .with_highlighter(Box::new(colours))
            .with_history_exclusion_prefix(Some(" ".to_owned()))
            .with_external_printer(above)
            .with_poll_interval(LOOK)
            .with_break_signal(hand.wanted());
        if self.colours {
            editor =
                editor.with_hinter(Box::new(DefaultHinter::default().with_style(Style::new().fg(Color::DarkGray))));
        }
        if let Some(history) = self.history.as_deref().and_then(|file| open_history(file).ok()) {
            editor = editor.with_history(Box::new(history));
        }
        let signal = editor.repaint_signal();
        (editor, Arc::new(move || signal.request_repaint()))
    }
}

/// The history of earlier runs; its file is the user's alone (S47).
fn open_history(file: &Path) -> io::Result<FileBackedHistory> {
    if let Some(dir) = file.parent() {
        private_dir(dir)?;
    }
    let mut options = fs::OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)?;
    FileBackedHistory::with_file(HISTORY, file.to_owned()).map_err(io::Error::other)
}
