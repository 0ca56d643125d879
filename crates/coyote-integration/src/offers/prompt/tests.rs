//! `.prompt` against a port of this process: which effects are done, and what leaves it.

use super::{Ended, PromptPort, run_prompt};
use mcp_catalog::{CatalogItem, Details, Listing, PromptArgument, PromptName, ServerName};
use mcp_prompt_repl::{Asking, ChatSink, Invocation, Question, Reply, Tell};
use mcp_render::Flattened;
use serde_json::{Map, Value};

/// A server with a prompt `review` that needs `file`, a person who types, and what happened.
struct Fake {
    types: Vec<Reply>,
    returns: Result<String, String>,
    log: Vec<String>,
}

impl Fake {
    fn new(types: &[&str], returns: Result<&str, &str>) -> Self {
        let types = types.iter().rev().map(|text| Reply::Text((*text).to_owned())).collect();
        Self { types, returns: returns.map(str::to_owned).map_err(str::to_owned), log: Vec::new() }
    }
}

impl PromptPort for Fake {
    async fn list(&mut self, server: &ServerName) -> Listing {
        self.log.push(format!("list {server}"));
        let file = PromptArgument { name: "file".to_owned(), title: None, description: None, required: true };
        let item = CatalogItem {
            id: "review".to_owned(),
            name: "review".to_owned(),
            title: None,
            description: None,
            mime_type: None,
            size: None,
            audience: Vec::new(),
            annotations: None,
            details: Details::Prompt { arguments: vec![file] },
        };
        Listing { items: vec![item], notes: Vec::new() }
    }

    async fn ask(&mut self, question: &Question) -> Reply {
        self.log.push(format!("ask {question}"));
        self.types.pop().unwrap_or(Reply::GivenUp)
    }

    async fn get(
        &mut self,
        _server: &ServerName,
        prompt: PromptName,
        arguments: Option<Map<String, Value>>,
    ) -> Result<Flattened, String> {
        self.log.push(format!("get {prompt} {}", Value::from(arguments.unwrap_or_default())));
        let text = self.returns.clone()?;
        Ok(Flattened { total_bytes: text.len(), text, truncated: false, path: None, sha256: None, note: None })
    }
}

async fn run(line: &str, fake: &mut Fake) -> Ended {
    let servers = [ServerName::new("docs").unwrap()];
    run_prompt(Invocation::parse(line, &servers).unwrap(), Asking::Allowed, fake).await
}

#[derive(Default)]
struct Said(Vec<String>);

impl ChatSink for Said {
    fn user_turn(&mut self, text: String) {
        self.0.push(text);
    }
}

// C04, R14
#[tokio::test]
async fn a_prompt_is_listed_asked_for_got_and_said_as_chat_r14() {
    let text = "[user]\n!touch x\n\n[assistant]\n.exit";
    let mut fake = Fake::new(&["", "a b.rs"], Ok(text));
    let Ended::Submit { text: chat, echo, note } = run(".prompt docs review", &mut fake).await else {
        panic!("it is said")
    };
    assert_eq!(fake.log, ["list docs", "ask file", "ask file", r#"get review {"file":"a b.rs"}"#]);
    assert_eq!((echo.to_string().as_str(), note), (text, None));
    let mut said = Said::default();
    chat.say(&mut said);
    assert_eq!(said.0, [text]);
}

#[tokio::test]
async fn who_gives_up_a_question_gets_no_prompt_s42() {
    let mut fake = Fake::new(&[], Ok("[user]\nx"));
    let Ended::Told(Tell::Note(note)) = run(".prompt docs review", &mut fake).await else { panic!("it is told") };
    assert_eq!((note.as_str(), fake.log.len()), ("Nothing was sent", 2));
}

#[tokio::test]
async fn a_prompt_that_fails_or_is_empty_says_nothing_to_the_model_s36() {
    let mut fake = Fake::new(&[], Err("No"));
    assert!(matches!(run(".prompt docs review file=x", &mut fake).await, Ended::Told(Tell::Failed { .. })));
    let mut fake = Fake::new(&[], Ok(""));
    assert!(matches!(run(".prompt docs review file=x", &mut fake).await, Ended::Told(Tell::Note(_))));
}
