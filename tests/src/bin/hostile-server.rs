//! `hostile-server --<scenario> [--diary FILE] [--port N]`: an MCP server that misbehaves in one way, over stdio or, where the
//! scenario's name begins with `http-`, on a port of this machine, which it says; `--list` names them.

use std::process::ExitCode;

fn main() -> anyhow::Result<ExitCode> {
    acceptance::hostile::main()
}
