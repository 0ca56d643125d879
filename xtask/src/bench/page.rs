//! The table of bars, and the page that holds it.

use super::line::{Line, exponent};
use std::fmt::Write;

/// One row a measurement, in the order of the benches. The largest size of a name tells how the cost grows.
pub(super) fn table(lines: &[Line]) -> String {
    let mut text = String::from(
        "| what | size | measured | floor | ratio | bar | | grows as |\n|---|---|---|---|---|---|---|---|\n",
    );
    for (place, line) in lines.iter().enumerate() {
        let same: Vec<&Line> =
            lines.iter().filter(|other| (&other.name, &other.unit) == (&line.name, &line.unit)).collect();
        let last =
            lines.iter().rposition(|other| (&other.name, &other.unit) == (&line.name, &line.unit)) == Some(place);
        let grows = exponent(&same).filter(|_| last).map(|exponent| format!("n^{exponent:.2}")).unwrap_or_default();
        let unit = &line.unit;
        let bar = match (line.reach, line.floor) {
            (Some(reach), Some(_)) => format!("≤ {reach}"),
            (Some(reach), None) => format!("≤ {reach} {unit}"),
            (None, _) => String::new(),
        };
        let judged = match line.reached() {
            Some(true) => "reached",
            Some(false) => "**missed**",
            None => "",
        };
        let floor = line.floor.map(|floor| format!("{floor:.1} {unit}")).unwrap_or_default();
        let ratio = line.ratio().map(|ratio| format!("{ratio:.2}")).unwrap_or_default();
        let (name, ours, size) = (&line.name, line.ours, size(line));
        // Writing to a string does not fail.
        let _ =
            writeln!(text, "| {name} | {size} | {ours:.1} {unit} | {floor} | {ratio} | {bar} | {judged} | {grows} |");
    }
    text
}

/// The page.
pub(super) fn whole(machine: &str, table: &str) -> String {
    format!(
        "<!-- Written by `cargo xtask bench`; do not edit. -->\n\n# Performance\n\nMeasured on: {machine}. CPU or wall time, the \
         shortest of some rounds; a floor is the least that\nany program must do for the same work, measured in the same run. \
         What counts is the ratio.\n\n{table}"
    )
}

fn size(line: &Line) -> String {
    match line.of.as_str() {
        "" => String::new(),
        "bytes" if line.size >= 1_048_576.0 => format!("{:.1} MiB", line.size / 1_048_576.0),
        "bytes" => format!("{:.0} KiB", line.size / 1024.0),
        of => format!("{:.0} {of}", line.size),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_sets_each_measurement_beside_its_bar_and_its_growth() {
        let lines = [
            "bar\tfilter\t1048576\tbytes\t3.0\t2.0\tms\t2",
            "bar\tfilter\t4194304\tbytes\t12.0\t8.0\tms\t2",
            "bar\tfilter\t16777216\tbytes\t48.0\t16.0\tms\t2",
            "bar\tstart\t1\tstart\t5.0\t-\tms\t10",
            "bar\ttime\t1\titems\t5.0\t4.0\tms\t-",
        ]
        .map(|line| Line::parse(line).unwrap());
        let expected = "\
            | what | size | measured | floor | ratio | bar | | grows as |\n\
            |---|---|---|---|---|---|---|---|\n\
            | filter | 1.0 MiB | 3.0 ms | 2.0 ms | 1.50 | ≤ 2 | reached |  |\n\
            | filter | 4.0 MiB | 12.0 ms | 8.0 ms | 1.50 | ≤ 2 | reached |  |\n\
            | filter | 16.0 MiB | 48.0 ms | 16.0 ms | 3.00 | ≤ 2 | **missed** | n^1.00 |\n\
            | start | 1 start | 5.0 ms |  |  | ≤ 10 ms | reached |  |\n\
            | time | 1 items | 5.0 ms | 4.0 ms | 1.25 |  |  |  |\n";
        assert_eq!(table(&lines), expected);
    }
}
