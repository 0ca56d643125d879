//! The program: `hostile-server --<scenario> [--diary FILE] [--port N]`.

use super::{
    Scenario, Transport,
    diary::{Diary, Pen},
    play::{DEAF_TO_SIGNALS, HEIR, Stage},
    scenarios, web,
};
use anyhow::{Context, bail};
use std::{
    env,
    path::{Path, PathBuf},
    process::ExitCode,
    thread,
    time::Duration,
};

/// A server ends after this time whatever happens, so that no failed test leaves one behind.
const LIFETIME: Duration = Duration::from_mins(1);

/// Runs the program.
pub fn main() -> anyhow::Result<ExitCode> {
    let mut wanted = None;
    let mut diary = None;
    let mut port = 0;
    let mut args = env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--list" => {
                let names: Vec<String> = scenarios().iter().map(|row| format!("--{}\n", row.label())).collect();
                print!("{}", names.concat());
                return Ok(ExitCode::SUCCESS);
            }
            HEIR => {
                thread::sleep(LIFETIME);
                return Ok(ExitCode::SUCCESS);
            }
            DEAF_TO_SIGNALS => {}
            "--diary" => diary = Some(PathBuf::from(args.next().context("`--diary` takes a path")?)),
            "--port" => port = args.next().context("`--port` takes a number")?.parse()?,
            flag => wanted = Some(scenario(flag)?),
        }
    }
    let scenario =
        wanted.context("Usage: hostile-server --<scenario> [--diary FILE] [--port N]; `--list` names the scenarios")?;
    serve(scenario, diary.as_deref(), port)
}

fn scenario(flag: &str) -> anyhow::Result<Scenario> {
    let name = flag.strip_prefix("--").unwrap_or(flag);
    let Some(found) = scenarios().into_iter().find(|row| row.label() == name) else {
        bail!("`{flag}` is no scenario; `--list` names them");
    };
    Ok(found)
}

fn serve(scenario: Scenario, diary: Option<&Path>, port: u16) -> anyhow::Result<ExitCode> {
    let own = std::process::id();
    let earlier = diary.map(Diary::read).transpose()?.unwrap_or_default();
    let mut pen = Pen::new(diary)?;
    // A program that replaced itself is the same process.
    let second_life = earlier.processes.iter().any(|process| *process != own);
    if !earlier.processes.contains(&own) {
        pen.process(own)?;
    }
    let plays = if second_life { Vec::new() } else { scenario.plays };
    let (ended, end) = std::sync::mpsc::channel();
    thread::spawn(move || {
        // The client may be gone, which ends the show as well as anything.
        let _ = ended.send(match scenario.transport {
            Transport::Stdio => Stage::new(plays, pen).run(),
            Transport::Http => web::run(plays, pen, port),
        });
    });
    match end.recv_timeout(LIFETIME) {
        Ok(Ok(status)) => Ok(status),
        Ok(Err(_)) => Ok(ExitCode::FAILURE),
        Err(_) => Ok(ExitCode::from(9)),
    }
}
