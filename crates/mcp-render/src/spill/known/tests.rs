//! A blob that comes again: the same answer, from its file (S32).

use super::*;
use crate::{Body, Content, Piece, Settled, SpillDir, SpillStore, Spilled, Spiller, settle};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use std::fs;
use std::sync::Arc;

const BLOB: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";

struct Tree {
    home: tempfile::TempDir,
    store: Arc<SpillStore>,
}

impl Tree {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let store = Arc::new(SpillStore::new(home.path().join("spills")));
        Self { home, store }
    }

    fn spiller(&self, dir: &str) -> Spiller {
        Spiller::new(Arc::clone(&self.store), SpillDir::new(dir).unwrap())
    }

    fn settle(&self, text: &str, mime: Option<&str>) -> Settled {
        let body = Body::Blob(Piece::Owned(text.into()));
        let content = Content { uri: "n://1".into(), mime_type: mime.map(str::to_owned), audience: vec![], body };
        settle(Vec::new(), vec![content], &self.spiller("srv")).remove(0)
    }

    fn spill(&self, text: &str) -> Spilled {
        match self.settle(text, Some("image/png")) {
            Settled::Spilled(spilled) => spilled,
            other => panic!("no spill: {other:?}"),
        }
    }

    fn recognises(&self, text: &str, dir: &str, ext: &'static str) -> bool {
        let size = STANDARD.decode(text).unwrap().len();
        self.spiller(dir).recognise(text.as_bytes(), size, ext).is_some()
    }
}

#[test]
fn a_blob_that_comes_again_is_known_by_the_bytes_of_its_file() {
    let tree = Tree::new();
    let text = STANDARD.encode(BLOB);
    assert!(!tree.recognises(&text, "srv", "png"), "nothing was spilled yet");
    let first = tree.spill(&text);
    assert!(tree.recognises(&text, "srv", "png"));
    assert_eq!(tree.spill(&text), first);
    let elsewhere = [("other", "png"), ("srv", "bin")].map(|(dir, ext)| tree.recognises(&text, dir, ext));
    assert_eq!(elsewhere, [false; 2], "each server's directory and each extension has its own file");
}

#[test]
fn another_blob_of_the_same_length_is_another_file() {
    let tree = Tree::new();
    let long = [BLOB, &vec![7; 600_000]].concat();
    let first = tree.spill(&STANDARD.encode(&long));
    for at in [0, 200_000, 500_000, long.len() - 1] {
        let mut other = long.clone();
        other[at] ^= 1;
        let text = STANDARD.encode(&other);
        assert!(!tree.recognises(&text, "srv", "png"), "differs at {at}");
        let second = tree.spill(&text);
        assert_ne!(second.sha256, first.sha256);
        assert_eq!(fs::read(second.path.unwrap()).unwrap(), other);
    }
}

#[test]
fn a_blob_whose_file_is_gone_short_or_longer_is_written_again() {
    let tree = Tree::new();
    let text = STANDARD.encode(BLOB);
    let path = tree.spill(&text).path.unwrap();
    let spoil: [&dyn Fn(); 3] = [&|| fs::remove_file(&path).unwrap(), &|| fs::write(&path, b"\0").unwrap(), &|| {
        fs::write(&path, [BLOB, b"more"].concat()).unwrap();
    }];
    for spoil in spoil {
        spoil();
        assert!(!tree.recognises(&text, "srv", "png"));
        tree.spill(&text);
        assert_eq!(fs::read(&path).unwrap(), BLOB);
    }
}

#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_a_known_blob_is_not_followed() {
    let tree = Tree::new();
    let text = STANDARD.encode(BLOB);
    let path = tree.spill(&text).path.unwrap();
    let outside = tree.home.path().join("outside");
    fs::write(&outside, BLOB).unwrap();
    fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink(&outside, &path).unwrap();
    assert!(!tree.recognises(&text, "srv", "png"));
}

#[test]
fn a_file_that_was_changed_in_place_is_not_taken_for_the_blob() {
    let tree = Tree::new();
    let text = STANDARD.encode(BLOB);
    let path = tree.spill(&text).path.unwrap();
    fs::write(&path, vec![b'x'; BLOB.len()]).unwrap();
    assert!(!tree.recognises(&text, "srv", "png"));
}

#[test]
fn so_many_blobs_are_remembered_and_no_more() {
    let mut memory = Memory::default();
    let known = |n: usize| Known {
        path: Path::new("/spills/srv").join(format!("{n}.bin")),
        sha256: String::new(),
        size_bytes: 3,
        detected_mime: None,
    };
    (0..1000).for_each(|n| memory.remember(known(n)));
    memory.remember(known(999));
    assert_eq!(memory.0.len(), REMEMBERED);
    assert_eq!(memory.alike(Path::new("/spills/srv"), "bin", 3).len(), TRIED);
    assert_eq!(memory.alike(Path::new("/spills/srv"), "bin", 3)[0], known(999), "the latest first");
}

proptest! {
    #[test]
    fn whatever_comes_again_gives_the_same_answer(
        bytes in prop::collection::vec(any::<u8>(), 0..2000),
        wrapped in any::<bool>(),
        padded in any::<bool>(),
        prefix in any::<bool>(),
    ) {
        let tree = Tree::new();
        let mut text = STANDARD.encode(&bytes);
        if !padded {
            text = text.trim_end_matches('=').to_owned();
        }
        if wrapped {
text = text.as_bytes().chunks(76).map(String::from_utf8_lossy).collect::<Vec<_>>().join("\n");
        }
        if prefix {
            text = format!("data:image/png;base64,{text}");
        }
        let first = tree.settle(&text, None);
        prop_assert_eq!(tree.settle(&text, None), first);
    }
}
