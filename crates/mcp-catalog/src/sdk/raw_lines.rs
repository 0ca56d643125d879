//! MCP over any byte stream, with results handed over as the bytes they came in (S9, S10, S16).
//!
//! The SDK's own stream transport parses every result into its types and loses what it does not expect; a broken reply
//! hangs the call. Here a reply goes from the line straight to its asker, and the SDK is told no more than that it came.
//! Every line that names a request in flight ends that request: no reply, however broken, is waited for any longer.

use super::{
    envelope::{self, Body, Frame, Glimpse, Id, METHOD_NOT_FOUND, Notice, ServerId},
    greeting,
    line_reader::{Line, LineReader},
    line_writer::LineWriter,
    seats::{Seat, Seats, Ticket},
    wire::Wire,
};
use crate::{PortError, RawResult};
use rmcp::{
    model::{
        ClientJsonRpcMessage, ClientNotification, ClientRequest, CustomRequest, CustomResult, ErrorData, GetExtensions,
        GetMeta, JsonRpcMessage, NumberOrString, PingRequest, RequestId, ServerJsonRpcMessage, ServerRequest,
        ServerResult,
    },
    service::RoleClient,
    transport::Transport,
};
use serde_json::Value;
use std::{future::Future, io, sync::Arc};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::oneshot,
};

/// The transport.
#[derive(Debug)]
pub(super) struct RawLines<R> {
    lines: LineReader<R>,
    limit: usize,
    writer: Option<LineWriter>,
    seats: Seats,
    /// Why the handshake failed, for whoever waits for it.
    refusal: Option<oneshot::Sender<PortError>>,
    /// Notifications of ours that a server may have answered by mistake.
    notified: u64,
    /// The start of a line over the limit, until it is known whose answer it was.
    long: Option<Glimpse>,
    wire: Arc<Wire>,
}

impl<R: AsyncRead + Send + Unpin> RawLines<R> {
    /// A transport whose lines are at most `limit` bytes. `refusal` is used when the handshake fails.
    pub(super) fn new<W>(
        reader: R,
        writer: W,
        limit: usize,
        refusal: oneshot::Sender<PortError>,
        wire: Arc<Wire>,
    ) -> Self
    where
        W: AsyncWrite + Send + Unpin + 'static,
    {
        Self {
            lines: LineReader::new(reader, limit),
            limit,
            writer: Some(LineWriter::start(writer, wire.closing.clone(), wire.written.clone().drop_guard())),
            seats: Seats::default(),
            refusal: Some(refusal),
            notified: 0,
            long: None,
            wire,
        }
    }

    fn note(&mut self, message: &mut ClientJsonRpcMessage) {
        match message {
            JsonRpcMessage::Request(sent) => {
                if let NumberOrString::Number(id) = sent.id {
                    self.open(id, &mut sent.request);
                }
            }
            JsonRpcMessage::Notification(sent) => {
                self.notified = self.notified.saturating_add(1);
                if let ClientNotification::CancelledNotification(cancelled) = &sent.notification
                    && let Some(NumberOrString::Number(id)) = &cancelled.params.request_id
                {
                    self.seats.close(*id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
    }

    fn open(&mut self, id: Id, request: &mut ClientRequest) {
        let token = request.get_meta().get_progress_token().and_then(|token| match token.0 {
            NumberOrString::Number(token) => Some(token),
            NumberOrString::String(_) => None,
        });
        let ticket = request.extensions_mut().remove::<Ticket>();
        match ticket.and_then(|ticket| ticket.redeem()) {
            Some(caller) => self.seats.open(id, Seat::Call { caller, token }),
            None => match request {
                ClientRequest::InitializeRequest(_) => self.seats.open(id, Seat::Greeting),
                ClientRequest::DiscoverRequest(_) => self.seats.open(id, Seat::Discovery),
                _ => {}
            },
        }
    }

    fn take_in(&mut self, line: Line) -> Option<ServerJsonRpcMessage> {
        match line {
            Line::Whole(line) => {
                self.wire.saw_line(line.len());
                self.whole(line)
            }
            Line::Long(head) => self.long(&head),
            Line::LongEnd(tail) => self.long_end(&tail),
        }
    }

    fn whole(&mut self, line: Vec<u8>) -> Option<ServerJsonRpcMessage> {
        match envelope::read(&line) {
            Frame::Reply { id, body } => self.reply(id, body, line),
            Frame::LostError { code, error } => self.lost(code, error, &line),
            Frame::Call { id, method } => Some(call(id, method)),
            Frame::Notice(notice) => {
                self.notice(notice);
                None
            }
            Frame::Broken { id, cause } => {
                self.wire.saw_broken(&cause);
                self.fail(id, PortError::Protocol { cause })
            }
            Frame::Noise => {
                self.wire.saw_noise(&line);
                None
            }
        }
    }

    fn reply(&mut self, id: Id, body: Body, line: Vec<u8>) -> Option<ServerJsonRpcMessage> {
        let Some(seat) = self.seats.close(id) else {
            self.wire.saw_unclaimed();
            return None;
        };
        let answer = match body {
            Body::Result(range) => Ok(RawResult::new(line, range)),
            Body::EmptyResult => Ok(RawResult::whole(b"{}".to_vec())),
            Body::Failed(error) => Err(error),
        };
        Some(self.settle(id, seat, answer))
    }

    fn settle(&mut self, id: Id, seat: Seat, answer: Result<RawResult, PortError>) -> ServerJsonRpcMessage {
        match seat {
            Seat::Call { caller, .. } => {
                if !caller.answer(answer) {
                    self.wire.saw_unclaimed();
                }
                // The SDK learns that its request is over, and nothing of the answer.
                JsonRpcMessage::response(
                    ServerResult::CustomResult(CustomResult::new(Value::Null)),
                    RequestId::Number(id),
                )
            }
            Seat::Greeting => {
                let greeting = answer.and_then(|raw| greeting::read(raw.json()));
                self.greeted(id, greeting.map(ServerResult::InitializeResult))
            }
            Seat::Discovery => {
                let found = answer.and_then(|raw| greeting::read_discovery(raw.json()));
                self.greeted(id, found.map(ServerResult::DiscoverResult))
            }
        }
    }

    fn greeted(&mut self, id: Id, greeting: Result<ServerResult, PortError>) -> ServerJsonRpcMessage {
        match greeting {
            Ok(greeting) => JsonRpcMessage::response(greeting, RequestId::Number(id)),
            Err(error) => {
                if let Some(refusal) = self.refusal.take() {
                    // Nobody may be waiting any longer: the deadline has passed.
                    let _ = refusal.send(error);
                }
                JsonRpcMessage::error(ErrorData::internal_error("refused", None), Some(RequestId::Number(id)))
            }
        }
    }

    /// Ends the request `id`, or the only one in flight when the line did not tell (S10).
    fn fail(&mut self, id: Option<Id>, error: PortError) -> Option<ServerJsonRpcMessage> {
        let id = id.or_else(|| self.seats.only())?;
        let seat = self.seats.close(id)?;
        Some(self.settle(id, seat, Err(error)))
    }

    /// An error without an id is about the only request in flight, unless it is a server's answer to a notification,
    /// which some give although none is due.
    fn lost(&mut self, code: i64, error: PortError, line: &[u8]) -> Option<ServerJsonRpcMessage> {
        if code == METHOD_NOT_FOUND && self.notified > 0 {
            self.notified = self.notified.saturating_sub(1);
            self.wire.saw_noise(line);
            return None;
        }
        self.wire.saw_broken("error names no request");
        self.fail(None, error)
    }

    fn notice(&self, notice: Notice) {
        self.wire.saw_notification();
        match notice {
            Notice::Progress { token, progress } => self.seats.report(token, progress),
            Notice::ListChanged => self.wire.saw_change(),
            Notice::Other => {}
        }
    }

    /// A line has passed the limit. Its end may never come, so an id at its start fails its request now.
    fn long(&mut self, head: &[u8]) -> Option<ServerJsonRpcMessage> {
        if !envelope::without_padding(head).starts_with(b"{") {
            self.wire.saw_noise(head);
            return None;
        }
        self.wire.saw_oversized();
        let glimpse = envelope::glimpse(head, b"");
        if glimpse.method {
            return None;
        }
        if glimpse.id.is_some() {
            return self.fail(glimpse.id, PortError::FrameTooLarge { limit: self.limit });
        }
        self.long = Some(glimpse);
        None
    }

    fn long_end(&mut self, tail: &[u8]) -> Option<ServerJsonRpcMessage> {
        self.long.take()?;
        let id = envelope::glimpse(b"", tail).id;
        self.fail(id, PortError::FrameTooLarge { limit: self.limit })
    }
}

fn greets(request: &ClientRequest) -> bool {
    matches!(request, ClientRequest::InitializeRequest(_) | ClientRequest::DiscoverRequest(_))
}

/// The server asks. Nothing was declared, so only `ping` is served; the SDK answers -32601 to a request it knows only by
/// name, and no parameters are read for that (S17).
pub(super) fn call(id: ServerId, method: String) -> ServerJsonRpcMessage {
    let id = match id {
        ServerId::Number(id) => RequestId::Number(id),
        ServerId::Text(id) => RequestId::String(id.into()),
    };
    let request = if method == "ping" {
        ServerRequest::PingRequest(PingRequest::default())
    } else {
        ServerRequest::CustomRequest(CustomRequest::new(method, None))
    };
    JsonRpcMessage::request(request, id)
}

impl<R: AsyncRead + Send + Unpin> Transport<RoleClient> for RawLines<R> {
    type Error = io::Error;

    fn send(&mut self, mut message: ClientJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.note(&mut message);
        // A server that hangs up may have said why before: what it wrote is read first, up to the end of its stream.
        let greeting = matches!(&message, JsonRpcMessage::Request(sent) if greets(&sent.request));
        let sent = serde_json::to_vec(&message).map_err(io::Error::from).and_then(|mut line| {
            line.push(b'\n');
            let writer = self.writer.as_ref().ok_or(io::ErrorKind::NotConnected)?;
            Ok(writer.send(line))
        });
        async move {
            let written = sent?.await;
            if greeting { Ok(()) } else { written }
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let line = tokio::select! {
                biased;
                () = self.wire.closing.cancelled() => None,
                line = self.lines.next() => line,
            };
            let Some(line) = line else {
                self.wire.closed.cancel();
                self.seats.clear();
                return None;
            };
            let message = self.take_in(line);
            if message.is_some() {
                return message;
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.wire.closed.cancel();
        self.seats.clear();
        self.writer = None;
        Ok(())
    }
}

impl<R> Drop for RawLines<R> {
    fn drop(&mut self) {
        self.wire.closed.cancel();
        self.wire.closing.cancel();
    }
}
