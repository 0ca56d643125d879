//! What a user waits for, with the real binary and the fixture server: start, listings, reads, memory.
//!
//! It judges nothing: each line is `bar`, a name, a size and its unit, what was measured, its floor or `-`, the unit, and what
//! may be reached, as a multiple of the floor or, without one, as a number of units. `cargo xtask bench` makes the table of them.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    clippy::zombie_processes,
    reason = "a bench, which reaps its children itself and counts fewer than 2^52 bytes"
)]

mod web;

use acceptance::{
    functions::functions_over,
    host::{Host, Programs},
    terminal::Terminal,
};
use mcp_catalog::{
    Budget, CatalogKind, McpServerFeatures, ServerName, ServerPort, catalog_items, deadline,
    sdk::{ConnectOptions, connect_io},
};
use mcp_meta::{MetaContext, call};
use mcp_prompt_repl::{Completion, Known, MAX_ROWS, complete};
use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

/// Rounds of which the shortest counts.
const ROUNDS: usize = 9;
const FIXTURE: &str = env!("CARGO_BIN_EXE_fixture-server");
const COYOTE: &str = env!("CARGO_BIN_EXE_coyote-under-test");

/// `cargo bench -p acceptance --bench whole -- read paging` measures those alone.
fn main() {
    let wanted: Vec<_> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let wants = |group: &str| wanted.is_empty() || wanted.iter().any(|wanted| wanted == group);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    // A child's peak is never told below what this process holds when it starts it, so these come first.
    let whole: [(_, fn()); 3] = [("start", start), ("servers", many_servers), ("peaks", peaks)];
    whole.iter().filter(|(group, _)| wants(group)).for_each(|(_, measure)| measure());
    if wants("blob") {
        [3 << 20, 12 << 20, 50 << 20].into_iter().for_each(blob);
    }
    if wants("http") {
        [3 << 20, 12 << 20, 50 << 20].into_iter().for_each(blob_over_http);
    }
    if wants("tab") {
        [20, 80, 320].into_iter().for_each(tab);
    }
    if wants("read") {
        for bytes in [500_000, 1_000_000, 2_000_000] {
            runtime.block_on(read(bytes));
        }
    }
    if wants("catalogue") {
        for items in [625, 2_500, 10_000] {
            runtime.block_on(catalogue(items));
        }
    }
    if wants("paging") {
        for bytes in [640 << 10, 2560 << 10, 10 << 20] {
            runtime.block_on(paging(bytes));
        }
    }
    if wants("keys") {
        keys();
    }
}

/// `coyote --version` and `coyote mcp list` with no server of the user's.
fn start() {
    let host = host();
    for (name, args) in [("coyote --version", &["--version"][..]), ("coyote mcp list, no servers", &["mcp", "list"])] {
        let (took, peak) = least(|| run(&host, args));
        println!("bar\t{name}\t1\tstart\t{took:.2}\t-\tms\t10");
        println!("bar\t{name}\t1\tstart\t{:.1}\t-\tMiB\t10", peak / 1024.0);
    }
}

/// Twenty servers, each slower than the last, against the slowest of them alone.
fn many_servers() {
    let slow =
        |ms: u64| json!({"tools": [{"name": "t", "inputSchema": {}}], "rules": [{"on": "initialize", "delay_ms": ms}]});
    let mut all = host();
    let mut slowest = host();
    for n in 1..=20 {
        all.serve(&format!("s{n}"), slow(n * 25)).unwrap();
    }
    slowest.serve("s", slow(500)).unwrap();
    let (floor, _) = least(|| run(&slowest, &["mcp", "list"]));
    let (ours, peak) = least(|| run(&all, &["mcp", "list"]));
    println!("bar\tservers starting at once\t20\tservers\t{ours:.1}\t{floor:.1}\tms\t1.1");
    println!("bar\tpeak memory, servers\t20\tservers\t{:.1}\t-\tMiB\t-", peak / 1024.0);
}

/// `mcp_read` of a text, against the same bytes through a raw pipe and an owned parse.
async fn read(bytes: usize) {
    let dir = tempfile::tempdir().unwrap();
    let script = json!({
        "resources": [{"uri": "a://1"}],
        "contents": {"a://1": [{"uri": "a://1", "mimeType": "text/plain", "text": {"text_bytes": bytes}}]},
    });
    let mut raw = Raw::start(dir.path(), &script);
    let (context, _child) = context(dir.path(), &script).await;
    let (mut floor, mut ours) = (f64::MAX, f64::MAX);
    for _ in 0..ROUNDS {
        floor = floor.min(time(|| raw.ask("resources/read", &json!({"uri": "a://1"}))));
        let begun = Instant::now();
        let answer = call(&context, "mcp_read_docs", json!({"uri": "a://1"})).await;
        ours = ours.min(ms(begun));
        assert_eq!(answer.code, None, "{:#}", answer.value);
    }
    println!("bar\tmcp_read over stdio\t{bytes}\tbytes\t{ours:.3}\t{floor:.3}\tms\t1.5");
}

/// Every page of a listing, against the same pages through a raw pipe and an owned parse.
async fn catalogue(items: usize) {
    let dir = tempfile::tempdir().unwrap();
    let tool = json!({"name": "tool_{n}", "description": "What tool {n} does, in a few words", "inputSchema": {"type": "object"}});
    let script = json!({"tools": [{"repeat": items, "of": tool}], "page_size": 100});
    let mut raw = Raw::start(dir.path(), &script);
    let (context, _child) = context(dir.path(), &script).await;
    let port = Arc::clone(context.runtime.ports().next().unwrap());
    let (mut floor, mut ours) = (f64::MAX, f64::MAX);
    for _ in 0..ROUNDS {
        floor = floor.min(time(|| {
            let mut cursor = json!({});
            loop {
                let answer = raw.ask("tools/list", &cursor);
                match answer.pointer("/result/nextCursor") {
                    Some(next) => cursor = json!({"cursor": next}),
                    None => break,
                }
            }
        }));
        let begun = Instant::now();
        let listing = catalog_items(port.as_ref(), &[CatalogKind::Tool], &Budget::new(deadline::LISTING)).await;
        ours = ours.min(ms(begun));
        assert_eq!(listing.items.len(), items);
    }
    println!("bar\tlist a catalogue over stdio\t{items}\titems\t{ours:.3}\t{floor:.3}\tms\t1.5");
}

/// A text read to its end in pages of 50 KiB, against one fetch of it.
async fn paging(bytes: usize) {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("wire.jsonl");
    let script = json!({
        "resources": [{"uri": "a://1"}],
        "contents": {"a://1": [{"uri": "a://1", "mimeType": "text/plain", "text": {"text_bytes": bytes}}]},
    });
    let mut raw = Raw::start(dir.path(), &script);
    let floor =
        (0..ROUNDS).map(|_| time(|| raw.ask("resources/read", &json!({"uri": "a://1"})))).fold(f64::MAX, f64::min);
    let mut logged = script;
    logged["wire_log"] = json!(log);
    let (context, _child) = context(dir.path(), &logged).await;
    let begun = Instant::now();
    let mut arguments = json!({"uri": "a://1"});
    loop {
        let answer = call(&context, "mcp_read_docs", arguments).await;
        assert_eq!(answer.code, None, "{:#}", answer.value);
        match answer.value.get("next_offset").and_then(Value::as_u64) {
            Some(offset) => arguments = json!({"uri": "a://1", "offset": offset}),
            None => break,
        }
    }
    let ours = ms(begun);
    let wire = acceptance::fixture::read_wire_log(&log).unwrap();
    let requests = acceptance::fixture::received(&wire, "resources/read").len();
    println!("bar\tpage a text to its end\t{bytes}\tbytes\t{requests}\t1\trequests\t1");
    println!("bar\tpage a text to its end, time\t{bytes}\tbytes\t{ours:.3}\t{floor:.3}\tms\t-");
}

/// `coyote mcp read` of a blob over a pipe.
fn blob(bytes: usize) {
    let mut host = host();
    let blob = json!({"uri": "a://1", "mimeType": "image/png", "blob": {"blob_bytes": bytes, "seed": 9}});
    host.serve("docs", json!({"resources": [{"uri": "a://1"}], "contents": {"a://1": [blob]}})).unwrap();
    blob_of(&host, "to its file", bytes, 1.3);
}

/// The same over HTTP, whose body is there once more while it is parsed.
fn blob_over_http(bytes: usize) {
    let mut host = host();
    host.entry("docs", json!({"url": web::serve(bytes)})).unwrap();
    blob_of(&host, "over HTTP", bytes, 3.2);
}

/// The memory that reading the blob takes beyond `coyote mcp list`, against the frame.
fn blob_of(host: &Host, how: &str, bytes: usize, reach: f64) {
    let (_, start) = least(|| run(host, &["mcp", "list"]));
    let (took, peak) = least(|| run(host, &["mcp", "read", "docs", "a://1"]));
    let frame = (bytes.div_ceil(3) * 4) as f64 / 1024.0 / 1024.0;
    let ours = (peak - start).max(0.0) / 1024.0;
    println!("bar\tread a blob {how}, memory\t{bytes}\tbytes\t{ours:.1}\t{frame:.1}\tMiB\t{reach}");
    println!("bar\tread a blob {how}, time\t{bytes}\tbytes\t{took:.1}\t-\tms\t-");
}

/// What Tab does at the name of a server: nobody is asked.
fn tab(servers: usize) {
    let features = |n| McpServerFeatures {
        name: ServerName::new(format!("server-{n}")).unwrap(),
        tools: true,
        resources: true,
        prompts: true,
        instructions: None,
    };
    let running: Vec<_> = (0..servers).map(features).collect();
    let known = Known { servers: Some(&running), ..Known::default() };
    let rows = || complete(".prompt se", 10, known);
    assert!(matches!(rows(), Completion::Rows(rows) if rows.len() == servers.min(MAX_ROWS)));
    let ours = (0..ROUNDS).map(|_| time(rows)).fold(f64::MAX, f64::min);
    println!("bar\tTab at the name of a server\t{servers}\tservers\t{ours:.3}\t-\tms\t1");
}

/// The most memory of whole commands, start and end included.
fn peaks() {
    let tool = json!({"name": "tool_{n}", "description": "What tool {n} does, in a few words", "inputSchema": {"type": "object"}});
    let text = |bytes: usize| json!([{"uri": "a://1", "mimeType": "text/plain", "text": {"text_bytes": bytes}}]);
    let reads = |bytes| json!({"resources": [{"uri": "a://1"}], "contents": {"a://1": text(bytes)}});
    let tools = json!({"tools": [{"repeat": 10_000, "of": tool}], "page_size": 100});
    let cases = [
        ("read a text, a page", 2_000_000, "bytes", reads(2_000_000), &["mcp", "read", "docs", "a://1"][..]),
        ("read a text, a page", 10 << 20, "bytes", reads(10 << 20), &["mcp", "read", "docs", "a://1"]),
        ("search a catalogue", 10_000, "items", tools, &["mcp", "search", "docs", "tool"]),
    ];
    for (name, size, of, script, args) in cases {
        let mut host = host();
        host.serve("docs", script).unwrap();
        let (_, peak) = least(|| run(&host, args));
        println!("bar\tpeak memory, {name}\t{size}\t{of}\t{:.1}\t-\tMiB\t-", peak / 1024.0);
    }
}

/// From the start of the REPL to its prompt, and from a key to the screen.
fn keys() {
    let host = host();
    let open = || {
        let begun = Instant::now();
        let terminal = Terminal::open(&host, &[], (100, 30)).unwrap();
        terminal.until("the prompt", |screen| screen.ends_with('>')).unwrap();
        (ms(begun), terminal)
    };
    let start = (0..ROUNDS).map(|_| open().0).fold(f64::MAX, f64::min);
    println!("bar\tREPL, start to prompt\t1\tstart\t{start:.1}\t-\tms\t1000");
    let (_, terminal) = open();
    let text = "what is typed at a quiet prompt, key by key, as a person does it";
    let mut times = Vec::new();
    for end in 1..=text.len() {
        let begun = Instant::now();
        terminal.press(&text[end - 1..end]).unwrap();
        terminal.until("the key", |screen| screen.ends_with(text[..end].trim_end())).unwrap();
        times.push(ms(begun));
    }
    times.sort_by(f64::total_cmp);
    let at = |percent: usize| times[(times.len() * percent).div_ceil(100) - 1];
    println!("bar\tREPL, key to screen, median\t{}\tkeys\t{:.1}\t-\tms\t50", text.len(), at(50));
    println!("bar\tREPL, key to screen, 99th percentile\t{}\tkeys\t{:.1}\t-\tms\t50", text.len(), at(99));
    let status = fs::read_to_string(format!("/proc/{}/status", terminal.pid())).unwrap_or_default();
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.trim().parse::<f64>().ok());
    if let Some(peak) = peak {
        println!("bar\tpeak memory, REPL\t1\tstart\t{:.1}\t-\tMiB\t-", peak / 1024.0);
    }
}

fn host() -> Host {
    Host::new(Programs { coyote: COYOTE.into(), fixture: FIXTURE.into() }).unwrap()
}

/// The least milliseconds and the least peak, in KiB, of some rounds.
fn least(run: impl Fn() -> (f64, f64)) -> (f64, f64) {
    (0..ROUNDS).map(|_| run()).fold((f64::MAX, f64::MAX), |(a, b), (took, peak)| (a.min(took), b.min(peak)))
}

/// Runs the binary to its end: milliseconds, and its peak of memory in KiB.
fn run(host: &Host, args: &[&str]) -> (f64, f64) {
    let mut command = host.command(args).into_std();
    let begun = Instant::now();
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let peak = reap(&child);
    (ms(begun), peak)
}

/// Waits for a child; the most memory it ever held, in KiB.
fn reap(child: &Child) -> f64 {
    let pid = libc::pid_t::try_from(child.id()).unwrap();
    let mut status = 0;
    // SAFETY: both out-pointers are to live locals, and an all-zero `rusage` is a valid one.
    #[expect(unsafe_code, reason = "std tells no child's memory")]
    let (reaped, usage) = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        (libc::wait4(pid, &raw mut status, 0, &raw mut usage), usage)
    };
    assert_eq!((reaped, status), (pid, 0));
    usage.ru_maxrss as f64
}

fn time<T>(work: impl FnOnce() -> T) -> f64 {
    let begun = Instant::now();
    std::hint::black_box(work());
    ms(begun)
}

fn ms(begun: Instant) -> f64 {
    Duration::as_secs_f64(&begun.elapsed()) * 1e3
}

/// The fixture server behind two plain pipes: the least that anybody must do.
struct Raw {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    line: Vec<u8>,
}

impl Raw {
    fn start(dir: &Path, script: &Value) -> Self {
        let path = dir.join("raw.json");
        fs::write(&path, script.to_string()).unwrap();
        let mut child = Command::new(FIXTURE).arg(path).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut raw = Self { child, input, output: BufReader::with_capacity(64 << 10, output), line: Vec::new() };
        let own = json!({"name": "bench", "version": "1"});
        raw.ask("initialize", &json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": own}));
        writeln!(raw.input, "{}", json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).unwrap();
        raw
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        writeln!(self.input, "{}", json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})).unwrap();
        self.line.clear();
        self.output.read_until(b'\n', &mut self.line).unwrap();
        serde_json::from_slice(&self.line).unwrap()
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The same server through the house. The child ends with the second value.
async fn context(dir: &Path, script: &Value) -> (MetaContext, tokio::process::Child) {
    let path = dir.join("script.json");
    fs::write(&path, script.to_string()).unwrap();
    let mut child = tokio::process::Command::new(FIXTURE)
        .arg(path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let (stdout, stdin) = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
    let options = ConnectOptions::new(ServerName::new("docs").unwrap(), "bench", "1.0.0");
    let port: Arc<dyn ServerPort> = Arc::new(connect_io(stdout, stdin, options).await.unwrap());
    (functions_over([port], dir), child)
}
