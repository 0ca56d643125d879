//! What a reply looks like, and the laws of every reply: nothing is lost, nothing gets through, and where it was cut makes
//! no difference (S46).

use super::*;
use mcp_render::MARKDOWN_BLOCK_BYTES;
use proptest::prelude::*;
use std::{collections::BTreeMap, fmt::Write};
use unicode_width::UnicodeWidthStr;

const REPLY: &str = "\
# A reply

It has *emphasis*, **weight**, ~~doubt~~, `code`, [a link](https://example.org/a \"with a title\"), <https://example.org>
and a line that is long enough to be broken at every width that is tested here, one hundred and twenty columns included.

## Lists
- one
- two, which goes on for so long that it has to be broken into lines that stand below its own first word and nothing else
  - nested
    1. deep
    1. deeper
- [x] done
- [ ] open

1. first

   A paragraph of the first, with ![a picture](cat.png).

   ```rust
   fn nested() -> u8 { 1 } // in an item
   ```
1. second
7. third

> A quote that
> goes on.
>
> > Within it *another*.

| Name | Does | Count |
|:-----|:----:|------:|
| `fs_cat` | shows a **text** file, or a part of it, whatever its size may be, and so on and on until it is broken | 12 |
| ls | lists | 3 | a cell too many |

```python
def f(x: int) -> str:
    return f\"{x}\"  # a comment
```

```
no language
```

    indented = code

Title
=====
***
<details>
<summary>Tags are text</summary>
</details>

A note[^1], a sum $a_1 * b_1 * c$, 5 < 6 &amp; &copy;, 重要な説明は空白なしで続くので、どこでも改行できなければなりません。それでも幅を超えてはいけません。絶対に。
Line two\\
after a break.

[^1]: The note.

[label]: https://example.org/label
";

const HOSTILE: &str = "\
# \u{1b}[2Jtitle \u{202e}gnp.exe

\u{1b}]52;c;aGk=\u{7} and &#27;[31m and &#x202e; and `\u{9b}31m` and \u{200b}zero and \u{feff}.
[words](https://example.org/\u{1b}]8;;x\u{7} \"\u{1b}[1m\") ![\u{202d}](\u{1b}c)
- \u{1b}[H
| \u{1b}[3m | b |
|---|---|
| &#27;]0;t&#7; | \u{2066}x |

```\u{1b}[5m
\u{1b}[6m\u{202e} code \u{0}
```
<b\u{1b}[7m>\u{1a}]: x
e\u{301} \u{1f468}\u{200d}\u{1f469} stay\u{200d} \r over
";

fn style(width: usize, colour: bool) -> Style {
    Style { width, rendered: true, colour, wrap: Wrap::Auto, highlight: true }
}

fn painted(style: Style, text: &str) -> String {
    let mut stream = MarkdownStream::new(style);
    let mut out = String::from(stream.push(text));
    out.push_str(stream.finish().as_str());
    out
}

/// Escape sequences, so that they can be read.
fn visible(text: &str) -> String {
    text.replace('\u{1b}', "␛")
}

/// The text without our colours.
fn bare(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let mut bare = parts.next().unwrap().to_owned();
    for part in parts {
        let end = part.find('m').unwrap();
        assert!(
            part[..end].starts_with('[') && part[1..end].bytes().all(|b| b.is_ascii_digit() || b == b';'),
            "{part:?}"
        );
        bare.push_str(&part[end + 1..]);
    }
    bare
}

#[test]
fn a_reply_is_laid_out_within_60_80_and_120_columns() {
    for width in [60, 80, 120] {
        insta::assert_snapshot!(format!("plain_{width}"), painted(style(width, false), REPLY));
    }
}

#[test]
fn a_reply_is_coloured_at_60_80_and_120_columns() {
    for width in [60, 80, 120] {
        insta::assert_snapshot!(format!("coloured_{width}"), visible(&painted(style(width, true), REPLY)));
    }
}

#[test]
fn a_hostile_reply_shows_what_it_tried() {
    insta::assert_snapshot!("hostile", visible(&painted(style(80, true), HOSTILE)));
}

#[test]
fn without_wrapping_lines_are_those_of_the_text_and_tables_still_fit() {
    let style = Style { wrap: Wrap::No, ..style(60, false) };
    insta::assert_snapshot!("unwrapped", painted(style, REPLY));
}

#[test]
fn a_table_of_more_columns_than_fit_is_a_list_of_its_rows() {
    let table = |row: &str| (0..20).map(|n| format!("| {row}{n} ")).collect::<Vec<_>>().concat() + "|\n";
    let text = format!("{}{}{}{}", table("h"), "|-".repeat(20) + "|\n", table("a"), table("b"));
    let out = painted(style(60, false), &text);
    assert!(out.starts_with("h0: a0\nh1: a1\n") && out.contains("\n───\nh0: b0\n"), "{out}");
}

#[test]
fn blocks_come_as_soon_as_they_have_ended_and_code_line_by_line() {
    let mut stream = MarkdownStream::new(style(80, false));
    let mut push = |text: &str| String::from(stream.push(text));
    assert_eq!(push("# Ti"), "");
    assert_eq!(push("tle\npara"), "# Title\n");
    assert_eq!(push("graph\n```rust\nfn a"), "paragraph\n```rust\n");
    assert_eq!(push("() {}\n}"), "fn a() {}\n");
    assert_eq!(push("\n```\n3) a\n"), "}\n```\n");
    assert_eq!(push("3) b\n\n"), "3. a\n");
    assert_eq!(push("end"), "");
    assert_eq!(stream.finish().as_str(), "4. b\n\nend\n");
    assert_eq!(stream.finish().as_str(), "");
}

#[test]
fn without_rendering_each_line_is_as_it_was_written_and_escaped() {
    let style = Style { rendered: false, ..style(20, false) };
    let text = "# *a*\u{1b}[2J and so on, for more than a line\r\n\n\n```\nend";
    assert_eq!(painted(style, text), "# *a*\\u{1b}[2J and so on, for more than a line\\r\n\n\n```\nend\n");
    assert_eq!(MarkdownStream::new(style).push("a\nb").as_str(), "a\n");
}

#[test]
fn code_that_does_not_end_is_closed_and_the_next_reply_is_no_code() {
    let mut stream = MarkdownStream::new(style(80, false));
    assert_eq!(stream.push("~~~\na\n").as_str(), "~~~\na\n");
    assert_eq!(stream.finish().as_str(), "~~~\n");
    assert_eq!(stream.push("# b\n").as_str(), "# b\n");
}

#[test]
fn lists_and_quotes_of_any_depth_leave_room_for_text() {
    let list = (0..100).map(|depth| format!("{}- w{depth}\n", "  ".repeat(depth))).collect::<Vec<_>>().concat();
    let out = painted(style(60, false), &format!("{list}\n{} deep\n", ">".repeat(5_000)));
    assert!(out.lines().all(|line| line.width() <= 60), "{out}");
    assert!(out.contains("w99") && out.ends_with("deep\n"), "{out}");
}

#[test]
fn ten_megabytes_without_newline_are_held_in_one_block_and_lose_nothing() {
    let mut stream = MarkdownStream::new(Style { wrap: Wrap::No, ..style(80, true) });
    let piece = "*é|`".repeat(200_000);
    let mut length = 0;
    for _ in 0..10 {
        let out = stream.push(&piece);
        length += out.as_str().chars().filter(|c| *c != '\n').count();
        assert!(stream.splitter.held() <= 2 * MARKDOWN_BLOCK_BYTES);
    }
    length += stream.finish().as_str().chars().filter(|c| *c != '\n').count();
    assert_eq!(length, piece.chars().count() * 10);
}

#[test]
fn a_block_that_does_not_end_is_painted_in_parts() {
    let mut stream = MarkdownStream::new(style(80, false));
    for begin in ["", "- ", "> ", "| a | b |\n|---|---|\n", "<pre>\n", "1. ```\n   "] {
        let mut words = 0;
        let mut text = begin.to_owned();
        for n in 0..4_000 {
            writeln!(text, "{}w{n} and so on, for a line of text", if begin.starts_with('1') { "   " } else { "" })
                .unwrap();
        }
        for part in text.as_bytes().chunks(1_000) {
            words += stream.push(std::str::from_utf8(part).unwrap()).as_str().matches('w').count();
            assert!(stream.splitter.held() <= 2 * MARKDOWN_BLOCK_BYTES);
        }
        words += stream.finish().as_str().matches('w').count();
        assert_eq!(words, 4_000, "{begin:?}");
    }
}

#[test]
fn each_byte_is_handed_to_the_parser_once() {
    let text = REPLY.repeat(50);
    let mut splitter = Splitter::new(true);
    let (mut bytes, mut pieces) = (0, 0);
    let mut count = |piece| {
        pieces += 1;
        bytes += match piece {
            Piece::Block { text, .. } | Piece::Plain { text, .. } => text.len(),
            Piece::Open { line, .. } | Piece::Code(line) | Piece::Close(line) => line.len(),
        };
    };
    for part in text.as_bytes().chunks(7).map(String::from_utf8_lossy) {
        splitter.push(&part, &mut count);
    }
    splitter.finish(&mut count);
    assert!(pieces > 1_000 && bytes <= text.len() * 2, "{pieces} pieces, {bytes} of {} bytes", text.len());
}

/// Lines that begin and end blocks of every kind, and what they say; words are `w` and two digits.
fn lines() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        "",
        "",
        "",
        "---",
        "===",
        "```",
        "```rust w00",
        "~~~~",
        "|---|---|",
        "|:-:|",
        "> ```",
        "- ```",
        "<div>",
        "</div>",
        "-",
    ])
    .prop_map(str::to_owned);
    let begin = prop::sample::select(vec![
        "", "", "# ", "- ", "  - ", "* ", "1. ", "2. ", "   ", "    ", "> ", "> > ", "> | ", "- | ", "| ", "[w01]: ",
        "[^1]: ", "\t", "<b> ", "- [ ] ", "1) > ",
    ]);
    let word = prop_oneof![
        6 => "w[0-9]{2}",
        2 => "[-*_#>|`~\\[\\]()!<&\\\\:= \t0-9.+$^\"']{1,3}",
        1 => prop::sample::select(vec![
            "[w02](w03 \"w04\")", "![w05](w06)", "**w07**", "`w08`", "| w09 | w10 |", "<w11@w12.w13>", "<http://w14>", "&amp;w15",
            "[w16][w17]", "$w18$", "\\|", "<!-- w19", "-->", "é重",
        ]).prop_map(str::to_owned),
    ];
    let line =
        (begin, prop::collection::vec(word, 0..6)).prop_map(|(begin, words)| format!("{begin}{}", words.join(" ")));
    prop_oneof![1 => fixed, 3 => line]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(lines(), 0..14).prop_map(|lines| lines.join("\n"))
}

/// Text as a model may send it, with everything that S46 escapes.
fn foreign() -> impl Strategy<Value = String> {
    let evil = prop::sample::select(vec![
        "\u{1b}[2J",
        "\u{1b}]52;c;aA==\u{7}",
        "\u{9b}1m",
        "\u{202e}",
        "\u{2066}",
        "\u{200b}",
        "\u{200d}",
        "\u{feff}",
        "\u{0}",
        "\r",
        "&#27;[2J",
        "&#x1b;",
        "&#13;",
        "&#8238;",
        "\u{1a}",
        "\u{e0041}",
        "\u{7f}",
    ])
    .prop_map(str::to_owned);
    let part = prop_oneof![2 => evil, 1 => any::<String>(), 3 => text()];
    prop::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
}

fn words(text: &str) -> BTreeMap<&str, usize> {
    let mut words = BTreeMap::new();
    for (at, _) in text.match_indices('w') {
        if let Some(word) = text.get(at..at + 3).filter(|word| word.bytes().skip(1).all(|b| b.is_ascii_digit())) {
            *words.entry(word).or_default() += 1;
        }
    }
    words
}

/// A word that is shown less often than it stands in the text. A column of a table may be narrower than what stands in it
/// without a blank, and breaks it: then it is each letter that has to be there.
fn lost_word<'a>(text: &'a str, out: &str) -> Option<&'a str> {
    let shown = words(out);
    let mut lost = words(text).into_iter().filter(|(word, count)| shown.get(word).is_none_or(|shown| shown < count));
    let first = lost.next().map(|(word, _)| word)?;
    let letters =
        words(text).into_iter().flat_map(|(word, count)| std::iter::repeat_n(word, count)).flat_map(str::chars);
    let mut wanted = BTreeMap::<char, usize>::new();
    letters.for_each(|letter| *wanted.entry(letter).or_default() += 1);
    let all_shown = wanted.iter().all(|(letter, count)| out.matches(*letter).count() >= *count);
    (!out.contains('│') || !all_shown).then_some(first)
}

#[test]
fn what_is_wider_than_its_column_is_broken_and_not_lost() {
    let text = "===\n-\n| [w16][w17] | w09 | w10 | w00 w00";
    let out = bare(&painted(Style { highlight: false, ..style(29, false) }, text));
    assert!(!out.contains("w17") && lost_word(text, &out).is_none(), "{out}");
    assert_eq!(lost_word(text, &out.replace("17]", "")), Some("w17"));
    assert_eq!(lost_word("w01 w02", "w01"), Some("w02"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_word_of_a_reply_is_lost(text in text(), width in 20_usize..130, colour: bool) {
        let out = bare(&painted(Style { highlight: false, ..style(width, colour) }, &text));
        prop_assert!(lost_word(&text, &out).is_none(), "{:?} of {text:?} in\n{out}", lost_word(&text, &out));
    }

    #[test]
    fn where_a_reply_is_cut_makes_no_difference(text in foreign(), cuts in prop::collection::vec(0_usize..400, 0..12)) {
        let style = Style { highlight: false, ..style(70, true) };
        let mut cuts: Vec<usize> = cuts.into_iter().map(|at| text.floor_char_boundary(at)).collect();
        cuts.sort_unstable();
        let mut stream = MarkdownStream::new(style);
        let (mut out, mut from) = (String::new(), 0);
        for at in cuts.into_iter().chain([text.len()]) {
            out.push_str(stream.push(&text[from..at]).as_str());
            from = at;
        }
        out.push_str(stream.finish().as_str());
        prop_assert_eq!(out, painted(style, &text));
    }

    #[test]
    fn nothing_but_our_colours_reaches_the_terminal(text in foreign(), wrap in prop::sample::select(vec![Wrap::No, Wrap::Auto])) {
        let out = painted(Style { wrap, highlight: false, ..style(60, true) }, &text);
        prop_assert!(out.is_empty() || out.ends_with('\n'));
        // Each line is whole: no colour reaches over its end.
        for line in out.lines() {
            prop_assert!(line.rfind("\u{1b}[").is_none_or(|at| line[at..].starts_with("\u{1b}[0m")), "{line:?}");
        }
        let bare = bare(&out);
        prop_assert_eq!(shown(&bare).to_string(), bare);
    }

    #[test]
    fn no_line_is_wider_than_the_terminal_but_for_code_and_addresses(text in text(), width in 24_usize..130) {
        let text = text.replace("http://", "");
        let out = painted(style(width, false), &text);
        let is_code = text.contains("```") || text.contains("~~~") || text.contains("    ") || text.contains('\t');
        prop_assert!(is_code || out.lines().all(|line| line.width() <= width), "{width} columns:\n{out}");
    }
}
