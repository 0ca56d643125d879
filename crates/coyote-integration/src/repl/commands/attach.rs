//! `.file path|glob|url… [-- text]`: says a text with files.

use super::{Argument, Command, Completes, Outcome, Pace, Running, usage};
use crate::{
    chat::{Refusal, input},
    repl::context::Context,
};
use mcp_prompt_repl::{CommandLine, Line};

pub(super) const FILE: Command = Command {
    name: "file",
    usage: "<path|glob|url>… [-- text]",
    about: "Say a text with files attached",
    help: "Everything after ` -- ` is the text, as it is typed. Text and pictures can be attached; names with blanks are \
           quoted.",
    needs: &[],
    pace: Pace::InTurn,
    completes: Completes::Arguments(&[Argument::File]),
    run,
};

fn run<'a>(context: &'a mut Context, line: CommandLine<'a>) -> Running<'a> {
    Box::pin(async move {
        let (files, text) = taken_apart(line)?;
        if files.is_empty() {
            return Err(Refusal::given("`.file` needs a file", usage(&FILE)));
        }
        let dir = std::env::current_dir().unwrap_or_default();
        let fault = |fault: input::InputFault| Refusal::given(fault.sentence, fault.hint);
        let attached = input::attach(&dir, &files).await.map_err(fault)?;
        let Some(parts) = input::message(&text, "", attached).map_err(fault)? else {
            return Err(Refusal::given("The files are empty, and there is no text", usage(&FILE)));
        };
        context.say(parts).await?;
        Ok(Outcome::Done)
    })
}

/// The files, and the text after `--`. A quote in the text is a quote, and needs no other.
fn taken_apart(line: CommandLine<'_>) -> Result<(Vec<String>, String), Refusal> {
    let text = line.text();
    let lexed = Line::lex(text);
    let end = lexed.words().iter().find(|word| word.is_option("--")).map(mcp_prompt_repl::Word::span);
    let (head, said) = match end {
        Some(span) => (text.get(..span.start).unwrap_or(text), text.get(span.end..).unwrap_or_default().trim()),
        None => (text, ""),
    };
    let head = Line::lex(head);
    if let Some(open) = head.open_quote() {
        let sentence = format!("The quote {} at column {} is not closed", open.quote, open.column);
        return Err(Refusal::given(sentence, format!("Close it with {}", open.quote)));
    }
    Ok((head.words().iter().skip(1).map(|word| word.value().to_owned()).collect(), said.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcp_prompt_repl::Typed;

    fn apart(line: &str) -> Result<(Vec<String>, String), String> {
        let Typed::Command(line) = Typed::read(line) else { panic!("no command") };
        taken_apart(line).map_err(|refusal| refusal.sentence)
    }

    #[test]
    fn what_follows_two_dashes_is_the_text_as_it_is_typed() {
        let files = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            apart(".file a.rs 'b c.rs' -- don't  panic"),
            Ok((files(&["a.rs", "b c.rs"]), "don't  panic".to_owned()))
        );
        assert_eq!(apart(".file a"), Ok((files(&["a"]), String::new())));
        assert_eq!(apart(".file -- only text"), Ok((files(&[]), "only text".to_owned())));
        assert_eq!(apart(".file 'a -- b"), Err("The quote ' at column 7 is not closed".to_owned()));
    }
}
