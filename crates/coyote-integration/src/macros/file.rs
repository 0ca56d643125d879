//! A macro's file: `description, isolated, variables[{name, default, rest}], steps[]`.
//!
//! A file that is wrong anywhere is no macro: half of its steps could do something else than all of them.

use super::bind::is_escaped;
use crate::config::{Facts, placeholders, yaml::Node};
use std::path::Path;

/// A macro.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Macro {
    /// Its name: that of its file.
    pub name: String,
    /// One line about it.
    pub description: String,
    /// Whether it runs in a copy of the conversation that is thrown away.
    pub isolated: bool,
    /// What may follow its name, in order.
    pub variables: Vec<Variable>,
    /// The lines that are typed, in order.
    pub steps: Vec<String>,
    /// Whose it is.
    pub origin: MacroOrigin,
}

/// Whose a macro is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MacroOrigin {
    /// The user's own.
    User,
    /// The working directory's, trusted.
    Workspace,
}

/// A word that follows a macro's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name: `{{name}}` in a step.
    pub name: String,
    /// Its value when none is given.
    pub default: Option<String>,
    /// Whether it takes every word that is left; the last one alone.
    pub rest: bool,
}

impl Macro {
    /// What `text`, which stands in `file`, says; the error names the place. Keys that are not read are in the list.
    pub(super) fn parse(
        name: &str,
        text: &str,
        file: &Path,
        origin: MacroOrigin,
    ) -> Result<(Self, Vec<String>), String> {
        let node = Node::read(text.strip_prefix('\u{feff}').unwrap_or(text), file)
            .map_err(|error| format!("Macro `{name}` does not parse: {error}"))?;
        let at = |node: &Node| format!("Macro `{name}`, `{}` line {}", file.display(), node.line);
        let wrong = |key: &str, node: &Node, accepted: &str| {
            format!("{}: `{key}` is {}; accepted is {accepted}", at(node), node.given())
        };
        let Some(pairs) = node.pairs() else {
            return Err(format!("{}: it is {}; accepted is a mapping with `steps`", at(&node), node.kind()));
        };
        let (mut description, mut isolated, mut variables, mut steps) = (String::new(), false, Vec::new(), Vec::new());
        let (mut unread, mut lines) = (Vec::new(), Vec::new());
        for pair in pairs {
            let (key, node) = (pair.key.as_str(), &pair.node);
            match key {
                "description" | "isolated" | "variables" if node.is_null() => {}
                "description" => description = node.name().ok_or_else(|| wrong(key, node, "text"))?,
                "isolated" => isolated = node.bool().ok_or_else(|| wrong(key, node, "true or false"))?,
                "variables" => {
                    let items = node.items().ok_or_else(|| wrong(key, node, "a list of `{name, default, rest}`"))?;
                    variables = items
                        .iter()
                        .map(variable)
                        .collect::<Result<_, _>>()
                        .map_err(|(node, why)| format!("{}: a variable {why}", at(node)))?;
                }
                "steps" => {
                    let items = node.items().ok_or_else(|| wrong(key, node, "a list of lines"))?;
                    let no_line = |item: &Node| format!("{}: a step is {}; accepted is a line", at(item), item.given());
                    let read = items.iter().map(|item| line(item).ok_or_else(|| no_line(item)));
                    steps = read.collect::<Result<_, _>>()?;
                    lines = items.iter().map(|item| item.line).collect();
                }
                _ => unread.push(format!(
                    "Macro `{name}`, `{}` line {}: a macro has no key `{key}`",
                    file.display(),
                    pair.line
                )),
            }
        }
        if steps.is_empty() {
            return Err(format!("Macro `{name}`, `{}`: it has no `steps`", file.display()));
        }
        let at_file = format!("Macro `{name}`, `{}`", file.display());
        in_order(&variables).map_err(|why| format!("{at_file}: {why}"))?;
        for (place, step) in steps.iter().enumerate() {
            if let Some(why) = undeclared(step, &variables) {
                let line = lines.get(place).copied().unwrap_or_default();
                return Err(format!("{at_file} line {line}: step {} {why}", place + 1));
            }
        }
        Ok((Self { name: name.to_owned(), description, isolated, variables, steps, origin }, unread))
    }

    /// How it is written: its name and its variables.
    pub fn usage(&self) -> String {
        let words = self.variables.iter().map(|variable| match variable {
            Variable { name, rest: true, default: None } => format!(" <{name}…>"),
            Variable { name, rest: true, default: Some(_) } => format!(" [{name}…]"),
            Variable { name, default: None, .. } => format!(" <{name}>"),
            Variable { name, default: Some(_), .. } => format!(" [{name}]"),
        });
        format!(".{}{}", self.name, words.collect::<String>())
    }
}

fn line(node: &Node) -> Option<String> {
    let text = match node.text() {
        Some(text) => text.trim_end().to_owned(),
        None => node.name()?,
    };
    (!text.trim().is_empty()).then_some(text)
}

fn variable(node: &Node) -> Result<Variable, (&Node, String)> {
    let pairs = node.pairs().ok_or((node, format!("is {}; accepted is `{{name, default, rest}}`", node.kind())))?;
    let (mut name, mut default, mut rest) = (None, None, false);
    for pair in pairs {
        let node = &pair.node;
        match pair.key.as_str() {
            "name" => name = node.name(),
            "default" if node.is_null() => {}
            // A date or a truth value is a word here.
            "default" => default = Some(word(node).ok_or((node, "has a `default` that is no word".to_owned()))?),
            "rest" => rest = node.bool().ok_or((node, "has a `rest` that is neither true nor false".to_owned()))?,
            // What it describes itself with does no harm.
            _ => {}
        }
    }
    let name = name.ok_or((node, "has no `name`".to_owned()))?;
    let mut chars = name.chars();
    let plain = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !plain {
        return Err((
            node,
            "has a `name` that `{{name}}` cannot hold; accepted are letters, digits and `_`".to_owned(),
        ));
    }
    Ok(Variable { name, default, rest })
}

fn word(node: &Node) -> Option<String> {
    match (node.text(), node.bool()) {
        (Some(text), _) => Some(text.to_owned()),
        (None, Some(value)) => Some(value.to_string()),
        (None, None) => node.name(),
    }
}

/// What is wrong with a step that holds a `{{name}}` of no variable: it would be said as it stands. What a role's text may
/// hold (`{{__os__}}`) is filled in there.
fn undeclared(step: &str, variables: &[Variable]) -> Option<String> {
    let is_known = |name: &str| Facts::NAMES.contains(&name) || variables.iter().any(|known| known.name == name);
    let unknown = placeholders(step).find(|found| !is_escaped(step, found) && !is_known(found.name))?;
    let names: Vec<String> = variables.iter().map(|known| format!("`{}`", known.name)).collect();
    let declared =
        if names.is_empty() { "it has none".to_owned() } else { format!("its variables are {}", names.join(", ")) };
    let name = unknown.name;
    Some(format!("holds `{{{{{name}}}}}`, which is no variable of this macro: {declared}; `\\{{{{{name}}}}}` is text"))
}

/// A second of a name, and words after all words, could never be given.
fn in_order(variables: &[Variable]) -> Result<(), String> {
    for (place, variable) in variables.iter().enumerate() {
        let name = &variable.name;
        if variables.iter().take(place).any(|before| before.name == *name) {
            return Err(format!("the variable `{name}` stands twice"));
        }
        if variable.rest && place + 1 < variables.len() {
            return Err(format!("the variable `{name}` takes the rest and is not the last"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
