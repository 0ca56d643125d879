//! How a child runs: a conversation of its own, with connections that it acquires by specification and lets go at its end
//! (R15, D7, S14).
//!
//! What its servers offer comes from these connections and from nothing else. A server that fails is a note, for the child
//! and for its parent, and never a failed spawn.

use super::{
    escalation::EscalatingAsker,
    functions::{AgentFunctions, Voice},
    supervisor::{Launch, Launcher, Listed, Order, Outcome, Seat, Supervisor},
};
use crate::{
    app_state::AppState,
    chat::{AgentPart, Conversation, Opening, Taken, TurnEnd, TurnView, turn::MAX_ROUNDS},
    config::{AgentConfig, AgentFault, Facts},
    context::{Layer, Layers, Scope},
    functions::{Approval, Asker, ToolCall, ToolResult},
    model::{Models, Part},
};
use futures_util::future::join_all;
use mcp_catalog::{McpRuntime, ServerName, ServerPort};
use mcp_render::{Code, ErrorShape};
use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

/// Makes the user's agents run. A clone is the same launcher.
#[derive(Clone)]
pub struct AgentLauncher {
    /// The state of the process as the conversation has it that began the tree.
    app: Arc<Mutex<Arc<AppState>>>,
    models: Arc<Models>,
    /// One for the whole tree: what the user allowed once is not asked again.
    approval: Arc<Approval>,
}

impl AgentLauncher {
    /// A launcher over the user's files.
    pub fn new(app: Arc<AppState>, models: Arc<Models>, approval: Arc<Approval>) -> Self {
        Self { app: Arc::new(Mutex::new(app)), models, approval }
    }

    /// Goes on with another state of the process: files were read again, or something was set.
    pub fn renew(&self, app: &Arc<AppState>) {
        *self.app.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(app);
    }

    fn app(&self) -> Arc<AppState> {
        Arc::clone(&self.app.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Launcher for AgentLauncher {
    fn listed(&self) -> Vec<Listed> {
        let paths = &self.app().paths;
        let names = AgentConfig::names(paths).into_iter();
        let files = names.filter_map(|name| AgentConfig::load(paths, &name).ok());
        files
            .map(|(AgentConfig { name, description, variables, .. }, _)| Listed { name, description, variables })
            .collect()
    }

    fn launch(&self, order: &Order, parent_model: &str) -> Result<Launch, ErrorShape> {
        let app = self.app();
        let (file, warnings) = AgentConfig::load(&app.paths, &order.agent).map_err(|fault| shape(&fault))?;
        let values = file.values(&order.variables).map_err(|fault| shape(&fault))?;
        let model = file.settings.model.clone().unwrap_or_else(|| parent_model.to_owned());
        let named_by = file.settings.model.as_ref().and_then(|_| file.settings.places.of("model"));
        self.models.resolve(&model).map_err(|error| error.named_by(named_by.as_ref())).map_err(|error| ErrorShape {
            tool_call_error: format!("Agent `{}` has no model: {error}", order.agent),
            code: Code::Unsupported,
            hint: format!("{}; spawn another agent, or tell the user", error.hint),
            closest: Vec::new(),
        })?;
        let instructions = file.instructions(&values, &Facts::gather(&app.environment));
        let escalation_timeout = file.spawning.escalation_timeout;
        let warnings = warnings.into_iter().map(|warning| warning.text);
        let notes = warnings.chain(file.missing_agents(&app.paths)).collect();
        let (of, task) = (self.clone(), order.task.clone());
        let child = Child { of, app, file, values, instructions, model, task, notes };
        Ok(Launch { escalation_timeout, run: Box::new(move |seat| Box::pin(child.run(seat))) })
    }
}

impl fmt::Debug for AgentLauncher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentLauncher").finish_non_exhaustive()
    }
}

/// A child before it runs.
struct Child {
    of: AgentLauncher,
    /// The state of the process when it was spawned.
    app: Arc<AppState>,
    file: AgentConfig,
    values: BTreeMap<String, String>,
    instructions: String,
    model: String,
    task: String,
    notes: Vec<String>,
}

impl Child {
    /// Runs it to its end. Every connection is let go before it has ended.
    async fn run(mut self, seat: Arc<Seat>) -> Outcome {
        seat.does("starting servers");
        let layers = Layers::new(&self.app.config).with(Layer::Agent, self.file.settings.clone());
        let wanted = Scope::enabled_servers(&self.app, &layers).servers;
        let acquired = tokio::select! {
            biased;
            () = seat.cancel().cancelled() => return Outcome::cancelled(),
            acquired = acquire(&self.app, &wanted) => acquired,
        };
        let (held, missing) = acquired;
        self.notes.extend(missing);
        let mut outcome = match self.converse(&seat, held).await {
            Ok(outcome) => outcome,
            Err(refusal) => Outcome::failed(refusal.sentence, refusal.hint),
        };
        outcome.notes = self.notes;
        outcome
    }

    async fn converse(&mut self, seat: &Arc<Seat>, held: McpRuntime) -> Result<Outcome, crate::chat::Refusal> {
        let asker: Arc<dyn Asker> = Arc::new(EscalatingAsker::new(Arc::clone(seat)));
        let approval = Arc::clone(&self.of.approval);
        let opening =
            Opening { model: Some(self.model.clone()), ..Opening::new(Arc::clone(&approval), Arc::clone(&asker)) };
        let (mut conversation, _) = Conversation::begin(Arc::clone(&self.app), Arc::clone(&self.of.models), opening)?;
        let spawning = self.file.spawning.clone();
        let supervisor = spawning.allowed.then(|| Supervisor::of_child(seat, spawning, self.model.clone()));
        let hands = AgentFunctions::new(supervisor, Voice::Up(Arc::clone(seat)), approval, asker);
        let part = AgentPart {
            name: self.file.name.clone(),
            settings: self.file.settings.clone(),
            instructions: self.told(),
            hands: Some(Arc::new(hands)),
            held: Some(held),
            launcher: None,
            file: None,
            values: std::mem::take(&mut self.values),
        };
        self.notes.extend(conversation.use_agent(part)?.warnings);
        let view: Arc<dyn TurnView> = Arc::new(Seen(Arc::clone(seat)));
        let mut said = std::mem::take(&mut self.task);
        loop {
            let parts = vec![Part::Text(said)];
            let taken = conversation.say(parts, Arc::clone(&view), seat.cancel().clone()).await;
            let ended = taken.end != TurnEnd::Answered;
            let letters = if ended { Vec::new() } else { seat.inbox().take_all_or_close() };
            if letters.is_empty() {
                return Ok(outcome(&taken, conversation.last_answer().unwrap_or_default()));
            }
            let lines = letters.into_iter().map(|letter| format!("Message from {}: {}", letter.from, letter.text));
            said = lines.collect::<Vec<_>>().join("\n\n");
        }
    }

    /// The instructions, and what the child should know of itself.
    fn told(&self) -> String {
        let notes = self.notes.iter().map(|note| format!("Note: {note}. Do without what is missing, and say so."));
        let own = Some(self.instructions.trim_end().to_owned()).filter(|own| !own.is_empty());
        own.into_iter().chain(notes).collect::<Vec<_>>().join("\n\n")
    }
}

/// The connections to these servers, and a note on each that there is none to. All are started at once; equal
/// specifications share one connection.
async fn acquire(app: &AppState, servers: &[ServerName]) -> (McpRuntime, Vec<String>) {
    let acquiring = servers.iter().map(|server| async move {
        let configured = app.servers.get(server.as_str()).map_err(|shape| shape.tool_call_error)?;
        let entry = configured.startable().map_err(|why| why.to_string())?;
        let acquired = app.registry.factory().acquire(entry).await;
        acquired.map_err(|error| format!("Server `{server}` could not be started: {error} ({})", error.code()))
    });
    let (mut ports, mut notes) = (Vec::new(), Vec::new());
    for acquired in join_all(acquiring).await {
        match acquired {
            Ok(connection) => ports.push(connection as Arc<dyn ServerPort>),
            Err(note) => notes.push(note),
        }
    }
    (McpRuntime::new(ports), notes)
}

/// What a turn of a child means to its parent.
fn outcome(taken: &Taken, answer: &str) -> Outcome {
    match &taken.end {
        TurnEnd::Answered if answer.is_empty() => {
            Outcome::failed("The agent ended without an answer", "Spawn it again with a more precise task")
        }
        TurnEnd::Answered => Outcome::done(answer),
        TurnEnd::Cut(error) | TurnEnd::Failed(error) => {
            Outcome { output: answer.into(), ..Outcome::failed(error.text.clone(), error.hint.clone()) }
        }
        TurnEnd::TooManyRounds => Outcome::failed(
            format!("The agent still called functions in request {MAX_ROUNDS}, the limit"),
            "Spawn it again with a smaller task",
        ),
        TurnEnd::Cancelled => Outcome { output: answer.into(), ..Outcome::cancelled() },
    }
}

/// What a parent sees of a child that runs.
struct Seen(Arc<Seat>);

impl TurnView for Seen {
    fn asked(&self, model: &str) {
        self.0.does(format!("waiting for {model}"));
    }

    fn text(&self, _more: &str) {}

    fn call_started(&self, call: &ToolCall) {
        self.0.does(format!("calling {}", call.name));
    }

    fn progress(&self, _call: &ToolCall, _progress: &mcp_catalog::Progress) {}

    fn call_ended(&self, _call: &ToolCall, _result: &ToolResult) {}

    fn note(&self, _text: &str) {}
}

fn shape(fault: &AgentFault) -> ErrorShape {
    let (code, closest) = match fault {
        AgentFault::Unknown { closest, .. } => (Code::NotFound, closest.clone()),
        AgentFault::UnknownVariable { .. } | AgentFault::MissingVariables { .. } => {
            (Code::InvalidArguments, Vec::new())
        }
        AgentFault::Unreadable { .. } | AgentFault::Yaml { .. } => (Code::ServerError, Vec::new()),
    };
    let hint = match fault {
        AgentFault::Unknown { .. } => "`agent__list_available` names those that may be spawned".to_owned(),
        AgentFault::MissingVariables { .. } => "Give each in `variables`".to_owned(),
        _ => fault.hint(),
    };
    ErrorShape { tool_call_error: fault.to_string(), code, hint, closest }
}
