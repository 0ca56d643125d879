//! Settling: each item of a read becomes text, a spill, or an error item (S29, S30).
use crate::{Content, ItemFault, Spilled, Spiller};
use std::sync::Arc;
/// A text item, ready to be paged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettledText { /// The item's URI.
    pub uri: String, /// The claimed mime type.
    pub mime_type: Option<String>, /// The audience (S24).
    pub audience: Vec<String>, /// The whole text.
    pub text: Arc<str> }
/// One settled item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settled { /// Text, to be paged.
    Text(SettledText), /// A blob that is kept in the spill store.
    Spilled(Spilled), /// An item that could not be taken.
    Failed { /// The item's URI.
        uri: String, /// The claimed mime type.
        mime_type: Option<String>, /// What is wrong.
        fault: ItemFault } }
/// Settles the items of one frame. Blocking: decodes, hashes, writes; run it off the async threads.
pub fn settle(_frame: Vec<u8>, _contents: Vec<Content>, _spiller: &Spiller) -> Vec<Settled> { todo!() }
impl Settled { /// Bytes held in memory, for the page store (S28).
    pub fn held_bytes(&self) -> usize { todo!() } }
