//! The tokens of logins in the system's own store: macOS Keychain, Windows Credential Manager, or the Secret Service of a
//! desktop (S47; feature `keyring`).
//!
//! Where there is no such store, or it does not answer, they are in the file instead: a server at the other end of an ssh
//! session has none. What is in both counts from the store. It never logs what it holds.

use super::{TokenFile, tokens::key};
use mcp_catalog::{deadline, sdk::login::TokenStore};
use mcp_render::shown;
use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
        mpsc::channel,
    },
    thread,
};

/// What stands before the name of every entry in the system's store.
const SERVICE: &str = "coyote";

/// A store of secrets by name.
trait Vault: Send + Sync + 'static {
    fn get(&self, name: &str) -> Result<Option<String>, String>;
    fn set(&self, name: &str, secret: &str) -> Result<(), String>;
    fn remove(&self, name: &str) -> Result<(), String>;
}

/// The system's store, and the file behind it.
pub struct Keyring {
    vault: Arc<dyn Vault>,
    file: TokenFile,
    told: AtomicBool,
}

impl Keyring {
    /// The store of this system; `file` is used where there is none.
    pub fn new(file: TokenFile) -> Self {
        Self::over(Arc::new(System), file)
    }

    fn over(vault: Arc<dyn Vault>, file: TokenFile) -> Self {
        Self { vault, file, told: AtomicBool::new(false) }
    }

    /// Asks the store on a thread of its own: it may want one, it may be slow, and it may wait for a person.
    fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&dyn Vault) -> Result<T, String> + Send + 'static,
    ) -> Option<T> {
        let vault = Arc::clone(&self.vault);
        let (tell, told) = channel();
        thread::spawn(move || tell.send(question(vault.as_ref())));
        let answer = told.recv_timeout(deadline::VAULT).map_err(|error| error.to_string());
        match answer.and_then(|answer| answer) {
            Ok(answer) => Some(answer),
            Err(cause) => {
                if !self.told.swap(true, Relaxed) {
                    tracing::warn!(cause = %shown(&cause), "The system's store of secrets is not used; tokens are in the file");
                }
                None
            }
        }
    }
}

impl TokenStore for Keyring {
    fn load(&self, resource: &str) -> io::Result<Option<String>> {
        let name = key(resource);
        match self.ask(move |vault| vault.get(&name)) {
            Some(Some(tokens)) => Ok(Some(tokens)),
            Some(None) | None => self.file.load(resource),
        }
    }

    fn save(&self, resource: &str, tokens: &str) -> io::Result<()> {
        let (name, secret) = (key(resource), tokens.to_owned());
        match self.ask(move |vault| vault.set(&name, &secret)) {
            // What an earlier login left in the file is of no more use.
            Some(()) => self.file.clear(resource),
            None => self.file.save(resource, tokens),
        }
    }

    fn clear(&self, resource: &str) -> io::Result<()> {
        let name = key(resource);
        self.ask(move |vault| vault.remove(&name));
        self.file.clear(resource)
    }
}

/// The store of the system that this runs on.
struct System;

impl Vault for System {
    fn get(&self, name: &str) -> Result<Option<String>, String> {
        entry(name)?.get_password().map(Some).or_else(|error| missing(error, None))
    }

    fn set(&self, name: &str, secret: &str) -> Result<(), String> {
        entry(name)?.set_password(secret).map_err(|error| error.to_string())
    }

    fn remove(&self, name: &str) -> Result<(), String> {
        entry(name)?.delete_credential().or_else(|error| missing(error, ()))
    }
}

fn entry(name: &str) -> Result<keyring::Entry, String> {
    keyring::Entry::new(SERVICE, name).map_err(|error| error.to_string())
}

/// An entry that is not there is no failure.
fn missing<T>(error: keyring::Error, nothing: T) -> Result<T, String> {
    match error {
        keyring::Error::NoEntry => Ok(nothing),
        error => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{collections::BTreeMap, fs, sync::Mutex};

    #[derive(Default)]
    struct Fake {
        secrets: Mutex<BTreeMap<String, String>>,
        broken: AtomicBool,
    }

    impl Fake {
        fn works(&self) -> Result<(), String> {
            if self.broken.load(Relaxed) { Err("no such service".to_owned()) } else { Ok(()) }
        }
    }

    impl Vault for Fake {
        fn get(&self, name: &str) -> Result<Option<String>, String> {
            self.works()?;
            Ok(self.secrets.lock().unwrap().get(name).cloned())
        }

        fn set(&self, name: &str, secret: &str) -> Result<(), String> {
            self.works()?;
            self.secrets.lock().unwrap().insert(name.to_owned(), secret.to_owned());
            Ok(())
        }

        fn remove(&self, name: &str) -> Result<(), String> {
            self.works()?;
            self.secrets.lock().unwrap().remove(name);
            Ok(())
        }
    }

    #[test]
    fn tokens_are_in_the_systems_store_and_no_longer_in_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("tokens.json");
        let (fake, file) = (Arc::new(Fake::default()), TokenFile::new(path.clone()));
        file.save("https://a/mcp", r#"{"client_id":"old"}"#).unwrap();
        let keyring = Keyring::over(Arc::clone(&fake) as Arc<dyn Vault>, file);
        assert!(keyring.load("https://a/mcp").unwrap().unwrap().contains("old"), "an earlier login counts");
        keyring.save("https://a/mcp", r#"{"client_id":"new"}"#).unwrap();
        assert!(keyring.load("https://a/mcp").unwrap().unwrap().contains("new"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "{}");
        let names: Vec<String> = fake.secrets.lock().unwrap().keys().cloned().collect();
        assert_eq!(names, [key("https://a/mcp")], "a URL may hold a secret");
        keyring.clear("https://a/mcp").unwrap();
        assert_eq!(keyring.load("https://a/mcp").unwrap(), None);
    }

    #[test]
    fn without_a_store_the_file_is_used() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("tokens.json");
        let fake = Arc::new(Fake::default());
        fake.broken.store(true, Relaxed);
        let keyring = Keyring::over(fake, TokenFile::new(path.clone()));
        assert_eq!(keyring.load("https://a/mcp").unwrap(), None);
        keyring.save("https://a/mcp", r#"{"client_id":"a"}"#).unwrap();
        assert_eq!(keyring.load("https://a/mcp").unwrap().as_deref(), Some(r#"{"client_id":"a"}"#));
        assert!(fs::read_to_string(&path).unwrap().contains(r#""client_id": "a""#));
        keyring.clear("https://a/mcp").unwrap();
        assert_eq!(keyring.load("https://a/mcp").unwrap(), None);
    }
}
