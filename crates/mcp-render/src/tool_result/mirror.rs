//! Whether a text says the same as a JSON value (S35, C49).
//!
//! The text is compared while it is read and nothing is built of it: a value in memory takes many times its bytes, and
//! the first difference ends the reading.

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::collections::HashSet;
use std::fmt;

/// Whether `text` is JSON equal to `value`. Keys may stand in any order; a repeated key makes it another value.
pub(super) fn mirrors(text: &[u8], value: &Value) -> bool {
    let mut reader = serde_json::Deserializer::from_slice(text);
    Same(value).deserialize(&mut reader).is_ok() && reader.end().is_ok()
}

/// Accepts exactly this value.
#[derive(Clone, Copy)]
struct Same<'a>(&'a Value);

impl Same<'_> {
    fn found<E: de::Error>(self, value: &Value) -> Result<(), E> {
        if value == self.0 { Ok(()) } else { Err(different()) }
    }
}

fn different<E: de::Error>() -> E {
    E::custom("another value")
}

impl<'de> DeserializeSeed<'de> for Same<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Same<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the same value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        self.found(&Value::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<(), E> {
        self.found(&value.into())
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<(), E> {
        self.found(&value.into())
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<(), E> {
        self.found(&value.into())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<(), E> {
        self.found(&value.into())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<(), E> {
        if self.0.as_str() == Some(text) { Ok(()) } else { Err(different()) }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let expected = self.0.as_array().ok_or_else(different)?;
        for value in expected {
            list.next_element_seed(Same(value))?.ok_or_else(different)?;
        }
        match list.next_element::<de::IgnoredAny>()? {
            None => Ok(()),
            Some(_) => Err(different()),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let expected = self.0.as_object().ok_or_else(different)?;
        let mut seen = HashSet::new();
        while let Some(key) = entries.next_key::<String>()? {
            entries.next_value_seed(Same(expected.get(&key).ok_or_else(different)?))?;
            if !seen.insert(key) {
                return Err(different());
            }
        }
        if seen.len() == expected.len() { Ok(()) } else { Err(different()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn the_same_value_in_another_spelling_is_a_mirror() {
        let value = json!({"b": [1, -2, 2.5, null, true, "é"], "a": {}});
        assert!(mirrors(" {\"a\": {},\n\"b\":[1,-2,25e-1,null,true,\"\\u00e9\"]} ".as_bytes(), &value));
        for text in [
            "",
            "{",
            "[]",
            r#"{"a":{}}"#,
            r#"{"a":{},"a":{}}"#,
            r#"{"a":{},"b":[1]}"#,
            r#"{"a":{},"b":[1,-2,2.5,null,true,"é"]} x"#,
        ] {
            assert!(!mirrors(text.as_bytes(), &value), "{text}");
        }
        assert!(!mirrors(b"1.0", &json!(1)) && !mirrors(b"[1,2]", &json!([1])) && mirrors(b"7", &json!(7)));
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "[ab]{0,2}".prop_map(Value::from)
        ];
        leaf.prop_recursive(3, 20, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::hash_map("[ab]{0,2}", inner, 0..4).prop_map(|map| map.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_mirror_is_a_text_that_parses_to_the_value(one in value(), other in value()) {
            let pretty = format!("{one:#}");
            prop_assert!(mirrors(pretty.as_bytes(), &one));
            prop_assert_eq!(mirrors(other.to_string().as_bytes(), &one), other == one);
        }
    }
}
