//! Which functions a server gets (D7, S4).
//!
//! It decides from what a server declared and never asks one. A function that could only fail is not offered; search and
//! describe always are, since they work on whatever kinds there are.

use crate::Verb;
use mcp_catalog::McpServerFeatures;

/// What a server must have declared for a function to exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// Nothing.
    Always,
    /// Tools, or nothing of tools, resources and prompts (fail-open, R6).
    Tools,
    /// Resources.
    Resources,
    /// Prompts.
    Prompts,
}

impl Gate {
    /// The condition in words, to follow "when the server declared".
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Always => "anything, or nothing",
            Self::Tools => "tools, or nothing that is known",
            Self::Resources => "resources",
            Self::Prompts => "prompts",
        }
    }

    /// Whether a server with these features passes.
    pub const fn opens(self, features: &McpServerFeatures) -> bool {
        match self {
            Self::Always => true,
            Self::Tools => features.tools,
            Self::Resources => features.resources,
            Self::Prompts => features.prompts,
        }
    }
}

/// Whether a server with these features gets `verb`.
pub const fn emits(verb: Verb, features: &McpServerFeatures) -> bool {
    verb.gate().opens(features)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcp_catalog::{Capabilities, Handshake, LocalPort, McpRuntime, ServerName, ServerPort};
    use rstest::rstest;
    use std::sync::Arc;

    fn handshake(declared: &str) -> Handshake {
        Handshake::of(Capabilities {
            tools: declared.contains("tools"),
            resources: declared.contains("resources"),
            prompts: declared.contains("prompts"),
            completions: declared.contains("completions"),
        })
    }

    /// The matrix of design §4.4.
    #[rstest]
    #[case::tools_only("tools", "invoke search describe")]
    #[case::tools_and_resources("tools resources", "invoke search describe read")]
    #[case::tools_and_prompts("tools prompts", "invoke search describe prompt")]
    #[case::everything("tools resources prompts", "invoke search describe read prompt")]
    #[case::resources_only("resources", "search describe read")]
    #[case::prompts_only("prompts", "search describe prompt")]
    #[case::resources_and_prompts("resources prompts", "search describe read prompt")]
    #[case::nothing_declared("", "invoke search describe")]
    #[case::completions_alone_is_nothing_declared("completions", "invoke search describe")]
    fn a_server_gets_the_functions_of_what_it_declared(#[case] declared: &str, #[case] expected: &str) {
        let name = ServerName::new("srv").unwrap();
        let port = LocalPort::new(name.clone(), handshake(declared), Arc::new(|request| panic!("asked {request:?}")));
        // A delegate's server is in a runtime and in no registry (R15): the features come from there.
        let runtime = McpRuntime::new([Arc::new(port) as Arc<dyn ServerPort>]);
        let features = runtime.server_features();
        assert_eq!(features.len(), 1);
        let verbs = Verb::ALL.into_iter().filter(|verb| emits(*verb, &features[0])).map(Verb::as_str);
        assert_eq!(verbs.collect::<Vec<_>>().join(" "), expected);
    }
}
