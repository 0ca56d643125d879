//! Every rule has its proof (style.md 24): `tests/it/rules.rs` maps each of R1–R15 and S1–S47 to tests, to the issue that
//! will bring them, or to the reason why the risk is accepted.
//!
//! It reads the table and runs nothing: that a named test exists and is not ignored is what can be known here; that it
//! passes is the business of `cargo test`.

use crate::finding::Finding;
use crate::tree::Tree;
use proofs::Proofs;
use std::collections::BTreeMap;
use syn::spanned::Spanned;

mod proofs;
#[cfg(test)]
mod tests;

/// Where the table stands, and the root that must declare it.
const TABLE: &str = "tests/it/rules.rs";
const ROOT: &str = "tests/it/main.rs";
/// The risks of the design, R1 to this.
const RISKS: usize = 15;
/// The rules of the contracts, S1 to this.
const CONTRACTS: usize = 47;
/// The shortest reason that says something.
const REASON_WORDS: usize = 4;
const ROW: &str =
    "Write `(\"S1\", Proof::Tests(&[\"name_of_a_test\"]))`, `Proof::Later(issue)` or `Proof::Accepted(\"reason\")`";

/// What a row says.
enum Proof {
    Tests(Vec<(String, usize)>),
    Later(u32),
    Accepted(String),
}

struct Row {
    rule: String,
    line: usize,
    proof: Proof,
}

/// Every rule without a proof, and every proof that is none.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let Some(source) = tree.source(TABLE) else {
        return vec![Finding::new(TABLE, 1, "The table of rules is missing (style.md 24)", ROW)];
    };
    let table = source.ast.items.iter().find_map(|item| match item {
        syn::Item::Const(item) if item.ident == "RULES" => Some(item.expr.as_ref()),
        _ => None,
    });
    let Some(elements) = table.and_then(elements) else {
        return vec![Finding::new(TABLE, 1, "There is no `const RULES: &[(&str, Proof)] = &[…]` (style.md 24)", ROW)];
    };
    let mut findings = Vec::new();
    let mut rows = Vec::new();
    for element in elements {
        match row(element) {
            Some(row) => rows.push(row),
            None => findings.push(Finding::new(TABLE, element.span().start().line, "This is no row of the table", ROW)),
        }
    }
    findings.extend(missing(&rows));
    let proofs = Proofs::of(tree);
    findings.extend(rows.iter().flat_map(|row| broken(row, &proofs)));
    findings.extend(undeclared(tree));
    findings
}

/// Rules without a row, rows without a rule, and rules with two rows.
fn missing(rows: &[Row]) -> Vec<Finding> {
    let mut seen: BTreeMap<String, usize> = expected().map(|rule| (rule, 0)).collect();
    let mut findings = Vec::new();
    for row in rows {
        match seen.get_mut(&row.rule) {
            None => findings.push(Finding::new(
                TABLE,
                row.line,
                format!("`{}` is no rule", row.rule),
                "The rules are R1–R15 and S1–S47",
            )),
            Some(count) => {
                *count += 1;
                if *count == 2 {
                    findings.push(Finding::new(TABLE, row.line, format!("`{}` has two rows", row.rule), "Join them"));
                }
            }
        }
    }
    let absent = expected().filter(|rule| seen.get(rule) == Some(&0));
    findings.extend(absent.map(|rule| Finding::new(TABLE, 1, format!("`{rule}` has no row (style.md 24)"), ROW)));
    findings
}

fn expected() -> impl Iterator<Item = String> {
    (1..=RISKS).map(|n| format!("R{n}")).chain((1..=CONTRACTS).map(|n| format!("S{n}")))
}

/// What is wrong with the proof of one row.
fn broken(row: &Row, proofs: &Proofs) -> Vec<Finding> {
    let finding = |line: usize, what: String, instead: &str| {
        Finding::new(TABLE, line, format!("`{}`: {what}", row.rule), instead)
    };
    match &row.proof {
        Proof::Tests(names) if names.is_empty() => {
            vec![finding(row.line, "no test is named".to_owned(), "Name the tests that fail when the rule is broken")]
        }
        Proof::Tests(names) => names
            .iter()
            .filter_map(|(name, line)| proofs.fault(name).map(|what| finding(*line, what, "Name a test that runs")))
            .collect(),
        Proof::Later(0) => {
            vec![finding(row.line, "there is no issue 0".to_owned(), "Name the issue that brings the tests")]
        }
        Proof::Accepted(reason) if reason.split_whitespace().count() < REASON_WORDS => {
            vec![finding(row.line, format!("`{reason}` is no reason"), "Say why nothing has to hold here")]
        }
        Proof::Later(_) | Proof::Accepted(_) => Vec::new(),
    }
}

/// The table has a test of its own, which runs only when the test binary declares the module.
fn undeclared(tree: &Tree) -> Option<Finding> {
    let root = tree.source(ROOT)?;
    let declared = root.ast.items.iter().any(|item| matches!(item, syn::Item::Mod(module) if module.ident == "rules"));
    (!declared)
        .then(|| Finding::new(ROOT, 1, "`mod rules;` is missing (style.md 24)", "Declare it, so that its test runs"))
}

fn elements(table: &syn::Expr) -> Option<impl Iterator<Item = &syn::Expr>> {
    match table {
        syn::Expr::Reference(reference) => match reference.expr.as_ref() {
            syn::Expr::Array(array) => Some(array.elems.iter()),
            _ => None,
        },
        _ => None,
    }
}

fn row(element: &syn::Expr) -> Option<Row> {
    let syn::Expr::Tuple(tuple) = element else { return None };
    let mut parts = tuple.elems.iter();
    let (Some(rule), Some(syn::Expr::Call(proof)), None) = (parts.next(), parts.next(), parts.next()) else {
        return None;
    };
    let syn::Expr::Path(variant) = proof.func.as_ref() else { return None };
    let mut arguments = proof.args.iter();
    let (Some(argument), None) = (arguments.next(), arguments.next()) else { return None };
    let proof = match variant.path.segments.last()?.ident.to_string().as_str() {
        "Tests" => Proof::Tests(
            elements(argument)?.map(|name| Some((string(name)?, name.span().start().line))).collect::<Option<_>>()?,
        ),
        "Later" => Proof::Later(number(argument)?),
        "Accepted" => Proof::Accepted(string(argument)?),
        _ => return None,
    };
    Some(Row { rule: string(rule)?, line: element.span().start().line, proof })
}

fn string(expr: &syn::Expr) -> Option<String> {
    match expr {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}

fn number(expr: &syn::Expr) -> Option<u32> {
    match expr {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. }) => number.base10_parse().ok(),
        _ => None,
    }
}
