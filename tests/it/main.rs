//! What a user of the crates and of the binary sees: only public API and `coyote` itself.
//!
//! One test target, so that the crates are linked once. A test is named after what is right; the field failure that it
//! answers stands above it as `C…`. `rules` maps every rule of the contracts to its tests.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    reason = "a test may fail loudly, which clippy.toml allows to test functions but not to those they share, and `json!` reads \
              best where it is handed over"
)]

mod agents;
mod blob;
mod chat;
mod cli;
mod codes;
#[cfg(unix)]
mod completion;
mod config;
mod delegate;
mod describe;
mod dispatch;
mod exits;
mod familiar;
mod fuzzed;
mod gating;
mod hostile;
mod interrupted;
mod invoke;
mod listing;
mod load;
#[cfg(unix)]
mod login;
mod machine;
mod macros;
mod manual;
mod model;
mod names;
mod odd_providers;
#[cfg(unix)]
mod offers;
mod places;
mod process;
mod prompt;
mod read;
mod rig;
mod rules;
#[cfg(unix)]
mod screen;
mod search;
mod secrets;
mod sessions;
mod turn;
mod uris;
mod wire;
mod words;
mod workspace;
