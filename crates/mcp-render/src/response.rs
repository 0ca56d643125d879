//! The answer to a read (S25, S26, S30): one object for one item, an array for several, never over the ceiling.
//!
//! Pure: it pages and filters what is settled already, and knows neither disk nor server.

use crate::fit::{json_len, metadata, metadata_list, metadata_max};
use crate::slice::Extract;
use crate::{
    Ceiling, ItemFault, OMITTED_RESERVE_BYTES, PAGE_SHRUNK_MIN_BYTES, PageRequest, RenderError, Settled, SettledText,
};
use serde_json::{Map, Value, json};

/// Renders settled items as the JSON a model gets. Never longer than `ceiling` when serialised.
///
/// ```
/// use mcp_render::*;
/// let text = SettledText { uri: "log://1".into(), mime_type: None, audience: vec![], text: "one\ntwo\n".into() };
/// let page = PageRequest { max_bytes: 4, ..PageRequest::default() };
/// let answer = respond(&[Settled::Text(text)], &page, Ceiling::default()).unwrap();
/// assert_eq!(
///     answer.to_string(),
///     r#"{"uri":"log://1","mime_type":null,"truncated":true,"next_offset":4,"total_bytes":8,"text":"one\n"}"#
/// );
/// ```
pub fn respond(items: &[Settled], page: &PageRequest, ceiling: Ceiling) -> Result<Value, RenderError> {
    answer(items, &Wanted { page, ceiling, note: None })
}

/// As [`respond`], with a note on every text page: what the caller knows of it, such as that the resource changed since
/// the page before (S28).
pub fn respond_with_note(
    items: &[Settled],
    page: &PageRequest,
    ceiling: Ceiling,
    note: &str,
) -> Result<Value, RenderError> {
    answer(items, &Wanted { page, ceiling, note: Some(note) })
}

/// What is wanted of every item.
struct Wanted<'a> {
    page: &'a PageRequest,
    ceiling: Ceiling,
    note: Option<&'a str>,
}

fn answer(items: &[Settled], wanted: &Wanted<'_>) -> Result<Value, RenderError> {
    let ceiling = wanted.ceiling.bytes();
    let item = match wanted.page.item {
        Some(given) => {
            let item = usize::try_from(given).ok().and_then(|index| items.get(index));
            item.ok_or(RenderError::ItemOutOfRange { given, count: items.len() })?
        }
        None => match items {
            [] => return Ok(wanted.empty_resource()),
            [item] => item,
            several => return Ok(wanted.array(several)),
        },
    };
    Ok(wanted.object(item, ceiling, true).unwrap_or_default())
}

impl Wanted<'_> {
    fn empty_resource(&self) -> Value {
        let note = self.notes([Some("The resource is empty: the server returned no contents")]);
        json!({"uri": null, "mime_type": null, "truncated": false, "next_offset": null, "total_bytes": 0, "note": note, "text": ""})
    }

    fn array(&self, items: &[Settled]) -> Value {
        let mut left = self.ceiling.bytes() - "[]".len();
        let mut shown = Vec::new();
        for (index, item) in items.iter().enumerate() {
            // After the last item there is nothing to be named as omitted.
            let reserve = if index + 1 == items.len() { 0 } else { OMITTED_RESERVE_BYTES };
            let room = left.saturating_sub(reserve + ",".len());
            let Some(value) = self.object(item, room, index == 0) else {
                shown.push(self.omitted(items, index));
                break;
            };
            left -= json_len(&value) + ",".len();
            shown.push(value);
        }
        Value::from(shown)
    }

    /// One item within `room` bytes; `None` when it does not fit and need not be there.
    fn object(&self, item: &Settled, room: usize, needed: bool) -> Option<Value> {
        let max = metadata_max(self.ceiling);
        let value = match item {
            Settled::Text(text) => return self.text(text, room, needed),
            Settled::Spilled(spilled) => Value::Object(spilled.object(max)),
            Settled::Failed { uri, mime_type, fault } => failed(uri, mime_type.as_deref(), fault, max),
        };
        (needed || json_len(&value) <= room).then_some(value)
    }

    fn text(&self, item: &SettledText, room: usize, needed: bool) -> Option<Value> {
        let offset = self.page.offset;
        let max_bytes = self.page.max_bytes.min(self.ceiling.bytes());
        let extract = match &self.page.filter {
            Some(filter) => filter.extract(item.text.as_bytes(), offset, max_bytes),
            None => Extract::of(item.text.as_bytes(), offset, max_bytes),
        };
        let object = self.page_object(item, &extract);
        // Counted with the longest `next_offset`, so that the page can only be shorter.
        let room = room.checked_sub(json_len(&object))?;
        let page = extract.page(max_bytes, room);
        let shrunk = || extract.page(max_bytes, usize::MAX).text.len() > page.text.len();
        if !needed && room < PAGE_SHRUNK_MIN_BYTES && shrunk() {
            return None;
        }
        let mut object = object;
        object.insert("truncated".into(), page.next.is_some().into());
        object.insert("next_offset".into(), page.next.into());
        object.insert("text".into(), page.text.into());
        Some(Value::Object(object))
    }

    /// The object of S26 in its order: paging keys first, so that a later cut cannot lose them.
    fn page_object(&self, item: &SettledText, extract: &Extract<'_>) -> Map<String, Value> {
        let max = metadata_max(self.ceiling);
        let mut object = Map::new();
        object.insert("uri".into(), metadata(&item.uri, max));
        object.insert("mime_type".into(), item.mime_type.as_deref().map_or(Value::Null, |mime| metadata(mime, max)));
        object.insert("truncated".into(), false.into());
        object.insert("next_offset".into(), extract.total.max(1_000).into());
        object.insert("total_bytes".into(), extract.total.into());
        if let Some(audience) = metadata_list(&item.audience, max) {
            object.insert("audience".into(), audience);
        }
        let filter = self.page.filter.as_ref();
        let no_match = filter.filter(|_| extract.total == 0 && !item.text.is_empty()).map(crate::Filter::no_match_note);
        let past_end = (self.page.offset > 0 && extract.at >= extract.total && no_match.is_none()).then(|| {
            let (offset, total) = (self.page.offset, extract.total);
            let what = if filter.is_some() { "filtered text" } else { "text" };
            format!("Offset {offset} is past the end of the {what}; `total_bytes` is {total}")
        });
        if let Some(note) = self.notes([no_match, past_end.as_deref()]) {
            object.insert("note".into(), metadata(&note, max));
        }
        object.insert("text".into(), "".into());
        object
    }

    fn notes<const N: usize>(&self, own: [Option<&str>; N]) -> Option<String> {
        let all: Vec<_> = own.into_iter().chain([self.note]).flatten().collect();
        (!all.is_empty()).then(|| all.join(". "))
    }

    /// The last element: what did not fit, in the room reserved for it (S30).
    fn omitted(&self, items: &[Settled], from: usize) -> Value {
        let count = items.len() - from;
        let ceiling = self.ceiling.bytes();
        let note = format!(
            "{count} of {} items do not fit into the {ceiling} bytes of one answer; `item` reads one by its index, {from} for the next",
            items.len()
        );
        let mut marker = json!({"truncated": true, "omitted_items": count, "omitted": [], "note": note});
        let omitted =
            items.iter().enumerate().skip(from).map(|(index, item)| json!({"index": index, "bytes": bytes_of(item)}));
        let list = fitting(omitted, OMITTED_RESERVE_BYTES.saturating_sub(json_len(&marker)));
        if let Some(slot) = marker.get_mut("omitted") {
            *slot = list.into();
        }
        marker
    }
}

/// As many of `values` as fit into `room` bytes of a JSON array.
pub(crate) fn fitting(values: impl Iterator<Item = Value>, mut room: usize) -> Vec<Value> {
    values
        .map_while(|value| {
            room = room.checked_sub(json_len(&value) + ",".len())?;
            Some(value)
        })
        .collect()
}

/// The object of an item that could not be taken (S30).
pub(crate) fn failed(uri: &str, mime_type: Option<&str>, fault: &ItemFault, max: usize) -> Value {
    json!({
        "uri": if uri.is_empty() { Value::Null } else { metadata(uri, max) },
        "mime_type": mime_type.map_or(Value::Null, |mime| metadata(mime, max)),
        "error": metadata(&fault.sentence, max),
        "code": fault.code.as_str(),
    })
}

/// How much an item holds.
fn bytes_of(item: &Settled) -> u64 {
    match item {
        Settled::Text(text) => text.text.len() as u64,
        Settled::Spilled(spilled) => spilled.size_bytes,
        Settled::Failed { .. } => 0,
    }
}

#[cfg(test)]
mod tests;
