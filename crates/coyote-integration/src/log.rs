//! The log: `<cache>/coyote.log`, for the user alone (S47), put aside at 10 MiB, five files in all (host.md "Files").
//!
//! Nothing is opened before the first line is written, so a run that logs nothing leaves nothing. What servers wrote is
//! escaped on the way in (S46), and a value that coyote filled into an entry is written as `{{NAME}}` whoever speaks of
//! it, the SDK's own lines included (S47). A log that cannot be written is no reason to fail: its lines are dropped.

use crate::config::{Paths, Warning, private_dir};
use crate::mcp::FilledIn;
use mcp_render::{LOG_FILE_MAX_BYTES, LOG_FILES, shown_line};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, RwLock},
};
use tracing_subscriber::EnvFilter;

/// What is logged when `COYOTE_LOG_LEVEL` says nothing: warnings, what servers write to stderr (S18), and the SDK, which
/// tells only there what it drops.
const DEFAULT: &str = "warn,coyote::stderr=info,rmcp=info";

/// What the entries of this process were filled with.
static HIDDEN: RwLock<FilledIn> = RwLock::new(FilledIn::new());

/// From now on the log shows these values as their names.
pub(crate) fn hide(filled_in: &FilledIn) {
    if !filled_in.is_empty() {
        HIDDEN.write().unwrap_or_else(PoisonError::into_inner).extend(filled_in);
    }
}

/// Sends tracing to the log. `level` is a level or filter directives; one that does not parse is a warning.
pub(crate) fn start(paths: &Paths, level: Option<&str>) -> Option<Warning> {
    let given = level.map(str::trim).filter(|level| !level.is_empty());
    let (filter, warning) = match given.map(EnvFilter::try_new) {
        Some(Ok(filter)) => (filter, None),
        Some(Err(error)) => (EnvFilter::new(DEFAULT), Some(unknown_level(&error.to_string()))),
        None => (EnvFilter::new(DEFAULT), None),
    };
    let log = Log::new(paths.log_file(), LOG_FILE_MAX_BYTES);
    // A second start in one process (tests) keeps the first.
    let started = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        .log_internal_errors(false)
        .with_writer(move || log.clone())
        .try_init();
    drop(started);
    warning
}

fn unknown_level(why: &str) -> Warning {
    let accepted = "Accepted are `off`, `error`, `warn`, `info`, `debug`, `trace`, or `target=level` lists";
    Warning::file(format!("`COYOTE_LOG_LEVEL` does not parse ({why}), `{DEFAULT}` is used. {accepted}"))
}

/// The log as a writer. Each write is one event.
#[derive(Debug, Clone)]
struct Log(Arc<Mutex<Rotating>>);

impl Log {
    fn new(path: PathBuf, limit: u64) -> Self {
        Self(Arc::new(Mutex::new(Rotating { path, limit, open: None })))
    }
}

impl Write for Log {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let event_text = String::from_utf8_lossy(event);
        let event_text = HIDDEN.read().unwrap_or_else(PoisonError::into_inner).redacted(&event_text);
        // One event is one line, whatever a server wrote into it.
        let line = format!("{}\n", shown_line(event_text.trim_end_matches('\n'), usize::MAX));
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(line.as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file that is put aside when it is full.
#[derive(Debug)]
struct Rotating {
    path: PathBuf,
    limit: u64,
    open: Option<(File, u64)>,
}

impl Rotating {
    fn write(&mut self, event: &[u8]) -> io::Result<()> {
        let (mut file, mut size) = match self.open.take() {
            Some(open) => open,
            None => open(&self.path)?,
        };
        let added = u64::try_from(event.len()).unwrap_or(u64::MAX);
        if size > 0 && size.saturating_add(added) > self.limit {
            drop(file);
            // Another coyote may have put it aside meanwhile; then the new file has room.
            if fs::metadata(&self.path).is_ok_and(|found| found.len().saturating_add(added) > self.limit) {
                put_aside(&self.path);
            }
            (file, size) = open(&self.path)?;
        }
        file.write_all(event)?;
        self.open = Some((file, size.saturating_add(added)));
        Ok(())
    }
}

/// Opens for appending, so that several processes write whole events, and for this user alone.
fn open(path: &Path) -> io::Result<(File, u64)> {
    if let Some(dir) = path.parent() {
        private_dir(dir)?;
    }
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    let size = file.metadata()?.len();
    Ok((file, size))
}

/// `coyote.log` becomes `coyote.log.1`, that becomes `.2`, and so on; the oldest goes.
fn put_aside(path: &Path) {
    let numbered = |number: usize| {
        let mut name = path.as_os_str().to_owned();
        if number > 0 {
            name.push(format!(".{number}"));
        }
        PathBuf::from(name)
    };
    for number in (1..LOG_FILES).rev() {
        // A file that is not there is nothing to move.
        drop(fs::rename(numbered(number - 1), numbered(number)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_full_log_is_put_aside_and_five_files_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let mut log = Log::new(dir.path().join("coyote.log"), 10);
        for event in 0..20 {
            log.write_all(format!("event {event:02}\n").as_bytes()).unwrap();
        }
        let aside = (1..5).map(|number| format!("coyote.log.{number}"));
        assert_eq!(names(dir.path()), std::iter::once("coyote.log".to_owned()).chain(aside).collect::<Vec<_>>());
        assert_eq!(fs::read_to_string(dir.path().join("coyote.log")).unwrap(), "event 19\n");
        assert_eq!(fs::read_to_string(dir.path().join("coyote.log.4")).unwrap(), "event 15\n");
    }

    #[test]
    fn nothing_is_created_before_the_first_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("cache").join("coyote.log");
        let mut log = Log::new(path.clone(), 100);
        assert!(!path.parent().unwrap().exists());
        log.write_all(b"x\n").unwrap();
        assert!(path.exists());
    }

    #[test]
    fn what_a_server_wrote_is_escaped_in_the_log() {
        let dir = tempfile::tempdir().unwrap();
        let mut log = Log::new(dir.path().join("coyote.log"), 1000);
        log.write_all(b"stderr: \x1b]52;c;aGk=\x07 \xff\nERROR forged\n").unwrap();
        let text = fs::read_to_string(dir.path().join("coyote.log")).unwrap();
        assert!(!text.contains(['\u{1b}', '\u{7}']) && text.ends_with('\n'), "{text:?}");
        assert_eq!(text.lines().count(), 1, "{text:?}");
    }

    #[cfg(unix)]
    #[test]
    fn the_log_is_its_users_alone() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("cache").join("coyote.log");
        Log::new(path.clone(), 100).write_all(b"x\n").unwrap();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(path.parent().unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_level_that_does_not_parse_names_what_is_accepted() {
        insta::assert_snapshot!(unknown_level("invalid filter directive"), @"`COYOTE_LOG_LEVEL` does not parse (invalid filter directive), `warn,coyote::stderr=info,rmcp=info` is used. Accepted are `off`, `error`, `warn`, `info`, `debug`, `trace`, or `target=level` lists");
    }
}
