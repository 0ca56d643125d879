//! What a login opens: a page on the web, whose host is shown and whose address is printed, and nothing else (S47).

use crate::machine::machine;
use acceptance::host::Host;
use serde_json::json;
use std::{fs, os::unix::fs::PermissionsExt, time::Duration};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpListener,
};

/// A server that wants a login and is its own authority; its login page is at this address, `{origin}` is its own.
async fn authority(page: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let own = origin.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut bytes = vec![0; 65_536];
            let read = stream.read(&mut bytes).await.unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes[..read]).into_owned();
            let path = text.split(' ').nth(1).unwrap_or_default();
            let (status, body) = if path.starts_with("/.well-known/oauth-protected-resource") {
                ("200 OK", json!({"resource": format!("{own}/mcp"), "authorization_servers": [own]}))
            } else if path.starts_with("/.well-known/oauth-authorization-server") {
                let metadata = json!({
                    "issuer": own, "authorization_endpoint": page.replace("{origin}", &own),
                    "token_endpoint": format!("{own}/token"), "response_types_supported": ["code"],
                    "code_challenge_methods_supported": ["S256"],
                });
                ("200 OK", metadata)
            } else {
                ("401 Unauthorized\r\nWWW-Authenticate: Bearer", json!({}))
            };
            let body = body.to_string();
            let answer = format!(
                "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            );
            let _ = stream.write_all(answer.as_bytes()).await;
            let _ = stream.shutdown().await;
        }
    });
    origin
}

/// A machine with that server, and a browser that writes down what it is to open.
async fn with_browser(page: &'static str) -> (Host, String) {
    let origin = authority(page).await;
    let mut host = machine();
    let opened = host.path("opened");
    host.write(
        "bin/xdg-open",
        &format!("#!/bin/sh\nprintf '%s' \"$1\" > '{0}.new' && mv '{0}.new' '{0}'\n", opened.display()),
    )
    .unwrap();
    fs::set_permissions(host.path("bin/xdg-open"), fs::Permissions::from_mode(0o700)).unwrap();
    host.env("PATH", &format!("{}:/usr/bin:/bin", host.path("bin").display()));
    host.entry("docs", json!({"url": format!("{origin}/mcp"), "oauth": {"clientId": "c"}})).unwrap();
    (host, origin)
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_login_shows_the_host_and_the_address_and_opens_that_page_s47() {
    let (host, origin) = with_browser("{origin}/authorize").await;
    let mut child = host.command(&["mcp", "auth", "docs"]).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let shown = loop {
        let line = lines.next_line().await.unwrap().expect("it ends without a login page");
        if line.contains("Log in at ") {
            break line;
        }
    };
    let address = shown.split_once("Log in at 127.0.0.1: ").unwrap().1.to_owned();
    assert!(address.starts_with(&format!("{origin}/authorize?")), "{shown}");
    while !host.path("opened").exists() {
        assert!(child.try_wait().unwrap().is_none(), "it waits for the browser");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(fs::read_to_string(host.path("opened")).unwrap(), address);
    child.kill().await.unwrap();
}

#[tokio::test]
async fn a_login_page_that_is_not_on_the_web_is_not_opened_s47() {
    for page in ["file:///etc/passwd", "calculator://run"] {
        let (host, _) = with_browser(page).await;
        let done = host.run(&["mcp", "auth", "docs"]).await.unwrap();
        assert_ne!(done.status, Some(0), "{done}");
        assert!(done.stderr.contains("Login page") && done.stderr.contains("is not opened"), "{done}");
        assert!(!host.path("opened").exists());
    }
}
