//! The manual's page on scripts, command by command: each line that ends in a number is run by a shell, in the order of the
//! page, and has to end with that status.
#![cfg(unix)]

use crate::machine::machine;
use std::{fs, os::unix::fs::symlink};

const PAGE: &str = include_str!("../../docs/src/scripts.md");

/// The commands of the page, and the status of each.
fn commands() -> Vec<(&'static str, i32)> {
    let code = PAGE.lines().filter_map(|line| line.strip_prefix("    "));
    code.map(|line| {
        let (command, status) = line.rsplit_once(" # ").unwrap();
        (command.trim_end(), status.parse().unwrap())
    })
    .collect()
}

#[tokio::test]
async fn every_command_of_the_page_on_scripts_ends_as_the_page_says() {
    let host = machine();
    fs::create_dir(host.path("bin")).unwrap();
    symlink(env!("CARGO_BIN_EXE_coyote-under-test"), host.path("bin/coyote")).unwrap();
    host.write("work/notes.txt", "Some notes\n").unwrap();
    let path = format!("{}:{}", host.path("bin").display(), std::env::var("PATH").unwrap());
    let commands = commands();
    assert!(commands.len() > 15, "{commands:?}");
    for (command, status) in commands {
        let output = tokio::process::Command::new("sh")
            .args(["-c", command])
            .current_dir(host.path("work"))
            .env_clear()
            .env("PATH", &path)
            .env("HOME", host.path("home"))
            .env("COYOTE_CONFIG_DIR", host.path("config"))
            .env("COYOTE_CACHE_DIR", host.path("cache"))
            // No Ollama of the machine that runs the tests.
            .env("OLLAMA_HOST", "127.0.0.1:1")
            .stdin(std::process::Stdio::null())
            .output()
            .await
            .unwrap();
        assert_eq!(output.status.code(), Some(status), "{command}\n{output:?}");
    }
    assert!(fs::read_to_string(host.path("work/reply.txt")).unwrap().ends_with('\n'));
    assert!(fs::read_to_string(host.path("work/start.md")).unwrap().starts_with("# Start\n"));
}
