//! Streams cut anywhere, lines over the limit, memory.

use super::*;
use proptest::prelude::*;
use std::{
    pin::Pin,
    task::{Context, Poll},
};
use tokio::io::ReadBuf;

/// Gives its bytes in pieces of given sizes.
struct Pieces {
    bytes: Vec<u8>,
    sizes: Vec<usize>,
    turn: usize,
}

impl AsyncRead for Pieces {
    fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<std::io::Result<()>> {
        let size = self.sizes[self.turn % self.sizes.len()].min(self.bytes.len()).min(into.remaining());
        self.turn += 1;
        let piece: Vec<u8> = self.bytes.drain(..size).collect();
        into.put_slice(&piece);
        Poll::Ready(Ok(()))
    }
}

fn lines(bytes: &[u8], sizes: &[usize], limit: usize) -> Vec<Line> {
    let pieces = Pieces { bytes: bytes.to_vec(), sizes: sizes.to_vec(), turn: 0 };
    let mut reader = LineReader::new(pieces, limit);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let mut all = Vec::new();
        while let Some(line) = reader.next().await {
            all.push(line);
        }
        all
    })
}

#[test]
fn a_long_line_is_its_first_and_last_bytes_and_the_next_line_is_whole() {
    let long = [b"{start".as_slice(), &[b'x'; 9_000], b"end}"].concat();
    let stream = [b"a\n".as_slice(), &long, b"\nb"].concat();
    let read = lines(&stream, &[1_000], 5_000);
    let [Line::Whole(first), Line::Long(head), Line::LongEnd(tail), Line::Whole(after)] = read.as_slice() else {
        panic!("{read:?}")
    };
    assert_eq!((first.as_slice(), after.as_slice()), (b"a".as_slice(), b"b".as_slice()));
    assert_eq!(
        (head.as_slice(), tail.as_slice()),
        (&long[..FRAME_GLIMPSE_BYTES], &long[long.len() - FRAME_GLIMPSE_BYTES..])
    );
}

#[test]
fn a_line_over_twice_the_limit_is_reported_before_it_ends() {
    let read = lines(&[b"x".repeat(1_000), b"\ny\n".to_vec()].concat(), &[50], 100);
    assert!(
        matches!(read.as_slice(), [Line::Long(_), Line::LongEnd(_), Line::Whole(last)] if last == b"y"),
        "{read:?}"
    );
}

#[test]
fn a_large_line_takes_no_more_than_a_quarter_over_its_length() {
    let mut line = Vec::new();
    for _ in 0..1_000 {
        grow(&mut line, 10_000);
        line.extend_from_slice(&[0; 10_000]);
        assert!(line.capacity() <= line.len() + line.len() / 4);
    }
}

proptest! {
    /// Whatever the pieces, lines within the limit come out as they went in.
    #[test]
    fn lines_do_not_depend_on_how_the_stream_is_cut(
        texts in proptest::collection::vec("[a-z]{0,40}", 0..10),
        sizes in proptest::collection::vec(1_usize..30, 1..5),
    ) {
        let stream = texts.iter().flat_map(|text| [text.as_str(), "\n"]).collect::<String>();
        let expected: Vec<Line> = texts.iter().map(|text| Line::Whole(text.clone().into_bytes())).collect();
        prop_assert_eq!(lines(stream.as_bytes(), &sizes, 40), expected);
    }

    #[test]
    fn nothing_longer_than_the_limit_is_kept(
        texts in proptest::collection::vec("[a-z]{0,300}", 0..10),
        sizes in proptest::collection::vec(1_usize..30, 1..5),
        limit in 1_usize..100,
    ) {
        let stream = texts.iter().flat_map(|text| [text.as_str(), "\n"]).collect::<String>();
        let read = lines(stream.as_bytes(), &sizes, limit);
        let whole: Vec<&[u8]> = read.iter().filter_map(|line| match line {
            Line::Whole(line) => Some(line.as_slice()),
            Line::Long(_) | Line::LongEnd(_) => None,
        }).collect();
        let expected: Vec<&[u8]> = texts.iter().map(String::as_bytes).filter(|text| text.len() <= limit).collect();
        prop_assert_eq!(whole, expected);
        let long = texts.iter().filter(|text| text.len() > limit).count();
        prop_assert_eq!(read.iter().filter(|line| matches!(line, Line::Long(_))).count(), long);
        prop_assert_eq!(read.iter().filter(|line| matches!(line, Line::LongEnd(_))).count(), long);
    }
}
