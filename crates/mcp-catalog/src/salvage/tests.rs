//! Salvage over the odd shapes that servers were seen to send (cases.md, sdk-facts.md §3).

mod laws;
mod pages;
mod reads;
mod results;

use crate::RawResult;
use mcp_render::Piece;

fn raw(json: &str) -> RawResult {
    RawResult::whole(json.as_bytes().to_vec())
}

/// A result inside a frame, as it comes over stdio.
fn framed(json: &str) -> RawResult {
    let (head, tail) = (r#"{"jsonrpc":"2.0","id":7,"result":"#, "}");
    RawResult::new(format!("{head}{json}{tail}").into_bytes(), head.len()..head.len() + json.len())
}

/// What a piece holds.
fn text(raw: &RawResult, piece: &Piece) -> String {
    match piece {
        Piece::InFrame(range) => String::from_utf8(raw.line()[range.clone()].to_vec()).unwrap(),
        Piece::Owned(text) => text.clone(),
    }
}
