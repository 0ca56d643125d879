//! A login from discovery to a renewed token, at a server that is its own authority (S47).

use super::*;
use crate::sdk::login::{Login, LoginError, LoginRequest, OwnClient};
use std::{
    collections::BTreeMap,
    io,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

#[derive(Debug, Default)]
struct Kept(Mutex<BTreeMap<String, String>>);

impl TokenStore for Kept {
    fn load(&self, resource: &str) -> io::Result<Option<String>> {
        Ok(self.0.lock().unwrap().get(resource).cloned())
    }

    fn save(&self, resource: &str, tokens: &str) -> io::Result<()> {
        self.0.lock().unwrap().insert(resource.to_owned(), tokens.to_owned());
        Ok(())
    }

    fn clear(&self, resource: &str) -> io::Result<()> {
        self.0.lock().unwrap().remove(resource);
        Ok(())
    }
}

/// Answers with `metadata`, registers everybody, and gives the tokens `t1`, `t2`, …; the last one alone is let in.
async fn authority(expires_in: u64) -> (Server, Arc<AtomicUsize>) {
    authority_for(expires_in, None).await
}

/// The same, with a secret for everybody who registers: nobody gets a token without it.
async fn authority_for(expires_in: u64, secret: Option<&'static str>) -> (Server, Arc<AtomicUsize>) {
    let given = Arc::new(AtomicUsize::new(0));
    let tokens = Arc::clone(&given);
    let server = Server::start(move |asked| {
        let origin = format!("http://{}", asked.header("host").unwrap_or_default());
        let path = asked.path.as_str();
        if path.starts_with("/.well-known/oauth-protected-resource") {
            return Reply::json(&json!({"resource": format!("{origin}/mcp"), "authorization_servers": [origin]}));
        }
        if path.starts_with("/.well-known/oauth-authorization-server") {
            return Reply::json(&json!({
                "issuer": origin, "authorization_endpoint": format!("{origin}/authorize"),
                "token_endpoint": format!("{origin}/token"), "registration_endpoint": format!("{origin}/register"),
                "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
                "token_endpoint_auth_methods_supported": [secret.map_or("none", |_| "client_secret_post")]
            }));
        }
        match path {
            "/register" => {
                let mut body = json!({"client_id": "c1", "redirect_uris": asked.body["redirect_uris"],
                    "token_endpoint_auth_method": secret.map_or("none", |_| "client_secret_post")});
                if let Some(secret) = secret {
                    body["client_secret"] = json!(secret);
                }
                Reply::of("201 Created", &[("Content-Type", "application/json")], &body.to_string())
            }
            "/token" if secret.is_some_and(|secret| !asked.text.contains(&format!("client_secret={secret}"))) => {
                Reply::of("401 Unauthorized", &[("Content-Type", "application/json")], r#"{"error": "invalid_client"}"#)
            }
            "/token" => {
                let token = format!("t{}", tokens.fetch_add(1, Relaxed) + 1);
                Reply::json(&json!({"access_token": token, "token_type": "Bearer", "expires_in": expires_in,
                    "refresh_token": "r"}))
            }
            "/mcp" if asked.verb == "POST" => {
                let last = format!("Bearer t{}", tokens.load(Relaxed));
                match asked.header("authorization") {
                    Some(sent) if sent == last && asked.method() == "tools/list" => good(asked),
                    Some(sent) if sent == last => Reply::Default,
                    _ => Reply::of("401 Unauthorized", &[("WWW-Authenticate", "Bearer")], ""),
                }
            }
            _ => Reply::Default,
        }
    })
    .await;
    (server, given)
}

fn request(server: &Server) -> LoginRequest {
    LoginRequest {
        resource: server.url(),
        redirect: "http://127.0.0.1:9/callback".to_owned(),
        client_name: "coyote".to_owned(),
        ..LoginRequest::default()
    }
}

async fn log_in(server: &Server, kept: &Arc<Kept>) {
    let _ = client();
    let login = Login::begin(request(server), Arc::clone(kept) as Arc<dyn TokenStore>).await.unwrap();
    let url = url::Url::parse(login.url()).unwrap();
    let value = |name: &str| url.query_pairs().find(|(key, _)| key == name).unwrap().1.into_owned();
    assert_eq!((login.host().as_deref(), url.path()), (Some("127.0.0.1"), "/authorize"));
    assert_eq!((value("code_challenge_method"), value("resource")), ("S256".to_owned(), server.url()));
    login.finish(&format!("http://127.0.0.1:9/callback?code=x&state={}", value("state"))).await.unwrap();
}

#[tokio::test]
async fn a_login_keeps_a_token_that_is_bound_to_the_url_and_sent_there() {
    let (server, _) = authority(3_600).await;
    let kept = Arc::new(Kept::default());
    log_in(&server, &kept).await;
    assert_eq!(kept.0.lock().unwrap().keys().collect::<Vec<_>>(), [&server.url()]);
    let token = server.wait_for(|asked| asked.path == "/token").await;
    assert!(token.text.contains("code_verifier=") && token.text.contains("resource="), "{}", token.text);
    let mut given = options(&server);
    given.tokens = Some(Arc::clone(&kept) as Arc<dyn TokenStore>);
    let port = connect_http(client(), given.clone()).await.unwrap();
    assert!(ask(&port).await.is_ok());
    // Another URL of the same server gets nothing.
    given.url = format!("{}/other", server.origin());
    connect_http(client(), given).await.unwrap();
    let other = server.wait_for(|asked| asked.path == "/other").await;
    assert_eq!(other.header("authorization"), None);
}

#[tokio::test]
async fn a_token_that_the_server_no_longer_takes_is_renewed_without_a_login() {
    let (server, given) = authority(3_600).await;
    let kept = Arc::new(Kept::default());
    log_in(&server, &kept).await;
    let mut wanted = options(&server);
    wanted.tokens = Some(Arc::clone(&kept) as Arc<dyn TokenStore>);
    let port = connect_http(client(), wanted).await.unwrap();
    given.fetch_add(1, Relaxed);
    assert!(ask(&port).await.is_ok());
    assert_eq!(given.load(Relaxed), 3);
    let renewal = server.wait_for(|asked| asked.text.contains("grant_type=refresh_token")).await;
    assert!(renewal.text.contains("refresh_token=r"), "{}", renewal.text);
}

/// S47: nothing but `coyote mcp auth` logs in, and an own `Authorization` header is sent alone.
#[tokio::test]
async fn without_tokens_a_server_that_wants_a_login_is_not_logged_in_at() {
    let (server, given) = authority(3_600).await;
    let mut wanted = options(&server);
    wanted.tokens = Some(Arc::new(Kept::default()) as Arc<dyn TokenStore>);
    assert_eq!(connect_http(client(), wanted.clone()).await.unwrap_err(), PortError::AuthRequired);
    wanted.headers = vec![("Authorization".to_owned(), "Bearer own".to_owned())];
    assert_eq!(connect_http(client(), wanted).await.unwrap_err(), PortError::AuthRequired);
    assert_eq!(given.load(Relaxed), 0);
    server.wait_for(|asked| asked.header("authorization") == Some("Bearer own")).await;
}

#[tokio::test]
async fn a_login_that_is_refused_or_answered_for_another_says_so() {
    let (server, _) = authority(3_600).await;
    let kept = Arc::new(Kept::default());
    let _ = client();
    let begin = || Login::begin(request(&server), Arc::clone(&kept) as Arc<dyn TokenStore>);
    let refused =
        begin().await.unwrap().finish("http://x/callback?error=access_denied&error_description=No&state=1").await;
    assert_eq!(refused.unwrap_err().to_string(), "Login failed: access_denied: No");
    let strange = begin().await.unwrap().finish("http://x/callback?code=1&state=forged").await;
    assert!(matches!(strange, Err(LoginError::Refused(_))));
    assert!(kept.0.lock().unwrap().is_empty());
}

/// The SDK keeps no secret of a client that registered itself; without it every renewal would end in a new login.
#[tokio::test]
async fn a_client_that_was_given_a_secret_shows_it_at_every_renewal() {
    let (server, given) = authority_for(3_600, Some("s3cret")).await;
    let kept = Arc::new(Kept::default());
    log_in(&server, &kept).await;
    let mut wanted = options(&server);
    wanted.tokens = Some(Arc::clone(&kept) as Arc<dyn TokenStore>);
    for tokens in [3, 5] {
        let port = connect_http(client(), wanted.clone()).await.unwrap();
        given.fetch_add(1, Relaxed);
        assert!(ask(&port).await.is_ok());
        assert_eq!(given.load(Relaxed), tokens);
    }
    let record: Value = serde_json::from_str(&kept.0.lock().unwrap()[&server.url()]).unwrap();
    assert_eq!((record["client_id"].as_str(), record["client_secret"].as_str()), (Some("c1"), Some("s3cret")));
}

/// A client that was registered by hand has its secret in `mcp.json`, and nowhere else.
#[tokio::test]
async fn a_secret_of_ones_own_is_shown_at_a_renewal_and_never_kept() {
    let (server, given) = authority_for(3_600, Some("own")).await;
    let kept = Arc::new(Kept::default());
    let _ = client();
    let wanted =
        LoginRequest { client_id: Some("c1".to_owned()), client_secret: Some("own".to_owned()), ..request(&server) };
    let login = Login::begin(wanted, Arc::clone(&kept) as Arc<dyn TokenStore>).await.unwrap();
    let url = url::Url::parse(login.url()).unwrap();
    let state = url.query_pairs().find(|(key, _)| key == "state").unwrap().1.into_owned();
    login.finish(&format!("http://127.0.0.1:9/callback?code=x&state={state}")).await.unwrap();
    let mut options = options(&server);
    options.tokens = Some(Arc::clone(&kept) as Arc<dyn TokenStore>);
    options.client = Some(OwnClient { id: "c1".to_owned(), secret: Some("own".to_owned()) });
    let port = connect_http(client(), options.clone()).await.unwrap();
    given.fetch_add(1, Relaxed);
    assert!(ask(&port).await.is_ok());
    assert!(!kept.0.lock().unwrap()[&server.url()].contains("own"));
    // Without the secret nothing is renewed, and the failure is a login's.
    options.client = None;
    let port = connect_http(client(), options).await.unwrap();
    given.fetch_add(1, Relaxed);
    let error = ask(&port).await.unwrap_err().to_string();
    assert!(error.contains("login: ") && error.contains("invalid_client"), "{error}");
}
