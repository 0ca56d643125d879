//! Which models there are, and the one that a name means.
//!
//! A client that cannot be used stays in the list; using it is an error that says why. Nothing here sends a request but the
//! one short look for a local Ollama, when nothing is configured, and `offered`, which asks providers what they have.

use super::{
    Abilities, ChatModel, ModelError, ModelFault, Offline,
    catalog::first_choice,
    genai::{GenaiModel, Provider, failure::key_name},
};
use crate::config::{AppConfig, ClientConfig, ClientKind, Environment, ModelConfig, SecretPlace, SkippedClient};
use mcp_catalog::{
    closest,
    deadline::{MODEL_CONNECT, MODEL_NAMES, MODEL_SILENCE, MODEL_WHOLE, OLLAMA_CONNECT, OLLAMA_LIST},
};
use serde::Deserialize;
use std::sync::Arc;

/// The keys that are looked for when nothing is configured, and the client that each makes.
const KEYS: [(&str, ClientKind); 3] = [
    ("OPENAI_API_KEY", ClientKind::OpenAi),
    ("ANTHROPIC_API_KEY", ClientKind::Claude),
    ("GEMINI_API_KEY", ClientKind::Gemini),
];

/// One model of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedModel {
    /// `client:name`.
    pub id: String,
    /// What it can do.
    pub abilities: Abilities,
}

/// Every model there is.
#[derive(Debug)]
pub struct Models {
    clients: Vec<Resolved>,
    /// Those of the file that are none.
    skipped: Vec<SkippedClient>,
}

/// A client whose `{{NAME}}`s are looked up.
#[derive(Debug)]
struct Resolved {
    kind: ClientKind,
    name: String,
    models: Vec<ModelConfig>,
    /// Whether it names no models, so that any may be asked for.
    open: bool,
    usable: Result<Usable, ModelError>,
}

struct Usable {
    base: String,
    key: Option<String>,
    own: ClientConfig,
    proxy: Option<String>,
}

impl std::fmt::Debug for Usable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The key is never shown (S47), and an address may hold a password.
        f.debug_struct("Usable").field("key", &self.key.is_some()).finish_non_exhaustive()
    }
}

impl Models {
    /// The models of these clients, and `offline`.
    pub fn new(clients: &[ClientConfig], environment: &Environment) -> Self {
        Self { clients: clients.iter().map(|client| resolve(client, environment)).collect(), skipped: Vec::new() }
    }

    /// The models of the file's clients; without any, those of the first key in the environment, else of a local Ollama.
    pub async fn find(config: &AppConfig, environment: &Environment) -> Self {
        let found = Self::configured(&config.clients, environment).await;
        Self { skipped: config.skipped_clients.clone(), ..found }
    }

    async fn configured(clients: &[ClientConfig], environment: &Environment) -> Self {
        if !clients.is_empty() {
            return Self::new(clients, environment);
        }
        let has = |name: &str| environment.get(name).is_some_and(|value| !value.trim().is_empty());
        let found = match KEYS.iter().find(|(name, _)| has(name)) {
            Some((name, kind)) => Some(client(*kind, Some(format!("{{{{{name}}}}}")), None, Vec::new())),
            None => local_ollama(environment).await,
        };
        Self::new(found.as_slice(), environment)
    }

    /// Every model, clients in their order, `offline` last.
    pub fn list(&self) -> Vec<ListedModel> {
        let of_clients = self.clients.iter().flat_map(|client| {
            client
                .models
                .iter()
                .map(|model| ListedModel { id: format!("{}:{}", client.name, model.name), abilities: abilities(model) })
        });
        let offline = Offline::new();
        of_clients.chain([ListedModel { id: offline.id().to_owned(), abilities: offline.abilities() }]).collect()
    }

    /// The ids of every model, those of a client that names none as its provider lists them, and what kept a provider from
    /// doing so.
    pub async fn offered(&self) -> (Vec<String>, Vec<ModelError>) {
        let (mut ids, mut troubles) = (Vec::new(), Vec::new());
        for client in &self.clients {
            let named: Vec<String> = if client.open {
                self.names_of(client).await.unwrap_or_else(|trouble| {
                    troubles.push(trouble);
                    client.models.iter().map(|model| model.name.clone()).collect()
                })
            } else {
                client.models.iter().map(|model| model.name.clone()).collect()
            };
            ids.extend(named.iter().map(|name| format!("{}:{name}", client.name)));
        }
        ids.push(Offline::ID.to_owned());
        (ids, troubles)
    }

    async fn names_of(&self, client: &Resolved) -> Result<Vec<String>, ModelError> {
        let usable = client.usable.as_ref().map_err(Clone::clone)?;
        let any = ModelConfig::default();
        let asked = GenaiModel::new(http(client, usable)?, provider(client, usable, &any))?;
        asked.names(MODEL_NAMES).await
    }

    /// The model that is taken when none is named: the first one, else `offline`.
    pub fn default_id(&self) -> String {
        self.list().into_iter().next().map_or_else(|| Offline::ID.to_owned(), |model| model.id)
    }

    /// The model of `client:name`. A client's name alone means its first model.
    pub fn resolve(&self, id: &str) -> Result<Arc<dyn ChatModel>, ModelError> {
        if id == Offline::ID {
            return Ok(Arc::new(Offline::new()));
        }
        let (client_name, model_name) = id.split_once(':').map_or((id, None), |(client, model)| (client, Some(model)));
        let Some(client) = self.clients.iter().find(|client| client.name == client_name) else {
            return Err(self.unknown(id));
        };
        let model = match model_name {
            None => client.models.first().cloned(),
            // Its provider knows better than any list of ours.
            Some(name) if client.open && !name.is_empty() => {
                Some(ModelConfig { name: name.to_owned(), ..ModelConfig::default() })
            }
            Some(name) => client.models.iter().find(|model| model.name == name).cloned(),
        };
        let Some(model) = model else { return Err(self.unknown(id)) };
        let usable = client.usable.as_ref().map_err(Clone::clone)?;
        Ok(Arc::new(GenaiModel::new(http(client, usable)?, provider(client, usable, &model))?))
    }

    fn unknown(&self, id: &str) -> ModelError {
        let client = id.split_once(':').map_or(id, |(client, _)| client);
        if let Some(skipped) = self.skipped.iter().find(|skipped| skipped.name == client) {
            let text = format!("There is no model `{id}`: its client is skipped");
            return ModelError { fault: ModelFault::NotFound, text, hint: skipped.why.clone() };
        }
        let listed = self.list();
        let near = closest(id, listed.iter().map(|model| model.id.as_str()));
        let named: Vec<String> = near.iter().map(|id| format!("`{id}`")).collect();
        let client = id.split_once(':').map_or(id, |(client, _)| client);
        let is_client = self.clients.iter().any(|known| known.name == client);
        let way = if !named.is_empty() {
            format!("Did you mean {}?", named.join(" or "))
        } else if is_client {
            "A model is `client:name`;".to_owned()
        } else {
            self.way_to(client)
        };
        let hint = format!("{way} `coyote --list-models` and `.list models` show all");
        let why = if is_client { String::new() } else { format!(": no client is called `{client}`") };
        ModelError { fault: ModelFault::NotFound, text: format!("There is no model `{id}`{why}"), hint }
    }

    /// How a client of this name comes to be. A key in the environment makes one where none is configured.
    fn way_to(&self, client: &str) -> String {
        let listed = "a client of that name under `clients` in config.yaml (`coyote://manual/models`);";
        match KEYS.iter().find(|(_, kind)| self.clients.is_empty() && kind.as_str() == client) {
            Some((key, _)) => format!("Set `{key}`, or write {listed}"),
            None => format!("Write {listed}"),
        }
    }
}

fn client(
    kind: ClientKind,
    api_key: Option<String>,
    api_base: Option<String>,
    models: Vec<ModelConfig>,
) -> ClientConfig {
    let name = kind.as_str().to_owned();
    ClientConfig {
        kind,
        name,
        api_base,
        api_key,
        models,
        proxy: None,
        connect_timeout: None,
        read_timeout: None,
        secrets: Vec::new(),
    }
}

fn resolve(client: &ClientConfig, environment: &Environment) -> Resolved {
    let open = client.models.is_empty();
    let mut models = client.models.clone();
    if let Some(name) = first_choice(client.kind).filter(|_| open) {
        models.push(ModelConfig { name: name.to_owned(), ..ModelConfig::default() });
    }
    Resolved { kind: client.kind, name: client.name.clone(), models, open, usable: usable(client, environment) }
}

fn usable(client: &ClientConfig, environment: &Environment) -> Result<Usable, ModelError> {
    let fill = |text: &Option<String>, key: &str| match text.as_deref().map(|text| environment.fill(text)) {
        None => Ok(None),
        Some((filled, missing)) => match missing.first() {
            None => Ok(Some(filled.trim().to_owned()).filter(|filled| !filled.is_empty())),
            Some(name) => Err(ModelError {
                fault: ModelFault::Auth,
                text: match client.secrets.iter().find(|place| place.name == *name) {
                    Some(SecretPlace { file, line, .. }) => {
                        format!("Secret `{name}` is not set; `{}` line {line} uses it", file.display())
                    }
                    None => format!("Secret `{name}` is not set; `{key}` of client `{}` uses it", client.name),
                },
                hint: set(name, environment),
            }),
        },
    };
    let given = fill(&client.api_base, "api_base")?;
    let own_key = fill(&client.api_key, "api_key")?;
    let variable = key_name(&client.name);
    let key = own_key.or_else(|| environment.get(&variable).filter(|key| !key.trim().is_empty()));
    let needs_key = matches!(client.kind, ClientKind::OpenAi | ClientKind::Claude | ClientKind::Gemini);
    if key.is_none() && needs_key && given.is_none() {
        return Err(ModelError {
            fault: ModelFault::Auth,
            text: format!("Client `{}` has no key", client.name),
            hint: format!("Write `api_key` of the client into config.yaml, or set `{variable}` in the environment"),
        });
    }
    let base = match (given, client.kind) {
        (Some(given), kind) => base(&given, kind),
        (None, ClientKind::OpenAi) => "https://api.openai.com/v1/".to_owned(),
        (None, ClientKind::Claude) => "https://api.anthropic.com/v1/".to_owned(),
        (None, ClientKind::Gemini) => "https://generativelanguage.googleapis.com/v1beta/".to_owned(),
        (None, ClientKind::Ollama) => ollama_base(environment),
        (None, ClientKind::OpenAiCompatible) => {
            return Err(ModelError {
                fault: ModelFault::Refused,
                text: format!("Client `{}` has no `api_base`", client.name),
                hint: "Write where its API is into config.yaml, `http://127.0.0.1:8080/v1` for one".to_owned(),
            });
        }
    };
    Ok(Usable { base, key, own: client.clone(), proxy: fill(&client.proxy, "proxy")? })
}

fn set(name: &str, environment: &Environment) -> String {
    match environment.file_path() {
        Some(file) => format!("Set `{name}` in the environment, or write `{name}=…` into `{}`", file.display()),
        None => format!("Set `{name}` in the environment"),
    }
}

/// A base ends with a slash, and one without a path gets the version that the kind's API has.
fn base(given: &str, kind: ClientKind) -> String {
    let trimmed = given.trim_end_matches('/');
    let bare = reqwest::Url::parse(trimmed).is_ok_and(|url| url.path() == "/");
    let version = match kind {
        ClientKind::OpenAi | ClientKind::Claude if bare => "/v1",
        ClientKind::Gemini if bare => "/v1beta",
        _ => "",
    };
    format!("{trimmed}{version}/")
}

fn abilities(model: &ModelConfig) -> Abilities {
    Abilities {
        max_input_tokens: model.max_input_tokens,
        max_output_tokens: model.max_output_tokens,
        function_calling: model.supports_function_calling.unwrap_or(true),
        vision: model.supports_vision.unwrap_or(true),
    }
}

fn provider(client: &Resolved, usable: &Usable, model: &ModelConfig) -> Provider {
    Provider {
        kind: client.kind,
        client: client.name.clone(),
        model: model.name.clone(),
        base: usable.base.clone(),
        key: usable.key.clone(),
        abilities: abilities(model),
        max_tokens: model.max_output_tokens,
        silence: usable.own.read_timeout.unwrap_or(MODEL_SILENCE),
        whole: usable.own.read_timeout.unwrap_or(MODEL_WHOLE),
    }
}

/// A client of HTTP that follows no redirect: a key in a header of its own would go along.
fn http(client: &Resolved, usable: &Usable) -> Result<reqwest::Client, ModelError> {
    let refused = |what: &str| ModelError {
        fault: ModelFault::Refused,
        text: format!("Client `{}` cannot be used: {what}", client.name),
        hint: format!("Check `extra` of client `{}` in config.yaml", client.name),
    };
    // Somebody else may have installed one: then that one is used.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(usable.own.connect_timeout.unwrap_or(MODEL_CONNECT));
    if let Some(proxy) = &usable.proxy {
        let proxy = reqwest::Proxy::all(proxy).map_err(|_| refused("`proxy` is no address of a proxy"))?;
        builder = builder.proxy(proxy);
    }
    builder.build().map_err(|_| refused("no connection can be made ready"))
}

/// Where an Ollama is: `OLLAMA_HOST` may be a URL, a host, or a host and a port.
fn ollama_base(environment: &Environment) -> String {
    let given = environment.get("OLLAMA_HOST").unwrap_or_default();
    let given = given.trim().trim_end_matches('/');
    let (scheme, rest) = given.split_once("://").unwrap_or(("http", given));
    // A server listens on all addresses at `0.0.0.0`; a client reaches it at its own.
    let rest = if rest.is_empty() { "127.0.0.1".to_owned() } else { rest.replace("0.0.0.0", "127.0.0.1") };
    let port = if rest.contains(':') || given.contains("://") { "" } else { ":11434" };
    format!("{scheme}://{rest}{port}/")
}

#[derive(Deserialize)]
struct Tags {
    models: Vec<Tag>,
}

#[derive(Deserialize)]
struct Tag {
    name: String,
}

/// An Ollama with at least one model.
async fn local_ollama(environment: &Environment) -> Option<ClientConfig> {
    let base = ollama_base(environment);
    let _ = rustls::crypto::ring::default_provider().install_default();
    let http = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(OLLAMA_CONNECT)
        .timeout(OLLAMA_LIST)
        .build()
        .ok()?;
    let tags: Tags =
        http.get(format!("{base}api/tags")).send().await.ok()?.error_for_status().ok()?.json().await.ok()?;
    let named = tags.models.into_iter().map(|tag| ModelConfig { name: tag.name, ..ModelConfig::default() });
    let models: Vec<ModelConfig> = named.collect();
    (!models.is_empty()).then(|| client(ClientKind::Ollama, None, Some(base), models))
}

#[cfg(test)]
mod tests;
