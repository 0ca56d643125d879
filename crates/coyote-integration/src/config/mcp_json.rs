//! An `mcp.json` (host.md "mcp.json"): every entry for itself, in the file's order.
//!
//! One bad entry is one warning and costs only itself; a file that cannot be read costs its own servers, never the
//! embedded one. It starts nothing. A workspace's file is read by the same rules and stricter: `workspace` says which.

use super::{
    ConfiguredServer, Environment, MissingSecret, Paths, ProcessEnv, Warning, line_that_is_no_text,
    ordered::{Ordered, line_of},
    placeholders, read_bytes,
    server_entry::{ParsedEntry, Refused, parse_entry},
};
use crate::mcp::{Origin, SpecKey, Transport};
use mcp_catalog::ServerName;
use serde_json::{Value, value::RawValue};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// What `mcp.json` says.
#[derive(Debug, Default)]
pub struct McpJson {
    /// The file that was read; `None` when there is none.
    pub path: Option<PathBuf>,
    /// The servers, in the file's order.
    pub servers: Vec<ConfiguredServer>,
    /// Keys whose entry is not usable, and why.
    pub skipped: Vec<(String, String)>,
    /// What there is to say.
    pub warnings: Vec<Warning>,
    /// Why nothing of the file can be used; it is among the warnings too.
    pub fault: Option<String>,
}

impl McpJson {
    fn unusable(mut self, why: String) -> Self {
        self.warnings.push(Warning::file(why.clone()));
        self.fault = Some(why);
        self
    }
}

/// Reads the first of the user's two places that exists.
pub fn read_mcp_json(paths: &Paths, environment: &Environment) -> McpJson {
    for path in paths.mcp_json() {
        match read_bytes(&path) {
            Ok(bytes) => return parse_mcp_json(path, &bytes, environment, Origin::User),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => {
                let why = format!("`{}` could not be read: {error}", path.display());
                return McpJson { path: Some(path), ..McpJson::default() }.unusable(why);
            }
        }
    }
    McpJson::default()
}

/// What the file at `path` says, whose content is `bytes`.
pub(super) fn parse_mcp_json(path: PathBuf, bytes: &[u8], environment: &Environment, origin: Origin) -> McpJson {
    let found = McpJson { path: Some(path.clone()), ..McpJson::default() };
    Reader { path, environment, origin, found, unknown: Vec::new() }.read(bytes)
}

/// Reads one file.
struct Reader<'a> {
    path: PathBuf,
    environment: &'a Environment,
    origin: Origin,
    found: McpJson,
    /// Unknown keys, said once for the whole file.
    unknown: Vec<String>,
}

impl Reader<'_> {
    fn read(mut self, bytes: &[u8]) -> McpJson {
        let path = self.path.display().to_string();
        let Ok(text) = str::from_utf8(bytes) else {
            let line = line_that_is_no_text(bytes).unwrap_or_default();
            return self.found.unusable(format!("`{path}` line {line} is not UTF-8; save the file as UTF-8"));
        };
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let members = match serde_json::from_str::<Ordered<'_>>(text) {
            Ok(Ordered(members)) => members,
            Err(error) => return self.found.unusable(format!("`{path}` is no JSON object: {error}")),
        };
        let mut servers = None;
        for (key, raw) in members {
            match key.as_str() {
                "mcpServers" => servers = Some(raw),
                // A pointer for editors.
                "$schema" => {}
                _ => self.unknown.push(format!("`{key}` (line {})", line_of(text, raw.get()))),
            }
        }
        match servers.map(|raw| serde_json::from_str::<Ordered<'_>>(raw.get())) {
            Some(Ok(Ordered(entries))) => self.entries(text, entries),
            Some(Err(_)) => {
                return self.found.unusable(format!("`mcpServers` in `{path}` is no object; write one entry a server"));
            }
            None => {
                let hint = "Write `{\"mcpServers\": {\"<name>\": {…}}}`";
                return self.found.unusable(format!("`{path}` has no `mcpServers`. {hint}"));
            }
        }
        if !self.unknown.is_empty() {
            let keys = self.unknown.join(", ");
            self.found.warnings.push(Warning::hint(format!("`{path}` has keys that mean nothing to coyote: {keys}")));
        }
        self.found
    }

    fn entries(&mut self, text: &str, entries: Vec<(String, &RawValue)>) {
        let mut seen = BTreeSet::new();
        for (key, raw) in entries {
            let line = line_of(text, raw.get());
            if !seen.insert(key.clone()) {
                let path = self.path.display();
                let text = format!("`{path}` line {line}: server `{key}` stands there twice; the first entry counts");
                self.found.warnings.push(Warning::server(&key, text));
                continue;
            }
            if let Err(Refused(why)) = self.entry(text, &key, raw) {
                let text = format!("Server `{key}` is skipped (`{}` line {line}): {why}", self.path.display());
                self.found.warnings.push(Warning::server(&key, text));
                self.found.skipped.push((key, why));
            }
        }
    }

    fn entry(&mut self, text: &str, key: &str, raw: &RawValue) -> Result<(), Refused> {
        let name = ServerName::new(key)
            .map_err(|_| Refused("its name is empty; give it one, functions are named after it".to_owned()))?;
        let value: Value = serde_json::from_str(raw.get()).map_err(|error| Refused(error.to_string()))?;
        let mut parsed = parse_entry(name, &value, self.environment)?;
        if self.origin == Origin::Workspace {
            self.strangers(text, key, raw, &mut parsed)?;
        }
        let at = format!("`{}` line {}", self.path.display(), line_of(text, raw.get()));
        if let Transport::Unsupported { reason } = &mut parsed.entry.transport {
            *reason = format!("{reason} ({at})");
        }
        let unknown = parsed.unknown.iter().map(|unknown| {
            let line = line_of_member(text, raw, unknown);
            format!("`{unknown}` of `{key}` (line {line})")
        });
        self.unknown.extend(unknown);
        if !parsed.literals.is_empty() {
            let fields = parsed.literals.iter().map(|field| format!("`{field}`")).collect::<Vec<_>>().join(", ");
            let text = format!(
                "Server `{key}` ({at}): `${{…}}` in {fields} is passed on as it is; coyote fills in `{{{{NAME}}}}`"
            );
            self.found.warnings.push(Warning::server(key, text));
        }
        let missing = parsed.missing.first().map(|name| self.missing(text, raw, name));
        let written = self.written(&parsed.entry.name, &value)?;
        self.found.servers.push(ConfiguredServer { entry: parsed.entry, missing, written });
        Ok(())
    }

    /// The key of the entry with every `{{NAME}}` as it stands there: parsed once more where no name has a value.
    fn written(&self, name: &ServerName, value: &Value) -> Result<SpecKey, Refused> {
        let nothing = Environment::new(ProcessEnv::of(&[]));
        let mut entry = parse_entry(name.clone(), value, &nothing)?.entry;
        entry.origin = self.origin;
        Ok(entry.spec_key())
    }

    /// What the user's own file may say and a workspace's may not (S18, S40).
    fn strangers(&mut self, text: &str, key: &str, raw: &RawValue, parsed: &mut ParsedEntry) -> Result<(), Refused> {
        if let Some(name) = parsed.missing.first() {
            return Err(Refused(format!(
                "`{{{{{name}}}}}` stands in it; a workspace file may not use your environment or `.env`, so write the \
                 value itself, or copy the entry into your own mcp.json"
            )));
        }
        parsed.entry.origin = self.origin;
        if std::mem::take(&mut parsed.entry.trust) {
            let at = format!("`{}` line {}", self.path.display(), line_of_member(text, raw, "trust"));
            let text = format!(
                "Server `{key}` ({at}): `trust` in a workspace file is ignored; calls of its tools are asked about. Only your \
                 own mcp.json can waive that"
            );
            self.found.warnings.push(Warning::server(key, text));
        }
        Ok(())
    }

    fn missing(&self, text: &str, raw: &RawValue, name: &str) -> MissingSecret {
        let entry = raw.get();
        let place = placeholders(entry).find(|found| found.name == name).and_then(|found| entry.get(found.start..));
        MissingSecret {
            name: name.to_owned(),
            file: self.path.clone(),
            line: place.map_or(0, |place| line_of(text, place)),
            env_file: self.environment.file_path().map(Path::to_owned),
        }
    }
}

/// The line of a member of an entry.
fn line_of_member(text: &str, entry: &RawValue, member: &str) -> usize {
    let members = serde_json::from_str::<Ordered<'_>>(entry.get()).map(|Ordered(members)| members).unwrap_or_default();
    let value = members.iter().find(|(key, _)| key == member).map_or(entry.get(), |(_, raw)| raw.get());
    line_of(text, value)
}

#[cfg(test)]
mod tests;
