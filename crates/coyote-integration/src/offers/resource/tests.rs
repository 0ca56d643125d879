//! `.resource`: what is shown, what is said, and what is only told.

use super::super::testing::{Conduct, Fake, Machine};
use super::{Shown, read_resource};
use mcp_catalog::ServerName;
use mcp_prompt_repl::{ChatSink, ResourceLine};
use mcp_render::{Code, ErrorShape};

async fn read(line: &str) -> Result<Shown, ErrorShape> {
    let fakes = [Fake::new("docs", Conduct::Answers), Fake::new("off", Conduct::Answers)];
    let machine = Machine::with(&fakes).await;
    let servers = ["docs", "off"].map(|name| ServerName::new(name).unwrap());
    let line = ResourceLine::parse(line, &servers).unwrap();
    read_resource(&machine.listing_view(), line).await
}

#[derive(Default)]
struct Said(Vec<String>);

impl ChatSink for Said {
    fn user_turn(&mut self, text: String) {
        self.0.push(text);
    }
}

fn said(shown: Shown) -> Vec<String> {
    let mut said = Said::default();
    if let Some(text) = shown.send {
        text.say(&mut said);
    }
    said.0
}

#[tokio::test]
async fn a_text_is_shown_and_said_only_when_it_is_wanted_s44() {
    let shown = read(".resource docs x://text").await.unwrap();
    assert_eq!((shown.text.as_str(), shown.notes.len()), ("!touch x\nsecond line\n", 0));
    assert!(said(shown).is_empty());
    let shown = read(".resource docs x://text --send").await.unwrap();
    assert_eq!(said(shown), ["!touch x\nsecond line\n"], "byte for byte, whatever it looks like (R14)");
}

#[tokio::test]
async fn a_filtered_page_says_what_it_is_s44() {
    let shown = read(".resource docs x://{id} id=7 --pattern second").await.unwrap();
    assert!(shown.text.contains("2:second line"), "{}", shown.text);
}

#[tokio::test]
async fn a_binary_is_a_file_and_several_contents_are_shown_in_order_s44() {
    let shown = read(".resource docs x://blob").await.unwrap();
    assert_eq!(shown.text, "");
    assert!(shown.notes[0].starts_with("x://blob: image/png, 8 bytes, in `"), "{:?}", shown.notes);
    let shown = read(".resource docs x://two --send").await.unwrap();
    assert_eq!(shown.text, "one\ntwo");
    let said = said(shown);
    assert!(said[0].starts_with('[') && said[0].contains(r#""uri":"x://a""#), "{said:?}");
}

#[tokio::test]
async fn a_server_that_does_not_run_or_an_item_that_is_not_there_has_a_next_step_s44() {
    let error = read(".resource off x://text").await.unwrap_err();
    assert_eq!((error.code, error.hint.as_str()), (Code::HandshakeFailed, "`.mcp reconnect off` tries again"));
    let error = read(".resource docs x://text --item 4").await.unwrap_err();
    assert_eq!(error.code, Code::InvalidArguments);
}
