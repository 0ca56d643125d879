//! One entry of `tools/list` (S20). A tool that a model could not call is refused with the field that is wrong.

use super::{
    entry::{Mending, required_id},
    node::Node,
};
use crate::{CatalogItem, Details};
use mcp_render::TOOL_NAME_MAX_BYTES;
use serde_json::Value;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// The tool, or why it cannot be used.
pub(super) fn tool(entry: Node<'_>, mending: &mut Mending) -> Result<CatalogItem, String> {
    let [name, title, description, input, output, annotations] = entry
        .members(["name", "title", "description", "inputSchema", "outputSchema", "annotations"])
        .map_err(|odd| odd.to_string())?;
    let name = required_id("name", name)?;
    check_name(&name)?;
    let input = input.ok_or("`inputSchema` is missing or null, not an object")?;
    let input_schema = mending.required_object(input).map_err(|odd| format!("`inputSchema` {odd}"))?;
    let annotations = mending.annotations(annotations);
    Ok(CatalogItem {
        id: name.clone(),
        name,
        title: mending.string(title),
        description: mending.string(description),
        mime_type: None,
        size: None,
        audience: annotations.audience,
        annotations: annotations.whole,
        details: Details::Tool { input_schema: Value::Object(input_schema), output_schema: mending.object(output) },
    })
}

/// Refuses names that a person cannot tell apart or that mean something else as a path.
fn check_name(name: &str) -> Result<(), String> {
    if name.len() > TOOL_NAME_MAX_BYTES {
        return Err(format!("`name` is {} bytes long; the limit is {TOOL_NAME_MAX_BYTES}", name.len()));
    }
    if name == "." || name == ".." {
        return Err(format!("`name` is `{name}`"));
    }
    if let Some(unseen) = name.chars().find(|c| is_unseen(*c)) {
        return Err(format!("`name` holds U+{:04X}, which cannot be seen", u32::from(unseen)));
    }
    if name.chars().all(|c| c == ' ') {
        return Err("`name` is blank".to_owned());
    }
    Ok(())
}

/// Whether a character is a control, a format character, or one that shows nothing of itself.
fn is_unseen(c: char) -> bool {
    use GeneralCategory as G;
    let category = matches!(
        c.general_category(),
        G::Control | G::Format | G::LineSeparator | G::ParagraphSeparator | G::Surrogate | G::Unassigned
    );
    let other_space = c.general_category() == G::SpaceSeparator && c != ' ';
    // Fillers and variation selectors: letters and marks by category, invisible all the same (Default_Ignorable).
    let filler = matches!(
        u32::from(c),
        0x034F | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F | 0x2800 | 0x3164 | 0xFE00..=0xFE0F | 0xFFA0
            | 0xE0000..=0xE0FFF
    );
    category || other_space || filler
}
