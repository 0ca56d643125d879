//! Names that no program of a model's choosing inherits: keys of providers (S47).

/// Keys that well-known providers' tools read.
const KNOWN: [&str; 16] = [
    "OPENAI_API_KEY",
    "OPENAI_COMPATIBLE_API_KEY",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "OLLAMA_API_KEY",
    "AZURE_OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
    "MISTRAL_API_KEY",
    "GROQ_API_KEY",
    "DEEPSEEK_API_KEY",
    "XAI_API_KEY",
    "COHERE_API_KEY",
    "TOGETHER_API_KEY",
];

/// The names to be withheld: the known ones, `<NAME>_API_KEY` of each configured client, and the `{{NAME}}`s that stand in
/// the clients' keys.
pub fn withheld_names<'a>(
    clients: impl IntoIterator<Item = &'a str>,
    secrets: impl IntoIterator<Item = &'a str>,
) -> Vec<String> {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    let own = clients.into_iter().map(|client| format!("{}_API_KEY", client.chars().map(plain).collect::<String>()));
    let mut names: Vec<String> = KNOWN.iter().map(ToString::to_string).chain(own).collect();
    names.extend(secrets.into_iter().map(str::to_owned));
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_known_and_configured_clients_are_withheld_and_so_are_the_secrets_they_name() {
        let names = withheld_names(["my proxy-2", "openai"], ["COMPANY_TOKEN"]);
        for name in ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "MY_PROXY_2_API_KEY", "COMPANY_TOKEN"] {
            assert_eq!(names.iter().filter(|known| *known == name).count(), 1, "{name}");
        }
    }
}
