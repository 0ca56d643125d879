//! Agents on a machine, their servers, and the one model that plays all of them.

use crate::machine::machine;
use acceptance::{
    host::Host,
    model_server::{Answer, Api, ModelServer, Request},
};
use serde_json::Value;

/// A machine before its model plays.
pub(super) struct Cast {
    pub(super) host: Host,
    config: String,
    client: &'static str,
}

impl Cast {
    /// A machine whose config.yaml has these lines before its client.
    pub(super) fn new(config: &str) -> Self {
        Self { host: machine(), config: config.to_owned(), client: "" }
    }

    /// Agents name their models by this type of client.
    pub(super) fn client(mut self, kind: &'static str) -> Self {
        self.client = kind;
        self
    }

    /// Adds a server.
    pub(super) fn serves(mut self, name: &str, script: Value) -> Self {
        self.host.serve(name, script).unwrap();
        self
    }

    /// Adds an agent whose instructions are `You are <name>.`
    pub(super) fn agent(self, name: &str, more: &str) -> Self {
        let more = if more == "{}\n" { "" } else { more };
        self.file(name, &format!("description: Is {name}\ninstructions: You are {name}.\n{more}"))
    }

    /// Adds an agent by its file.
    pub(super) fn file(self, name: &str, text: &str) -> Self {
        self.host.write(&format!("config/agents/{name}/config.yaml"), text).unwrap();
        self
    }

    /// Starts the model: who is asked, how many results the conversation holds, and the request.
    pub(super) async fn plays(
        self,
        mut script: impl FnMut(&str, usize, &Request) -> Answer + Send + 'static,
    ) -> (Host, ModelServer) {
        let model =
            ModelServer::answering(Api::OpenAi, move |request| script(&who(request), request.results().len(), request))
                .await
                .unwrap();
        let clients = match self.client {
            "" => model.config_yaml(),
            kind => format!("clients:\n- type: {kind}\n  api_base: {}\n  api_key: k\n", model.api_base()),
        };
        self.host.write("config/config.yaml", &format!("{}{clients}", self.config)).unwrap();
        (self.host, model)
    }
}

/// The third word of the instructions: `You are <name>.`
fn who(request: &Request) -> String {
    let system = request.system().unwrap_or_default();
    let words: Vec<&str> = system.split([' ', '.', '\n']).collect();
    match words.as_slice() {
        ["You", "are", name, ..] => (*name).to_owned(),
        ["You", verb, ..] => (*verb).to_owned(),
        _ => String::new(),
    }
}

/// What this agent's model was asked, in order.
pub(super) fn said(requests: &[Request], name: &str) -> Vec<Request> {
    requests.iter().filter(|request| who(request) == name).cloned().collect()
}

/// The last result in a conversation.
pub(super) fn done(request: &Request) -> String {
    request.results().pop().map(|(_, text)| text).unwrap_or_default()
}

/// A reply of one call.
pub(super) fn call(name: &str, arguments: Value) -> Answer {
    Answer::new().call("c", name, &arguments)
}

/// A reply that spawns an agent.
pub(super) fn spawn(agent: &str, task: &str) -> Answer {
    call("agent__spawn", serde_json::json!({"agent": agent, "task": task}))
}
