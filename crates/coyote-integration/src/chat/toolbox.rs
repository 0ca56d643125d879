//! What a conversation may call in this process: the ready ones of its enabled servers, and its local tools.
//!
//! It starts no server. Each request gets what is ready at that moment (S14); a reply's calls are judged by what their
//! request declared, whatever became ready since (S6).

use super::{Round, Running, Toolbox, TurnView};
use crate::{
    app_state::AppState,
    context::{Layers, Scope},
    functions::{Approval, Asker, CallWatch, LocalTools, LoopGuard, ReplyRun, ToolCall, ToolResult, run_reply},
    mcp::ServerState,
    model::Function,
};
use mcp_catalog::{McpRuntime, ProgressSink, ServerName, ServerPort};
use mcp_render::Ceiling;
use std::{
    collections::BTreeSet,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio_util::sync::CancellationToken;

/// Servers and local tools of one conversation.
#[derive(Clone)]
pub struct Tools {
    /// The state of the process, whose registry holds the servers.
    pub app: Arc<AppState>,
    /// The servers that the conversation uses, in order (S5).
    pub enabled: Vec<ServerName>,
    /// A child agent's own connections: they are in no registry, and no other server is its (R15).
    pub held: Option<McpRuntime>,
    /// What narrows them and their tools.
    pub layers: Layers,
    /// The local tools that it uses.
    pub local: Arc<dyn LocalTools>,
    /// What needs a yes (S40).
    pub approval: Arc<Approval>,
    /// Who can give it.
    pub asker: Arc<dyn Asker>,
    /// What one answer may hold: `max_tool_result_chars` (S25).
    pub ceiling: Ceiling,
    memory: Arc<Mutex<Memory>>,
}

/// What is remembered from one request to the next.
#[derive(Default)]
struct Memory {
    guard: LoopGuard,
    /// Warnings about declarations, each told once.
    told: BTreeSet<String>,
}

impl Tools {
    /// The tools of a new conversation.
    pub fn new(
        app: Arc<AppState>,
        enabled: Vec<ServerName>,
        local: Arc<dyn LocalTools>,
        approval: Arc<Approval>,
        asker: Arc<dyn Asker>,
    ) -> Self {
        let layers = Layers::new(&app.config);
        Self {
            app,
            enabled,
            held: None,
            layers,
            local,
            approval,
            asker,
            ceiling: Ceiling::default(),
            memory: Arc::default(),
        }
    }

    /// The enabled servers that are ready now.
    pub(crate) fn ready(&self) -> McpRuntime {
        if let Some(held) = &self.held {
            return held.clone();
        }
        McpRuntime::new(self.enabled.iter().filter_map(|server| match self.app.registry.state(server)? {
            ServerState::Ready(connection) => Some(connection as Arc<dyn ServerPort>),
            ServerState::Disabled | ServerState::Starting | ServerState::Failed(_) => None,
        }))
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Toolbox for Tools {
    fn declare(&self) -> Box<dyn Round> {
        let (scope, _) = Scope::of_layers(&self.app, self.ready(), self.local.as_ref(), &self.layers);
        let mut memory = self.memory();
        let warnings = scope.declared.warnings.iter();
        let notes = warnings.filter(|warning| memory.told.insert((*warning).clone())).cloned().collect();
        Box::new(Declared { tools: self.clone(), scope, notes })
    }
}

impl fmt::Debug for Tools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tools").field("enabled", &self.enabled).finish_non_exhaustive()
    }
}

/// What one request declared.
struct Declared {
    tools: Tools,
    scope: Scope,
    notes: Vec<String>,
}

impl Round for Declared {
    fn functions(&self) -> Vec<Function> {
        let mut functions = self.tools.local.functions();
        functions.extend(self.scope.declared.functions.iter().map(|declared| Function {
            name: declared.name.clone(),
            description: declared.description.clone(),
            parameters: declared.parameters.clone(),
        }));
        functions
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    fn run(&self, calls: Vec<ToolCall>, view: Arc<dyn TurnView>, cancel: CancellationToken) -> Running<'_> {
        Box::pin(async move {
            let mut context = self.scope.meta(&self.tools.app, cancel);
            context.ceiling = self.tools.ceiling;
            let watch = Handed(Arc::clone(&view));
            let run = ReplyRun {
                context: &context,
                local: self.tools.local.as_ref(),
                approval: &self.tools.approval,
                asker: self.tools.asker.as_ref(),
                watch: &watch,
            };
            // A copy, so that nothing is locked while calls run.
            let mut guard = self.tools.memory().guard.clone();
            let results = run_reply(run, &mut guard, calls).await;
            self.tools.memory().guard = guard;
            self.tools.approval.take_trouble().iter().for_each(|trouble| view.note(trouble));
            results
        })
    }
}

/// Hands on what happens to calls.
struct Handed(Arc<dyn TurnView>);

impl CallWatch for Handed {
    fn started(&self, call: &ToolCall) {
        self.0.call_started(call);
    }

    fn progress(&self, call: &ToolCall) -> Option<ProgressSink> {
        let (view, call) = (Arc::clone(&self.0), call.clone());
        Some(ProgressSink::new(move |progress| view.progress(&call, &progress)))
    }

    fn finished(&self, call: &ToolCall, result: &ToolResult) {
        self.0.call_ended(call, result);
    }
}

#[cfg(test)]
mod tests;
