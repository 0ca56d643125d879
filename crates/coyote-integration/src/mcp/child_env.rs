//! What a server's process inherits (S18).
//!
//! A server that the user configured gets the environment that this process was started with; `.env` is not in it. A
//! workspace's server is a stranger's: it gets a fixed list of names, so that no key of the user's reaches it unasked.

use super::Origin;
use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fmt,
};

/// What a workspace's server inherits: who and where the user is, and how to reach the network.
const ALLOWED: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "SHELL",
    "LANG",
    "TERM",
    "TMPDIR",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
];
/// Without these a process on Windows does not start, or does not find its files.
const ALLOWED_ON_WINDOWS: &[&str] = &["SYSTEMROOT", "APPDATA"];
/// The locale's own variables.
const ALLOWED_PREFIX: &str = "LC_";

/// The environment that this process was started with, before any `.env`. `Debug` shows names only (S47).
#[derive(Clone, PartialEq, Eq)]
pub struct ParentEnv(BTreeMap<OsString, OsString>);

impl ParentEnv {
    /// This process's own.
    pub fn inherited() -> Self {
        std::env::vars_os().collect()
    }

    /// The environment of a server: what its origin lets it inherit, and what its entry sets on top.
    pub fn child(&self, origin: Origin, own: &[(String, String)]) -> ChildEnv {
        let inherited = self.0.iter().filter(|(name, _)| match origin {
            Origin::User | Origin::Embedded => true,
            Origin::Workspace => allowed(name, cfg!(windows)),
        });
        let mut variables: BTreeMap<OsString, OsString> =
            inherited.map(|(name, value)| (name.clone(), value.clone())).collect();
        for (name, value) in own {
            if cfg!(windows) {
                variables.retain(|inherited, _| !inherited.eq_ignore_ascii_case(name));
            }
            variables.insert(name.into(), value.into());
        }
        ChildEnv(variables)
    }
}

impl ParentEnv {
    /// The environment of a program on this machine that is no server: everything but these names (S47).
    pub fn without<T: AsRef<str>>(&self, withheld: &[T]) -> ChildEnv {
        let is = |name: &OsStr, withheld: &str| {
            if cfg!(windows) { name.eq_ignore_ascii_case(withheld) } else { name == withheld }
        };
        let kept = self.0.iter().filter(|(name, _)| !withheld.iter().any(|withheld| is(name, withheld.as_ref())));
        ChildEnv(kept.map(|(name, value)| (name.clone(), value.clone())).collect())
    }
}

impl FromIterator<(OsString, OsString)> for ParentEnv {
    fn from_iter<I: IntoIterator<Item = (OsString, OsString)>>(variables: I) -> Self {
        Self(variables.into_iter().collect())
    }
}

impl fmt::Debug for ParentEnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// The whole environment of one server.
#[derive(Clone, PartialEq, Eq)]
pub struct ChildEnv(BTreeMap<OsString, OsString>);

impl ChildEnv {
    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        let same =
            |own: &&OsString| if cfg!(windows) { own.eq_ignore_ascii_case(name) } else { own.as_os_str() == name };
        self.0.keys().find(same).and_then(|own| self.0.get(own)).map(OsString::as_os_str)
    }

    /// All variables, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

impl fmt::Debug for ChildEnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

fn allowed(name: &OsStr, windows: bool) -> bool {
    let Some(name) = name.to_str() else { return false };
    if windows {
        let mut names = ALLOWED.iter().chain(ALLOWED_ON_WINDOWS);
        return name.starts_with(ALLOWED_PREFIX) || names.any(|allowed| allowed.eq_ignore_ascii_case(name));
    }
    name.starts_with(ALLOWED_PREFIX) || ALLOWED.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parent() -> ParentEnv {
        let pairs = [
            ("PATH", "/bin"),
            ("HOME", "/home/ann"),
            ("LC_ALL", "C.UTF-8"),
            ("https_proxy", "http://proxy:1"),
            ("NODE_EXTRA_CA_CERTS", "/ca.pem"),
            ("OPENAI_API_KEY", "sk-1"),
            ("PATHOLOGY", "x"),
            ("AWS_SECRET_ACCESS_KEY", "s"),
        ];
        pairs.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect()
    }

    fn names(env: &ChildEnv) -> Vec<&str> {
        env.iter().filter_map(|(name, _)| name.to_str()).collect()
    }

    #[test]
    fn a_users_own_server_inherits_everything_and_its_entry_wins() {
        let env =
            parent().child(Origin::User, &[("HOME".to_owned(), "/srv".to_owned()), ("NEW".to_owned(), "1".to_owned())]);
        assert_eq!(env.get("OPENAI_API_KEY"), Some(OsStr::new("sk-1")));
        assert_eq!(env.get("HOME"), Some(OsStr::new("/srv")));
        assert_eq!(env.get("NEW"), Some(OsStr::new("1")));
        assert_eq!(env.iter().count(), 9);
    }

    #[test]
    fn a_workspace_server_inherits_only_the_listed_names() {
        let env = parent().child(Origin::Workspace, &[("TOKEN".to_owned(), "t".to_owned())]);
        assert_eq!(names(&env), ["HOME", "LC_ALL", "NODE_EXTRA_CA_CERTS", "PATH", "TOKEN", "https_proxy"]);
    }

    #[test]
    fn names_are_compared_without_case_on_windows_only() {
        assert!(allowed(OsStr::new("SystemRoot"), true) && allowed(OsStr::new("Path"), true));
        assert!(!allowed(OsStr::new("SystemRoot"), false) && !allowed(OsStr::new("Path"), false));
    }

    #[test]
    fn an_environment_shown_for_debugging_tells_no_value() {
        let shown = format!("{:?} {:?}", parent(), parent().child(Origin::User, &[]));
        assert!(shown.contains("OPENAI_API_KEY") && !shown.contains("sk-1"), "{shown}");
    }
}
