//! The embedded defaults: the server `coyote`, which needs no configuration (host.md "The embedded defaults").
//!
//! It is a server like any other to everything above: listed, searched, read and gated by what it declares. It runs in
//! this process, asks nobody, and writes nothing.

mod config_check;
mod manual;
mod prompts;
mod server;

pub use config_check::config_report;
pub use manual::{PAGES, Page};
pub use server::{ConfigReport, name, port};
