//! What a command works with: the conversation, the terminal, and where it writes.
//!
//! One command or turn has it at a time. Whoever drops a command on its way has it whole all the same.

use super::{asker::Stop, desk::ReplDesk, editor::Terminal, standing::Standing, start::editor_of};
use crate::{
    agents::Desk,
    app_state::AppState,
    chat::{
        Change, Conversation, Refusal, Taken, TurnEnd, TurnView,
        display::{Display, Look},
        turn::MAX_ROUNDS,
    },
    macros::Macros,
    model::{ModelError, Part},
    report::Report,
};
use mcp_catalog::{ServerName, deadline};
use mcp_prompt_repl::{ChatSink, ChatText};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The surroundings of a command.
pub(crate) struct Context {
    /// What is said and with what.
    pub(crate) conversation: Conversation,
    /// Where text is shown, above the prompt.
    pub(crate) report: Arc<Report>,
    /// The terminal, for those that need it to themselves.
    pub(crate) terminal: Terminal,
    /// How things stand, for prompt and completion.
    pub(crate) standing: Standing,
    /// Cancelled by Ctrl-C; another one for each command.
    pub(crate) cancel: CancellationToken,
    /// What shows a turn, as `.set` wants it.
    pub(super) display: Arc<Display>,
    /// Cancels what runs, from a question.
    pub(super) stop: Stop,
    /// The macros.
    pub(crate) macros: Arc<Macros>,
    /// How many macros run now, one in the other.
    pub(crate) nesting: usize,
    /// Whether the last turn came to no answer.
    pub(super) failed: AtomicBool,
    /// Servers to be started, in the background (S14).
    pub(super) starts: mpsc::UnboundedSender<(Arc<AppState>, Vec<ServerName>)>,
}

impl Context {
    /// Tells what a change has to tell, starts what it enables, and shows how things stand now.
    pub(crate) fn apply(&mut self, change: Change) {
        let Change { enabled, warnings } = change;
        for warning in &warnings {
            self.report.warn(warning);
        }
        if !enabled.is_empty() {
            // Nobody listens when the REPL ends.
            let _ = self.starts.send((Arc::clone(self.conversation.app()), enabled));
        }
        self.standing.update(&self.conversation);
        self.look_anew();
    }

    /// Takes what shows a turn anew: the terminal's width, `wrap` and `highlight` may be others by now.
    pub(super) fn look_anew(&mut self) {
        let config = &self.conversation.app().config;
        let look = Look { wrap: config.wrap, highlight: config.highlight };
        self.terminal.highlight(look.highlight);
        self.terminal.edit_with(editor_of(config));
        let status = Arc::new(self.terminal.clone());
        self.display = Arc::new(Display::beside(Arc::clone(&self.report), look, Some(status)));
    }

    /// Where an agent's questions go.
    pub(crate) fn desk(&self) -> Arc<dyn Desk> {
        Arc::new(ReplDesk { terminal: self.terminal.clone(), stop: self.stop.clone() })
    }

    /// Who watches a turn.
    pub(crate) fn view(&self) -> Arc<dyn TurnView> {
        Arc::clone(&self.display) as _
    }

    /// Says this to the model.
    pub(crate) async fn say(&mut self, parts: Vec<Part>) -> Result<(), Refusal> {
        self.conversation.accepts(&parts)?;
        // A request waits a little for servers that are starting; late ones join the next (S14).
        let registry = Arc::clone(&self.conversation.app().registry);
        self.display.waiting("servers start");
        tokio::select! {
            _ = registry.wait(deadline::LATE_START) => {}
            () = self.cancel.cancelled() => {}
        }
        let view = self.view();
        let taken = self.conversation.say(parts, view, self.cancel.clone()).await;
        self.ended(&taken);
        Ok(())
    }

    /// Says a text that no command parser accepts (R14).
    pub(crate) async fn say_text(&mut self, text: ChatText) -> Result<(), Refusal> {
        let mut said = Said::default();
        text.say(&mut said);
        self.say(said.0).await
    }

    /// Whether a turn came to no answer since this was asked last.
    pub(crate) fn take_failed(&self) -> bool {
        self.failed.swap(false, Ordering::Relaxed)
    }

    /// Tells how a turn ended.
    pub(crate) fn ended(&self, taken: &Taken) {
        self.failed.store(taken.end != TurnEnd::Answered, Ordering::Relaxed);
        match &taken.end {
            TurnEnd::Answered => {}
            TurnEnd::Cut(error) | TurnEnd::Failed(error) => self.tell(error),
            TurnEnd::TooManyRounds => {
                self.report.failure(format!("The model still called functions in request {MAX_ROUNDS}, the limit"));
                self.report.note("Ask for less at once, or let it go on with `.continue`");
            }
            TurnEnd::Cancelled => self.report.note("Cancelled"),
        }
        if let Some(usage) = taken.usage {
            self.display.spent(usage);
        }
        self.display.still();
        self.standing.update(&self.conversation);
    }

    fn tell(&self, error: &ModelError) {
        self.report.failure(error);
        if !error.hint.is_empty() {
            self.report.note(&error.hint);
        }
    }
}

/// Takes a text as the user's turn.
#[derive(Default)]
struct Said(Vec<Part>);

impl ChatSink for Said {
    fn user_turn(&mut self, text: String) {
        self.0.push(Part::Text(text));
    }
}
