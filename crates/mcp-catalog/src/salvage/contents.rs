//! The contents of a read and the blocks of a tool result or message, one by one (S30, S35).
//!
//! A string without escapes becomes a range of the frame, so that a blob is decoded where it stands and nothing large is
//! copied. Whether base64 is base64 is not decided here.

use super::{
    entry::audience,
    node::{Node, Odd, Shape},
};
use crate::excerpt::{NAME_MAX_BYTES, excerpt};
use mcp_render::{Block, BlockBody, Body, Code, Content, ItemFault, Piece};
use std::{borrow::Cow, ops::Range};

/// The bytes that pieces are ranges of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame<'a>(pub(super) &'a [u8]);

impl Frame<'_> {
    /// The string as a piece: a range when it stands in the frame.
    fn piece(self, text: Cow<'_, str>) -> Piece {
        match text {
            Cow::Borrowed(text) => self.range_of(text).map_or_else(|| Piece::Owned(text.to_owned()), Piece::InFrame),
            Cow::Owned(text) => Piece::Owned(text),
        }
    }

    /// Where `text` stands in the frame, by its address.
    fn range_of(self, text: &str) -> Option<Range<usize>> {
        let start = text.as_ptr().addr().checked_sub(self.0.as_ptr().addr())?;
        let range = start..start.checked_add(text.len())?;
        let found = self.0.get(range.clone())?;
        std::ptr::eq(found.as_ptr(), text.as_ptr()).then_some(range)
    }
}

/// One item of `contents`, or the resource of an embedded block. `uri` stands in when the item names none.
pub(super) fn content(node: Node<'_>, frame: Frame<'_>, uri: &str) -> Content {
    let members = node.members(["uri", "mimeType", "text", "blob", "annotations"]);
    let [own_uri, mime_type, text, blob, annotations] = match members {
        Ok(members) => members,
        Err(odd) => {
            let body = Body::Broken(invalid(format!("Item {odd}")));
            return Content { uri: uri.to_owned(), mime_type: None, audience: Vec::new(), body };
        }
    };
    Content {
        uri: string(own_uri).filter(|own| !own.is_empty()).unwrap_or_else(|| uri.to_owned()),
        mime_type: string(mime_type),
        audience: audience(annotations),
        body: body(text, blob, frame),
    }
}

/// Text, blob, or why neither can be told. An empty string beside the other counts as absent; a lone one is an empty
/// text (S30).
fn body(text: Option<Node<'_>>, blob: Option<Node<'_>>, frame: Frame<'_>) -> Body {
    let text = text.map(Node::string);
    let blob = blob.map(Node::string);
    match (text, blob) {
        (Some(Ok(text)), Some(Ok(blob))) if !text.is_empty() && !blob.is_empty() => {
            Body::Broken(invalid("Item has both `text` and `blob`".to_owned()))
        }
        (_, Some(Ok(blob))) if !blob.is_empty() => Body::Blob(frame.piece(blob)),
        (Some(Ok(text)), _) => Body::Text(frame.piece(text)),
        (_, Some(Ok(empty))) => Body::Text(frame.piece(empty)),
        (Some(Err(odd)), _) => Body::Broken(invalid(format!("`text` {odd}"))),
        (None, Some(Err(odd))) => Body::Broken(invalid(format!("`blob` {odd}"))),
        (None, None) => Body::Broken(invalid("Item has neither `text` nor `blob`".to_owned())),
    }
}

/// The most blocks that are kept of one list.
pub(super) const BLOCKS_MAX: usize = mcp_render::LISTING_MAX_ITEMS;

/// The blocks of a `content`: an array, a lone block, or a bare string.
pub(super) fn blocks(content: Option<Node<'_>>, frame: Frame<'_>) -> Vec<Block> {
    let Some(content) = content else { return Vec::new() };
    if content.is_empty_container() {
        return Vec::new();
    }
    if content.shape() != Shape::Array {
        return vec![block(content, frame)];
    }
    let mut blocks = Vec::new();
    let mut found = 0_usize;
    let read = content.each_element(|element| {
        found += 1;
        if found <= BLOCKS_MAX {
            blocks.push(block(element, frame));
        }
    });
    if let Err(odd) = read {
        blocks.push(broken(format!("`content` {odd}")));
    }
    if found > BLOCKS_MAX {
        blocks.push(Block { audience: Vec::new(), body: BlockBody::Broken(beyond(found, "blocks")) });
    }
    blocks
}

/// The fault that stands for everything beyond the bound on items.
pub(super) fn beyond(found: usize, what: &str) -> ItemFault {
    let sentence = format!("Result holds {found} {what}; only the first {BLOCKS_MAX} are read");
    ItemFault { code: Code::TooLarge, sentence }
}

fn block(node: Node<'_>, frame: Frame<'_>) -> Block {
    if node.shape() == Shape::String {
        let body = match node.string() {
            Ok(text) => BlockBody::Text(frame.piece(text)),
            Err(odd) => BlockBody::Broken(invalid(format!("Block {odd}"))),
        };
        return Block { audience: Vec::new(), body };
    }
    match node.members(["type", "annotations", "text"]) {
        Ok([kind, annotations, text]) => {
            Block { audience: audience(annotations), body: block_body(node, kind, text, frame) }
        }
        Err(odd) => broken(format!("Block {odd}")),
    }
}

fn block_body(node: Node<'_>, kind: Option<Node<'_>>, text: Option<Node<'_>>, frame: Frame<'_>) -> BlockBody {
    let kind = kind.map(Node::string);
    match kind {
        Some(Ok(kind)) => match &*kind {
            "text" => text_body(text, frame),
            "image" => media(node, frame, "image")
                .map_or_else(BlockBody::Broken, |(mime_type, data)| BlockBody::Image { mime_type, data }),
            "audio" => media(node, frame, "audio")
                .map_or_else(BlockBody::Broken, |(mime_type, data)| BlockBody::Audio { mime_type, data }),
            "resource" => embedded(node, frame),
            "resource_link" => link(node),
            other => BlockBody::Unknown { type_name: excerpt(other, NAME_MAX_BYTES), bytes: node.json().len() },
        },
        // Some servers leave `type` out; a string in `text` says enough.
        None if text.is_some() => text_body(text, frame),
        None => BlockBody::Broken(invalid("Block has no `type`".to_owned())),
        Some(Err(odd)) => BlockBody::Broken(invalid(format!("`type` of a block {odd}"))),
    }
}

fn text_body(text: Option<Node<'_>>, frame: Frame<'_>) -> BlockBody {
    match text.map(Node::string) {
        Some(Ok(text)) => BlockBody::Text(frame.piece(text)),
        Some(Err(odd)) => BlockBody::Broken(invalid(format!("`text` of a text block {odd}"))),
        None => BlockBody::Broken(invalid("Text block has no `text`".to_owned())),
    }
}

fn media(node: Node<'_>, frame: Frame<'_>, kind: &str) -> Result<(Option<String>, Piece), ItemFault> {
    let [mime_type, data] = node.members(["mimeType", "data"]).map_err(|odd| invalid(format!("Block {odd}")))?;
    let data = data.ok_or_else(|| invalid(format!("Block of type `{kind}` has no `data`")))?;
    let data = data.string().map_err(|odd| invalid(format!("`data` of a block of type `{kind}` {odd}")))?;
    Ok((string(mime_type), frame.piece(data)))
}

fn embedded(node: Node<'_>, frame: Frame<'_>) -> BlockBody {
    match node.members(["resource"]) {
        Ok([Some(resource)]) => BlockBody::Resource(content(resource, frame, "")),
        Ok([None]) => BlockBody::Broken(invalid("Block of type `resource` has no `resource`".to_owned())),
        Err(odd) => BlockBody::Broken(invalid(format!("Block {odd}"))),
    }
}

fn link(node: Node<'_>) -> BlockBody {
    let members = node.members(["uri", "name", "mimeType", "description", "size"]);
    match members {
        Ok([uri, name, mime_type, description, size]) => match string(uri).filter(|uri| !uri.is_empty()) {
            Some(uri) => BlockBody::ResourceLink {
                uri,
                name: string(name),
                mime_type: string(mime_type),
                description: string(description),
                size: size.and_then(Node::size),
            },
            None => BlockBody::Broken(invalid("Block of type `resource_link` has no `uri`".to_owned())),
        },
        Err(odd) => BlockBody::Broken(invalid(format!("Block {odd}"))),
    }
}

/// A block that could not be taken.
pub(super) fn broken(sentence: String) -> Block {
    Block { audience: Vec::new(), body: BlockBody::Broken(invalid(sentence)) }
}

fn invalid(sentence: String) -> ItemFault {
    ItemFault { code: Code::InvalidResponse, sentence }
}

/// An optional string of a content or block; anything else is dropped.
fn string(node: Option<Node<'_>>) -> Option<String> {
    node.map(Node::string).and_then(Result::<Cow<'_, str>, Odd>::ok).map(Cow::into_owned)
}
