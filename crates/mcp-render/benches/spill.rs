//! A blob of up to 64 MiB base64 in memory, decoded, sniffed, hashed and spilled, against SHA-256 and a page-cache write; and
//! the same blob again, against SHA-256 alone.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a bench")]

mod floor;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use floor::{BASE64_BYTES, Desk, Frame, ratio};
use sha2::{Digest, Sha256};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

fn write(home: &Path, bytes: &[u8]) {
    let mut file = tempfile::NamedTempFile::new_in(home).unwrap();
    file.write_all(bytes).unwrap();
    file.persist(home.join("floor.bin")).unwrap();
}

fn spill(criterion: &mut Criterion) {
    for base64_bytes in BASE64_BYTES {
        at(base64_bytes, criterion);
    }
}

fn at(base64_bytes: usize, criterion: &mut Criterion) {
    let home = tempfile::tempdir().unwrap();
    let (desk, frame) = (Desk::at(home.path()), Frame::of("/+3A", base64_bytes));
    let decoded = STANDARD.decode(&frame.bytes[frame.blob.clone()]).unwrap();
    let fresh = || {
        let _ = std::fs::remove_dir_all(home.path().join("spills/bench"));
        frame.bytes.clone()
    };
    let settle = |bytes| desk.settle(bytes, frame.content());
    let unlink = || {
        let _ = std::fs::remove_file(home.path().join("floor.bin"));
        frame.bytes.clone()
    };
    // The frame is freed on both sides; giving 64 MiB back to the system is no small part.
    let hash_and_write = |frame: Vec<u8>| {
        drop(frame);
        let hash = Sha256::digest(&decoded);
        write(home.path(), &decoded);
        hash
    };
    let hash = |frame: Vec<u8>| {
        drop(frame);
        Sha256::digest(&decoded)
    };
    ratio("spill a new blob", base64_bytes, 1.4, (unlink, hash_and_write), (fresh, settle));
    settle(frame.bytes.clone());
    ratio(
        "spill the same blob again",
        base64_bytes,
        1.1,
        (|| frame.bytes.clone(), hash),
        (|| frame.bytes.clone(), settle),
    );

    let mut group = criterion.benchmark_group("spill");
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    group.bench_function(BenchmarkId::new("new", base64_bytes), |bencher| {
        bencher.iter_batched(fresh, settle, BatchSize::PerIteration);
    });
    group.bench_function(BenchmarkId::new("again", base64_bytes), |bencher| {
        bencher.iter_batched(|| frame.bytes.clone(), settle, BatchSize::PerIteration);
    });
    group.finish();
}

criterion_group!(benches, spill);
criterion_main!(benches);
