//! A JSON object with its members in the file's order, each as the file's own text, so that a fault can name its line.

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;
use std::fmt;

/// The members of an object. A key that stands twice is here twice.
pub(super) struct Ordered<'a>(pub(super) Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Ordered<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Ordered<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Ordered(members))
            }
        }

        deserializer.deserialize_map(Members)
    }
}

/// The line of `text` on which `part` begins, from 1, when `part` is a slice of it; else 0.
pub(crate) fn line_of(text: &str, part: &str) -> usize {
    let offset = part.as_ptr().addr().checked_sub(text.as_ptr().addr());
    // What begins right behind the text is another text.
    let before = offset.filter(|offset| *offset < text.len()).and_then(|offset| text.get(..offset));
    before.map_or(0, |before| before.matches('\n').count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_keep_their_order_and_their_place() {
        let text = "{\n \"b\": 1,\n \"a\": {\n\"x\": 2}, \"b\": 3\n}";
        let Ordered(members) = serde_json::from_str(text).unwrap();
        let seen: Vec<_> = members.iter().map(|(key, raw)| (key.as_str(), line_of(text, raw.get()))).collect();
        assert_eq!(seen, [("b", 2), ("a", 3), ("b", 4)]);
        assert_eq!(line_of(text, "elsewhere"), 0);
    }
}
