//! The parts of a read's answer (S26, S30, S33), so that a person gets text as text and a file as a path.
//!
//! It reads the JSON that a model gets and nothing else; it renders nothing anew.

use serde_json::Value;

/// One item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Item<'a> {
    /// A page of text.
    Text(TextPage<'a>),
    /// Binary content that is kept in a file.
    Spilled(SpilledItem<'a>),
    /// An item that could not be taken.
    Failed {
        /// Its URI.
        uri: &'a str,
        /// Its code.
        code: &'a str,
        /// Why.
        error: &'a str,
    },
    /// Items that did not fit into one answer.
    Omitted {
        /// Their indices, in order.
        items: Vec<u64>,
        /// How to get them.
        note: &'a str,
    },
}

/// A page of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextPage<'a> {
    pub(super) uri: &'a str,
    pub(super) mime_type: Option<&'a str>,
    pub(super) text: &'a str,
    pub(super) total_bytes: u64,
    /// Where the next page starts; `None` on the last.
    pub(super) next_offset: Option<u64>,
    pub(super) note: Option<&'a str>,
}

/// What is told of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SpilledItem<'a> {
    pub(super) uri: &'a str,
    pub(super) mime_type: Option<&'a str>,
    /// `None` when it could not be kept.
    pub(super) path: Option<&'a str>,
    pub(super) size_bytes: u64,
    pub(super) sha256: &'a str,
    pub(super) note: Option<&'a str>,
}

/// The items of an answer: one for an object, several for an array.
pub(super) fn items(answer: &Value) -> Vec<Item<'_>> {
    match answer {
        Value::Array(items) => items.iter().map(item).collect(),
        one => vec![item(one)],
    }
}

fn item(value: &Value) -> Item<'_> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let number = |key: &str| value.get(key).and_then(Value::as_u64);
    let (uri, mime_type, note) = (text("uri").unwrap_or_default(), text("mime_type"), text("note"));
    if value.get("spilled") == Some(&Value::Bool(true)) {
        let (size_bytes, sha256) = (number("size_bytes").unwrap_or_default(), text("sha256").unwrap_or_default());
        return Item::Spilled(SpilledItem { uri, mime_type, path: text("path"), size_bytes, sha256, note });
    }
    if let Some(omitted) = value.get("omitted").and_then(Value::as_array) {
        let items = omitted.iter().filter_map(|item| item.get("index").and_then(Value::as_u64)).collect();
        return Item::Omitted { items, note: note.unwrap_or_default() };
    }
    if let (Some(error), Some(code)) = (text("error"), text("code")) {
        return Item::Failed { uri, code, error };
    }
    Item::Text(TextPage {
        uri,
        mime_type,
        text: text("text").unwrap_or_default(),
        total_bytes: number("total_bytes").unwrap_or_default(),
        next_offset: number("next_offset"),
        note,
    })
}

impl SpilledItem<'_> {
    /// `image/png, 1024 bytes, sha256 …`
    pub(super) fn summary(&self) -> String {
        let mime_type = self.mime_type.unwrap_or("no mime type");
        format!("{mime_type}, {} bytes, sha256 {}", self.size_bytes, self.sha256)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_shape_of_an_answer_is_told_apart() {
        let text = json!({"uri": "a", "mime_type": null, "truncated": true, "next_offset": 4, "total_bytes": 9, "text": "abcd"});
        let spill = json!({"spilled": true, "path": "/p", "uri": "b", "mime_type": "image/png", "sniffed": false, "size_bytes": 3, "sha256": "ff"});
        let failed = json!({"uri": "c", "mime_type": null, "error": "Too large", "code": "too_large"});
        let omitted = json!({"truncated": true, "omitted_items": 2, "omitted": [{"index": 3, "bytes": 1}, {"index": 4, "bytes": 2}], "note": "n"});
        let answer = json!([text, spill, failed, omitted]);
        let seen = items(&answer);
        assert!(
            matches!(&seen[0], Item::Text(page) if page.next_offset == Some(4) && page.text == "abcd" && page.total_bytes == 9)
        );
        assert!(
            matches!(&seen[1], Item::Spilled(spill) if spill.path == Some("/p") && spill.summary() == "image/png, 3 bytes, sha256 ff")
        );
        assert_eq!(seen[2], Item::Failed { uri: "c", code: "too_large", error: "Too large" });
        assert_eq!(seen[3], Item::Omitted { items: vec![3, 4], note: "n" });
        assert_eq!(items(&text).len(), 1);
    }
}
