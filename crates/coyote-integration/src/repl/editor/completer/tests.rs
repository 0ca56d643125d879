//! What the line editor sees of a completion that takes its time.

use super::*;
use crate::repl::complete::{ArgumentSource, Working};
use reedline::ExternalPrinter;
use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};
use tokio::sync::Notify;

/// Rows after work that ends when it is let go.
#[derive(Default)]
struct Slow {
    go: Arc<Notify>,
    worked: Arc<AtomicUsize>,
    panics: bool,
}

impl ArgumentSource for Slow {
    fn complete(&self, line: &str, cursor: usize) -> Answer {
        if self.worked.load(Ordering::Relaxed) > 0 {
            return Answer::Rows(crate::repl::complete::offer(
                line,
                cursor,
                [crate::repl::complete::Item::new("alpha", "first")],
            ));
        }
        let (go, worked, panics) = (Arc::clone(&self.go), Arc::clone(&self.worked), self.panics);
        let work: Working = Box::pin(async move {
            go.notified().await;
            assert!(!panics, "a source with a defect");
            worked.store(1, Ordering::Relaxed);
        });
        Answer::Work(work)
    }
}

fn background(source: Slow) -> Background {
    let completions = Completions::of_source("slow", Arc::new(source));
    let printer = ExternalPrinter::new(1);
    Background::new(completions, Printer::default(), printer.sender())
}

/// Polls as the editor does, until something else than `Pending` comes.
async fn settled(background: &mut Background) -> CompletionStatus {
    loop {
        match background.poll_completion() {
            CompletionStatus::Pending => tokio::time::sleep(Duration::from_millis(1)).await,
            other => return other,
        }
    }
}

#[tokio::test]
async fn an_answer_that_takes_time_is_pending_then_ready_once_then_a_hit() {
    let go = Arc::new(Notify::new());
    let mut background = background(Slow { go: Arc::clone(&go), ..Slow::default() });
    assert!(background.complete(".slow ", 6).is_pending());
    assert!(background.complete(".slow ", 6).is_pending(), "it is not begun twice");
    assert_eq!(background.poll_completion(), CompletionStatus::Pending);
    go.notify_one();
    assert_eq!(settled(&mut background).await, CompletionStatus::Ready);
    assert_eq!(background.poll_completion(), CompletionStatus::Idle, "it is told once");
    let values: Vec<String> =
        background.complete(".slow ", 6).suggestions().iter().map(|row| row.value.clone()).collect();
    assert_eq!(values, ["alpha"]);
}

#[tokio::test]
async fn a_source_that_panics_answers_nothing_rather_than_never() {
    let go = Arc::new(Notify::new());
    let mut background = background(Slow { go: Arc::clone(&go), panics: true, ..Slow::default() });
    assert!(background.complete(".slow ", 6).is_pending());
    go.notify_one();
    assert_eq!(settled(&mut background).await, CompletionStatus::Ready);
    assert!(background.complete(".slow ", 6).suggestions().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_source_that_hangs_is_given_up() {
    let mut background = background(Slow::default());
    assert!(background.complete(".slow ", 6).is_pending());
    assert_eq!(settled(&mut background).await, CompletionStatus::Ready);
    assert!(background.complete(".slow ", 6).suggestions().is_empty());
}

#[tokio::test]
async fn what_is_to_be_shown_is_handed_over_one_portion_a_look_and_in_order() {
    let above = ExternalPrinter::new(1);
    let printer = Printer::default();
    let completions = Completions::of_source("slow", Arc::new(Slow::default()));
    let mut background = Background::new(completions, printer.clone(), above.sender());
    printer.print(&(0..100).map(|n| n.to_string()).collect::<Vec<_>>().join("\n"));
    let mut shown = String::new();
    for look in 0..8 {
        background.poll_completion();
        if look % 2 == 0 {
            // The editor did not look in between: nothing is lost.
            continue;
        }
        shown.push_str(&above.get_line().unwrap_or_default());
    }
    assert_eq!(shown.lines().count(), 100);
    assert!(shown.starts_with("0\n1\n") && shown.ends_with("98\n99\n"));
}
