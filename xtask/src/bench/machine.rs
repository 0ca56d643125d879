//! Where and when figures were taken, in a line. What the system does not tell is left out.

use std::{fs, process::Command, thread};

/// Processor, cores, compiler, day.
pub(super) fn describe() -> String {
    let cores = thread::available_parallelism().map(|cores| format!("{cores} cores")).unwrap_or_default();
    let parts = [
        processor().unwrap_or_default(),
        cores,
        first_line("rustc", &["--version"]),
        first_line("date", &["+%Y-%m-%d"]),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

fn processor() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn first_line(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&output).lines().next().unwrap_or_default().to_owned()
}
