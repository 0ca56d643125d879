//! Reading text against its floors: a text blob of up to 64 MiB base64, decoded and paged, against a decoder with a warm buffer
//! and a UTF-8 check; the line filter over a log of up to 100 MB against the bare regex engine with one match a line.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a bench")]

mod floor;

use base64::Engine;
use base64::engine::general_purpose::GeneralPurposeConfig;
use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use floor::{BASE64_BYTES, Desk, Frame, ratio};
use mcp_render::{Ceiling, Filter, HeldText, PageRequest, Settled, SettledText, respond};
use regex::bytes::Regex;
use serde_json::Value;
use std::cell::RefCell;
use std::fmt::Write;
use std::hint::black_box;
use std::time::Duration;

fn text_blob(criterion: &mut Criterion) {
    for base64_bytes in BASE64_BYTES {
        text_blob_of(base64_bytes, criterion);
    }
}

fn text_blob_of(base64_bytes: usize, criterion: &mut Criterion) {
    let home = tempfile::tempdir().unwrap();
    let (desk, frame) = (Desk::at(home.path()), Frame::of("YWJj", base64_bytes));
    let warm = RefCell::new(vec![1u8; base64_bytes]);
    let engine = base64::engine::simd::Simd::standard(GeneralPurposeConfig::new());
    let decode_and_check = |()| {
        let mut warm = warm.borrow_mut();
        let len = engine.decode_slice(&frame.bytes[frame.blob.clone()], &mut warm).unwrap();
        simdutf8::compat::from_utf8(&warm[..len]).unwrap().len()
    };
    let read = |bytes| {
        let item = desk.settle(bytes, frame.content());
        let page = respond(std::slice::from_ref(&item), &PageRequest::default(), Ceiling::default());
        (item, page.unwrap())
    };
    ratio("read a text blob", base64_bytes, 2.0, (|| (), decode_and_check), (|| frame.bytes.clone(), read));

    let mut group = criterion.benchmark_group("read");
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    group.bench_function(BenchmarkId::new("text blob", base64_bytes), |bencher| {
        bencher.iter_batched(|| frame.bytes.clone(), read, BatchSize::PerIteration);
    });
    group.finish();
}

/// So many bytes of a log with one error in a hundred lines, and a line more.
fn log(bytes: usize) -> HeldText {
    let mut log = String::with_capacity(bytes + 256);
    let mut line = 0u32;
    while log.len() < bytes {
        line += 1;
        let (level, what) = if line.is_multiple_of(100) { ("ERROR", "disk full") } else { ("INFO ", "request served") };
        let (ms, user) = (line % 977, line.wrapping_mul(2_654_435_761) % 100_000);
        writeln!(
            log,
            "2026-11-30T12:{:02}:{:02}.{ms:03}Z {level} app[{}] {what} user={user} path=/api/v1/items/{user} ms={ms}",
            line / 60 % 60,
            line % 60,
            line % 8
        )
        .unwrap();
    }
    log.into()
}

/// The floor: the engine's own search, one match a line.
fn bare(regex: &Regex, text: &[u8]) -> usize {
    let (mut lines, mut from) = (0, 0);
    while let Some(found) = regex.find_at(text, from) {
        lines += 1;
        match memchr::memchr(b'\n', &text[found.end()..]) {
            Some(end) => from = found.end() + end + 1,
            None => break,
        }
    }
    lines
}

fn filter(criterion: &mut Criterion) {
    for bytes in [6_250_000, 25_000_000, 100_000_000] {
        filter_of(bytes, criterion);
    }
}

fn filter_of(bytes: usize, criterion: &mut Criterion) {
    let text = log(bytes);
    let item =
        [Settled::Text(SettledText { uri: "log://big".into(), mime_type: None, audience: vec![], text: text.clone() })];
    let page = |pattern| {
        let page = PageRequest { filter: Some(Filter::parse(pattern).unwrap()), ..PageRequest::default() };
        respond(&item, &page, Ceiling::default()).unwrap()
    };
    let cases = [
        ("literal", "ERROR"),
        ("case-insensitive", "(?i)error|timeout|panic"),
        ("no match", "never"),
        ("every line", r"ms=\d+"),
    ];
    for (name, pattern) in cases {
        let regex = Regex::new(pattern).unwrap();
        let floor = (|| (), |()| bare(&regex, text.as_bytes()));
        let ours: (_, &dyn Fn(()) -> Value) = (|| (), &|()| page(pattern));
        ratio(&format!("filter, {name}"), bytes, 2.0, floor, ours);
    }
    let mut group = criterion.benchmark_group("filter");
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    for (name, pattern) in cases {
        let id = BenchmarkId::new(name, bytes);
        group.bench_function(id, |bencher| bencher.iter(|| page(black_box(pattern))));
    }
    group.finish();
}

criterion_group!(benches, text_blob, filter);
criterion_main!(benches);
