//! The loop: one line after the other, one command or turn at a time (S13, S14, S45).
//!
//! What is typed while something runs waits in a queue, and is told so; a command that needs no turn runs at once. Ctrl-C
//! cancels what runs and drops what waits; what is half typed stays.

use super::{
    commands::{self, Outcome, Pace, macros},
    context::Context,
    editor::{Input, Submitted, Terminal, submitted},
    left_prompt::LeftPrompt,
    shell,
    standing::Standing,
};
use crate::{
    app_state::AppState,
    chat::{Refusal, conversation::Blame},
    macros::Macros,
    mcp::{ServerState, Settled},
    offers::not_started,
    report::Report,
};
use mcp_catalog::{ServerName, deadline};
use mcp_prompt_repl::{ChatText, Typed};
use std::{collections::VecDeque, sync::Arc};
use tokio::{sync::mpsc, task::JoinHandle, time::MissedTickBehavior};
use tokio_util::sync::CancellationToken;

/// The most texts that wait.
const WAITING: usize = 32;

/// The loop and what feeds it.
pub(super) struct LineLoop {
    pub(super) prompt: LeftPrompt,
    pub(super) colours: bool,
    pub(super) inputs: mpsc::UnboundedReceiver<Input>,
    pub(super) wanted: mpsc::UnboundedReceiver<(Arc<AppState>, Vec<ServerName>)>,
    pub(super) terminal: Terminal,
    /// Cancelled when the process is to end.
    pub(super) end: CancellationToken,
}

/// What is going on.
enum Now {
    /// Nothing; the context is here.
    Idle(Box<Context>),
    /// Something has the context.
    Busy(JoinHandle<(Box<Context>, Outcome)>),
}

/// What the loop does next.
#[derive(PartialEq, Eq)]
enum Next {
    Go,
    Leave,
}

/// What stays here while a task has the context.
struct Beside {
    report: Arc<Report>,
    standing: Standing,
    stop: super::asker::Stop,
    waiting: VecDeque<String>,
    /// Servers that are no longer starting.
    settled: mpsc::UnboundedSender<Settled>,
}

impl LineLoop {
    /// Runs until the user leaves.
    pub(super) async fn run(mut self, context: Context) {
        let (settled, mut settlings) = mpsc::unbounded_channel();
        let mut beside = Beside {
            report: Arc::clone(&context.report),
            standing: context.standing.clone(),
            stop: context.stop.clone(),
            waiting: VecDeque::new(),
            settled,
        };
        beside.start(context.conversation.app(), context.conversation.enabled_servers());
        let mut now = Now::Idle(Box::new(context));
        let mut turning = tokio::time::interval(deadline::TICK);
        turning.set_missed_tick_behavior(MissedTickBehavior::Skip);
        loop {
            let next = tokio::select! {
                biased;
                () = self.end.cancelled() => Next::Leave,
                input = self.inputs.recv() => {
                    let next;
                    (now, next) = self.hear(now, &mut beside, input);
                    next
                }
                done = finished(&mut now) => match done {
                    Some((context, Outcome::Done)) => {
                        self.terminal.busy(false);
                        self.terminal.read();
                        now = self.idle(context, &mut beside);
                        Next::Go
                    }
                    Some((context, Outcome::Leave)) => {
                        now = Now::Idle(context);
                        Next::Leave
                    }
                    None => {
                        beside.report.failure("A defect ended the conversation; coyote's log has the details");
                        return;
                    }
                },
                Some((app, servers)) = self.wanted.recv() => {
                    beside.start(&app, &servers);
                    Next::Go
                }
                Some(settled) = settlings.recv() => {
                    beside.tell(settled);
                    Next::Go
                }
                _ = turning.tick(), if matches!(now, Now::Busy(_)) => {
                    self.terminal.turn();
                    Next::Go
                }
            };
            if next == Next::Leave {
                break;
            }
            self.terminal.prompt(self.prompt.render(&beside.standing.values(), self.colours));
        }
        self.leave(now, &beside).await;
    }

    /// Stops what runs, and writes what the session's file does not hold.
    async fn leave(&self, now: Now, beside: &Beside) {
        beside.stop.now();
        if self.end.is_cancelled() {
            // A signal leaves less time than a turn may take, and the terminal has to be as it was by then (S18).
            self.terminal.end_guest().await;
            self.terminal.close().await;
        }
        let context = match now {
            Now::Idle(context) => Some(context),
            // What it holds on to ends with the process.
            Now::Busy(running) => {
                let ended = tokio::time::timeout(deadline::GRACE_AT_EXIT, running).await;
                ended.ok().and_then(Result::ok).map(|(context, _)| context)
            }
        };
        if let Some(Err(refusal)) = context.map(|mut context| context.conversation.write_unsaved()) {
            tell(&beside.report, &refusal);
        }
    }

    /// What a key asks for.
    fn hear(&self, now: Now, beside: &mut Beside, input: Option<Input>) -> (Now, Next) {
        match input {
            Some(Input::Text(text)) if matches!(now, Now::Busy(_)) && leaves(&text) => (now, Next::Leave),
            Some(Input::Text(text)) => (self.take(now, beside, text), Next::Go),
            Some(Input::Ahead(text)) => match now {
                Now::Idle(context) => (self.begin(context, text), Next::Go),
                Now::Busy(_) => {
                    beside.wait(text);
                    (now, Next::Go)
                }
            },
            Some(Input::NotEdited(why)) => {
                tell(&beside.report, &why);
                (now, Next::Go)
            }
            Some(Input::Interrupted) => {
                beside.interrupt(&now);
                let dropped = self.terminal.printer().drop_backlog();
                if dropped > 0 {
                    beside.report.note(format!("{dropped} lines that waited to be shown are dropped"));
                }
                (now, Next::Go)
            }
            Some(Input::Ended) | None => (now, Next::Leave),
        }
    }

    /// Begins what waited longest.
    fn idle(&self, context: Box<Context>, beside: &mut Beside) -> Now {
        if beside.stop.takes_the_waiting() {
            beside.drop_waiting();
        }
        match beside.waiting.pop_front() {
            None => Now::Idle(context),
            Some(text) => {
                beside.report.say(&format!("> {text}"));
                self.begin(context, text)
            }
        }
    }

    /// Begins what a text asks for, or lets it wait.
    fn take(&self, now: Now, beside: &mut Beside, text: String) -> Now {
        match now {
            Now::Idle(context) => self.begin(context, text),
            Now::Busy(running) => {
                beside.wait(text);
                self.terminal.read();
                Now::Busy(running)
            }
        }
    }

    /// Runs a text as a task. The editor goes on at once, unless another program needs the terminal.
    fn begin(&self, mut context: Box<Context>, text: String) -> Now {
        macros::look_again(&mut context, &text);
        self.terminal.busy(true);
        if pace(&text, &context.macros) != Pace::Terminal {
            self.terminal.read();
        }
        context.cancel = self.end.child_token();
        context.stop.set(context.cancel.clone());
        // The terminal may be as wide as another one by now.
        context.look_anew();
        if let Typed::Command(line) = Typed::read(&text) {
            context.display.waiting(&format!(".{}", line.name()));
        }
        Now::Busy(tokio::spawn(async move {
            let cancel = context.cancel.clone();
            let outcome = tokio::select! {
                biased;
                outcome = run(&mut context, &text) => Some(outcome),
                () = given_up(&cancel) => None,
            };
            let outcome = match outcome {
                Some(Ok(outcome)) => outcome,
                Some(Err(refusal)) => {
                    tell(&context.report, &refusal);
                    Outcome::Done
                }
                None => {
                    context.report.note("Cancelled");
                    Outcome::Done
                }
            };
            context.display.still();
            context.standing.update(&context.conversation);
            (context, outcome)
        }))
    }
}

impl Beside {
    /// Starts servers in the background; each failure is told when it comes (S14).
    fn start(&self, app: &Arc<AppState>, servers: &[ServerName]) {
        let mut entries = Vec::new();
        for server in servers.iter().filter_map(|name| app.servers.get(name.as_str()).ok()) {
            if matches!(app.registry.state(&server.entry.name), Some(ServerState::Ready(_) | ServerState::Starting)) {
                continue;
            }
            match server.startable() {
                Ok(entry) => entries.push(entry.clone()),
                Err(why) => self.report.warn(why),
            }
        }
        let mut settling = app.start(entries);
        let told = self.settled.clone();
        tokio::spawn(async move {
            while let Some(settled) = settling.next().await {
                if told.send(settled).is_err() {
                    return;
                }
            }
        });
    }

    fn tell(&self, settled: Settled) {
        if let ServerState::Failed(error) = settled.state {
            let shape = not_started(&settled.name, &error, &self.standing.app());
            self.report.warn(format!("{} ({}). {}", shape.tool_call_error, shape.code, shape.hint));
        }
    }

    fn interrupt(&mut self, now: &Now) {
        if let Now::Busy(_) = now {
            self.stop.now();
            self.drop_waiting();
        }
    }

    fn drop_waiting(&mut self) {
        let waited = self.waiting.len();
        self.waiting.clear();
        if waited > 0 {
            self.report.note(format!("What waited is dropped: {waited}"));
        }
    }

    /// What may run at once does; everything else waits.
    fn wait(&mut self, text: String) {
        if let Typed::Command(line) = Typed::read(&text)
            && let Some(command) = commands::find(line.name())
            && command.pace == Pace::AtOnce
        {
            match commands::help_text(line, self.report.width()) {
                Ok(help) => self.report.print(&help),
                Err(refusal) => tell(&self.report, &refusal),
            }
            return;
        }
        if text.trim().is_empty() {
            return;
        }
        if self.waiting.len() == WAITING {
            self.report.warn(format!("{WAITING} texts wait already; this one is dropped"));
            return;
        }
        self.waiting.push_back(text);
        self.report.note("It waits until what runs has ended; Ctrl-C cancels both");
    }
}

/// The task that runs, when it has ended; `None` after a defect, which took the conversation along. Never while nothing runs.
async fn finished(now: &mut Now) -> Option<(Box<Context>, Outcome)> {
    match now {
        Now::Idle(_) => std::future::pending().await,
        Now::Busy(running) => running.await.ok(),
    }
}

/// Ctrl-C, and the time that a command has to end by itself (S13).
async fn given_up(cancel: &CancellationToken) {
    cancel.cancelled().await;
    tokio::time::sleep(deadline::HANDING_BACK * 3).await;
}

/// Whether this is `.exit` alone, which waits for nothing.
fn leaves(text: &str) -> bool {
    matches!(Typed::read(text), Typed::Command(line) if line.text().trim() == ".exit")
}

fn pace(text: &str, known: &Macros) -> Pace {
    match submitted(text) {
        Submitted::Block(_) => Pace::InTurn,
        Submitted::Line(line) => match Typed::read(line) {
            Typed::Shell(_) => Pace::Terminal,
            Typed::Command(line) => match commands::find(line.name()) {
                Some(command) if command.name != macros::NAME => command.pace,
                _ => macros::pace(known, line),
            },
            Typed::Chat(_) | Typed::Nothing => Pace::InTurn,
        },
    }
}

/// Does what a text asks for.
pub(super) async fn run(context: &mut Context, text: &str) -> Result<Outcome, Refusal> {
    let typed = match submitted(text) {
        Submitted::Block("") => Typed::Nothing,
        Submitted::Block(block) => Typed::Chat(ChatText::typed(block)),
        Submitted::Line(line) => Typed::read(line),
    };
    match typed {
        Typed::Nothing => Ok(Outcome::Done),
        Typed::Command(line) => {
            let Some(command) = commands::find(line.name()) else {
                let names = macros::names(context);
                return match macros::named(context, line) {
                    Some(running) => running.await,
                    None => Err(commands::unknown(line.name(), &names)),
                };
            };
            command.is_valid(context.conversation.flags())?;
            (command.run)(context, line).await
        }
        Typed::Shell(line) => shell::run(context, line).await.map(|()| Outcome::Done),
        Typed::Chat(said) => {
            if let Some(meant) = meant(text) {
                context.report.note(meant);
            }
            context.say_text(said).await.map(|()| Outcome::Done)
        }
    }
}

/// What is told of a word that is said and was perhaps meant as a command.
fn meant(text: &str) -> Option<&'static str> {
    match text.trim() {
        "exit" | "quit" => Some("This is said to the model; `.exit` or Ctrl-D leaves coyote"),
        "help" => Some("This is said to the model; `.help` shows what there is to type"),
        _ => None,
    }
}

fn tell(report: &Report, refusal: &Refusal) {
    if refusal.blame == Blame::Stopped {
        report.note(format!("{refusal}. {}", refusal.hint));
        return;
    }
    report.failure(refusal);
    if !refusal.hint.is_empty() {
        report.note(&refusal.hint);
    }
}
