//! Events out of a stream of bytes, by the lenient rules of the HTML standard (S10, S16).
//!
//! A field that is unknown, has no colon or a value that means nothing is passed over, where the SDK's reader ends the
//! stream: a server's oddity there would cost the answer that follows. Data stay bytes, so that whoever reads them decides what bytes
//! that are no UTF-8 cost. An event, its comments included, is bounded; nothing follows one that is too long.

use memchr::memchr2;

/// One event, when its empty line has come.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Event {
    /// Its `data` lines, joined; `None` without one.
    pub(super) data: Option<Vec<u8>>,
    /// `event`.
    pub(super) kind: Option<String>,
    /// `id`.
    pub(super) id: Option<String>,
    /// `retry`, in milliseconds.
    pub(super) retry: Option<u64>,
}

/// An event is longer than the limit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

/// Reads one stream, however it is cut.
#[derive(Debug)]
pub(super) struct Reader {
    limit: usize,
    /// Bytes since the last empty line.
    size: usize,
    /// The line that has not ended yet.
    line: Vec<u8>,
    /// A `\n` now belongs to the line end before it.
    after_cr: bool,
    /// No line has ended yet, so there may be a byte order mark.
    first: bool,
    event: Event,
}

impl Reader {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, size: 0, line: Vec::new(), after_cr: false, first: true, event: Event::default() }
    }

    /// The longest event that is read, in bytes.
    pub(super) const fn limit(&self) -> usize {
        self.limit
    }

    /// The events that these bytes end.
    pub(super) fn feed(&mut self, chunk: &[u8], events: &mut Vec<Event>) -> Result<(), TooLong> {
        let mut rest = chunk;
        if std::mem::take(&mut self.after_cr) {
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(at) = memchr2(b'\n', b'\r', rest) {
            let (line, ending) = rest.split_at_checked(at).unwrap_or((rest, &[]));
            self.keep(line)?;
            rest = match ending {
                [b'\r'] => {
                    self.after_cr = true;
                    &[]
                }
                [b'\r', b'\n', behind @ ..] | [_, behind @ ..] => behind,
                [] => &[],
            };
            if let Some(event) = self.end_line() {
                events.push(event);
            }
        }
        self.keep(rest)
    }

    fn keep(&mut self, part: &[u8]) -> Result<(), TooLong> {
        self.size = self.size.saturating_add(part.len());
        if self.size > self.limit {
            return Err(TooLong);
        }
        self.line.extend_from_slice(part);
        Ok(())
    }

    fn end_line(&mut self) -> Option<Event> {
        let mut line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.first) && line.starts_with(b"\xEF\xBB\xBF") {
            line.drain(..3);
        }
        if line.is_empty() {
            self.size = 0;
            return Some(std::mem::take(&mut self.event)).filter(|event| *event != Event::default());
        }
        self.size = self.size.saturating_add(1);
        let colon = memchr::memchr(b':', &line).unwrap_or(line.len());
        let value = colon.saturating_add(1).min(line.len());
        let value = if line.get(value) == Some(&b' ') { value.saturating_add(1) } else { value };
        let text = |line: &[u8]| line.get(value..).and_then(|value| std::str::from_utf8(value).ok().map(str::to_owned));
        match line.get(..colon).unwrap_or_default() {
            b"data" => {
                if let Some(data) = &mut self.event.data {
                    data.push(b'\n');
                    data.extend_from_slice(line.get(value..).unwrap_or_default());
                } else {
                    line.drain(..value);
                    self.event.data = Some(line);
                }
            }
            b"event" => self.event.kind = text(&line),
            b"id" => {
                if let Some(id) = text(&line).filter(|id| !id.contains('\0')) {
                    self.event.id = Some(id);
                }
            }
            b"retry" => {
                if let Some(retry) = text(&line).and_then(|retry| retry.parse().ok()) {
                    self.event.retry = Some(retry);
                }
            }
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn read(limit: usize, chunks: &[&[u8]]) -> Result<Vec<Event>, TooLong> {
        let mut reader = Reader::new(limit);
        let mut events = Vec::new();
        for chunk in chunks {
            reader.feed(chunk, &mut events)?;
        }
        Ok(events)
    }

    fn data(data: &[u8]) -> Event {
        Event { data: Some(data.to_vec()), ..Event::default() }
    }

    #[rstest]
    #[case::one(b"data: a\n\n", vec![data(b"a")])]
    #[case::no_space(b"data:a\r\n\r\n", vec![data(b"a")])]
    #[case::only_one_space(b"data:  a\r\r", vec![data(b" a")])]
    #[case::several_lines(b"data: a\ndata: b\ndata\n\n", vec![data(b"a\nb\n")])]
    #[case::no_end(b"data: a\n", vec![])]
    #[case::no_colon(b"data\n\n", vec![data(b"")])]
    #[case::a_mark_at_the_start(b"\xEF\xBB\xBFdata: a\n\n", vec![data(b"a")])]
    #[case::no_utf8(b"data: \xFF\n\nevent: \xFF\ndata: a\n\n", vec![data(b"\xFF"), data(b"a")])]
    #[case::comments(b": a\n\n:\n\ndata: a\n: b\n\n", vec![data(b"a")])]
    #[case::unknown(b"colour: red\nfoo\nretry: soon\nretry: 99999999999999999999\ndata: a\n\n", vec![data(b"a")])]
    #[case::fields(
        b"id: 1\nid: 2\nretry: 10\nevent: e\ndata: a\n\n",
        vec![Event { id: Some("2".to_owned()), retry: Some(10), kind: Some("e".to_owned()), ..data(b"a") }]
    )]
    #[case::an_id_alone(b"id\nretry: 5\n\n", vec![Event { id: Some(String::new()), retry: Some(5), ..Event::default() }])]
    fn fields_are_taken_and_all_else_is_passed_over(#[case] stream: &[u8], #[case] events: Vec<Event>) {
        assert_eq!(read(1_000, &[stream]), Ok(events));
    }

    /// S16. Each chunk is passed on by itself, as the network cuts it.
    #[rstest]
    #[case::short_events(&["data: 123456\n\n", "data: 123456\r\n\r\n", "data: 123456\n\n"], true)]
    #[case::cut_anywhere(&["da", "ta: 123456\r", "\n\r", "\ndata: 123456\n", "\n"], true)]
    #[case::one_long_event(&["data: 12345678901234567890\n\n"], false)]
    #[case::many_lines_of_one_event(&["data: 123456\n", "data: 123456\n"], false)]
    #[case::blanks_do_not_end_an_event(&["data: 123456\n  \n", "data: 123456\n"], false)]
    #[case::a_long_comment(&[": 12345678901234567890"], false)]
    fn an_event_is_bounded_however_it_is_cut(#[case] chunks: &[&str], #[case] passes: bool) {
        let chunks: Vec<&[u8]> = chunks.iter().map(|chunk| chunk.as_bytes()).collect();
        assert_eq!(read(20, &chunks).is_ok(), passes);
    }

    proptest! {
        #[test]
        fn what_is_read_does_not_depend_on_how_it_is_cut(
            stream in "(data|event|id|retry|x|:|\r|\n|\r\n|: |a|7|\u{feff}){0,40}", cut in any::<prop::sample::Index>(),
        ) {
            let (before, behind) = stream.as_bytes().split_at(cut.index(stream.len() + 1));
            prop_assert_eq!(read(1_000, &[before, behind]), read(1_000, &[stream.as_bytes()]));
        }
    }
}
