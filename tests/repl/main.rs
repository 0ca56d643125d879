//! The REPL at a terminal of its own: what is typed, what is seen, at 60 and at 120 columns (issue: keys are echoed at
//! once, whatever else happens).
//!
//! A target of its own: each test has a pseudo-terminal, and the keys' times are not to be shared with other tests.
#![cfg(unix)]
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may fail loudly, also where it shares a function; `json!` is written to by index"
)]

mod ahead;
mod beside;
mod commands;
mod hints;
mod kept;
mod screens;
mod waiting;

use acceptance::{
    host::{Host, Programs},
    model_server::{Answer, Api, ModelServer},
    terminal::Terminal,
};

const NARROW: (u16, u16) = (60, 20);
const WIDE: (u16, u16) = (120, 24);

fn machine() -> Host {
    let programs = Programs {
        coyote: env!("CARGO_BIN_EXE_coyote-under-test").into(),
        fixture: env!("CARGO_BIN_EXE_fixture-server").into(),
    };
    Host::new(programs).unwrap()
}

/// A machine whose model answers with these, and a REPL on it that waits for a line.
async fn talking(answers: Vec<Answer>, size: (u16, u16)) -> (Host, ModelServer, Terminal) {
    let (host, model) = (machine(), ModelServer::start(Api::OpenAi, answers).await.unwrap());
    host.write("config/config.yaml", &model.config_yaml()).unwrap();
    let terminal = opened(&host, size);
    (host, model, terminal)
}

fn opened(host: &Host, size: (u16, u16)) -> Terminal {
    let terminal = Terminal::open(host, &[], size).unwrap();
    terminal.until_idle().unwrap();
    terminal
}
