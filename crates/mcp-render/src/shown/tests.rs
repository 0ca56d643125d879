//! What is escaped and what stays (S46, C71).

use super::*;
use proptest::prelude::*;

#[test]
fn controls_escapes_bidi_and_invisible_characters_are_shown_escaped() {
    for (text, safe) in [
        ("a\u{1b}[2Jb", "a\\u{1b}[2Jb"),
        ("bell\u{7}", "bell\\u{7}"),
        ("a\r\nb\tc", "a\\r\nb\tc"),
        ("\u{9b}31m", "\\u{9b}31m"),
        ("\u{7f}", "\\u{7f}"),
        ("evil\u{202e}gnp.exe", "evil\\u{202e}gnp.exe"),
        ("\u{2066}x\u{2069}", "\\u{2066}x\\u{2069}"),
        ("a\u{200b}b\u{feff}c\u{2060}", "a\\u{200b}b\\u{feff}c\\u{2060}"),
        ("a\u{e0041}\u{e0100}", "a\\u{e0041}\\u{e0100}"),
        ("\u{2028}\u{3164}\u{34f}", "\\u{2028}\\u{3164}\\u{34f}"),
        ("soft\u{ad}hyphen", "soft\\u{ad}hyphen"),
    ] {
        assert_eq!(shown(text).to_string(), safe, "{text:?}");
    }
}

#[test]
fn plain_text_of_all_scripts_stays() {
    for text in [
        "",
        "plain",
        "tab\tand\nnewline",
        "Ünïcödé",
        "漢字かな",
        "مرحبا",
        "שלום",
        "हिन्दी",
        "e\u{301}",
        "\u{601}12",
        "👍🏽 🇩🇪",
    ] {
        assert_eq!(shown(text).to_string(), text, "{text:?}");
    }
}

#[test]
fn joiners_stay_between_two_visible_characters_only() {
    for text in ["👩\u{200d}👩\u{200d}👧", "❤\u{fe0f}\u{200d}🔥", "می\u{200c}خواهم", "क्\u{200d}ष", "❤\u{fe0f}"]
    {
        assert_eq!(shown(text).to_string(), text, "{text:?}");
    }
    for (text, safe) in [
        ("\u{200d}a", "\\u{200d}a"),
        ("a\u{200d}", "a\\u{200d}"),
        ("a\u{200c} b", "a\\u{200c} b"),
        ("a\u{200c}\u{200d}b", "a\\u{200c}\\u{200d}b"),
        ("a\n\u{200c}b", "a\n\\u{200c}b"),
        ("\u{fe0f}a\u{fe0f}\u{fe0f}", "\\u{fe0f}a\u{fe0f}\\u{fe0f}"),
    ] {
        assert_eq!(shown(text).to_string(), safe, "{text:?}");
    }
}

#[test]
fn a_line_has_no_line_breaks_and_at_most_so_many_characters() {
    let line = |text, max| shown_line(text, max).to_string();
    assert_eq!(line("a\n\tb", 80), "a\\n\\tb");
    assert_eq!(line("abcdef", 6), "abcdef");
    assert_eq!(line("abcdefg", 6), "abcde…");
    assert_eq!(line("äöüß\u{1b}", 5), "äöüß…");
    assert_eq!(line("a", 0), "");
    assert_eq!(line("", 0), "");
    assert_eq!(line("ab", 1), "…");
}

#[test]
fn json_is_equal_as_a_value_and_holds_no_hidden_character() {
    let value = serde_json::json!({"na\u{202e}me": ["\u{1b}[2J", "\u{e0041}", "ok\n", "👩\u{200d}👧", "\u{200d}"]});
    let json = json_for_terminal(&value, false);
    insta::assert_snapshot!(json, @r#"{"na\u202eme":["\u001b[2J","\udb40\udc41","ok\n","👩‍👧","\u200d"]}"#);
    assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), value);
    insta::assert_snapshot!(json_for_terminal(&serde_json::json!({"a": ["\u{7f}"]}), true), @r#"
    {
      "a": [
        "\u007f"
      ]
    }
    "#);
}

fn hostile() -> impl Strategy<Value = String> {
    let odd = prop_oneof![
        Just('\u{200d}'),
        Just('\u{200c}'),
        Just('\u{202e}'),
        Just('\u{fe0f}'),
        Just('\u{1b}'),
        Just('\u{9b}'),
        Just('"'),
        Just('\\'),
        Just('a'),
        Just('👩'),
        Just(' '),
        Just('\n'),
        Just('\u{e0041}'),
        any::<char>(),
    ];
    prop::collection::vec(odd, 0..30).prop_map(|chars| chars.into_iter().collect())
}

/// What may never reach a terminal: control and bidi characters, whatever stands beside them.
fn is_dangerous(c: char) -> bool {
    let bidi = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}');
    bidi || (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c, '\u{200b}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

proptest! {
    #[test]
    fn shown_text_holds_no_control_or_bidi_character(text in hostile()) {
        let safe = shown(&text).to_string();
        prop_assert!(!safe.chars().any(is_dangerous), "{:?}", safe);
        prop_assert_eq!(shown(&safe).to_string(), safe.clone(), "what is safe stays as it is");
        let line = shown_line(&text, 10).to_string();
        prop_assert!(!line.chars().any(|c| is_dangerous(c) || c == '\n' || c == '\t'), "{:?}", line);
        prop_assert!(line.chars().count() <= 10);
    }

    #[test]
    fn terminal_json_holds_no_control_or_bidi_character_and_is_equal_as_a_value(text in hostile(), pretty in any::<bool>()) {
        let value = serde_json::json!({ &text: [text.clone(), 1, null] });
        let json = json_for_terminal(&value, pretty);
        prop_assert!(!json.chars().any(is_dangerous), "{:?}", json);
        prop_assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), value);
    }
}
