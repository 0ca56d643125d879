//! Session files on a disk: who may write, and what a name may be.

use super::*;
use crate::model::Message;

fn document(text: &str) -> SessionDocument {
    SessionDocument { messages: vec![Message::user(text)], ..SessionDocument::default() }
}

#[test]
fn a_session_that_is_open_elsewhere_is_read_and_not_written() {
    let dir = tempfile::tempdir().unwrap();
    let (first, none) = Session::open(dir.path(), "work").unwrap();
    assert_eq!((none, first.read_only()), (None, None));
    first.write(&document("one")).unwrap();
    let (second, held) = Session::open(dir.path(), "work").unwrap();
    assert_eq!((held, second.read_only()), (Some(document("one")), Some("another coyote has it open")));
    assert!(matches!(second.write(&document("two")), Err(SessionFault::ReadOnly { .. })));
    assert!(matches!(Session::create(dir.path(), "work"), Err(SessionFault::ReadOnly { .. })));
    drop(first.clone());
    assert!(Session::open(dir.path(), "work").unwrap().0.read_only().is_some(), "a copy's end is not the session's");
    drop(first);
    let (third, held) = Session::open(dir.path(), "work").unwrap();
    assert_eq!((held, third.read_only()), (Some(document("one")), None));
    third.write(&document("three")).unwrap();
    assert_eq!(Session::names(dir.path()), ["work"]);
    assert_eq!(Session::closest(dir.path(), "wrok"), ["work"]);
}

#[cfg(unix)]
#[test]
fn a_session_is_its_users_alone_s47() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let sessions = dir.path().join("sessions");
    let (session, _) = Session::open(&sessions, "work").unwrap();
    let file = session.write(&document("one")).unwrap();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(file), mode(&sessions), mode(&sessions.join(".work.lock"))), (0o600, 0o700, 0o600));
}

#[test]
fn a_name_is_no_path() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["", "../x", "a/b", "a\\b", ".hidden", "a\nb"] {
        assert!(matches!(Session::open(dir.path(), name), Err(SessionFault::Name { .. })), "{name:?}");
    }
}

#[test]
fn a_temporary_session_has_no_file_and_a_file_that_is_not_understood_stays() {
    let dir = tempfile::tempdir().unwrap();
    let (temporary, _) = Session::open(dir.path(), TEMP).unwrap();
    assert_eq!((temporary.name(), temporary.file()), ("temp", None));
    assert_eq!(temporary.write(&document("x")).unwrap_err(), SessionFault::Unnamed);
    let file = dir.path().join("work.yaml");
    std::fs::write(&file, "messages: [{role: tool}]").unwrap();
    let error = Session::open(dir.path(), "work").unwrap_err();
    assert!(error.to_string().contains("message 1 has the role `tool`"), "{error}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "messages: [{role: tool}]");
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_written_says_so_and_stays() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let (session, _) = Session::open(dir.path(), "work").unwrap();
    let file = session.write(&document("one")).unwrap().to_owned();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o400)).unwrap();
    assert!(matches!(session.write(&document("two")), Err(SessionFault::Unwritable { .. })));
    assert_eq!(session.reread().unwrap(), Some(document("one")));
}
