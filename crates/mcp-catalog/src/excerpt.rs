//! A stretch of foreign text that is short enough for a message or an answer. A cut is visible: it ends in `…`.
//!
//! Nothing is escaped here; that is the terminal's business (S46).

/// What stands at a cut.
const CUT: &str = "…";

pub(crate) use mcp_render::{QUOTED_JSON_MAX_BYTES as JSON_MAX_BYTES, QUOTED_NAME_MAX_BYTES as NAME_MAX_BYTES};

/// `text` in at most `max` bytes, cut at a character boundary.
pub(crate) fn excerpt(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(max.saturating_sub(CUT.len()));
    let mut short = text.get(..end).unwrap_or_default().to_owned();
    short.push_str(CUT);
    short
}

#[cfg(test)]
mod tests {
    use super::excerpt;
    use proptest::prelude::*;

    #[test]
    fn a_cut_ends_in_an_ellipsis_and_counts_it() {
        assert_eq!(excerpt("abcdef", 6), "abcdef");
        assert_eq!(excerpt("abcdefg", 6), "abc…");
        assert_eq!(excerpt("ééé", 5), "é…");
    }

    proptest! {
        #[test]
        fn an_excerpt_is_bounded_and_a_prefix(text in ".{0,80}", max in 3_usize..60) {
            let short = excerpt(&text, max);
            prop_assert!(short.len() <= max.max(text.len().min(max)));
            prop_assert!(text.starts_with(short.trim_end_matches('…')) || text == short);
        }
    }
}
