//! A model's name as the library has to be given it, so that the provider gets the name that the user wrote.
//!
//! The library takes `-high`, `-low` and such at a name's end for a wish for more or less reasoning, and what stands before
//! `::` for a provider. Both are parts of names that people give to models of their own. It changes no other name.

use crate::config::ClientKind;
use genai::chat::ReasoningEffort;
use serde_json::{Value, json};

/// What the library is given.
pub(super) fn given(name: &str, kind: ClientKind) -> String {
    let effort = ReasoningEffort::from_model_name(name).0.is_some();
    match kind {
        // Here the name is a part of the path: escaped, it is the same one.
        ClientKind::Gemini => {
            let name = name.replace("::", "%3A%3A");
            match name.char_indices().next_back() {
                Some((at, last)) if effort => {
                    format!("{}%{:02X}", name.get(..at).unwrap_or_default(), u32::from(last))
                }
                _ => name,
            }
        }
        // `body` puts the right one into the request.
        ClientKind::OpenAi | ClientKind::OpenAiCompatible | ClientKind::Claude if effort => format!("{name}-"),
        _ => name.to_owned(),
    }
}

/// What the body of a request says in place of what the library makes of the name.
pub(super) fn body(name: &str, kind: ClientKind) -> Option<Value> {
    let in_body = matches!(kind, ClientKind::OpenAi | ClientKind::OpenAiCompatible | ClientKind::Claude);
    let differs = given(name, kind) != name || name.contains("::");
    (in_body && differs).then(|| json!({"model": name}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_name_that_would_be_misread_is_changed() {
        for kind in ClientKind::ALL {
            for name in ["gpt-4o", "claude-sonnet-4-5", "high", "qwen3:8b", "a/b", ""] {
                assert_eq!((given(name, kind), body(name, kind)), (name.to_owned(), None));
            }
        }
    }

    #[test]
    fn an_ending_that_looks_like_a_wish_is_a_part_of_the_name() {
        assert_eq!(given("box-high", ClientKind::OpenAi), "box-high-");
        assert_eq!(body("box-high", ClientKind::Claude), Some(json!({"model": "box-high"})));
        assert_eq!(given("box-high", ClientKind::Gemini), "box-hig%68");
        assert_eq!(given("box-high", ClientKind::Ollama), "box-high");
        assert_eq!(body("team::box", ClientKind::OpenAi), Some(json!({"model": "team::box"})));
    }
}
