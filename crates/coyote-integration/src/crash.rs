//! What the user sees when coyote itself has a defect: one line and where the log is, never a backtrace (S19, S46).

use crate::report::Report;
use std::{path::Path, sync::Arc};

/// Replaces the panic message of the standard library, which would follow `RUST_BACKTRACE`.
pub(crate) fn watch(report: Arc<Report>, log: &Path) {
    let log = log.to_owned();
    std::panic::set_hook(Box::new(move |panic| {
        let what = panic.payload_as_str().unwrap_or("no message");
        let place = panic.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
        tracing::error!("defect at {place}: {what}");
        report.failure(line(what, &place, &log));
    }));
}

fn line(what: &str, place: &str, log: &Path) -> String {
    let what = what.lines().next().unwrap_or_default();
    format!("Defect of coyote at {place}: {what}. The log is `{}`", log.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_defect_is_one_line() {
        insta::assert_snapshot!(line("left != right\n  left: 1", "src/a.rs:1:2", Path::new("/cache/coyote.log")), @"Defect of coyote at src/a.rs:1:2: left != right. The log is `/cache/coyote.log`");
    }
}
