//! What people see and use of the servers of a context: tables, prompts, resources, completion (S42, S44, S45).
//!
//! A view owns what it works with, so that no lock is held across a request. What a line means and how a table looks is
//! `mcp-prompt-repl`'s; here servers are asked, and nothing is printed. Nothing here starts a server or a login.

mod completion;
mod hint;
mod listing;
mod prompt;
mod resource;
mod status;

pub use completion::{Answered, CompletionView};
pub use hint::for_a_person;
pub(crate) use hint::{not_logged_in, not_started};
pub use listing::ListingView;
pub(crate) use listing::shape_of;
pub use prompt::{Ended, PromptPort, run_prompt};
pub use resource::{Shown, read_resource};
pub use status::{server_state, statuses};

#[cfg(test)]
pub(crate) mod testing;
