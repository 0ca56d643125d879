//! What one stdout line is: a reply, a request, a notification, a broken reply, or noise (S10).
//!
//! Only the envelope is parsed; `result` stays text in the line, so that a bad item inside of it fails that item alone
//! (S20) and a blob is never copied. It decides nothing about requests in flight and logs nothing. A line that JSON-RPC
//! does not allow but that can only mean one thing is taken as that: an error that is a string, a number as a string.

use crate::{PortError, Progress, server_text};
use mcp_render::FRAME_GLIMPSE_BYTES;
use memchr::memmem;
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor},
};
use serde_json::value::RawValue;
use std::{borrow::Cow, fmt, ops::Range};

/// The id of a request of ours. The SDK numbers them.
pub(super) type Id = i64;

/// JSON-RPC's "method not found".
pub(super) const METHOD_NOT_FOUND: i64 = -32601;

/// 2^53: above it a float no longer says which integer was meant.
const EXACT_FLOAT: f64 = 9_007_199_254_740_992.0;

/// One line, classified.
#[derive(Debug, PartialEq)]
pub(super) enum Frame {
    /// The answer to a request of ours.
    Reply {
        /// The request.
        id: Id,
        /// What was answered.
        body: Body,
    },
    /// An error that names no request: the server could not read one.
    LostError {
        /// Its code.
        code: i64,
        /// The error.
        error: PortError,
    },
    /// A request of the server.
    Call {
        /// Its id, a number or a string.
        id: ServerId,
        /// The method; parameters are never read, since only `ping` is served.
        method: String,
    },
    /// A notification.
    Notice(Notice),
    /// Meant as a reply and not readable as one.
    Broken {
        /// The request, where its id is readable.
        id: Option<Id>,
        /// What is wrong.
        cause: String,
    },
    /// Anything else.
    Noise,
}

/// What a reply holds.
#[derive(Debug, PartialEq)]
pub(super) enum Body {
    /// A result, and where it stands in the line.
    Result(Range<usize>),
    /// `[]`, which PHP servers write for an empty object (C78).
    EmptyResult,
    /// An error, or a result that is none.
    Failed(PortError),
}

/// A notification, as far as this client reads it.
#[derive(Debug, PartialEq)]
pub(super) enum Notice {
    /// `notifications/progress`.
    Progress {
        /// The token of the request it belongs to.
        token: Id,
        /// How far.
        progress: Progress,
    },
    /// One of the three `list_changed` notifications.
    ListChanged,
    /// Any other.
    Other,
}

/// The id of a server's request, to be written back as it came.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ServerId {
    /// A number.
    Number(i64),
    /// A string.
    Text(String),
}

/// What could be read of a line that is no JSON.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Glimpse {
    /// The id of the request it answers.
    pub(super) id: Option<Id>,
    /// It has a `method`, so it answers nothing.
    pub(super) method: bool,
}

/// Classifies a line.
pub(super) fn read(line: &[u8]) -> Frame {
    let text = without_padding(line);
    if !text.starts_with(b"{") {
        return Frame::Noise;
    }
    match serde_json::from_slice::<Envelope<'_>>(text) {
        Ok(envelope) if envelope.jsonrpc.is_some() => envelope.classify(line),
        Ok(_) => Frame::Noise,
        Err(_) if memmem::find(text, br#""jsonrpc""#).is_none() => Frame::Noise,
        Err(error) => {
            let glimpse = glimpse(first(text, FRAME_GLIMPSE_BYTES), last(text, FRAME_GLIMPSE_BYTES));
            if glimpse.method {
                return Frame::Noise;
            }
            Frame::Broken { id: glimpse.id, cause: format!("reply is not JSON: {error}") }
        }
    }
}

/// Looks for an id at the start and at the end of a line that is no JSON or too long.
pub(super) fn glimpse(head: &[u8], tail: &[u8]) -> Glimpse {
    let mut found = Glimpse::default();
    let mut start = serde_json::Deserializer::from_slice(without_padding(head));
    // The start is cut somewhere, so this fails nearly always; what was read before that is kept in `found`.
    let _ = Members(&mut found).deserialize(&mut start);
    if found.id.is_none() && !found.method {
        found.id = memmem::rfind_iter(tail, br#""id""#)
            .filter_map(|at| tail.get(at..))
            .find_map(|rest| closing_id([b"{".as_slice(), rest].concat().as_slice()));
    }
    found
}

/// A line without byte order mark and surrounding white space.
pub(super) fn without_padding(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii()
}

pub(super) fn first(bytes: &[u8], count: usize) -> &[u8] {
    bytes.get(..count).unwrap_or(bytes)
}

pub(super) fn last(bytes: &[u8], count: usize) -> &[u8] {
    bytes.len().checked_sub(count).and_then(|start| bytes.get(start..)).unwrap_or(bytes)
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

/// `Option` alone reads `null` as absent, and `result: null` is an answer.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

impl Envelope<'_> {
    fn classify(&self, line: &[u8]) -> Frame {
        let id = self.id.and_then(|raw| request_id(raw.get()));
        match (self.result, self.error, self.method) {
            (None, None, Some(method)) => self.inbound(method),
            (None, None, None) => Frame::Broken { id, cause: "reply has neither `result` nor `error`".to_owned() },
            (result, error, _) => match id {
                Some(id) => Frame::Reply { id, body: body(result, error, line) },
                None => lost(result, error),
            },
        }
    }

    fn inbound(&self, method: &RawValue) -> Frame {
        let Ok(method) = serde_json::from_str::<String>(method.get()) else { return Frame::Noise };
        match self.id.map(|raw| server_id(raw.get())) {
            Some(Some(id)) => Frame::Call { id, method },
            Some(None) => Frame::Noise,
            None => Frame::Notice(notice(&method, self.params)),
        }
    }
}

fn body(result: Option<&RawValue>, error: Option<&RawValue>, line: &[u8]) -> Body {
    let error = error.filter(|error| error.get() != "null");
    let failed = match (result.map(RawValue::get), error) {
        (None | Some("null"), Some(error)) => server_error(error.get()).1,
        (Some(_), Some(_)) => PortError::Protocol { cause: "reply has both `result` and `error`".to_owned() },
        (None, None) => PortError::Protocol { cause: "reply's `error` is null".to_owned() },
        (Some(result), None) => match result.as_bytes() {
            [b'{', ..] => return Body::Result(place(result, line)),
            [b'[', inside @ .., b']'] if inside.trim_ascii().is_empty() => return Body::EmptyResult,
            other => PortError::InvalidResponse { cause: format!("`result` is {}, not an object", kind(other)) },
        },
    };
    Body::Failed(failed)
}

/// An answer without an id. Some servers answer even notifications so; only an error tells of a lost request.
fn lost(result: Option<&RawValue>, error: Option<&RawValue>) -> Frame {
    match (result, error.map(RawValue::get)) {
        (None, Some(error)) if error != "null" => {
            let (code, error) = server_error(error);
            Frame::LostError { code, error }
        }
        _ => Frame::Noise,
    }
}

/// Where `part` stands in `line`; it borrows from it.
fn place(part: &str, line: &[u8]) -> Range<usize> {
    let start = part.as_ptr().addr().saturating_sub(line.as_ptr().addr());
    start..start.saturating_add(part.len())
}

fn kind(json: &[u8]) -> &'static str {
    match json.first() {
        Some(b'n') => "null",
        Some(b'"') => "a string",
        Some(b'[') => "an array",
        Some(b't' | b'f') => "a boolean",
        _ => "a number",
    }
}

/// The server's own error, whatever its shape.
fn server_error(json: &str) -> (i64, PortError) {
    #[derive(Deserialize)]
    struct Shape<'a> {
        #[serde(borrow, default, deserialize_with = "present")]
        code: Option<&'a RawValue>,
        #[serde(borrow, default, deserialize_with = "present")]
        message: Option<&'a RawValue>,
    }
    let (code, message) = match serde_json::from_str::<Shape<'_>>(json) {
        Ok(Shape { code, message }) => {
            let code = code.and_then(|code| request_id(code.get())).unwrap_or_default();
            (code, message.map_or(json, RawValue::get))
        }
        Err(_) => (0, json),
    };
    let message = match serde_json::from_str::<Cow<'_, str>>(message) {
        Ok(text) => server_text(&text),
        Err(_) => server_text(message),
    };
    (code, PortError::Server { code, message })
}

fn notice(method: &str, params: Option<&RawValue>) -> Notice {
    match method {
        "notifications/progress" => params.and_then(progress).unwrap_or(Notice::Other),
        "notifications/tools/list_changed"
        | "notifications/resources/list_changed"
        | "notifications/prompts/list_changed" => Notice::ListChanged,
        _ => Notice::Other,
    }
}

/// A progress notification restarts the clock even when its numbers are odd.
fn progress(params: &RawValue) -> Option<Notice> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Shape<'a> {
        #[serde(borrow)]
        progress_token: &'a RawValue,
        #[serde(borrow, default, deserialize_with = "present")]
        progress: Option<&'a RawValue>,
        #[serde(borrow, default, deserialize_with = "present")]
        total: Option<&'a RawValue>,
        #[serde(borrow, default, deserialize_with = "present")]
        message: Option<&'a RawValue>,
    }
    let shape: Shape<'_> = serde_json::from_str(params.get()).ok()?;
    let number = |raw: Option<&RawValue>| raw.and_then(|raw| serde_json::from_str(raw.get()).ok());
    let message = shape.message.and_then(|raw| serde_json::from_str::<Cow<'_, str>>(raw.get()).ok());
    let progress = Progress {
        progress: number(shape.progress).unwrap_or_default(),
        total: number(shape.total),
        message: message.map(|text| server_text(&text)),
    };
    Some(Notice::Progress { token: request_id(shape.progress_token.get())?, progress })
}

/// An id of ours, which a server may write back as `1`, `1.0` or `"1"`.
#[expect(clippy::cast_possible_truncation, reason = "the bounds are checked before the cast")]
fn request_id(json: &str) -> Option<Id> {
    let text = json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(json);
    let float = || text.parse::<f64>().ok().filter(|float| float.fract() == 0.0 && float.abs() < EXACT_FLOAT);
    text.parse().ok().or_else(|| float().map(|float| float as Id))
}

fn server_id(json: &str) -> Option<ServerId> {
    if json.starts_with('"') {
        return serde_json::from_str(json).ok().map(ServerId::Text);
    }
    request_id(json).map(ServerId::Number)
}

/// The id of an object that ends the line: everything after it must parse, so an id inside of the result does not count.
fn closing_id(object: &[u8]) -> Option<Id> {
    #[derive(Deserialize)]
    struct Closing<'a> {
        #[serde(borrow)]
        id: &'a RawValue,
    }
    serde_json::from_slice::<Closing<'_>>(object).ok().and_then(|closing| request_id(closing.id.get()))
}

/// Reads an object's members until it breaks off.
struct Members<'a>(&'a mut Glimpse);

impl<'de> DeserializeSeed<'de> for Members<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Members<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let mut id = None;
        while let Some(key) = members.next_key::<Cow<'de, str>>()? {
            // Only now is it sure that the id before this key was not cut.
            self.0.id = self.0.id.or(id.take());
            match &*key {
                "id" => id = request_id(members.next_value::<&RawValue>()?.get()),
                "method" => {
                    self.0.method = true;
                    members.next_value::<IgnoredAny>()?;
                }
                _ => {
                    members.next_value::<IgnoredAny>()?;
                }
            }
        }
        self.0.id = self.0.id.or(id);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
