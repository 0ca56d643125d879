//! `left_prompt` (host.md "config.yaml"): a template of literal text, `{color.NAME}`, `{color.reset}`, `{VAR}`, `{?VAR text}`
//! when VAR is set and `{!VAR text}` when it is not, one in another.
//!
//! It is total: what is no part of the grammar stays as it was typed, and is named once as a warning. Values are foreign
//! text, so they are shown escaped and on one line (S46).

use mcp_render::shown_line;
use nu_ansi_term::{Color, Style};
use std::fmt::Write;

/// What counts without `left_prompt`.
pub(super) const DEFAULT: &str = "{?agent {color.cyan}{agent}{color.reset} }{?role {color.blue}{role}{color.reset} }\
                                  {?session {color.green}{session}{color.reset} }{color.green}>{color.reset} ";

/// The longest value in a prompt, in characters.
const VALUE_SHOWN: usize = 40;
/// How deep braces may stand in braces; deeper ones are literal.
const DEEPEST: usize = 16;

/// What a prompt can tell.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Values {
    /// `client:name`.
    pub(super) model: Option<String>,
    /// The role.
    pub(super) role: Option<String>,
    /// The session.
    pub(super) session: Option<String>,
    /// The agent.
    pub(super) agent: Option<String>,
    /// How many servers are ready, of how many.
    pub(super) servers: Option<String>,
}

impl Values {
    fn of(&self, name: &str) -> Option<&str> {
        let value = match name {
            "model" => &self.model,
            "role" => &self.role,
            "session" => &self.session,
            "agent" => &self.agent,
            "servers" => &self.servers,
            _ => &None,
        };
        value.as_deref().filter(|value| !value.is_empty())
    }
}

const VARIABLES: [&str; 5] = ["model", "role", "session", "agent", "servers"];

/// What is wrong with a part that is not understood.
pub(super) fn wrong(part: &str) -> String {
    let variables = VARIABLES.map(|name| format!("`{{{name}}}`")).join(", ");
    format!(
        "holds `{part}`, which is shown as it is; accepted are {variables}, `{{?NAME text}}`, `{{!NAME text}}`, \
         `{{color.NAME}}` and `{{color.reset}}`"
    )
}

/// A template, parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LeftPrompt {
    parts: Vec<Piece>,
    /// What is no part of the grammar, as it was written.
    pub(super) unknown: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Color(Option<Color>),
    Value(&'static str),
    When { variable: &'static str, set: bool, parts: Vec<Piece> },
}

impl LeftPrompt {
    /// Parses a template.
    pub(super) fn parse(template: &str) -> Self {
        let mut unknown = Vec::new();
        let parts = pieces(template, &mut unknown, 0);
        Self { parts, unknown }
    }

    /// The text for these values, with colours or without.
    pub(super) fn render(&self, values: &Values, colours: bool) -> String {
        let mut text = String::new();
        write(&self.parts, values, colours, &mut text);
        if colours && text.contains('\u{1b}') {
            // What follows the prompt is not the prompt's.
            text.push_str(RESET);
        }
        text
    }
}

const RESET: &str = "\u{1b}[0m";

fn write(parts: &[Piece], values: &Values, colours: bool, text: &mut String) {
    for part in parts {
        match part {
            Piece::Text(literal) => text.push_str(literal),
            Piece::Color(colour) if colours => match colour {
                // Writing to a string does not fail.
                Some(colour) => {
                    let _ = write!(text, "{}", Style::new().fg(*colour).prefix());
                }
                None => text.push_str(RESET),
            },
            Piece::Value(name) => {
                let value = values.of(name).unwrap_or_default();
                let _ = write!(text, "{}", shown_line(value, VALUE_SHOWN));
            }
            Piece::When { variable, set, parts } if values.of(variable).is_some() == *set => {
                write(parts, values, colours, text);
            }
            Piece::Color(_) | Piece::When { .. } => {}
        }
    }
}

fn pieces(template: &str, unknown: &mut Vec<String>, depth: usize) -> Vec<Piece> {
    let mut parts = Vec::new();
    let mut rest = template;
    let mut literal = String::new();
    while let Some((before, after)) = rest.split_once('{') {
        literal.push_str(before);
        let Some(end) = closing(after) else {
            // A brace that nothing closes is a brace.
            literal.push('{');
            rest = after;
            continue;
        };
        let (inner, left) = (after.get(..end).unwrap_or_default(), after.get(end + 1..).unwrap_or_default());
        rest = left;
        if let Some(part) = piece(inner, unknown, depth) {
            if !literal.is_empty() {
                parts.push(Piece::Text(std::mem::take(&mut literal)));
            }
            parts.push(part);
        } else {
            unknown.push(format!("{{{inner}}}"));
            let _ = write!(literal, "{{{inner}}}");
        }
    }
    literal.push_str(rest);
    if !literal.is_empty() {
        parts.push(Piece::Text(literal));
    }
    parts
}

/// What stands between two braces.
fn piece(inner: &str, unknown: &mut Vec<String>, depth: usize) -> Option<Piece> {
    if let Some(name) = inner.strip_prefix("color.") {
        return if name == "reset" { Some(Piece::Color(None)) } else { Some(Piece::Color(Some(colour(name)?))) };
    }
    for (sign, set) in [('?', true), ('!', false)] {
        if let Some(condition) = inner.strip_prefix(sign) {
            let (name, text) = condition.split_once(' ').unwrap_or((condition, ""));
            let variable = variable(name).filter(|_| depth < DEEPEST)?;
            return Some(Piece::When { variable, set, parts: pieces(text, unknown, depth + 1) });
        }
    }
    variable(inner).map(Piece::Value)
}

fn variable(name: &str) -> Option<&'static str> {
    VARIABLES.into_iter().find(|known| *known == name)
}

/// Where the brace closes that was opened before `text`.
fn closing(text: &str) -> Option<usize> {
    let mut open = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' => open += 1,
            '}' if open == 0 => return Some(at),
            '}' => open -= 1,
            _ => {}
        }
    }
    None
}

fn colour(name: &str) -> Option<Color> {
    Some(match name {
        "black" => Color::Black,
        "red" => Color::Red,
        "green" => Color::Green,
        "yellow" => Color::Yellow,
        "blue" => Color::Blue,
        "purple" => Color::Purple,
        "magenta" => Color::Magenta,
        "cyan" => Color::Cyan,
        "white" => Color::White,
        "dark_gray" | "dark_grey" => Color::DarkGray,
        "light_gray" | "light_grey" => Color::LightGray,
        "light_red" => Color::LightRed,
        "light_green" => Color::LightGreen,
        "light_yellow" => Color::LightYellow,
        "light_blue" => Color::LightBlue,
        "light_purple" => Color::LightPurple,
        "light_magenta" => Color::LightMagenta,
        "light_cyan" => Color::LightCyan,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn values() -> Values {
        Values { model: Some("a:b".to_owned()), session: Some("work".to_owned()), ..Values::default() }
    }

    fn plain(template: &str) -> String {
        LeftPrompt::parse(template).render(&values(), false)
    }

    #[test]
    fn a_condition_holds_its_text_and_what_stands_in_it() {
        for (template, expected) in [
            ("{model}> ", "a:b> "),
            ("{?session [{session}]}{!session none}>", "[work]>"),
            ("{?role {role}}{!role no role}", "no role"),
            ("{!role {?session {session}/{model}}{?agent x}}", "work/a:b"),
            ("{?servers x}{!servers off}", "off"),
            ("{?session}", ""),
            ("line\n{model}", "line\na:b"),
        ] {
            assert_eq!(plain(template), expected, "{template}");
        }
    }

    #[test]
    fn what_is_no_part_of_the_grammar_stays_and_is_named() {
        for (template, unknown) in [
            ("{nothing}", vec!["{nothing}"]),
            ("{color.beige}x", vec!["{color.beige}"]),
            ("{?nothing x}", vec!["{?nothing x}"]),
            ("{?session {nothing}}", vec!["{nothing}"]),
            ("{", vec![]),
            ("}{{", vec![]),
        ] {
            assert_eq!(LeftPrompt::parse(template).unknown, unknown, "{template}");
        }
        assert_eq!(plain("{nothing} {{"), "{nothing} {{");
    }

    #[test]
    fn colours_are_left_out_where_none_are_wanted_and_end_with_the_prompt() {
        let prompt = LeftPrompt::parse("{color.green}{model}{color.reset}>");
        assert_eq!(prompt.render(&values(), false), "a:b>");
        assert_eq!(prompt.render(&values(), true), "\u{1b}[32ma:b\u{1b}[0m>\u{1b}[0m");
    }

    #[test]
    fn a_value_cannot_write_to_the_terminal() {
        let values = Values { role: Some("a\u{1b}[2J\nb".to_owned()), ..Values::default() };
        assert_eq!(LeftPrompt::parse("{role}").render(&values, true), "a\\u{1b}[2J\\nb");
    }

    #[test]
    fn the_default_shows_what_there_is() {
        assert_eq!(plain(DEFAULT), "work > ");
        assert_eq!(LeftPrompt::parse(DEFAULT).unknown, Vec::<String>::new());
    }

    proptest! {
        #[test]
        fn any_text_is_a_template(template in "[{}?! a-z.\n]{0,60}") {
            let prompt = LeftPrompt::parse(&template);
            let text = prompt.render(&values(), true);
            let braces = |text: &str| text.matches('{').count();
            prop_assert!(braces(&text) <= braces(&template));
        }

        #[test]
        fn text_without_braces_is_itself(template in "[^{}\u{1b}]{0,60}") {
            prop_assert_eq!(LeftPrompt::parse(&template).render(&values(), false), template);
        }
    }
}
