//! The model that is taken where a client of a named provider names none.
//!
//! One name a provider, as the examples of the genai library 0.7.2 have it; nobody was asked whether it is still there, and
//! nothing is said of its limits. A provider that no longer has it answers so, and any other name is used by naming it.

use crate::config::ClientKind;

/// The first choice of a kind. An Ollama tells what it has, and a compatible API's models are its user's to name.
pub(super) const fn first_choice(kind: ClientKind) -> Option<&'static str> {
    match kind {
        ClientKind::OpenAi => Some("gpt-6-luna"),
        ClientKind::Claude => Some("claude-haiku-5-5"),
        ClientKind::Gemini => Some("gemini-3.5-flash-lite"),
        ClientKind::Ollama | ClientKind::OpenAiCompatible => None,
    }
}
