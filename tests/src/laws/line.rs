//! The line of a prompt over any text and any cursor: its words, what completes it, and what is done with it (S41, S43, S45,
//! S46).
//!
//! The first byte says where the cursor is. Then come, a line each, the typed line and what is known of: a server's name, a
//! prompt's, an argument's, a value.

use mcp_catalog::{CatalogItem, Details, McpServerFeatures, PromptArgument, ServerName};
use mcp_prompt_repl::{Completion, Known, Line, MAX_ROWS, Need, Row, Typed, Word, complete, quote, quote_key};

/// Words cover the line, quoting is undone by the lexer, a completion ends and fits, and a line is a command by its start.
pub fn line(bytes: &[u8]) {
    let (at, rest) = bytes.split_first().unwrap_or((&0, &[]));
    let text = String::from_utf8_lossy(rest);
    let mut lines = text.split('\n');
    let typed = lines.next().unwrap_or_default();
    words(typed);
    read(typed);
    let cursor = usize::from(*at).min(typed.len().saturating_add(1));
    under(typed, cursor);
    let known: Vec<&str> = lines.take(4).collect();
    for name in &known {
        quoting(name);
    }
    completing(typed, cursor, &known);
}

fn words(text: &str) {
    let line = Line::lex(text);
    assert_eq!(line.text(), text);
    let mut end = 0;
    for word in line.words() {
        let span = word.span();
        let gap = text.get(end..span.start).expect("words are in order");
        assert!(gap.trim().is_empty(), "between words stands {gap:?}");
        assert_eq!(text.get(span.clone()), Some(word.source()));
        assert!(!word.source().is_empty() && !word.source().starts_with(char::is_whitespace));
        assert!(word.value().len() <= word.source().len());
        if let Some((key, value)) = word.pair() {
            assert!(word.value().len() == key.len() + 1 + value.len());
        }
        assert!(word.value_start().is_none_or(|start| text.is_char_boundary(start) && span.contains(&(start - 1))));
        let alone = Line::lex(word.source());
        assert_eq!(alone.words().iter().map(Word::value).collect::<Vec<_>>(), [word.value()]);
        end = span.end;
    }
    assert!(text.get(end..).expect("the last word ends in the line").trim().is_empty());
    if let Some(open) = line.open_quote() {
        assert!(text.get(open.offset..).is_some_and(|rest| rest.starts_with(open.quote)));
        assert!(line.words().last().is_some_and(|word| word.span().contains(&open.offset)));
    }
}

fn under(text: &str, cursor: usize) {
    let place = Line::lex(text).at(cursor);
    let span = place.typed.span();
    assert!(span.end <= place.word_end && place.word_end <= text.len() && span.end <= cursor.max(span.start));
    assert!(text.is_char_boundary(place.word_end));
    assert!(place.before.iter().all(|word| word.span().end <= span.start));
    assert!(place.after.iter().all(|word| word.span().start >= place.word_end));
}

/// What is quoted is one word, alone and as a value behind a key.
fn quoting(text: &str) {
    let one = quote(text);
    let line = Line::lex(&one);
    assert_eq!(line.words().iter().map(Word::value).collect::<Vec<_>>(), [text], "{one}");
    assert_eq!(line.open_quote(), None, "{one}");
    if !text.is_empty() {
        let pair = format!("{}={one}", quote_key(text));
        let line = Line::lex(&pair);
        let pairs: Vec<_> = line.words().iter().map(|word| word.pair()).collect();
        assert_eq!(pairs, [Some((text, text))], "{pair}");
    }
}

fn read(text: &str) {
    match Typed::read(text) {
        Typed::Nothing => assert!(text.trim().is_empty()),
        Typed::Command(line) => {
            assert_eq!(line.text(), text.trim());
            assert!(line.name().starts_with(char::is_alphabetic) && line.text().starts_with('.'));
        }
        Typed::Shell(shell) => assert_eq!(text.trim().strip_prefix('!'), Some(shell)),
        Typed::Chat(chat) => assert!(chat.bytes() > 0 && chat.bytes() <= text.len()),
    }
}

/// Everything that is needed is given, and then there are rows.
fn completing(text: &str, cursor: usize, known: &[&str]) {
    let at = |index: usize, other: &'static str| known.get(index).copied().unwrap_or(other).to_owned();
    let Ok(name) = ServerName::new(at(0, "my docs")) else { return };
    let servers = [McpServerFeatures { name, tools: true, resources: true, prompts: true, instructions: None }];
    let items = [prompt(at(1, "code review"), at(2, "file"))];
    let values = [at(3, "a b.rs")];
    let mut asked: Vec<Need> = Vec::new();
    loop {
        let prompts = asked.iter().find_map(|need| match need {
            Need::Prompts(server) => Some((server.as_str(), items.as_slice())),
            _ => None,
        });
        let resources = asked.iter().find_map(|need| match need {
            Need::Resources(server) => Some((server.as_str(), &[][..])),
            _ => None,
        });
        let completion = asked.iter().find(|need| matches!(need, Need::Completion { .. }));
        let given = Known {
            servers: asked.contains(&Need::Servers).then_some(servers.as_slice()),
            prompts,
            resources,
            configured: asked.contains(&Need::Configured).then_some(&[][..]),
            values: completion.map(|need| (need, values.as_slice())),
        };
        match complete(text, cursor, given) {
            Completion::Need(need) => {
                assert!(!asked.contains(&need), "{need:?} is asked for twice");
                asked.push(need);
            }
            Completion::Rows(rows) => {
                assert!(rows.len() <= MAX_ROWS);
                for row in &rows {
                    fits(text, row);
                }
                return;
            }
        }
    }
}

/// A row stands in the line, is safe to show, and is one word when it is taken.
fn fits(text: &str, row: &Row) {
    assert!(text.get(row.span.clone()).is_some(), "{row:?}");
    let shown = [Some(&row.value), Some(&row.display), row.description.as_ref()];
    assert!(!shown.into_iter().flatten().any(|text| text.contains(char::is_control)), "{row:?}");
    let taken = Line::lex(&row.value);
    assert_eq!((taken.words().len(), taken.open_quote()), (1, None), "{row:?}");
}

fn prompt(id: String, argument: String) -> CatalogItem {
    CatalogItem {
        name: id.clone(),
        title: None,
        description: Some(format!("about {id}")),
        mime_type: None,
        size: None,
        audience: Vec::new(),
        annotations: None,
        details: Details::Prompt {
            arguments: vec![PromptArgument {
                title: None,
                description: Some(format!("about {argument}")),
                name: argument,
                required: true,
            }],
        },
        id,
    }
}
