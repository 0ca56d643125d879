//! From `main` to an exit status: parse, build the state, run one command, end the servers (S18).
//!
//! Whatever happens to the command, the servers are shut down, and the process ends by returning from `main`.

use super::{
    args::{Args, ChatArgs, Command, McpCommand},
    completions,
    exit::{Failed, Status},
    host::Host,
    info, question, words,
    workspace_gate::{Need, QUESTION, admit},
};
use crate::{
    app_state::AppState,
    config::{Environment, Paths, PlatformDirs, ProcessEnv},
    crash, interrupt, log, repl,
    report::Report,
};
use clap::Parser;
use mcp_catalog::deadline;
use std::{ffi::OsString, process::ExitCode, sync::Arc};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

/// The runtime of the program. It has two workers at least, so that a signal is heard while one of them writes.
pub fn runtime() -> Result<Runtime, ExitCode> {
    let workers = std::thread::available_parallelism().map_or(2, |cores| cores.get().max(2));
    tokio::runtime::Builder::new_multi_thread().worker_threads(workers).enable_all().build().map_err(|error| {
        Report::standard().failure(format!("No threads could be started: {error}"));
        Status::Failed.into()
    })
}

/// Runs the command line `args`, the program's name first.
pub async fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let report = Arc::new(Report::standard());
    let words = words::as_meant(args.into_iter().collect());
    let args = match Args::try_parse_from(&words) {
        Ok(args) => args,
        Err(message) => {
            if let Some(failure) = words::without_dashes(&words, &message) {
                report.error(&failure.shape);
                return failure.status().into();
            }
            report.usage(&message);
            return if message.use_stderr() { Status::Usage } else { written(&report, Status::Done) }.into();
        }
    };
    if let Some(shell) = args.completions {
        report.data(&completions::script(shell));
        return written(&report, Status::Done).into();
    }
    let status = match prepare(&report) {
        Ok(app) => perform(args, app, &report).await,
        Err(text) => {
            report.failure(text);
            Status::Failed
        }
    };
    written(&report, status).into()
}

/// A status that is no success when stdout took less than was said.
fn written(report: &Report, status: Status) -> Status {
    match report.trouble() {
        Some(trouble) if status == Status::Done => {
            report.failure(trouble);
            Status::Failed
        }
        _ => status,
    }
}

/// Files, log, and what happens on a defect.
fn prepare(report: &Arc<Report>) -> Result<AppState, String> {
    let mut environment = Environment::new(ProcessEnv::inherited());
    let paths = Paths::find(&mut environment, PlatformDirs::find().as_ref()).map_err(|error| error.to_string())?;
    crash::watch(Arc::clone(report), &paths.log_file());
    if let Some(warning) = log::start(&paths, environment.get("COYOTE_LOG_LEVEL").as_deref()) {
        report.warn(warning);
    }
    Ok(AppState::load(paths, environment))
}

async fn perform(args: Args, app: AppState, report: &Arc<Report>) -> Status {
    let opens_repl = args.command.is_none() && args.chat.opens_repl() && !args.info;
    // At the REPL's prompt Ctrl-C is a key, or goes to a program that has the terminal.
    let cancel = if opens_repl { interrupt::listen_until_keys() } else { interrupt::listen() };
    let host = |app: AppState, cancel| Host {
        app: Arc::new(app),
        report: Arc::clone(report),
        cancel,
        workspace: !args.no_workspace_mcp,
    };
    if args.info {
        return info::run(&host(app, cancel));
    }
    let task = match args.command {
        Some(Command::Mcp(mcp)) => Task::Mcp(mcp.command),
        None if opens_repl => Task::Repl(args.chat),
        None => Task::Chat(args.chat),
    };
    let json = task.json();
    let app = if args.no_workspace_mcp { Ok(app) } else { with_workspace(app, task.need(), &cancel, report).await };
    let host = match app {
        Ok(app) => host(app, cancel),
        Err(failed) => return tell(&failed, json, report),
    };
    // A task of its own: a defect in it must not skip what follows.
    let mut running = tokio::spawn({
        let host = host.clone();
        async move { task.run(&host).await }
    });
    let status = tokio::select! {
        outcome = &mut running => match outcome {
            Ok(Ok(status)) => status,
            Ok(Err(failed)) => tell(&failed, json, report),
            // The defect was told by `crash`.
            Err(_) => Status::Failed,
        },
        () = given_up(&host) => {
            // It may sit in a write that nobody reads, and so would whoever says so.
            running.abort();
            if opens_repl {
                repl::release_terminal();
            }
            Status::Cancelled
        }
    };
    let grace = if host.cancel.is_cancelled() { deadline::GRACE_AT_SIGNAL } else { deadline::GRACE_AT_EXIT };
    host.app.shut_down(grace).await;
    status
}

/// The state with the servers of the working directory's own file, if they may be used.
async fn with_workspace(
    app: AppState,
    need: Need<'_>,
    cancel: &CancellationToken,
    report: &Report,
) -> Result<AppState, Failed> {
    // Without a working directory there is no workspace.
    let Ok(dir) = std::env::current_dir() else { return Ok(app) };
    admit(app, &dir, need, report, async |text: &str| question::ask(report, cancel, text, QUESTION).await).await
}

/// A signal, and the time a command has to end by itself.
async fn given_up(host: &Host) {
    host.cancel.cancelled().await;
    tokio::time::sleep(deadline::GRACE_AT_SIGNAL).await;
}

/// An error as JSON on stdout when JSON is wanted, else as talk.
fn tell(failed: &Failed, json: bool, report: &Report) -> Status {
    if json {
        report.json(&failed.answer, false);
    } else {
        report.error(&failed.failure.shape);
    }
    failed.failure.status()
}

/// What is to be done with servers.
enum Task {
    Mcp(McpCommand),
    Chat(ChatArgs),
    Repl(ChatArgs),
}

impl Task {
    const fn json(&self) -> bool {
        match self {
            Self::Mcp(command) => command.json(),
            Self::Chat(_) | Self::Repl(_) => false,
        }
    }

    fn need(&self) -> Need<'_> {
        match self {
            Self::Mcp(command) => command.need(),
            Self::Chat(chat) if chat.lists() => Need::Nothing,
            Self::Chat(_) | Self::Repl(_) => Need::All,
        }
    }

    async fn run(self, host: &Host) -> Result<Status, Failed> {
        match self {
            Self::Mcp(command) => command.run(host).await,
            Self::Chat(chat) => Box::pin(chat.run(host)).await,
            Self::Repl(chat) => Box::pin(chat.run_repl(host)).await,
        }
    }
}

impl McpCommand {
    /// Whether stdout is JSON.
    const fn json(&self) -> bool {
        match self {
            Self::List(args) => args.json(),
            Self::Functions(_) | Self::Call(_) => true,
            Self::Search(args) => args.json(),
            Self::Describe(args) => args.json(),
            Self::Read(args) => args.json(),
            Self::Invoke(args) => args.json(),
            Self::Prompt(args) => args.json(),
            Self::Add(args) => args.json(),
            Self::Remove(args) => args.json(),
            Self::Get(args) => args.json(),
            Self::Trust(args) => args.json(),
            Self::Untrust(args) => args.json(),
            Self::Doctor(args) => args.json(),
            Self::Auth(_) | Self::Conformance(_) => false,
        }
    }

    /// The servers that it may start (S6).
    fn need(&self) -> Need<'_> {
        match self {
            Self::List(_) => Need::All,
            Self::Functions(args) => args.server().map_or(Need::All, Need::Server),
            Self::Doctor(args) => args.server().map_or(Need::All, Need::Server),
            Self::Call(args) => Need::Function(args.function()),
            Self::Search(args) => Need::Server(args.server()),
            Self::Describe(args) => Need::Server(args.server()),
            Self::Read(args) => Need::Server(args.server()),
            Self::Invoke(args) => Need::Server(args.server()),
            Self::Prompt(args) => Need::Server(args.server()),
            Self::Add(_)
            | Self::Remove(_)
            | Self::Get(_)
            | Self::Trust(_)
            | Self::Untrust(_)
            | Self::Auth(_)
            | Self::Conformance(_) => Need::Nothing,
        }
    }

    pub(super) async fn run(self, host: &Host) -> Result<Status, Failed> {
        match self {
            Self::List(args) => args.run(host).await,
            Self::Functions(args) => args.run(host).await,
            Self::Call(args) => args.run(host).await,
            Self::Search(args) => args.run(host).await,
            Self::Describe(args) => args.run(host).await,
            Self::Read(args) => args.run(host).await,
            Self::Invoke(args) => args.run(host).await,
            Self::Prompt(args) => args.run(host).await,
            Self::Add(args) => args.run(host),
            Self::Remove(args) => args.run(host),
            Self::Get(args) => args.run(host),
            Self::Trust(args) => args.run(host).await,
            Self::Untrust(args) => args.run(host),
            Self::Doctor(args) => args.run(host).await,
            Self::Auth(args) => Box::pin(args.run(host)).await,
            Self::Conformance(args) => Box::pin(args.run(host)).await,
        }
    }
}
