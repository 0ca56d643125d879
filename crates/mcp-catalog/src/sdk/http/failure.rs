//! From an HTTP failure to a code of S19: by status and by type, never by text.
//!
//! The SDK's errors print their types' full names twice, so only the root of a chain is shown, and that is bounded. A URL is not
//! shown: it may hold a secret (S47).

use crate::{
    PortError, excerpt,
    sdk::{connect::NO_INITIALIZE, convert},
    server_text,
};
use http::{HeaderMap, StatusCode, header};
use rmcp::{
    service::{ClientInitializeError, ServiceError},
    transport::{DynamicTransportError, auth::AuthError, streamable_http_client::StreamableHttpError},
};
use std::error::Error;

/// The longest chain of causes that is walked.
const CAUSES: usize = 16;

/// The innermost cause, as a sentence.
pub(in crate::sdk) fn root(error: &(dyn Error + 'static)) -> String {
    let root = chain(error).last().unwrap_or(error);
    let mut text = root.to_string();
    if let Some(url) = root.downcast_ref::<reqwest::Error>().and_then(reqwest::Error::url) {
        text = text.replace(&format!(" for url ({url})"), "");
    }
    server_text(&text)
}

/// An error and what is below it, bounded.
fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error: &&'a (dyn Error + 'static)| (*error).source()).take(CAUSES)
}

/// No answer came at all: refused, reset, unknown host, broken TLS.
pub(super) fn of_sending(error: &reqwest::Error) -> PortError {
    tracing::warn!(cause = %mcp_render::shown(&root(error)), "HTTP request got no answer");
    PortError::ConnectionClosed { retry_in: None }
}

/// The server answered with a status that is no success, and with no JSON-RPC error.
pub(super) fn of_status(status: StatusCode, headers: &HeaderMap, body: &str) -> PortError {
    if status.is_redirection() {
        let target = headers.get(header::LOCATION).and_then(|value| value.to_str().ok()).unwrap_or("nowhere");
        let target = excerpt::excerpt(target, excerpt::NAME_MAX_BYTES);
        let cause = format!("HTTP {status} to `{target}`, which is not followed; write the URL that answers itself");
        return PortError::Protocol { cause };
    }
    let retry = headers.get(header::RETRY_AFTER).and_then(|value| value.to_str().ok());
    let retry = retry.map(|when| match when.parse::<u32>() {
        Ok(seconds) => format!("; it asks to wait {seconds} s"),
        Err(_) => format!("; it asks to wait until {}", excerpt::excerpt(when, mcp_render::RETRY_AFTER_MAX_BYTES)),
    });
    let said = match body.trim() {
        "" => String::new(),
        body => format!(": {}", excerpt::excerpt(body, excerpt::JSON_MAX_BYTES)),
    };
    let message = format!("HTTP {status}{}{said}", retry.unwrap_or_default());
    PortError::Server { code: i64::from(status.as_u16()), message: server_text(&message) }
}

/// A request's end, as the SDK tells it.
pub(super) fn of_call(error: ServiceError) -> PortError {
    match error {
        ServiceError::TransportSend(error) => of_transport(&error),
        other => convert::port_error(other),
    }
}

/// The handshake's end, as the SDK tells it.
pub(super) fn of_handshake(error: &ClientInitializeError) -> PortError {
    let cause = match error {
        ClientInitializeError::TransportError { error, .. } => return of_transport(error),
        ClientInitializeError::ConnectionClosed(_) => "the server closed the connection before it answered".to_owned(),
        ClientInitializeError::JsonRpcError(data) if NO_INITIALIZE.contains(&i64::from(data.code.0)) => {
            return PortError::Server { code: i64::from(data.code.0), message: server_text(&data.message) };
        }
        ClientInitializeError::JsonRpcError(data) => server_text(&data.message),
        other => root(other),
    };
    PortError::HandshakeFailed { cause }
}

/// A start that failed: a login that is wanted stays that, everything else is a failed handshake (S19).
pub(super) fn of_start(error: PortError) -> PortError {
    match error {
        error @ (PortError::AuthRequired | PortError::HandshakeFailed { .. }) => error,
        PortError::ConnectionClosed { .. } => {
            PortError::HandshakeFailed { cause: "the server could not be reached; the log holds why".to_owned() }
        }
        error => PortError::HandshakeFailed { cause: error.to_string() },
    }
}

/// The first error in the chain that says what happened.
fn of_transport(error: &DynamicTransportError) -> PortError {
    let first: &(dyn Error + 'static) = error.error.as_ref();
    chain(first).find_map(known).unwrap_or_else(|| PortError::Protocol { cause: root(first) })
}

fn known(error: &(dyn Error + 'static)) -> Option<PortError> {
    if let Some(error) = error.downcast_ref::<PortError>() {
        return Some(error.clone());
    }
    if let Some(error) = error.downcast_ref::<AuthError>() {
        return Some(of_login(error));
    }
    match error.downcast_ref::<StreamableHttpError<PortError>>()? {
        StreamableHttpError::Client(error) => Some(error.clone()),
        StreamableHttpError::AuthRequired(_) | StreamableHttpError::InsufficientScope(_) => {
            Some(PortError::AuthRequired)
        }
        StreamableHttpError::Auth(error) => Some(of_login(error)),
        StreamableHttpError::SessionExpired
        | StreamableHttpError::SessionRecoveryTimeout
        | StreamableHttpError::ReinitializationFailed(_)
        | StreamableHttpError::UnexpectedEndOfStream
        | StreamableHttpError::TransportChannelClosed
        | StreamableHttpError::ControlRequestTimeout
        | StreamableHttpError::Io(_) => Some(PortError::ConnectionClosed { retry_in: None }),
        StreamableHttpError::ResponseBodyTooLarge { max_size } => Some(PortError::FrameTooLarge { limit: *max_size }),
        _ => None,
    }
}

/// Why tokens could not be used: a new login helps, or the failure passes.
fn of_login(error: &AuthError) -> PortError {
    match error {
        AuthError::AuthorizationRequired
        | AuthError::TokenExpired
        | AuthError::TokenRefreshRejected(_)
        | AuthError::InsufficientScope { .. } => PortError::AuthRequired,
        other => PortError::Protocol { cause: format!("login: {}", root(other)) },
    }
}
