//! An answer in a body or in an event, read as over stdio (S9, S10, S16, C78).
//!
//! The envelope is read by itself first. A result that the SDK can parse goes on as the SDK writes it (S9); one that it
//! cannot goes on as it came. Either way it goes aside, and the SDK is told that the request is over.

use super::aside::Aside;
use crate::{
    PortError, RawResult,
    sdk::{
        envelope::{self, Body, Frame},
        greeting,
        peer_port::raw,
        wire::Wire,
    },
};
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use rmcp::{
    model::{
        ClientJsonRpcMessage, ClientRequest, EmptyResult, ErrorCode, ErrorData, GetExtensions, RequestId,
        ServerJsonRpcMessage, ServerResult,
    },
    transport::{common::client_side_sse::BoxedSseResponse, streamable_http_client::SseError},
};
use sse_stream::{Sse, SseStream};
use std::sync::Arc;
use thiserror::Error;

/// The request that a POST carried.
#[derive(Debug, Clone)]
pub(super) enum Awaited {
    /// `initialize`: the SDK itself reads the answer.
    Greeting {
        /// Its id.
        id: i64,
    },
    /// `server/discover`: the same.
    Discovery {
        /// Its id.
        id: i64,
    },
    /// One that somebody asked.
    Call {
        /// Its id.
        id: i64,
        /// Where its answer goes.
        aside: Aside,
    },
}

impl Awaited {
    /// `None` for a message that gets no answer.
    pub(super) fn of(message: &ClientJsonRpcMessage) -> Option<Self> {
        let ClientJsonRpcMessage::Request(request) = message else { return None };
        let RequestId::Number(id) = request.id else { return None };
        Some(match &request.request {
            ClientRequest::InitializeRequest(_) => Self::Greeting { id },
            ClientRequest::DiscoverRequest(_) => Self::Discovery { id },
            asked => Self::Call { id, aside: asked.extensions().get::<Aside>().cloned().unwrap_or_default() },
        })
    }

    const fn id(&self) -> i64 {
        match self {
            Self::Greeting { id } | Self::Discovery { id } | Self::Call { id, .. } => *id,
        }
    }

    /// What the SDK is told of an answer to this request.
    fn settle(&self, body: Body, line: Vec<u8>) -> Result<ServerJsonRpcMessage, PortError> {
        let result = match body {
            Body::Result(range) => RawResult::new(line, range),
            Body::EmptyResult => RawResult::whole(b"{}".to_vec()),
            Body::Failed(error) => return Err(error),
        };
        let told = match self {
            Self::Greeting { .. } => ServerResult::InitializeResult(greeting::read(result.json())?),
            Self::Discovery { .. } => ServerResult::DiscoverResult(greeting::read_discovery(result.json())?),
            Self::Call { aside, .. } => {
                aside.put(match serde_json::from_slice::<ServerResult>(result.json()) {
                    Ok(parsed) => raw(parsed),
                    Err(_) => Ok(result),
                });
                ServerResult::EmptyResult(EmptyResult {})
            }
        };
        Ok(ServerJsonRpcMessage::response(told, RequestId::Number(self.id())))
    }

    /// The same for a failure within a stream, where there is no other way to tell it.
    fn fail(&self, error: PortError) -> ServerJsonRpcMessage {
        let id = RequestId::Number(self.id());
        match self {
            Self::Greeting { .. } | Self::Discovery { .. } => {
                let told = match error {
                    // Its code says whether the server has another greeting (S17).
                    PortError::Server { code, message } => {
                        let code = i32::try_from(code).map_or(ErrorCode::INTERNAL_ERROR, ErrorCode);
                        ErrorData::new(code, message, None)
                    }
                    PortError::HandshakeFailed { cause } => ErrorData::internal_error(cause, None),
                    other => ErrorData::internal_error(other.to_string(), None),
                };
                ServerJsonRpcMessage::error(told, Some(id))
            }
            Self::Call { aside, .. } => {
                aside.put(Err(error));
                ServerJsonRpcMessage::response(ServerResult::EmptyResult(EmptyResult {}), id)
            }
        }
    }
}

/// The request's end, when the line is that. Anything else is left to the SDK.
fn read(awaited: &Awaited, line: Vec<u8>) -> Option<Result<ServerJsonRpcMessage, PortError>> {
    match envelope::read(&line) {
        Frame::Reply { id, body } if id == awaited.id() => Some(awaited.settle(body, line)),
        Frame::LostError { error, .. } => Some(Err(error)),
        Frame::Broken { id, cause } if id.is_none_or(|id| id == awaited.id()) => {
            Some(Err(PortError::Protocol { cause }))
        }
        _ => None,
    }
}

/// The answer in a JSON body, which can be no other's.
pub(super) fn reply(awaited: &Awaited, body: Vec<u8>) -> Result<ServerJsonRpcMessage, PortError> {
    let stranger = || Err(PortError::Protocol { cause: "the answer is no reply to this request".to_owned() });
    read(awaited, body).unwrap_or_else(stranger)
}

/// The events of an answer. One that is too long ends the request and the stream.
pub(super) fn stream<S>(bytes: S, limit: usize, awaited: Awaited, wire: Arc<Wire>) -> BoxedSseResponse
where
    S: Stream<Item = reqwest::Result<Bytes>> + Send + 'static,
{
    let bounded = bytes.scan(Bound { limit, event: 0, line: 0, over: false }, |bound, chunk| {
        let next = if bound.over { None } else { Some(bound.pass(chunk)) };
        std::future::ready(next)
    });
    let events = SseStream::from_bytes_stream(bounded.boxed());
    events.map(move |event| told(event, &awaited, &wire, limit)).boxed()
}

fn told(event: Result<Sse, SseError>, awaited: &Awaited, wire: &Wire, limit: usize) -> Result<Sse, SseError> {
    let message = match event {
        Ok(Sse { data: Some(data), event, id, retry }) => {
            wire.saw_line(data.len());
            // Read from a copy only where it is an answer: everything else stays as it is.
            let Some(end) = read(awaited, data.clone().into_bytes()) else {
                return Ok(Sse { data: Some(data), event, id, retry });
            };
            end.unwrap_or_else(|error| awaited.fail(error))
        }
        Err(SseError::Body(error)) if matches!(error.downcast_ref(), Some(Cut::Oversized)) => {
            wire.saw_oversized();
            awaited.fail(PortError::FrameTooLarge { limit })
        }
        other => return other,
    };
    // What this crate has built serialises.
    Ok(Sse::default().data(serde_json::to_string(&message).unwrap_or_default()))
}

/// Counts the bytes of an event, which ends with an empty line.
#[derive(Debug)]
struct Bound {
    limit: usize,
    event: usize,
    line: usize,
    over: bool,
}

#[derive(Debug, Error)]
enum Cut {
    #[error(transparent)]
    Lost(#[from] reqwest::Error),
    #[error("event is over the limit")]
    Oversized,
}

impl Bound {
    fn pass(&mut self, chunk: reqwest::Result<Bytes>) -> Result<Bytes, Cut> {
        let chunk = chunk.inspect_err(|_| self.over = true)?;
        for line in chunk.split_inclusive(|byte| *byte == b'\n') {
            let ends = line.ends_with(b"\n");
            // Only an empty line ends an event: one of blanks does not, or a long event could pass as many short ones.
            let text = line.strip_suffix(b"\n").unwrap_or(line);
            self.line = self.line.saturating_add(text.strip_suffix(b"\r").unwrap_or(text).len());
            self.event = self.event.saturating_add(line.len());
            if self.event > self.limit {
                self.over = true;
                return Err(Cut::Oversized);
            }
            if ends && std::mem::take(&mut self.line) == 0 {
                self.event = 0;
            }
        }
        Ok(chunk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    /// S16. Each chunk is passed on by itself, as the network cuts it.
    #[rstest]
    #[case::short_events(&["data: 123456\n\n", "data: 123456\r\n\r\n", "data: 123456\n\n"], true)]
    #[case::cut_anywhere(&["da", "ta: 123456\r", "\n\r", "\ndata: 123456\n", "\n"], true)]
    #[case::one_long_event(&["data: 12345678901234567890\n\n"], false)]
    #[case::many_lines_of_one_event(&["data: 123456\n", "data: 123456\n"], false)]
    #[case::blanks_do_not_end_an_event(&["data: 123456\n  \n", "data: 123456\n"], false)]
    fn an_event_is_bounded_however_it_is_cut(#[case] chunks: &[&'static str], #[case] passes: bool) {
        let mut bound = Bound { limit: 20, event: 0, line: 0, over: false };
        let passed = chunks.iter().all(|chunk| bound.pass(Ok(Bytes::from_static(chunk.as_bytes()))).is_ok());
        assert_eq!((passed, bound.over), (passes, !passes));
    }
}
