//! What is shared by everything in this process and never changes: files, servers, stores (architecture.md).
//!
//! It is built once. Contexts hold their own scope; commands get a view of what they need.

use crate::{
    builtin,
    config::{
        AppConfig, Environment, McpJson, Paths, Servers, TokenFile, Trust, Warning, WorkspaceFile, read_config,
        read_mcp_json,
    },
    mcp::{Client, McpFactory, McpRegistry, ParentEnv, ServerEntry, Settling, Web},
    offload::BlockingThreads,
};
use mcp_catalog::{LruSnapshots, Offload, ServerName, SnapshotStore, sdk::login::TokenStore};
use mcp_meta::Allowlist;
use mcp_render::SpillStore;
use std::{fmt, path::Path, sync::Arc, time::Duration};

/// The shared state. A clone shares everything.
#[derive(Clone)]
pub struct AppState {
    /// Where the files are.
    pub paths: Arc<Paths>,
    /// The environment and `.env`.
    pub environment: Arc<Environment>,
    /// `config.yaml`.
    pub config: Arc<AppConfig>,
    /// The configured servers.
    pub servers: Servers,
    /// The servers of this process.
    pub registry: Arc<McpRegistry>,
    /// Where blobs go (S32).
    pub spills: Arc<SpillStore>,
    /// Pages of earlier reads (S28).
    pub snapshots: Arc<dyn SnapshotStore>,
    /// The tokens of logins.
    pub tokens: Arc<dyn TokenStore>,
    /// Where blocking work runs.
    pub offload: Arc<dyn Offload>,
    /// Links in place of directories that lead nowhere.
    pub dead_links: Arc<Vec<Warning>>,
}

impl AppState {
    /// Reads the user's files. What is wrong with them is in [`AppState::warnings`].
    pub fn load(paths: Paths, environment: Environment) -> Self {
        let (paths, environment) = (Arc::new(paths), Arc::new(environment));
        let servers = Self::read(&paths, &environment);
        let embedded = builtin::port(builtin::name(), Self::config_report(&paths, &environment));
        let tokens = Self::tokens(&paths);
        let factory = McpFactory::new(ParentEnv::inherited(), Client::default(), [embedded])
            .with_web(Web::new(Arc::clone(&tokens)));
        Self {
            registry: Arc::new(McpRegistry::new(Arc::new(factory))),
            spills: Arc::new(SpillStore::new(paths.spill_dir())),
            snapshots: Arc::new(LruSnapshots::default()),
            offload: Arc::new(BlockingThreads),
            tokens,
            config: Arc::new(read_config(&paths)),
            dead_links: Arc::new(paths.dead_links()),
            paths,
            environment,
            servers,
        }
    }

    fn tokens(paths: &Paths) -> Arc<dyn TokenStore> {
        let file = TokenFile::new(paths.tokens_file());
        #[cfg(feature = "keyring")]
        let file = crate::config::Keyring::new(file);
        Arc::new(file)
    }

    /// The same with the servers of a trusted workspace file.
    #[must_use]
    pub fn with_workspace(mut self, file: McpJson) -> Self {
        self.servers = self.servers.with_workspace(file);
        self
    }

    /// The same, knowing the keys of a workspace file that is not trusted.
    #[must_use]
    pub fn without_workspace(mut self, file: &McpJson) -> Self {
        self.servers = self.servers.without_workspace(file);
        self
    }

    /// The same after `mcp.json` was read again, with what there is to say about it. The workspace's file counts if it did
    /// before and is trusted as it is now. Servers that run go on.
    pub fn reread(&self, dir: &Path) -> (Self, Vec<String>) {
        let mut servers = Self::read(&self.paths, &self.environment);
        let mut warnings: Vec<String> = servers.warnings().iter().map(ToString::to_string).collect();
        if self.servers.uses_workspace() {
            match WorkspaceFile::find(dir) {
                Some(Ok(file)) if Trust::read(&self.paths).is_ok_and(|trust| trust.covers(&file)) => {
                    servers = servers.with_workspace(file.servers());
                }
                Some(Ok(file)) => {
                    servers = servers.without_workspace(&file.servers());
                    warnings
                        .push("The workspace file has changed and is not used; `coyote mcp trust` shows it".to_owned());
                }
                Some(Err(why)) => warnings.push(why),
                None => {}
            }
        }
        (Self { servers, ..self.clone() }, warnings)
    }

    /// What is wrong with the user's files.
    pub fn warnings(&self) -> impl Iterator<Item = &Warning> {
        let of_files = self.environment.warnings().iter().chain(&self.config.warnings);
        of_files.chain(self.dead_links.as_ref()).chain(self.servers.warnings())
    }

    /// The tools of a server that may be seen, when its entry limits them (S7).
    pub fn allowlist(&self, server: &ServerName) -> Option<Allowlist> {
        let configured = self.servers.get(server.as_str()).ok()?;
        let globs = configured.entry.allowed_tools.as_deref()?;
        let mut allow = Allowlist::default();
        // The globs compiled when the file was read. If they do not now, nothing is allowed rather than everything.
        if allow.narrow(globs).is_err() {
            drop(allow.narrow(&[]));
        }
        Some(allow)
    }

    /// Starts these servers at once; each is told as soon as it is connected or failed. Must be called within a runtime.
    pub fn start(&self, entries: impl IntoIterator<Item = ServerEntry>) -> Settling {
        self.registry.start(entries)
    }

    /// Ends every server at once (S18).
    pub async fn shut_down(&self, grace: Duration) {
        self.registry.shut_down(grace).await;
    }

    fn read(paths: &Paths, environment: &Environment) -> Servers {
        let [expected, _] = paths.mcp_json();
        let file: McpJson = read_mcp_json(paths, environment);
        Servers::new(file, expected)
    }

    fn config_report(paths: &Arc<Paths>, environment: &Arc<Environment>) -> builtin::ConfigReport {
        let (paths, environment) = (Arc::clone(paths), Arc::clone(environment));
        Arc::new(move || builtin::config_report(&Self::read(&paths, &environment), environment.warnings()))
    }
}

impl fmt::Debug for AppState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AppState").field("paths", &self.paths).field("servers", &self.servers).finish_non_exhaustive()
    }
}
