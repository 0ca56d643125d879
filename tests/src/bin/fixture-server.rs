//! `fixture-server <script.json>`: a scripted MCP server over stdio.

use std::process::ExitCode;

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    acceptance::fixture::run().await
}
