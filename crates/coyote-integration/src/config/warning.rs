//! One thing to tell the user about their files. A warning never holds a value that may be a secret (S47).

use std::fmt;

/// Whom a warning concerns, so that a command about one server does not repeat what is wrong with the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum About {
    /// A whole file.
    File,
    /// The server of this key.
    Server(String),
    /// Something that does no harm; only commands about all servers say it.
    Hint,
}

/// What is wrong, what is accepted, what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// Whom it concerns.
    pub about: About,
    /// The sentence.
    pub text: String,
}

impl Warning {
    /// A warning about a file.
    pub fn file(text: impl Into<String>) -> Self {
        Self { about: About::File, text: text.into() }
    }

    /// A warning about one server.
    pub fn server(key: &str, text: impl Into<String>) -> Self {
        Self { about: About::Server(key.to_owned()), text: text.into() }
    }

    /// A warning that only commands about all servers show.
    pub fn hint(text: impl Into<String>) -> Self {
        Self { about: About::Hint, text: text.into() }
    }

    /// Whether a command about the server of this key shows it; `None` is a command about all servers.
    pub fn concerns(&self, server: Option<&str>) -> bool {
        match (&self.about, server) {
            (About::File, _) | (_, None) => true,
            (About::Server(key), Some(server)) => key == server,
            (About::Hint, Some(_)) => false,
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_about_one_server_is_not_told_what_is_wrong_with_another() {
        let shown = |warning: &Warning| [None, Some("a"), Some("b")].map(|server| warning.concerns(server));
        assert_eq!(shown(&Warning::file("x")), [true, true, true]);
        assert_eq!(shown(&Warning::server("a", "x")), [true, true, false]);
        assert_eq!(shown(&Warning::hint("x")), [true, false, false]);
    }
}
