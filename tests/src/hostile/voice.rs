//! How a hostile server says something: bytes as they are, or as the events of an HTTP answer.

use std::io::{self, Write};

/// How many bytes of a filling are written at once.
pub(super) const FILLING: usize = 64 << 10;

/// What the placeholders stand for.
#[derive(Debug)]
pub(super) struct Names {
    pub(super) id: String,
    pub(super) token: String,
    pub(super) nth: u64,
    pub(super) turn: u64,
}

impl Names {
    /// Of nobody's message.
    pub(super) fn none() -> Self {
        Self { id: "0".to_owned(), token: "0".to_owned(), nth: 0, turn: 0 }
    }
}

/// Writes what is said.
#[derive(Debug)]
pub(super) struct Voice<W> {
    output: W,
    /// Every line becomes an event of its own.
    events: bool,
    /// The next byte begins a line.
    fresh: bool,
}

impl<W: Write> Voice<W> {
    /// Says everything as it is.
    pub(super) fn plain(output: W) -> Self {
        Self { output, events: false, fresh: true }
    }

    /// Makes an event of every line from now on.
    pub(super) fn as_events(&mut self) {
        self.events = true;
    }

    /// A line.
    pub(super) fn line(&mut self, text: &str, names: &Names) -> io::Result<()> {
        self.write(&filled_in(text.as_bytes(), names))?;
        self.write(b"\n")
    }

    /// Bytes.
    pub(super) fn bytes(&mut self, bytes: &[u8], names: &Names) -> io::Result<()> {
        self.write(&filled_in(bytes, names))
    }

    /// Bytes in which nothing stands for anything.
    pub(super) fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write(bytes)
    }

    /// A line, byte by byte.
    pub(super) fn trickle(&mut self, text: &str, names: &Names) -> io::Result<()> {
        for byte in [&filled_in(text.as_bytes(), names), b"\n".as_slice()].concat() {
            self.write(&[byte])?;
            self.flush()?;
        }
        Ok(())
    }

    /// One byte, so many times.
    pub(super) fn fill(&mut self, byte: u8, count: u64) -> io::Result<()> {
        let piece = vec![byte; FILLING];
        let mut left = count;
        while left > 0 {
            let length = usize::try_from(left).unwrap_or(FILLING).min(FILLING);
            self.write(piece.get(..length).unwrap_or_default())?;
            left = left.saturating_sub(length as u64);
        }
        Ok(())
    }

    /// Sends what was said.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if !self.events {
            return self.output.write_all(bytes);
        }
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.fresh {
                self.output.write_all(b"data: ")?;
            }
            self.output.write_all(line)?;
            self.fresh = line.ends_with(b"\n");
            if self.fresh {
                self.output.write_all(b"\n")?;
            }
        }
        Ok(())
    }
}

fn filled_in(bytes: &[u8], names: &Names) -> Vec<u8> {
    let Some(first) = bytes.iter().position(|byte| *byte == b'$') else { return bytes.to_vec() };
    let (before, rest) = bytes.split_at(first);
    let mut filled = before.to_vec();
    for part in rest.split(|byte| *byte == b'$').skip(1) {
        let (length, value) = match part {
            [b'I', b'D', ..] => (2, names.id.clone()),
            [b'T', b'O', b'K', b'E', b'N', ..] => (5, names.token.clone()),
            [b'N', ..] => (1, names.nth.to_string()),
            [b'I', ..] => (1, names.turn.to_string()),
            _ => (0, "$".to_owned()),
        };
        filled.extend_from_slice(value.as_bytes());
        filled.extend_from_slice(part.get(length..).unwrap_or_default());
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_in_and_other_dollars_stay() {
        let names = Names { id: "7".to_owned(), token: "\"t\"".to_owned(), nth: 2, turn: 3 };
        let filled = |text: &str| String::from_utf8(filled_in(text.as_bytes(), &names)).unwrap();
        assert_eq!(filled("a$ID,$TOKEN,$N,$I,$x$"), "a7,\"t\",2,3,$x$");
        assert_eq!(filled("none"), "none");
        assert_eq!(filled_in(b"$N\xFF$", &names), b"2\xFF$");
    }

    #[test]
    fn every_line_is_an_event_however_it_is_cut() {
        let mut voice = Voice::plain(Vec::new());
        voice.bytes(b"head\r\n", &Names::none()).unwrap();
        voice.as_events();
        voice.bytes(b"a", &Names::none()).unwrap();
        voice.fill(b'b', 2).unwrap();
        voice.line("", &Names::none()).unwrap();
        voice.trickle("c", &Names::none()).unwrap();
        assert_eq!(String::from_utf8(voice.output).unwrap(), "head\r\ndata: abb\n\ndata: c\n\n");
    }
}
