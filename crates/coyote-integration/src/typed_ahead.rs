//! What was typed before a question was shown: it answers no question (S40).
//!
//! Who types ahead cannot know what will be asked. So whatever waits at the terminal when a question has been shown is taken
//! out of its way and kept for the prompt of the REPL, where it was meant for; a command without a prompt forgets it.

use crossterm::{
    event::{self, Event, KeyCode, KeyEvent, KeyModifiers},
    terminal,
};
use mcp_render::TYPED_AHEAD_BYTES;
use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// What was set aside before the line editor was there.
static KEPT: Mutex<Vec<Event>> = Mutex::new(Vec::new());

/// Takes every key that waits, from a terminal that hands keys out one by one. It waits for none.
pub(crate) fn waiting() -> Vec<Event> {
    let mut keys = Vec::new();
    // A terminal that is gone has no key.
    while event::poll(Duration::ZERO).unwrap_or(false) {
        match event::read() {
            Ok(key) if keys.len() < TYPED_AHEAD_BYTES => keys.push(key),
            // More than anybody types: it goes, since it must not answer.
            Ok(_) => {}
            Err(_) => break,
        }
    }
    keys
}

/// Sets aside what waits at a terminal that hands out lines; whether Ctrl-C is among it.
pub(crate) fn set_aside() -> bool {
    if terminal::enable_raw_mode().is_err() {
        return false;
    }
    let mut keys = waiting();
    let _ = terminal::disable_raw_mode();
    // Such a terminal has made a line feed of Enter, which reads as Ctrl-J.
    keys.iter_mut().filter(|key| is_ctrl(key, 'j')).for_each(|key| *key = ENTER);
    let stopped = keys.iter().any(|key| is_ctrl(key, 'c'));
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).extend(keys);
    stopped
}

/// What was set aside, handed out once.
pub(crate) fn kept() -> Vec<Event> {
    std::mem::take(&mut KEPT.lock().unwrap_or_else(PoisonError::into_inner))
}

const ENTER: Event = Event::Key(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE));

/// Whether this is that letter with Ctrl.
pub(crate) fn is_ctrl(event: &Event, letter: char) -> bool {
    matches!(event, Event::Key(KeyEvent { code: KeyCode::Char(c), modifiers: KeyModifiers::CONTROL, .. }) if *c == letter)
}
