//! What one conversation may use. So far: a scope, which is its servers and the functions declared of them.

mod scope;

pub use scope::Scope;
