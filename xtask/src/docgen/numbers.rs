//! Numbers as a reader writes them: the value of a constant's expression, and its size or length in words.
//!
//! It evaluates literals, sums, products and shifts, and no name; what it cannot read is an error, never a guess.

use anyhow::{Context, Result, bail};
use std::time::Duration;
use syn::{BinOp, Expr};

/// The value of an expression made of whole numbers.
pub(super) fn whole(expr: &Expr) -> Result<u64> {
    match expr {
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. }) => Ok(number.base10_parse()?),
        Expr::Paren(inner) => whole(&inner.expr),
        Expr::Group(inner) => whole(&inner.expr),
        Expr::Binary(sum) => {
            let (left, right) = (whole(&sum.left)?, whole(&sum.right)?);
            let value = match sum.op {
                BinOp::Add(_) => left.checked_add(right),
                BinOp::Sub(_) => left.checked_sub(right),
                BinOp::Mul(_) => left.checked_mul(right),
                BinOp::Shl(_) => u32::try_from(right).ok().and_then(|shift| left.checked_shl(shift)),
                _ => bail!("an operator that is not read"),
            };
            value.context("out of range")
        }
        _ => bail!("not a number"),
    }
}

/// The value of `Duration::from_secs(…)` or `Duration::from_millis(…)`.
pub(super) fn duration(expr: &Expr) -> Result<Duration> {
    let Expr::Call(call) = expr else { bail!("not a call") };
    let Expr::Path(made) = call.func.as_ref() else { bail!("not a constructor") };
    let constructor = made.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
    let mut arguments = call.args.iter();
    let (Some(argument), None) = (arguments.next(), arguments.next()) else { bail!("not one argument") };
    let number = whole(argument)?;
    match constructor.as_str() {
        "from_secs" => Ok(Duration::from_secs(number)),
        "from_millis" => Ok(Duration::from_millis(number)),
        "from_mins" => Ok(Duration::from_secs(number.saturating_mul(60))),
        _ => bail!("`{constructor}` is not read"),
    }
}

/// `51,200 bytes (50 KiB)`.
pub(super) fn bytes(value: u64) -> String {
    let units = [(1_u64 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let short = units.into_iter().find(|(size, _)| value >= *size && value.is_multiple_of(*size));
    let short = short.map(|(size, unit)| format!(" ({} {unit})", value / size)).unwrap_or_default();
    format!("{} bytes{short}", grouped(value))
}

/// `30 s`, `250 ms`, `30 min`.
pub(super) fn time(value: Duration) -> String {
    let (seconds, millis) = (value.as_secs(), value.subsec_millis());
    if millis > 0 {
        return format!("{} ms", value.as_millis());
    }
    // Up to two minutes a reader thinks in seconds.
    if seconds > 120 && seconds.is_multiple_of(60) { format!("{} min", seconds / 60) } else { format!("{seconds} s") }
}

/// `1,048,576`.
pub(super) fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut shown = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}
