//! `coyote mcp functions [server]`: the declarations a model would get, as JSON.

use crate::cli::{
    exit::{Failed, Status},
    host::Host,
};
use crate::{context::Scope, functions::NoLocalTools};
use serde_json::Value;

/// Print the functions that a model would get, as JSON
///
/// Without a server: those of every configured server that starts.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct FunctionsArgs {
    /// Only this server's; no other is started
    server: Option<String>,
}

impl FunctionsArgs {
    pub(in crate::cli) fn server(&self) -> Option<&str> {
        self.server.as_deref()
    }

    pub(in crate::cli) async fn run(self, host: &Host) -> Result<Status, Failed> {
        let scope = match &self.server {
            Some(server) => host.open(server).await?.scope,
            None => all(host).await?,
        };
        scope.declared.warnings.iter().for_each(|warning| host.report.warn(warning));
        host.report.json(&declarations(&scope), true);
        Ok(Status::Done)
    }
}

/// Every enabled server, started at once. One that fails is a warning, and the rest work (S14).
async fn all(host: &Host) -> Result<Scope, Failed> {
    host.warn(None);
    host.start(&host.app.servers.enabled(None).servers).await?;
    Ok(Scope::new(&host.app, host.app.registry.runtime(), &NoLocalTools))
}

fn declarations(scope: &Scope) -> Value {
    scope.declared.functions.iter().map(mcp_meta::Declaration::to_value).collect()
}
