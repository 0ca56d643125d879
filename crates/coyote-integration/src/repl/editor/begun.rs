//! The text that is being typed, while the line editor does not have it: keys that came when nobody read them become text
//! and lines as the editor would have made them.
//!
//! Keys that are no text move nothing here; what they would have done to a text that nobody saw is not guessed.

use super::{Input, blocks::Blocks};
use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use reedline::{ValidationResult, Validator};

/// The text and its cursor, in bytes from its start.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Begun {
    text: String,
    cursor: usize,
}

impl Begun {
    /// What stood in the editor.
    pub(super) const fn of(text: String, cursor: usize) -> Self {
        Self { text, cursor }
    }

    /// A text with the cursor at its end.
    pub(super) const fn whole(text: String) -> Self {
        let cursor = text.len();
        Self { text, cursor }
    }

    /// Whether there is nothing.
    pub(super) const fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The text and its cursor.
    pub(super) fn parts(self) -> (String, usize) {
        (self.text, self.cursor)
    }

    /// The text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Takes keys in their order. What is told of them: each line that Enter ended, and Ctrl-C, which takes no text away.
    pub(super) fn press(&mut self, keys: impl IntoIterator<Item = Event>) -> Vec<Input> {
        keys.into_iter().filter_map(|key| self.key(&key)).collect()
    }

    /// Takes text in which a line feed is Enter.
    pub(super) fn write(&mut self, text: &str) -> Vec<Input> {
        let mut told = Vec::new();
        for c in text.chars() {
            if c == '\n' {
                told.extend(self.enter());
            } else {
                self.insert(c.encode_utf8(&mut [0; 4]));
            }
        }
        told
    }

    fn key(&mut self, event: &Event) -> Option<Input> {
        let (code, modifiers) = match event {
            Event::Paste(text) => {
                self.insert(&text.replace("\r\n", "\n").replace('\r', "\n"));
                return None;
            }
            Event::Key(KeyEvent { kind: KeyEventKind::Release, .. }) => return None,
            Event::Key(KeyEvent { code, modifiers, .. }) => (*code, *modifiers),
            _ => return None,
        };
        match (code, modifiers) {
            (KeyCode::Char('c'), KeyModifiers::CONTROL) => return Some(Input::Interrupted),
            (KeyCode::Char('j'), KeyModifiers::CONTROL) | (KeyCode::Enter, KeyModifiers::ALT) => self.insert("\n"),
            (KeyCode::Char(c), KeyModifiers::NONE | KeyModifiers::SHIFT) => self.insert(c.encode_utf8(&mut [0; 4])),
            (KeyCode::Enter, _) => return self.enter(),
            (KeyCode::Backspace, _) => self.backspace(),
            _ => {}
        }
        None
    }

    fn enter(&mut self) -> Option<Input> {
        if matches!(Blocks.validate(&self.text), ValidationResult::Incomplete) {
            self.insert("\n");
            return None;
        }
        Some(Input::Ahead(std::mem::take(self).text))
    }

    fn insert(&mut self, text: &str) {
        let at = self.text.floor_char_boundary(self.cursor);
        self.text.insert_str(at, text);
        self.cursor = at + text.len();
    }

    fn backspace(&mut self) {
        let at = self.text.floor_char_boundary(self.cursor);
        if let Some((before, _)) = self.text.get(..at).and_then(|before| before.char_indices().next_back()) {
            self.text.remove(before);
            self.cursor = before;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(code: KeyCode, modifiers: KeyModifiers) -> Event {
        Event::Key(KeyEvent::new(code, modifiers))
    }

    fn typed(text: &str) -> Vec<Event> {
        let code = |c| match c {
            '\r' => KeyCode::Enter,
            '\u{7f}' => KeyCode::Backspace,
            c => KeyCode::Char(c),
        };
        text.chars().map(|c| key(code(c), KeyModifiers::NONE)).collect()
    }

    fn lines(told: &[Input]) -> Vec<&str> {
        told.iter().map(|input| if let Input::Ahead(line) = input { line.as_str() } else { "?" }).collect()
    }

    #[test]
    fn keys_go_where_the_cursor_stands_and_enter_makes_a_line_of_all_of_it() {
        let mut begun = Begun::of("a text".to_owned(), 2);
        assert_eq!(lines(&begun.press(typed("long \u{e4}x\u{7f}\rnext\rha\u{7f}"))), ["a long \u{e4}text", "next"]);
        assert_eq!(begun.parts(), ("h".to_owned(), 1));
    }

    #[test]
    fn an_open_block_a_paste_and_ctrl_j_keep_their_line_ends() {
        let mut begun = Begun::default();
        assert_eq!(lines(&begun.press(typed(":::\r!rm\r:::\r"))), [":::\n!rm\n:::"]);
        let keys = [Event::Paste("one\r\ntwo".to_owned()), key(KeyCode::Char('j'), KeyModifiers::CONTROL)];
        assert!(begun.press(keys).is_empty());
        assert_eq!(begun.text(), "one\ntwo\n");
    }

    #[test]
    fn ctrl_c_is_told_and_takes_no_text_away_and_other_keys_are_no_text() {
        let mut begun = Begun::whole("half".to_owned());
        let keys = [
            key(KeyCode::Left, KeyModifiers::NONE),
            key(KeyCode::Char('x'), KeyModifiers::ALT),
            key(KeyCode::Char('c'), KeyModifiers::CONTROL),
            Event::Resize(1, 1),
        ];
        assert_eq!(begun.press(keys), [Input::Interrupted]);
        assert_eq!(begun.text(), "half");
    }

    #[test]
    fn text_without_keys_is_read_by_its_line_ends() {
        let mut begun = Begun::default();
        assert_eq!(lines(&begun.write("one\n\ntwo")), ["one", ""]);
        assert_eq!(begun.text(), "two");
    }
}
