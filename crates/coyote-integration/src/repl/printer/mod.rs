//! What the REPL shows while its prompt stands: a queue that the editor's thread empties above the prompt, a little at a
//! time, so that neither a long answer nor a slow terminal delays a key.
//!
//! It takes whole lines; an unfinished one waits for its end. Its text is safe to show: foreign parts were escaped by
//! whoever hands it in (S46). While somebody else has the terminal, lines wait.

use std::{
    collections::VecDeque,
    io::{self, Write},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The most lines, and the bytes after which no further line is added, of one portion.
const PORTION_LINES: usize = 48;
const PORTION: usize = 8_192;
/// A queue of more portions than these is a backlog: it would still be shown when the second that Ctrl-C has is over (S13).
const BACKLOG: usize = 8;
/// The longest line; what is longer is broken, so that a text without line ends is shown as it comes.
const LONGEST_LINE: usize = 4_096;

/// The queue.
#[derive(Debug, Clone, Default)]
pub(crate) struct Printer(Arc<Mutex<Queue>>);

#[derive(Debug, Default)]
struct Queue {
    lines: VecDeque<String>,
    unfinished: String,
    /// Nothing is handed out: the terminal is somebody else's.
    held: bool,
}

impl Printer {
    /// Takes text; its last line waits until it is ended.
    pub(super) fn write(&self, text: &str) {
        let mut queue = self.queue();
        let mut lines = text.split('\n');
        queue.unfinished.push_str(lines.next().unwrap_or_default());
        for line in lines {
            let ended = std::mem::replace(&mut queue.unfinished, line.to_owned());
            queue.push(&ended);
        }
        while queue.unfinished.len() > LONGEST_LINE {
            let end = queue.unfinished.floor_char_boundary(LONGEST_LINE);
            let rest = queue.unfinished.split_off(end);
            let full = std::mem::replace(&mut queue.unfinished, rest);
            queue.lines.push_back(full);
        }
    }

    /// Takes whole lines.
    pub(super) fn print(&self, text: &str) {
        let mut queue = self.queue();
        let text = text.strip_suffix('\n').unwrap_or(text);
        text.split('\n').for_each(|line| queue.push(line));
    }

    /// The next portion, each line ended; `None` when nothing waits.
    pub(super) fn portion(&self) -> Option<String> {
        let mut queue = self.queue();
        let mut portion = String::new();
        if queue.held {
            return None;
        }
        for _ in 0..PORTION_LINES {
            if portion.len() >= PORTION {
                break;
            }
            let Some(line) = queue.lines.pop_front() else { break };
            portion.push_str(&line);
            portion.push('\n');
        }
        (!portion.is_empty()).then_some(portion)
    }

    /// Drops what waits when it is more than can be shown soon, its unfinished line too: the user stopped it (S13). How many
    /// lines that were.
    pub(super) fn drop_backlog(&self) -> usize {
        let mut queue = self.queue();
        let bytes: usize = queue.lines.iter().map(String::len).sum();
        if queue.lines.len() <= PORTION_LINES * BACKLOG && bytes <= PORTION * BACKLOG {
            return 0;
        }
        queue.unfinished.clear();
        std::mem::take(&mut queue.lines).len()
    }

    /// Hands nothing out from now on, or again.
    pub(super) fn hold(&self, held: bool) {
        self.queue().held = held;
    }

    /// Everything that waits, its unfinished line too, to stderr: for the moment when no prompt stands.
    pub(super) fn flush(&self) {
        let rest = {
            let mut queue = self.queue();
            let mut rest: String = queue.lines.drain(..).flat_map(|line| [line, "\r\n".to_owned()]).collect();
            rest.push_str(&std::mem::take(&mut queue.unfinished));
            rest
        };
        raw(&rest);
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    fn push(&mut self, mut line: &str) {
        while line.len() > LONGEST_LINE {
            let (full, rest) = line.split_at(line.floor_char_boundary(LONGEST_LINE));
            self.lines.push_back(full.to_owned());
            line = rest;
        }
        self.lines.push_back(line.to_owned());
    }
}

impl Write for Printer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Self::write(self, &String::from_utf8_lossy(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes to the screen that the line editor paints, which is stderr. A terminal that is gone is noticed by the editor.
pub(super) fn raw(text: &str) {
    let mut stderr = io::stderr().lock();
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_waits_for_its_end_and_empty_lines_stay() {
        let printer = Printer::default();
        printer.write("one");
        assert_eq!(printer.portion(), None);
        printer.write(" more\n\nthree\nfo");
        assert_eq!(printer.portion().as_deref(), Some("one more\n\nthree\n"));
        assert_eq!(printer.portion(), None);
        printer.print("whole\n");
        printer.hold(true);
        assert_eq!(printer.portion(), None);
        printer.hold(false);
        assert_eq!(printer.portion().as_deref(), Some("whole\n"));
    }

    #[test]
    fn a_backlog_is_dropped_whole_and_a_few_lines_are_never_s13() {
        let printer = Printer::default();
        let few = PORTION_LINES * BACKLOG;
        printer.write(&"x\n".repeat(few));
        assert_eq!(printer.drop_backlog(), 0);
        printer.write("y\nunfinished");
        assert_eq!((printer.drop_backlog(), printer.portion()), (few + 1, None));
        printer.write(&"x".repeat(PORTION * BACKLOG + LONGEST_LINE * 2));
        assert!(printer.drop_backlog() > 0, "few lines, and long ones");
        printer.write("what follows\n");
        assert_eq!(printer.portion().as_deref(), Some("what follows\n"));
    }

    #[test]
    fn a_long_text_comes_in_portions_and_none_of_it_is_lost() {
        let printer = Printer::default();
        let text = (0..500).map(|n| n.to_string()).collect::<Vec<_>>().join("\n") + "\n";
        printer.print(&text);
        let portions: Vec<String> = std::iter::from_fn(|| printer.portion()).collect();
        assert!(portions.len() > 5 && portions.iter().all(|portion| portion.lines().count() <= PORTION_LINES));
        assert_eq!(portions.concat(), text);
        let endless = "é".repeat(1 << 20);
        printer.write(&endless);
        let portions: Vec<String> = std::iter::from_fn(|| printer.portion()).collect();
        assert!(portions.iter().all(|portion| portion.len() <= PORTION + LONGEST_LINE + 1));
        printer.write("\n");
        let left = printer.portion().unwrap();
        assert_eq!((portions.concat() + &left).replace('\n', ""), endless);
    }
}
