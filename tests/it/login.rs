//! What a login opens: a page on the web, whose host is shown and whose address is printed, and nothing else (S47).

mod guarded;

use crate::machine::machine;
use acceptance::{
    host::Host,
    model_server::{Answer, Api, ModelServer},
    terminal::Terminal,
};
use guarded::{Guarded, browser, log_in_there};
use rstest::rstest;
use serde_json::json;
use std::{fs, time::Duration};
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
    browser(&mut host);
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

/// A REPL beside the guarded server, which knows that a login is wanted.
async fn repl(server: &Guarded) -> (Host, ModelServer, Terminal) {
    let mut host = machine();
    browser(&mut host);
    host.entry("docs", json!({"url": format!("{}/mcp", server.origin), "oauth": {"clientId": "c"}})).unwrap();
    let model = ModelServer::start(Api::OpenAi, vec![Answer::text("So it is.")]).await.unwrap();
    host.write("config/config.yaml", &model.config_yaml()).unwrap();
    let terminal = Terminal::open(&host, &[], (120, 40)).unwrap();
    terminal.until_shown("`.mcp auth docs`").unwrap();
    terminal.until_idle().unwrap();
    (host, model, terminal)
}

async fn logged_in(host: &Host, terminal: &Terminal) {
    terminal.enter(".mcp auth docs").unwrap();
    terminal.until_shown("Log in at 127.0.0.1:").unwrap();
    assert!(log_in_there(host).await.contains("You are logged in"));
    terminal.until_shown("`docs` is connected").unwrap();
    fs::remove_file(host.path("opened")).unwrap();
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_login_in_the_repl_ends_with_a_server_that_answers_s44_s47() {
    let server = Guarded::start(3_600).await;
    let (host, model, terminal) = repl(&server).await;
    let login = |line: &String| line.contains("/authorize") || line.contains("/token");
    assert!(!server.journal().iter().any(login), "a start is no reason to log in: {:?}", server.journal());
    assert!(!host.path("opened").exists());
    logged_in(&host, &terminal).await;
    assert_eq!(
        server.journal().iter().filter(|line| login(line)).collect::<Vec<_>>(),
        ["GET /authorize", "POST /token"]
    );
    terminal.enter(".mcp").unwrap();
    terminal
        .until("the server", |screen| screen.lines().any(|line| line.starts_with("docs") && line.contains("running")))
        .unwrap();
    terminal.enter(".prompt docs greet").unwrap();
    terminal.until_shown("So it is.").unwrap();
    assert!(model.requests()[0].body["messages"].to_string().contains("[user]\\nGood day"));
    terminal.leave().unwrap();
}

// R13: "the token has expired" of design §5.4's matrix.
#[cfg(target_os = "linux")]
#[rstest]
#[case::the_server_says_so(3_600, 0)]
// The client takes a token for expired when half of so short a time is over.
#[case::its_time_is_over(12, 6_500)]
#[tokio::test(flavor = "multi_thread")]
async fn an_expired_token_is_an_empty_completion_and_no_login_r13(#[case] lasts_s: u64, #[case] wait_ms: u64) {
    let server = Guarded::start(lasts_s).await;
    let (host, _model, terminal) = repl(&server).await;
    logged_in(&host, &terminal).await;
    terminal.until_idle().unwrap();
    server.revoke();
    tokio::time::sleep(Duration::from_millis(wait_ms)).await;
    let before = (terminal.screen(), server.journal().len());
    terminal.press(".prompt docs gr\t").unwrap();
    terminal.until_shown(".prompt docs gr").unwrap();
    // As long as a completion may take, and longer.
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    terminal.press("x").unwrap();
    terminal.until("the line as it was typed", |screen| screen.ends_with("> .prompt docs grx")).unwrap();
    terminal.press("\u{3}").unwrap();
    terminal.until("a new prompt", |screen| screen.ends_with("\n>")).unwrap();
    assert_eq!(terminal.screen(), format!("{} .prompt docs grx\n>", before.0), "nothing is printed");
    let asked = server.journal().split_off(before.1);
    assert!(asked.iter().all(|line| line.contains(" /mcp")), "nothing of a login: {asked:?}");
    assert!(!host.path("opened").exists(), "no browser");
    // A person who asks is told, and told how to go on.
    terminal.enter(".prompt docs greet").unwrap();
    terminal.until_shown("auth_required").unwrap();
    terminal.until_shown(".mcp auth docs").unwrap();
    terminal.leave().unwrap();
}
