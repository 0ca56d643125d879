//! Allowlists of tools (S7): globs over exact names; layers only narrow.
//!
//! A tool that is not allowed is nowhere mentioned: search, describe and invoke answer for it as for one that does not
//! exist. Resources and prompts have no allowlist.

use globset::{Glob, GlobSet};

/// Which tools of a server may be seen and called. Without layers: all.
///
/// ```
/// let mut allow = mcp_meta::Allowlist::default();
/// allow.narrow(&["get_*".to_owned(), "search".to_owned()])?;
/// assert!(allow.allows("get_issue") && !allow.allows("delete_issue"));
/// allow.narrow(&["*_issue".to_owned()])?; // A second layer takes away and never gives back.
/// assert!(allow.allows("get_issue") && !allow.allows("search"));
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Allowlist {
    layers: Vec<GlobSet>,
}

impl Allowlist {
    /// Adds a layer of globs; a tool must match one glob of every layer, so a layer without globs allows none. A broken
    /// glob is the error, naming it, and adds nothing.
    pub fn narrow(&mut self, globs: &[String]) -> Result<(), String> {
        let mut layer = GlobSet::builder();
        for glob in globs {
            // `globset` names the glob in its error.
            layer.add(Glob::new(glob).map_err(|error| error.to_string())?);
        }
        self.layers.push(layer.build().map_err(|error| error.to_string())?);
        Ok(())
    }

    /// Whether the tool is visible.
    pub fn allows(&self, tool: &str) -> bool {
        self.layers.iter().all(|layer| layer.is_match(tool))
    }

    /// Whether any tool can be hidden.
    pub(crate) fn limits(&self) -> bool {
        !self.layers.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn allowlist(layers: &[&[&str]]) -> Allowlist {
        let mut allow = Allowlist::default();
        for layer in layers {
            let globs: Vec<String> = layer.iter().map(|glob| (*glob).to_owned()).collect();
            allow.narrow(&globs).unwrap();
        }
        allow
    }

    #[test]
    fn without_layers_every_tool_is_allowed() {
        assert!(Allowlist::default().allows("anything at all"));
    }

    #[test]
    fn a_layer_without_globs_allows_none() {
        assert!(!allowlist(&[&[]]).allows("echo"));
    }

    #[test]
    fn a_glob_is_about_the_exact_name() {
        let allow = allowlist(&[&["echo", "get_*", "[ab]?"]]);
        let seen = ["echo", "Echo", "echo2", "get_", "get_a/b", "forget_it", "ax", "cx"].map(|tool| allow.allows(tool));
        assert_eq!(seen, [true, false, false, true, true, false, true, false]);
    }

    #[test]
    fn a_broken_glob_is_named_and_adds_nothing() {
        let mut allow = Allowlist::default();
        let error = allow.narrow(&["ok".to_owned(), "a[".to_owned()]).unwrap_err();
        assert!(error.contains("a["), "{error}");
        assert!(allow.allows("anything"), "a layer was added: {allow:?}");
    }

    proptest! {
        #[test]
        fn a_further_layer_never_shows_a_hidden_tool(globs in prop::collection::vec("[ab*?]{0,4}", 0..4), tool in "[ab]{0,4}") {
            let before = allowlist(&[&["a*", "b"]]);
            let mut after = before.clone();
            after.narrow(&globs).unwrap();
            prop_assert!(before.allows(&tool) || !after.allows(&tool));
        }
    }
}
