//! Instruction counts, from the package `counts`: valgrind runs it and a runner prints what it counted.
//!
//! Both are tools that a machine may lack; then the counts are left out of the table, and it is said how to get them.

use super::line::Line;
use anyhow::{Context, Result, bail};
use std::{path::Path, process::Command};

/// The counts at each size, in the order of the package.
pub(super) fn lines(root: &Path) -> Result<Vec<Line>> {
    for (program, package) in [("valgrind", "valgrind"), ("gungraun-runner", "`cargo install gungraun-runner@0.20.0`")]
    {
        if Command::new(program).arg("--version").output().is_err() {
            eprintln!("note: no instructions are counted: `{program}` is not there; install {package}");
            return Ok(Vec::new());
        }
    }
    eprintln!("==> counts");
    let output = super::cargo(&["bench", "--quiet", "--manifest-path", "counts/Cargo.toml"])
        .current_dir(root)
        .env("NO_COLOR", "1")
        .output()
        .context("the instructions cannot be counted")?;
    if !output.status.success() {
        bail!("The counts ended with {}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    parse(&String::from_utf8_lossy(&output.stdout))
}

/// A head, `counts::counts::slice bytes_0:(work :: log(65_536))`, and below it `Instructions: 1986110|…`.
fn parse(text: &str) -> Result<Vec<Line>> {
    let mut lines = Vec::new();
    let mut head = None;
    for line in text.lines() {
        if let Some(counted) = line.trim_start().strip_prefix("Instructions:") {
            let count = counted.split('|').next().unwrap_or_default().trim();
            let line = head.take().and_then(|head| measured(head, count));
            lines.push(line.with_context(|| format!("`{counted}` is no count of a bench with a size"))?);
        } else if !line.starts_with(' ') {
            head = Some(line);
        }
    }
    if lines.is_empty() {
        bail!("The counts printed no count");
    }
    Ok(lines)
}

fn measured(head: &str, count: &str) -> Option<Line> {
    let (path, case) = head.split_once(' ')?;
    let (id, arguments) = case.split_once(':')?;
    let digits: String = arguments.chars().filter(char::is_ascii_digit).collect();
    Some(Line {
        name: format!("instructions, {}", path.rsplit("::").next()?),
        size: digits.parse().ok()?,
        of: id.split_once('_')?.0.to_owned(),
        // In thousands: a table of ten digits says less.
        ours: count.parse::<f64>().ok()? / 1e3,
        floor: None,
        unit: "k".to_owned(),
        reach: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_read_with_its_name_its_size_and_its_unit() {
        let text = "counts::counts::slice bytes_0:(work :: log(65_536))\n  Instructions:    1986110|N/A    (*)\n  L1 Hits:  2|N/A\n";
        let lines = parse(text).unwrap();
        let [line] = lines.as_slice() else { panic!("{lines:?}") };
        assert_eq!((line.name.as_str(), line.of.as_str()), ("instructions, slice", "bytes"));
        assert_eq!((line.size, line.ours, line.reached()), (65_536.0, 1986.11, None));
    }

    #[test]
    fn what_is_no_count_is_an_error() {
        assert!(parse("").is_err());
        assert!(parse("  Instructions:  12|N/A\n").is_err());
        assert!(parse("counts::counts::lex words\n  Instructions:  12|N/A\n").is_err());
    }
}
