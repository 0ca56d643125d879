//! What happened to a server, in a file that outlives it.
//!
//! One line an event, each written at once, so that a killed server has told all it knew.

use serde_json::Value;
use std::{
    fs::{File, OpenOptions},
    io::{self, ErrorKind, Write},
    path::Path,
};

/// The diary of all lives of a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diary {
    /// The processes that it was, and those that it started.
    pub processes: Vec<u32>,
    /// The methods of the requests it got, in order.
    pub requests: Vec<String>,
    /// The methods of the notifications it got, in order.
    pub notifications: Vec<String>,
    /// The HTTP requests it got beside messages, by their verb, in order.
    pub verbs: Vec<String>,
    /// What was answered to its own requests: id, then `result` and its JSON, or `error` and its code.
    pub answers: Vec<String>,
    /// Lines it got that are no message.
    pub odd: Vec<String>,
}

impl Diary {
    /// Reads a diary; one that was never begun is empty.
    pub fn read(path: &Path) -> io::Result<Self> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error),
        };
        let mut diary = Self::default();
        for (kind, what) in text.lines().filter_map(|line| line.split_once(' ')) {
            let what = what.to_owned();
            match kind {
                "process" => diary.processes.extend(what.parse::<u32>()),
                "request" => diary.requests.push(what),
                "notification" => diary.notifications.push(what),
                "verb" => diary.verbs.push(what),
                "answer" => diary.answers.push(what),
                _ => diary.odd.push(what),
            }
        }
        Ok(diary)
    }
}

/// The writing end.
#[derive(Debug)]
pub(super) struct Pen(Option<File>);

impl Pen {
    /// Goes on with the diary at `path`; without a path nothing is kept.
    pub(super) fn new(path: Option<&Path>) -> io::Result<Self> {
        let open = |path| OpenOptions::new().create(true).append(true).open(path);
        path.map(open).transpose().map(Self)
    }

    /// Writes a process down.
    pub(super) fn process(&mut self, id: u32) -> io::Result<()> {
        self.write("process", &id.to_string())
    }

    /// Writes an HTTP request down that carries no message.
    pub(super) fn verb(&mut self, verb: &str) -> io::Result<()> {
        self.write("verb", verb)
    }

    /// Writes a message of the client down.
    pub(super) fn message(&mut self, line: &[u8], message: &Value) -> io::Result<()> {
        let id = message.get("id");
        match (message.get("method").and_then(Value::as_str), message.get("result"), message.get("error")) {
            (Some(method), _, _) if id.is_some() => self.write("request", method),
            (Some(method), _, _) => self.write("notification", method),
            (None, Some(result), _) => self.write("answer", &format!("{} result {result}", id.unwrap_or(&Value::Null))),
            (None, None, Some(error)) => {
                let code = error.get("code").unwrap_or(&Value::Null);
                self.write("answer", &format!("{} error {code}", id.unwrap_or(&Value::Null)))
            }
            (None, None, None) => self.write("odd", &String::from_utf8_lossy(line)),
        }
    }

    fn write(&mut self, kind: &str, what: &str) -> io::Result<()> {
        match &mut self.0 {
            Some(file) => file.write_all(format!("{kind} {}\n", what.replace('\n', " ")).as_bytes()),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Diary, Pen};
    use serde_json::json;

    #[test]
    fn a_diary_is_read_as_it_was_written_over_two_lives() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("diary");
        assert_eq!(Diary::read(&path).unwrap(), Diary::default());
        for message in [
            json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}),
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            json!({"jsonrpc": "2.0", "id": "a", "result": {}}),
            json!({"jsonrpc": "2.0", "id": 2, "error": {"code": -32601, "message": "m"}}),
            json!(7),
        ] {
            let mut pen = Pen::new(Some(&path)).unwrap();
            pen.message(message.to_string().as_bytes(), &message).unwrap();
            pen.process(12).unwrap();
            pen.verb("GET").unwrap();
        }
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let expected = Diary {
            processes: vec![12; 5],
            requests: owned(&["ping"]),
            notifications: owned(&["notifications/initialized"]),
            verbs: owned(&["GET"; 5]),
            answers: owned(&["\"a\" result {}", "2 error -32601"]),
            odd: owned(&["7"]),
        };
        assert_eq!(Diary::read(&path).unwrap(), expected);
    }
}
