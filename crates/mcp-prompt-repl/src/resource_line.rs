//! `.resource <server> <uri> [key=value …] [--pattern re] [--offset n] [--item n] [--send]` (S44).
//!
//! The URI is opaque: it is neither parsed nor opened (S37). Values that a template does not know are the read's own error.

use crate::ReplError;
use crate::invocation::{Subject, arguments};
use crate::line::{Line, Word};
use mcp_catalog::{ResourceUri, ServerName};

const SUBJECT: Subject = Subject { command: ".resource", what: "a URI", list: ".list resources" };
const ACCEPTED: &str = "`--pattern <regex>`, `--offset <bytes>`, `--item <index>`, `--send`, each once";

/// A line that makes sense.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceLine {
    /// The server.
    pub server: ServerName,
    /// The URI or the template, byte for byte.
    pub uri: ResourceUri,
    /// Values of a template's variables.
    pub arguments: Vec<(String, String)>,
    /// Only lines that match (D4).
    pub pattern: Option<String>,
    /// Where the page starts, in bytes.
    pub offset: Option<u64>,
    /// The index of the one content to show.
    pub item: Option<u64>,
    /// Whether what is shown is also said to the model.
    pub send: bool,
}

impl ResourceLine {
    /// Reads a whole line; its first word is the command.
    ///
    /// ```
    /// use mcp_catalog::ServerName;
    /// use mcp_prompt_repl::ResourceLine;
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let servers = [ServerName::new("docs")?];
    /// let line = ResourceLine::parse(".resource docs file:///{name} name='a b' --pattern '^# ' --send", &servers)?;
    /// assert_eq!(line.uri.as_str(), "file:///{name}");
    /// assert_eq!(line.arguments, [("name".to_owned(), "a b".to_owned())]);
    /// assert_eq!((line.pattern.as_deref(), line.offset, line.send), (Some("^# "), None, true));
    /// # Ok(()) }
    /// ```
    pub fn parse(line: &str, servers: &[ServerName]) -> Result<Self, ReplError> {
        let line = Line::lex(line);
        let (server, uri, words) = SUBJECT.read(&line, servers, ResourceUri::new)?;
        let mut options = Options::default();
        let mut pairs = Vec::new();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if word.is_quoted() || !word.value().starts_with("--") {
                pairs.push(word);
            } else {
                options.take(word.value(), &mut words)?;
            }
        }
        let arguments = arguments(line.text(), pairs.into_iter())?;
        let Options { pattern, offset, item, send } = options;
        Ok(Self { server, uri, arguments, pattern, offset, item, send })
    }
}

#[derive(Default)]
struct Options {
    pattern: Option<String>,
    offset: Option<u64>,
    item: Option<u64>,
    send: bool,
}

impl Options {
    fn take<'w, 'a: 'w>(
        &mut self,
        option: &str,
        words: &mut impl Iterator<Item = &'w Word<'a>>,
    ) -> Result<(), ReplError> {
        let mut value = || match words.next() {
            Some(word) => Ok(word.value().to_owned()),
            None => Err(bad(format!("`{option}` needs a value"))),
        };
        let again = match option {
            "--pattern" => self.pattern.replace(value()?).is_some(),
            "--offset" => self.offset.replace(number(option, &value()?)?).is_some(),
            "--item" => self.item.replace(number(option, &value()?)?).is_some(),
            "--send" => std::mem::replace(&mut self.send, true),
            _ => return Err(bad(format!("`.resource` has no `{}`", crate::error::name(option)))),
        };
        if again { Err(bad(format!("`{option}` is given more than once"))) } else { Ok(()) }
    }
}

fn number(option: &str, text: &str) -> Result<u64, ReplError> {
    text.parse().map_err(|_no_number| bad(format!("`{option}` takes a number, not `{}`", crate::error::name(text))))
}

fn bad(sentence: String) -> ReplError {
    ReplError::BadOption { sentence, accepted: ACCEPTED }
}

#[cfg(test)]
mod tests {
    use super::ResourceLine;
    use mcp_catalog::ServerName;
    use rstest::rstest;

    fn parse(line: &str) -> Result<ResourceLine, String> {
        let servers = [ServerName::new("docs").unwrap()];
        ResourceLine::parse(line, &servers).map_err(|error| format!("{error}. {}", error.hint()))
    }

    #[test]
    fn options_stand_anywhere_after_the_uri_s44() {
        let line = parse(".resource docs x://y --offset 10 a=b --item 2").unwrap();
        assert_eq!((line.offset, line.item, line.send), (Some(10), Some(2), false));
        assert_eq!(line.arguments, [("a".to_owned(), "b".to_owned())]);
    }

    #[rstest]
    #[case(".resource", "`.resource` needs a server. Write `.resource <server> …`. Enabled are `docs`")]
    #[case(".resource docs", "`.resource docs` needs a URI. `.list resources docs` shows what there is")]
    #[case(".resource dcos u", "`dcos` is no server that is enabled here. Did you mean `docs`? Enabled are `docs`")]
    #[case(".resource docs u --item", "`--item` needs a value")]
    #[case(".resource docs u --item x", "`--item` takes a number, not `x`")]
    #[case(".resource docs u --offset -1", "`--offset` takes a number, not `-1`")]
    #[case(".resource docs u --send --send", "`--send` is given more than once")]
    #[case(".resource docs u --raw", "`.resource` has no `--raw`")]
    #[case(".resource docs u '--send'", "`--send` at column 18 is no `key=value`")]
    fn a_wrong_line_names_what_is_wrong_and_the_next_step_s44(#[case] line: &str, #[case] message: &str) {
        let error = parse(line).unwrap_err();
        assert!(error.starts_with(message), "{error}");
    }
}
