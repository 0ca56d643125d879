//! The workspace's own `mcp.json`: that one is there, and no more.
//!
//! Such a file runs a stranger's commands. It is used only once it can be trusted by path and content, which this version
//! cannot keep; so it is never read here.

use std::path::{Path, PathBuf};

/// The places, in order; the first that exists counts (host.md "Files").
const PLACES: [&str; 3] = [".coyote/mcp.json", ".coyote/.mcp.json", ".mcp.json"];

/// The workspace file in `dir`, if there is one.
pub fn workspace_file(dir: &Path) -> Option<PathBuf> {
    PLACES.iter().map(|place| dir.join(place)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_three_places_counts() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(workspace_file(dir.path()), None);
        std::fs::write(dir.path().join(".mcp.json"), "{}").unwrap();
        assert_eq!(workspace_file(dir.path()), Some(dir.path().join(".mcp.json")));
        std::fs::create_dir(dir.path().join(".coyote")).unwrap();
        std::fs::write(dir.path().join(".coyote/mcp.json"), "{}").unwrap();
        assert_eq!(workspace_file(dir.path()), Some(dir.path().join(".coyote/mcp.json")));
    }
}
