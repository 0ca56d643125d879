//! Words, stdin and files become one message, and what cannot be attached says why.

use super::*;
use mcp_render::{ATTACHED_FILE_BYTES as FILE_BYTES, ATTACHED_FILES as FILES_MAX};
use std::fs;

fn file(name: &str, bytes: &[u8]) -> Attached {
    Attached { name: name.to_owned(), bytes: bytes.to_vec() }
}

fn text(words: &str, stdin: &str, files: Vec<Attached>) -> String {
    match message(words, stdin, files).unwrap().unwrap().as_slice() {
        [Part::Text(text)] => text.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn stdin_is_appended_to_the_words_and_files_follow_with_their_names() {
    assert_eq!(text("say", "more\n", vec![]), "say\n\nmore");
    assert_eq!(text("", "alone\r\n", vec![]), "alone");
    let said = text("say", " \n", vec![file("a.txt", b"one\n"), file("b\n.txt", b"two")]);
    assert_eq!(said, "say\n\nFile \"a.txt\":\n```\none\n```\n\nFile \"b\\n.txt\":\n```\ntwo\n```");
    assert_eq!(message(" ", "\n", vec![]).unwrap(), None);
}

#[test]
fn a_file_cannot_close_its_own_frame() {
    let said = text("", "", vec![file("a.md", b"```\n  `````\n")]);
    assert_eq!(said, "File \"a.md\":\n``````\n```\n  `````\n``````");
}

#[test]
fn pictures_are_told_by_their_bytes_and_stand_behind_the_text() {
    let kinds: [(&[u8], &str); 4] = [
        (b"\x89PNG\r\n\x1a\nrest", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
    ];
    for (bytes, kind) in kinds {
        let parts = message("look", "", vec![file("x.txt", bytes)]).unwrap().unwrap();
        let [Part::Text(words), Part::Image { mime, data, name }] = parts.as_slice() else { panic!("{parts:?}") };
        assert_eq!((words.as_str(), mime.as_str(), name.as_str()), ("look", kind, "x.txt"));
        assert_eq!(STANDARD.decode(data).unwrap(), bytes);
    }
}

#[test]
fn what_is_neither_text_nor_a_picture_says_what_can_be_attached() {
    for bytes in [b"a\0b".as_slice(), b"\xff\xfe", b"%PDF-1.7\n\xe2\xe3"] {
        let fault = message("", "", vec![file("x.bin", bytes)]).unwrap_err();
        assert_eq!(fault.sentence, "`x.bin` is neither UTF-8 text nor a picture of a known kind");
        assert!(fault.hint.contains("PNG"), "{fault:?}");
    }
}

async fn names(dir: &Path, given: &[&str]) -> Result<Vec<String>, String> {
    let given: Vec<String> = given.iter().map(|&name| name.to_owned()).collect();
    let found = attach(dir, &given).await.map_err(|fault| fault.sentence)?;
    Ok(found.into_iter().map(|file| file.name).collect())
}

#[tokio::test]
async fn a_path_is_taken_as_it_is_and_a_glob_finds_files_in_order() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("src/deep")).unwrap();
    for name in ["src/b.rs", "src/a.rs", "src/deep/c.rs", "src/.hidden.rs", "[odd].txt", "src/x.txt"] {
        fs::write(dir.path().join(name), "x").unwrap();
    }
    let dir = dir.path();
    assert_eq!(names(dir, &["src/*.rs"]).await.unwrap(), ["src/a.rs", "src/b.rs"]);
    assert_eq!(names(dir, &["src/**/*.rs"]).await.unwrap(), ["src/a.rs", "src/b.rs", "src/deep/c.rs"]);
    assert_eq!(names(dir, &["**/{a,c}.rs"]).await.unwrap(), ["src/a.rs", "src/deep/c.rs"]);
    assert_eq!(names(dir, &["[odd].txt", "src/.hidden.rs"]).await.unwrap(), ["[odd].txt", "src/.hidden.rs"]);
    assert_eq!(names(dir, &["*.none"]).await.unwrap_err(), "`*.none` matches no file");
    assert_eq!(names(dir, &["src"]).await.unwrap_err(), "`src` is a directory");
    assert!(names(dir, &["none.txt"]).await.unwrap_err().starts_with("`none.txt` cannot be read: "));
    assert!(names(dir, &["[a"]).await.unwrap_err().starts_with("`[a` is no file and no glob: "));
}

#[tokio::test]
async fn limits_of_size_and_number_are_named() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["a", "b"] {
        fs::write(dir.path().join(name), vec![b'x'; FILE_BYTES]).unwrap();
    }
    fs::write(dir.path().join("c"), vec![b'x'; FILE_BYTES + 1]).unwrap();
    fs::write(dir.path().join("d"), "x").unwrap();
    assert_eq!(names(dir.path(), &["a", "b"]).await.unwrap(), ["a", "b"]);
    let all = names(dir.path(), &["a", "b", "d"]).await.unwrap_err();
    assert_eq!(all, "The files hold more than 20971520 bytes together, the limit for one message");
    assert_eq!(
        names(dir.path(), &["c"]).await.unwrap_err(),
        "`c` holds more than 10485760 bytes, the limit for one file"
    );
    let many = tempfile::tempdir().unwrap();
    for number in 0..=FILES_MAX {
        fs::write(many.path().join(format!("{number}.txt")), "").unwrap();
    }
    assert_eq!(
        names(many.path(), &["*.txt"]).await.unwrap_err(),
        "`*.txt` matches more than 100 files, the limit for one glob"
    );
}

#[tokio::test]
async fn a_url_that_does_not_answer_is_no_wrong_usage() {
    // Nobody listens on a port that was free a moment ago.
    let port = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{port}/x");
    let fault = attach(Path::new("."), std::slice::from_ref(&url)).await.unwrap_err();
    assert!(fault.remote && fault.sentence.starts_with(&format!("`{url}` cannot be attached: ")), "{fault:?}");
}
