//! From a function's name to a verb and a server, or to a refusal (R4, S6).
use crate::{Declarations, Verb};
use mcp_catalog::ServerName;
use mcp_render::ErrorShape;
/// Routes a call. An undeclared name is refused with code `unsupported` and the declared names of that verb before any
/// server is asked; a name that is no meta-function ends in the invoke arm's refusal (design §9).
pub fn route(_name: &str, _declared: &Declarations) -> Result<(Verb, ServerName), ErrorShape> { todo!() }
