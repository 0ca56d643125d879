//! The keys that end what the line editor does, taken before it sees them: Ctrl-C and Ctrl-O (S13).
//!
//! Left alone, the editor forgets the text at Ctrl-C, and the keys that came in one read with it. So Ctrl-C while something
//! runs is told and is no key for the editor, whose text stays; at rest it is the editor's, and the keys behind it are kept.
//! Ctrl-O is told too: the editor would start the same program for ever, and say nothing of how it ended.

use super::Input;
use crate::typed_ahead::is_ctrl;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use reedline::{EditMode, PromptEditMode, PromptViMode, ReedlineEvent, ReedlineRawEvent};
use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};
use tokio::sync::mpsc::UnboundedSender;

/// What the keys and the rest of the program share.
#[derive(Debug, Clone)]
pub(super) struct Hand {
    told: UnboundedSender<Input>,
    /// Ends the read that goes on.
    wanted: Arc<AtomicBool>,
    busy: Arc<AtomicBool>,
    edit: Arc<AtomicBool>,
    late: Arc<Mutex<Option<Vec<Event>>>>,
}

impl Hand {
    /// What it takes is told there.
    pub(super) fn new(told: UnboundedSender<Input>) -> Self {
        Self { told, wanted: Arc::default(), busy: Arc::default(), edit: Arc::default(), late: Arc::default() }
    }

    /// Ends the read that goes on, when it is set.
    pub(super) fn wanted(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.wanted)
    }

    /// Whether something runs that Ctrl-C stops.
    pub(super) fn set_busy(&self, busy: bool) {
        self.busy.store(busy, Ordering::Release);
    }

    /// Whether the text is to be edited elsewhere; told once.
    pub(super) fn takes_edit(&self) -> bool {
        self.edit.swap(false, Ordering::AcqRel)
    }

    /// The keys behind the one that ended a read.
    pub(super) fn late_keys(&self) -> Vec<Event> {
        self.late().take().unwrap_or_default()
    }

    fn late(&self) -> MutexGuard<'_, Option<Vec<Event>>> {
        self.late.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The keys of a style, behind a hand.
pub(super) struct Handed {
    pub(super) keys: Box<dyn EditMode>,
    pub(super) hand: Hand,
}

impl EditMode for Handed {
    fn parse_event(&mut self, event: ReedlineRawEvent) -> ReedlineEvent {
        let event = Event::from(event);
        let hand = &self.hand;
        if let Some(late) = hand.late().as_mut() {
            late.push(event);
            return ReedlineEvent::None;
        }
        if is_ctrl(&event, 'c') {
            if hand.busy.load(Ordering::Acquire) {
                // Nobody listens when the REPL ends.
                let _ = hand.told.send(Input::Interrupted);
                return ReedlineEvent::None;
            }
            *hand.late() = Some(Vec::new());
            return ReedlineEvent::CtrlC;
        }
        if is_ctrl(&event, 'o') {
            *hand.late() = Some(Vec::new());
            hand.edit.store(true, Ordering::Release);
            hand.wanted.store(true, Ordering::Release);
            return ReedlineEvent::None;
        }
        let event = if self.keys.edit_mode() == VISUAL && is_delete(&event) { D } else { event };
        ReedlineRawEvent::try_from(event).map_or(ReedlineEvent::None, |event| self.keys.parse_event(event))
    }

    fn edit_mode(&self) -> PromptEditMode {
        self.keys.edit_mode()
    }
}

/// The one mode whose keys send the editor's own event for another mode, which passes no hand: Delete does, and means `d`.
const VISUAL: PromptEditMode = PromptEditMode::Vi(PromptViMode::Visual);
const D: Event = Event::Key(KeyEvent::new(KeyCode::Char('d'), KeyModifiers::NONE));

fn is_delete(event: &Event) -> bool {
    matches!(event, Event::Key(KeyEvent { code: KeyCode::Delete, modifiers: KeyModifiers::NONE, .. }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{config::Keybindings, repl::editor::keys::mode};
    use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

    fn handed(style: Keybindings) -> (Handed, UnboundedReceiver<Input>) {
        let (told, inputs) = unbounded_channel();
        (Handed { keys: mode(style), hand: Hand::new(told) }, inputs)
    }

    fn press(handed: &mut Handed, code: KeyCode, modifiers: KeyModifiers) -> ReedlineEvent {
        let event = Event::Key(KeyEvent::new(code, modifiers));
        handed.parse_event(ReedlineRawEvent::try_from(event).unwrap())
    }

    #[test]
    fn ctrl_c_is_the_editors_at_rest_and_keys_behind_it_are_kept_s13() {
        for style in [Keybindings::Emacs, Keybindings::Vi] {
            let (mut handed, mut inputs) = handed(style);
            assert_eq!(press(&mut handed, KeyCode::Char('c'), KeyModifiers::CONTROL), ReedlineEvent::CtrlC);
            assert_eq!(press(&mut handed, KeyCode::Char('x'), KeyModifiers::NONE), ReedlineEvent::None);
            assert!(inputs.try_recv().is_err(), "the editor tells it");
            let late = Event::Key(KeyEvent::new(KeyCode::Char('x'), KeyModifiers::NONE));
            assert_eq!(handed.hand.late_keys(), [late]);
            assert_ne!(press(&mut handed, KeyCode::Char('x'), KeyModifiers::NONE), ReedlineEvent::None);
        }
    }

    #[test]
    fn ctrl_c_while_something_runs_is_told_and_no_key_s13() {
        let (mut handed, mut inputs) = handed(Keybindings::Emacs);
        handed.hand.set_busy(true);
        assert_eq!(press(&mut handed, KeyCode::Char('c'), KeyModifiers::CONTROL), ReedlineEvent::None);
        assert_eq!(inputs.try_recv().unwrap(), Input::Interrupted);
        assert_ne!(press(&mut handed, KeyCode::Char('x'), KeyModifiers::NONE), ReedlineEvent::None);
    }

    #[test]
    fn ctrl_o_ends_the_read_once() {
        let (mut handed, _inputs) = handed(Keybindings::Emacs);
        press(&mut handed, KeyCode::Char('o'), KeyModifiers::CONTROL);
        assert!(handed.hand.wanted().load(Ordering::Acquire));
        assert!(handed.hand.takes_edit() && !handed.hand.takes_edit());
    }

    #[test]
    fn delete_leaves_the_visual_mode_of_vi() {
        let (mut handed, _inputs) = handed(Keybindings::Vi);
        press(&mut handed, KeyCode::Esc, KeyModifiers::NONE);
        press(&mut handed, KeyCode::Char('v'), KeyModifiers::NONE);
        assert_eq!(handed.edit_mode(), VISUAL);
        press(&mut handed, KeyCode::Delete, KeyModifiers::NONE);
        assert_eq!(handed.edit_mode(), PromptEditMode::Vi(PromptViMode::Normal));
    }
}
