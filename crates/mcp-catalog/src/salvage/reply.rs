//! The outer object of a result: its `resultType` (S17), its members, and an excerpt of it for a message (C36).
//!
//! A result is taken for what was asked, never for what its shape looks like: a `messages` beside `contents` is an
//! unknown member of a read, where rmcp would take the whole for a prompt (S9).

use super::node::{Node, Shape};
use crate::{
    PortError, RawResult,
    excerpt::{JSON_MAX_BYTES, NAME_MAX_BYTES, excerpt},
    server_text,
};

/// The most questions that are quoted of one `input_required`.
const QUESTIONS_MAX: usize = 8;

/// A result that is a JSON object and complete.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reply<'a> {
    json: &'a str,
}

impl<'a> Reply<'a> {
    /// Opens a result and takes the members of these names out of it; `null` is absent.
    pub(super) fn open<const N: usize>(
        raw: &'a RawResult,
        names: [&str; N],
    ) -> Result<(Self, [Option<Node<'a>>; N]), PortError> {
        let json = simdutf8::compat::from_utf8(raw.json())
            .map_err(|error| PortError::InvalidResponse { cause: format!("Result is not UTF-8: {error}") })?;
        let reply = Self { json };
        let mut found = [None; N];
        let mut kind = [None; 3];
        Node::object(json)
            .each_member(|key, value| {
                value.keep_as(key, &names, &mut found);
                value.keep_as(key, &["resultType", "inputRequests", "message"], &mut kind);
            })
            .map_err(|odd| reply.invalid(&format!("Result {odd}")))?;
        check_complete(kind)?;
        Ok((reply, found))
    }

    /// The member `name` as an array; an empty object is an empty array (C78).
    pub(super) fn array(self, name: &str, found: Option<Node<'a>>) -> Result<Array<'a>, PortError> {
        match found {
            Some(node) if node.shape() == Shape::Array => Ok(Array(Some(node))),
            Some(node) if node.is_empty_container() => Ok(Array(None)),
            Some(node) => Err(self.invalid(&format!("`{name}` is {}, not an array", node.shape()))),
            None => Err(self.invalid(&format!("Result has no `{name}`"))),
        }
    }

    /// The failure that `what` describes, with the head of what the server sent.
    pub(super) fn invalid(self, what: &str) -> PortError {
        PortError::InvalidResponse { cause: format!("{what}: {}", excerpt(self.json, JSON_MAX_BYTES)) }
    }
}

/// An array of a result, or an empty object in its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Array<'a>(Option<Node<'a>>);

impl<'a> Array<'a> {
    /// Visits every element in order.
    pub(super) fn each(self, visit: impl FnMut(Node<'a>)) -> Result<(), PortError> {
        let Some(node) = self.0 else { return Ok(()) };
        node.each_element(visit)
            .map_err(|odd| PortError::InvalidResponse { cause: format!("An array of the result {odd}") })
    }

    /// Whether an empty object stands for the array.
    pub(super) const fn was_mended(self) -> bool {
        self.0.is_none()
    }
}

/// Absent and `complete` are a result; `input_required` is a question; anything else is invalid (S17).
fn check_complete([kind, requests, message]: [Option<Node<'_>>; 3]) -> Result<(), PortError> {
    let Some(kind) = kind else { return Ok(()) };
    match kind.string().as_deref() {
        Ok("complete") => Ok(()),
        Ok("input_required") => Err(PortError::InputRequired { question: question(requests, message) }),
        Ok(other) => Err(PortError::InvalidResponse {
            cause: format!("`resultType` is `{}`, which this client does not know", excerpt(other, NAME_MAX_BYTES)),
        }),
        Err(odd) => Err(PortError::InvalidResponse { cause: format!("`resultType` {odd}") }),
    }
}

/// What the server asks, in its own words (C40).
fn question(requests: Option<Node<'_>>, message: Option<Node<'_>>) -> String {
    let mut asked = Vec::new();
    if let Some(requests) = requests {
        // A broken request has no words of its own; the others still have.
        let _unreadable = requests.each_member(|_id, request| {
            if asked.len() < QUESTIONS_MAX {
                asked.extend(words_of(request));
            }
        });
    }
    if asked.is_empty() {
        asked.extend(message.and_then(|message| Some(message.string().ok()?.into_owned())));
    }
    if asked.is_empty() { "(no question given)".to_owned() } else { server_text(&asked.join("; ")) }
}

/// The message of one request, with the page it points to; else the method.
fn words_of(request: Node<'_>) -> Option<String> {
    let [method, params] = request.members(["method", "params"]).ok()?;
    let text = |node: Option<Node<'_>>| Some(node?.string().ok()?.into_owned());
    let [message, url] = params.and_then(|params| params.members(["message", "url"]).ok()).unwrap_or([None; 2]);
    match (text(message), text(url)) {
        (Some(message), Some(url)) => Some(format!("{message} ({url})")),
        (Some(words), None) | (None, Some(words)) => Some(words),
        (None, None) => text(method),
    }
}
