//! The seam between a conversation and a model: our own message types, which also stand in session files.
//!
//! It knows no provider. A model streams into a [`ReplySink`] and answers the whole [`Reply`]; what had arrived of a reply
//! that was cut is in it, beside the fault.

use crate::{
    config::NamedBy,
    functions::{ToolCall, ToolResult},
};
use serde_json::Value;
use std::{fmt, pin::Pin, time::Duration};
use thiserror::Error;
use tokio_util::sync::CancellationToken;

/// One entry of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// What the model is told to be.
    System(String),
    /// What the user says.
    User(Vec<Part>),
    /// What the model answered.
    Assistant {
        /// Its text; may be empty beside calls.
        text: String,
        /// The functions it calls, in its order.
        calls: Vec<ToolCall>,
    },
    /// What the calls of the reply before answered, in call order.
    Results(Vec<ToolResult>),
}

impl Message {
    /// What a user typed.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User(vec![Part::Text(text.into())])
    }
}

/// A part of what the user says.
#[derive(Clone, PartialEq)]
pub enum Part {
    /// Text.
    Text(String),
    /// A picture.
    Image {
        /// Its MIME type.
        mime: String,
        /// Its bytes, as base64.
        data: String,
        /// The name of its file or its URL.
        name: String,
    },
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.debug_tuple("Text").field(text).finish(),
            Self::Image { mime, data, name } => {
                f.debug_struct("Image").field("mime", mime).field("name", name).field("base64", &data.len()).finish()
            }
        }
    }
}

/// A function that a request declares.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    /// Its name (S3).
    pub name: String,
    /// What a model reads.
    pub description: String,
    /// The JSON schema of its arguments.
    pub parameters: Value,
}

/// One request to a model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChatRequest {
    /// The conversation; a system message stands first.
    pub messages: Vec<Message>,
    /// What may be called, fixed for this request.
    pub functions: Vec<Function>,
    /// Sampling temperature.
    pub temperature: Option<f64>,
    /// Nucleus sampling.
    pub top_p: Option<f64>,
    /// Whether the reply is streamed.
    pub stream: bool,
}

/// What a model can do and hold; tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abilities {
    /// The context window, where known.
    pub max_input_tokens: Option<u64>,
    /// The longest reply, where known.
    pub max_output_tokens: Option<u32>,
    /// Whether functions may be declared.
    pub function_calling: bool,
    /// Whether pictures may be sent.
    pub vision: bool,
}

/// Tokens, as the provider counted them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Of the request.
    pub input: u64,
    /// Of the reply.
    pub output: u64,
}

/// A whole reply, or what had arrived of one.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reply {
    /// Its text.
    pub text: String,
    /// Its reasoning, where given; never sent back.
    pub reasoning: String,
    /// The functions it calls. Arguments that were no JSON are a JSON string, and the call answers an error (S38).
    pub calls: Vec<ToolCall>,
    /// What it cost, where told.
    pub usage: Option<Usage>,
    /// Set when the stream broke or was cancelled: what stands above is what had arrived, and its calls are incomplete.
    pub cut: Option<ModelError>,
}

/// Where a reply goes while it arrives. Called from the model's own task; it must return at once.
pub trait ReplySink: Send + Sync {
    /// More text.
    fn text(&self, more: &str);

    /// More reasoning.
    fn reasoning(&self, _more: &str) {}

    /// The request failed and is sent again after `pause`.
    fn retrying(&self, _fault: &ModelError, _pause: Duration) {}
}

/// Why a model did not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelFault {
    /// The key is missing or refused.
    Auth,
    /// No such model.
    NotFound,
    /// Too many requests, after all retries.
    RateLimited,
    /// The request was refused: too long, malformed, an ability that the model has not.
    Refused,
    /// The provider failed, after all retries.
    Provider,
    /// No connection, or it was lost.
    Connection,
    /// Nothing came in time.
    Timeout,
    /// What came is no reply.
    InvalidReply,
    /// The user stopped it.
    Cancelled,
}

/// A failure, told for a person.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{text}")]
pub struct ModelError {
    /// Its kind.
    pub fault: ModelFault,
    /// What happened, naming client and model; never a key (S47).
    pub text: String,
    /// The next step.
    pub hint: String,
}

impl ModelError {
    /// The same with what named a model that does not exist.
    #[must_use]
    pub fn named_by(mut self, by: Option<&NamedBy>) -> Self {
        if let Some(by) = by.filter(|_| self.fault == ModelFault::NotFound) {
            self.text = format!("{}; {by} names it", self.text);
        }
        self
    }
}

/// A reply on its way.
pub type Chatting<'a> = Pin<Box<dyn Future<Output = Result<Reply, ModelError>> + Send + 'a>>;

/// A language model that can be talked to.
pub trait ChatModel: Send + Sync {
    /// `client:name`.
    fn id(&self) -> &str;

    /// What it can do.
    fn abilities(&self) -> Abilities;

    /// What is told before the first reply, if anything: the offline model says what it is and how to configure another.
    fn preface(&self) -> Option<&str> {
        None
    }

    /// Sends a request. An error means that nothing of a reply arrived. Cancelling aborts the request at the provider.
    fn chat<'a>(&'a self, request: ChatRequest, sink: &'a dyn ReplySink, cancel: CancellationToken) -> Chatting<'a>;
}
