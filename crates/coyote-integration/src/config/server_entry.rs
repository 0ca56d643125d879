//! One entry of `mcp.json` (host.md "mcp.json"): parsed at the edge, or refused with what was given, what is accepted
//! and what to do.
//!
//! A message never holds a value that may be a secret: it names keys and JSON types (S47).

use super::{Environment, placeholders};
use crate::mcp::{FilledIn, OAuth, Origin, ServerEntry, Transport};
use mcp_catalog::{ServerName, closest};
use mcp_meta::Allowlist;
use serde_json::{Map, Value};
use std::{path::PathBuf, time::Duration};

/// Keys of a server that is a child process.
const STDIO_KEYS: [&str; 4] = ["command", "args", "env", "cwd"];
/// Keys of a server behind a URL.
const HTTP_KEYS: [&str; 3] = ["url", "headers", "oauth"];
/// Keys of both.
const SHARED_KEYS: [&str; 6] = ["type", "allowedTools", "disabled", "trust", "startup_timeout_sec", "tool_timeout_sec"];

/// A usable entry, and what there is to say about it.
#[derive(Debug)]
pub(super) struct ParsedEntry {
    /// The server. Its strings hold `{{NAME}}` where a value is missing.
    pub(super) entry: ServerEntry,
    /// Names without a value.
    pub(super) missing: Vec<String>,
    /// Keys that mean nothing here.
    pub(super) unknown: Vec<String>,
    /// Where a literal `${…}` stands (S18).
    pub(super) literals: Vec<String>,
}

/// Why an entry is not usable: one sentence, and what to write.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refused(pub(super) String);

/// Parses the entry of `name`.
pub(super) fn parse_entry(name: ServerName, value: &Value, environment: &Environment) -> Result<ParsedEntry, Refused> {
    let Value::Object(object) = value else {
        return refused(format!("it is {}; write an object with `command` or `url`", json_type(value)));
    };
    let mut fields =
        Fields { object, environment, missing: Vec::new(), literals: Vec::new(), filled_in: FilledIn::default() };
    let transport = match kind(object)? {
        Kind::Stdio => fields.stdio()?,
        Kind::Http => fields.http()?,
        Kind::Sse => Transport::Unsupported {
            reason:
                "The `sse` transport is not supported; accepted are `stdio` and `http`: write `\"type\": \"http\"` \
                     if the server offers it"
                    .to_owned(),
        },
    };
    let mut entry = ServerEntry::new(name, transport);
    entry.origin = Origin::User;
    entry.allowed_tools = fields.allowed_tools()?;
    entry.disabled = fields.flag("disabled")?;
    entry.trust = fields.flag("trust")?;
    entry.startup_timeout = fields.seconds("startup_timeout_sec")?;
    entry.tool_timeout = fields.seconds("tool_timeout_sec")?;
    entry.oauth = fields.oauth()?;
    entry.filled_in = fields.filled_in;
    let known = |key: &str| [&STDIO_KEYS[..], &HTTP_KEYS, &SHARED_KEYS].iter().any(|keys| keys.contains(&key));
    let unknown = object.keys().filter(|key| !known(key)).cloned().collect();
    Ok(ParsedEntry { entry, missing: fields.missing, unknown, literals: fields.literals })
}

/// How the server is reached.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Stdio,
    Http,
    Sse,
}

/// `type`, or what the other keys say; keys of the other transport are refused by name.
fn kind(object: &Map<String, Value>) -> Result<Kind, Refused> {
    let accepted = "accepted are `stdio` and `http`";
    let kind = match object.get("type") {
        None => match (object.contains_key("command"), object.contains_key("url")) {
            (true, false) => Kind::Stdio,
            (false, true) => Kind::Http,
            (true, true) => return refused("it has `command` and `url`; keep the one that reaches the server"),
            (false, false) => {
                let close = |key: &&String| !closest(key, ["command", "url"]).is_empty();
                let meant = object.keys().find(close).map_or_else(String::new, |key| format!(", but `{key}`"));
                let what = "one of them must say how to reach the server";
                return refused(format!("it has neither `command` nor `url`{meant}; {what}"));
            }
        },
        Some(Value::String(text)) => match text.as_str() {
            "stdio" => Kind::Stdio,
            "http" | "streamable-http" => Kind::Http,
            "sse" => return Ok(Kind::Sse),
            other => return refused(format!("`type` is `{other}`; {accepted}, or leave it out")),
        },
        Some(other) => return refused(format!("`type` is {}; {accepted}, or leave it out", json_type(other))),
    };
    let (word, foreign) = match kind {
        Kind::Http => ("http", &STDIO_KEYS[..]),
        Kind::Stdio | Kind::Sse => ("stdio", &HTTP_KEYS[..]),
    };
    match foreign.iter().find(|key| object.contains_key(**key)) {
        Some(key) => {
            refused(format!("`{key}` does not belong to a server of type `{word}`; remove it or change `type`"))
        }
        None => Ok(kind),
    }
}

/// The members of one entry, read key by key.
struct Fields<'a> {
    object: &'a Map<String, Value>,
    environment: &'a Environment,
    missing: Vec<String>,
    literals: Vec<String>,
    filled_in: FilledIn,
}

impl Fields<'_> {
    fn stdio(&mut self) -> Result<Transport, Refused> {
        let command = self.required("command")?;
        let args = match self.object.get("args") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(args)) => {
                let args = args.iter().enumerate().map(|(index, arg)| self.text(&format!("args[{index}]"), arg));
                args.collect::<Result<_, _>>()?
            }
            Some(other) => return refused(format!("`args` is {}; write a list of strings", json_type(other))),
        };
        let env = self.pairs("env", |fields, key, value| match value {
            Value::Number(number) => Ok(number.to_string()),
            Value::Bool(flag) => Ok(flag.to_string()),
            Value::String(text) => Ok(fields.fill(key, text)),
            other => refused(format!("`{key}` is {}; write a string, a number or a boolean", json_type(other))),
        })?;
        if let Some((name, _)) = env.iter().find(|(name, _)| name.is_empty() || name.contains(['=', '\0'])) {
            return refused(format!("`env` has the name `{name}`; a name is not empty and holds no `=`"));
        }
        let cwd = self.optional("cwd")?.map(PathBuf::from);
        Ok(Transport::Stdio { command, args, env, cwd })
    }

    fn http(&mut self) -> Result<Transport, Refused> {
        let url = self.required("url")?;
        let scheme = url.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
        // One that begins with a secret that nobody set misses that secret, and no scheme.
        let is_unset = placeholders(&url).next().is_some_and(|found| found.start == 0);
        if !matches!(scheme.as_deref(), Some("http" | "https")) && !is_unset {
            return refused("`url` does not start with `http://` or `https://`; write the whole URL");
        }
        let headers = self.pairs("headers", Self::text)?;
        Ok(Transport::Http { url, headers })
    }

    /// What a login uses. Keys that other clients know and this one does not are passed over.
    fn oauth(&mut self) -> Result<Option<OAuth>, Refused> {
        let members = match self.object.get("oauth") {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::Object(members)) => members,
            Some(other) => return refused(format!("`oauth` is {}; write an object", json_type(other))),
        };
        let mut word = |key: &str| match members.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => self.text(&format!("oauth.{key}"), value).map(Some),
        };
        let (client_id, client_secret) = (word("clientId")?, word("clientSecret")?);
        let wanted = "write a list of strings";
        let scopes = match members.get("scopes") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(scopes)) => {
                let scopes: Option<Vec<String>> =
                    scopes.iter().map(|scope| scope.as_str().map(str::to_owned)).collect();
                match scopes {
                    Some(scopes) => scopes,
                    None => return refused(format!("`oauth.scopes` holds something that is no string; {wanted}")),
                }
            }
            Some(other) => return refused(format!("`oauth.scopes` is {}; {wanted}", json_type(other))),
        };
        let callback_port = match members.get("callbackPort") {
            None | Some(Value::Null) => None,
            Some(value) => match value.as_u64().and_then(|port| u16::try_from(port).ok()).filter(|port| *port != 0) {
                Some(port) => Some(port),
                None => return refused("`oauth.callbackPort` is no port; write a number from 1 to 65535"),
            },
        };
        Ok(Some(OAuth { client_id, client_secret, scopes, callback_port }))
    }

    fn required(&mut self, key: &str) -> Result<String, Refused> {
        match self.optional(key)? {
            Some(text) if text.is_empty() => refused(format!("`{key}` is empty; write the server's {key}")),
            Some(text) => Ok(text),
            None => refused(format!("`{key}` is missing; write the server's {key}")),
        }
    }

    fn optional(&mut self, key: &str) -> Result<Option<String>, Refused> {
        match self.object.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => self.text(key, value).map(Some),
        }
    }

    fn text(&mut self, key: &str, value: &Value) -> Result<String, Refused> {
        match value {
            Value::String(text) => Ok(self.fill(key, text)),
            other => refused(format!("`{key}` is {}; write a string", json_type(other))),
        }
    }

    fn fill(&mut self, key: &str, text: &str) -> String {
        if text.split_once("${").is_some_and(|(_, rest)| rest.contains('}')) {
            self.literals.push(key.to_owned());
        }
        for used in placeholders(text) {
            if let Some(value) = self.environment.get(used.name) {
                self.filled_in.add(used.name, &value);
            }
        }
        let (filled, missing) = self.environment.fill(text);
        self.missing.extend(missing);
        filled
    }

    fn pairs(
        &mut self,
        key: &str,
        mut read: impl FnMut(&mut Self, &str, &Value) -> Result<String, Refused>,
    ) -> Result<Vec<(String, String)>, Refused> {
        match self.object.get(key) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Object(members)) => members
                .iter()
                .map(|(name, value)| Ok((name.clone(), read(self, &format!("{key}.{name}"), value)?)))
                .collect(),
            Some(other) => refused(format!("`{key}` is {}; write an object", json_type(other))),
        }
    }

    fn flag(&self, key: &str) -> Result<bool, Refused> {
        match self.object.get(key) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(other) => refused(format!("`{key}` is {}; write `true` or `false`", json_type(other))),
        }
    }

    /// A list that cannot be read must not open everything, so its faults cost the whole entry (S7).
    fn allowed_tools(&self) -> Result<Option<Vec<String>>, Refused> {
        let wanted = "write a list of tool names or globs";
        let globs = match self.object.get("allowedTools") {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::Array(globs)) => globs,
            Some(other) => return refused(format!("`allowedTools` is {}; {wanted}", json_type(other))),
        };
        let globs: Option<Vec<String>> = globs.iter().map(|glob| glob.as_str().map(str::to_owned)).collect();
        let Some(globs) = globs else {
            return refused(format!("`allowedTools` holds something that is no string; {wanted}"));
        };
        match Allowlist::default().narrow(&globs) {
            Ok(()) => Ok(Some(globs)),
            Err(error) => refused(format!("`allowedTools` does not parse: {error}; {wanted}")),
        }
    }

    fn seconds(&self, key: &str) -> Result<Option<Duration>, Refused> {
        let wanted = "write a number of seconds above 0";
        match self.object.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Number(number)) => {
                let seconds = number.as_f64().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                match seconds.filter(|seconds| !seconds.is_zero()) {
                    Some(seconds) => Ok(Some(seconds)),
                    None => refused(format!("`{key}` is {number}; {wanted}")),
                }
            }
            Some(other) => refused(format!("`{key}` is {}; {wanted}", json_type(other))),
        }
    }
}

/// A JSON type as a message says it.
fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn refused<T>(sentence: impl Into<String>) -> Result<T, Refused> {
    Err(Refused(sentence.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ProcessEnv;
    use serde_json::json;

    fn parse(oauth: &Value) -> Result<Option<OAuth>, Refused> {
        let environment = Environment::new(ProcessEnv::of(&[("DOCS_SECRET", "hunter2")]));
        let entry = json!({"url": "https://a/mcp", "oauth": oauth});
        let parsed = parse_entry(ServerName::new("docs").unwrap(), &entry, &environment)?;
        assert_eq!((parsed.missing, parsed.unknown), (Vec::<String>::new(), Vec::<String>::new()));
        Ok(parsed.entry.oauth)
    }

    #[test]
    fn a_client_that_was_registered_by_hand_is_read_with_its_secret_filled_and_never_shown() {
        let oauth = json!({"clientId": "c", "clientSecret": "{{DOCS_SECRET}}", "scopes": ["a"], "callbackPort": 8765});
        let oauth = parse(&oauth).unwrap().unwrap();
        assert_eq!(oauth.client_secret.as_deref(), Some("hunter2"));
        assert_eq!((oauth.client_id.as_deref(), oauth.callback_port), (Some("c"), Some(8765)));
        assert!(!format!("{oauth:?}").contains("hunter2"));
        assert_eq!(parse(&json!({})).unwrap(), Some(OAuth::default()));
        assert_eq!(parse(&Value::Null).unwrap(), None);
    }

    #[test]
    fn an_oauth_that_is_not_usable_says_what_to_write() {
        let told = [
            json!([]),
            json!({"clientId": 7}),
            json!({"scopes": "a b"}),
            json!({"scopes": [1]}),
            json!({"callbackPort": 0}),
        ]
        .map(|oauth| parse(&oauth).unwrap_err().0);
        insta::assert_snapshot!(told.join("\n"), @r"
        `oauth` is a list; write an object
        `oauth.clientId` is a number; write a string
        `oauth.scopes` is a string; write a list of strings
        `oauth.scopes` holds something that is no string; write a list of strings
        `oauth.callbackPort` is no port; write a number from 1 to 65535
        ");
    }
}
