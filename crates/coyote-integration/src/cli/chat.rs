//! `coyote <text…>`: one turn of chat (host.md "Command line", contracts.md §7).
//!
//! It only gathers: what is said, the layers, the model, the servers. What a turn is stands in `chat/`.

mod dry_run;
mod macros;

use super::{
    args::ChatArgs,
    exit::{Failed, Failure, Status},
    host::Host,
};
use crate::{
    agents::{AgentWish, use_agent},
    chat::{
        Conversation, Hush, HushedAsker, Opening, Refusal, RoleOf, Taken, TerminalAsker, TerminalDesk, TurnEnd,
        conversation::Blame,
        display::{Display, Look},
        input,
        turn::MAX_ROUNDS,
    },
    config::{AgentConfig, Role},
    model::{ModelError, ModelFault, Models, Part},
    repl::Start,
    session::Session,
};
use mcp_catalog::ServerName;
use std::{
    io::{self, IsTerminal, Read},
    sync::Arc,
};

/// What a pipe may hold: as much as one attached file.
const STDIN_BYTES: u64 = mcp_render::ATTACHED_FILE_BYTES as u64;

impl ChatArgs {
    /// Whether it only lists what there is.
    pub(super) const fn lists(&self) -> bool {
        self.list_models || self.list_roles || self.list_agents || self.list_sessions || self.list_macros
    }

    /// Whether nothing is said and somebody sits at the terminal: the REPL.
    pub(super) fn opens_repl(&self) -> bool {
        let says =
            self.lists() || self.dry_run || self.run_macro.is_some() || !self.text.is_empty() || !self.files.is_empty();
        !says && io::stdin().is_terminal() && io::stdout().is_terminal() && io::stderr().is_terminal()
    }

    /// Opens the REPL, and runs it to its end.
    pub(super) async fn run_repl(self, host: &Host) -> Result<Status, Failed> {
        if let Some(fault) = &host.app.config.fault {
            return Err(Failure::usage(&fault.sentence, &fault.hint).into());
        }
        let macros = Arc::new(self.macros_for_repl(host).await?);
        let start = Start {
            app: Arc::clone(&host.app),
            macros,
            cancel: host.cancel.clone(),
            role: self.role_of(),
            agent: self.wish(),
            model: self.model,
            session: self.session,
            stream: !self.no_stream,
            yes: self.yes,
        };
        match start.run().await {
            // A signal ended it.
            Ok(()) if host.cancel.is_cancelled() => Ok(Status::Cancelled),
            Ok(()) => Ok(Status::Done),
            Err(refusal) => Refused::from(refusal).told(host),
        }
    }

    fn wish(&self) -> Option<AgentWish> {
        let pairs = self.agent_variable.chunks_exact(2).filter_map(|pair| match pair {
            [name, value] => Some((name.clone(), value.clone())),
            _ => None,
        });
        let (session, values) = (self.session.clone(), pairs.collect());
        self.agent.clone().map(|name| AgentWish { name, session, values })
    }

    fn role_of(&self) -> Option<RoleOf> {
        self.role.clone().map(RoleOf::Name).or_else(|| self.temp_role.clone().map(RoleOf::Text))
    }

    pub(super) async fn run(self, host: &Host) -> Result<Status, Failed> {
        if let Some(listed) = self.list(host) {
            return Ok(listed);
        }
        if let Some(fault) = &host.app.config.fault {
            // Its limits on servers and tools would not hold, so nothing is started.
            return Err(Failure::usage(&fault.sentence, &fault.hint).into());
        }
        let models = host.until_cancelled(Models::find(&host.app.config, &host.app.environment)).await?;
        if self.list_models {
            return list_models(host, &models).await;
        }
        if let Some(name) = &self.run_macro {
            return self.run_macro(host, Arc::new(models), name).await;
        }
        let said = match self.said(host).await {
            Ok(Some(said)) => said,
            Ok(None) => return Err(nothing_said().into()),
            Err(refused) => return refused.told(host),
        };
        host.warn(None);
        let display = Arc::new(Display::new(Arc::clone(&host.report), look(host)));
        let begun = self.begin(host, Arc::new(models), &display).await;
        let accepted = begun.and_then(|conversation| {
            conversation.accepts(&said)?;
            Ok(conversation)
        });
        let mut conversation = match accepted {
            Ok(conversation) => conversation,
            Err(refused) => return refused.told(host),
        };
        start_servers(host, conversation.enabled_servers(), &display).await?;
        if self.dry_run {
            host.report.json(&dry_run::json(conversation.model().id(), &conversation.request(said)), true);
            return Ok(Status::Done);
        }
        if let Some(preface) = conversation.model().preface() {
            host.report.print(preface);
        }
        let taken = conversation.say(said, Arc::clone(&display) as _, host.cancel.clone()).await;
        display.still();
        if let Some(supervisor) = conversation.supervisor() {
            // Nobody is left to collect what they find.
            supervisor.cancel_all().await;
        }
        Ok(ended(host, &display, &taken))
    }

    /// Lists what is in files, if that is asked for.
    fn list(&self, host: &Host) -> Option<Status> {
        let paths = &host.app.paths;
        let names = if self.list_roles {
            Role::names(paths)
        } else if self.list_agents {
            AgentConfig::names(paths)
        } else if self.list_sessions {
            Session::names(&paths.sessions_dir)
        } else if self.list_macros {
            self.macro_names(host)
        } else {
            return None;
        };
        for name in &names {
            host.report.print(name);
        }
        // Nothing else is said: what is listed are names.
        host.app.dead_links.iter().for_each(|warning| host.report.warn(warning));
        Some(Status::Done)
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

    /// The conversation.
    async fn begin(&self, host: &Host, models: Arc<Models>, display: &Arc<Display>) -> Result<Conversation, Refused> {
        let hush: Hush = {
            let display = Arc::clone(display);
            Arc::new(move || display.still())
        };
        let (approval, trouble) = Conversation::approval(&host.app, self.yes);
        let asker = TerminalAsker::new(Arc::clone(&host.report), host.cancel.clone());
        let asker = HushedAsker::new(asker, Arc::clone(&hush));
        let opening = Opening {
            model: self.model.clone(),
            role: self.role_of(),
            session: self.session.clone(),
            stream: !self.no_stream,
            ..Opening::new(approval, Arc::new(asker))
        };
        let opening = match &self.agent {
            None => {
                let config = &host.app.config;
                opening.with_prelude(config.cmd_prelude.as_ref(), config.named_by("cmd_prelude"))
            }
            // An agent has its own sessions, and its instructions stand where a role's would.
            Some(_) => Opening { session: None, ..opening },
        };
        let (mut conversation, mut warnings) = Conversation::begin(Arc::clone(&host.app), models, opening)?;
        if let Some(wish) = self.wish() {
            let desk = Arc::new(TerminalDesk::new(Arc::clone(&host.report), host.cancel.clone(), hush));
            warnings.extend(use_agent(&mut conversation, wish, desk).await?.warnings);
        }
        warnings.iter().chain(&trouble).for_each(|warning| host.report.warn(warning));
        Ok(conversation)
    }
}

/// How a reply looks.
fn look(host: &Host) -> Look {
    Look { wrap: host.app.config.wrap, highlight: host.app.config.highlight }
}

/// Starts these servers, and waits for each (S14).
async fn start_servers(host: &Host, servers: &[ServerName], display: &Display) -> Result<(), Failure> {
    if servers.is_empty() {
        return Ok(());
    }
    display.waiting("starting servers");
    let started = host.start(servers).await;
    display.still();
    started
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

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        let Refusal { sentence, hint, blame } = refusal;
        match blame {
            Blame::Given => Self::Usage(Failure::usage(sentence, hint)),
            Blame::Outside => Self::Outside { sentence, hint },
            Blame::Stopped => Self::Usage(Failure::cancelled()),
        }
    }
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        Self::Usage(failure)
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
