//! Where the files are (host.md "Files"): the environment first, then the platform's directories.
//!
//! It creates nothing until somebody writes: `coyote --version` leaves no trace. What it creates is the user's alone
//! (S47): directories 0700.

use super::{DeadLink, Environment, Warning};
use etcetera::BaseStrategy;
use std::{
    io,
    path::{Path, PathBuf},
};
use thiserror::Error;

/// The name of our directory in the platform's.
const PROGRAM: &str = "coyote";

/// The platform's own directories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlatformDirs {
    /// For configuration.
    pub config: PathBuf,
    /// For caches.
    pub cache: PathBuf,
}

impl PlatformDirs {
    /// Asks the platform; `None` when it knows no home directory.
    pub fn find() -> Option<Self> {
        let dirs = etcetera::base_strategy::choose_native_strategy().ok()?;
        Some(Self { config: dirs.config_dir(), cache: dirs.cache_dir() })
    }
}

/// No directory can be named.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PathsError {
    /// There is neither an override nor a home directory.
    #[error("Home directory is unknown, so there is no place for the {what}. Set `{variable}` to a directory")]
    NoHome {
        /// What has no place.
        what: &'static str,
        /// The variable that gives it one.
        variable: &'static str,
    },
}

/// Every path that coyote uses by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// The configuration directory.
    pub config_dir: PathBuf,
    /// The cache directory.
    pub cache_dir: PathBuf,
    /// `config.yaml`.
    pub config_file: PathBuf,
    /// `.env`.
    pub env_file: PathBuf,
    /// Roles: `<name>.md`.
    pub roles_dir: PathBuf,
    /// Agents: `<name>/config.yaml`.
    pub agents_dir: PathBuf,
    /// Sessions: `<name>.yaml`.
    pub sessions_dir: PathBuf,
    /// Macros: `<name>.yaml`.
    pub macros_dir: PathBuf,
    /// Local tools: `functions.json` and `bin/`.
    pub functions_dir: PathBuf,
}

impl Paths {
    /// The paths that the environment and the platform give. `.env` is read on the way, since it may name the others.
    pub fn find(environment: &mut Environment, platform: Option<&PlatformDirs>) -> Result<Self, PathsError> {
        let config_dir = Place::CONFIG.find(environment, platform.map(|dirs| dirs.config.as_path()))?;
        let env_file = over(environment, "COYOTE_ENV_FILE").unwrap_or_else(|| config_dir.join(".env"));
        environment.read_file(&env_file);
        let cache_dir = Place::CACHE.find(environment, platform.map(|dirs| dirs.cache.as_path()))?;
        let config_file = over(environment, "COYOTE_CONFIG_FILE").unwrap_or_else(|| config_dir.join("config.yaml"));
        let dir = |variable: &str, name: &str| over(environment, variable).unwrap_or_else(|| config_dir.join(name));
        Ok(Self {
            roles_dir: dir("COYOTE_ROLES_DIR", "roles"),
            agents_dir: config_dir.join("agents"),
            sessions_dir: dir("COYOTE_SESSIONS_DIR", "sessions"),
            macros_dir: dir("COYOTE_MACROS_DIR", "macros"),
            functions_dir: dir("COYOTE_FUNCTIONS_DIR", "functions"),
            config_dir,
            cache_dir,
            config_file,
            env_file,
        })
    }

    /// Where the user's servers may stand; the first that exists counts.
    pub fn mcp_json(&self) -> [PathBuf; 2] {
        [self.config_dir.join("mcp.json"), self.config_dir.join("functions").join("mcp.json")]
    }

    /// The file of the agent of this name.
    pub fn agent_file(&self, name: &str) -> PathBuf {
        self.agents_dir.join(name).join("config.yaml")
    }

    /// The links in place of directories that lead nowhere: what stands there would seem to be absent. One that
    /// config.yaml's own error names is left out.
    pub fn dead_links(&self) -> Vec<Warning> {
        let named = DeadLink::at(&self.config_file).map(|link| link.link);
        let mut seen: Vec<PathBuf> = named.into_iter().collect();
        let dirs = [&self.roles_dir, &self.agents_dir, &self.sessions_dir, &self.macros_dir, &self.functions_dir];
        let mut warnings = Vec::new();
        for link in dirs.into_iter().filter_map(|dir| DeadLink::at(dir)) {
            if !seen.contains(&link.link) {
                warnings.push(Warning::hint(format!("{link}. Make that directory, or remove the link")));
                seen.push(link.link);
            }
        }
        warnings
    }

    /// Which workspace files are trusted.
    pub fn trust_file(&self) -> PathBuf {
        self.config_dir.join("trust.json")
    }

    /// Which tools are approved for good (S40).
    pub fn approvals_file(&self) -> PathBuf {
        self.config_dir.join("approvals.json")
    }

    /// The log.
    pub fn log_file(&self) -> PathBuf {
        self.cache_dir.join("coyote.log")
    }

    /// Every exchange, when `save` says so.
    pub fn messages_file(&self) -> PathBuf {
        self.cache_dir.join("messages.md")
    }

    /// The tokens of logins (S47).
    pub fn tokens_file(&self) -> PathBuf {
        self.config_dir.join("tokens.json")
    }

    /// The spill tree (S32).
    pub fn spill_dir(&self) -> PathBuf {
        self.cache_dir.join("mcp-resources")
    }
}

/// One directory and where its place may come from.
struct Place {
    what: &'static str,
    own: &'static str,
    xdg: &'static str,
}

impl Place {
    const CONFIG: Self = Self { what: "configuration", own: "COYOTE_CONFIG_DIR", xdg: "XDG_CONFIG_HOME" };
    const CACHE: Self = Self { what: "cache", own: "COYOTE_CACHE_DIR", xdg: "XDG_CACHE_HOME" };

    fn find(&self, environment: &Environment, platform: Option<&Path>) -> Result<PathBuf, PathsError> {
        if let Some(dir) = over(environment, self.own) {
            return Ok(dir);
        }
        // The XDG specification: a path that is not absolute is to be ignored.
        let xdg = environment.path(self.xdg).filter(|dir| dir.is_absolute());
        let base = xdg.as_deref().or(platform).ok_or(PathsError::NoHome { what: self.what, variable: self.own })?;
        Ok(base.join(PROGRAM))
    }
}

/// An override by the user: taken from where coyote was started when it is not absolute.
fn over(environment: &Environment, variable: &str) -> Option<PathBuf> {
    let given = environment.path(variable)?;
    Some(std::path::absolute(&given).unwrap_or(given))
}

/// Creates `dir` and its parents for this user alone (S47). A directory that exists keeps its mode: it may be shared on
/// purpose.
pub fn private_dir(dir: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ProcessEnv;

    fn platform() -> PlatformDirs {
        PlatformDirs { config: "/home/u/.config".into(), cache: "/home/u/.cache".into() }
    }

    fn find(variables: &[(&str, &str)]) -> Paths {
        Paths::find(&mut Environment::new(ProcessEnv::of(variables)), Some(&platform())).unwrap()
    }

    #[test]
    fn without_overrides_the_platforms_directories_are_used() {
        let paths = find(&[]);
        assert_eq!(paths.config_dir, Path::new("/home/u/.config/coyote"));
        assert_eq!(paths.env_file, Path::new("/home/u/.config/coyote/.env"));
        assert_eq!(paths.log_file(), Path::new("/home/u/.cache/coyote/coyote.log"));
        assert_eq!(paths.spill_dir(), Path::new("/home/u/.cache/coyote/mcp-resources"));
        assert_eq!(paths.mcp_json()[1], Path::new("/home/u/.config/coyote/functions/mcp.json"));
    }

    #[test]
    fn xdg_directories_come_before_the_platforms_and_ours_before_both() {
        let xdg = [("XDG_CONFIG_HOME", "/x/c"), ("XDG_CACHE_HOME", "/x/k")];
        assert_eq!(find(&xdg).config_dir, Path::new("/x/c/coyote"));
        assert_eq!(find(&xdg).cache_dir, Path::new("/x/k/coyote"));
        let own = [xdg[0], xdg[1], ("COYOTE_CONFIG_DIR", "/own"), ("COYOTE_CACHE_DIR", "/kept")];
        assert_eq!(find(&own).config_dir, Path::new("/own"));
        assert_eq!(find(&own).cache_dir, Path::new("/kept"));
        assert_eq!(find(&[("COYOTE_ENV_FILE", "/e/env")]).env_file, Path::new("/e/env"));
        assert_eq!(find(&[("COYOTE_CONFIG_FILE", "/e/c.yaml")]).config_file, Path::new("/e/c.yaml"));
    }

    #[test]
    fn roles_sessions_macros_and_functions_have_places_of_their_own() {
        let paths = find(&[("COYOTE_CONFIG_DIR", "/own"), ("COYOTE_ROLES_DIR", "/r"), ("COYOTE_FUNCTIONS_DIR", "/f")]);
        assert_eq!((paths.roles_dir.as_path(), paths.functions_dir.as_path()), (Path::new("/r"), Path::new("/f")));
        assert_eq!(paths.agents_dir, Path::new("/own/agents"));
        assert_eq!(paths.sessions_dir, Path::new("/own/sessions"));
        assert_eq!(find(&[("COYOTE_SESSIONS_DIR", "/s")]).sessions_dir, Path::new("/s"));
        assert_eq!(find(&[("COYOTE_MACROS_DIR", "/m")]).macros_dir, Path::new("/m"));
    }

    #[test]
    fn an_empty_override_and_a_relative_xdg_directory_count_as_absent() {
        let paths = find(&[("COYOTE_CONFIG_DIR", ""), ("XDG_CONFIG_HOME", "relative")]);
        assert_eq!(paths.config_dir, Path::new("/home/u/.config/coyote"));
    }

    #[test]
    fn the_cache_directory_may_be_named_in_the_env_file() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(".env"), "COYOTE_CACHE_DIR=/from/env/file\n").unwrap();
        let paths = find(&[("COYOTE_CONFIG_DIR", dir.path().to_str().unwrap())]);
        assert_eq!(paths.cache_dir, Path::new("/from/env/file"));
    }

    #[test]
    fn without_a_home_the_error_names_the_variable_to_set() {
        let error = Paths::find(&mut Environment::new(ProcessEnv::of(&[])), None).unwrap_err();
        insta::assert_snapshot!(error, @"Home directory is unknown, so there is no place for the configuration. Set `COYOTE_CONFIG_DIR` to a directory");
    }

    #[cfg(unix)]
    #[test]
    fn a_directory_that_coyote_makes_is_its_users_alone() {
        use std::os::unix::fs::PermissionsExt;
        let base = tempfile::tempdir().unwrap();
        let dir = base.path().join("a").join("b");
        private_dir(&dir).unwrap();
        for dir in [dir.as_path(), dir.parent().unwrap()] {
            assert_eq!(dir.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        }
    }
}
