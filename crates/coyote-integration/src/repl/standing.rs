//! How things stand: what the prompt and completion may know of a conversation that somebody else holds.
//!
//! It is a copy, made anew after each command and turn; a completion that works with an older one offers older names.

use super::left_prompt::Values;
use crate::{
    app_state::AppState,
    chat::{Conversation, StateFlags},
    config::Chosen,
    macros::Macros,
    mcp::ServerState,
    model::Models,
};
use mcp_catalog::ServerName;
use std::{
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// A shared copy.
#[derive(Clone)]
pub(crate) struct Standing(Arc<Mutex<Copy>>);

struct Copy {
    app: Arc<AppState>,
    models: Arc<Models>,
    flags: StateFlags,
    enabled: Vec<ServerName>,
    sessions_dir: PathBuf,
    values: Values,
    macros: Arc<Macros>,
    enabled_macros: Chosen,
}

impl Standing {
    /// How a conversation stands, and the macros that there are.
    pub(super) fn of(conversation: &Conversation, macros: &Arc<Macros>) -> Self {
        Self(Arc::new(Mutex::new(copy(conversation, Arc::clone(macros)))))
    }

    /// A conversation with the offline model over no file at all.
    #[cfg(test)]
    pub(super) fn for_tests() -> Self {
        use crate::config::{Environment, Paths, PlatformDirs, ProcessEnv};
        let mut environment = Environment::new(ProcessEnv::of(&[]));
        let dirs = PlatformDirs { config: "/nowhere/config".into(), cache: "/nowhere/cache".into() };
        let paths = Paths::find(&mut environment, Some(&dirs)).unwrap();
        let models = Models::new(&[], &environment);
        let app = AppState::load(paths, environment);
        Self(Arc::new(Mutex::new(Copy {
            app: Arc::new(app),
            models: Arc::new(models),
            flags: StateFlags::default(),
            enabled: Vec::new(),
            sessions_dir: PathBuf::new(),
            values: Values::default(),
            macros: Arc::default(),
            enabled_macros: Chosen::Unset,
        })))
    }

    /// Takes a newer copy.
    pub(super) fn update(&self, conversation: &Conversation) {
        let mut before = self.copy();
        *before = copy(conversation, Arc::clone(&before.macros));
    }

    /// Takes other macros.
    pub(super) fn take_macros(&self, macros: &Arc<Macros>) {
        self.copy().macros = Arc::clone(macros);
    }

    /// The macros.
    pub(super) fn macros(&self) -> Arc<Macros> {
        Arc::clone(&self.copy().macros)
    }

    /// Which of them can run.
    pub(super) fn enabled_macros(&self) -> Chosen {
        self.copy().enabled_macros.clone()
    }

    /// The state of the process.
    pub(crate) fn app(&self) -> Arc<AppState> {
        Arc::clone(&self.copy().app)
    }

    /// Every model.
    pub(crate) fn models(&self) -> Arc<Models> {
        Arc::clone(&self.copy().models)
    }

    /// What decides which commands are valid.
    pub(crate) fn flags(&self) -> StateFlags {
        self.copy().flags
    }

    /// The servers that the conversation uses.
    pub(crate) fn enabled(&self) -> Vec<ServerName> {
        self.copy().enabled.clone()
    }

    /// Where the sessions are that may be opened: an agent has its own.
    pub(super) fn sessions_dir(&self) -> PathBuf {
        self.copy().sessions_dir.clone()
    }

    /// What the prompt tells; servers as they are now.
    pub(super) fn values(&self) -> Values {
        let copy = self.copy();
        let states = copy.enabled.iter().filter_map(|server| copy.app.registry.state(server));
        let ready = states.filter(|state| matches!(state, ServerState::Ready(_))).count();
        let all = copy.enabled.len();
        let servers = match (ready, all) {
            (_, 0) => None,
            (ready, all) if ready == all => Some(ready.to_string()),
            (ready, all) => Some(format!("{ready}/{all}")),
        };
        Values { servers, ..copy.values.clone() }
    }

    fn copy(&self) -> MutexGuard<'_, Copy> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn copy(conversation: &Conversation, macros: Arc<Macros>) -> Copy {
    let role =
        conversation.role().map(|role| if role.name.is_empty() { "temporary".to_owned() } else { role.name.clone() });
    Copy {
        macros,
        enabled_macros: conversation.layers().enabled_macros().clone(),
        app: Arc::clone(conversation.app()),
        models: Arc::clone(conversation.models()),
        flags: conversation.flags(),
        enabled: conversation.enabled_servers().to_vec(),
        sessions_dir: conversation.sessions_dir(),
        values: Values {
            model: Some(conversation.model().id().to_owned()),
            role,
            session: conversation.session().map(|session| session.name().to_owned()),
            agent: conversation.agent().map(|agent| agent.name.clone()),
            servers: None,
        },
    }
}

impl fmt::Debug for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Standing").finish_non_exhaustive()
    }
}
