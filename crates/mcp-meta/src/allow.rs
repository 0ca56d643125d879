//! Allowlists of tools (S7): globs by exact name; layers only narrow.
/// Which tools of a server may be seen and called. Without layers: all.
#[derive(Debug, Clone, Default)]
pub struct Allowlist {}
impl Allowlist {
    /// Adds a layer of globs; a tool must match one glob of every layer. A broken glob is the error, naming it.
    pub fn narrow(&mut self, _globs: &[String]) -> Result<(), String> { todo!() }
    /// Whether the tool is visible.
    pub fn allows(&self, _tool: &str) -> bool { todo!() }
}
