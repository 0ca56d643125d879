//! Completes `.prompt` in a reedline program: `cargo run -p mcp-prompt-repl --example reedline_completion`.
//!
//! No key ever waits: what has to be fetched is fetched on a thread, and the menu opens when it is there. With a line as
//! argument it prints the rows for that line instead, and needs no terminal.

use mcp_catalog::{
    Budget, Capabilities, CatalogItem, CatalogKind, Handshake, LocalPort, McpServerFeatures, ServerName, ServerPort,
    deadline, list_kind,
};
use mcp_prompt_repl::{Completion, Known, Need, complete};
use reedline::{
    ColumnarMenu, Completer, CompletionResult, CompletionStatus, DefaultPrompt, Emacs, KeyCode, KeyModifiers,
    MenuBuilder, Reedline, ReedlineEvent, ReedlineMenu, Signal, Span, Suggestion, default_emacs_keybindings,
};
use serde_json::json;
use std::{
    env,
    error::Error,
    sync::{
        Arc,
        mpsc::{Receiver, TryRecvError, channel},
    },
    thread,
};

fn main() -> Result<(), Box<dyn Error>> {
    let mut completer = Prompts::new(Arc::new(server()?));
    if let Some(line) = env::args().nth(1) {
        for row in completer.rows_at_last(&line) {
            println!("{}\t{}", row.value, row.description.unwrap_or_default());
        }
        return Ok(());
    }
    let mut keys = default_emacs_keybindings();
    let menu = ReedlineEvent::UntilFound(vec![ReedlineEvent::Menu("prompts".to_owned()), ReedlineEvent::MenuNext]);
    keys.add_binding(KeyModifiers::NONE, KeyCode::Tab, menu);
    let menu = ReedlineMenu::EngineCompleter(Box::new(ColumnarMenu::default().with_name("prompts")));
    let mut editor = Reedline::create()
        .with_completer(Box::new(completer))
        .with_menu(menu)
        .with_edit_mode(Box::new(Emacs::new(keys)));
    println!("Type `.prompt ` and press Tab; Ctrl-D leaves.");
    while let Signal::Success(line) = editor.read_line(&DefaultPrompt::default())? {
        println!("{}", mcp_render::shown(&line));
    }
    Ok(())
}

/// What is known for the life of a line, and what is on its way.
struct Prompts {
    port: Arc<LocalPort>,
    servers: Vec<McpServerFeatures>,
    listed: Option<(String, Vec<CatalogItem>)>,
    fetching: Option<Receiver<(String, Vec<CatalogItem>)>>,
}

impl Prompts {
    fn new(port: Arc<LocalPort>) -> Self {
        let servers = vec![McpServerFeatures::of(port.name().clone(), &port.handshake())];
        Self { port, servers, listed: None, fetching: None }
    }

    /// Rows for a line, waiting for what is needed: for the run without a terminal.
    fn rows_at_last(&mut self, line: &str) -> Vec<Suggestion> {
        loop {
            if let CompletionResult::Fresh { suggestions, .. } = self.complete(line, line.len()) {
                return suggestions.to_vec();
            }
            while self.poll_completion() == CompletionStatus::Pending {
                thread::yield_now();
            }
        }
    }

    /// Asks on a thread. An answer that never comes is known and empty, so that a failure is silent.
    fn fetch(&mut self, server: String) {
        let (done, fetching) = channel();
        let port = Arc::clone(&self.port);
        thread::spawn(move || {
            // Over a real server, spawn this on the runtime that drives its connection.
            let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_time().build() else { return };
            let budget = Budget::new(deadline::QUICK);
            let listing = runtime.block_on(list_kind(port.as_ref(), CatalogKind::Prompt, &budget));
            done.send((server, listing.items)).ok();
        });
        self.fetching = Some(fetching);
    }
}

impl Completer for Prompts {
    fn complete(&mut self, line: &str, position: usize) -> CompletionResult {
        let prompts = self.listed.as_ref().map(|(server, items)| (server.as_str(), items.as_slice()));
        let known = Known { servers: Some(&self.servers), prompts, ..Known::default() };
        match complete(line, position, known) {
            Completion::Rows(rows) => CompletionResult::fresh(
                rows.into_iter()
                    .map(|row| Suggestion {
                        value: row.value,
                        display_override: Some(row.display),
                        description: row.description,
                        span: Span::new(row.span.start, row.span.end),
                        append_whitespace: row.append_space,
                        ..Suggestion::default()
                    })
                    .collect::<Vec<_>>(),
            ),
            Completion::Need(Need::Prompts(server)) => {
                if self.fetching.is_none() {
                    self.fetch(server);
                }
                CompletionResult::Pending
            }
            // Values of arguments are asked in the same way; this server offers none.
            Completion::Need(_) => CompletionResult::fresh(Vec::new()),
        }
    }

    fn poll_completion(&mut self) -> CompletionStatus {
        let Some(fetching) = &self.fetching else { return CompletionStatus::Idle };
        match fetching.try_recv() {
            Err(TryRecvError::Empty) => return CompletionStatus::Pending,
            Ok(listed) => self.listed = Some(listed),
            // The thread is gone without an answer.
            Err(TryRecvError::Disconnected) => self.listed = Some((String::new(), Vec::new())),
        }
        self.fetching = None;
        CompletionStatus::Ready
    }
}

fn server() -> Result<LocalPort, Box<dyn Error>> {
    let declared = Handshake::of(Capabilities { prompts: true, ..Capabilities::default() });
    let prompts = json!({"prompts": [
        {"name": "review", "description": "Review a file", "arguments": [{"name": "file", "required": true}]},
        {"name": "daily report", "description": "What was done today"},
    ]});
    Ok(LocalPort::new(ServerName::new("docs")?, declared, Arc::new(move |_| Ok(prompts.clone()))))
}
