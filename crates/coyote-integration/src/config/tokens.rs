//! The tokens of logins: one file for this user alone, one entry a server's URL (S47).
//! The URL may hold a filled-in `{{NAME}}`, so its SHA-256 stands for it.
//!
//! A token is handed out for the very URL that it was given for and for no other. The file is written whole, beside its
//! place, and moved there; a lock keeps two processes from losing each other's entries. It never logs what it holds.

use super::{private_dir, read_bytes};
use mcp_catalog::sdk::login::TokenStore;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::{
    fmt::Write as _,
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
};

/// The file.
#[derive(Debug, Clone)]
pub struct TokenFile {
    path: PathBuf,
}

impl TokenFile {
    /// The file at `path`, which need not exist.
    pub const fn new(path: PathBuf) -> Self {
        Self { path }
    }

    fn read(&self) -> io::Result<Map<String, Value>> {
        match read_bytes(&self.path) {
            Ok(text) => serde_json::from_slice(&text).map_err(|_| {
                let cause = format!("`{}` is no JSON object; remove it and log in again", self.path.display());
                io::Error::new(io::ErrorKind::InvalidData, cause)
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Map::new()),
            Err(error) => Err(error),
        }
    }

    fn change(&self, change: impl FnOnce(&mut Map<String, Value>)) -> io::Result<()> {
        let dir = self.path.parent().unwrap_or_else(|| Path::new("."));
        private_dir(dir)?;
        let lock = File::options().create(true).append(true).open(self.path.with_extension("lock"))?;
        lock.lock()?;
        let mut tokens = self.read()?;
        change(&mut tokens);
        // A new temporary file is its user's alone, and keeps that when it is moved.
        let mut file = tempfile::Builder::new().prefix(".tokens").tempfile_in(dir)?;
        file.write_all(serde_json::to_string_pretty(&tokens)?.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }
}

impl TokenStore for TokenFile {
    fn load(&self, resource: &str) -> io::Result<Option<String>> {
        Ok(self.read()?.get(&key(resource)).map(Value::to_string))
    }

    fn save(&self, resource: &str, tokens: &str) -> io::Result<()> {
        let tokens: Value = serde_json::from_str(tokens)?;
        self.change(|all| {
            all.insert(key(resource), tokens);
        })
    }

    fn clear(&self, resource: &str) -> io::Result<()> {
        if self.read()?.contains_key(&key(resource)) {
            self.change(|all| {
                all.shift_remove(&key(resource));
            })?;
        }
        Ok(())
    }
}

/// The name under which tokens for a URL are kept.
pub(super) fn key(resource: &str) -> String {
    Sha256::digest(resource).iter().fold(String::with_capacity(64), |mut digits, byte| {
        // Writing to a string does not fail.
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn tokens_are_kept_for_their_own_url_only_and_for_this_user_only() {
        let dir = tempfile::tempdir().unwrap();
        let file = TokenFile::new(dir.path().join("config").join("tokens.json"));
        assert_eq!(file.load("https://a/mcp").unwrap(), None);
        file.save("https://a/mcp", r#"{"client_id":"a"}"#).unwrap();
        file.save("https://b/mcp", r#"{"client_id":"b"}"#).unwrap();
        assert_eq!(file.load("https://a/mcp").unwrap().as_deref(), Some(r#"{"client_id":"a"}"#));
        assert_eq!(file.load("https://a/").unwrap(), None);
        assert!(!fs::read_to_string(&file.path).unwrap().contains("https://"), "a URL may hold a secret");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(&file.path), mode(file.path.parent().unwrap())), (0o600, 0o700));
        }
        file.clear("https://a/mcp").unwrap();
        assert_eq!(file.load("https://a/mcp").unwrap(), None);
        assert!(file.load("https://b/mcp").unwrap().is_some());
    }

    #[test]
    fn a_token_file_that_is_no_json_is_an_error_and_is_not_written_over() {
        let dir = tempfile::tempdir().unwrap();
        let file = TokenFile::new(dir.path().join("tokens.json"));
        fs::write(&file.path, "secret").unwrap();
        let error = file.load("https://a/").unwrap_err().to_string();
        assert!(error.contains("is no JSON object") && !error.contains("secret"), "{error}");
        assert!(file.save("https://a/", "{}").is_err());
        assert_eq!(fs::read_to_string(&file.path).unwrap(), "secret");
    }

    #[test]
    fn two_writers_lose_nothing_of_each_other() {
        let dir = tempfile::tempdir().unwrap();
        let file = TokenFile::new(dir.path().join("tokens.json"));
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let file = &file;
                scope.spawn(move || (0..8).for_each(|n| file.save(&format!("https://{writer}/{n}"), "{}").unwrap()));
            }
        });
        assert_eq!(file.read().unwrap().len(), 32);
    }
}
