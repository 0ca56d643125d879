//! Lines broken between words, where a terminal would break them in the middle of one.
//!
//! Only blanks are ever replaced, by a line's end: no word is broken, so that an address can still be opened and a path
//! still be copied, and nothing is lost.

use unicode_width::UnicodeWidthStr;

/// `text` in lines of at most `width` columns, but for words that are wider. What goes on in a new line is indented as its
/// line is, and by `hang`.
pub(super) fn wrapped(text: &str, width: Option<u16>, hang: &str) -> String {
    let Some(width) = width.map(usize::from) else { return text.to_owned() };
    text.split('\n').map(|line| broken(line, width, hang)).collect::<Vec<_>>().join("\n")
}

fn broken(line: &str, width: usize, hang: &str) -> String {
    if line.width() <= width {
        return line.to_owned();
    }
    let rest = line.trim_start_matches(' ');
    let indent = " ".repeat(line.len() - rest.len());
    let mut done = indent.clone();
    let mut column = indent.width();
    for (number, word) in rest.split(' ').enumerate() {
        let columns = word.width();
        if number > 0 && column + 1 + columns > width {
            done.push('\n');
            done.push_str(&indent);
            done.push_str(hang);
            column = indent.width() + hang.width();
        } else if number > 0 {
            done.push(' ');
            column += 1;
        }
        done.push_str(word);
        column += columns;
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_line_is_broken_between_words_and_goes_on_under_its_own_beginning() {
        assert_eq!(wrapped("note: one two three", Some(11), "  "), "note: one\n  two three");
        assert_eq!(wrapped("  a topic of help", Some(10), ""), "  a topic\n  of help");
        assert_eq!(wrapped("short\nand another one", Some(9), ""), "short\nand\nanother\none");
    }

    #[test]
    fn a_word_that_is_wider_stays_whole_and_without_a_width_nothing_changes() {
        assert_eq!(wrapped("see https://example.com/a now", Some(10), ""), "see\nhttps://example.com/a\nnow");
        assert_eq!(wrapped("see https://example.com/a now", None, ""), "see https://example.com/a now");
    }

    proptest! {
        #[test]
        fn no_word_is_lost_and_no_line_of_short_words_is_too_wide(text in "[a-z]{1,6}( [a-z]{1,6}){0,20}", width in 8u16..40) {
            let lines = wrapped(&text, Some(width), "  ");
            prop_assert!(lines.split_whitespace().eq(text.split_whitespace()));
            prop_assert!(lines.lines().all(|line| line.len() <= usize::from(width)), "{}", lines);
        }
    }
}
