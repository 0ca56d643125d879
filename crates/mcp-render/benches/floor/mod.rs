//! What both benches share: inputs, a desk to work at, and the ratio to a floor measured in the same run.
//!
//! It judges nothing: `cargo xtask bench` reads its lines and sets each ratio beside its bar.

use mcp_render::{Body, Content, Piece, Settled, SpillDir, SpillStore, Spiller, settle};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Base64 of a frame, at three sizes up to the largest that there is: 64 MiB.
pub(crate) const BASE64_BYTES: [usize; 3] = [4 << 20, 16 << 20, 64 << 20];

/// Rounds of which the shortest counts.
const ROUNDS: usize = 7;

/// A frame that holds base64, and where.
pub(crate) struct Frame {
    pub(crate) bytes: Vec<u8>,
    pub(crate) blob: Range<usize>,
}

impl Frame {
    /// So many bytes of base64: `quad`, four symbols, over and over.
    pub(crate) fn of(quad: &str, base64_bytes: usize) -> Self {
        let mut bytes = br#"{"contents":[{"uri":"b://1","blob":""#.to_vec();
        let start = bytes.len();
        bytes.extend_from_slice(quad.repeat(base64_bytes / 4).as_bytes());
        let blob = start..bytes.len();
        bytes.extend_from_slice(br#""}]}"#);
        Self { bytes, blob }
    }

    /// What the frame's item is.
    pub(crate) fn content(&self) -> Content {
        let body = Body::Blob(Piece::InFrame(self.blob.clone()));
        Content { uri: "b://1".into(), mime_type: None, audience: vec![], body }
    }
}

/// A spill store below `home`.
pub(crate) struct Desk {
    store: Arc<SpillStore>,
}

impl Desk {
    pub(crate) fn at(home: &Path) -> Self {
        Self { store: Arc::new(SpillStore::new(home.join("spills"))) }
    }

    /// Settles the one item of `frame`.
    pub(crate) fn settle(&self, frame: Vec<u8>, content: Content) -> Settled {
        let spiller = Spiller::new(Arc::clone(&self.store), SpillDir::new("bench").unwrap());
        settle(frame, vec![content], &spiller).remove(0)
    }
}

/// Prints how `work` on `size` bytes compares to `floor` in CPU time, and how much of it `reach` allows: the shortest of some
/// rounds each, taken in turns. `prepare` is not measured.
pub(crate) fn ratio<I, J, A, B>(
    name: &str,
    size: usize,
    reach: f64,
    (prepare_floor, floor): (impl Fn() -> I, impl Fn(I) -> A),
    (prepare, work): (impl Fn() -> J, impl Fn(J) -> B),
) {
    let (mut least_floor, mut least) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        least_floor = least_floor.min(time(&prepare_floor, &floor));
        least = least.min(time(&prepare, &work));
    }
    let (floor, ours) = (least_floor.as_secs_f64() * 1e3, least.as_secs_f64() * 1e3);
    println!("bar\t{name}\t{size}\tbytes\t{ours:.3}\t{floor:.3}\tms\t{reach}");
}

fn time<I, R>(prepare: &impl Fn() -> I, work: &impl Fn(I) -> R) -> Duration {
    let input = prepare();
    let (wall, start) = (Instant::now(), cpu());
    let result = work(input);
    let taken = cpu().zip(start).map_or_else(|| wall.elapsed(), |(end, start)| end.saturating_sub(start));
    drop(std::hint::black_box(result));
    taken
}

/// What this thread has run so far, where the system tells: a busy machine then changes no ratio.
#[cfg(unix)]
fn cpu() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Some(Duration::new(time.tv_sec.try_into().ok()?, time.tv_nsec.try_into().ok()?))
}

#[cfg(not(unix))]
const fn cpu() -> Option<Duration> {
    None
}
