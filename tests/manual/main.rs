//! The manual and the README against the program: what they show is run, what they link to is there, and every page can be
//! read at a terminal.
//!
//! Nothing here judges a page's words; that every name is in the manual is asked in `it/manual.rs`.
#![cfg(unix)]
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may fail loudly, also where it shares a function"
)]

mod console;
mod files;
mod links;
mod named;
mod pages;
mod picture;
mod rig;
mod screen;
mod shown;
mod transcripts;
mod walk;
