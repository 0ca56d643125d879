//! A search over a live listing of up to 10,000 items against its floor, an unranked `contains` scan of the same strings
//! (S22, performance.md C.6). The ratio is measured in one run, alternating; `cargo xtask bench` reads the lines.
#![expect(clippy::unwrap_used, reason = "a bench")]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use mcp_catalog::{CatalogKind, Listing, RawResult, SearchQuery, salvage, search};
use std::{
    hint::black_box,
    time::{Duration, Instant},
};

const QUERIES: [&str; 5] = ["issue", "search issues", "create pull request", "repository", "workflow of many people"];
const VERBS: [&str; 10] = ["search", "list", "create", "delete", "update", "get", "merge", "review", "fork", "close"];
const NOUNS: [&str; 10] =
    ["issue", "pull_request", "branch", "repository", "comment", "release", "workflow", "user", "team", "gist"];
const FILLER: &str = "the of a to in is you that it for on are as with his they at be this have from or one by but not \
                      what all were we when your can said there use an each which do how their if will up other about";
/// How much slower than the scan a search may be.
const BAR: f64 = 8.0;

/// The sizes of listings, in items.
const ITEMS: [usize; 3] = [625, 2_500, 10_000];

/// So many tools whose names and descriptions follow from their numbers.
fn listing(items: usize) -> Listing {
    let filler: Vec<&str> = FILLER.split_whitespace().collect();
    let entry = |n: usize| {
        let said: Vec<&str> = (0..12).map(|k| word_of(&filler, n * 31 + k * k * 7)).collect();
        let (verb, noun) = (word_of(&VERBS, n / 7), word_of(&NOUNS, n / 3));
        let description = format!("{} {} {}", word_of(&VERBS, n / 11), said.join(" "), word_of(&NOUNS, n / 5));
        serde_json::json!({"name": format!("{verb}_{noun}_{n}"), "description": description, "inputSchema": {}})
    };
    let tools: Vec<_> = (0..items).map(entry).collect();
    let raw = RawResult::whole(serde_json::json!({"tools": tools}).to_string().into_bytes());
    Listing { items: salvage::page(&raw, CatalogKind::Tool).unwrap().items, notes: Vec::new() }
}

fn word_of<'a>(words: &[&'a str], n: usize) -> &'a str {
    words.get(n % words.len()).copied().unwrap()
}

/// The floor: whether any word of the query stands in the name or description.
fn scan(listing: &Listing, query: &str) -> usize {
    let words: Vec<&str> = query.split(' ').collect();
    let holds = |text: &str| words.iter().any(|word| text.contains(word));
    listing.items.iter().filter(|item| holds(&item.name) || item.description.as_deref().is_some_and(holds)).count()
}

fn ask(listing: &Listing, query: &str) -> usize {
    search(listing, &SearchQuery { query: query.to_owned(), top_k: Some(10), ..SearchQuery::default() }).total
}

fn ratio(listing: &Listing) {
    let time = |run: &dyn Fn(&Listing, &str) -> usize| {
        let start = Instant::now();
        for query in QUERIES {
            black_box(run(listing, query));
        }
        start.elapsed()
    };
    let (mut floor, mut own) = (Duration::MAX, Duration::MAX);
    for _ in 0..50 {
        floor = floor.min(time(&scan));
        own = own.min(time(&ask));
    }
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!("bar\tsearch\t{}\titems\t{:.3}\t{:.3}\tms\t{BAR}", listing.items.len(), ms(own), ms(floor));
}

fn searches(criterion: &mut Criterion) {
    for items in ITEMS {
        let listing = listing(items);
        ratio(&listing);
        let mut group = criterion.benchmark_group("search");
        group.sample_size(20).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
        for query in QUERIES {
            group.bench_function(BenchmarkId::new(query, items), |bencher| bencher.iter(|| ask(&listing, query)));
        }
        group.finish();
    }
}

criterion_group!(benches, searches);
criterion_main!(benches);
