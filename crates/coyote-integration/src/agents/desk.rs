//! Questions to the user: what `user__*` asks, and the port to whoever sits there.
//!
//! It knows no terminal. An answer is checked here, whoever gave it: the user, or a parent agent in the user's place.

use serde_json::{Value, json};
use std::{fmt, pin::Pin};

/// What kind of answer is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// One of the options.
    One,
    /// Any of the options.
    Some,
    /// Yes or no.
    YesOrNo,
    /// A line of text.
    Line,
}

/// A question; foreign text throughout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserQuestion {
    /// What is asked.
    pub question: String,
    /// What kind of answer is wanted.
    pub wanted: Wanted,
    /// What there is to choose from; empty for a line and for yes or no.
    pub options: Vec<String>,
    /// What an empty line means.
    pub default: Option<String>,
}

/// An answer that fits its question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UserAnswer {
    /// An option, or a line.
    Text(String),
    /// Options.
    Texts(Vec<String>),
    /// Yes or no.
    Yes(bool),
}

impl UserAnswer {
    /// As a model gets it.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Text(text) => json!(text),
            Self::Texts(texts) => json!(texts),
            Self::Yes(yes) => json!(yes),
        }
    }
}

impl UserQuestion {
    /// What is accepted.
    pub fn accepted(&self) -> String {
        let options = || self.options.iter().map(|option| format!("`{option}`")).collect::<Vec<_>>().join(", ");
        match self.wanted {
            Wanted::One => format!("one of {}", options()),
            Wanted::Some => format!("a list of any of {}", options()),
            Wanted::YesOrNo => "yes or no".to_owned(),
            Wanted::Line => "a text".to_owned(),
        }
    }

    /// The answer that a JSON value is; `None` when it fits the question not.
    pub fn read(&self, given: &Value) -> Option<UserAnswer> {
        match (self.wanted, given) {
            (Wanted::YesOrNo, Value::Bool(yes)) => Some(UserAnswer::Yes(*yes)),
            (Wanted::YesOrNo, Value::String(word)) => yes_or_no(word).map(UserAnswer::Yes),
            (Wanted::Line, Value::String(text)) => Some(UserAnswer::Text(text.clone())),
            (Wanted::Line, Value::Bool(_)) => Some(UserAnswer::Text(given.to_string())),
            (Wanted::One, Value::String(text)) => self.option(text).map(UserAnswer::Text),
            (Wanted::Some, Value::String(text)) => self.options_of(text).map(UserAnswer::Texts),
            (Wanted::Some, Value::Array(items)) => {
                let chosen: Option<Vec<String>> = items.iter().map(|item| self.option(item.as_str()?)).collect();
                chosen.map(|chosen| UserAnswer::Texts(self.in_order(&chosen)))
            }
            _ => None,
        }
    }

    /// The answer that a typed line is; `None` when it has to be asked again.
    pub fn typed(&self, line: &str) -> Option<UserAnswer> {
        let line = line.trim();
        let line = if line.is_empty() { self.default.as_deref().unwrap_or_default() } else { line };
        match self.wanted {
            Wanted::Line => Some(UserAnswer::Text(line.to_owned())),
            Wanted::YesOrNo => yes_or_no(line).map(UserAnswer::Yes),
            Wanted::One => self.option(line).map(UserAnswer::Text),
            Wanted::Some => self.options_of(line).map(UserAnswer::Texts),
        }
    }

    /// An option by its text, else by its number from 1.
    fn option(&self, word: &str) -> Option<String> {
        let word = word.trim();
        let exact = self.options.iter().find(|option| option.as_str() == word);
        let loose = || self.options.iter().find(|option| option.trim().eq_ignore_ascii_case(word));
        let numbered = || self.options.get(word.parse::<usize>().ok()?.checked_sub(1)?);
        exact.or_else(loose).or_else(numbered).cloned()
    }

    /// One option, or several with commas or blanks between; nothing is none.
    fn options_of(&self, line: &str) -> Option<Vec<String>> {
        if line.trim().is_empty() {
            return Some(Vec::new());
        }
        if let Some(option) = self.option(line) {
            return Some(vec![option]);
        }
        let by = |separator: &[char]| -> Option<Vec<String>> {
            line.split(separator).filter(|word| !word.trim().is_empty()).map(|word| self.option(word)).collect()
        };
        by(&[',']).or_else(|| by(&[',', ' '])).map(|chosen| self.in_order(&chosen))
    }

    /// The chosen options in the question's order, each once.
    fn in_order(&self, chosen: &[String]) -> Vec<String> {
        self.options.iter().filter(|option| chosen.contains(option)).cloned().collect()
    }
}

/// What a word means.
pub(super) fn yes_or_no(word: &str) -> Option<bool> {
    match word.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" | "true" => Some(true),
        "n" | "no" | "false" => Some(false),
        _ => None,
    }
}

/// What became of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// It was answered.
    Answered(UserAnswer),
    /// The user gave no answer: Esc, or the end of the input.
    Declined,
    /// Nobody is there.
    Nobody,
    /// The user stopped everything.
    Cancelled,
}

/// A question that waits for its answer.
pub type Answering<'a> = Pin<Box<dyn Future<Output = Told> + Send + 'a>>;

/// Where the user sits.
pub trait Desk: Send + Sync {
    /// Whether anybody is there.
    fn is_staffed(&self) -> bool;

    /// Asks.
    fn ask<'a>(&'a self, question: &'a UserQuestion) -> Answering<'a>;
}

/// Nobody: where there is no terminal.
#[derive(Debug, Clone, Copy, Default)]
pub struct NobodyAtTheDesk;

impl Desk for NobodyAtTheDesk {
    fn is_staffed(&self) -> bool {
        false
    }

    fn ask<'a>(&'a self, _question: &'a UserQuestion) -> Answering<'a> {
        Box::pin(async { Told::Nobody })
    }
}

impl fmt::Debug for dyn Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Desk")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(wanted: Wanted, options: &[&str]) -> UserQuestion {
        let options = options.iter().map(|option| (*option).to_owned()).collect();
        UserQuestion { question: "Which?".to_owned(), wanted, options, default: None }
    }

    #[test]
    fn an_option_is_named_by_its_text_or_its_number_and_nothing_else() {
        let one = question(Wanted::One, &["Red", "dark blue", "2"]);
        let answer = |line: &str| one.typed(line);
        let text = |text: &str| Some(UserAnswer::Text(text.to_owned()));
        assert_eq!(answer("red"), text("Red"));
        // A text goes before a number.
        assert_eq!(answer("2"), text("2"));
        assert_eq!(answer("1"), text("Red"));
        for line in ["", "0", "4", "blue", "-1"] {
            assert_eq!(answer(line), None, "{line:?}");
        }
        assert_eq!(one.read(&json!("dark blue")), text("dark blue"));
        assert_eq!(one.read(&json!(["Red"])), None);
    }

    #[test]
    fn several_options_come_in_the_questions_order_each_once_and_none_is_an_answer() {
        let some = question(Wanted::Some, &["a", "b c", "d"]);
        let texts =
            |list: &[&str]| Some(UserAnswer::Texts(list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>()));
        assert_eq!(some.typed("d, b c,a"), texts(&["a", "b c", "d"]));
        assert_eq!(some.typed("3 1 3"), texts(&["a", "d"]));
        assert_eq!(some.typed(""), texts(&[]));
        assert_eq!(some.typed("a, x"), None);
        assert_eq!(some.read(&json!(["d", "a"])), texts(&["a", "d"]));
        assert_eq!(some.read(&json!(["x"])), None);
    }

    #[test]
    fn yes_and_no_are_words_or_truth_values_and_a_default_counts_for_an_empty_line() {
        let mut yes = question(Wanted::YesOrNo, &[]);
        assert_eq!(yes.typed("Y"), Some(UserAnswer::Yes(true)));
        assert_eq!(yes.read(&json!(false)), Some(UserAnswer::Yes(false)));
        assert_eq!((yes.typed(""), yes.typed("perhaps")), (None, None));
        yes.default = Some("no".to_owned());
        assert_eq!(yes.typed("\n"), Some(UserAnswer::Yes(false)));
        assert_eq!(question(Wanted::Line, &[]).typed(" x \n"), Some(UserAnswer::Text("x".to_owned())));
    }
}
