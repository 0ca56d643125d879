//! `coyote mcp auth <server>`: the only place that starts a login (S47).
//!
//! The page's host and address are shown before a browser is asked to open it, and only a web page is opened. The tokens
//! are kept for the server's URL.

use crate::cli::{
    exit::{Failed, Failure, Status},
    hints,
    host::Host,
};
use crate::config::{ConfiguredServer, MissingSecret, TokenFile, placeholders};
use crate::mcp::{Client, Landing, OAuth, ServerEntry, Transport, Web, options};
use crate::{app_state::AppState, log, report::Report};
use mcp_catalog::{
    PortError, deadline,
    sdk::{
        http::{HttpOptions, connect_http},
        login::{Login, LoginError, LoginRequest, TokenStore},
    },
};
use mcp_render::{Code, ErrorShape, shown};
use std::{sync::Arc, time::Duration};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// Log in at a server behind a URL
///
/// The login page is opened in the browser, and its address is printed.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct AuthArgs {
    /// The server's key in mcp.json
    server: String,
    /// Print the address only
    #[arg(long)]
    no_browser: bool,
    /// Forget the tokens of an earlier login instead
    #[arg(long, conflicts_with = "no_browser")]
    forget: bool,
}

impl AuthArgs {
    pub(in crate::cli) async fn run(self, host: &Host) -> Result<Status, Failed> {
        host.warn(Some(&self.server));
        let server = host.app.servers.get(&self.server).map_err(Failure::start)?;
        if self.forget {
            self.forget(host, server)?;
            return Ok(Status::Done);
        }
        let entry = server.startable().map_err(|why| Failure::start(why.shape()))?;
        let Transport::Http { url, headers } = &entry.transport else { return Err(self.nowhere().into()) };
        log::hide(&entry.filled_in);
        let web = Web::new(Arc::clone(&host.app.tokens));
        let plain = options(entry, url, headers, &Client::default());
        let challenge = challenge(host, entry, &web, plain.clone()).await?;
        let oauth = entry.oauth.clone().unwrap_or_default();
        let landing = Landing::new(oauth.callback_port.unwrap_or_default()).await;
        let landing = landing.map_err(|error| failed(entry, &format!("No port for the redirect: {error}")))?;
        let request = request(url, &landing, oauth, challenge);
        let begin = Box::pin(Login::begin(request, Arc::clone(&host.app.tokens)));
        let login = bounded(host, entry, deadline::HANDSHAKE, "the login service", begin).await?;
        let login = login.map_err(|error| refused(entry, &error))?;
        self.show(host, &login);
        let landed = bounded(host, entry, deadline::LOGIN, "the browser", landing.landed()).await?;
        let landed = landed.map_err(|error| failed(entry, &error.to_string()))?;
        let finish = login.finish(&landed);
        let finished = bounded(host, entry, deadline::HANDSHAKE, "the login service", finish).await?;
        finished.map_err(|error| refused(entry, &error))?;
        let options = HttpOptions { tokens: Some(Arc::clone(&host.app.tokens)), ..plain };
        let connected = host.until_cancelled(connect_http(client(host, entry, &web)?, options)).await?;
        let port = connected.map_err(|error| unreachable(host, entry, error))?;
        port.close().await;
        host.report.note(format!("Logged in at `{}`; the tokens are in {}", self.server, kept_in(host, url)));
        Ok(Status::Done)
    }

    /// Forgets a login. That needs the address and nothing else: neither a secret of a header nor a server that may be
    /// started.
    fn forget(&self, host: &Host, server: &ConfiguredServer) -> Result<(), Failure> {
        let Transport::Http { url, .. } = &server.entry.transport else { return Err(self.nowhere()) };
        if let (Some(missing), Some(found)) = (&server.missing, placeholders(url).next()) {
            // Tokens are kept by the whole address (S47).
            let missing = MissingSecret { name: found.name.to_owned(), ..missing.clone() };
            let sentence = format!(
                "The `url` of server `{}` holds `{{{{{}}}}}`, which is not set, so it is not known which tokens to forget",
                self.server, missing.name
            );
            return Err(Failure::usage(sentence, missing.hint()));
        }
        host.app.tokens.clear(url).map_err(|error| failed(&server.entry, &error.to_string()))?;
        host.report.note(format!("The tokens for `{}` are forgotten", self.server));
        Ok(())
    }

    fn nowhere(&self) -> Failure {
        let sentence = format!("Server `{}` is not reached by a URL, so there is nowhere to log in", self.server);
        Failure::usage(sentence, "Only a server with `url` in mcp.json can be logged in at")
    }

    fn show(&self, host: &Host, login: &Login) {
        let at = login.host().unwrap_or_default();
        host.report.note(format!("Log in at {}: {}", shown(&at), shown(login.url())));
        if !self.no_browser
            && let Err(error) = open::that_detached(login.url())
        {
            host.report.warn(format!("No browser could be opened ({error}); open the address by hand"));
        }
    }
}

/// Logs in at a server for a host that is running (`.mcp auth`); the same login in every respect.
pub(crate) async fn log_in(
    app: Arc<AppState>,
    report: Arc<Report>,
    cancel: CancellationToken,
    server: &str,
) -> Result<(), ErrorShape> {
    let arguments = AuthArgs { server: server.to_owned(), no_browser: false, forget: false };
    let host = Host { app, report, cancel, workspace: true };
    arguments.run(&host).await.map(drop).map_err(|failed| failed.failure.shape)
}

/// What the server asks of a login. One that answers without is logged in at all the same: it may guard its tools only.
async fn challenge(
    host: &Host,
    entry: &ServerEntry,
    web: &Web,
    options: HttpOptions,
) -> Result<Option<String>, Failure> {
    let said = options.challenge.clone();
    match host.until_cancelled(connect_http(client(host, entry, web)?, options)).await? {
        Ok(port) => {
            port.close().await;
            host.report.note(format!("`{}` answers without a login; it may want one for what it offers", entry.name));
            Ok(None)
        }
        Err(PortError::AuthRequired) => Ok(said.get()),
        Err(error) => Err(unreachable(host, entry, error)),
    }
}

fn client(host: &Host, entry: &ServerEntry, web: &Web) -> Result<mcp_catalog::sdk::http::HttpClient, Failure> {
    web.client().map_err(|error| unreachable(host, entry, error))
}

/// The server did not start, before the login or after it.
fn unreachable(host: &Host, entry: &ServerEntry, error: PortError) -> Failure {
    Failure::start(hints::start(&entry.name, &entry.filled_in.failure(error), &host.app))
}

fn request(url: &str, landing: &Landing, oauth: OAuth, challenge: Option<String>) -> LoginRequest {
    LoginRequest {
        resource: url.to_owned(),
        redirect: landing.redirect(),
        client_name: Client::default().name,
        client_id: oauth.client_id,
        client_secret: oauth.client_secret,
        client_metadata_url: None,
        scopes: oauth.scopes,
        challenge,
    }
}

async fn bounded<T>(
    host: &Host,
    entry: &ServerEntry,
    limit: Duration,
    who: &str,
    step: impl Future<Output = T>,
) -> Result<T, Failure> {
    let late = |_| failed(entry, &format!("No answer of {who} in {} s", limit.as_secs()));
    host.until_cancelled(timeout(limit, step)).await?.map_err(late)
}

fn refused(entry: &ServerEntry, error: &LoginError) -> Failure {
    failed(entry, &error.to_string())
}

fn failed(entry: &ServerEntry, sentence: &str) -> Failure {
    Failure::start(ErrorShape {
        tool_call_error: hints::named(entry.name.as_str(), &entry.filled_in.redacted(sentence)),
        code: Code::AuthRequired,
        hint: format!(
            "Run `coyote mcp auth '{}'` again, give its `oauth` a `clientId`, or write a token into its `headers`",
            entry.name
        ),
        closest: Vec::new(),
    })
}

/// Where the tokens for `url` are now.
fn kept_in(host: &Host, url: &str) -> String {
    let file = host.app.paths.tokens_file();
    if TokenFile::new(file.clone()).load(url).is_ok_and(|tokens| tokens.is_some()) {
        format!("`{}`", file.display())
    } else {
        "the system's store of secrets".to_owned()
    }
}
