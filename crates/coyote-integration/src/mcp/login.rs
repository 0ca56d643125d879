//! Where the browser lands after a login: one request on the loopback address, and no other (S47).
//!
//! It answers every request with a short page and takes the first that carries an answer of the login page. It opens no
//! browser and exchanges no token.

use mcp_catalog::deadline;
use mcp_render::LANDING_REQUEST_MAX_BYTES;
use std::io;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    time::timeout,
};

/// The path of the redirect.
const PATH: &str = "/callback";

/// A place that waits for the browser.
#[derive(Debug)]
pub struct Landing {
    listener: TcpListener,
    port: u16,
}

impl Landing {
    /// Listens on the loopback address; port 0 takes any.
    pub async fn new(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port)).await?;
        let port = listener.local_addr()?.port();
        Ok(Self { listener, port })
    }

    /// Where the browser is to be sent.
    pub fn redirect(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port)
    }

    /// The whole address that the browser asked for. The caller bounds the wait.
    pub async fn landed(&self) -> io::Result<String> {
        loop {
            let (stream, _) = self.listener.accept().await?;
            // A connection that says nothing, or something else, does not end the wait.
            if let Ok(Some(target)) = timeout(deadline::LANDING_REQUEST, answer(stream)).await.unwrap_or(Ok(None)) {
                return Ok(format!("http://127.0.0.1:{}{target}", self.port));
            }
        }
    }
}

/// Answers one request; its target when that is the end of a login.
async fn answer(mut stream: TcpStream) -> io::Result<Option<String>> {
    let target = target(&mut stream).await?;
    let done = target.as_deref().filter(|target| ends_login(target));
    let (status, text) = match done {
        Some(target) if target.contains("error=") => ("200 OK", "The login was refused. You can close this page."),
        Some(_) => ("200 OK", "You are logged in. You can close this page."),
        None => ("404 Not Found", "Nothing is here."),
    };
    let length = text.len();
    let page = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{text}"
    );
    // The login is over whether the page arrives or not.
    let _ = stream.write_all(page.as_bytes()).await;
    let _ = stream.shutdown().await;
    Ok(done.map(str::to_owned))
}

async fn target(stream: &mut TcpStream) -> io::Result<Option<String>> {
    let mut lines = BufReader::new(tokio::io::AsyncReadExt::take(stream, LANDING_REQUEST_MAX_BYTES));
    let mut first = String::new();
    lines.read_line(&mut first).await?;
    // The rest of the head is read, so that closing does not reset the connection under the page.
    let mut line = String::new();
    while lines.read_line(&mut line).await? > 0 && !line.trim_end().is_empty() {
        line.clear();
    }
    let mut words = first.split_ascii_whitespace();
    Ok(match (words.next(), words.next()) {
        (Some("GET"), Some(target)) => Some(target.to_owned()),
        _ => None,
    })
}

fn ends_login(target: &str) -> bool {
    let Some((path, query)) = target.split_once('?') else { return false };
    let has = |name: &str| query.split('&').any(|pair| pair.split('=').next() == Some(name));
    path == PATH && has("state") && (has("code") || has("error"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    async fn get(redirect: &str, target: &str) -> String {
        let address = redirect.trim_start_matches("http://").split('/').next().unwrap().to_owned();
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes()).await.unwrap();
        let mut page = String::new();
        stream.read_to_string(&mut page).await.unwrap();
        page
    }

    #[tokio::test]
    async fn the_browser_lands_once_and_strangers_do_not_end_the_wait() {
        let landing = Landing::new(0).await.unwrap();
        let redirect = landing.redirect();
        assert!(redirect.starts_with("http://127.0.0.1:"), "{redirect}");
        let browser = async {
            assert!(get(&redirect, "/favicon.ico").await.starts_with("HTTP/1.1 404"));
            assert!(get(&redirect, "/callback?code=1").await.starts_with("HTTP/1.1 404"));
            assert!(get(&redirect, "/callback?code=1&state=2").await.contains("You are logged in"));
        };
        let (landed, ()) = tokio::join!(landing.landed(), browser);
        assert_eq!(landed.unwrap(), format!("{redirect}?code=1&state=2"));
    }

    #[tokio::test]
    async fn a_refused_login_lands_too() {
        let landing = Landing::new(0).await.unwrap();
        let redirect = landing.redirect();
        let (landed, page) = tokio::join!(landing.landed(), get(&redirect, "/callback?error=access_denied&state=2"));
        assert!(page.contains("The login was refused"), "{page}");
        assert!(landed.unwrap().ends_with("?error=access_denied&state=2"));
    }
}
