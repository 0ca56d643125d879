//! `clients[]` as it is read: what is wrong with one client costs that client, and the others work (host.md).
//!
//! No value of a client is told: it may be a secret (S47).

use super::{ClientConfig, ClientKind, ModelConfig, SecretPlace, SkippedClient};
use crate::config::{
    IgnoredKey, Warning,
    app_config::unread,
    keys::seconds,
    placeholders,
    yaml::{Node, Pair},
};
use std::path::Path;

/// A `{{NAME}}` of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::config) struct SecretUse {
    pub(in crate::config) client: String,
    pub(in crate::config) name: String,
    pub(in crate::config) line: usize,
}

/// What the key says.
#[derive(Debug, Default)]
#[expect(clippy::struct_field_names, reason = "the clients are one of its parts")]
pub(in crate::config) struct Clients {
    pub(in crate::config) clients: Vec<ClientConfig>,
    pub(in crate::config) skipped: Vec<SkippedClient>,
    pub(in crate::config) secrets: Vec<SecretUse>,
    pub(in crate::config) warnings: Vec<Warning>,
    pub(in crate::config) ignored: Vec<IgnoredKey>,
}

impl Clients {
    pub(in crate::config) fn read(node: &Node, file: &Path) -> Self {
        let mut read = Self::default();
        match node.items() {
            Some(items) => items.iter().for_each(|item| read.client(item, file)),
            None if node.is_null() => {}
            None => read.wrong(file, node, "clients", "a list of clients"),
        }
        read
    }

    fn client(&mut self, item: &Node, file: &Path) {
        let kinds = || ClientKind::ALL.map(|kind| format!("`{}`", kind.as_str())).join(", ");
        let Some(pairs) = item.pairs() else {
            return self.wrong(file, item, "clients", "a mapping with a `type`");
        };
        let find = |key: &str| pairs.iter().find(|pair| pair.key == key).map(|pair| &pair.node);
        let at = |node: Option<&Node>| format!("`{}` line {}", file.display(), node.unwrap_or(item).line);
        let kind = find("type");
        let Some(written) = kind.and_then(Node::text) else {
            let text = format!("{}: a client has no `type`; accepted are {}", at(kind), kinds());
            return self.warnings.push(Warning::hint(text));
        };
        let named = find("name").and_then(Node::name);
        let Some(kind) = ClientKind::ALL.into_iter().find(|known| known.as_str() == written) else {
            let text = format!("{}: client type `{written}` is not supported; accepted are {}", at(kind), kinds());
            return self.skip(named.unwrap_or_else(|| written.to_owned()), text);
        };
        let name = named.unwrap_or_else(|| kind.as_str().to_owned());
        if self.clients.iter().any(|client| client.name == name) {
            let text = format!("{}: a second client `{name}` is skipped; give it another `name`", at(find("name")));
            return self.warnings.push(Warning::hint(text));
        }
        let mut client = ClientConfig {
            kind,
            name,
            api_base: None,
            api_key: None,
            models: Vec::new(),
            proxy: None,
            connect_timeout: None,
            read_timeout: None,
            secrets: Vec::new(),
        };
        for pair in pairs {
            self.key(&mut client, pair, file);
        }
        if kind == ClientKind::OpenAiCompatible && client.api_base.is_none() {
            let text = format!("{}: client `{}` has no `api_base` and is skipped", at(None), client.name);
            self.secrets.retain(|secret| secret.client != client.name);
            return self.skip(client.name, text);
        }
        let place = |used: &SecretUse| SecretPlace { name: used.name.clone(), file: file.to_owned(), line: used.line };
        client.secrets = self.secrets.iter().filter(|used| used.client == client.name).map(place).collect();
        self.clients.push(client);
    }

    fn skip(&mut self, name: String, why: String) {
        self.warnings.push(Warning::hint(why.clone()));
        self.skipped.push(SkippedClient { name, why });
    }

    fn key(&mut self, client: &mut ClientConfig, pair: &Pair, file: &Path) {
        let node = &pair.node;
        match pair.key.as_str() {
            "name" if node.name().is_none() && !node.is_null() => self.wrong(file, node, "name", "text"),
            "type" | "name" => {}
            "api_base" => client.api_base = self.secret(client, pair, file),
            "api_key" => client.api_key = self.secret(client, pair, file),
            "models" => match node.items() {
                Some(items) => items.iter().for_each(|item| self.model(client, item, file)),
                None if node.is_null() => {}
                None => self.wrong(file, node, "models", "a list of models"),
            },
            "extra" => match node.pairs() {
                Some(pairs) => pairs.iter().for_each(|pair| self.extra(client, pair, file)),
                None if node.is_null() => {}
                None => self.wrong(file, node, "extra", "a mapping"),
            },
            _ => self.ignore(&format!("clients.{}", client.name), pair),
        }
    }

    fn extra(&mut self, client: &mut ClientConfig, pair: &Pair, file: &Path) {
        let node = &pair.node;
        let time = seconds(node);
        match pair.key.as_str() {
            "proxy" => client.proxy = self.secret(client, pair, file),
            "connect_timeout" | "read_timeout" if time.is_none() && !node.is_null() => {
                self.wrong(file, node, &pair.key, "seconds, more than 0");
            }
            "connect_timeout" => client.connect_timeout = time,
            "read_timeout" => client.read_timeout = time,
            _ => self.ignore(&format!("clients.{}.extra", client.name), pair),
        }
    }

    fn model(&mut self, client: &mut ClientConfig, item: &Node, file: &Path) {
        // A model may be written as its name alone.
        let pairs = item.pairs().unwrap_or_default();
        let find = |key: &str| pairs.iter().find(|pair| pair.key == key).map(|pair| &pair.node);
        let Some(name) = item.name().or_else(|| find("name")?.name()) else {
            return self.wrong(file, item, "models", "a mapping with a `name`");
        };
        // Models that embed or rank cannot be talked to.
        if find("type").and_then(Node::text).is_some_and(|kind| kind != "chat") {
            return;
        }
        let mut model = ModelConfig { name, ..ModelConfig::default() };
        for Pair { key, node, .. } in pairs {
            let bad = !node.is_null();
            match key.as_str() {
                "max_input_tokens" => model.max_input_tokens = node.whole(),
                "max_output_tokens" => model.max_output_tokens = node.whole().and_then(|n| u32::try_from(n).ok()),
                "supports_function_calling" => model.supports_function_calling = node.bool(),
                "supports_vision" => model.supports_vision = node.bool(),
                _ => {}
            }
            match key.as_str() {
                "max_input_tokens" if bad && node.whole().is_none() => self.wrong(file, node, key, "a whole number"),
                "max_output_tokens" if bad && model.max_output_tokens.is_none() => {
                    self.wrong(file, node, key, "a whole number");
                }
                "supports_function_calling" | "supports_vision" if bad && node.bool().is_none() => {
                    self.wrong(file, node, key, "true or false");
                }
                _ => {}
            }
        }
        let place = format!("clients.{}.models.{}", client.name, model.name);
        for pair in pairs.iter().filter(|pair| !MODEL_KEYS.contains(&pair.key.as_str())) {
            self.ignore(&place, pair);
        }
        client.models.push(model);
    }

    /// A text that may hold `{{NAME}}`, which stays as it is.
    fn secret(&mut self, client: &ClientConfig, pair: &Pair, file: &Path) -> Option<String> {
        let Pair { key, node, .. } = pair;
        let text = node.text();
        if text.is_none() && !node.is_null() {
            self.wrong(file, node, key, "text");
        }
        let text = text.map(str::trim).filter(|text| !text.is_empty())?;
        let uses = placeholders(text).map(|found| SecretUse {
            client: client.name.clone(),
            name: found.name.to_owned(),
            line: node.line,
        });
        self.secrets.extend(uses);
        Some(text.to_owned())
    }

    fn ignore(&mut self, above: &str, pair: &Pair) {
        let Pair { key, line, .. } = pair;
        // The closest of the file's own keys would mislead here.
        let why = if crate::config::keys::foreign(key).is_some() { unread(key) } else { "unknown".to_owned() };
        self.ignored.push(IgnoredKey { name: format!("{above}.{key}"), line: *line, why });
    }

    fn wrong(&mut self, file: &Path, node: &Node, key: &str, accepted: &str) {
        let (file, line, given) = (file.display(), node.line, node.kind());
        let text = format!("`{file}` line {line}: `{key}` is {given}; accepted is {accepted}. It does not count");
        self.warnings.push(Warning::hint(text));
    }
}

/// The keys of a model.
const MODEL_KEYS: [&str; 6] =
    ["name", "type", "max_input_tokens", "max_output_tokens", "supports_function_calling", "supports_vision"];
