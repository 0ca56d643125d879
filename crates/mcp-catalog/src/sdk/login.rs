//! Logins of servers behind a URL: OAuth 2.1 as the specification of MCP has it (S47).
//!
//! Discovery, registration, PKCE, the exchange and every renewal are the SDK's. This module binds tokens to the URL they
//! were given for, keeps the secret of a client that registered itself beside them, which the SDK does not, and hands the two steps that need a person to its caller: [`Login::url`] is to be opened in a browser,
//! and [`Login::finish`] wants the address that the browser was sent to. It opens nothing and listens nowhere.

use super::http::failure;
use crate::{PortError, excerpt, server_text};
use async_trait::async_trait;
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationRequest, AuthorizationSession, CredentialStore, OAuthClientConfig,
    StoredCredentials,
};
use serde::{Deserialize, Serialize};
use std::{
    fmt, io,
    sync::{Arc, Mutex, PoisonError},
};
use thiserror::Error;
use url::Url;

/// Where the tokens of one server are kept: a text that is nobody's business but this module's. It holds secrets.
pub trait TokenStore: Send + Sync {
    /// What was saved last for `resource`.
    fn load(&self, resource: &str) -> io::Result<Option<String>>;

    /// Keeps `tokens` for `resource`, and for no other.
    fn save(&self, resource: &str, tokens: &str) -> io::Result<()>;

    /// Forgets them.
    fn clear(&self, resource: &str) -> io::Result<()>;
}

/// A login that failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoginError {
    /// The server, or who vouches for it, cannot or will not log in.
    #[error("Login failed: {0}")]
    Refused(String),
    /// The page that should be opened is not on the web.
    #[error("Login page `{0}` is not opened: only `https://` and `http://` pages are")]
    NoWebPage(String),
    /// Tokens could not be read or kept.
    #[error("Tokens could not be kept: {0}")]
    Store(String),
}

/// What a login needs to know.
#[derive(Debug, Clone, Default)]
pub struct LoginRequest {
    /// The server's endpoint; tokens are bound to it.
    pub resource: String,
    /// Where the browser is sent in the end.
    pub redirect: String,
    /// This client's name, as the login page shows it.
    pub client_name: String,
    /// The client that was registered by hand, if there is one.
    pub client_id: Option<String>,
    /// Its secret.
    pub client_secret: Option<String>,
    /// Where this client describes itself, for servers that read that in place of a registration.
    pub client_metadata_url: Option<String>,
    /// What is asked for; empty lets the server's metadata decide.
    pub scopes: Vec<String>,
    /// The server's `WWW-Authenticate`, where one was seen.
    pub challenge: Option<String>,
}

/// A login that waits for a person.
pub struct Login {
    session: AuthorizationSession,
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Login")
    }
}

impl Login {
    /// Finds who vouches for the server, and registers this client there where that is needed.
    pub async fn begin(request: LoginRequest, store: Arc<dyn TokenStore>) -> Result<Self, LoginError> {
        let secret = Secret::default();
        let mut manager = manager(&request.resource, store, &secret).await?;
        let resolved = manager.resolve_metadata_from_challenge(request.challenge.as_deref()).await?;
        let describes_itself = request.client_metadata_url.is_some()
            && resolved.metadata.additional_fields.get("client_id_metadata_document_supported")
                == Some(&serde_json::Value::Bool(true));
        manager.set_metadata(resolved.metadata);
        let mut wanted = AuthorizationRequest::new(request.redirect.as_str())
            .with_client_name(request.client_name.as_str())
            .with_initial_scope_selection();
        let client = if let Some(id) = request.client_id {
            Some((id, request.client_secret))
        } else if describes_itself {
            None
        } else {
            // The SDK would do this in the next step, and show the secret to nobody.
            let scopes = scopes(&manager, &request.scopes).await;
            let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
            let client = manager.register_client(&request.client_name, &request.redirect, &scopes).await?;
            secret.set(client.client_secret.clone());
            Some((client.client_id, client.client_secret))
        };
        wanted = wanted.with_scopes(request.scopes);
        if let Some((id, client_secret)) = client {
            wanted = wanted.with_preregistered_client(id);
            if let Some(client_secret) = client_secret {
                wanted = wanted.with_client_secret(client_secret);
            }
        }
        if let Some(url) = request.client_metadata_url {
            wanted = wanted.with_client_metadata_url(url);
        }
        if let Some(challenge) = request.challenge {
            wanted = wanted.with_challenge(challenge);
        }
        let session = AuthorizationSession::new(manager, wanted).await.map_err(|(_, error)| error)?;
        match Url::parse(session.get_authorization_url()) {
            Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(Self { session }),
            _ => Err(LoginError::NoWebPage(excerpt::excerpt(&session.auth_url, excerpt::NAME_MAX_BYTES))),
        }
    }

    /// The page to open.
    pub fn url(&self) -> &str {
        self.session.get_authorization_url()
    }

    /// The page's host, to be shown before it is opened.
    pub fn host(&self) -> Option<String> {
        Url::parse(self.url()).ok()?.host_str().map(str::to_owned)
    }

    /// Takes the address that the browser was sent to, exchanges its code for tokens and keeps them.
    pub async fn finish(self, redirected: &str) -> Result<(), LoginError> {
        if let Some(refusal) = refusal(redirected) {
            return Err(LoginError::Refused(refusal));
        }
        self.session.handle_callback_url(redirected).await?;
        Ok(())
    }
}

/// What is asked for: what was wished, or what the server says.
async fn scopes(manager: &AuthorizationManager, wished: &[String]) -> Vec<String> {
    if wished.is_empty() { manager.select_initial_scopes(&[]).await } else { wished.to_vec() }
}

/// A client that was registered by hand, whose secret is its user's to keep.
#[derive(Clone, PartialEq, Eq)]
pub struct OwnClient {
    /// Its id.
    pub id: String,
    /// Its secret.
    pub secret: Option<String>,
}

impl fmt::Debug for OwnClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OwnClient")
    }
}

/// The tokens of an earlier login, ready to be sent and renewed; `None` without one.
pub(super) async fn stored(
    resource: &str,
    store: Arc<dyn TokenStore>,
    own: Option<OwnClient>,
) -> Result<Option<AuthorizationManager>, PortError> {
    let failed = |error: LoginError| PortError::HandshakeFailed { cause: error.to_string() };
    let text = store.load(resource).map_err(|error| failed(LoginError::Store(error.to_string())))?;
    let Some(text) = text else { return Ok(None) };
    let kept = serde_json::from_str::<Kept>(&text).ok();
    let secret = Secret::default();
    secret.set(kept.as_ref().and_then(|kept| kept.client_secret.clone()));
    let mut manager = manager(resource, store, &secret).await.map_err(failed)?;
    let usable = manager.initialize_from_store().await.map_err(|error| failed(error.into()))?;
    let Some(kept) = kept.filter(|_| usable) else { return Ok(None) };
    let id = kept.credentials.client_id;
    let own = own.filter(|own| own.id == id).and_then(|own| own.secret);
    // Without it a confidential client's renewal is refused.
    if let Some(secret) = own.or(kept.client_secret) {
        let client = OAuthClientConfig::new(id, resource).with_client_secret(secret);
        manager.configure_client(client).map_err(|error| failed(error.into()))?;
    }
    Ok(Some(manager))
}

async fn manager(
    resource: &str,
    store: Arc<dyn TokenStore>,
    secret: &Secret,
) -> Result<AuthorizationManager, LoginError> {
    // The user wrote the URL; who vouches for it may be inside the same company. Link-local addresses stay refused.
    let mut manager = AuthorizationManager::new_allowing_private_addresses(resource).await?;
    manager.set_credential_store(Bound { resource: resource.to_owned(), store, secret: secret.clone() });
    Ok(manager)
}

/// What the login page said when it sent the browser back without a code.
fn refusal(redirected: &str) -> Option<String> {
    let url = Url::parse(redirected).ok()?;
    let value = |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
    let error = value("error")?;
    Some(server_text(&match value("error_description") {
        Some(description) => format!("{error}: {description}"),
        None => error,
    }))
}

impl From<AuthError> for LoginError {
    fn from(error: AuthError) -> Self {
        match error {
            AuthError::CredentialStoreError(cause) => Self::Store(cause),
            other => Self::Refused(failure::root(&other)),
        }
    }
}

/// The secret that a client was given when it registered itself. Clones share it.
#[derive(Clone, Default)]
struct Secret(Arc<Mutex<Option<String>>>);

impl Secret {
    fn set(&self, secret: Option<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = secret;
    }

    fn get(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// What is kept: the SDK's own record, and beside its members the secret.
#[derive(Serialize, Deserialize)]
struct Kept {
    #[serde(flatten)]
    credentials: StoredCredentials,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    client_secret: Option<String>,
}

/// A store and the one resource that it is asked for.
struct Bound {
    resource: String,
    store: Arc<dyn TokenStore>,
    secret: Secret,
}

fn failed(error: &io::Error) -> AuthError {
    AuthError::CredentialStoreError(error.to_string())
}

#[async_trait]
impl CredentialStore for Bound {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        let text = self.store.load(&self.resource).map_err(|error| failed(&error))?;
        // Tokens that cannot be read are none: a new login writes them again.
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        let kept = Kept { credentials, client_secret: self.secret.get() };
        let text = serde_json::to_string(&kept).map_err(|error| AuthError::CredentialStoreError(error.to_string()))?;
        self.store.save(&self.resource, &text).map_err(|error| failed(&error))
    }

    async fn clear(&self) -> Result<(), AuthError> {
        self.store.clear(&self.resource).map_err(|error| failed(&error))
    }
}
