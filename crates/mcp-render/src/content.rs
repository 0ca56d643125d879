//! What a server sent, taken apart but not yet judged: contents of a read, blocks of a tool result, prompt messages.
//!
//! The parts borrow from the frame they came in by range, so that a blob can be decoded in the frame's own buffer.
//! Parsing JSON is the catalog's work; nothing here looks at a wire format.

use crate::Code;
use std::ops::Range;

/// A string of a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// It stands in the frame without escapes, at this byte range.
    InFrame(Range<usize>),
    /// It had escapes (or no frame) and was copied.
    Owned(String),
}

/// Why an item could not be taken as it came (S30).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemFault {
    /// The code of the item's error object.
    pub code: Code,
    /// One sentence: what is wrong, with the limit or the way out.
    pub sentence: String,
}

/// What a content item holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// Text.
    Text(Piece),
    /// Base64.
    Blob(Piece),
    /// Neither can be told (S30).
    Broken(ItemFault),
}

/// One item of `contents`, or the resource inside an embedded block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// The item's URI as the server wrote it; the requested one when it wrote none.
    pub uri: String,
    /// The claimed mime type, as given.
    pub mime_type: Option<String>,
    /// The annotated audience, as given; empty when none was (S24).
    pub audience: Vec<String>,
    /// Text, blob, or neither.
    pub body: Body,
}

/// What a content block is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockBody {
    /// `type: "text"`.
    Text(Piece),
    /// `type: "image"`, base64.
    Image {
        /// The claimed mime type.
        mime_type: Option<String>,
        /// The base64 data.
        data: Piece,
    },
    /// `type: "audio"`, base64.
    Audio {
        /// The claimed mime type.
        mime_type: Option<String>,
        /// The base64 data.
        data: Piece,
    },
    /// `type: "resource"`: an embedded resource.
    Resource(Content),
    /// `type: "resource_link"`. It is never followed (S35).
    ResourceLink {
        /// The link's URI.
        uri: String,
        /// The link's name, if it has one.
        name: Option<String>,
        /// The claimed mime type.
        mime_type: Option<String>,
        /// The description, if any.
        description: Option<String>,
        /// The claimed size in bytes.
        size: Option<u64>,
    },
    /// A type this client does not know.
    Unknown {
        /// The type's own name.
        type_name: String,
        /// How long the block is as JSON.
        bytes: usize,
    },
    /// A known type in a wrong shape.
    Broken(ItemFault),
}

/// One content block of a tool result or a prompt message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The annotated audience, as given.
    pub audience: Vec<String>,
    /// What the block is.
    pub body: BlockBody,
}

/// One prompt message. A role other than `user` and `assistant` is kept as the server wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The role, as given.
    pub role: String,
    /// The content; MCP has one block a message, some servers send several.
    pub blocks: Vec<Block>,
}
