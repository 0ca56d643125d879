//! The manual as resources: `coyote://manual/<page>`, the pages of `manual/`, kept in the binary. `docs/book.toml` makes
//! the book of the same files; they stand in this crate, so that its package holds what the binary needs.
//!
//! One table; the listing, the reads and the test against the book's summary derive from it.

use serde_json::{Value, json};

/// The URI of a page is this and its name.
pub(super) const URI: &str = "coyote://manual/";

/// The template that reaches every page.
pub(super) const TEMPLATE: &str = "coyote://manual/{page}";

/// What every page is.
const MIME_TYPE: &str = "text/markdown";

/// One page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Its name in the URI: the file's without `.md`.
    pub name: &'static str,
    /// Its title, as the book's summary has it.
    pub title: &'static str,
    /// What one finds there.
    pub description: &'static str,
    /// Its Markdown.
    pub text: &'static str,
}

/// Every page, in the book's order.
pub const PAGES: &[Page] = &[
    Page {
        name: "start",
        title: "Start",
        description: "The first commands, where servers are configured, where files live, exit statuses",
        text: include_str!("../../manual/start.md"),
    },
    Page {
        name: "repl",
        title: "The REPL",
        description: "Every command and key of the REPL, what happens while something runs, the prompt, the history",
        text: include_str!("../../manual/repl.md"),
    },
    Page {
        name: "prompts",
        title: "Prompts and what servers offer",
        description: "Run a prompt, quote its arguments, read a resource, list what servers offer, connect, enable, log in",
        text: include_str!("../../manual/prompts.md"),
    },
    Page {
        name: "completion",
        title: "Completion",
        description: "What Tab offers and asks, stage by stage, and what happens when a server fails",
        text: include_str!("../../manual/completion.md"),
    },
    Page {
        name: "scripts",
        title: "In scripts",
        description: "One turn by command: stdin, pipes, exit statuses, `--yes`, `--dry-run`, JSON of `coyote mcp`",
        text: include_str!("../../manual/scripts.md"),
    },
    Page {
        name: "models",
        title: "Models",
        description: "Where models come from, clients and keys, what happens when a provider fails, the offline model",
        text: include_str!("../../manual/models.md"),
    },
    Page {
        name: "sessions",
        title: "Sessions",
        description: "Conversations kept in files: -s, when they are written, their format, compression, preludes",
        text: include_str!("../../manual/sessions.md"),
    },
    Page {
        name: "roles",
        title: "Roles",
        description: "Roles: their files, settings, what of their text becomes which message, which setting counts",
        text: include_str!("../../manual/roles.md"),
    },
    Page {
        name: "macros",
        title: "Macros",
        description: "Macros: steps, variables, isolated ones, --macro, those of a workspace and their trust",
        text: include_str!("../../manual/macros.md"),
    },
    Page {
        name: "servers",
        title: "Servers",
        description: "Add, show and remove servers by command; a workspace's own mcp.json and what trust covers",
        text: include_str!("../../manual/servers.md"),
    },
    Page {
        name: "configuration",
        title: "Configuration",
        description: "config.yaml: every key, clients and their models, layers of settings, roles",
        text: include_str!("../../manual/configuration.md"),
    },
    Page {
        name: "doctor",
        title: "When a server does not work",
        description: "coyote mcp doctor: what each line says, servers that do not start, things that are missing",
        text: include_str!("../../manual/doctor.md"),
    },
    Page {
        name: "resources",
        title: "Resources, tool results, prompts",
        description: "Search, describe, read with pages and patterns, spilled binaries, limits, tool results, prompts",
        text: include_str!("../../manual/resources.md"),
    },
    Page {
        name: "gating",
        title: "Which functions a server gets",
        description: "The five functions, which capability brings which, their names, what may be called",
        text: include_str!("../../manual/gating.md"),
    },
    Page {
        name: "tools",
        title: "Tools on your machine",
        description: "Built-in tools, your own in functions/, what a program inherits, limits",
        text: include_str!("../../manual/tools.md"),
    },
    Page {
        name: "approval",
        title: "What is asked before it runs",
        description: "Which calls ask, what each answer lasts for, trust, --yes, without a terminal",
        text: include_str!("../../manual/approval.md"),
    },
    Page {
        name: "agents",
        title: "Agents",
        description: "Agent files, agents that spawn agents, their servers, limits, questions and approvals",
        text: include_str!("../../manual/agents.md"),
    },
    Page {
        name: "connections",
        title: "Connections",
        description: "Deadlines, stopping, what happens when a server goes away, servers without a handshake",
        text: include_str!("../../manual/connections.md"),
    },
    Page {
        name: "http",
        title: "Servers over HTTP and logins",
        description: "Servers with a URL: headers, proxies, redirects, limits, what can go wrong, `coyote mcp auth`",
        text: include_str!("../../manual/http.md"),
    },
    Page {
        name: "errors",
        title: "Error codes",
        description: "Each error code with its cause and what to do",
        text: include_str!("../../manual/errors.md"),
    },
    Page {
        name: "security",
        title: "Security",
        description: "What is promised about secrets, programs and foreign text, and the test of each promise",
        text: include_str!("../../manual/security.md"),
    },
    Page {
        name: "hosts",
        title: "For hosts",
        description: "The four libraries in a Rust host of your own, each with an example that runs",
        text: include_str!("../../manual/hosts.md"),
    },
];

impl Page {
    /// The page's URI.
    pub fn uri(&self) -> String {
        format!("{URI}{}", self.name)
    }

    /// The page of this URI, byte for byte.
    pub(super) fn find(uri: &str) -> Option<&'static Self> {
        let name = uri.strip_prefix(URI)?;
        PAGES.iter().find(|page| page.name == name)
    }

    /// The entry in `resources/list`.
    pub(super) fn listed(&self) -> Value {
        json!({
            "uri": self.uri(),
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "mimeType": MIME_TYPE,
            "size": self.text.len(),
        })
    }

    /// The result of `resources/read`.
    pub(super) fn read(&self) -> Value {
        json!({"contents": [{"uri": self.uri(), "mimeType": MIME_TYPE, "text": self.text}]})
    }
}

/// The entry in `resources/templates/list`.
pub(super) fn template() -> Value {
    json!({
        "uriTemplate": TEMPLATE,
        "name": "manual page",
        "description": "A page of the manual by its name",
        "mimeType": MIME_TYPE,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `- [Title](file.md)` lines of the book's summary.
    fn summary() -> Vec<(String, String)> {
        let text = include_str!("../../manual/SUMMARY.md");
        let links = text.lines().filter_map(|line| {
            let (title, rest) = line.trim().strip_prefix("- [")?.split_once("](")?;
            Some((title.to_owned(), rest.strip_suffix(".md)")?.to_owned()))
        });
        links.collect()
    }

    #[test]
    fn the_embedded_manual_is_the_books_summary() {
        let pages: Vec<_> = PAGES.iter().map(|page| (page.title.to_owned(), page.name.to_owned())).collect();
        assert!(!pages.is_empty());
        assert_eq!(pages, summary());
    }

    #[test]
    fn every_page_begins_with_its_title_and_is_found_by_its_uri_alone() {
        for page in PAGES {
            assert_eq!(page.text.lines().next(), Some(format!("# {}", page.title).as_str()));
            assert_eq!(Page::find(&page.uri()), Some(page));
        }
        assert_eq!(Page::find("coyote://manual/START"), None);
        assert_eq!(Page::find("coyote://manual/start/"), None);
        assert_eq!(Page::find("start"), None);
    }
}
