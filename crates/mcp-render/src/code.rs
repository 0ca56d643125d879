//! The error codes of a failure (S19): one closed list that every floor shares.
//!
//! It refuses to carry sentences: what a code means to a reader is written where the failure is known.

use serde::{Serialize, Serializer};
use std::fmt;

/// What kind of failure happened (S19). A code is never chosen by matching message text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Code {
    /// The server's process could not be started.
    SpawnFailed,
    /// The handshake failed or did not finish within its deadline.
    HandshakeFailed,
    /// The server wants a login.
    AuthRequired,
    /// A started server did not answer within the deadline.
    Timeout,
    /// The caller gave up.
    Cancelled,
    /// The connection ended, or is down and waits for its next try.
    ConnectionClosed,
    /// A frame was longer than [`crate::FRAME_MAX_BYTES`].
    FrameTooLarge,
    /// The peer broke JSON-RPC or MCP framing.
    ProtocolError,
    /// The peer answered, in a shape that MCP does not allow.
    InvalidResponse,
    /// The server asks for input before it answers; this client cannot give it.
    InputRequired,
    /// The server knows no such thing.
    NotFound,
    /// The server does not implement the method.
    MethodNotFound,
    /// The call's arguments are wrong.
    InvalidArguments,
    /// The server answered with an error of its own.
    ServerError,
    /// The user or a policy said no.
    Denied,
    /// Content is over a limit.
    TooLarge,
    /// Content could not be kept on disk.
    SpillFailed,
    /// This client or this server does not do that.
    Unsupported,
}

impl Code {
    /// Every code, in the order of S19.
    pub const ALL: [Self; 18] = [
        Self::SpawnFailed,
        Self::HandshakeFailed,
        Self::AuthRequired,
        Self::Timeout,
        Self::Cancelled,
        Self::ConnectionClosed,
        Self::FrameTooLarge,
        Self::ProtocolError,
        Self::InvalidResponse,
        Self::InputRequired,
        Self::NotFound,
        Self::MethodNotFound,
        Self::InvalidArguments,
        Self::ServerError,
        Self::Denied,
        Self::TooLarge,
        Self::SpillFailed,
        Self::Unsupported,
    ];

    /// The code as it is written in answers: `snake_case`, stable.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SpawnFailed => "spawn_failed",
            Self::HandshakeFailed => "handshake_failed",
            Self::AuthRequired => "auth_required",
            Self::Timeout => "timeout",
            Self::Cancelled => "cancelled",
            Self::ConnectionClosed => "connection_closed",
            Self::FrameTooLarge => "frame_too_large",
            Self::ProtocolError => "protocol_error",
            Self::InvalidResponse => "invalid_response",
            Self::InputRequired => "input_required",
            Self::NotFound => "not_found",
            Self::MethodNotFound => "method_not_found",
            Self::InvalidArguments => "invalid_arguments",
            Self::ServerError => "server_error",
            Self::Denied => "denied",
            Self::TooLarge => "too_large",
            Self::SpillFailed => "spill_failed",
            Self::Unsupported => "unsupported",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_written_as_s19_lists_it() {
        let written = Code::ALL.map(Code::as_str).join(", ");
        assert_eq!(
            written,
            "spawn_failed, handshake_failed, auth_required, timeout, cancelled, connection_closed, frame_too_large, \
             protocol_error, invalid_response, input_required, not_found, method_not_found, invalid_arguments, \
             server_error, denied, too_large, spill_failed, unsupported"
        );
        assert_eq!(serde_json::to_value(Code::TooLarge).unwrap(), Code::TooLarge.to_string());
    }
}
