//! Rows that stand for both transports: over HTTP each line is an event of the answer's stream.

use crate::hostile::{Act, Ask, Expected, Leave, On, Patience, Scenario, rows::over_stdio};

pub(super) fn rows() -> Vec<Scenario> {
    over_stdio().into_iter().filter(is_for_both).map(|row| differing(row.over_http())).collect()
}

/// Whether nothing in it is a matter of processes and pipes.
fn is_for_both(row: &Scenario) -> bool {
    row.plays.iter().all(|play| matches!(play.on, On::Method(_)) && play.acts.iter().all(is_an_answer))
}

fn is_an_answer(act: &Act) -> bool {
    match act {
        Act::Echo | Act::Heir | Act::IgnoreSignals => false,
        Act::Leave(leave) => matches!(leave, Leave::Exit(_) | Leave::Killed),
        Act::Times(_, acts) | Act::UntilHeard(acts) => acts.iter().all(is_an_answer),
        _ => true,
    }
}

/// What comes of it where that is not what comes of it over stdio.
fn differing(row: Scenario) -> Scenario {
    match row.name {
        // Nobody but this request could have been meant, so there is nothing to wait for: its stream is at its end.
        "reply-in-a-batch"
        | "reply-pretty-printed"
        | "reply-without-version"
        | "reply-with-id-null"
        | "reply-to-another-id" => row.waiting(Patience::Long).asking_only(Ask::Invoke, closed()).reconnects(),
        // Half an event is none.
        "exits-in-half-a-reply" | "replies-without-a-line-end-and-exits" => {
            row.asking_only(Ask::Invoke, closed()).reconnects()
        }
        // Noise in a stream is an event, which is bounded like every other.
        "noise-of-200-mebibytes" | "noise-without-an-end" => {
            row.waiting(Patience::Long).asking_only(Ask::Invoke, Expected::code("frame_too_large")).same()
        }
        "frame-without-an-end" | "frame-without-an-end-or-an-id" => row.same(),
        // A server that asks before it has greeted waits for an answer that has nowhere to go.
        "ping-before-the-greeting" => row
            .waiting(Patience::ShortStart)
            .asking_only(Ask::Invoke, Expected::code("handshake_failed"))
            .answered([])
            .costing(0)
            .reconnects(),
        // S9: what was read goes through the SDK, which drops the blob.
        "read-of-text-beside-blob" => row.asking_only(Ask::Read, Expected::fine().lacking(["invalid_response"])),
        _ => row,
    }
}

fn closed() -> Expected {
    Expected::code("connection_closed")
}
