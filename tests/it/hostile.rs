//! Every way in which a server was seen to misbehave, held against the real client over real processes and ports.
//!
//! The rows stand in `acceptance::hostile`; here is what holds for all of them: the expected code or result comes, within
//! a bound on requests; nothing is written to the server but what MCP wants; the next call works, on the same connection
//! or after one reconnect; and no process is left. No row waits for a clock but its own deadlines.

#![cfg(target_os = "linux")]

mod asked;
mod left;
mod memory;
mod row;
mod web;

use acceptance::hostile::{Scenario, Transport, scenarios};
use row::Report;
use std::{collections::BTreeSet, fmt::Write as _, process::Command, sync::Arc};
use tokio::{sync::Semaphore, task::JoinSet};

/// How many rows run at once.
const AT_ONCE: u32 = 4;

// S10, S11, S12, S13, S15, S16, S17, S18, S19, C21–C28, C72–C77
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_hostile_server_is_survived() {
    let seats = Arc::new(Semaphore::new(AT_ONCE as usize));
    let mut rows = JoinSet::new();
    for (number, scenario) in scenarios().into_iter().enumerate().filter(|(_, scenario)| wanted(scenario)) {
        let seats = Arc::clone(&seats);
        let needs = if scenario.alone { AT_ONCE } else { 1 };
        rows.spawn(async move {
            let _seat = seats.acquire_many_owned(needs).await.unwrap();
            (number, row::run(&scenario).await)
        });
    }
    let mut reports = rows.join_all().await;
    reports.sort_by_key(|(number, _)| *number);
    let reports: Vec<Report> = reports.into_iter().map(|(_, report)| report).collect();
    println!("{}", table(&reports));
    let wrong: Vec<String> = reports.iter().filter_map(Report::complaint).collect();
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), reports.len(), wrong.join("\n"));
}

/// `HOSTILE=word` in the environment runs the rows whose name holds the word.
fn wanted(scenario: &Scenario) -> bool {
    std::env::var("HOSTILE").map_or(true, |word| scenario.label().contains(&word))
}

fn table(reports: &[Report]) -> String {
    let mut table = String::new();
    let columns = ["scenario", "seen in", "over", "outcome", "requests", "next call", "memory", "took"];
    let rows = reports.iter().map(Report::cells).map(|cells| cells.map(|cell| cell.replace('\n', " ")));
    let rows: Vec<[String; 8]> = std::iter::once(columns.map(str::to_owned)).chain(rows).collect();
    for row in &rows {
        for (column, cell) in row.iter().enumerate() {
            let width = rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
            write!(table, "{cell:width$}  ").unwrap();
        }
        table.truncate(table.trim_end().len());
        table.push('\n');
    }
    table
}

#[test]
fn the_table_has_a_row_for_every_case_and_every_name_once() {
    let rows = scenarios();
    let names: BTreeSet<String> = rows.iter().map(Scenario::label).collect();
    assert_eq!(names.len(), rows.len(), "a name stands twice");
    let stdio = rows.iter().filter(|row| row.transport == Transport::Stdio).count();
    assert!(stdio >= 75 && rows.len() - stdio >= 75, "{stdio} rows over stdio, {} over HTTP", rows.len() - stdio);
    for transport in [Transport::Stdio, Transport::Http] {
        let rows = rows.iter().filter(|row| row.transport == transport);
        let cited: BTreeSet<&str> = rows.flat_map(|row| row.cites.split(' ')).collect();
        let cases = (21..=28).chain(72..=77).map(|number| format!("C{number}"));
        for case in cases.chain(["§2.1", "§2.2", "§4.3"].map(str::to_owned)) {
            assert!(cited.contains(case.as_str()), "{case} has no row over {transport:?}");
        }
    }
    for row in &rows {
        let bound = 200 * 4 + 5;
        assert!(!row.asks.is_empty() && row.requests <= bound, "{}", row.label());
    }
}

#[test]
fn every_row_is_a_flag_of_the_hostile_server() {
    let list = Command::new(env!("CARGO_BIN_EXE_hostile-server")).arg("--list").output().unwrap();
    let flags: Vec<String> = scenarios().iter().map(|row| format!("--{}", row.label())).collect();
    assert_eq!(String::from_utf8(list.stdout).unwrap().lines().collect::<Vec<_>>(), flags);
    let refused = Command::new(env!("CARGO_BIN_EXE_hostile-server")).arg("--no-such-scenario").output().unwrap();
    assert!(!refused.status.success());
}
