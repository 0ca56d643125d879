//! How the REPL begins: what it needs, and what stands above the first prompt.

use super::{
    asker::{ReplAsker, Stop},
    commands::{command_names, replay},
    complete::Completions,
    context::Context,
    editor::{Setup, Terminal},
    external_editor::{external_editor, variable},
    left_prompt::{DEFAULT, LeftPrompt, wrong},
    line_loop::LineLoop,
    printer::Printer,
    standing::Standing,
};
use crate::{
    agents::{AgentWish, use_agent},
    app_state::AppState,
    chat::{
        Change, Conversation, Opening, Refusal, RoleOf,
        display::{Display, Look},
    },
    config::AppConfig,
    macros::Macros,
    model::Models,
    report::{Report, colours_wanted},
};
use std::{
    fmt, io,
    path::PathBuf,
    sync::{Arc, atomic::AtomicBool},
};
use tokio::{runtime::Handle, sync::mpsc};
use tokio_util::sync::CancellationToken;

/// What the command line gives.
pub(crate) struct Start {
    /// The state of the process.
    pub(crate) app: Arc<AppState>,
    /// Cancelled when the process is to end.
    pub(crate) cancel: CancellationToken,
    /// `--model`.
    pub(crate) model: Option<String>,
    /// `--role` or `--temp-role`.
    pub(crate) role: Option<RoleOf>,
    /// `--session`.
    pub(crate) session: Option<String>,
    /// `--agent`.
    pub(crate) agent: Option<AgentWish>,
    /// False: `--no-stream`.
    pub(crate) stream: bool,
    /// `--yes`.
    pub(crate) yes: bool,
    /// The macros, those of the workspace if they are trusted.
    pub(crate) macros: Arc<Macros>,
}

impl fmt::Debug for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Start").field("app", &self.app).finish_non_exhaustive()
    }
}

impl Start {
    /// Runs the REPL to its end.
    pub(crate) async fn run(self) -> Result<(), Refusal> {
        let app = Arc::clone(&self.app);
        let models = Models::find(&app.config, &app.environment).await;
        let printer = Printer::default();
        let colours = colours_wanted();
        let report = Arc::new(Report::above(printer.clone(), colours));
        let (approval, trouble) = Conversation::approval(&app, self.yes);
        let stop = Stop::default();
        let asker = Arc::new(ReplAsker { stop: stop.clone(), ..ReplAsker::default() });
        let opening = self.opening(Opening::new(approval, Arc::clone(&asker) as _));
        let (conversation, mut warnings) = Conversation::begin(Arc::clone(&app), Arc::new(models), opening)?;
        warnings.extend(trouble);
        warnings.extend(self.macros.warnings.iter().cloned());
        warnings.extend(self.macros.shadowed(&command_names()));
        let standing = Standing::of(&conversation, &self.macros);
        let prompt = LeftPrompt::parse(app.config.left_prompt.as_deref().unwrap_or(DEFAULT));
        let named_by =
            app.config.named_by("left_prompt").map_or_else(|| "`left_prompt`".to_owned(), |by| by.to_string());
        warnings.extend(prompt.unknown.iter().map(|part| format!("{named_by} {}", wrong(part))));
        let scratch = tempfile::Builder::new().prefix("coyote-").suffix(".md").tempfile();
        let scratch = scratch.map_err(|error| no_terminal(&error))?;
        let setup = Setup {
            prompt: prompt.render(&standing.values(), colours),
            colours,
            scratch: scratch.path().to_owned(),
            ..setup(&app, &standing)
        };
        banner(&report, &app, &conversation, &warnings);
        crate::interrupt::ctrl_c_is_a_key();
        let (terminal, inputs) = Terminal::open(setup, printer).map_err(|error| no_terminal(&error))?;
        // It is set once, here.
        let _ = asker.terminal.set(terminal.clone());
        let look = Look { wrap: app.config.wrap, highlight: app.config.highlight };
        let (starts, wanted) = mpsc::unbounded_channel();
        let mut context = Context {
            conversation,
            display: Arc::new(Display::new(Arc::clone(&report), look)),
            report,
            terminal: terminal.clone(),
            standing,
            cancel: CancellationToken::new(),
            stop,
            macros: Arc::clone(&self.macros),
            nesting: 0,
            failed: AtomicBool::new(false),
            starts,
        };
        if let Some(wish) = self.agent
            && let Err(refusal) = begin_agent(&mut context, wish).await
        {
            terminal.close().await;
            return Err(refusal);
        }
        let line_loop = LineLoop { prompt, colours, inputs, wanted, terminal: terminal.clone(), end: self.cancel };
        line_loop.run(context).await;
        terminal.close().await;
        Ok(())
    }

    fn opening(&self, opening: Opening) -> Opening {
        let (model, role, session) = (self.model.clone(), self.role.clone(), self.session.clone());
        let opening = Opening { model, role, session, stream: self.stream, ..opening };
        match &self.agent {
            None => {
                let config = &self.app.config;
                opening.with_prelude(config.repl_prelude.as_ref(), config.named_by("repl_prelude"))
            }
            // An agent has its own sessions, and its instructions stand where a role's would.
            Some(_) => Opening { session: None, ..opening },
        }
    }
}

/// `--agent`: its servers are started with those of the conversation.
async fn begin_agent(context: &mut Context, wish: AgentWish) -> Result<(), Refusal> {
    let desk = context.desk();
    let Change { warnings, .. } = use_agent(&mut context.conversation, wish, desk).await?;
    context.apply(Change { warnings, ..Change::default() });
    replay(&context.report, &context.conversation);
    Ok(())
}

/// The editor as the files want it, but for what is not theirs.
fn setup(app: &AppState, standing: &Standing) -> Setup {
    Setup {
        prompt: String::new(),
        keybindings: app.config.keybindings,
        colours: false,
        highlight: app.config.highlight,
        history: Some(app.paths.cache_dir.join("repl-history").join("default")),
        editor: editor_of(&app.config),
        scratch: PathBuf::new(),
        completions: Completions::new(Handle::current(), standing.clone()),
    }
}

/// One line, then what there is to know.
fn banner(report: &Report, app: &AppState, conversation: &Conversation, warnings: &[String]) {
    report.prose(&format!(
        "coyote {}, {}. `.help` shows what there is to type, Ctrl-D leaves",
        env!("CARGO_PKG_VERSION"),
        conversation.model().id()
    ));
    if let Some(preface) = conversation.model().preface() {
        report.prose(preface);
    }
    app.warnings().for_each(|warning| report.warn(warning));
    for warning in warnings {
        report.warn(warning);
    }
    replay(report, conversation);
}

/// The editor of these settings; a program and its arguments.
pub(super) fn editor_of(config: &AppConfig) -> Arc<[String]> {
    let named = [config.editor.clone(), variable("VISUAL"), variable("EDITOR")];
    external_editor(named, std::env::var_os("PATH").as_deref()).into()
}

fn no_terminal(error: &io::Error) -> Refusal {
    Refusal::outside(
        format!("The terminal cannot be used: {error}"),
        "Give a text for one turn: `coyote what can you do`",
    )
}
