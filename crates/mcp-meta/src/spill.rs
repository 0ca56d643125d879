//! A spilled file, read back by its id without asking the server (S34).
//!
//! Only the asking server's own directory is looked into, and the store checks the hash. Text is paged and filtered like
//! any other; a binary is answered by its metadata.

use crate::error::MetaError;
use crate::server_call::ServerCall;
use mcp_render::{PageRequest, respond};
use serde_json::Value;
use std::sync::Arc;

/// The scheme of a spill's URI.
const SCHEME: &str = "spill:";
/// How many digits a SHA-256 has.
const DIGITS: usize = 64;

/// The id of a spilled file: 64 lower-case hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sha256Hex(String);

impl Sha256Hex {
    /// Takes an id, with or without `spill:` before it and in either case.
    pub(crate) fn parse(parameter: &'static str, text: &str) -> Result<Self, MetaError> {
        let digits = text.strip_prefix(SCHEME).unwrap_or(text);
        if digits.len() == DIGITS && is_hex(digits) {
            return Ok(Self(digits.to_ascii_lowercase()));
        }
        Err(MetaError::SpillId { parameter, given: text.to_owned() })
    }

    /// The id that `uri` names. `spill:` before anything but digits is a server's own scheme, and opaque (C64).
    pub(crate) fn of_uri(parameter: &'static str, uri: &str) -> Result<Option<Self>, MetaError> {
        match uri.strip_prefix(SCHEME) {
            Some(digits) if is_hex(digits) => Self::parse(parameter, uri).map(Some),
            _ => Ok(None),
        }
    }
}

fn is_hex(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A page of the file, or its metadata.
pub(crate) async fn page(call: &ServerCall<'_>, sha256: Sha256Hex, page: PageRequest) -> Result<Value, MetaError> {
    let (store, dir, ceiling) = (Arc::clone(&call.context.spills), call.spill_dir()?, call.context.ceiling);
    let id = sha256.0.clone();
    let page = call
        .offload(move || store.read_back(&dir, &id).map(|stored| respond(&[stored.settle()], &page, ceiling)))
        .await?;
    match page {
        Some(page) => page.map_err(|source| MetaError::Page { source }),
        None => Err(MetaError::NoSpill { server: call.server().clone(), sha256: sha256.0 }),
    }
}
