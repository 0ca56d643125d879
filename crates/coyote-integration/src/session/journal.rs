//! `messages.md`: with `save: true` every exchange is appended to it, whatever session it belongs to (host.md).
//!
//! It is for people and is never read by us. Its user's alone (S47).

use crate::{
    config::private_dir,
    model::{Message, Part},
};
use std::{
    fmt::Write as _,
    fs::OpenOptions,
    io::{self, Write as _},
    path::PathBuf,
};

/// The file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Journal {
    /// Where it is.
    pub file: PathBuf,
}

impl Journal {
    /// Appends what was said in one exchange. `head` says when and where.
    pub fn append(&self, head: &str, exchange: &[Message]) -> io::Result<()> {
        if let Some(dir) = self.file.parent() {
            private_dir(dir)?;
        }
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        // In one piece: other processes append too.
        options.open(&self.file)?.write_all(entry(head, exchange).as_bytes())
    }
}

fn entry(head: &str, exchange: &[Message]) -> String {
    let mut text = format!("# {head}\n");
    // Writing to a string does not fail.
    for message in exchange {
        let _ = match message {
            Message::System(_) | Message::Results(_) => Ok(()),
            Message::User(parts) => write!(text, "\n**You**\n\n{}\n", said(parts)),
            Message::Assistant { text: answer, calls } => {
                let names: Vec<String> = calls.iter().map(|call| format!("\n- called `{}`\n", call.name)).collect();
                let names = names.concat();
                let answer = if answer.is_empty() { String::new() } else { format!("\n**Model**\n\n{answer}\n") };
                write!(text, "{answer}{names}")
            }
        };
    }
    text.push_str("\n--------\n\n");
    text
}

fn said(parts: &[Part]) -> String {
    let parts = parts.iter().map(|part| match part {
        Part::Text(text) => text.clone(),
        Part::Image { name, .. } => format!("(picture `{name}`)"),
    });
    parts.collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_exchange_is_appended_and_the_file_is_its_users_alone_s47() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal { file: dir.path().join("cache/messages.md") };
        let answer = |text: &str| Message::Assistant { text: text.to_owned(), calls: Vec::new() };
        journal.append("one", &[Message::user("Hello"), answer("Hi")]).unwrap();
        journal.append("two", &[Message::user("More"), answer("No")]).unwrap();
        insta::assert_snapshot!(std::fs::read_to_string(&journal.file).unwrap(), @r"
        # one

        **You**

        Hello

        **Model**

        Hi

        --------

        # two

        **You**

        More

        **Model**

        No

        --------
        ");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(journal.file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
}
