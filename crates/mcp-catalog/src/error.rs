//! Why a server could not be asked, or what was wrong with its answer: one variant a code of S19 that a server can cause.
//!
//! A code is never chosen by matching message text. What the server itself wrote is kept to 4 KiB and is foreign text:
//! escape it before a terminal sees it (S46).

use mcp_render::Code;
use std::time::Duration;
use thiserror::Error;

/// A failed request to a server, or a failed start of one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PortError {
    /// The process could not be started.
    #[error("Server could not be started: {cause}")]
    SpawnFailed {
        /// The system's own words, with the command.
        cause: String,
    },
    /// The handshake failed or expired.
    #[error("Handshake failed: {cause}")]
    HandshakeFailed {
        /// What happened.
        cause: String,
    },
    /// The server wants a login.
    #[error("Server asks for a login")]
    AuthRequired,
    /// No answer within the deadline.
    #[error("No answer to `{method}` within {} s", tenths(*after))]
    Timeout {
        /// The method that was asked.
        method: &'static str,
        /// The deadline.
        after: Duration,
    },
    /// The caller gave up.
    #[error("Cancelled")]
    Cancelled,
    /// The connection is gone.
    #[error("Connection closed{}", retry_in.map(|left| format!("; the next try is in {} s", left.as_secs().max(1))).unwrap_or_default())]
    ConnectionClosed {
        /// How long until the next try is made, when a try failed before (S15).
        retry_in: Option<Duration>,
    },
    /// One frame was too long (S16).
    #[error("Answer is longer than {} MiB, the longest frame that is read", limit >> 20)]
    FrameTooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// The answer was no JSON-RPC reply (S10).
    #[error("Server broke the protocol: {cause}")]
    Protocol {
        /// What was wrong with the frame.
        cause: String,
    },
    /// The answer has a shape that MCP does not allow.
    #[error("Server's answer is not usable: {cause}")]
    InvalidResponse {
        /// What was wrong, with a short excerpt where that helps.
        cause: String,
    },
    /// The server wants input before it answers (S17).
    #[error("Server asks for input, which this client cannot give: {question}")]
    InputRequired {
        /// The question's text.
        question: String,
    },
    /// The server answered with a JSON-RPC error.
    #[error("Server answered with error {code}: {message}")]
    Server {
        /// The JSON-RPC error code.
        code: i64,
        /// The server's own words, at most 4 KiB.
        message: String,
    },
    /// This client or server does not do that.
    #[error("{cause}")]
    Unsupported {
        /// What is not supported.
        cause: String,
    },
}

/// Seconds as people write them: what is left of a deadline after a first page is no round number.
fn tenths(time: Duration) -> f64 {
    (time.as_secs_f64() * 10.0).round() / 10.0
}

/// JSON-RPC's "method not found".
const METHOD_NOT_FOUND: i64 = -32601;

impl PortError {
    /// The code of S19. A server's own error is `server_error`, but for -32601; `not_found` is decided where a listing
    /// can be consulted (S19).
    pub const fn code(&self) -> Code {
        match self {
            Self::SpawnFailed { .. } => Code::SpawnFailed,
            Self::HandshakeFailed { .. } => Code::HandshakeFailed,
            Self::AuthRequired => Code::AuthRequired,
            Self::Timeout { .. } => Code::Timeout,
            Self::Cancelled => Code::Cancelled,
            Self::ConnectionClosed { .. } => Code::ConnectionClosed,
            Self::FrameTooLarge { .. } => Code::FrameTooLarge,
            Self::Protocol { .. } => Code::ProtocolError,
            Self::InvalidResponse { .. } => Code::InvalidResponse,
            Self::InputRequired { .. } => Code::InputRequired,
            Self::Server { code: METHOD_NOT_FOUND, .. } => Code::MethodNotFound,
            Self::Server { .. } => Code::ServerError,
            Self::Unsupported { .. } => Code::Unsupported,
        }
    }
}

/// A server's own words, cut to [`mcp_render::SERVER_TEXT_MAX_BYTES`] at a character boundary (S19).
pub fn server_text(text: &str) -> String {
    let end = text.floor_char_boundary(mcp_render::SERVER_TEXT_MAX_BYTES);
    text.get(..end).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{PortError, server_text};
    use mcp_render::{Code, SERVER_TEXT_MAX_BYTES};
    use proptest::prelude::*;
    use rstest::rstest;
    use std::time::Duration;

    fn text(text: &str) -> String {
        text.to_owned()
    }

    #[rstest]
    #[case(PortError::SpawnFailed { cause: text("no such file") }, Code::SpawnFailed, "Server could not be started: no such file")]
    #[case(PortError::HandshakeFailed { cause: text("no answer in 30 s") }, Code::HandshakeFailed, "Handshake failed: no answer in 30 s")]
    #[case(PortError::AuthRequired, Code::AuthRequired, "Server asks for a login")]
    #[case(
        PortError::Timeout { method: "tools/call", after: Duration::from_millis(1_500) },
        Code::Timeout,
        "No answer to `tools/call` within 1.5 s"
    )]
    #[case(PortError::Cancelled, Code::Cancelled, "Cancelled")]
    #[case(PortError::ConnectionClosed { retry_in: None }, Code::ConnectionClosed, "Connection closed")]
    #[case(
        PortError::ConnectionClosed { retry_in: Some(Duration::from_millis(200)) },
        Code::ConnectionClosed,
        "Connection closed; the next try is in 1 s"
    )]
    #[case(
        PortError::FrameTooLarge { limit: 96 << 20 },
        Code::FrameTooLarge,
        "Answer is longer than 96 MiB, the longest frame that is read"
    )]
    #[case(PortError::Protocol { cause: text("cut") }, Code::ProtocolError, "Server broke the protocol: cut")]
    #[case(PortError::InvalidResponse { cause: text("odd") }, Code::InvalidResponse, "Server's answer is not usable: odd")]
    #[case(
        PortError::InputRequired { question: text("Who?") },
        Code::InputRequired,
        "Server asks for input, which this client cannot give: Who?"
    )]
    #[case(PortError::Server { code: -32601, message: text("no") }, Code::MethodNotFound, "Server answered with error -32601: no")]
    #[case(PortError::Server { code: -32002, message: text("not found") }, Code::ServerError, "Server answered with error -32002: not found")]
    #[case(PortError::Unsupported { cause: text("Not here") }, Code::Unsupported, "Not here")]
    fn every_failure_has_a_code_and_a_sentence(#[case] error: PortError, #[case] code: Code, #[case] sentence: &str) {
        assert_eq!((error.code(), error.to_string().as_str()), (code, sentence));
    }

    proptest! {
        #[test]
        fn a_servers_words_are_cut_at_a_character(words in "\\PC{0,50}", times in 1_usize..300) {
            let words = words.repeat(times);
            let kept = server_text(&words);
            prop_assert!(kept.len() <= SERVER_TEXT_MAX_BYTES && words.starts_with(&kept));
            prop_assert!(kept.len() == words.len() || kept.len() > SERVER_TEXT_MAX_BYTES - 4);
        }
    }
}
