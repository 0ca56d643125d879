//! The next step that a refused line names: it is one that can be typed where it is read (S39, S44, S47).

use super::{WIDE, machine, opened};
use serde_json::json;
use std::{
    io::{Read, Write},
    net::TcpListener,
};

/// A server that wants a login and says nothing of where.
fn guarded() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut stream = stream;
            let _ = stream.read(&mut [0; 4_096]);
            let answer = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    port
}

#[test]
fn a_line_about_a_server_that_is_disabled_says_so_and_names_mcp_enable_s44() {
    let mut host = machine();
    host.serve("docs", json!({"prompts": [{"name": "review"}]})).unwrap();
    host.entry("off", json!({"command": "true", "disabled": true})).unwrap();
    let terminal = opened(&host, WIDE);
    for line in [".prompt off review", ".resource off docs://x", ".list prompts off", ".mcp reconnect off"] {
        terminal.enter(line).unwrap();
        terminal
            .until("why and the next step", |screen| {
                let said = screen.rsplit_once(line).unwrap_or_default().1;
                said.contains("error: `off` is disabled in mcp.json\n")
                    && said.contains("note: `.mcp enable off` enables it for this session")
            })
            .unwrap();
        terminal.until_idle().unwrap();
    }
    terminal.enter(".mcp disable docs").unwrap();
    terminal.until_shown("is disabled for this session").unwrap();
    terminal.until_idle().unwrap();
    terminal.enter(".prompt docs review").unwrap();
    terminal.until_shown("error: `docs` is not enabled here").unwrap();
    terminal.until_shown("note: `.mcp enable docs` enables it").unwrap();
    terminal.until_idle().unwrap();
    terminal.enter(".prompt dosc review").unwrap();
    terminal.until_shown("`dosc` is no server that is enabled here").unwrap();
    terminal.until_idle().unwrap();
    terminal.leave().unwrap();
}

#[test]
fn a_login_that_failed_in_the_repl_names_the_repls_own_command_s47() {
    let mut host = machine();
    host.entry("web", json!({"url": format!("http://127.0.0.1:{}/mcp", guarded())})).unwrap();
    let terminal = opened(&host, WIDE);
    terminal.until_shown("`.mcp auth web` logs in").unwrap();
    terminal.until_idle().unwrap();
    terminal.enter(".mcp auth web").unwrap();
    terminal.until_shown("note: `.mcp auth web` tries again").unwrap();
    terminal.until_idle().unwrap();
    assert!(!terminal.everything().contains("coyote mcp auth"), "{}", terminal.everything());
    terminal.leave().unwrap();
}
