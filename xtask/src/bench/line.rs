//! What a bench prints: one line a bar and size. It knows no bench.

use anyhow::{Context, Result};

/// What every line begins with.
pub(super) const MARK: &str = "bar\t";

/// One measurement.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    /// What was measured.
    pub(super) name: String,
    /// How much of it.
    pub(super) size: f64,
    /// The unit of that.
    pub(super) of: String,
    /// What it took.
    pub(super) ours: f64,
    /// What it cannot be below, measured in the same run.
    pub(super) floor: Option<f64>,
    /// The unit of both.
    pub(super) unit: String,
    /// The most that it should take: times the floor, or where there is none, so many units.
    pub(super) reach: Option<f64>,
}

impl Line {
    /// A line of one size without a floor.
    pub(super) fn absolute(name: &str, ours: f64, unit: &str, reach: f64) -> Self {
        let (name, of, unit) = (name.to_owned(), String::new(), unit.to_owned());
        Self { name, size: 1.0, of, ours, floor: None, unit, reach: Some(reach) }
    }

    /// Reads `bar`, name, size, unit of the size, ours, floor or `-`, unit, reach or `-`, with tabs between.
    pub(super) fn parse(line: &str) -> Result<Self> {
        let wrong = || format!("`{line}` is no line of a bar");
        let cells: Vec<&str> = line.split('\t').collect();
        let [_, name, size, of, ours, floor, unit, reach] = cells.as_slice() else {
            anyhow::bail!(wrong());
        };
        let number = |cell: &str| cell.parse::<f64>().with_context(wrong);
        let optional = |cell: &str| if cell == "-" { Ok(None) } else { number(cell).map(Some) };
        Ok(Self {
            name: (*name).to_owned(),
            size: number(size)?,
            of: (*of).to_owned(),
            ours: number(ours)?,
            floor: optional(floor)?,
            unit: (*unit).to_owned(),
            reach: optional(reach)?,
        })
    }

    /// How many times the floor it took.
    pub(super) fn ratio(&self) -> Option<f64> {
        self.floor.filter(|floor| *floor > 0.0).map(|floor| self.ours / floor)
    }

    /// Whether the bar is reached; `None` when there is none.
    pub(super) fn reached(&self) -> Option<bool> {
        let took = if self.floor.is_some() { self.ratio()? } else { self.ours };
        self.reach.map(|reach| took <= reach)
    }
}

/// The exponent of the growth over sizes: 1 is linear. The slope of a straight line through the logarithms.
pub(super) fn exponent(lines: &[&Line]) -> Option<f64> {
    let points: Vec<(f64, f64)> = lines
        .iter()
        .filter(|line| line.size > 0.0 && line.ours > 0.0)
        .map(|line| (line.size.ln(), line.ours.ln()))
        .collect();
    if points.len() < 3 {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "a handful of points")]
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
    let above: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let below: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    (below > 0.0).then(|| above / below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_and_judged_by_its_floor() {
        let line = Line::parse("bar\tfilter, literal\t100\tbytes\t3.0\t2.0\tms\t2").unwrap();
        assert_eq!((line.ratio(), line.reached()), (Some(1.5), Some(true)));
        let line = Line::parse("bar\tcoyote --version\t1\tstart\t12\t-\tms\t10").unwrap();
        assert_eq!((line.ratio(), line.reached()), (None, Some(false)));
        let line = Line::parse("bar\tpage\t1\tbytes\t12\t3\tms\t-").unwrap();
        assert_eq!((line.ratio(), line.reached()), (Some(4.0), None));
    }

    #[test]
    fn a_line_that_is_none_is_an_error_that_shows_it() {
        for line in ["bar\tx", "bar\tx\t1\tb\tmuch\t1\tms\t2", "bar\tx\t1\tb\t1\t1\tms\t2\t3"] {
            assert!(Line::parse(line).unwrap_err().to_string().contains("is no line of a bar"), "{line}");
        }
    }

    #[test]
    fn the_exponent_of_a_line_is_1_of_a_square_2_and_of_a_constant_0() {
        let of = |cost: fn(f64) -> f64| {
            let lines = [4.0, 16.0, 64.0].map(|size| Line { size, ..Line::absolute("x", cost(size), "ms", 1.0) });
            let lines: Vec<&Line> = lines.iter().collect();
            (exponent(&lines).unwrap() * 1000.0).round()
        };
        assert_eq!((of(|size| 3.0 * size), of(|size| size * size), of(|_| 5.0)), (1000.0, 2000.0, 0.0));
        assert_eq!(exponent(&[]), None);
    }
}
