//! The menu of Tab, which says nothing when there is nothing to offer: a completion is silent on every failure (S45).
//!
//! It is the line editor's own in every other respect.

use super::keys::MENU;
use reedline::{
    ColumnarMenu, Completer, Editor, Menu, MenuBuilder, MenuEvent, MenuSettings, Painter, ReedlineMenu, Suggestion,
};

/// The menu.
pub(super) fn menu() -> ReedlineMenu {
    let menu = ColumnarMenu::default().with_name(MENU).with_columns(1).with_marker("");
    ReedlineMenu::EngineCompleter(Box::new(Quiet(menu)))
}

/// A menu that is not there while it is empty.
struct Quiet(ColumnarMenu);

impl Quiet {
    fn is_empty(&self) -> bool {
        self.0.get_values().is_empty()
    }
}

impl Menu for Quiet {
    fn settings(&self) -> &MenuSettings {
        self.0.settings()
    }

    fn is_active(&self) -> bool {
        self.0.is_active()
    }

    fn set_active(&mut self, active: bool) {
        self.0.set_active(active);
    }

    fn clear_input(&mut self) {
        self.0.clear_input();
    }

    fn on_activate(&mut self) {
        self.0.on_activate();
    }

    fn on_deactivate(&mut self) {
        self.0.on_deactivate();
    }

    fn menu_event(&mut self, event: MenuEvent) {
        self.0.menu_event(event);
    }

    fn can_quick_complete(&self) -> bool {
        self.0.can_quick_complete()
    }

    fn can_partially_complete(
        &mut self,
        values_updated: bool,
        editor: &mut Editor,
        completer: &mut dyn Completer,
    ) -> bool {
        self.0.can_partially_complete(values_updated, editor, completer)
    }

    fn update_values(&mut self, editor: &mut Editor, completer: &mut dyn Completer) {
        self.0.update_values(editor, completer);
    }

    fn reset_position(&mut self) {
        self.0.reset_position();
    }

    fn update_working_details(&mut self, editor: &mut Editor, completer: &mut dyn Completer, painter: &Painter) {
        self.0.update_working_details(editor, completer, painter);
    }

    fn replace_in_buffer(&self, editor: &mut Editor) {
        self.0.replace_in_buffer(editor);
    }

    fn menu_required_lines(&self, columns: u16) -> u16 {
        if self.is_empty() { 0 } else { self.0.menu_required_lines(columns) }
    }

    fn menu_string(&self, rows: u16, colours: bool) -> String {
        if self.is_empty() { String::new() } else { self.0.menu_string(rows, colours) }
    }

    fn min_rows(&self) -> u16 {
        if self.is_empty() { 0 } else { self.0.min_rows() }
    }

    fn get_values(&self) -> &[Suggestion] {
        self.0.get_values()
    }

    fn results_are_provisional(&self) -> bool {
        self.0.results_are_provisional()
    }

    fn is_awaiting_first_answer(&self) -> bool {
        self.0.is_awaiting_first_answer()
    }

    fn is_visible(&self) -> bool {
        !self.is_empty() && self.0.is_visible()
    }
}
