//! The program `coyote`: a runtime, and [`coyote_integration::run`] in it.

use std::process::ExitCode;

fn main() -> ExitCode {
    match coyote_integration::runtime() {
        Ok(runtime) => {
            let status = runtime.block_on(coyote_integration::run(std::env::args_os()));
            // A write that nobody reads must not keep the process (S18).
            runtime.shutdown_timeout(mcp_catalog::deadline::GRACE_AT_SIGNAL);
            status
        }
        Err(status) => status,
    }
}
