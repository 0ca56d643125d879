//! Every macro there is: the user's own, then those of the working directory that the user trusted (host.md "Workspace
//! files", R5).
//!
//! A workspace's macro never takes the place of a user's own, and one that is not trusted is not there: it can be shown,
//! asked about and then [`Macros::trust`]ed. It asks nobody.

use super::{Macro, MacroOrigin};
use crate::{
    config::{Chosen, DeadLink, Paths, Trust, WorkspaceFile, is_file, line_that_is_no_text, read_text},
    context::Layers,
};
use mcp_render::{WORKSPACE_FILE_MAX_BYTES, json_for_terminal, shown_line};
use std::{
    fmt::Write,
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Where a workspace's macros are.
const WORKSPACE: &str = ".coyote/macros";
/// The most macros that are read of a directory.
const MOST: usize = 1_000;
/// The most files that one warning names.
const NAMED: usize = 5;

/// All macros.
#[derive(Debug, Clone, Default)]
pub struct Macros {
    list: Vec<Macro>,
    /// What is wrong with their files.
    pub warnings: Vec<String>,
    /// Those of the workspace that are not trusted.
    pub offered: Vec<OfferedMacro>,
    workspace: Option<PathBuf>,
    /// The files that were read, as they were.
    seen: Vec<Seen>,
}

/// A file and what tells that it is another one.
type Seen = (PathBuf, Option<SystemTime>, u64);

/// A macro of the workspace that the user has not trusted as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedMacro {
    /// What it would be.
    pub what: Macro,
    file: WorkspaceFile,
    /// Whether it was trusted before it changed.
    pub changed: bool,
}

impl Macros {
    /// Reads the macros of the user, and of `workspace` if there is one.
    pub fn read(paths: &Paths, workspace: Option<&Path>) -> Self {
        let workspace_dir = workspace.map(Path::to_owned);
        let seen = seen(paths, workspace);
        let mut macros = Self { workspace: workspace_dir, seen, ..Self::default() };
        for (name, path) in files(&paths.macros_dir) {
            let read = text_of(&path).and_then(|text| Macro::parse(&name, &text, &path, MacroOrigin::User));
            macros.take(read);
        }
        macros.warnings.extend(misnamed(&paths.macros_dir));
        let Some(dir) = workspace else { return macros };
        let dir = shelf_of(dir);
        let is_the_users = |dir: PathBuf| fs::canonicalize(&paths.macros_dir).is_ok_and(|own| own == dir);
        if fs::canonicalize(&dir).is_ok_and(is_the_users) {
            return macros;
        }
        if let Some(link) = DeadLink::at(&dir).filter(|link| link.link == dir) {
            macros.warnings.push(format!("{link}. Make that directory, or remove the link"));
        }
        let trust = Trust::read(paths);
        for (name, path) in files(&dir) {
            macros.offer(&name, path, trust.as_ref().ok());
        }
        macros.warnings.extend(misnamed(&dir));
        if let (Err(why), false) = (trust, macros.offered.is_empty()) {
            macros.warnings.push(why);
        }
        macros
    }

    /// The same read again, when a file is new, gone or another one. What was trusted for this run alone stays so as long as
    /// it says the same; nobody is asked, so what else a workspace offers stays away.
    pub fn reread(&self, paths: &Paths) -> Option<Self> {
        if seen(paths, self.workspace.as_deref()) == self.seen {
            return None;
        }
        let mut now = Self::read(paths, self.workspace.as_deref());
        let (known, offered) =
            std::mem::take(&mut now.offered).into_iter().partition(|it| self.list.contains(&it.what));
        now.offered = offered;
        now.list.extend(Vec::into_iter(known).map(|it: OfferedMacro| it.what));
        now.list.sort_by(|one, other| one.name.cmp(&other.name));
        Some(now)
    }

    /// What there is to tell of these that was not told of `before`.
    pub fn news(&self, before: &Self, commands: &[&str]) -> Vec<String> {
        let told = |macros: &Self| {
            macros.warnings.iter().cloned().chain(macros.shadowed(commands)).chain(macros.skipped()).collect::<Vec<_>>()
        };
        let old = told(before);
        told(self).into_iter().filter(|news| !old.contains(news)).collect()
    }

    /// The macro of this name.
    pub fn get(&self, name: &str) -> Option<&Macro> {
        self.list.iter().find(|known| known.name == name)
    }

    /// Every macro that can run, in order of names.
    pub fn iter(&self) -> impl Iterator<Item = &Macro> {
        self.list.iter()
    }

    /// Those that the layers enable (`enabled_macros`): absent and null are all.
    pub fn enabled<'a>(&'a self, layers: &'a Layers) -> impl Iterator<Item = &'a Macro> {
        self.chosen(layers.enabled_macros())
    }

    /// Those that a setting enables.
    pub(crate) fn chosen<'a>(&'a self, chosen: &'a Chosen) -> impl Iterator<Item = &'a Macro> {
        self.list.iter().filter(move |known| match chosen {
            Chosen::Unset | Chosen::Null => true,
            Chosen::Names(names) => names.iter().any(|name| name == "all" || *name == known.name),
        })
    }

    /// One warning for each macro that a command of its name hides (R5).
    pub fn shadowed(&self, commands: &[&str]) -> Vec<String> {
        mcp_prompt_repl::shadow_warnings(self.list.iter().map(|known| known.name.as_str()), commands)
    }

    /// What a user is shown before these are trusted: every step of every one. `None` when there is nothing to ask.
    pub fn statement(&self) -> Option<String> {
        let first = self.offered.first()?;
        let dir = first.file.path().parent().map(|dir| dir.display().to_string()).unwrap_or_default();
        let count =
            if self.offered.len() == 1 { "a macro".to_owned() } else { format!("{} macros", self.offered.len()) };
        let dir = shown_line(&dir, usize::MAX);
        let mut text = format!(
            "The workspace offers {count} in `{dir}`. What its steps do is done as you, and `!` runs your shell.\n"
        );
        for OfferedMacro { what, file, changed } in &self.offered {
            let state = if *changed { "  (changed since you trusted it)" } else { "" };
            // Writing to a string does not fail.
            let _ = writeln!(text, "\n  macro  .{}{state}", shown_line(&what.name, usize::MAX));
            // A default is filled into steps, so it is as much of what runs as they are.
            for (name, default) in
                what.variables.iter().filter_map(|known| Some((&known.name, known.default.as_ref()?)))
            {
                let _ = writeln!(text, "  with   {name} = {}", json_for_terminal(&default.as_str().into(), false));
            }
            for step in &what.steps {
                // Quoted: a step cannot write a line of this statement.
                let _ = writeln!(text, "  step   {}", json_for_terminal(&step.as_str().into(), false));
            }
            let _ = writeln!(text, "  sha256 {}", file.sha256());
        }
        text.push_str("\nTrust covers these files as they are now, and not the programs that their steps run.");
        Some(text)
    }

    /// Trusts every offered macro as it is: each is there from now on. An error says what could not be kept for next time.
    pub fn trust(&mut self, paths: &Paths) -> Result<(), String> {
        let offered = std::mem::take(&mut self.offered);
        let kept =
            Trust::read(paths).and_then(|mut trust| offered.iter().try_for_each(|offered| trust.add(&offered.file)));
        self.list.extend(offered.into_iter().map(|offered| offered.what));
        self.list.sort_by(|one, other| one.name.cmp(&other.name));
        kept
    }

    /// The warning for macros that stay away because nobody could be asked.
    pub fn skipped(&self) -> Option<String> {
        let names: Vec<String> =
            self.offered.iter().map(|offered| format!("`{}`", shown_line(&offered.what.name, 80))).collect();
        (!names.is_empty()).then(|| {
            let names = names.join(", ");
            format!(
                "Macros of the workspace are skipped, since you have not trusted them as they are: {names}. \
                 `--no-workspace-macros` silences this"
            )
        })
    }

    fn take(&mut self, read: Result<(Macro, Vec<String>), String>) {
        match read {
            Ok((known, unread)) => {
                self.warnings.extend(unread);
                self.list.push(known);
            }
            Err(why) => self.warnings.push(why),
        }
    }

    fn offer(&mut self, name: &str, path: PathBuf, trust: Option<&Trust>) {
        if self.get(name).is_some() {
            let name = shown_line(name, 80);
            self.warnings.push(format!("The workspace's macro `{name}` is not used: you have your own of that name"));
            return;
        }
        let file = match WorkspaceFile::at(path) {
            Ok(file) => file,
            Err(why) => return self.warnings.push(why),
        };
        let Ok(text) = str::from_utf8(file.bytes()) else {
            let (path, line) = (file.path().display(), line_that_is_no_text(file.bytes()).unwrap_or_default());
            return self.warnings.push(format!("`{path}` line {line} is not UTF-8; save the file as UTF-8"));
        };
        match Macro::parse(name, text, file.path(), MacroOrigin::Workspace) {
            Ok(read) if trust.is_some_and(|trust| trust.covers(&file)) => self.take(Ok(read)),
            Ok((what, _)) => {
                let changed = trust.is_some_and(|trust| trust.knows(file.path()));
                self.offered.push(OfferedMacro { what, file, changed });
            }
            Err(why) => self.warnings.push(why),
        }
        self.list.sort_by(|one, other| one.name.cmp(&other.name));
    }
}

/// Where a workspace's macros are. The directory's own links are resolved, as those of a workspace's mcp.json are.
fn shelf_of(workspace: &Path) -> PathBuf {
    fs::canonicalize(workspace).unwrap_or_else(|_| workspace.to_owned()).join(WORKSPACE)
}

/// The files of both directories as they are; none is opened.
fn seen(paths: &Paths, workspace: Option<&Path>) -> Vec<Seen> {
    let dirs = [Some(paths.macros_dir.clone()), workspace.map(shelf_of)];
    // Files of any name: one that cannot be a macro is told.
    let found = dirs.into_iter().flatten().flat_map(|dir| found(&dir).filter(|path| is_file(path)).collect::<Vec<_>>());
    let seen = found.map(|path| {
        let about = fs::metadata(&path).ok();
        let changed = about.as_ref().and_then(|about| about.modified().ok());
        (path, changed, about.map_or(0, |about| about.len()))
    });
    let mut seen: Vec<Seen> = seen.collect();
    seen.sort();
    seen
}

/// The macro files of a directory, by their names, sorted. A name is one word, since it is typed as a command.
fn files(dir: &Path) -> Vec<(String, PathBuf)> {
    let mut files: Vec<(String, PathBuf)> =
        found(dir).filter_map(|path| Some((name_of(&path)?, path))).filter(|(_, path)| is_file(path)).collect();
    files.sort();
    files
}

/// The warning for files that look like macros and cannot be: nobody could type their names.
fn misnamed(dir: &Path) -> Option<String> {
    let is_meant = |path: &PathBuf| {
        let hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        let yaml = path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
        yaml && !hidden && name_of(path).is_none() && is_file(path)
    };
    let mut files: Vec<PathBuf> = found(dir).filter(is_meant).collect();
    files.sort();
    let shown = |path: &PathBuf| format!("`{}`", shown_line(&path.display().to_string(), usize::MAX));
    let names = files.iter().take(NAMED).map(shown).collect::<Vec<_>>().join(", ");
    let (are, more) = match files.len() {
        0 => return None,
        1 => ("is no macro", String::new()),
        count if count <= NAMED => ("are no macros", String::new()),
        count => ("are no macros", format!(" and {} more", count - NAMED)),
    };
    Some(format!("{names}{more} {are}; accepted is a name of one word without blanks, and the ending `.yaml`"))
}

fn found(dir: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(dir).into_iter().flatten().flatten().take(MOST).map(|file| file.path())
}

/// The name of the macro that a file is, if it can be one.
fn name_of(path: &Path) -> Option<String> {
    let name = path.file_stem()?.to_str()?;
    let word = !name.starts_with('.') && !name.contains(|c: char| c.is_whitespace() || c.is_control());
    (word && path.extension()? == "yaml").then(|| name.to_owned())
}

fn text_of(path: &Path) -> Result<String, String> {
    let shown = path.display();
    let size = fs::metadata(path).map(|found| found.len()).unwrap_or_default();
    if usize::try_from(size).is_ok_and(|size| size > WORKSPACE_FILE_MAX_BYTES) {
        return Err(format!("`{shown}` is over {} MiB and is not used", WORKSPACE_FILE_MAX_BYTES >> 20));
    }
    read_text(path).map_err(|error| format!("`{shown}` could not be read: {error}"))
}

#[cfg(test)]
mod tests;
