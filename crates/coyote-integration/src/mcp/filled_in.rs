//! What `{{NAME}}` became in one entry, so that it can be shown as it was written (S47).
//!
//! Whatever coyote says about a server passes here: the parts of its entry, why it did not start, what it wrote to
//! stderr. It refuses to look at results: what a server tells a model is passed on as it is (S46).

use mcp_catalog::PortError;
use std::fmt;

/// A shorter value is a word like others: a text that coyote did not make from the entry may hold it by chance.
const LONG_ENOUGH: usize = 4;

/// The names that an entry uses, each with its value. Equal entries with equal values are equal; nothing shows a value.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct FilledIn {
    /// The longest value first, so that one that holds another is found whole.
    values: Vec<(String, String)>,
}

impl FilledIn {
    /// Nothing.
    pub const fn new() -> Self {
        Self { values: Vec::new() }
    }

    /// Remembers that `{{name}}` became `value`. An empty value shows nothing.
    pub fn add(&mut self, name: &str, value: &str) {
        let pair = (name.to_owned(), value.to_owned());
        if !value.is_empty() && !self.values.contains(&pair) {
            self.values.push(pair);
            self.values.sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
        }
    }

    /// Adds what was filled into another entry.
    pub fn extend(&mut self, other: &Self) {
        other.values.iter().for_each(|(name, value)| self.add(name, value));
    }

    /// Nothing was filled in.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// A part of the entry, or what was made from one, as it was written.
    pub fn written(&self, part: &str) -> String {
        replaced(part, &self.values)
    }

    /// A text of somebody else, such as a line of stderr. Short values stay: they are words like others.
    pub fn redacted(&self, text: &str) -> String {
        // The longest stand first.
        let long = self.values.partition_point(|(_, value)| value.len() >= LONG_ENOUGH);
        replaced(text, self.values.get(..long).unwrap_or_default())
    }

    /// A failure, with the same done to its words.
    pub fn failure(&self, error: PortError) -> PortError {
        match error {
            PortError::SpawnFailed { cause } => PortError::SpawnFailed { cause: self.redacted(&cause) },
            PortError::HandshakeFailed { cause } => PortError::HandshakeFailed { cause: self.redacted(&cause) },
            PortError::Protocol { cause } => PortError::Protocol { cause: self.redacted(&cause) },
            PortError::InvalidResponse { cause } => PortError::InvalidResponse { cause: self.redacted(&cause) },
            PortError::InputRequired { question } => PortError::InputRequired { question: self.redacted(&question) },
            PortError::Server { code, message } => PortError::Server { code, message: self.redacted(&message) },
            PortError::Unsupported { cause } => PortError::Unsupported { cause: self.redacted(&cause) },
            // The rest has no words but ours.
            other => other,
        }
    }
}

/// One pass from left to right: a name that was put in is not looked at again.
fn replaced(text: &str, values: &[(String, String)]) -> String {
    let (mut shown, mut rest) = (String::with_capacity(text.len()), text);
    loop {
        let found = values.iter().find_map(|(name, value)| Some((name, rest.strip_prefix(value.as_str())?)));
        if let Some((name, after)) = found {
            shown.extend(["{{", name, "}}"]);
            rest = after;
            continue;
        }
        let mut chars = rest.chars();
        match chars.next() {
            Some(c) => shown.push(c),
            None => return shown,
        }
        rest = chars.as_str();
    }
}

impl fmt::Debug for FilledIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.values.iter().map(|(name, _)| name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(pairs: &[(&str, &str)]) -> FilledIn {
        let mut filled = FilledIn::default();
        for (name, value) in pairs {
            filled.add(name, value);
        }
        filled
    }

    #[test]
    fn a_value_is_shown_as_its_name_the_longest_first_and_each_place_once() {
        let filled = filled(&[("A", "hunter2"), ("AB", "hunter2-long"), ("N", "AB"), ("NONE", "")]);
        assert_eq!(filled.written("x hunter2-long hunter2 AB"), "x {{AB}} {{A}} {{N}}");
        assert_eq!(filled.redacted("x hunter2-long hunter2 AB"), "x {{AB}} {{A}} AB");
        assert_eq!(format!("{filled:?}"), r#"["AB", "A", "N"]"#);
        assert_eq!(FilledIn::default().written("hunter2"), "hunter2");
    }

    #[test]
    fn the_words_of_every_failure_are_redacted() {
        let filled = filled(&[("KEY", "hunter2")]);
        let said = || "it said `hunter2`".to_owned();
        let failures = [
            PortError::SpawnFailed { cause: said() },
            PortError::HandshakeFailed { cause: said() },
            PortError::Protocol { cause: said() },
            PortError::InvalidResponse { cause: said() },
            PortError::InputRequired { question: said() },
            PortError::Server { code: 1, message: said() },
            PortError::Unsupported { cause: said() },
        ];
        for failure in failures {
            let shown = filled.failure(failure).to_string();
            assert!(shown.ends_with("it said `{{KEY}}`"), "{shown}");
        }
        assert_eq!(filled.failure(PortError::AuthRequired), PortError::AuthRequired);
    }
}
