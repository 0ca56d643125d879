//! An agent that a user starts: `.agent` and `--agent` (host.md "Agents and the Supervisor").
//!
//! It is at depth 0: its servers are started like those of any conversation, its questions go to the user. A spawned one on
//! the same file differs in nothing else (`spawn`), and both get their functions from one place (D7, R15).

use super::{
    desk::{Desk, Told, UserAnswer, UserQuestion, Wanted},
    functions::{AgentFunctions, Voice},
    spawn::AgentLauncher,
    supervisor::Supervisor,
};
use crate::{
    chat::{AgentPart, Change, Conversation, Refusal},
    config::{AgentConfig, AgentFault, AgentVariable, AppConfig, Facts, NamedBy},
    session::Session,
};
use std::{collections::BTreeMap, sync::Arc};

/// What a user wants to begin.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentWish {
    /// The agent.
    pub name: String,
    /// One of its sessions; else the one that its file or config.yaml names in `agent_session`.
    pub session: Option<String>,
    /// Values of its variables.
    pub values: BTreeMap<String, String>,
}

/// Begins an agent in a conversation, which forgets what was said. Values that nobody gave and that have no default are asked for where somebody sits at
/// the desk. The servers that it newly enables are in the change, for the caller to start.
pub async fn use_agent(
    conversation: &mut Conversation,
    wish: AgentWish,
    desk: Arc<dyn Desk>,
) -> Result<Change, Refusal> {
    let AgentWish { name, session, values: mut given } = wish;
    let (file, warnings) = AgentConfig::load(&conversation.app().paths, &name)?;
    let values = loop {
        match file.values(&given) {
            Ok(values) => break values,
            Err(AgentFault::MissingVariables { missing, .. }) if desk.is_staffed() => {
                ask(&missing, &mut given, desk.as_ref()).await?;
            }
            Err(fault) => return Err(fault.into()),
        }
    };
    let instructions = file.instructions(&values, &Facts::gather(&conversation.app().environment));
    let model = file.settings.model.clone().unwrap_or_else(|| conversation.model().id().to_owned());
    let (approval, asker) = (Arc::clone(&conversation.tools().approval), Arc::clone(&conversation.tools().asker));
    let launcher = file.spawning.allowed.then(|| {
        let (app, models) = (Arc::clone(conversation.app()), Arc::clone(conversation.models()));
        AgentLauncher::new(app, models, Arc::clone(&approval))
    });
    let supervisor = launcher
        .clone()
        .map(|launcher| Supervisor::root(Arc::new(launcher), file.spawning.clone(), model, desk.as_ref()));
    let session = session.map_or_else(|| session_of(&file, &conversation.app().config), |name| Some((name, None)));
    if let Some((name, named_by)) = &session {
        Session::check_name(name).map_err(|fault| Refusal::from(fault).named_by(named_by.as_ref()))?;
    }
    let missing = file.missing_agents(&conversation.app().paths);
    let part = AgentPart {
        name: file.name.clone(),
        settings: file.settings.clone(),
        instructions,
        hands: Some(Arc::new(AgentFunctions::new(supervisor, Voice::Desk(desk), approval, asker))),
        held: None,
        launcher,
        file: Some(Arc::new(file)),
        values,
    };
    if conversation.session().is_some() {
        drop(conversation.leave_session()?);
    }
    if conversation.role().is_some() {
        // Its words would stand where the agent's are to stand.
        drop(conversation.leave_role()?);
    }
    let mut change = conversation.use_agent(part)?;
    // What was said to somebody else is no part of this.
    conversation.forget();
    if let Some((session, _)) = session {
        let opened = conversation.open_session(&session)?;
        change.enabled.extend(opened.enabled);
        change.warnings.extend(opened.warnings);
    }
    change.warnings.splice(0..0, warnings.into_iter().map(|warning| warning.text).chain(missing));
    Ok(change)
}

/// The session that the agent's file names, else config.yaml, and where.
fn session_of(file: &AgentConfig, config: &AppConfig) -> Option<(String, Option<NamedBy>)> {
    let key = "agent_session";
    match (&file.session, &config.agent_session) {
        (Some(name), _) => Some((name.clone(), file.settings.places.of(key))),
        (None, name) => Some((name.clone()?, config.named_by(key))),
    }
}

/// Asks for values one after the other.
async fn ask(missing: &[AgentVariable], given: &mut BTreeMap<String, String>, desk: &dyn Desk) -> Result<(), Refusal> {
    for variable in missing {
        let question = match variable.description.as_str() {
            "" => format!("Value of `{}`", variable.name),
            description => format!("{description} (`{}`)", variable.name),
        };
        let question = UserQuestion { question, wanted: Wanted::Line, options: Vec::new(), default: None };
        match desk.ask(&question).await {
            Told::Answered(UserAnswer::Text(value)) => given.insert(variable.name.clone(), value),
            Told::Cancelled => return Err(Refusal::stopped()),
            _ => {
                let sentence = format!("No value was given for `{}`", variable.name);
                return Err(Refusal::given(sentence, "Nothing has changed; begin the agent again with a value"));
            }
        };
    }
    Ok(())
}

impl From<AgentFault> for Refusal {
    fn from(fault: AgentFault) -> Self {
        match fault {
            AgentFault::Unreadable { .. } => Self::outside(fault.to_string(), fault.hint()),
            AgentFault::Unknown { .. }
            | AgentFault::Yaml { .. }
            | AgentFault::UnknownVariable { .. }
            | AgentFault::MissingVariables { .. } => Self::given(fault.to_string(), fault.hint()),
        }
    }
}
