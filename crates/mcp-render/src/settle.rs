//! Settling: each item of a read becomes text, a spill, or an error item (S29, S30).
//!
//! One bad item never costs its siblings. Blobs are decoded where they stand in the frame, and the frame's own buffer is
//! what keeps the texts, so a 64 MiB blob needs no second buffer. What is settled is what the page store keeps (S28).

use crate::decode::{DecodeFault, clean_len, data_prefix, decode_in_place, looks_like_url};
use crate::sniff::{is_text, looks_like};
use crate::spill::Known;
use crate::{BLOB_DECODED_MAX_BYTES, Body, Code, Content, HeldText, ItemFault, Piece, Spilled, Spiller, mime_type};
use std::hash::{BuildHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

/// A text item, ready to be paged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettledText {
    /// The item's URI.
    pub uri: String,
    /// The claimed mime type.
    pub mime_type: Option<String>,
    /// The audience (S24).
    pub audience: Vec<String>,
    /// The whole text.
    pub text: HeldText,
}

/// One settled item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settled {
    /// Text, to be paged.
    Text(SettledText),
    /// A blob that is kept in the spill store.
    Spilled(Spilled),
    /// An item that could not be taken.
    Failed {
        /// The item's URI.
        uri: String,
        /// The claimed mime type.
        mime_type: Option<String>,
        /// What is wrong.
        fault: ItemFault,
    },
}

impl Settled {
    /// Bytes held in memory, for the page store (S28).
    pub fn held_bytes(&self) -> usize {
        let strings = |uri: &String, mime: &Option<String>| uri.len() + mime.as_ref().map_or(0, String::len);
        let content = match self {
            Self::Text(text) => text.text.held_bytes() + strings(&text.uri, &text.mime_type),
            Self::Spilled(spilled) => strings(&spilled.uri, &spilled.mime_type),
            Self::Failed { uri, mime_type, fault } => strings(uri, mime_type) + fault.sentence.len(),
        };
        content + size_of::<Self>()
    }
}

/// Settles the items of one frame. Blocking: decodes, hashes, writes; run it off the async threads.
///
/// ```
/// use mcp_render::*;
/// # let root = std::env::temp_dir().join(format!("mcp-render-doc-{}", std::process::id()));
/// let store = std::sync::Arc::new(SpillStore::new(root.clone()));
/// let frame = br#"{"contents":[{"uri":"n://1","blob":"IyBIaQo="}]}"#.to_vec();
/// let blob = Content {
///     uri: "n://1".into(),
///     mime_type: Some("text/markdown".into()),
///     audience: vec![],
///     body: Body::Blob(Piece::InFrame(36..44)),
/// };
/// let items = settle(frame, vec![blob], &Spiller::new(store, SpillDir::new("notes").unwrap()));
/// // A blob that is UTF-8 is text, whatever the server calls it.
/// assert!(matches!(&items[..], [Settled::Text(text)] if text.text.as_str() == "# Hi\n"));
/// ```
pub fn settle(mut frame: Vec<u8>, contents: Vec<Content>, spiller: &Spiller) -> Vec<Settled> {
    let taken: Vec<_> = contents.into_iter().map(|content| take(&mut frame, content, spiller)).collect();
    let ranges = taken.iter().filter_map(|taken| match taken {
        Taken::Text(_, Place::Frame(range)) => Some(range.clone()),
        _ => None,
    });
    let mut keeper = Keeper::new(frame, ranges);
    taken.into_iter().map(|taken| keeper.settle(taken)).collect()
}

/// A fingerprint of settled items: equal when the same contents were settled, so that a page that had to be fetched
/// again can say that the resource changed (S28). Good within one process; it guards against chance, not against a server,
/// which can only deceive about its own resource.
pub fn fingerprint(items: &[Settled]) -> u64 {
    let mut hasher = foldhash::quality::FixedState::default().build_hasher();
    for item in items {
        let (kind, uri, content) = match item {
            Settled::Text(text) => (b't', &text.uri, text.text.as_bytes()),
            Settled::Spilled(spilled) => (b's', &spilled.uri, spilled.sha256.as_bytes()),
            Settled::Failed { uri, fault, .. } => (b'f', uri, fault.sentence.as_bytes()),
        };
        (kind, uri, content).hash(&mut hasher);
    }
    hasher.finish()
}

/// An item's own description.
struct Label {
    uri: String,
    mime_type: Option<String>,
    audience: Vec<String>,
}

/// Where an item's text is.
enum Place {
    Frame(Range<usize>),
    Own(Vec<u8>),
}

/// An item whose bytes were looked at.
enum Taken {
    Text(Label, Place),
    Done(Settled),
}

/// Decodes, sniffs, and spills what is no text.
fn take(frame: &mut [u8], content: Content, spiller: &Spiller) -> Taken {
    let Content { uri, mime_type, audience, body } = content;
    let mut label = Label { uri, mime_type, audience };
    let result = match body {
        Body::Broken(fault) => Err(fault),
        Body::Text(piece) => Ok(place(piece)),
        Body::Blob(piece) => {
            let place = place(piece);
            if let Some(known) = recognise(frame, &mut label, &place, spiller) {
                return Taken::Done(Settled::Spilled(again(label, known)));
            }
            decode(frame, &mut label, place)
        }
    };
    let fault = match result {
        Err(fault) => fault,
        Ok(place) => match bytes_of(frame, &place) {
            Some(bytes) if is_text(bytes) => return Taken::Text(label, place),
            Some(bytes) => return Taken::Done(Settled::Spilled(spill(label, bytes, spiller))),
            None => outside_frame(),
        },
    };
    Taken::Done(Settled::Failed { uri: label.uri, mime_type: label.mime_type, fault })
}

fn place(piece: Piece) -> Place {
    match piece {
        Piece::InFrame(range) => Place::Frame(range),
        Piece::Owned(text) => Place::Own(text.into_bytes()),
    }
}

fn bytes_of<'a>(frame: &'a [u8], place: &'a Place) -> Option<&'a [u8]> {
    match place {
        Place::Frame(range) => frame.get(range.clone()),
        Place::Own(bytes) => Some(bytes),
    }
}

/// Decodes a blob where it stands and gives the place of the result.
fn decode(frame: &mut [u8], label: &mut Label, place: Place) -> Result<Place, ItemFault> {
    match place {
        Place::Frame(range) => {
            let text = frame.get_mut(range.clone()).ok_or_else(outside_frame)?;
            let done = decode_text(text, label)?;
            Ok(Place::Frame(range.start + done.start..range.start + done.end))
        }
        Place::Own(mut bytes) => {
            let done = decode_text(&mut bytes, label)?;
            bytes.truncate(done.end);
            bytes.drain(..done.start);
            Ok(Place::Own(bytes))
        }
    }
}

fn decode_text(text: &mut [u8], label: &mut Label) -> Result<Range<usize>, ItemFault> {
    let given = text.len();
    let url = looks_like_url(text);
    let decoded = data_prefix(text).and_then(|prefix| {
        let (mime, start) = prefix.unwrap_or_default();
        label.mime_type = label.mime_type.take().or(mime);
        let payload = text.get_mut(start..).unwrap_or_default();
        Ok(start..start + decode_in_place(payload, BLOB_DECODED_MAX_BYTES)?)
    });
    decoded.map_err(|fault| blob_fault(fault, given, url))
}

fn blob_fault(fault: DecodeFault, given: usize, url: bool) -> ItemFault {
    match fault {
        DecodeFault::TooLarge(decoded) => {
            let (decoded, limit) = (mebibytes(decoded), mebibytes(BLOB_DECODED_MAX_BYTES));
            let sentence =
                format!("Blob is {decoded} MiB decoded; the limit is {limit} MiB. Ask the server for a smaller part");
            ItemFault { code: Code::TooLarge, sentence }
        }
        DecodeFault::NotBase64 => {
            let why = if url { ", and a URL in its place is never fetched" } else { "" };
            ItemFault { code: Code::InvalidResponse, sentence: format!("Blob is not base64 (length {given}){why}") }
        }
    }
}

/// Rounded up, with one digit where it says something: a blob one byte over the limit is 50.1 MiB.
fn mebibytes(bytes: usize) -> String {
    let tenths = (bytes * 10).div_ceil(1 << 20);
    if tenths.is_multiple_of(10) { (tenths / 10).to_string() } else { format!("{}.{}", tenths / 10, tenths % 10) }
}

fn outside_frame() -> ItemFault {
    ItemFault { code: Code::InvalidResponse, sentence: "Item does not lie inside its frame".into() }
}

/// The blob whose base64 is at `place`, if it was spilled before.
fn recognise(frame: &[u8], label: &mut Label, place: &Place, spiller: &Spiller) -> Option<Known> {
    let text = bytes_of(frame, place)?;
    let (mime, start) = data_prefix(text).ok()?.unwrap_or_default();
    let text = text.get(start..)?;
    let len = clean_len(text)?;
    let claimed = label.mime_type.take().or(mime);
    let known = spiller.recognise(text, len, mime_type::extension(claimed.as_deref()));
    label.mime_type = claimed;
    known
}

/// What is said of a blob that was spilled before.
fn again(label: Label, known: Known) -> Spilled {
    Spilled {
        code: None,
        path: Some(known.path.to_string_lossy().into_owned()),
        uri: label.uri,
        mime_type: label.mime_type,
        size_bytes: known.size_bytes,
        sha256: known.sha256,
        audience: label.audience,
        detected_mime: known.detected_mime,
        note: None,
    }
}

fn spill(label: Label, bytes: &[u8], spiller: &Spiller) -> Spilled {
    let kept = spiller.keep(bytes, mime_type::extension(label.mime_type.as_deref()));
    let (size_bytes, detected_mime) = (bytes.len() as u64, looks_like(bytes));
    match kept.path {
        Ok(path) => {
            let known = Known { path, sha256: kept.sha256, size_bytes, detected_mime };
            spiller.remember(known.clone());
            again(label, known)
        }
        Err(why) => Spilled {
            code: Some(Code::SpillFailed),
            path: None,
            uri: label.uri,
            mime_type: label.mime_type,
            size_bytes,
            sha256: kept.sha256,
            audience: label.audience,
            detected_mime,
            note: Some(why),
        },
    }
}

/// Keeps the texts of a frame: in the frame's own buffer when that is mostly text, else copied out of it.
struct Keeper {
    frame: Arc<Vec<u8>>,
    shared: bool,
    /// What the frame holds beside its texts; the first text accounts for it.
    rest: usize,
}

impl Keeper {
    fn new(mut frame: Vec<u8>, texts: impl Iterator<Item = Range<usize>>) -> Self {
        let (end, total) = texts.fold((0, 0), |(end, total), range| (end.max(range.end), total + range.len()));
        frame.truncate(end);
        let shared = total >= frame.len() / 2;
        if shared {
            // Gives the tail back in place; nothing is copied for a large frame.
            frame.shrink_to_fit();
        }
        Self { rest: frame.capacity().saturating_sub(total), shared, frame: Arc::new(frame) }
    }

    fn settle(&mut self, taken: Taken) -> Settled {
        let (label, place) = match taken {
            Taken::Done(settled) => return settled,
            Taken::Text(label, place) => (label, place),
        };
        let text = match place {
            Place::Own(bytes) => HeldText::from_utf8(bytes),
            Place::Frame(range) if self.shared => {
                let held = range.len() + std::mem::take(&mut self.rest);
                HeldText::in_buffer(&self.frame, range, held)
            }
            Place::Frame(range) => self.frame.get(range).map(<[u8]>::to_vec).and_then(HeldText::from_utf8),
        };
        let Label { uri, mime_type, audience } = label;
        match text {
            Some(text) => Settled::Text(SettledText { uri, mime_type, audience, text }),
            // Only ranges that overlap can bring a checked text here.
            None => Settled::Failed { uri, mime_type, fault: outside_frame() },
        }
    }
}

#[cfg(test)]
mod tests;
