//! One entry of `prompts/list` (S20), and the messages of `prompts/get` (D6, S36).

use super::{
    contents::{self, Frame, blocks},
    entry::{Mending, required_id},
    node::{Node, Shape},
};
use crate::{CatalogItem, Details, PromptArgument};
use mcp_render::{Block, BlockBody, Message};

/// The most arguments that are kept of one prompt.
const ARGUMENTS_MAX: usize = 256;

/// The label of a message whose server named no role. It is no role of MCP, so it cannot pass for one (D6).
const NO_ROLE: &str = "unknown";

/// The prompt, or why it cannot be used.
pub(super) fn prompt(entry: Node<'_>, mending: &mut Mending) -> Result<CatalogItem, String> {
    let [name, title, description, arguments] =
        entry.members(["name", "title", "description", "arguments"]).map_err(|odd| odd.to_string())?;
    let name = required_id("name", name)?;
    Ok(CatalogItem {
        id: name.clone(),
        name,
        title: mending.string(title),
        description: mending.string(description),
        mime_type: None,
        size: None,
        audience: Vec::new(),
        annotations: None,
        details: Details::Prompt { arguments: declared(arguments, mending) },
    })
}

/// The usable arguments in declared order; each of the others is dropped and counted.
fn declared(node: Option<Node<'_>>, mending: &mut Mending) -> Vec<PromptArgument> {
    let Some(node) = node else { return Vec::new() };
    let mut arguments: Vec<PromptArgument> = Vec::new();
    let read = node.each_element(|element| {
        let usable = argument(element, mending)
            .filter(|new| arguments.len() < ARGUMENTS_MAX && arguments.iter().all(|known| known.name != new.name));
        arguments.extend(mending.keep(usable));
    });
    mending.count += usize::from(read.is_err());
    arguments
}

fn argument(node: Node<'_>, mending: &mut Mending) -> Option<PromptArgument> {
    let [name, title, description, required] = node.members(["name", "title", "description", "required"]).ok()?;
    Some(PromptArgument {
        name: required_id("name", name).ok()?,
        title: mending.string(title),
        description: mending.string(description),
        required: mending.boolean(required),
    })
}

/// One message. Roles other than MCP's two are kept as given, and no role is never taken for one of them (D6).
pub(super) fn message(node: Node<'_>, frame: Frame<'_>) -> Message {
    if node.shape() != Shape::Object {
        return Message { role: NO_ROLE.to_owned(), blocks: blocks(Some(node), frame) };
    }
    let [role, content] = node.members(["role", "content"]).unwrap_or([None; 2]);
    let role = role.and_then(|role| role.string().ok()).filter(|role| !role.is_empty());
    Message {
        role: role.map_or_else(|| NO_ROLE.to_owned(), std::borrow::Cow::into_owned),
        blocks: blocks(content, frame),
    }
}

/// The message that stands for everything beyond the bound on messages.
pub(super) fn beyond(found: usize) -> Message {
    let body = BlockBody::Broken(contents::beyond(found, "messages"));
    Message { role: NO_ROLE.to_owned(), blocks: vec![Block { audience: Vec::new(), body }] }
}
