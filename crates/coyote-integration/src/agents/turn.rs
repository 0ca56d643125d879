//! A turn of an agent that has children: they are cancelled with it, and it does not end while they are left open without
//! its model having been told.

use super::supervisor::Supervisor;
use crate::{
    chat::{Taken, Transcript, Turn, TurnEnd},
    model::Part,
};
use futures_util::future::join;
use std::pin::pin;

/// How often in one turn a model is reminded of what it left open. One that ends its turn all the same has decided so.
const REMINDERS_MAX: usize = 2;

/// Takes a turn; without words it goes on with what stands last.
pub(crate) async fn take_with_children(
    turn: &Turn<'_>,
    transcript: &mut Transcript,
    said: Option<Vec<Part>>,
    supervisor: &Supervisor,
) -> Taken {
    let mut taking = pin!(take(turn, transcript, said, supervisor));
    let taken = tokio::select! {
        biased;
        taken = &mut taking => taken,
        // Children end while the turn does, not after it (S13).
        () = turn.cancel.cancelled() => join(taking, supervisor.cancel_all()).await.0,
    };
    if turn.cancel.is_cancelled() {
        supervisor.cancel_all().await;
    }
    taken
}

async fn take(turn: &Turn<'_>, transcript: &mut Transcript, said: Option<Vec<Part>>, supervisor: &Supervisor) -> Taken {
    let mut taken = match said {
        Some(said) => turn.take(transcript, said).await,
        None => turn.resume(transcript).await,
    };
    for _ in 0..REMINDERS_MAX {
        let open = supervisor.left_open();
        if taken.end != TurnEnd::Answered || open.is_empty() {
            break;
        }
        let more = turn.take(transcript, vec![Part::Text(reminder(&open))]).await;
        taken = taken.then(more);
    }
    let running: Vec<String> = supervisor.running().into_iter().map(|running| format!("`{}`", running.id)).collect();
    if !running.is_empty() && !turn.cancel.is_cancelled() {
        turn.view
            .note(&format!("Agents still run: {}. Ask for what they found, or to cancel them", running.join(", ")));
    }
    taken
}

fn reminder(open: &[String]) -> String {
    format!(
        "Your turn has ended, but {}. Collect what you still want with `agent__collect`, which waits, answer what waits for \
         a reply with `agent__reply_escalation`, and end the rest with `agent__cancel`; then give your whole answer.",
        open.join("; ")
    )
}
