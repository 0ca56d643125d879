//! Servers of a few lines of shell, for the tests of this room.

use super::{Client, McpFactory, ParentEnv, ServerEntry, Transport};
use mcp_catalog::{Budget, CatalogKind, Request, ServerName, ServerPort};
use std::{ffi::OsString, fs, path::Path, time::Duration};

/// Answers `initialize` and `tools/list`, and ends with its stdin.
pub(super) const SERVES: &str = r#"
while IFS= read -r line; do
    id=${line#*'"id":'}; id=${id%%,*}
    case $line in
    *'"initialize"'*) printf '%s\n' '{"jsonrpc":"2.0","id":'"$id"',"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}}' ;;
    *'"tools/list"'*) printf '%s\n' '{"jsonrpc":"2.0","id":'"$id"',"result":{"tools":[]}}' ;;
    esac
done
"#;

/// What this test's own process was started with.
pub(super) fn parent() -> ParentEnv {
    ParentEnv::inherited()
}

/// A parent environment of a PATH and these variables.
pub(super) fn parent_of(pairs: &[(&str, &str)]) -> ParentEnv {
    let path = std::env::var_os("PATH").map(|path| (OsString::from("PATH"), path));
    path.into_iter().chain(pairs.iter().map(|(name, value)| (name.into(), value.into()))).collect()
}

/// A server that is this script.
pub(super) fn script(name: &str, script: &str) -> ServerEntry {
    let args = vec!["-c".to_owned(), script.to_owned()];
    let transport = Transport::Stdio { command: "sh".to_owned(), args, env: Vec::new(), cwd: None };
    ServerEntry::new(ServerName::new(name).unwrap(), transport)
}

/// The same with variables of its own.
pub(super) fn with_env(mut entry: ServerEntry, own: &[(&str, &Path)]) -> ServerEntry {
    if let Transport::Stdio { env, .. } = &mut entry.transport {
        env.extend(own.iter().map(|(name, value)| ((*name).to_owned(), value.display().to_string())));
    }
    entry
}

/// A factory without embedded servers.
pub(super) fn factory() -> McpFactory {
    McpFactory::new(parent(), Client::default(), [])
}

/// Asks a server that is a script.
pub(super) async fn answers(port: &dyn ServerPort) -> bool {
    let request = Request::List { kind: CatalogKind::Tool, cursor: None };
    let answer = port.ask(request, Budget::new(Duration::from_mins(1))).await;
    answer.is_ok_and(|result| result.json() == br#"{"tools":[]}"#)
}

/// The process of this number runs.
pub(super) fn runs(id: u32) -> bool {
    // A zombie whose parent does not care has ended. Where there is no /proc, the shell asks.
    if Path::new("/proc/self/stat").exists() {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        return stat
            .rsplit_once(')')
            .is_some_and(|(_, rest)| !matches!(rest.trim_start().chars().next(), Some('Z' | 'X')));
    }
    std::process::Command::new("sh")
        .arg("-c")
        .arg(format!("kill -0 {id} 2>/dev/null"))
        .status()
        .is_ok_and(|s| s.success())
}

/// Waits until a file holds a whole line, and gives it.
pub(super) async fn line_of(path: &Path) -> String {
    loop {
        if let Some((line, _)) = fs::read_to_string(path).unwrap_or_default().split_once('\n') {
            return line.to_owned();
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Waits until a process has ended; the test's own time limit decides when it never does.
pub(super) async fn gone(id: u32) {
    while runs(id) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
