//! Which workspace files the user trusts (host.md "Workspace files", S47): the path of each, and the SHA-256 of the
//! content that was shown.
//!
//! It asks nobody; a file whose content has changed is trusted no longer. The hash covers the file and not the programs
//! that it names. Two processes that write at once may lose one answer, which is then asked for again.

use super::{Access, Paths, WorkspaceFile, read_bytes, replace_file};
use serde_json::{Map, Value, json};
use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

/// `trust.json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trust {
    path: PathBuf,
    /// The hash of each file.
    files: BTreeMap<String, String>,
}

impl Trust {
    /// Reads `trust.json`; without one, nothing is trusted. A file that is not ours is an error, and is never replaced.
    pub fn read(paths: &Paths) -> Result<Self, String> {
        let path = paths.trust_file();
        let shown = path.display();
        let files = match read_bytes(&path) {
            Ok(bytes) => parse(&bytes).ok_or_else(|| {
                format!("`{shown}` is not what coyote writes, so no workspace file is trusted; remove it to start over")
            })?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => return Err(format!("`{shown}` could not be read, so no workspace file is trusted: {error}")),
        };
        Ok(Self { path, files })
    }

    /// Whether this file is trusted as it is.
    pub fn covers(&self, file: &WorkspaceFile) -> bool {
        key(file.path()).is_some_and(|key| self.files.get(&key).is_some_and(|hash| hash == file.sha256()))
    }

    /// Whether any content of the file at this path is trusted.
    pub fn knows(&self, path: &Path) -> bool {
        key(path).is_some_and(|key| self.files.contains_key(&key))
    }

    /// Trusts this file as it is, in place of what it was before.
    pub fn add(&mut self, file: &WorkspaceFile) -> Result<(), String> {
        let Some(key) = key(file.path()) else {
            return Err(format!("`{}` is no UTF-8, so its trust cannot be kept", file.path().display()));
        };
        self.files.insert(key, file.sha256().to_owned());
        self.write()
    }

    /// Trusts the file at this path no longer; whether it was trusted.
    pub fn remove(&mut self, path: &Path) -> Result<bool, String> {
        let was = key(path).is_some_and(|key| self.files.remove(&key).is_some());
        if was {
            self.write()?;
        }
        Ok(was)
    }

    fn write(&self) -> Result<(), String> {
        let files: Map<String, Value> =
            self.files.iter().map(|(path, hash)| (path.clone(), Value::from(hash.as_str()))).collect();
        let text = format!("{:#}\n", json!({"workspaceFiles": files}));
        replace_file(&self.path, text.as_bytes(), Access::Private)
            .map_err(|error| format!("`{}` could not be written: {error}", self.path.display()))
    }
}

fn key(path: &Path) -> Option<String> {
    path.to_str().map(str::to_owned)
}

fn parse(bytes: &[u8]) -> Option<BTreeMap<String, String>> {
    let value: Value = serde_json::from_slice(bytes).ok()?;
    let files = value.get("workspaceFiles")?.as_object()?;
    files.iter().map(|(path, hash)| Some((path.clone(), hash.as_str()?.to_owned()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Environment, PlatformDirs, ProcessEnv};
    use std::fs;

    struct Machine {
        dir: tempfile::TempDir,
        paths: Paths,
    }

    impl Machine {
        fn new(content: &str) -> Self {
            let dir = tempfile::tempdir().unwrap();
            let platform = PlatformDirs { config: dir.path().join("config"), cache: dir.path().join("cache") };
            let paths = Paths::find(&mut Environment::new(ProcessEnv::of(&[])), Some(&platform)).unwrap();
            let machine = Self { dir, paths };
            machine.write(content);
            machine
        }

        fn write(&self, content: &str) {
            fs::write(self.dir.path().join(".mcp.json"), content).unwrap();
        }

        fn file(&self) -> WorkspaceFile {
            WorkspaceFile::find(self.dir.path()).unwrap().unwrap()
        }

        fn covered(&self) -> bool {
            Trust::read(&self.paths).unwrap().covers(&self.file())
        }
    }

    #[test]
    fn trust_is_kept_for_a_path_and_its_content_and_nothing_else() {
        let machine = Machine::new("{}");
        assert!(!machine.covered());
        Trust::read(&machine.paths).unwrap().add(&machine.file()).unwrap();
        assert!(machine.covered());
        machine.write("{ }");
        assert!(!machine.covered(), "one byte more, and it is another file");
        assert!(Trust::read(&machine.paths).unwrap().knows(machine.file().path()));
        machine.write("{}");
        assert!(machine.covered());
        fs::create_dir(machine.dir.path().join(".coyote")).unwrap();
        fs::write(machine.dir.path().join(".coyote/mcp.json"), "{}").unwrap();
        assert!(!machine.covered(), "the same content in another place is another file");
    }

    #[test]
    fn what_is_forgotten_is_no_longer_trusted() {
        let machine = Machine::new("{}");
        let mut trust = Trust::read(&machine.paths).unwrap();
        assert_eq!(trust.remove(machine.file().path()), Ok(false));
        assert!(!machine.paths.trust_file().exists(), "nothing was to be written");
        trust.add(&machine.file()).unwrap();
        assert_eq!(Trust::read(&machine.paths).unwrap().remove(machine.file().path()), Ok(true));
        assert!(!machine.covered());
    }

    #[cfg(unix)]
    #[test]
    fn the_trust_file_is_its_users_alone_s47() {
        use std::os::unix::fs::PermissionsExt;
        let machine = Machine::new("{}");
        Trust::read(&machine.paths).unwrap().add(&machine.file()).unwrap();
        let path = machine.paths.trust_file();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(path.parent().unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_trust_file_that_is_not_ours_trusts_nothing_and_stays() {
        let machine = Machine::new("{}");
        fs::create_dir_all(&machine.paths.config_dir).unwrap();
        for content in ["", "[]", r#"{"workspaceFiles": {"/x": 1}}"#] {
            fs::write(machine.paths.trust_file(), content).unwrap();
            let error = Trust::read(&machine.paths).unwrap_err();
            assert!(error.ends_with("so no workspace file is trusted; remove it to start over"), "{error}");
            assert_eq!(fs::read_to_string(machine.paths.trust_file()).unwrap(), content);
        }
    }
}
