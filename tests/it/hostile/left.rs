//! What is left of processes after their client has gone (S18).

use acceptance::host::is_running;
use std::{fs, time::Duration};

/// How long the system may take to forget a killed process whose parent is not this one.
const PATIENCE: Duration = Duration::from_secs(5);
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Those of `processes`, and of their groups, that still run. A process that was killed gets a moment to be gone.
pub(super) async fn left_of(processes: &[u32]) -> Vec<u32> {
    let mut left = running(processes);
    let mut waited = Duration::ZERO;
    while !left.is_empty() && waited < PATIENCE {
        tokio::time::sleep(LOOK_EVERY).await;
        waited += LOOK_EVERY;
        left = running(processes);
    }
    left
}

fn running(processes: &[u32]) -> Vec<u32> {
    let all = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    all.filter(|id| {
        (processes.contains(id) || group(*id).is_some_and(|group| processes.contains(&group))) && is_running(*id)
    })
    .collect()
}

/// The process group of a process: the third field behind its name.
fn group(process: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.split(' ').nth(2)?.parse().ok()
}
