//! The session of a conversation: opened, kept after every exchange, saved, left (host.md, S47).
//!
//! What a session's file is stands in `session/`; here is what it means to a conversation. A new session takes over what was
//! said so far; one that has a file takes its place. A copy of a conversation has no session, so that one file has one
//! writer.

use super::{Change, Conversation, Refusal};
use crate::{
    app_state::AppState,
    chat::{Transcript, TurnView},
    config::{Access, Role, Settings, replace_file},
    context::Layer,
    model::Message,
    session::{Journal, Session, SessionDocument, SessionFault, TEMP, settings_map},
};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// An open session and what of its file is no setting and no message of the conversation.
#[derive(Debug, Clone)]
pub(super) struct Open {
    pub(super) session: Session,
    /// What stands in the transcript as a summary.
    pub(super) compressed: Vec<Message>,
    others: Map<String, Value>,
    /// A role that the file names and that is not there.
    missing_role: Option<String>,
    /// Something is not in the file.
    unsaved: bool,
}

/// A session that was read and is not in use yet.
pub(super) struct Found {
    pub(super) open: Open,
    pub(super) document: Option<SessionDocument>,
    pub(super) role: Option<Role>,
    pub(super) warnings: Vec<String>,
}

impl From<SessionFault> for Refusal {
    fn from(fault: SessionFault) -> Self {
        let (sentence, hint) = (fault.to_string(), fault.hint());
        match fault {
            SessionFault::Name { .. } | SessionFault::Unnamed => Self::given(sentence, hint),
            SessionFault::ReadOnly { .. } | SessionFault::Unreadable { .. } | SessionFault::NotUnderstood { .. } => {
                Self::given(sentence, hint)
            }
            SessionFault::Unwritable { .. } => Self::outside(sentence, hint),
        }
    }
}

impl Found {
    /// Reads a session.
    pub(super) fn read(app: &AppState, dir: &Path, name: &str) -> Result<Self, Refusal> {
        let (session, mut document) = Session::open(dir, name)?;
        let mut warnings: Vec<String> = document.iter_mut().flat_map(|it| std::mem::take(&mut it.warnings)).collect();
        if let Some(why) = session.read_only() {
            warnings.push(format!("Session `{name}` is read-only: {why}. Nothing of what follows is kept in it"));
        }
        let (role, missing_role, of_role) = role_of(app, name, document.as_ref());
        warnings.extend(of_role);
        let compressed = document.as_mut().map(|it| std::mem::take(&mut it.compressed)).unwrap_or_default();
        let others = document.as_mut().map(|it| std::mem::take(&mut it.others)).unwrap_or_default();
        let open = Open { session, compressed, others, missing_role, unsaved: false };
        Ok(Self { open, document, role, warnings })
    }
}

/// The role that a session's file names or holds.
fn role_of(
    app: &AppState,
    session: &str,
    document: Option<&SessionDocument>,
) -> (Option<Role>, Option<String>, Vec<String>) {
    match document.map(|document| (document.role_name.as_deref(), document.role_prompt.as_deref())) {
        Some((Some(name), _)) => match Role::load(&app.paths, name) {
            Ok((role, warnings)) => (Some(role), None, warnings.iter().map(ToString::to_string).collect()),
            Err(fault) => {
                let by = document.and_then(|document| document.settings.places.of("role_name"));
                let by = by.map(|by| format!("; {by} names it")).unwrap_or_default();
                (
                    None,
                    Some(name.to_owned()),
                    vec![format!("Session `{session}` goes on without its role: {fault}{by}")],
                )
            }
        },
        Some((None, Some(prompt))) => (Some(Role::temporary(prompt)), None, Vec::new()),
        _ => (None, None, Vec::new()),
    }
}

impl Conversation {
    /// The open session.
    pub fn session(&self) -> Option<&Session> {
        self.session.as_ref().map(|open| &open.session)
    }

    /// Where the sessions of this conversation are: an agent has its own.
    pub fn sessions_dir(&self) -> PathBuf {
        let paths = &self.app().paths;
        match &self.agent {
            Some(agent) => paths.agents_dir.join(&agent.name).join("sessions"),
            None => paths.sessions_dir.clone(),
        }
    }

    /// Whether something was said or set that the session's file does not hold.
    pub fn unsaved(&self) -> bool {
        self.session.as_ref().is_some_and(|open| open.unsaved)
    }

    /// Opens the session of this name, `temp` one that is thrown away. What a file holds takes the place of what was said.
    pub fn open_session(&mut self, name: &str) -> Result<Change, Refusal> {
        if self.session().is_some_and(|session| session.name() == name && name != TEMP) {
            return Err(Refusal::given(format!("Session `{name}` is open already"), "`.info session` shows it"));
        }
        let Found { open, document, role, mut warnings } = Found::read(self.app(), &self.sessions_dir(), name)?;
        let settings = document.as_ref().map(|document| document.settings.clone()).unwrap_or_default();
        let mut layers = self.layers().clone().with(Layer::Session, settings);
        if let Some(role) = &role {
            layers = layers.with(Layer::Role, role.settings.clone());
        }
        let left = self.close()?;
        let document_is_new = document.is_none();
        let mut change = self.take_layers(layers)?;
        self.role = role.or_else(|| self.role.take());
        match document {
            Some(document) => {
                if !left && self.flags().messages {
                    warnings.push(format!("What was said before is not part of session `{name}`"));
                }
                self.forget();
                self.transcript = Transcript::beginning(document.messages);
            }
            None if left => self.forget(),
            None => {}
        }
        let unsaved = document_is_new && self.flags().messages;
        self.session = Some(Open { unsaved, ..open });
        change.warnings.splice(0..0, warnings);
        Ok(change)
    }

    /// Leaves the session; what was said is forgotten here. The file is written once more where sessions are kept.
    pub fn leave_session(&mut self) -> Result<Change, Refusal> {
        self.close()?;
        self.forget();
        let layers = self.layers().clone().with(Layer::Session, Settings::default());
        self.take_layers(layers)
    }

    /// Forgets what was said in the session, and what was said before and summarised (`.empty session`).
    pub fn empty_session(&mut self) -> Result<(), Refusal> {
        self.forget();
        let Some(open) = &mut self.session else {
            return Err(Refusal::given("No session is open", "`.session NAME` opens one"));
        };
        open.compressed.clear();
        open.unsaved = true;
        self.write_unsaved()
    }

    /// Writes the session, under another name if one is given, which it has from then on. Without a session the conversation
    /// becomes one.
    pub fn save_session(&mut self, name: Option<&str>) -> Result<PathBuf, Refusal> {
        let current = self.session().map(Session::name);
        let Some(name) = name.filter(|name| current != Some(*name)) else {
            let Some(open) = &self.session else {
                return Err(Refusal::given("No session is open", "`.save session NAME` makes one of what was said"));
            };
            let path = open.session.write(&self.document(open))?.to_owned();
            self.mark_saved();
            return Ok(path);
        };
        if name == TEMP {
            let sentence = format!("A session named `{TEMP}` is thrown away and has no file");
            return Err(Refusal::given(sentence, "Take another name"));
        }
        let session = Session::create(&self.sessions_dir(), name)?;
        let open = match self.session.clone() {
            Some(open) => Open { session, ..open },
            None => Open { session, compressed: Vec::new(), others: Map::new(), missing_role: None, unsaved: true },
        };
        let path = open.session.write(&self.document(&open))?.to_owned();
        self.session = Some(open);
        self.mark_saved();
        Ok(path)
    }

    /// Writes the role with what was set here, under another name if one is given, which it has from then on.
    pub fn save_role(&mut self, name: Option<&str>) -> Result<PathBuf, Refusal> {
        let Some(role) = &self.role else {
            return Err(Refusal::given("No role is in use", "`.role NAME` takes one, `.temp-role TEXT` makes one"));
        };
        let name = name.unwrap_or(&role.name).to_owned();
        if name.is_empty() {
            return Err(Refusal::given("The role was only typed, and has no name", "`.save role NAME` gives it one"));
        }
        let Some(file) = Role::file(&self.app().paths, &name) else {
            let sentence = format!("`{name}` is no name of a role; accepted are names without `/` and `\\`");
            return Err(Refusal::given(sentence, "`.save role NAME` saves it"));
        };
        if name != role.name && file.exists() {
            let sentence = format!("There is a role `{name}`, and it would be replaced");
            return Err(Refusal::given(sentence, "Take another name, or `.edit role` after `.role`"));
        }
        let settings = over(self.layers().layer(Layer::Given), self.layers().layer(Layer::Role));
        let text = role_text(&settings, &role.prompt).map_err(|error| Refusal::outside(error, "Set fewer keys"))?;
        replace_file(&file, text.as_bytes(), Access::KeptElsePrivate).map_err(|error| {
            let sentence = format!("Role `{name}` could not be written to `{}`: {error}", file.display());
            Refusal::outside(sentence, "Make room or the file writable")
        })?;
        let role = Role { name, settings: settings.clone(), prompt: role.prompt.clone() };
        self.role = Some(role);
        let layers = self.layers().clone().with(Layer::Role, settings);
        self.take_layers(layers)?;
        Ok(file)
    }

    /// The session's file as it is now, to be edited; [`Conversation::session_edited`] reads it again.
    pub fn session_to_edit(&mut self) -> Result<PathBuf, Refusal> {
        self.save_session(None)
    }

    /// Takes over what the session's file says after it was edited.
    pub fn session_edited(&mut self) -> Result<Change, Refusal> {
        let Some(open) = self.session.clone() else {
            return Err(Refusal::given("No session is open", "`.session NAME` opens one"));
        };
        let Some(mut document) = open.session.reread()? else {
            return Err(Refusal::given("The session's file is gone", "`.save session` writes it again"));
        };
        let (role, missing_role, mut warnings) = role_of(self.app(), open.session.name(), Some(&document));
        warnings.extend(std::mem::take(&mut document.warnings));
        let of_role = role.as_ref().map(|role| role.settings.clone()).unwrap_or_default();
        let mut layers = self.layers().clone().with(Layer::Session, document.settings).with(Layer::Role, of_role);
        // What was set here is in the file since it was written for the editor, and may have been changed there.
        *layers.layer_mut(Layer::Given) = Settings::default();
        let mut change = self.take_layers(layers)?;
        self.role = role;
        self.forget();
        self.transcript = Transcript::beginning(document.messages);
        let (compressed, others) = (document.compressed, document.others);
        self.session = Some(Open { compressed, others, missing_role, unsaved: false, ..open });
        change.warnings.splice(0..0, warnings);
        Ok(change)
    }

    /// Keeps an exchange: in `messages.md` if everything is saved, in the session's file if sessions are kept.
    pub(super) async fn keep(&mut self, before: usize, view: &dyn TurnView) {
        let (save, kept) = (self.app().config.save, self.is_kept());
        let journal = save.then(|| Journal { file: self.app().paths.messages_file() });
        let exchange: Vec<Message> = match &journal {
            Some(_) => self.transcript.messages().iter().skip(before).cloned().collect(),
            None => Vec::new(),
        };
        let head = self.headline();
        let mut write = None;
        if let Some(open) = &mut self.session {
            open.unsaved = true;
        }
        if let Some(open) = self.session.as_ref().filter(|_| kept) {
            write = Some((open.session.clone(), self.document(open)));
        }
        if journal.is_none() && write.is_none() {
            return;
        }
        // Both wait for a disk.
        let work = move || {
            let journaled = journal.map(|journal| {
                let shown = journal.file.display().to_string();
                journal.append(&head, &exchange).map_err(|error| format!("`{shown}` could not be written: {error}"))
            });
            let written =
                write.map(|(session, document)| session.write(&document).map(drop).map_err(|fault| fault.to_string()));
            (journaled.and_then(Result::err), written)
        };
        if let Ok((trouble, written)) = tokio::task::spawn_blocking(work).await {
            if matches!(written, Some(Ok(()))) {
                self.mark_saved();
            }
            trouble.into_iter().chain(written.and_then(Result::err)).for_each(|trouble| view.note(&trouble));
        }
    }

    /// What the session's file is to hold.
    fn document(&self, open: &Open) -> SessionDocument {
        let mut settings = over(self.layers().layer(Layer::Given), self.layers().layer(Layer::Session));
        settings.model = Some(self.model.id().to_owned());
        let (name, prompt) = match &self.role {
            Some(role) if role.name.is_empty() => (None, Some(role.prompt.clone())),
            Some(role) => (Some(role.name.clone()), None),
            None => (open.missing_role.clone(), None),
        };
        SessionDocument {
            settings,
            role_name: name,
            role_prompt: prompt,
            messages: self.transcript.messages().to_vec(),
            compressed: open.compressed.clone(),
            others: open.others.clone(),
            warnings: Vec::new(),
        }
    }

    /// Whether the session is written without being asked.
    fn is_kept(&self) -> bool {
        let writable = |session: &Session| session.file().is_some() && session.read_only().is_none();
        self.session().is_some_and(writable) && self.app().config.save_session != Some(false)
    }

    /// Writes what was said or set since the file was written last, where sessions are kept.
    pub fn write_unsaved(&mut self) -> Result<(), Refusal> {
        if let Some(open) = self.session.as_ref().filter(|open| open.unsaved && self.is_kept()) {
            open.session.write(&self.document(open))?;
            self.mark_saved();
        }
        Ok(())
    }

    /// Ends the session; whether there was one.
    fn close(&mut self) -> Result<bool, Refusal> {
        self.write_unsaved()?;
        Ok(self.session.take().is_some())
    }

    /// Something of the session changed that is no exchange.
    pub(super) const fn mark_changed(&mut self) {
        if let Some(open) = &mut self.session {
            open.unsaved = true;
        }
    }

    pub(super) const fn mark_saved(&mut self) {
        if let Some(open) = &mut self.session {
            open.unsaved = false;
        }
    }

    /// When and where something was said.
    fn headline(&self) -> String {
        let now = chrono::Local::now().to_rfc3339_opts(chrono::SecondsFormat::Secs, false);
        let named = |what: &str, name: Option<&str>| {
            name.filter(|name| !name.is_empty()).map(|name| format!(", {what} {name}")).unwrap_or_default()
        };
        let role = named("role", self.role().map(|role| role.name.as_str()));
        format!("{now} ({}{role}{})", self.model.id(), named("session", self.session().map(Session::name)))
    }
}

/// `upper`'s settings over `lower`'s.
fn over(upper: &Settings, lower: &Settings) -> Settings {
    let chosen = |upper: &crate::config::Chosen, lower: &crate::config::Chosen| {
        if upper.is_unset() { lower.clone() } else { upper.clone() }
    };
    let mut mcp_tools = lower.mcp_tools.clone();
    mcp_tools.extend(upper.mcp_tools.clone());
    Settings {
        model: upper.model.clone().or_else(|| lower.model.clone()),
        temperature: upper.temperature.or(lower.temperature),
        top_p: upper.top_p.or(lower.top_p),
        enabled_tools: chosen(&upper.enabled_tools, &lower.enabled_tools),
        enabled_mcp_servers: chosen(&upper.enabled_mcp_servers, &lower.enabled_mcp_servers),
        enabled_macros: chosen(&upper.enabled_macros, &lower.enabled_macros),
        mcp_tools,
        places: upper.places.over(&lower.places),
    }
}

/// A role's file.
fn role_text(settings: &Settings, prompt: &str) -> Result<String, String> {
    let settings = settings_map(settings);
    if settings.is_empty() {
        return Ok(format!("{prompt}\n"));
    }
    let front = serde_saphyr::to_string(&Value::Object(settings)).map_err(|error| error.to_string())?;
    Ok(format!("---\n{}\n---\n{prompt}\n", front.trim_end()))
}

#[cfg(test)]
mod tests;
