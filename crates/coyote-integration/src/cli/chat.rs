//! `coyote <text…>`: one turn of chat (host.md "Command line", contracts.md §7).
//!
//! It only gathers: what is said, the layers, the model, the servers. What a turn is stands in `chat/`.

mod dry_run;

use super::{
    args::ChatArgs,
    exit::{Failed, Failure, Status},
    host::Host,
};
use crate::{
    chat::{
        Sampling, Taken, TerminalAsker, Tools, Transcript, Turn, TurnEnd, display::Display, input, turn::MAX_ROUNDS,
    },
    config::{ClientConfig, Facts, Role, Settings, placeholders},
    context::{Layer, Layers, Scope},
    functions::{Approval, ApprovalPolicy, ApprovalStore, LocalSetup, LocalToolBox, LocalTools, withheld_names},
    mcp::ParentEnv,
    model::{ChatModel, Message, ModelError, ModelFault, Models, Part},
};
use mcp_catalog::McpRuntime;
use mcp_render::Ceiling;
use std::{
    io::{self, IsTerminal, Read},
    sync::Arc,
};

/// What a pipe may hold: as much as one attached file.
const STDIN_BYTES: u64 = mcp_render::ATTACHED_FILE_BYTES as u64;

/// What a turn begins with.
struct Beginning {
    role: Option<Role>,
    layers: Layers,
    model: Arc<dyn ChatModel>,
}

impl ChatArgs {
    /// Whether it only lists what there is.
    pub(super) const fn lists(&self) -> bool {
        self.list_models || self.list_roles
    }

    pub(super) async fn run(self, host: &Host) -> Result<Status, Failed> {
        if self.list_roles {
            for name in Role::names(&host.app.paths) {
                host.report.print(&name);
            }
            return Ok(Status::Done);
        }
        if let Some(fault) = &host.app.config.fault {
            // Its limits on servers and tools would not hold, so nothing is started.
            return Err(Failure::usage(&fault.sentence, &fault.hint).into());
        }
        let models = host.until_cancelled(Models::find(&host.app.config.clients, &host.app.environment)).await?;
        if self.list_models {
            return list_models(host, &models).await;
        }
        let said = match self.said(host).await {
            Ok(Some(said)) => said,
            Ok(None) => return Err(nothing_said().into()),
            Err(refused) => return refused.told(host),
        };
        host.warn(None);
        let Beginning { role, layers, model } = match self.begin(host, &models) {
            Ok(beginning) => beginning,
            Err(refused) => return refused.told(host),
        };
        if !model.abilities().vision && said.iter().any(|part| matches!(part, Part::Image { .. })) {
            let sentence = format!("The model `{}` takes no pictures, and one is attached", model.id());
            return Err(Failure::usage(sentence, "Name another model with `--model`, or leave the picture out").into());
        }
        let display = Arc::new(Display::new(Arc::clone(&host.report)));
        let tools = self.tools(host, layers.clone(), &display).await?;
        let (begun, said) = opening(host, role, said);
        let turn = Turn {
            model: model.as_ref(),
            toolbox: &tools,
            view: Arc::clone(&display) as _,
            sampling: Sampling {
                temperature: layers.temperature(),
                top_p: layers.top_p(),
                stream: host.app.config.stream && !self.no_stream,
            },
            cancel: host.cancel.clone(),
        };
        let mut transcript = Transcript::beginning(begun);
        if self.dry_run {
            host.report.json(&dry_run::request(&turn, transcript, said), true);
            return Ok(Status::Done);
        }
        if let Some(preface) = model.preface() {
            host.report.print(preface);
        }
        let taken = turn.take(&mut transcript, said).await;
        display.still();
        Ok(ended(host, &display, &taken))
    }

    /// What is said: the words, what stands on stdin, the files. `None` when that is nothing.
    async fn said(&self, host: &Host) -> Result<Option<Vec<Part>>, Refused> {
        let stdin = if io::stdin().is_terminal() { String::new() } else { self.stdin(host).await? };
        let dir = std::env::current_dir().unwrap_or_default();
        let files = host.until_cancelled(input::attach(&dir, &self.files)).await?.map_err(Refused::of_input)?;
        input::message(&self.text.join(" "), &stdin, files).map_err(Refused::of_input)
    }

    async fn stdin(&self, host: &Host) -> Result<String, Failure> {
        let read = tokio::task::spawn_blocking(|| {
            let mut bytes = Vec::new();
            io::stdin().lock().take(STDIN_BYTES + 1).read_to_end(&mut bytes).map(|_| bytes)
        });
        let hint = "Give text, or attach a file with `--file`";
        let bytes = match host.until_cancelled(read).await? {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(error)) => return Err(Failure::usage(format!("stdin could not be read: {error}"), hint)),
            Err(_) => return Err(Failure::usage("stdin could not be read", hint)),
        };
        if bytes.len() as u64 > STDIN_BYTES {
            return Err(Failure::usage(format!("stdin holds more than {STDIN_BYTES} bytes, the limit"), hint));
        }
        String::from_utf8(bytes).map_err(|_| Failure::usage("stdin is no UTF-8 text", hint))
    }

    /// The role, the layers and the model.
    fn begin(&self, host: &Host, models: &Models) -> Result<Beginning, Refused> {
        let role = match (&self.role, &self.temp_role) {
            (Some(name), _) => {
                let (role, warnings) = Role::load(&host.app.paths, name)
                    .map_err(|fault| Failure::usage(fault.to_string(), fault.hint()))?;
                for warning in warnings {
                    host.report.warn(warning);
                }
                Some(role)
            }
            (None, Some(text)) => Some(Role::temporary(text.clone())),
            (None, None) => None,
        };
        let mut layers = Layers::new(&host.app.config);
        if let Some(role) = &role {
            layers = layers.with(Layer::Role, role.settings.clone());
        }
        if let Some(model) = &self.model {
            layers = layers.with(Layer::Session, Settings { model: Some(model.clone()), ..Settings::default() });
        }
        let id = layers.model().map_or_else(|| models.default_id(), str::to_owned);
        let model = models.resolve(&id).map_err(Refused::of_model)?;
        Ok(Beginning { role, layers, model })
    }

    /// Starts the servers that the layers enable, and waits for each (S14).
    async fn tools(&self, host: &Host, layers: Layers, display: &Display) -> Result<Tools, Failure> {
        let app = &host.app;
        let enabled = Scope::enabled_servers(app, &layers);
        for unknown in &enabled.unknown {
            host.report.warn(format!("`enabled_mcp_servers` names `{unknown}`, which is no server and no alias"));
        }
        if !enabled.servers.is_empty() {
            display.waiting("starting servers");
        }
        let started = host.start(&enabled.servers).await;
        display.still();
        started?;
        let local = local_tools(host, &layers);
        let (store, trouble) = ApprovalStore::read(app.paths.approvals_file());
        if let Some(trouble) = trouble {
            host.report.warn(trouble);
        }
        let policy = ApprovalPolicy { mcp: app.config.mcp_approval, yes: self.yes };
        let approval = Arc::new(Approval::new(policy, app.servers.iter(), store));
        let asker = Arc::new(TerminalAsker::new(Arc::clone(&host.report), host.cancel.clone()));
        let mut tools = Tools::new(Arc::clone(app), enabled.servers, local, approval, asker);
        tools.layers = layers;
        if let Some(bytes) = app.config.max_tool_result_chars {
            tools.ceiling = Ceiling::new(bytes);
        }
        Ok(tools)
    }
}

/// Every model, as its provider lists it where its client names none.
async fn list_models(host: &Host, models: &Models) -> Result<Status, Failed> {
    let (ids, troubles) = host.until_cancelled(models.offered()).await?;
    for id in ids {
        host.report.print(&id);
    }
    for trouble in troubles {
        host.report.warn(trouble);
    }
    Ok(Status::Done)
}

/// Why a turn does not begin.
enum Refused {
    /// The command line is to blame, or the user stopped it.
    Usage(Failure),
    /// Something else is.
    Outside { sentence: String, hint: String },
}

impl Refused {
    fn of_input(fault: input::InputFault) -> Self {
        let input::InputFault { sentence, hint, remote } = fault;
        if remote { Self::Outside { sentence, hint } } else { Self::Usage(Failure::usage(sentence, hint)) }
    }

    /// A model that does not exist was named on the command line or in a file; one that cannot be used was not.
    fn of_model(error: ModelError) -> Self {
        let ModelError { fault, text: sentence, hint } = error;
        if fault == ModelFault::NotFound {
            Self::Usage(Failure::usage(sentence, hint))
        } else {
            Self::Outside { sentence, hint }
        }
    }

    fn told(self, host: &Host) -> Result<Status, Failed> {
        match self {
            Self::Usage(failure) => Err(failure.into()),
            Self::Outside { sentence, hint } => {
                host.report.failure(sentence);
                host.report.note(hint);
                Ok(Status::Failed)
            }
        }
    }
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        Self::Usage(failure)
    }
}

/// The local tools that the layers enable.
fn local_tools(host: &Host, layers: &Layers) -> Arc<dyn LocalTools> {
    let app = &host.app;
    let clients: Vec<&ClientConfig> = app.config.clients.iter().collect();
    let names = clients.iter().map(|client| client.name.as_str());
    let keys = clients.iter().filter_map(|client| client.api_key.as_deref()).flat_map(placeholders).map(|key| key.name);
    let (tools, warnings) = LocalToolBox::load(LocalSetup {
        functions_dir: app.paths.functions_dir.clone(),
        working_dir: std::env::current_dir().unwrap_or_default(),
        environment: ParentEnv::inherited().without(&withheld_names(names, keys)),
        timeout: app.config.tool_timeout,
    });
    for warning in warnings {
        host.report.warn(warning);
    }
    let (_, enabled) = Scope::of_layers(app, McpRuntime::new([]), &tools, layers);
    for unknown in &enabled.unknown {
        host.report.warn(format!("`enabled_tools` names `{unknown}`, which is no local tool and no alias"));
    }
    Arc::new(tools.select(|name| enabled.names.iter().any(|enabled| enabled == name)))
}

/// What stands before the user's words, and those as the role wants them.
fn opening(host: &Host, role: Option<Role>, said: Vec<Part>) -> (Vec<Message>, Vec<Part>) {
    let Some(role) = role else { return (Vec::new(), said) };
    let mut begun = role.messages(&Facts::gather(&host.app.environment), said.clone());
    match begun.pop() {
        Some(Message::User(said)) => (begun, said),
        other => {
            begun.extend(other);
            (begun, said)
        }
    }
}

/// Tells how a turn ended, and what that means to the shell.
fn ended(host: &Host, display: &Display, taken: &Taken) -> Status {
    let status = match &taken.end {
        TurnEnd::Answered => Status::Done,
        TurnEnd::Cut(error) | TurnEnd::Failed(error) => {
            tell(host, error);
            if error.fault == ModelFault::Cancelled { Status::Cancelled } else { Status::Failed }
        }
        TurnEnd::TooManyRounds => {
            host.report.failure(format!("The model still called functions in request {MAX_ROUNDS}, the limit"));
            host.report.note("Ask for less at once, or continue with a more precise message");
            Status::Failed
        }
        TurnEnd::Cancelled => {
            host.report.failure("Cancelled");
            Status::Cancelled
        }
    };
    if let Some(usage) = taken.usage {
        display.spent(usage);
    }
    status
}

fn tell(host: &Host, error: &ModelError) {
    host.report.failure(error);
    host.report.note(&error.hint);
}

fn nothing_said() -> Failure {
    Failure::usage(
        "Nothing is said: there is no text, no file, and nothing on stdin",
        "Give a message (`coyote what can you do`), list servers (`coyote mcp list`), or see `coyote --help`",
    )
}
