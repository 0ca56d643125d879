//! `clients[]` of config.yaml: where models are (host.md).
//!
//! Keys stay as they were written, `{{NAME}}` unfilled, until a request needs one (S47).

mod read;

pub(super) use read::{Clients, SecretUse};
use serde::Deserialize;
use std::{path::PathBuf, time::Duration};

/// The kinds of providers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ClientKind {
    /// `openai`.
    OpenAi,
    /// `openai-compatible`.
    OpenAiCompatible,
    /// `claude`.
    Claude,
    /// `gemini`.
    Gemini,
    /// `ollama`.
    Ollama,
}

impl ClientKind {
    /// All, in the order in which they are named.
    pub const ALL: [Self; 5] = [Self::OpenAi, Self::OpenAiCompatible, Self::Claude, Self::Gemini, Self::Ollama];

    /// As config.yaml writes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::OpenAiCompatible => "openai-compatible",
            Self::Claude => "claude",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }
}

/// One client.
#[derive(Debug, Clone, PartialEq)]
pub struct ClientConfig {
    /// Its kind.
    pub kind: ClientKind,
    /// Its name, which stands before the colon in `client:model`.
    pub name: String,
    /// Where its API is, if not at the provider's own address; `{{NAME}}` unfilled.
    pub api_base: Option<String>,
    /// Its key, `{{NAME}}` unfilled. Without one `<NAME>_API_KEY` counts.
    pub api_key: Option<String>,
    /// Its models. Empty means that any name is taken, and that the provider knows which there are.
    pub models: Vec<ModelConfig>,
    /// A proxy.
    pub proxy: Option<String>,
    /// Until a connection stands.
    pub connect_timeout: Option<Duration>,
    /// Between two parts of a reply.
    pub read_timeout: Option<Duration>,
    /// Where its `{{NAME}}`s stand.
    pub secrets: Vec<SecretPlace>,
}

/// A client that the file names and that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedClient {
    /// Its name.
    pub name: String,
    /// Why, with file and line.
    pub why: String,
}

/// Where a client uses a `{{NAME}}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretPlace {
    /// The name.
    pub name: String,
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
}

/// One model of a client.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct ModelConfig {
    /// Its name at the provider.
    pub name: String,
    /// The context window in tokens.
    pub max_input_tokens: Option<u64>,
    /// The longest reply in tokens.
    pub max_output_tokens: Option<u32>,
    /// Whether functions may be declared; unknown means yes.
    pub supports_function_calling: Option<bool>,
    /// Whether pictures may be sent; unknown means yes.
    pub supports_vision: Option<bool>,
}
