//! A server that misbehaves, in one way a scenario, and the table of all of them (S10–S17, C21–C28, C72–C77).
//!
//! A row of the table says what the server does, what a client asks, and what must come of it; `hostile-server --<name>`
//! plays a row, and the test `it/hostile.rs` holds each against the client. Nothing here knows the crates under test: what
//! is expected stands as plain words. A server keeps a diary ([`Diary`]), from which the test learns how often it was
//! asked and what it was told. A server that finds its own name in the diary has been started a second time and behaves;
//! so a row also proves that a client gets over the first.
//!
//! Over HTTP ([`Transport::Http`]) the same acts are played as events of a stream, or as a body behind a head; most rows of
//! the table stand for both transports.

mod act;
mod diary;
mod play;
mod rows;
mod scenario;
mod server;
mod text;
mod voice;
mod web;

pub use act::{Act, Leave, On, Play};
pub use diary::Diary;
pub use rows::scenarios;
pub use scenario::{Answers, Ask, Expected, Next, Patience, Scenario, Transport};
pub use server::main;
