//! The spill store on a real file system: names, modes, links, eviction, reading back (S32, S34).

use super::*;
use crate::sniff::sha256_hex;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

struct Tree {
    home: tempfile::TempDir,
    store: Arc<SpillStore>,
}

impl Tree {
    fn new(limit: u64) -> Self {
        let home = tempfile::tempdir().unwrap();
        let store = Arc::new(SpillStore::with_limit(home.path().join("cache/mcp-resources"), limit));
        Self { home, store }
    }

    fn spiller(&self, dir: &str) -> Spiller {
        Spiller::new(Arc::clone(&self.store), SpillDir::new(dir).unwrap())
    }

    fn files(&self) -> Vec<PathBuf> {
        let mut all = Vec::new();
        for dir in fs::read_dir(self.store.root()).unwrap() {
            all.extend(fs::read_dir(dir.unwrap().path()).unwrap().map(|file| file.unwrap().path()));
        }
        all.sort();
        all
    }
}

fn age(path: &Path, seconds: u64) {
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
}

fn modified(path: &Path) -> SystemTime {
    fs::metadata(path).unwrap().modified().unwrap()
}

#[test]
fn a_spill_is_named_by_its_hash_below_its_servers_directory() {
    let tree = Tree::new(1000);
    let kept = tree.spiller("srv").keep(b"\0binary", "png");
    assert_eq!(kept.sha256, sha256_hex(b"\0binary"));
    let path = kept.path.unwrap();
    assert_eq!(path, tree.store.root().join("srv").join(format!("{}.png", kept.sha256)));
    assert_eq!(fs::read(&path).unwrap(), b"\0binary");
    assert_eq!(tree.files(), [path], "no temporary file is left");
}

#[test]
fn hostile_directory_names_are_refused() {
    for name in ["../../x", "", ".", "..", "a/b", "a\\b", "ü", "a b", &"x".repeat(52)] {
        assert!(SpillDir::new(name).is_err(), "{name}");
    }
    assert_eq!(
        SpillDir::new("a/\u{1b}").unwrap_err().to_string(),
        "`a/\\u{1b}` is no spill directory name; a name is 1 to 51 of the characters A-Z, a-z, 0-9, `_` and `-`"
    );
    assert_eq!(SpillDir::new(&"x".repeat(51)).unwrap().as_str().len(), 51);
}

#[test]
fn the_same_content_is_written_once_and_its_time_refreshed() {
    let tree = Tree::new(1000);
    let path = tree.spiller("srv").keep(b"\0one", "bin").path.unwrap();
    age(&path, 1000);
    let inode = identity(&path);
    assert_eq!(tree.spiller("srv").keep(b"\0one", "bin").path.unwrap(), path);
    assert_eq!(identity(&path), inode, "not written again");
    assert!(modified(&path).elapsed().unwrap() < Duration::from_secs(500));
}

#[test]
fn a_file_of_another_size_is_replaced() {
    let tree = Tree::new(1000);
    let path = tree.spiller("srv").keep(b"\0whole", "bin").path.unwrap();
    fs::write(&path, b"\0wh").unwrap();
    tree.spiller("srv").keep(b"\0whole", "bin").path.unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"\0whole");
}

#[cfg(unix)]
fn identity(path: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).unwrap().ino()
}

#[cfg(not(unix))]
fn identity(path: &Path) -> SystemTime {
    fs::metadata(path).unwrap().created().unwrap()
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn directories_are_0700_and_files_0600() {
        let tree = Tree::new(1000);
        let path = tree.spiller("srv").keep(b"\0", "bin").path.unwrap();
        assert_eq!((mode(&path), mode(path.parent().unwrap()), mode(tree.store.root())), (0o600, 0o700, 0o700));

        let open = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        open(&path, 0o644);
        open(path.parent().unwrap(), 0o755);
        tree.spiller("srv").keep(b"\0", "bin").path.unwrap();
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700), "open ones are closed");
    }

    #[test]
    fn a_link_in_place_of_the_file_is_replaced_and_never_followed() {
        let tree = Tree::new(1000);
        let outside = tree.home.path().join("outside");
        // The same size as the spill: following the link would pass for a hit.
        fs::write(&outside, b"precious").unwrap();
        age(&outside, 1000);
        let before = modified(&outside);
        let dir = tree.store.root().join("srv");
        fs::create_dir_all(&dir).unwrap();
        let path = dir.join(format!("{}.bin", sha256_hex(b"\0hostile")));
        symlink(&outside, &path).unwrap();

        tree.spiller("srv").keep(b"\0hostile", "bin").path.unwrap();
        assert_eq!((fs::read(&outside).unwrap().as_slice(), modified(&outside)), (&b"precious"[..], before));
        assert!(fs::symlink_metadata(&path).unwrap().is_file());
        assert_eq!(fs::read(&path).unwrap(), b"\0hostile");
    }

    #[test]
    fn a_link_in_place_of_a_directory_fails_the_spill_alone() {
        let tree = Tree::new(1000);
        let outside = tree.home.path().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::create_dir_all(tree.store.root()).unwrap();
        symlink(&outside, tree.store.root().join("srv")).unwrap();
        let why = tree.spiller("srv").keep(b"\0x", "bin").path.unwrap_err();
        assert!(why.starts_with("Not kept on disk: ") && why.contains("is a symbolic link or a file"), "{why}");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);

        fs::write(outside.join(format!("{}.txt", sha256_hex(b"secret"))), b"secret").unwrap();
        let dir = SpillDir::new("srv").unwrap();
        assert_eq!(tree.store.read_back(&dir, &sha256_hex(b"secret")), None, "nor is it read through");
    }

    #[test]
    fn a_link_in_place_of_a_stored_file_is_not_read_back() {
        let tree = Tree::new(1000);
        let outside = tree.home.path().join("secret");
        fs::write(&outside, b"secret").unwrap();
        let dir = tree.store.root().join("srv");
        fs::create_dir_all(&dir).unwrap();
        symlink(&outside, dir.join(format!("{}.txt", sha256_hex(b"secret")))).unwrap();
        assert_eq!(tree.store.read_back(&SpillDir::new("srv").unwrap(), &sha256_hex(b"secret")), None);
    }

    #[test]
    fn eviction_follows_no_link_and_touches_only_spills() {
        let tree = Tree::new(10);
        let outside = tree.home.path().join("outside");
        let name = |n: u8| format!("{}.bin", sha256_hex(&[n]));
        fs::create_dir_all(outside.join("deep")).unwrap();
        fs::write(outside.join(name(1)), [0; 100]).unwrap();
        let dir = tree.store.root().join("srv");
        fs::create_dir_all(dir.join(name(2))).unwrap();
        symlink(&outside, tree.store.root().join("linked")).unwrap();
        symlink(outside.join(name(1)), dir.join(name(3))).unwrap();
        for keep in [
            "README.txt",
            &format!("{}.toolongext", "a".repeat(64)),
            &format!("{}.bin", "g".repeat(64)),
            &"a".repeat(64),
        ] {
            fs::write(dir.join(keep), [0; 100]).unwrap();
        }
        fs::write(tree.store.root().join(name(4)), [0; 100]).unwrap();
        let before = tree.files_below(&dir);

        drop(tree.spiller("srv").keep(b"\x00123456789", "bin").path.unwrap());
        drop(tree.spiller("srv").keep(b"\x00987654321", "bin").path.unwrap());
        let left: Vec<_> = tree.files_below(&dir);
        assert!(before.iter().all(|path| left.contains(path)));
        assert_eq!(left.len(), before.len() + 1, "of the two spills, one is over the bound");
        assert!(outside.join(name(1)).exists() && tree.store.root().join(name(4)).exists());
    }

    impl Tree {
        #[expect(clippy::unused_self, reason = "reads like the other questions to the tree")]
        fn files_below(&self, dir: &Path) -> Vec<PathBuf> {
            fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect()
        }
    }

    #[test]
    fn a_directory_that_cannot_be_written_fails_the_spill_alone() {
        let tree = Tree::new(1000);
        fs::create_dir_all(tree.store.root().parent().unwrap()).unwrap();
        fs::write(tree.store.root(), b"a file where the tree belongs").unwrap();
        let why = tree.spiller("srv").keep(b"\0x", "bin").path.unwrap_err();
        assert!(why.contains("is a symbolic link or a file; remove it, a directory belongs there"), "{why}");
    }
}

#[test]
fn eviction_takes_the_oldest_first_and_only_over_the_bound() {
    let tree = Tree::new(25);
    let old = tree.spiller("a").keep(b"\0aaaaaaaaa", "bin").path.unwrap();
    let young = tree.spiller("b").keep(b"\0bbbbbbbbb", "png").path.unwrap();
    age(&old, 100);
    age(&young, 50);
    assert_eq!(tree.files().len(), 2, "20 of 25 bytes");
    let new = tree.spiller("a").keep(b"\0ccccccccc", "bin").path.unwrap();
    let mut left = [young, new];
    left.sort();
    assert_eq!(tree.files(), left, "across all servers");
}

#[test]
fn eviction_never_takes_a_file_of_an_answer_being_built() {
    let tree = Tree::new(15);
    let building = tree.spiller("a");
    let first = building.keep(b"\0aaaaaaaaa", "bin").path.unwrap();
    age(&first, 1000);
    let second = building.keep(b"\0bbbbbbbbb", "bin").path.unwrap();
    // Another answer of the same process, built meanwhile.
    tree.spiller("b").keep(b"\0ccccccccc", "bin").path.unwrap();
    assert!(first.exists() && second.exists());
    drop(building);
    tree.spiller("b").keep(b"\0ddddddddd", "bin").path.unwrap();
    assert!(!first.exists() && !second.exists(), "held no longer");
}

#[test]
fn a_file_that_is_gone_already_is_no_error() {
    let tree = Tree::new(15);
    let path = tree.spiller("a").keep(b"\0aaaaaaaaa", "bin").path.unwrap();
    fs::remove_file(&path).unwrap();
    tree.spiller("a").keep(b"\0bbbbbbbbb", "bin").path.unwrap();
    assert_eq!(tree.files().len(), 1);
}

#[test]
fn a_stored_file_is_read_back_by_its_hash_from_its_own_server_only() {
    let tree = Tree::new(10_000);
    let sha = tree.spiller("a").keep("läng".as_bytes(), "txt").sha256;
    let (a, b) = (SpillDir::new("a").unwrap(), SpillDir::new("b").unwrap());
    assert_eq!(tree.store.read_back(&b, &sha), None);
    assert_eq!(tree.store.read_back(&a, "../a/x"), None);
    assert_eq!(tree.store.read_back(&a, &sha.to_uppercase()), None);
    let stored = tree.store.read_back(&a, &sha).unwrap();
    assert_eq!(stored.bytes, "läng".as_bytes());
    let crate::Settled::Text(text) = stored.clone().settle() else { panic!("{stored:?}") };
    assert_eq!(
        (text.uri, text.mime_type.as_deref(), text.text.as_str()),
        (format!("spill:{sha}"), Some("text/plain"), "läng")
    );

    fs::write(&stored.path, "lang!").unwrap();
    assert_eq!(tree.store.read_back(&a, &sha), None, "what does not hash to its name does not exist");
}

#[test]
fn a_binary_read_back_is_its_metadata() {
    let tree = Tree::new(10_000);
    let kept = tree.spiller("a").keep(b"\x89PNG\r\n\x1a\n\0", "png");
    let stored = tree.store.read_back(&SpillDir::new("a").unwrap(), &kept.sha256).unwrap();
    let crate::Settled::Spilled(spilled) = stored.settle() else { panic!("a binary") };
    assert_eq!(
        spilled.to_value(),
        serde_json::json!({
            "spilled": true, "path": kept.path.unwrap(), "uri": format!("spill:{}", kept.sha256), "mime_type": "image/png",
            "sniffed": false, "size_bytes": 9, "sha256": kept.sha256, "detected_mime": "image/png",
        })
    );
}

proptest::proptest! {
    #[test]
    fn spills_of_hostile_names_and_mime_strings_stay_inside_the_tree(name in "[./\\\\a-z\\PC]{0,60}", mime in proptest::prelude::any::<String>()) {
        let ext = crate::mime_type::extension(Some(&mime));
        proptest::prop_assert!((1..=4).contains(&ext.len()) && ext.bytes().all(|b| b.is_ascii_alphanumeric()));
        if let Ok(dir) = SpillDir::new(&name) {
            let tree = Tree::new(1000);
            let path = tree.spiller(dir.as_str()).keep(b"\0", ext).path.unwrap();
            proptest::prop_assert_eq!(path.parent().unwrap().parent().unwrap(), tree.store.root());
        }
    }
}
