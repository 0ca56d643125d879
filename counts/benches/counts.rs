//! How many instructions the core of each answer takes, at three sizes. `cargo xtask bench` reads them where valgrind and
//! `gungraun-runner` are there; unlike times they do not depend on what else the machine does.
#![allow(missing_docs, reason = "the macros write functions of their own")]

use coyote_counts as work;
use gungraun::prelude::*;
use mcp_catalog::{Listing, RawResult};
use mcp_render::Settled;
use std::hint::black_box;

fn listing(items: usize) -> Listing {
    work::salvaged(&work::tools(items))
}

#[library_benchmark]
#[benches::bytes(args = [65_536, 262_144, 1_048_576], setup = work::log)]
fn slice(item: Settled) -> usize {
    black_box(work::slice(black_box(&item)))
}

#[library_benchmark]
#[benches::bytes(args = [65_536, 262_144, 1_048_576], setup = work::log)]
fn filter(item: Settled) -> usize {
    black_box(work::filter(black_box(&item)))
}

#[library_benchmark]
#[benches::items(args = [625, 2_500, 10_000], setup = work::tools)]
fn salvage(raw: RawResult) -> Listing {
    black_box(work::salvaged(black_box(&raw)))
}

#[library_benchmark]
#[benches::items(args = [625, 2_500, 10_000], setup = listing)]
fn search(listing: Listing) -> usize {
    black_box(work::found(black_box(&listing)))
}

#[library_benchmark]
#[benches::messages(args = [8, 32, 128], setup = work::prompt)]
fn flatten(raw: RawResult) -> usize {
    black_box(work::flattened(black_box(raw)))
}

#[library_benchmark]
#[benches::words(args = [16, 64, 256], setup = work::words)]
fn lex(line: String) -> usize {
    black_box(work::lexed(black_box(&line)))
}

library_benchmark_group!(name = counts, benchmarks = [slice, filter, salvage, search, flatten, lex]);
main!(library_benchmark_groups = counts);
