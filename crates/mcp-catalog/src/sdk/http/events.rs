//! An answer in a body or in an event, read as over stdio (S9, S10, S16, C78).
//!
//! The envelope is read by itself first. What was read of a resource goes on as the SDK writes it (S9); every other result,
//! and one that the SDK cannot parse, goes on as it came. Either way it goes aside, and the SDK is told that the request is over.
//! A request of the server is handed to the SDK without its parameters, which it might not parse: no answer depends on them.

use super::{
    aside::Aside,
    pace::Pace,
    sse::{Event, Reader, TooLong},
};
use crate::{
    PortError, RawResult,
    sdk::{
        envelope::{self, Body, Frame},
        greeting,
        peer_port::raw,
        raw_lines,
        wire::Wire,
    },
};
use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use rmcp::{
    model::{
        ClientJsonRpcMessage, ClientRequest, EmptyResult, ErrorCode, ErrorData, GetExtensions, RequestId,
        ServerJsonRpcMessage, ServerResult,
    },
    transport::{common::client_side_sse::BoxedSseResponse, streamable_http_client::SseError},
};
use sse_stream::Sse;
use std::sync::Arc;

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
        /// It reads a resource.
        reads: bool,
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
            asked => Self::Call {
                id,
                aside: asked.extensions().get::<Aside>().cloned().unwrap_or_default(),
                reads: matches!(asked, ClientRequest::ReadResourceRequest(_)),
            },
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
            Self::Call { aside, reads, .. } => {
                // The SDK picks a result's type by its shape, and would take some for what they are not.
                let read = if *reads { serde_json::from_slice::<ServerResult>(result.json()).ok() } else { None };
                aside.put(match read {
                    Some(read @ ServerResult::ReadResourceResult(_)) => raw(read),
                    _ => Ok(result),
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

/// The request's end, when the frame is that.
fn end(awaited: &Awaited, frame: Frame, line: Vec<u8>) -> Option<Result<ServerJsonRpcMessage, PortError>> {
    match frame {
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
    let frame = envelope::read(&body);
    end(awaited, frame, body).unwrap_or_else(stranger)
}

/// Where a stream comes from, and what is awaited in it.
#[derive(Debug)]
pub(super) enum Source {
    /// The answer to a POST.
    Answer(Awaited),
    /// A stream that was opened for what a server says unasked, or for the rest of an answer.
    Standing(Pace),
}

/// The events of a stream as the SDK reads them. One that is too long ends the request and the stream.
pub(super) fn stream<S>(bytes: S, limit: usize, source: Source, wire: Arc<Wire>) -> BoxedSseResponse
where
    S: Stream<Item = reqwest::Result<Bytes>> + Send + 'static,
{
    let state = (Reader::new(limit), false);
    let events = bytes.scan(state, move |(reader, over), chunk| {
        let told = if *over { None } else { Some(told(reader, over, chunk, &source, &wire)) };
        std::future::ready(told)
    });
    events.map(stream::iter).flatten().boxed()
}

/// What one piece of the stream comes to.
fn told(
    reader: &mut Reader,
    over: &mut bool,
    chunk: reqwest::Result<Bytes>,
    source: &Source,
    wire: &Wire,
) -> Vec<Result<Sse, SseError>> {
    let mut events = Vec::new();
    let fed = match chunk {
        Ok(chunk) => reader.feed(&chunk, &mut events),
        Err(error) => {
            *over = true;
            return vec![Err(SseError::Body(Box::new(error)))];
        }
    };
    let mut told: Vec<_> = events.into_iter().map(|event| Ok(as_the_sdk_reads(event, source, wire))).collect();
    if fed == Err(TooLong) {
        *over = true;
        wire.saw_oversized();
        told.extend(match source {
            Source::Answer(awaited) => {
                Some(Ok(message(&awaited.fail(PortError::FrameTooLarge { limit: reader.limit() }))))
            }
            Source::Standing(pace) => {
                pace.stop();
                None
            }
        });
    }
    told
}

fn as_the_sdk_reads(event: Event, source: &Source, wire: &Wire) -> Sse {
    let Event { data, kind, id, retry } = event;
    let told = |data| Sse { data, event: kind.clone(), id: id.clone(), retry };
    // Named events are no messages, but for this name.
    let Some(line) = data.filter(|_| matches!(kind.as_deref(), None | Some("" | "message"))) else { return told(None) };
    wire.saw_line(line.len());
    match (envelope::read(&line), source) {
        (Frame::Call { id, method }, _) => told(Some(text(&raw_lines::call(id, method)))),
        (Frame::Noise, _) => {
            wire.saw_noise(&line);
            told(None)
        }
        // The SDK reads a greeting's answer from its stream, and nothing else.
        (Frame::Notice(_), Source::Answer(Awaited::Greeting { .. } | Awaited::Discovery { .. })) => told(None),
        (Frame::Notice(_), _) => told(String::from_utf8(line).ok()),
        (frame, Source::Answer(awaited)) => {
            if let Some(end) = end(awaited, frame, line) {
                return message(&end.unwrap_or_else(|error| awaited.fail(error)));
            }
            wire.saw_unclaimed();
            told(None)
        }
        (Frame::Broken { id: Some(id), cause }, Source::Standing(_)) => {
            wire.saw_broken(&cause);
            let error = ErrorData::internal_error(cause, None);
            told(Some(text(&ServerJsonRpcMessage::error(error, Some(RequestId::Number(id))))))
        }
        (_, Source::Standing(_)) => told(String::from_utf8(line).ok()),
    }
}

fn message(message: &ServerJsonRpcMessage) -> Sse {
    Sse::default().data(text(message))
}

/// What this crate has built serialises.
fn text(message: &ServerJsonRpcMessage) -> String {
    serde_json::to_string(message).unwrap_or_default()
}
