//! `hostile-server --<scenario> [--diary FILE]`: an MCP server over stdio that misbehaves in one way; `--list` names them.

use std::process::ExitCode;

fn main() -> anyhow::Result<ExitCode> {
    acceptance::hostile::main()
}
