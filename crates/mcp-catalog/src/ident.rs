//! The names of things, each in a type of its own so that one is never passed for another.
//!
//! A URI is opaque bytes: nothing here parses, normalises or opens one (S37).

use sha2::{Digest, Sha256};
use std::{fmt, sync::Arc};
use thiserror::Error;

/// The longest server part of a function name: 64 less `mcp_describe_` (S3).
const SLUG_MAX: usize = 51;
/// How much of a key that does not fit is kept before the hash (S3).
const SLUG_CUT: usize = 42;

/// A name that is not one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NameError {
    /// It is empty.
    #[error("A {0} is empty")]
    Empty(&'static str),
}

macro_rules! name {
    ($(#[$doc:meta])* $name:ident, $what:literal) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Wraps a non-empty string; the bytes are kept as they are.
            pub fn new(text: impl AsRef<str>) -> Result<Self, NameError> {
                let text = text.as_ref();
                if text.is_empty() { Err(NameError::Empty($what)) } else { Ok(Self(Arc::from(text))) }
            }

            /// The name, byte for byte.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:?}", &*self.0)
            }
        }
    };
}

name!(
    /// The key of a server in `mcp.json`: any non-empty text.
    ServerName, "server name"
);
name!(
    /// The name of a tool, as its server wrote it.
    ToolName, "tool name"
);
name!(
    /// The URI of a resource: opaque bytes (S37).
    ResourceUri, "resource URI"
);
name!(
    /// A URI template, unparsed.
    UriTemplate, "URI template"
);
name!(
    /// The name of a prompt, as its server wrote it.
    PromptName, "prompt name"
);

impl ServerName {
    /// The server as a part of a function name and as a directory name (S3, S32): the key itself when it fits
    /// `[A-Za-z0-9_-]{1,51}`, else a cut of it with eight hex digits of its SHA-256.
    pub fn slug(&self) -> String {
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if self.0.len() <= SLUG_MAX && self.0.chars().all(fits) {
            return self.0.to_string();
        }
        let kept = self.0.chars().map(|c| if fits(c) { c } else { '_' }).take(SLUG_CUT);
        let digest = Sha256::digest(self.0.as_bytes());
        let hash = digest.iter().take(4).map(|byte| format!("{byte:02x}"));
        kept.collect::<String>() + "_" + &hash.collect::<String>()
    }
}

#[cfg(test)]
mod tests {
    use super::{NameError, ResourceUri, ServerName};
    use proptest::prelude::*;
    use rstest::rstest;

    fn slug(key: &str) -> String {
        ServerName::new(key).unwrap().slug()
    }

    #[rstest]
    #[case::plain("github", "github")]
    #[case::longest(
        "a23456789_123456789_123456789_123456789_123456789_1",
        "a23456789_123456789_123456789_123456789_123456789_1"
    )]
    #[case::space("My Server.v2", "My_Server_v2_f7dd860e")]
    #[case::traversal("../../x", "______x_9cdf6a50")]
    #[case::non_ascii("büro", "b_ro_2616f09c")]
    #[case::dot("abc.", "abc__5ac9481b")]
    fn a_key_that_fits_is_kept_and_any_other_is_cut_and_hashed(#[case] key: &str, #[case] expected: &str) {
        assert_eq!(slug(key), expected);
    }

    #[test]
    fn two_long_keys_with_one_head_differ() {
        let head = "k".repeat(51);
        assert_ne!(slug(&format!("{head}1")), slug(&format!("{head}2")));
    }

    #[test]
    fn an_empty_name_is_none() {
        assert_eq!(ServerName::new(""), Err(NameError::Empty("server name")));
        assert_eq!(ResourceUri::new("").unwrap_err().to_string(), "A resource URI is empty");
    }

    proptest! {
        #[test]
        fn every_slug_fits_a_function_name_and_a_directory(key in "\\PC{1,80}|[a-zA-Z0-9_-]{1,80}") {
            let slug = slug(&key);
            prop_assert!((1..=51).contains(&slug.len()), "{}", slug);
            prop_assert!(slug.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-'), "{}", slug);
            prop_assert_eq!(&slug, &ServerName::new(&key).unwrap().slug());
        }

        #[test]
        fn a_uri_is_kept_byte_for_byte(uri in "\\PC{1,40}") {
            let kept = ResourceUri::new(&uri).unwrap();
            prop_assert_eq!(kept.as_str(), uri.as_str());
            prop_assert_eq!(kept.to_string(), uri);
        }
    }
}
