//! One POST, from the message to what the server answered, and the streams beside it (S16, S19).
//!
//! The SDK's own client tells of most failures in words only; this one keeps the status, so that a code never depends
//! on text. The end of a session is left to the SDK's client.

use super::{
    Challenge,
    events::{self, Awaited, Source},
    failure,
    pace::Pace,
};
use crate::{
    PortError,
    sdk::{
        envelope::{self, Body, Frame},
        wire::Wire,
    },
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use reqwest::{Client, Response};
use rmcp::{
    model::ClientJsonRpcMessage,
    transport::{
        common::{
            client_side_sse::BoxedSseResponse,
            http_header::{HEADER_LAST_EVENT_ID, HEADER_SESSION_ID},
        },
        streamable_http_client::{
            AuthRequiredError, InsufficientScopeError, StreamableHttpClient, StreamableHttpError,
            StreamableHttpPostResponse, StreamableHttpResponseLimits,
        },
    },
};
use std::{collections::HashMap, sync::Arc};

/// What a request of the SDK ends in.
type Outcome<T> = Result<T, StreamableHttpError<PortError>>;

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const BOTH: &str = "application/json, text/event-stream";

/// Posts messages of one server.
#[derive(Debug, Clone)]
pub(super) struct Channel {
    client: Client,
    wire: Arc<Wire>,
    challenge: Challenge,
    pace: Pace,
}

impl Channel {
    pub(super) fn new(client: Client, wire: Arc<Wire>, challenge: Challenge) -> Self {
        Self { client, wire, challenge, pace: Pace::default() }
    }

    async fn answered(
        &self,
        response: Response,
        awaited: Option<Awaited>,
        limits: StreamableHttpResponseLimits,
    ) -> Outcome<StreamableHttpPostResponse> {
        // Nobody waits for the body of an answer to a notification.
        let accepted = matches!(response.status(), StatusCode::ACCEPTED | StatusCode::NO_CONTENT);
        let Some(awaited) = awaited.filter(|_| !accepted) else { return Ok(StreamableHttpPostResponse::Accepted) };
        let session = response.headers().get(HEADER_SESSION_ID).and_then(|value| value.to_str().ok());
        let session = session.map(str::to_owned);
        match essence(response.headers()).as_str() {
            JSON => {
                let body = self.body(response, limits.max_json_response_size).await?;
                let reply = events::reply(&awaited, body);
                let reply = reply.map_err(|error| StreamableHttpError::Client(self.broken(error)))?;
                Ok(StreamableHttpPostResponse::Json(reply, session))
            }
            EVENTS => {
                let limit = limits.max_sse_event_size;
                let stream =
                    events::stream(response.bytes_stream(), limit, Source::Answer(awaited), Arc::clone(&self.wire));
                Ok(StreamableHttpPostResponse::Sse(stream, session))
            }
            other => {
                let kind = if other.is_empty() { "of no kind".to_owned() } else { format!("`{other}`") };
                let cause = format!("the answer is {kind}, neither JSON nor an event stream");
                Err(StreamableHttpError::Client(self.broken(PortError::Protocol { cause })))
            }
        }
    }

    /// The whole body, unless it is too long.
    async fn body(&self, mut response: Response, limit: usize) -> Outcome<Vec<u8>> {
        let too_long = || {
            self.wire.saw_oversized();
            StreamableHttpError::Client(PortError::FrameTooLarge { limit })
        };
        let announced = response.content_length().unwrap_or_default();
        let Some(announced) = usize::try_from(announced).ok().filter(|length| *length <= limit) else {
            return Err(too_long());
        };
        let mut body = Vec::with_capacity(announced);
        while let Some(chunk) = response.chunk().await.map_err(|error| lost(&error))? {
            if body.len().saturating_add(chunk.len()) > limit {
                return Err(too_long());
            }
            body.extend_from_slice(&chunk);
        }
        self.wire.saw_line(body.len());
        Ok(body)
    }

    async fn refused(&self, response: Response, had_session: bool, limit: usize) -> StreamableHttpError<PortError> {
        let (status, headers) = (response.status(), response.headers().clone());
        let said = headers.get(header::WWW_AUTHENTICATE).and_then(|value| value.to_str().ok()).map(str::to_owned);
        match status {
            StatusCode::UNAUTHORIZED => {
                self.challenge.set(said.clone());
                StreamableHttpError::AuthRequired(AuthRequiredError::new(said.unwrap_or_default()))
            }
            StatusCode::FORBIDDEN => {
                self.challenge.set(said.clone());
                let error = InsufficientScopeError::new(said.unwrap_or_default(), None);
                StreamableHttpError::InsufficientScope(error)
            }
            // The SDK opens a new session, once, and asks again.
            StatusCode::NOT_FOUND if had_session => StreamableHttpError::SessionExpired,
            _ => {
                let kind = essence(&headers);
                let body = if kind == JSON || kind == "text/plain" { start(response, limit).await } else { Vec::new() };
                StreamableHttpError::Client(match envelope::read(&body) {
                    Frame::Reply { body: Body::Failed(error), .. } | Frame::LostError { error, .. } => error,
                    _ => failure::of_status(status, &headers, &String::from_utf8_lossy(&body)),
                })
            }
        }
    }

    fn broken(&self, error: PortError) -> PortError {
        if let PortError::Protocol { cause } = &error {
            self.wire.saw_broken(cause);
        }
        error
    }
}

fn lost(error: &reqwest::Error) -> StreamableHttpError<PortError> {
    StreamableHttpError::Client(failure::of_sending(error))
}

/// The kind of a body, without parameters.
fn essence(headers: &HeaderMap) -> String {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// The start of a body that only explains a failure.
async fn start(mut response: Response, limit: usize) -> Vec<u8> {
    let mut body = Vec::new();
    while body.len() < limit
        && let Ok(Some(chunk)) = response.chunk().await
    {
        body.extend_from_slice(&chunk);
    }
    body.truncate(limit);
    body
}

/// An error of the SDK's client, with the root of what went wrong below.
fn from_sdk(error: StreamableHttpError<reqwest::Error>) -> StreamableHttpError<PortError> {
    match error {
        StreamableHttpError::Client(error) => lost(&error),
        StreamableHttpError::HttpStatus(error) => StreamableHttpError::HttpStatus(error),
        StreamableHttpError::ServerDoesNotSupportSse => StreamableHttpError::ServerDoesNotSupportSse,
        StreamableHttpError::AuthRequired(error) => StreamableHttpError::AuthRequired(error),
        StreamableHttpError::InsufficientScope(error) => StreamableHttpError::InsufficientScope(error),
        StreamableHttpError::UnexpectedContentType(kind) => StreamableHttpError::UnexpectedContentType(kind),
        StreamableHttpError::SessionExpired => StreamableHttpError::SessionExpired,
        other => StreamableHttpError::Client(PortError::Protocol { cause: failure::root(&other) }),
    }
}

impl StreamableHttpClient for Channel {
    type Error = PortError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Outcome<StreamableHttpPostResponse> {
        let limits = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(uri, message, session_id, auth_header, custom_headers, limits).await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
        limits: StreamableHttpResponseLimits,
    ) -> Outcome<StreamableHttpPostResponse> {
        let awaited = Awaited::of(&message);
        let headers: HeaderMap = custom_headers.into_iter().collect();
        let mut request = self.client.post(uri.as_ref()).headers(headers).header(header::ACCEPT, BOTH);
        if let Some(token) = auth_header {
            request = request.bearer_auth(token);
        }
        let had_session = session_id.is_some();
        if let Some(session) = session_id {
            request = request.header(HEADER_SESSION_ID, session.as_ref());
        }
        let response = request.json(&message).send().await.map_err(|error| {
            StreamableHttpError::Client(match &awaited {
                Some(Awaited::Greeting { .. } | Awaited::Discovery { .. }) => {
                    PortError::HandshakeFailed { cause: failure::root(&error) }
                }
                _ => failure::of_sending(&error),
            })
        })?;
        // A refused message that expects no answer is no reason to end: some servers know no notifications.
        let is_ignored = awaited.is_none()
            && match response.status() {
                StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => false,
                StatusCode::NOT_FOUND => !had_session,
                _ => true,
            };
        if response.status().is_success() || is_ignored {
            self.answered(response, awaited, limits).await
        } else {
            Err(self.refused(response, had_session, limits.max_error_response_size).await)
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Outcome<()> {
        self.client.delete_session(uri, session_id, auth_header, custom_headers).await.map_err(from_sdk)
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Outcome<BoxedSseResponse> {
        let limit = StreamableHttpResponseLimits::default().max_sse_event_size;
        let asked = (uri, session_id, last_event_id);
        self.get_stream_with_max_sse_event_size(asked.0, asked.1, asked.2, auth_header, custom_headers, limit).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
        max_sse_event_size: usize,
    ) -> Outcome<BoxedSseResponse> {
        if !self.pace.next().await {
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        }
        let headers: HeaderMap = custom_headers.into_iter().collect();
        let mut request = self.client.get(uri.as_ref()).headers(headers).header(header::ACCEPT, EVENTS);
        if let Some(token) = auth_header {
            request = request.bearer_auth(token);
        }
        let had_session = session_id.is_some();
        if let Some(session) = session_id {
            request = request.header(HEADER_SESSION_ID, session.as_ref());
        }
        if let Some(last) = last_event_id {
            request = request.header(HEADER_LAST_EVENT_ID, last);
        }
        let response = request.send().await.map_err(|error| lost(&error))?;
        let standing = Source::Standing(self.pace.clone());
        match response.status() {
            StatusCode::METHOD_NOT_ALLOWED => Err(StreamableHttpError::ServerDoesNotSupportSse),
            status if !status.is_success() => Err(self
                .refused(response, had_session, StreamableHttpResponseLimits::default().max_error_response_size)
                .await),
            _ if essence(response.headers()) != EVENTS => {
                Err(StreamableHttpError::UnexpectedContentType(Some(essence(response.headers()))))
            }
            _ => Ok(events::stream(response.bytes_stream(), max_sse_event_size, standing, Arc::clone(&self.wire))),
        }
    }
}
