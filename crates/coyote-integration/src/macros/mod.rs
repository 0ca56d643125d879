//! Macros: lines that are typed for a person (host.md "Roles, agents, macros, sessions", R5).
//!
//! The user's own come first; those of a working directory are a stranger's commands and are there only when the user
//! trusted that file as it is. Nothing here runs a step: whoever has commands and a model is a [`StepRunner`].

mod bind;
mod file;
mod run;
mod shelf;

pub use bind::BindFault;
pub use file::{Macro, MacroOrigin, Variable};
pub use run::{NESTED, Step, StepFault, StepRunner, Stepping, run_steps};
pub use shelf::{Macros, OfferedMacro};
