//! Colours of what is typed: a command, a shell line, a block; chat has none.

use mcp_prompt_repl::{Line, Typed};
use nu_ansi_term::{Color, Style};
use reedline::StyledText;

/// A line in its colours, or in none. `known` tells whether there is a command or a macro of a name.
pub(super) fn coloured(line: &str, on: bool, known: impl Fn(&str) -> bool) -> StyledText {
    let mut styled = StyledText::new();
    for (style, text) in parts(line, known) {
        styled.push((if on { style } else { Style::new() }, text.to_owned()));
    }
    styled
}

/// The line, cut where the colour changes.
fn parts(line: &str, known: impl Fn(&str) -> bool) -> Vec<(Style, &str)> {
    let plain = Style::new();
    let start = line.len() - line.trim_start().len();
    let (before, text) = line.split_at(start);
    match Typed::read(line) {
        Typed::Command(command) => {
            let (name, rest) = text.split_at((command.name().len() + 1).min(text.len()));
            let colour =
                if known(command.name()) { Style::new().fg(Color::Cyan).bold() } else { Style::new().fg(Color::Red) };
            let mut parts = vec![(plain, before), (colour, name)];
            parts.extend(arguments(rest));
            parts
        }
        Typed::Shell(_) => vec![(plain, before), (Style::new().fg(Color::Yellow), text)],
        Typed::Chat(_) if text.starts_with(":::") => {
            let (fence, rest) = text.split_at(3);
            vec![(plain, before), (Style::new().fg(Color::Purple), fence), (plain, rest)]
        }
        Typed::Chat(_) | Typed::Nothing => vec![(plain, line)],
    }
}

/// Quoted words stand out.
fn arguments(rest: &str) -> Vec<(Style, &str)> {
    let line = Line::lex(rest);
    let mut parts = Vec::new();
    let mut at = 0;
    for word in line.words() {
        let span = word.span();
        parts.push((Style::new(), rest.get(at..span.start).unwrap_or_default()));
        let style = if word.is_quoted() { Style::new().fg(Color::Green) } else { Style::new() };
        parts.push((style, rest.get(span.clone()).unwrap_or_default()));
        at = span.end;
    }
    parts.push((Style::new(), rest.get(at..).unwrap_or_default()));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn is_help(name: &str) -> bool {
        name == "help"
    }

    fn marked(line: &str) -> String {
        parts(line, is_help)
            .iter()
            .filter(|(_, text)| !text.is_empty())
            .map(|(style, text)| if style.is_plain() { (*text).to_owned() } else { format!("[{text}]") })
            .collect()
    }

    #[test]
    fn commands_quotes_shell_lines_and_blocks_stand_out() {
        for (line, expected) in [
            (".help model", "[.help] model"),
            ("  .model 'a b' c", "  [.model] ['a b'] c"),
            (".hlep", "[.hlep]"),
            ("!ls -l", "[!ls -l]"),
            ("::: text", "[:::] text"),
            ("..exit", "..exit"),
            ("hello .help", "hello .help"),
        ] {
            assert_eq!(marked(line), expected);
        }
        assert_ne!(parts(".help", is_help)[1].0, parts(".hlep", is_help)[1].0);
    }

    proptest! {
        #[test]
        fn no_character_of_a_line_is_lost_or_added(line in "[.!: a-z'\"\né=]{0,40}") {
            let whole: String = parts(&line, is_help).iter().map(|(_, text)| *text).collect();
            prop_assert_eq!(whole, line);
        }
    }
}
