//! One configured server with everything resolved: what `mcp.json` becomes before a process is started.
//!
//! It reads no file and fills in no secret; the config floor has done both. Equal entries have equal [`SpecKey`]s: the
//! factory shares connections by that key, and approvals are bound to it (S40). A `{{NAME}}` may stand in each of its
//! texts, so `Debug` shows names and counts only (S47).

use super::FilledIn;
use mcp_catalog::ServerName;
use sha2::{Digest, Sha256};
use std::{fmt, path::PathBuf, time::Duration};

/// One server, resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerEntry {
    /// The server's key.
    pub name: ServerName,
    /// How it is reached.
    pub transport: Transport,
    /// Who configured it.
    pub origin: Origin,
    /// Globs of the tools that may be offered; `None` means all (S7).
    pub allowed_tools: Option<Vec<String>>,
    /// It is shown and never started.
    pub disabled: bool,
    /// The user's own file waives the approval of its tool calls (S40).
    pub trust: bool,
    /// `startup_timeout_sec`: the deadline of the whole start (S12).
    pub startup_timeout: Option<Duration>,
    /// `tool_timeout_sec`: the deadline of a call, a read and a prompt (S12).
    pub tool_timeout: Option<Duration>,
    /// `oauth`: what a login at a server behind a URL uses instead of registering by itself.
    pub oauth: Option<OAuth>,
    /// What `{{NAME}}` became in it; every other field holds the values (S47). It is no part of the key: they are.
    pub filled_in: FilledIn,
}

/// A client that was registered by hand.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct OAuth {
    /// `clientId`.
    pub client_id: Option<String>,
    /// `clientSecret`.
    pub client_secret: Option<String>,
    /// `scopes`; empty lets the server decide.
    pub scopes: Vec<String>,
    /// `callbackPort`: the port of the redirect, where it was registered with one.
    pub callback_port: Option<u16>,
}

impl fmt::Debug for OAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OAuth").field("scopes", &self.scopes).finish_non_exhaustive()
    }
}

impl ServerEntry {
    /// A user's own server with nothing but a name and a transport.
    pub fn new(name: ServerName, transport: Transport) -> Self {
        Self {
            name,
            transport,
            origin: Origin::User,
            allowed_tools: None,
            disabled: false,
            trust: false,
            startup_timeout: None,
            tool_timeout: None,
            oauth: None,
            filled_in: FilledIn::default(),
        }
    }

    /// The SHA-256 of every field in order. Each part is preceded by its length, so no two entries can be spelled alike.
    pub fn spec_key(&self) -> SpecKey {
        let mut spec = Spec(Sha256::new());
        spec.part(b"coyote server entry 1");
        spec.part(self.name.as_str().as_bytes());
        self.transport.write(&mut spec);
        spec.part(self.origin.as_str().as_bytes());
        spec.list(self.allowed_tools.as_deref());
        spec.flag(self.disabled);
        spec.flag(self.trust);
        spec.duration(self.startup_timeout);
        spec.duration(self.tool_timeout);
        // Only where it is: keys of entries without it stay what they were.
        if let Some(oauth) = &self.oauth {
            spec.part(b"oauth");
            spec.optional(oauth.client_id.as_deref().map(str::as_bytes));
            spec.optional(oauth.client_secret.as_deref().map(str::as_bytes));
            spec.list(Some(&oauth.scopes));
            spec.optional(oauth.callback_port.map(u16::to_le_bytes).as_ref().map(<[_; 2]>::as_slice));
        }
        SpecKey(spec.0.finalize().into())
    }
}

/// How a server is reached.
#[derive(Clone, PartialEq, Eq)]
pub enum Transport {
    /// A child process that speaks on its stdin and stdout.
    Stdio {
        /// The program: a name that is looked up in PATH, or a path; `~` is expanded.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// What is set in its environment on top of what S18 lets it inherit, in the file's order.
        env: Vec<(String, String)>,
        /// Its working directory; `~` is expanded.
        cwd: Option<PathBuf>,
    },
    /// Streamable HTTP.
    Http {
        /// The endpoint.
        url: String,
        /// Headers of every request, in the file's order.
        headers: Vec<(String, String)>,
    },
    /// An entry that names something this program does not do.
    Unsupported {
        /// What, and what to use in its place.
        reason: String,
    },
    /// The embedded server, in process.
    Embedded,
}

impl Transport {
    fn write(&self, spec: &mut Spec) {
        match self {
            Self::Stdio { command, args, env, cwd } => {
                spec.part(b"stdio");
                spec.part(command.as_bytes());
                spec.list(Some(args));
                spec.pairs(env);
                spec.optional(cwd.as_ref().map(|cwd| cwd.as_os_str().as_encoded_bytes()));
            }
            Self::Http { url, headers } => {
                spec.part(b"http");
                spec.part(url.as_bytes());
                spec.pairs(headers);
            }
            Self::Unsupported { reason } => {
                spec.part(b"unsupported");
                spec.part(reason.as_bytes());
            }
            Self::Embedded => spec.part(b"embedded"),
        }
    }
}

impl fmt::Debug for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |pairs: &[(String, String)]| pairs.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        match self {
            Self::Stdio { args, env, .. } => {
                f.debug_struct("Stdio").field("args", &args.len()).field("env", &names(env)).finish_non_exhaustive()
            }
            Self::Http { headers, .. } => {
                f.debug_struct("Http").field("headers", &names(headers)).finish_non_exhaustive()
            }
            Self::Unsupported { reason } => f.debug_struct("Unsupported").field("reason", reason).finish(),
            Self::Embedded => f.write_str("Embedded"),
        }
    }
}

/// Who configured a server. It decides what the child may inherit (S18) and whether `trust` counts (S40).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The user's own `mcp.json`.
    User,
    /// A file of the working directory: a stranger's until it is trusted.
    Workspace,
    /// Built in.
    Embedded,
}

impl Origin {
    /// The origin as it is shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Workspace => "workspace",
            Self::Embedded => "embedded",
        }
    }
}

/// What tells one specification from every other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SpecKey([u8; 32]);

impl SpecKey {
    /// The key's bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for SpecKey {
    /// 64 hex digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for SpecKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The hash's input.
struct Spec(Sha256);

impl Spec {
    fn part(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.0.update(bytes);
    }

    fn count(&mut self, count: usize) {
        self.0.update(u64::try_from(count).unwrap_or(u64::MAX).to_le_bytes());
    }

    fn flag(&mut self, on: bool) {
        self.part(&[u8::from(on)]);
    }

    /// `None` and an empty list differ: the first allows every tool, the second none.
    fn list<T: AsRef<[u8]>>(&mut self, parts: Option<&[T]>) {
        self.flag(parts.is_some());
        let parts = parts.unwrap_or_default();
        self.count(parts.len());
        for part in parts {
            self.part(part.as_ref());
        }
    }

    fn optional(&mut self, part: Option<&[u8]>) {
        self.flag(part.is_some());
        self.part(part.unwrap_or_default());
    }

    fn pairs(&mut self, pairs: &[(String, String)]) {
        self.count(pairs.len());
        for (name, value) in pairs {
            self.part(name.as_bytes());
            self.part(value.as_bytes());
        }
    }

    fn duration(&mut self, duration: Option<Duration>) {
        self.optional(duration.map(|duration| duration.as_nanos().to_le_bytes()).as_ref().map(<[_; 16]>::as_slice));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const ENV: [(&str, &str); 2] = [("KEY", "hunter2"), ("OTHER", "x")];

    fn entry() -> ServerEntry {
        let mut entry = ServerEntry::new(ServerName::new("docs").unwrap(), Transport::Embedded);
        stdio(&mut entry, "node", &["a", "b"], &ENV, None);
        entry
    }

    type Change = fn(&mut ServerEntry);

    /// The same server by another command, other arguments, another environment, or another directory.
    fn stdio(entry: &mut ServerEntry, command: &str, args: &[&str], env: &[(&str, &str)], cwd: Option<&str>) {
        entry.transport = Transport::Stdio {
            command: command.to_owned(),
            args: args.iter().map(ToString::to_string).collect(),
            env: env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            cwd: cwd.map(PathBuf::from),
        };
    }

    #[test]
    fn every_field_of_an_entry_changes_its_spec_key() {
        let changes: [Change; 24] = [
            |_| {},
            |e| e.name = ServerName::new("docs2").unwrap(),
            |e| stdio(e, "nod", &["a", "b"], &ENV, None),
            |e| stdio(e, "node", &["a", "b", ""], &ENV, None),
            |e| stdio(e, "node", &["ab", ""], &ENV, None),
            |e| stdio(e, "node", &["b", "a"], &ENV, None),
            |e| stdio(e, "node", &["a", "b"], &[("KEY", "hunter3"), ("OTHER", "x")], None),
            |e| stdio(e, "node", &["a", "b"], &[("OTHER", "x"), ("KEY", "hunter2")], None),
            |e| stdio(e, "node", &["a", "b"], &ENV, Some("")),
            |e| stdio(e, "node", &["a", "b"], &ENV, Some("/srv")),
            |e| e.transport = Transport::Http { url: "https://a/".to_owned(), headers: Vec::new() },
            |e| e.transport = Transport::Http { url: "https://a/".to_owned(), headers: vec![("k".into(), "v".into())] },
            |e| e.transport = Transport::Unsupported { reason: "sse".to_owned() },
            |e| e.transport = Transport::Embedded,
            |e| e.origin = Origin::Workspace,
            |e| e.allowed_tools = Some(Vec::new()),
            |e| e.allowed_tools = Some(vec!["get_*".to_owned()]),
            |e| e.disabled = true,
            |e| e.trust = true,
            |e| e.startup_timeout = Some(Duration::from_secs(5)),
            |e| e.tool_timeout = Some(Duration::from_secs(5)),
            |e| e.oauth = Some(OAuth::default()),
            |e| e.oauth = Some(OAuth { client_id: Some("a".to_owned()), ..OAuth::default() }),
            |e| e.oauth = Some(OAuth { scopes: vec!["a".to_owned()], callback_port: Some(80), ..OAuth::default() }),
        ];
        let keys: BTreeSet<SpecKey> = changes
            .iter()
            .map(|change| {
                let mut other = entry();
                change(&mut other);
                other.spec_key()
            })
            .collect();
        assert_eq!(keys.len(), changes.len());
        assert_eq!(entry().spec_key(), entry().spec_key());
    }

    /// Approvals on disk are bound to the key (S40): a release that spells it differently asks for all of them again.
    #[test]
    fn a_spec_key_is_the_same_in_every_release() {
        insta::assert_snapshot!(entry().spec_key(), @"bdd5fb3ef08a426b26f786a5a7e965e1c94b5772257697e4b2c0ab1d72aa03ab");
    }

    #[test]
    fn an_entry_shown_for_debugging_tells_names_and_no_value() {
        let mut entry = entry();
        stdio(&mut entry, "hunter2", &["hunter2"], &ENV, Some("/hunter2"));
        let shown = format!("{entry:?}");
        assert!(shown.contains("KEY") && !shown.contains("hunter2"), "{shown}");
        let headers = vec![("Authorization".to_owned(), "hunter2".to_owned())];
        entry.transport = Transport::Http { url: "https://a/hunter2".to_owned(), headers };
        let shown = format!("{entry:?}");
        assert!(shown.contains("Authorization") && !shown.contains("hunter2"), "{shown}");
    }
}
