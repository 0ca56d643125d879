//! The laws of `acceptance::laws` over random bytes and over the kept corpus, which is what the fuzzers have found worth
//! keeping (S10, S20, S25–S27, S30, S36, S37).
//!
//! It fuzzes nothing for long; `fuzz/README.md` says how to. A law that fails here names the file to run it on.

use acceptance::laws::LAWS;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz")
}

/// The kept inputs of a law, by file.
fn kept(law: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let listing = fs::read_dir(fuzz().join("corpus").join(law)).unwrap();
    let files = listing.map(|entry| entry.unwrap().path());
    let mut kept: Vec<_> = files.map(|path| (path.clone(), fs::read(path).unwrap())).collect();
    kept.sort();
    kept
}

#[test]
fn every_law_holds_over_its_kept_corpus() {
    for (name, law) in LAWS {
        let kept = kept(name);
        assert!(!kept.is_empty(), "no corpus of {name}");
        for (path, bytes) in kept {
            let held = std::panic::catch_unwind(|| law(&bytes));
            assert!(held.is_ok(), "{name} does not hold for {}", path.display());
        }
    }
}

#[test]
fn every_law_has_a_fuzz_target_and_every_target_a_law() {
    let targets = fs::read_dir(fuzz().join("fuzz_targets")).unwrap();
    let targets: BTreeSet<String> =
        targets.map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(targets, LAWS.iter().map(|(name, _)| (*name).to_owned()).collect());
    let manifest = fs::read_to_string(fuzz().join("Cargo.toml")).unwrap();
    for target in &targets {
        let call = format!("coyote_fuzz::laws::{target}(bytes)");
        assert!(
            fs::read_to_string(fuzz().join(format!("fuzz_targets/{target}.rs"))).unwrap().contains(&call),
            "{call}"
        );
        assert!(manifest.contains(&format!("fuzz_targets/{target}.rs")), "{target} is not in the manifest");
    }
}

/// Random bytes find little in JSON; a kept input with a stretch of it replaced finds more.
#[test]
fn every_law_holds_over_random_bytes_and_over_altered_inputs() {
    for (name, law) in LAWS {
        let kept: Vec<Vec<u8>> = kept(name).into_iter().map(|(_, bytes)| bytes).collect();
        let random = proptest::collection::vec(any::<u8>(), 0..200);
        let piece = proptest::collection::vec(any::<u8>(), 0..6);
        let altered = (proptest::sample::select(kept), any::<prop::sample::Index>(), 0_usize..6, piece);
        let altered = altered.prop_map(|(mut bytes, at, length, piece)| {
            let at = at.index(bytes.len() + 1);
            let end = bytes.len().min(at + length);
            bytes.splice(at..end, piece);
            bytes
        });
        let mut runner = TestRunner::new(Config { cases: 200, failure_persistence: None, ..Config::default() });
        let held = runner.run(&prop_oneof![random, altered], |bytes| {
            law(&bytes);
            Ok(())
        });
        assert!(held.is_ok(), "{name}: {held:?}");
    }
}
