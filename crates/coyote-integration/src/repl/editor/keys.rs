//! What the keys do: those of emacs or vi as the line editor has them, and ours.

use crate::config::Keybindings as Style;
use reedline::{
    EditCommand, EditMode, Emacs, KeyCode, KeyModifiers, Keybindings, ReedlineEvent, Vi, default_emacs_keybindings,
    default_vi_insert_keybindings, default_vi_normal_keybindings, default_vi_visual_keybindings,
};

/// The name of the menu that Tab opens.
pub(super) const MENU: &str = "completion_menu";

/// The keys of a style.
pub(super) fn mode(style: Style) -> Box<dyn EditMode> {
    match style {
        Style::Emacs => Box::new(Emacs::new(with_ours(default_emacs_keybindings()))),
        Style::Vi => {
            let normal = with_ours(default_vi_normal_keybindings());
            let visual = default_vi_visual_keybindings();
            Box::new(Vi::new(with_ours(default_vi_insert_keybindings()), normal, visual))
        }
    }
}

fn with_ours(mut keys: Keybindings) -> Keybindings {
    let complete = ReedlineEvent::UntilFound(vec![ReedlineEvent::Menu(MENU.to_owned()), ReedlineEvent::MenuNext]);
    keys.add_binding(KeyModifiers::NONE, KeyCode::Tab, complete);
    keys.add_binding(KeyModifiers::SHIFT, KeyCode::BackTab, ReedlineEvent::MenuPrevious);
    let newline = || ReedlineEvent::Edit(vec![EditCommand::InsertNewline]);
    keys.add_binding(KeyModifiers::CONTROL, KeyCode::Char('j'), newline());
    keys.add_binding(KeyModifiers::ALT, KeyCode::Enter, newline());
    keys
}
