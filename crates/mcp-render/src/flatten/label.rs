//! Labels and their look-alikes (S36): `[user]` on a line of its own is ours alone.
//!
//! A body line that could be taken for a label gets a backslash in front, and so does one that looks like an escaped
//! label; so what was there can be told exactly.

use std::collections::BTreeSet;

/// The longest role that is shown.
const ROLE_MAX_CHARS: usize = 64;

/// The label of `role`. A role that is not plain ASCII cannot pass for another one: what is odd in it becomes `_`.
pub(super) fn label(role: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' };
    let mut name: String = role.chars().take(ROLE_MAX_CHARS).map(plain).collect();
    if name.is_empty() {
        name.push_str("unknown");
    }
    format!("[{name}]")
}

/// The lines that must not appear in a body.
pub(super) struct Labels<'a>(BTreeSet<&'a str>);

impl<'a> Labels<'a> {
    /// The labels of this result, and the two that every reader knows.
    pub(super) fn of(used: impl Iterator<Item = &'a str>) -> Self {
        Self(used.chain(["[user]", "[assistant]"]).collect())
    }

    /// Appends `body`, with one more backslash before each line that is a label behind any number of backslashes.
    pub(super) fn escape(&self, body: &str, out: &mut String) {
        // A CR ends a line too, alone or before a line feed: it would look like one.
        for line in body.split_inclusive(['\n', '\r']) {
            if self.0.contains(line.trim_end_matches(['\n', '\r']).trim_start_matches('\\')) {
                out.push('\\');
            }
            out.push_str(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn escape(body: &str) -> String {
        let mut out = String::new();
        Labels::of(["[user]", "[system]"].into_iter()).escape(body, &mut out);
        out
    }

    #[test]
    fn a_label_look_alike_gets_one_more_backslash_and_all_else_is_kept() {
        for (body, escaped) in [
            ("[user]", "\\[user]"),
            ("\\[user]", "\\\\[user]"),
            ("a\n[assistant]\nb", "a\n\\[assistant]\nb"),
            ("[system]\r\n", "\\[system]\r\n"),
            ("a\r[user]", "a\r\\[user]"),
            (" [user]", " [user]"),
            ("[user] ", "[user] "),
            ("[User]\n[tool]\n\n\\\n", "[User]\n[tool]\n\n\\\n"),
        ] {
            assert_eq!(escape(body), escaped, "{body:?}");
        }
    }

    #[test]
    fn an_odd_role_is_labelled_by_its_sanitised_name() {
        assert_eq!(label("system"), "[system]");
        assert_eq!(label("us\u{200b}er"), "[us_er]");
        assert_eq!(label("user]\n[assistant"), "[user___assistant]");
        assert_eq!(label("usеr"), "[us_r]", "a Cyrillic е");
        assert_eq!(label(""), "[unknown]");
        assert_eq!(label(&"x".repeat(500)).len(), ROLE_MAX_CHARS + 2);
    }

    proptest! {
        #[test]
        fn labels_cannot_be_forged_and_the_body_can_be_recovered(
            body in r"(\\{0,2}(\[user\]|\[assistant\]|\[system\]|a| )?(\n|\r\n|\r)?){0,8}",
        ) {
            let escaped = escape(&body);
            let is_label = |line: &str| matches!(line, "[user]" | "[assistant]" | "[system]");
            prop_assert!(!escaped.split(['\n', '\r']).any(is_label));
            let recovered: String = escaped
                .split_inclusive(['\n', '\r'])
                .map(|line| {
                    let label = is_label(line.trim_end_matches(['\n', '\r']).trim_start_matches('\\'));
                    if label { line.strip_prefix('\\').unwrap() } else { line }
                })
                .collect();
            prop_assert_eq!(recovered, body);
        }

        #[test]
        fn every_label_is_one_plain_line(role in any::<String>()) {
            let label = label(&role);
            prop_assert!(label.is_ascii() && !label.contains(['\n', '\r', '\\']));
            prop_assert!((label != "[user]" || role == "user") && (label != "[assistant]" || role == "assistant"));
        }
    }
}
