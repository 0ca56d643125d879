//! Changes of a conversation: model, role, agent and settings. Each happens whole or not at all.
//!
//! What follows from the layers, tools and servers, is worked out anew in one place after each. Nothing is started: the
//! servers that a change newly enables are in its [`Change`] (S14).

use super::{AgentPart, Conversation, Refusal, RoleOf, enabled_tools, local_tools, model_of};
use crate::{
    app_state::AppState,
    config::{AppConfig, ChangedBy, Chosen, KEYS, NamedBy, Role, Settings},
    context::{Layer, Layers, Scope},
    functions::BothTools,
};
use mcp_catalog::ServerName;
use mcp_render::Ceiling;
use std::sync::Arc;

/// What followed from a change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Change {
    /// Servers that the conversation uses now and did not before: to be started by the caller.
    pub enabled: Vec<ServerName>,
    /// What the user should know; nothing that this conversation was told before.
    pub warnings: Vec<String>,
}

impl Conversation {
    /// Takes another model, `client:name`; `None` is the one of the other layers.
    pub fn set_model(&mut self, id: Option<&str>) -> Result<Change, Refusal> {
        let mut layers = self.layers().clone();
        let given = layers.layer_mut(Layer::Given);
        given.model = id.map(str::to_owned);
        given.places.forget("model");
        self.take_layers(layers)
    }

    /// Takes the role of this name for what follows.
    pub fn use_role(&mut self, name: &str) -> Result<Change, Refusal> {
        self.take_role(RoleOf::Name(name.to_owned()))
    }

    /// Takes a role that is this text.
    pub fn temp_role(&mut self, text: impl Into<String>) -> Result<Change, Refusal> {
        self.take_role(RoleOf::Text(text.into()))
    }

    /// Goes on without a role.
    pub fn leave_role(&mut self) -> Result<Change, Refusal> {
        let change = self.take_layers(self.layers().clone().with(Layer::Role, Settings::default()))?;
        self.role = None;
        Ok(change)
    }

    /// Belongs to this agent from now on: its settings are the layer between role and session, its instructions stand before
    /// what was said unless a role does.
    pub fn use_agent(&mut self, agent: AgentPart) -> Result<Change, Refusal> {
        let layers = self.layers().clone().with(Layer::Agent, agent.settings.clone());
        self.take_model_of(&layers)?;
        self.agent = Some(agent);
        self.take_layers(layers)
    }

    /// Belongs to no agent any more: what was said to it is forgotten or kept in its session, its children end, and servers
    /// that only it used are let go.
    pub fn leave_agent(&mut self) -> Result<Change, Refusal> {
        if self.session().is_some() {
            self.leave_session()?;
        }
        let layers = self.layers().clone().with(Layer::Agent, Settings::default());
        self.take_model_of(&layers)?;
        self.forget();
        self.agent = None;
        let before = self.enabled_servers().to_vec();
        let change = self.take_layers(layers)?;
        let unused: Vec<_> = before.into_iter().filter(|server| !self.enabled_servers().contains(server)).collect();
        self.app().registry.release(&unused);
        Ok(change)
    }

    /// Sets a key of config.yaml that a request reads, for this conversation; `null` unsets what was set here, and the next
    /// layer counts again.
    pub fn set(&mut self, key: &str, value: &str) -> Result<Change, Refusal> {
        let layered = KEYS.iter().any(|known| known.name == key && known.changed_by == ChangedBy::Layers);
        if layered {
            let mut layers = self.layers().clone();
            layers.layer_mut(Layer::Given).set(key, value)?;
            return self.take_layers(layers);
        }
        let mut given = self.given.clone();
        // What is set here counts more than `--no-stream`, which began it.
        let stream = self.stream || key == "stream";
        if value.trim() == "null" {
            // The name is judged all the same.
            AppConfig::default().set(key, value)?;
            given.remove(key);
        } else {
            given.insert(key.to_owned(), value.to_owned());
        }
        let mut config = AppConfig::clone(&self.base.config);
        for (key, value) in &given {
            config.set(key, value)?;
        }
        (self.given, self.stream) = (given, stream);
        self.tools.app = Arc::new(AppState { config: Arc::new(config), ..AppState::clone(&self.base) });
        self.stand();
        let told = if key == "tool_timeout" { self.reload_tools() } else { Vec::new() };
        let mut change = self.refresh();
        change.warnings.extend(told);
        Ok(change)
    }

    /// The same over another state of the process: files were read again.
    pub fn reload(&mut self, app: Arc<AppState>) -> Result<Change, Refusal> {
        let mut config = AppConfig::clone(&app.config);
        for (key, value) in &self.given {
            config.set(key, value)?;
        }
        let layers = self.layers().clone().with(Layer::Config, app.config.settings.clone());
        self.take_model_of(&layers)?;
        self.tools.layers = layers;
        self.tools.app = Arc::new(AppState { config: Arc::new(config), ..AppState::clone(&app) });
        self.base = app;
        self.stand();
        let told = self.reload_tools();
        let mut change = self.refresh();
        change.warnings.extend(told);
        Ok(change)
    }

    /// Uses this server too, until the conversation ends, also one that is switched off in its file (S44).
    pub fn enable_server(&mut self, server: &ServerName) -> Result<Change, Refusal> {
        let is_off = self.base.servers.get(server.as_str()).is_ok_and(|configured| configured.entry.disabled);
        let mut change = Change::default();
        if is_off {
            let servers = self.base.servers.clone().switched_on(server);
            change = self.reload(Arc::new(AppState { servers, ..AppState::clone(&self.base) }))?;
        }
        let mut servers = self.tools.enabled.clone();
        if !servers.contains(server) {
            servers.push(server.clone());
        }
        let more = self.take_servers(&servers)?;
        change.enabled.extend(more.enabled);
        change.warnings.extend(more.warnings);
        Ok(change)
    }

    /// Uses this server no longer, until the conversation ends (S44).
    pub fn disable_server(&mut self, server: &ServerName) -> Result<Change, Refusal> {
        let rest: Vec<ServerName> = self.tools.enabled.iter().filter(|name| *name != server).cloned().collect();
        self.take_servers(&rest)
    }

    /// Uses these servers and no others; what a request declares of the meta-functions follows.
    fn take_servers(&mut self, servers: &[ServerName]) -> Result<Change, Refusal> {
        let mut layers = self.layers().clone();
        let names = servers.iter().map(|server| server.as_str().to_owned()).collect();
        let given = layers.layer_mut(Layer::Given);
        given.enabled_mcp_servers = Chosen::Names(names);
        given.places.forget("enabled_mcp_servers");
        self.take_layers(layers)
    }

    /// A copy for one message in this role: it knows nothing of what was said, and what is said in it stays in it. Start
    /// what the change enables, say the message to the copy, and keep its answer with [`Conversation::keep_answer`].
    pub fn one_off(&self, role: &str) -> Result<(Self, Change), Refusal> {
        let mut copy = self.throw_away();
        copy.transcript = super::Transcript::default();
        let change = copy.use_role(role)?;
        Ok((copy, change))
    }

    /// A copy whose changes and messages are lost with it: for a one-off, or an isolated macro. Whoever lets the copy change
    /// settings calls [`Conversation::stand`] when it is gone.
    #[must_use]
    pub fn throw_away(&self) -> Self {
        Self { session: None, ..self.clone() }
    }

    /// Lets what copies share, approval and who makes an agent's children run, go by this one's files and settings: what a
    /// copy set or read is lost with the copy (S40).
    pub fn stand(&self) {
        let app = self.app();
        if let Some(launcher) = self.agent.as_ref().and_then(|agent| agent.launcher.as_ref()) {
            launcher.renew(app);
        }
        self.tools.approval.stand(app.config.mcp_approval, app.servers.iter());
    }

    /// Takes over the last answer of a copy as what `.copy` gives.
    pub fn keep_answer(&mut self, copy: &Self) {
        self.aside = copy.last_answer().map(str::to_owned);
    }

    fn take_role(&mut self, role: RoleOf) -> Result<Change, Refusal> {
        let (role, warnings): (Role, Vec<String>) = role.load(self.app(), None)?;
        let mut change = self.take_layers(self.layers().clone().with(Layer::Role, role.settings.clone()))?;
        self.role = Some(role);
        change.warnings.splice(0..0, warnings);
        Ok(change)
    }

    /// Puts these layers to use, if their model can be used.
    pub(super) fn take_layers(&mut self, layers: Layers) -> Result<Change, Refusal> {
        self.take_model_of(&layers)?;
        self.tools.layers = layers;
        Ok(self.refresh())
    }

    /// Takes the model that the layers name, when it is not the one in use.
    fn take_model_of(&mut self, layers: &Layers) -> Result<(), Refusal> {
        let id = layers.model().map_or_else(|| self.models.default_id(), str::to_owned);
        if id != self.model_id {
            self.model = model_of(&self.models, &id, layers)?;
            self.model_id = id;
        }
        Ok(())
    }

    fn reload_tools(&mut self) -> Vec<String> {
        let (toolbox, warnings) = local_tools(self.app());
        self.toolbox = toolbox;
        warnings.into_iter().filter(|warning| self.told.insert(warning.clone())).collect()
    }

    /// Works out servers and local tools from the layers.
    pub(super) fn refresh(&mut self) -> Change {
        self.mark_changed();
        let app = Arc::clone(&self.tools.app);
        let servers = Scope::enabled_servers(&app, &self.tools.layers);
        let tools = enabled_tools(&app, &self.toolbox, &self.tools.layers);
        let unknown = unknown_names(&app, &self.tools.layers, &servers.unknown, &tools.unknown);
        let warnings = unknown.into_iter().filter(|warning| self.told.insert(warning.clone())).collect();
        let before = std::mem::replace(&mut self.tools.enabled, servers.servers);
        let enabled = self.tools.enabled.iter().filter(|server| !before.contains(server)).cloned().collect();
        let local = self.toolbox.select(|name| tools.names.iter().any(|enabled| enabled == name));
        let agent = self.agent.as_ref();
        self.tools.held = agent.and_then(|agent| agent.held.clone());
        self.tools.local = match agent.and_then(|agent| agent.hands.clone()) {
            Some(hands) if app.config.function_calling_support => Arc::new(BothTools::new(hands, Arc::new(local))),
            _ => Arc::new(local),
        };
        self.tools.ceiling = app.config.max_tool_result_chars.map_or_else(Ceiling::default, Ceiling::new);
        Change { enabled, warnings }
    }
}

/// A warning for each name in the layers that is nothing: of these servers and local tools, and of limits, which then limit
/// nothing (S7).
fn unknown_names(app: &AppState, layers: &Layers, servers: &[String], tools: &[String]) -> Vec<String> {
    let unknown = |by: Option<NamedBy>, key: &str, name: &String, what: &str| {
        let by = by.map_or_else(|| format!("`{key}`"), |by| by.to_string());
        format!("{by} names `{name}`, which is no {what} and no alias")
    };
    let is_known = |name: &String| {
        let is_server = app.servers.iter().any(|server| server.entry.name.as_str() == name);
        name == "all" || is_server || app.config.mapping_mcp_servers.contains_key(name)
    };
    let of_servers = servers.iter();
    let of_servers =
        of_servers.map(|name| unknown(layers.server_named_by(name), "enabled_mcp_servers", name, "server"));
    let of_tools = tools.iter().map(|name| unknown(layers.tool_named_by(name), "enabled_tools", name, "local tool"));
    let of_limits = layers.limited_servers().filter(|(name, _)| !is_known(name));
    let of_limits =
        of_limits.map(|(name, by)| format!("{}, so it limits nothing", unknown(by, "mcp_tools", name, "server")));
    of_servers.chain(of_tools).chain(of_limits).collect()
}
