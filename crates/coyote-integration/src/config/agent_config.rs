//! An agent's file, `<config>/agents/<name>/config.yaml` (host.md "Roles, agents, macros, sessions").
//!
//! What it does not name it does not have: no `mcp_servers` is no server, no `global_tools` no local tool. A text that does
//! not parse is one fault; a wrong value of one key is one warning, and the rest counts. Nothing is started here.

use super::{
    Chosen, Facts, Paths, Settings, Warning, is_file,
    keys::{foreign, seconds},
    placeholders,
    settings::read_keys,
    yaml::{Node, Pair},
};
use mcp_catalog::closest;
use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    time::Duration,
};
use thiserror::Error;

/// How many children of one agent run at once when its file says nothing.
const CONCURRENT_AGENTS: usize = 4;
/// How deep agents may spawn agents when a file says nothing.
const AGENT_DEPTH: usize = 3;

/// What a user or a model is told about an agent before it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentVariable {
    /// Its name: `{{name}}` in the instructions.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// What counts when nobody gives it.
    pub default: Option<String>,
}

/// How an agent may use others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spawning {
    /// `can_spawn_agents`.
    pub allowed: bool,
    /// `spawnable_agents`: `None` is any.
    pub agents: Option<Vec<String>>,
    /// `max_concurrent_agents`.
    pub concurrent: usize,
    /// `max_agent_depth`: an agent that a user started is at depth 0.
    pub depth: usize,
    /// `escalation_timeout`; `None` waits.
    pub escalation_timeout: Option<Duration>,
}

impl Default for Spawning {
    fn default() -> Self {
        Self {
            allowed: false,
            agents: None,
            concurrent: CONCURRENT_AGENTS,
            depth: AGENT_DEPTH,
            escalation_timeout: None,
        }
    }
}

/// An agent, as its file has it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AgentConfig {
    /// The name of its directory, by which it is called.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Its version, as it is written.
    pub version: Option<String>,
    /// What it sets: `mcp_servers` and `global_tools` stand here as the servers and tools that are enabled.
    pub settings: Settings,
    /// What the model is told to be; nothing filled in.
    pub instructions: String,
    /// What its instructions leave open.
    pub variables: Vec<AgentVariable>,
    /// What a user may begin with.
    pub starters: Vec<String>,
    /// The session that it starts with.
    pub session: Option<String>,
    /// How it may use other agents.
    pub spawning: Spawning,
}

/// An agent that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AgentFault {
    /// There is none of this name.
    #[error("No agent `{name}` in `{}`", dir.display())]
    Unknown {
        /// What was given.
        name: String,
        /// Where agents are.
        dir: PathBuf,
        /// The closest names.
        closest: Vec<String>,
    },
    /// The file cannot be read.
    #[error("Agent `{name}` could not be read from `{}`: {error}", file.display())]
    Unreadable {
        /// The agent.
        name: String,
        /// Its file.
        file: PathBuf,
        /// Why.
        error: String,
    },
    /// The file does not parse; the error shows the place.
    #[error("The file of agent `{name}` does not parse: {error}")]
    Yaml {
        /// The agent.
        name: String,
        /// File, line and the lines around it.
        error: String,
    },
    /// A variable was given that it has not.
    #[error("Agent `{agent}` has no variable `{given}`; {}", has(known))]
    UnknownVariable {
        /// The agent.
        agent: String,
        /// What was given.
        given: String,
        /// Those that it has.
        known: Vec<String>,
    },
    /// Variables without a default were not given.
    #[error("Agent `{agent}` needs a value for {}", listed(missing))]
    MissingVariables {
        /// The agent.
        agent: String,
        /// Name and description of each.
        missing: Vec<AgentVariable>,
    },
}

impl AgentFault {
    /// The next step.
    pub fn hint(&self) -> String {
        match self {
            Self::Unknown { closest, .. } if !closest.is_empty() => {
                let names: Vec<String> = closest.iter().map(|name| format!("`{name}`")).collect();
                format!("The closest are {}; `coyote --list-agents` and `.list agents` show all", names.join(", "))
            }
            Self::Unknown { .. } => "`coyote --list-agents` and `.list agents` show the agents".to_owned(),
            Self::Unreadable { .. } => "Make the file readable".to_owned(),
            Self::Yaml { .. } => "Correct the file".to_owned(),
            Self::UnknownVariable { .. } => "Leave it out, or correct its name".to_owned(),
            Self::MissingVariables { .. } => {
                "Give each with `--agent-variable NAME VALUE`, as `NAME=VALUE` after `.agent NAME`, or in `variables` of a spawn"
                    .to_owned()
            }
        }
    }
}

impl AgentConfig {
    /// Reads the agent of this name.
    pub fn load(paths: &Paths, name: &str) -> Result<(Self, Vec<Warning>), AgentFault> {
        let unknown = || {
            let names = Self::names(paths);
            let closest = closest(name, names.iter().map(String::as_str));
            AgentFault::Unknown { name: name.to_owned(), dir: paths.agents_dir.clone(), closest }
        };
        // A name is no path: an agent is never read from elsewhere.
        if name.is_empty() || name.contains(['/', '\\']) || name.starts_with('.') {
            return Err(unknown());
        }
        let file = paths.agent_file(name);
        match super::read_file(&file) {
            Ok(text) => Self::parse(name, &text, &file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(unknown()),
            Err(error) => Err(AgentFault::Unreadable { name: name.to_owned(), file, error: error.to_string() }),
        }
    }

    /// The names of all agents, sorted.
    pub fn names(paths: &Paths) -> Vec<String> {
        let dirs = std::fs::read_dir(&paths.agents_dir).into_iter().flatten().flatten();
        let names = dirs.filter_map(|dir| {
            let name = dir.file_name().into_string().ok()?;
            (!name.starts_with('.') && is_file(&paths.agent_file(&name))).then_some(name)
        });
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    /// What `text`, which stands in `file`, says.
    pub fn parse(name: &str, text: &str, file: &Path) -> Result<(Self, Vec<Warning>), AgentFault> {
        let fault = |error| AgentFault::Yaml { name: name.to_owned(), error };
        let node = Node::read(text, file).map_err(fault)?;
        if node.pairs().is_none() && !node.is_null() {
            return Err(fault(format!("`{}` is {}; accepted is a mapping", file.display(), node.kind())));
        }
        let mut agent = Self { name: name.to_owned(), ..Self::default() };
        // Absent is none: an agent has what its file names.
        agent.settings.enabled_mcp_servers = Chosen::Null;
        agent.settings.enabled_tools = Chosen::Null;
        let accepts = |pair: &Pair| Self::default().read(pair).is_none_or(|read| read.is_ok());
        let read = |pair: &Pair| {
            agent.settings.places.note_as(setting_of(&pair.key), pair, file);
            agent.read(pair)
        };
        let warnings = read_keys(&node, file, "an agent", read, accepts);
        Ok((agent, warnings))
    }

    /// A warning for each of its `spawnable_agents` that is not there.
    pub fn missing_agents(&self, paths: &Paths) -> Vec<String> {
        let Some(agents) = self.spawning.agents.as_ref().filter(|_| self.spawning.allowed) else { return Vec::new() };
        let (key, known) = ("spawnable_agents", Self::names(paths));
        let told = |name: &String| {
            let by = self.settings.places.of_entry(key, name);
            let by = by.map_or_else(|| format!("`{key}`"), |by| by.to_string());
            format!("{by} names `{name}`, which is no agent")
        };
        agents.iter().filter(|name| !known.contains(name)).map(told).collect()
    }

    /// The values of all variables: those given, else the defaults.
    pub fn values(&self, given: &BTreeMap<String, String>) -> Result<BTreeMap<String, String>, AgentFault> {
        let known = |name: &String| self.variables.iter().any(|variable| variable.name == *name);
        if let Some(name) = given.keys().find(|name| !known(name)) {
            let known = self.variables.iter().map(|variable| variable.name.clone()).collect();
            return Err(AgentFault::UnknownVariable { agent: self.name.clone(), given: name.clone(), known });
        }
        let (mut values, mut missing) = (BTreeMap::new(), Vec::new());
        for variable in &self.variables {
            match given.get(&variable.name).or(variable.default.as_ref()) {
                Some(value) => drop(values.insert(variable.name.clone(), value.clone())),
                None => missing.push(variable.clone()),
            }
        }
        if missing.is_empty() {
            Ok(values)
        } else {
            Err(AgentFault::MissingVariables { agent: self.name.clone(), missing })
        }
    }

    /// The instructions with variables and facts in them; what is filled in is not looked at again.
    pub fn instructions(&self, values: &BTreeMap<String, String>, facts: &Facts) -> String {
        let (mut filled, mut from) = (String::with_capacity(self.instructions.len()), 0);
        for found in placeholders(&self.instructions) {
            let value = values.get(found.name).cloned();
            let Some(value) = value.or_else(|| facts.value(found.name).map(str::to_owned)) else { continue };
            filled.push_str(self.instructions.get(from..found.start).unwrap_or_default());
            filled.push_str(&value);
            from = found.end;
        }
        filled.push_str(self.instructions.get(from..).unwrap_or_default());
        filled
    }

    /// Reads one key. `None`: there is none of this name. An error: what is accepted.
    fn read(&mut self, pair: &Pair) -> Option<Result<(), &'static str>> {
        let node = &pair.node;
        let list = "a list, or names with commas between";
        let spawning = &mut self.spawning;
        let read = match pair.key.as_str() {
            // The directory's name is what it is called by.
            "name" => node.name().map(drop).ok_or("text"),
            "description" => set(&mut self.description, words(node), "text"),
            "version" => set(&mut self.version, node.name().map(Some), "text or a number"),
            "instructions" => set(&mut self.instructions, words(node), "text"),
            "variables" => set(&mut self.variables, variables(node), "a list of `name`, `description`, `default`"),
            "conversation_starters" => set(&mut self.starters, texts(node), "a list of texts"),
            "mcp_servers" => set(&mut self.settings.enabled_mcp_servers, Chosen::read(node), list),
            "global_tools" => set(&mut self.settings.enabled_tools, Chosen::read(node), list),
            "agent_session" => or_none(&mut self.session, node, Node::name, "text"),
            "can_spawn_agents" => set(&mut spawning.allowed, node.bool(), "true or false"),
            "spawnable_agents" => or_none(&mut spawning.agents, node, Node::names, list),
            "max_concurrent_agents" => set(&mut spawning.concurrent, count(node), "a whole number from 1"),
            "max_agent_depth" => set(&mut spawning.depth, count(node), "a whole number from 1"),
            "escalation_timeout" if node.number() == Some(0.0) => {
                spawning.escalation_timeout = None;
                Ok(())
            }
            "escalation_timeout" => or_none(&mut spawning.escalation_timeout, node, seconds, "seconds; 0 waits"),
            "model" | "temperature" | "top_p" | "mcp_tools" => self.settings.read(&pair.key, node)?,
            name if foreign(name).is_some() || ELSEWHERE.contains(&name) => Ok(()),
            _ => return None,
        };
        Some(read)
    }
}

/// The setting that a key of an agent is.
fn setting_of(key: &str) -> &str {
    match key {
        "mcp_servers" => "enabled_mcp_servers",
        "global_tools" => "enabled_tools",
        key => key,
    }
}

/// Keys of agents that belong to features this program has not.
const ELSEWHERE: [&str; 8] = [
    "documents",
    "auto_continue",
    "max_auto_continues",
    "continuation_prompt",
    "inject_todo_instructions",
    "inject_spawn_instructions",
    "summarization_model",
    "summarization_threshold",
];

fn set<T>(to: &mut T, value: Option<T>, accepted: &'static str) -> Result<(), &'static str> {
    *to = value.ok_or(accepted)?;
    Ok(())
}

/// The same for what null makes absent.
fn or_none<T>(
    to: &mut Option<T>,
    node: &Node,
    read: impl Fn(&Node) -> Option<T>,
    accepted: &'static str,
) -> Result<(), &'static str> {
    *to = if node.is_null() { None } else { Some(read(node).ok_or(accepted)?) };
    Ok(())
}

fn words(node: &Node) -> Option<String> {
    if node.is_null() { Some(String::new()) } else { node.text().map(str::to_owned) }
}

fn texts(node: &Node) -> Option<Vec<String>> {
    if node.is_null() {
        return Some(Vec::new());
    }
    node.items()?.iter().map(|item| item.text().map(str::to_owned)).collect()
}

fn count(node: &Node) -> Option<usize> {
    usize::try_from(node.whole()?).ok().filter(|count| *count > 0)
}

fn variables(node: &Node) -> Option<Vec<AgentVariable>> {
    if node.is_null() {
        return Some(Vec::new());
    }
    node.items()?.iter().map(variable).collect()
}

fn variable(node: &Node) -> Option<AgentVariable> {
    let pairs = node.pairs()?;
    let get = |key: &str| pairs.iter().find(|pair| pair.key == key).map(|pair| &pair.node);
    let text = |node: &Node| node.text().map(str::to_owned).or_else(|| node.name());
    Some(AgentVariable {
        name: get("name")?.name()?,
        description: get("description").and_then(text).unwrap_or_default(),
        default: get("default")
            .filter(|node| !node.is_null())
            .and_then(|node| text(node).or_else(|| node.bool().map(|value| value.to_string()))),
    })
}

fn has(known: &[String]) -> String {
    let names: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "it has none".to_owned() } else { format!("it has {}", names.join(", ")) }
}

fn listed(missing: &[AgentVariable]) -> String {
    let one = |variable: &AgentVariable| match variable.description.as_str() {
        "" => format!("`{}`", variable.name),
        description => format!("`{}` ({description})", variable.name),
    };
    missing.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
