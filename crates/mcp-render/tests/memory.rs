//! How much memory the content policy takes beside the frame (performance.md, bars): at most 1 MiB, counted by the
//! allocator. One test at a time runs in a process of its own, so nothing else allocates meanwhile.
#![expect(unsafe_code, reason = "a counting allocator cannot be written without it")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "test helpers")]

use mcp_render::{
    Body, Ceiling, Content, Filter, PageRequest, Piece, Settled, SettledText, SpillDir, SpillStore, Spiller,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

const MIB: usize = 1 << 20;

struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
/// Both tests measure the same process when they are run by plain `cargo test`.
static ALONE: Mutex<()> = Mutex::new(());

fn grow(bytes: usize) {
    let now = NOW.fetch_add(bytes, Relaxed) + bytes;
    PEAK.fetch_max(now, Relaxed);
}

// SAFETY: every call is the system allocator's; the counters allocate nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // A large block is moved or shrunk by its pages, without a second copy.
        NOW.fetch_sub(layout.size(), Relaxed);
        grow(size);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The peak above what was held when `work` began.
fn extra<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = NOW.load(Relaxed);
    PEAK.store(before, Relaxed);
    let result = work();
    (result, PEAK.load(Relaxed).saturating_sub(before))
}

/// A frame with 64 MiB of base64 of `bytes` repeated, and where it stands.
fn frame(bytes: [u8; 3], wrapped: bool) -> (Vec<u8>, std::ops::Range<usize>) {
    let quad = match bytes {
        [0, 1, 2] => b"AAEC",
        [b'a', b'b', b'c'] => b"YWJj",
        other => panic!("no quad for {other:?}"),
    };
    let mut frame = Vec::with_capacity(66 * MIB);
    frame.extend_from_slice(br#"{"contents":[{"uri":"b://1","blob":""#);
    let start = frame.len();
    let line = quad.repeat(4096);
    for _ in 0..4096 {
        frame.extend_from_slice(&line);
        if wrapped {
            frame.push(b' ');
        }
    }
    let end = frame.len();
    frame.extend_from_slice(br#""}]}"#);
    (frame, start..end)
}

fn settled(frame: Vec<u8>, body: Body, spiller: &Spiller) -> (Settled, usize) {
    let content = Content { uri: "b://1".into(), mime_type: None, audience: vec![], body };
    let (mut items, extra) = extra(|| mcp_render::settle(frame, vec![content], spiller));
    (items.pop().unwrap(), extra)
}

#[test]
fn settling_a_blob_of_64_mib_takes_at_most_1_mib_more() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let home = tempfile::tempdir().unwrap();
    let store = Arc::new(SpillStore::new(home.path().join("spills")));
    let spiller = Spiller::new(store, SpillDir::new("srv").unwrap());
    // The second blob is the first again, which is compared with its file.
    for (bytes, wrapped) in [([0, 1, 2], false), ([0, 1, 2], false), ([0, 1, 2], true), (*b"abc", false)] {
        let (frame, range) = frame(bytes, wrapped);
        let (item, extra) = settled(frame, Body::Blob(Piece::InFrame(range)), &spiller);
        match item {
            Settled::Spilled(file) => assert_eq!((file.size_bytes, file.note), (48 << 20, None)),
            Settled::Text(text) => assert_eq!(text.text.len(), 48 * MIB),
            Settled::Failed { fault, .. } => panic!("{fault:?}"),
        }
        assert!(extra <= MIB, "{extra} bytes more for {bytes:?}, wrapped: {wrapped}");
    }
}

#[test]
fn settling_and_paging_a_text_of_64_mib_takes_at_most_1_mib_more() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let home = tempfile::tempdir().unwrap();
    let spiller = Spiller::new(Arc::new(SpillStore::new(home.path().into())), SpillDir::new("srv").unwrap());
    let (frame, range) = frame(*b"abc", false);
    let (item, extra_settled) = settled(frame, Body::Text(Piece::InFrame(range)), &spiller);
    assert!(extra_settled <= MIB, "{extra_settled} bytes more to settle");
    let page = PageRequest { offset: 60 << 20, ..PageRequest::default() };
    let (answer, extra_paged) = extra(|| mcp_render::respond(&[item], &page, Ceiling::default()).unwrap());
    assert_eq!(answer["total_bytes"], 64 * MIB);
    assert!(extra_paged <= MIB, "{extra_paged} bytes more to page");
}

#[test]
fn filtering_a_log_of_24_mib_takes_at_most_1_mib_more() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let info = "2026-11-30T12:00:00.000Z INFO request served in time by worker ms=7\n".repeat(99);
    let error = "2026-11-30T12:00:00.000Z ERROR disk full on /var ms=12\n";
    let log = format!("{info}{error}").repeat(24 * MIB / (info.len() + error.len()));
    let text = SettledText { uri: "log://big".into(), mime_type: None, audience: vec![], text: log.into() };
    let item = [Settled::Text(text)];
    for (pattern, matches) in [("ERROR", true), ("(?i)error|timeout|panic", true), ("never", false), (r"ms=\d+", true)]
    {
        let filter = Filter::parse(pattern).unwrap();
        let page = PageRequest { offset: 100_000, filter: Some(filter), ..PageRequest::default() };
        let (answer, extra) = extra(|| mcp_render::respond(&item, &page, Ceiling::default()).unwrap());
        assert_eq!(answer["total_bytes"].as_u64().unwrap() > 0, matches, "{pattern}");
        assert!(extra <= MIB, "{extra} bytes more for {pattern}");
    }
}
