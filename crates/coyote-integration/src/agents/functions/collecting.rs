//! What `agent__collect` shows of an answer: a page of the whole, which is kept (S25, S26, S27).

use super::shown::brief;
use crate::{agents::supervisor::Ended, functions::Arguments};
use mcp_render::{
    Ceiling, Code, ErrorShape, Filter, PAGE_DEFAULT_BYTES, PageRequest, Settled, SettledText, json_len, respond,
};
use serde_json::Value;

/// The answer of a child that has ended.
pub(super) fn page(ended: &Ended, arguments: &Arguments, ceiling: Ceiling) -> Result<Value, ErrorShape> {
    let filter = arguments.text("pattern").filter(|pattern| !pattern.is_empty()).map(Filter::parse).transpose();
    let filter = filter.map_err(|fault| invalid(fault.sentence))?;
    let bytes = arguments.count("max_bytes").map_or(PAGE_DEFAULT_BYTES, |n| usize::try_from(n).unwrap_or(usize::MAX));
    let mut request =
        PageRequest { offset: arguments.count("offset").unwrap_or(0), max_bytes: bytes, filter, item: None };
    let text = SettledText {
        uri: format!("agent:{}", ended.id),
        mime_type: None,
        audience: Vec::new(),
        text: ended.outcome.output.clone(),
    };
    let items = [Settled::Text(text)];
    loop {
        let page = respond(&items, &request, ceiling).map_err(|fault| invalid(fault.to_string()))?;
        let shown = page.get("text").and_then(Value::as_str).map_or(0, str::len);
        let value: Value = brief(ended).with("answer", page).into();
        let over = json_len(&value).saturating_sub(ceiling.bytes());
        if over == 0 || shown <= 1 {
            return Ok(value);
        }
        // What stands around the page is small beside it; cutting by as much as it is over ends soon.
        request.max_bytes = shown.saturating_sub(over.max(shown / 10)).max(1);
    }
}

fn invalid(sentence: String) -> ErrorShape {
    ErrorShape {
        tool_call_error: sentence,
        code: Code::InvalidArguments,
        hint: "Repeat the call with `offset`, `max_bytes` and `pattern` mended; the answer is kept whole".to_owned(),
        closest: Vec::new(),
    }
}
