//! One row, from the start of its server to the end of its processes.

use super::{asked::Stage, left::left_of, memory::Mark};
use acceptance::hostile::{Answers, Ask, Diary, Expected, Next, Scenario};
use coyote_integration::mcp::{Connection, Lasting};
use mcp_catalog::PortError;
use mcp_meta::Answer;
use mcp_render::{Ceiling, Code};
use serde_json::Value;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::time::{sleep, timeout};

/// A row that takes longer has hung.
const HUNG_AFTER: Duration = Duration::from_secs(50);
/// The most that a row may take of this process's memory: one frame of the longest kind, and as much again for what is made
/// of it. The frames of the rows that are measured are longer than this, or have no end.
const MEMORY_MAX_MIB: u64 = 2 * 96;
/// The most streams that a client may open at a server over HTTP, however they end.
const STREAMS_MAX: usize = 20;
/// How much of an answer the table shows.
const SHOWN_CHARS: usize = 72;

/// What came of a row.
pub(super) struct Report {
    name: String,
    cites: &'static str,
    transport: String,
    outcomes: Vec<String>,
    requests: usize,
    next: String,
    memory: String,
    took: Duration,
    wrong: Vec<String>,
}

impl Report {
    /// The row of the printed table.
    pub(super) fn cells(&self) -> [String; 8] {
        [
            self.name.clone(),
            self.cites.to_owned(),
            self.transport.clone(),
            self.outcomes.join(" | "),
            self.requests.to_string(),
            self.next.clone(),
            self.memory.clone(),
            format!("{:.1} s", self.took.as_secs_f32()),
        ]
    }

    /// What is not as it should be.
    pub(super) fn complaint(&self) -> Option<String> {
        (!self.wrong.is_empty()).then(|| format!("{}: {}", self.name, self.wrong.join("; ")))
    }

    fn expect(&mut self, holds: bool, complaint: impl FnOnce() -> String) {
        if !holds {
            self.wrong.push(complaint());
        }
    }
}

/// Plays a row.
pub(super) async fn run(scenario: &Scenario) -> Report {
    let mut report = Report {
        name: scenario.label(),
        cites: scenario.cites,
        transport: format!("{:?}", scenario.transport).to_lowercase(),
        outcomes: Vec::new(),
        requests: 0,
        next: String::new(),
        memory: String::new(),
        took: Duration::ZERO,
        wrong: Vec::new(),
    };
    let began = Instant::now();
    let stage = Stage::new(scenario).unwrap();
    let mark = scenario.alone.then(Mark::set);
    if timeout(HUNG_AFTER, play(&stage, scenario, &mut report)).await.is_err() {
        report.wrong.push("hung".to_owned());
    }
    if let Some(mib) = mark.map(|mark| mark.mebibytes()) {
        report.memory = format!("{mib} MiB");
        report.expect(mib <= MEMORY_MAX_MIB, || format!("took {mib} MiB"));
    }
    stage.end().await;
    let diary = Diary::read(&stage.diary()).unwrap();
    let left = left_of(&diary.processes).await;
    report.expect(left.is_empty(), || format!("left processes {left:?}"));
    report.expect(!diary.processes.is_empty(), || "no server was started".to_owned());
    let streams = diary.verbs.iter().filter(|verb| *verb == "GET").count();
    report.expect(streams <= STREAMS_MAX, || format!("{streams} streams were opened"));
    report.expect(diary.odd.is_empty(), || format!("the server was told what is no message: {:?}", diary.odd));
    judge_answers(&mut report, &scenario.answers, &diary.answers);
    report.took = began.elapsed();
    report
}

async fn play(stage: &Stage, scenario: &Scenario, report: &mut Report) {
    let first = ask_all(stage, scenario, report).await;
    let diary = Diary::read(&stage.diary()).unwrap();
    report.requests = diary.requests.iter().filter(|method| *method != "initialize").count();
    let (requests, bound) = (report.requests, scenario.requests);
    report.expect(requests <= bound, || format!("{requests} requests, {bound} are the most"));
    let (next, needed) = next_call(stage, scenario, first).await;
    let fine = next.as_ref().is_ok_and(|answer| matches_expected(answer, &Expected::fine()));
    report.next = if fine { needed.to_owned() } else { shown(&next) };
    report.expect(fine, || format!("the next call: {}", shown(&next)));
    if scenario.next == Next::Same {
        report.expect(needed == "same", || format!("the next call needed more: {needed}"));
        let timeouts = scenario.asks.iter().filter(|(_, expected)| expected.gives_up()).count();
        let told = cancellations(stage, timeouts).await;
        report.expect(told == timeouts, || format!("{told} cancellations for {timeouts} timeouts"));
    }
}

/// How many cancellations the server got. One over HTTP may still be on its way.
async fn cancellations(stage: &Stage, expected: usize) -> usize {
    let mut looks = 0;
    loop {
        let told = Diary::read(&stage.diary()).unwrap().notifications;
        let told = told.iter().filter(|method| *method == "notifications/cancelled").count();
        if told >= expected || looks == 100 {
            return told;
        }
        looks += 1;
        sleep(Duration::from_millis(10)).await;
    }
}

/// Asks everything there is to ask, on one connection, which is returned.
async fn ask_all(stage: &Stage, scenario: &Scenario, report: &mut Report) -> Option<Arc<Lasting>> {
    let connection = stage.connection().await;
    for (ask, expected) in &scenario.asks {
        let answer = match &connection {
            Ok(connection) => Ok(stage.ask(connection, *ask).await),
            Err(error) => Err(error.clone()),
        };
        let right = match &answer {
            Ok(answer) => matches_expected(answer, expected),
            Err(error) => expected.code == Some(error.code().as_str()),
        };
        report.outcomes.push(shown(&answer));
        if let Ok(answer) = &answer {
            let bytes = answer.value.to_string().len();
            report.expect(bytes <= Ceiling::default().bytes(), || format!("an answer of {bytes} bytes"));
        }
        report.expect(right, || format!("{ask:?} expected {expected:?}, got {}", whole(&answer)));
    }
    connection.ok()
}

/// One more call: on the connection that was used, if that is alive, else after one reconnect.
async fn next_call(
    stage: &Stage,
    scenario: &Scenario,
    first: Option<Arc<Lasting>>,
) -> (Result<Answer, PortError>, &'static str) {
    let ask = match scenario.asks.first() {
        Some((Ask::Read, _)) => Ask::Read,
        _ => Ask::Invoke,
    };
    let living = first.as_ref().and_then(|first| first.current());
    stage.keep(scenario).unwrap();
    if let (Next::Forced, Some(first)) = (scenario.next, &first) {
        // What comes of it is seen in the next call.
        drop(first.reconnect().await);
    }
    let (answer, again) = on_the_living(stage, ask, living.as_ref()).await;
    // A call can meet the end of a server that nobody has seen yet; the one after it may not.
    let closed = answer.as_ref().is_ok_and(|answer| answer.value["code"] == "connection_closed");
    let (answer, again) = if closed { on_the_living(stage, ask, living.as_ref()).await } else { (answer, again) };
    let needed = match (scenario.next, again) {
        (_, false) => "same",
        (Next::Forced, true) => "forced reconnect",
        (_, true) => "reconnect",
    };
    (answer, needed)
}

/// The answer, and whether it took another connection than the one that lived before.
async fn on_the_living(stage: &Stage, ask: Ask, living: Option<&Arc<Connection>>) -> (Result<Answer, PortError>, bool) {
    match stage.connection().await {
        Ok(connection) => {
            let answer = stage.ask_patiently(&connection, ask).await;
            let now = connection.current();
            let again = living.is_none_or(|then| now.is_some_and(|now| !Arc::ptr_eq(then, &now)));
            (Ok(answer), again)
        }
        Err(error) => (Err(error), true),
    }
}

fn matches_expected(answer: &Answer, expected: &Expected) -> bool {
    let text = answer.value.to_string();
    answer.code.map(Code::as_str) == expected.code
        && expected.holds.iter().all(|part| text.contains(part))
        && expected.lacks.iter().all(|part| !text.contains(part))
}

fn judge_answers(report: &mut Report, expected: &Answers, given: &[String]) {
    let right = match expected {
        Answers::Exactly(answers) => given == answers,
        Answers::All(ending) => !given.is_empty() && given.iter().all(|answer| answer.ends_with(ending)),
    };
    report.expect(right, || format!("answered {:?}, not {expected:?}", &given[..given.len().min(3)]));
}

fn shown(answer: &Result<Answer, PortError>) -> String {
    match answer {
        Ok(Answer { code: Some(code), .. }) => code.as_str().to_owned(),
        Ok(answer) if matches_expected(answer, &Expected::fine()) => "fine".to_owned(),
        Ok(answer) if answer.value.get("notes").is_some() => {
            let notes = answer.value["notes"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let text: Vec<&str> = notes.collect();
            format!("{} items; {}", answer.value["total"], text.join("; ")).chars().take(SHOWN_CHARS).collect()
        }
        Ok(answer) => answer.value.to_string().chars().take(SHOWN_CHARS).collect(),
        Err(error) => error.code().as_str().to_owned(),
    }
}

fn whole(answer: &Result<Answer, PortError>) -> String {
    let text = match answer {
        Ok(answer) => answer.value.to_string(),
        Err(error) => format!("{}: {error}", error.code()),
    };
    text.chars().take(600).collect()
}
