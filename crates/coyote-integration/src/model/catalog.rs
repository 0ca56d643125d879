//! The models of the four named providers that are offered where a client names none.
//!
//! These are facts of November 2026 as the providers published them, not asked of anyone: a model that is missing here is
//! used by naming it under `models`. Few on purpose: each line grows old.

use crate::config::{ClientKind, ModelConfig};

/// One known model: its name, its context window and its longest reply in tokens.
type Known = (&'static str, u64, u32);

const OPENAI: &[Known] = &[
    ("gpt-5", 272_000, 128_000),
    ("gpt-5-mini", 272_000, 128_000),
    ("gpt-4.1", 1_047_576, 32_768),
    ("gpt-4o", 128_000, 16_384),
    ("gpt-4o-mini", 128_000, 16_384),
];

const CLAUDE: &[Known] = &[
    ("claude-sonnet-4-5", 200_000, 64_000),
    ("claude-opus-4-1", 200_000, 32_000),
    ("claude-haiku-4-5", 200_000, 64_000),
];

const GEMINI: &[Known] = &[("gemini-2.5-flash", 1_048_576, 65_536), ("gemini-2.5-pro", 1_048_576, 65_536)];

/// The known models of a kind, the default first. What an Ollama has is asked of it, and a compatible API's models are its
/// user's to name.
pub(super) fn known(kind: ClientKind) -> Vec<ModelConfig> {
    let known = match kind {
        ClientKind::OpenAi => OPENAI,
        ClientKind::Claude => CLAUDE,
        ClientKind::Gemini => GEMINI,
        ClientKind::Ollama | ClientKind::OpenAiCompatible => &[],
    };
    known.iter().map(model).collect()
}

/// The longest reply asked of a Claude model that nobody says more of: its API wants a number, and every model since
/// Claude 3.5 takes this one.
pub(super) const CLAUDE_REPLY_TOKENS: u32 = 8_192;

fn model(&(name, input, output): &Known) -> ModelConfig {
    ModelConfig {
        name: name.to_owned(),
        max_input_tokens: Some(input),
        max_output_tokens: Some(output),
        supports_function_calling: Some(true),
        supports_vision: Some(true),
    }
}
