//! What the tool `check_config` answers: the servers with their states, and the warnings (S47: no secret, no command).

use crate::{
    config::{Servers, Warning},
    mcp::Transport,
};
use serde_json::{Value, json};

/// The report on these servers. `environment` is what is wrong with `.env`.
pub fn config_report(servers: &Servers, environment: &[Warning]) -> Value {
    let listed: Vec<Value> = servers
        .iter()
        .map(|server| {
            let entry = &server.entry;
            let (state, why) = match (server.startable(), &entry.transport) {
                (Ok(_), Transport::Unsupported { reason }) => ("unsupported", Some(reason.clone())),
                (Ok(_), _) => ("usable", None),
                (Err(why), _) if entry.disabled => ("disabled", Some(why.to_string())),
                (Err(why), _) => ("not usable", Some(format!("{why}. {}", why.shape().hint))),
            };
            let mut row = json!({
                "name": entry.name.as_str(),
                "origin": entry.origin.as_str(),
                "transport": transport(&entry.transport),
                "state": state,
            });
            if let (Some(row), Some(why)) = (row.as_object_mut(), why) {
                row.insert("why".to_owned(), why.into());
            }
            row
        })
        .collect();
    let warnings: Vec<&str> =
        environment.iter().chain(servers.warnings()).map(|warning| warning.text.as_str()).collect();
    json!({
        "file": servers.file().map(|file| file.display().to_string()),
        "servers": listed,
        "warnings": warnings,
    })
}

const fn transport(transport: &Transport) -> &'static str {
    match transport {
        Transport::Stdio { .. } => "stdio",
        Transport::Http { .. } => "http",
        Transport::Unsupported { .. } => "unsupported",
        Transport::Embedded => "embedded",
    }
}
