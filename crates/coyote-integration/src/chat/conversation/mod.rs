//! A conversation: what the one-shot command line, a REPL and a sub-agent hold while they talk to a model.
//!
//! It joins what a turn needs: layers of settings, role, model, tools and transcript, and keeps them in step when one of
//! them changes. It prints nothing and starts no server: what a change newly enables is told to the caller, who starts it
//! (S14). Whoever holds it gives the approval and the asker (S40), which stay across changes.

mod change;
mod compress;
mod refusal;
mod replay;
mod session;
mod speak;

pub use change::Change;
pub use refusal::{Blame, Refusal};
pub use replay::Replayed;

use super::{Tools, Transcript};
use crate::{
    agents::{AgentFunctions, AgentLauncher, Supervisor},
    app_state::AppState,
    config::{AgentConfig, ClientConfig, NamedBy, Prelude, Role, RoleFault, Settings, placeholders},
    context::{Layer, Layers, Scope},
    functions::{
        Approval, ApprovalPolicy, ApprovalStore, Asker, LocalSetup, LocalToolBox, NoLocalTools, withheld_names,
    },
    mcp::ParentEnv,
    model::{ChatModel, Message, Models, Part},
    session::{Session, SessionDocument},
};
use mcp_catalog::{McpRuntime, ServerName};
use session::{Found, Open};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::Arc,
};

/// What a conversation begins with.
#[derive(Clone)]
pub struct Opening {
    /// `--model`: a setting of the most specific layer.
    pub model: Option<String>,
    /// The role that begins it.
    pub role: Option<RoleOf>,
    /// The session that it goes on with or begins; `temp` is thrown away.
    pub session: Option<String>,
    /// The key of config.yaml that named role and session, if one did.
    pub named_by: Option<NamedBy>,
    /// False: replies are shown when they are whole, whatever `stream` says.
    pub stream: bool,
    /// What needs a yes; [`Conversation::approval`] makes the user's own.
    pub approval: Arc<Approval>,
    /// Who can give it.
    pub asker: Arc<dyn Asker>,
}

/// What a session brings to a beginning.
#[derive(Default)]
struct Begun {
    session: Option<Open>,
    role: Option<Role>,
    document: SessionDocument,
}

/// Where a role comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RoleOf {
    /// The user's file of this name.
    Name(String),
    /// This text.
    Text(String),
}

impl Opening {
    /// Nothing but who approves.
    pub fn new(approval: Arc<Approval>, asker: Arc<dyn Asker>) -> Self {
        Self { model: None, role: None, session: None, named_by: None, stream: true, approval, asker }
    }

    /// The same with what config.yaml says to start with, in the key `named_by`, unless a role or a session is given.
    #[must_use]
    pub fn with_prelude(mut self, prelude: Option<&Prelude>, named_by: Option<NamedBy>) -> Self {
        if self.role.is_none() && self.session.is_none() {
            let (session, role) = match prelude.cloned() {
                None => (None, None),
                Some(Prelude::Role(role)) => (None, Some(role)),
                Some(Prelude::Session(session)) => (Some(session), None),
                Some(Prelude::Both { session, role }) => (Some(session), Some(role)),
            };
            (self.session, self.role) = (session, role.map(RoleOf::Name));
            self.named_by = named_by;
        }
        self
    }
}

impl fmt::Debug for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opening").field("model", &self.model).field("role", &self.role).finish_non_exhaustive()
    }
}

/// The agent that a conversation belongs to.
#[derive(Clone, Default)]
pub struct AgentPart {
    /// Its name.
    pub name: String,
    /// What it sets.
    pub settings: Settings,
    /// What the model is told to be, variables filled in.
    pub instructions: String,
    /// What it may call beside servers and local tools, and its children.
    pub hands: Option<Arc<AgentFunctions>>,
    /// A child's own connections (R15).
    pub held: Option<McpRuntime>,
    /// Who makes its children run, if it may have any and is no child itself.
    pub launcher: Option<AgentLauncher>,
    /// Its file.
    pub file: Option<Arc<AgentConfig>>,
    /// The values of its variables.
    pub values: BTreeMap<String, String>,
}

/// The state that decides which commands are valid (`is_valid(state)`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a state of its own, and commands ask for one or two")]
pub struct StateFlags {
    /// A role is in use, named or typed.
    pub role: bool,
    /// A session is open.
    pub session: bool,
    /// An agent is in use.
    pub agent: bool,
    /// Something has been said and answered.
    pub messages: bool,
}

/// A conversation with a model. A clone is a copy that goes its own way.
#[derive(Clone)]
pub struct Conversation {
    models: Arc<Models>,
    /// The state of the process as it began; the tools hold it as `.set` changed it.
    base: Arc<AppState>,
    /// What `.set` gave for keys that belong to no layer.
    given: BTreeMap<String, String>,
    role: Option<Role>,
    agent: Option<AgentPart>,
    session: Option<Open>,
    /// What the model was resolved from.
    model_id: String,
    model: Arc<dyn ChatModel>,
    stream: bool,
    transcript: Transcript,
    /// What was said last and not answered.
    unanswered: Option<Vec<Part>>,
    /// An answer that stands in no transcript: a one-off's.
    aside: Option<String>,
    toolbox: LocalToolBox,
    tools: Tools,
    /// Warnings, each told once.
    told: BTreeSet<String>,
}

impl Conversation {
    /// A new conversation, and what the user should know of its files. Servers are not started: start
    /// [`Conversation::enabled_servers`]. Each request declares those that are ready by then.
    pub fn begin(app: Arc<AppState>, models: Arc<Models>, opening: Opening) -> Result<(Self, Vec<String>), Refusal> {
        let Opening { model, role, session, named_by, stream, approval, asker } = opening;
        let mut warnings = Vec::new();
        let mut begun = Begun::default();
        if let Some(name) = session {
            Session::check_name(&name).map_err(|fault| Refusal::from(fault).named_by(named_by.as_ref()))?;
            let found = Found::read(&app, &app.paths.sessions_dir, &name)?;
            warnings.extend(found.warnings);
            begun = Begun { document: found.document.unwrap_or_default(), session: Some(found.open), role: found.role };
        }
        if let Some((role, of_role)) = role.map(|role| role.load(&app, named_by.as_ref())).transpose()? {
            warnings.extend(of_role);
            begun.role = Some(role);
        }
        let Begun { session, role, document } = begun;
        let of_role = role.as_ref().map(|role| role.settings.clone()).unwrap_or_default();
        let mut given = Settings { model, ..Settings::default() };
        if given.model.is_some() {
            given.places.option("model", "--model");
        }
        let layers = Layers::new(&app.config)
            .with(Layer::Role, of_role)
            .with(Layer::Session, document.settings)
            .with(Layer::Given, given);
        let model_id = layers.model().map_or_else(|| models.default_id(), str::to_owned);
        let model = model_of(&models, &model_id, &layers)?;
        let (toolbox, of_tools) = local_tools(&app);
        let mut tools = Tools::new(Arc::clone(&app), Vec::new(), Arc::new(NoLocalTools), approval, asker);
        tools.layers = layers;
        let mut conversation = Self {
            models,
            base: app,
            given: BTreeMap::new(),
            role,
            agent: None,
            session,
            model_id,
            model,
            stream,
            transcript: Transcript::beginning(document.messages),
            unanswered: None,
            aside: None,
            toolbox,
            tools,
            told: BTreeSet::new(),
        };
        let change = conversation.refresh();
        conversation.mark_saved();
        warnings.extend(of_tools.into_iter().chain(change.warnings));
        Ok((conversation, warnings))
    }

    /// The user's own approval, which conversations of one process share, and what is wrong with its file.
    pub fn approval(app: &AppState, yes: bool) -> (Arc<Approval>, Option<String>) {
        let (store, trouble) = ApprovalStore::read(app.paths.approvals_file());
        let policy = ApprovalPolicy { mcp: app.config.mcp_approval, yes };
        (Arc::new(Approval::new(policy, app.servers.iter(), store)), trouble)
    }

    /// The state of the process; its configuration is as `.set` changed it here.
    pub const fn app(&self) -> &Arc<AppState> {
        &self.tools.app
    }

    /// The layers of settings.
    pub const fn layers(&self) -> &Layers {
        &self.tools.layers
    }

    /// The model.
    pub const fn model(&self) -> &Arc<dyn ChatModel> {
        &self.model
    }

    /// Every model that there is.
    pub const fn models(&self) -> &Arc<Models> {
        &self.models
    }

    /// The role; a typed one has an empty name.
    pub const fn role(&self) -> Option<&Role> {
        self.role.as_ref()
    }

    /// The agent.
    pub const fn agent(&self) -> Option<&AgentPart> {
        self.agent.as_ref()
    }

    /// The agent's children, if it may have any.
    pub fn supervisor(&self) -> Option<&Supervisor> {
        self.agent.as_ref()?.hands.as_ref()?.supervisor()
    }

    /// The servers that it uses, in order; not all of them need to be ready.
    pub fn enabled_servers(&self) -> &[ServerName] {
        &self.tools.enabled
    }

    /// What it may call: `declare()` tells what the next request declares.
    pub const fn tools(&self) -> &Tools {
        &self.tools
    }

    /// The tools of this machine, enabled or not.
    pub const fn toolbox(&self) -> &LocalToolBox {
        &self.toolbox
    }

    /// What was said, in order. What a role puts before it is not in it.
    pub const fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// The text of the last answer, a one-off's included (`.copy`).
    pub fn last_answer(&self) -> Option<&str> {
        self.aside.as_deref().or_else(|| self.transcript.last_answer())
    }

    /// The state that decides which commands are valid.
    pub fn flags(&self) -> StateFlags {
        StateFlags {
            role: self.role.is_some(),
            session: self.session.is_some(),
            agent: self.agent.is_some(),
            messages: self.transcript.messages().iter().any(|message| matches!(message, Message::Assistant { .. })),
        }
    }

    /// Whether the model takes what is about to be said.
    pub fn accepts(&self, said: &[Part]) -> Result<(), Refusal> {
        if self.model.abilities().vision || !said.iter().any(|part| matches!(part, Part::Image { .. })) {
            return Ok(());
        }
        let sentence = format!("The model `{}` takes no pictures, and one is attached", self.model.id());
        Err(Refusal::given(sentence, "Name another model with `--model` or `.model`, or leave the picture out"))
    }
}

impl fmt::Debug for AgentPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentPart").field("name", &self.name).finish_non_exhaustive()
    }
}

impl RoleOf {
    fn load(self, app: &AppState, named_by: Option<&NamedBy>) -> Result<(Role, Vec<String>), Refusal> {
        match self {
            Self::Text(text) => Ok((Role::temporary(text), Vec::new())),
            Self::Name(name) => {
                let (role, warnings) = Role::load(&app.paths, &name).map_err(|fault| {
                    let is_unknown = matches!(fault, RoleFault::Unknown { .. });
                    Refusal::from(fault).named_by(named_by.filter(|_| is_unknown))
                })?;
                Ok((role, warnings.iter().map(ToString::to_string).collect()))
            }
        }
    }
}

impl fmt::Debug for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversation")
            .field("model", &self.model_id)
            .field("flags", &self.flags())
            .finish_non_exhaustive()
    }
}

/// The model that the layers name; one that does not exist is named with what named it.
fn model_of(models: &Models, id: &str, layers: &Layers) -> Result<Arc<dyn ChatModel>, Refusal> {
    models.resolve(id).map_err(|error| error.named_by(layers.model_named_by().as_ref()).into())
}

/// Every local tool of the user's machine.
fn local_tools(app: &AppState) -> (LocalToolBox, Vec<String>) {
    let clients: Vec<&ClientConfig> = app.config.clients.iter().collect();
    let names = clients.iter().map(|client| client.name.as_str());
    let keys = clients.iter().filter_map(|client| client.api_key.as_deref()).flat_map(placeholders).map(|key| key.name);
    let (tools, warnings) = LocalToolBox::load(LocalSetup {
        functions_dir: app.paths.functions_dir.clone(),
        working_dir: std::env::current_dir().unwrap_or_default(),
        environment: ParentEnv::inherited().without(&withheld_names(names, keys)),
        timeout: app.config.tool_timeout,
    });
    (tools, warnings.iter().map(ToString::to_string).collect())
}

/// What a scope over no server enables of the local tools.
fn enabled_tools(app: &AppState, toolbox: &LocalToolBox, layers: &Layers) -> crate::context::EnabledTools {
    Scope::of_layers(app, McpRuntime::new([]), toolbox, layers).1
}

#[cfg(test)]
mod tests;
