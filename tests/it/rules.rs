//! Every risk of the design and every rule of the contracts, with its proof (style.md 24).
//!
//! It proves nothing itself. `cargo xtask tidy` reads the table and fails when a rule has no row, when a row names no test,
//! or when a named test does not exist anywhere in the workspace or is ignored. A name is a test function's; `doc:PATH`
//! stands for the examples in the documentation of that file.

use Proof::{Accepted, Later, Tests};

/// What proves a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Proof {
    /// Tests that fail when the rule is broken.
    Tests(&'static [&'static str]),
    /// The issue that brings the tests.
    Later(u32),
    /// Why nothing has to hold.
    Accepted(&'static str),
}

/// R1–R15, then S1–S47.
const RULES: &[(&str, Proof)] = &[
    ("R1", Tests(&[])),
    ("R2", Tests(&[])),
    ("R3", Tests(&[])),
    ("R4", Tests(&[])),
    ("R5", Later(5)),
    ("R6", Tests(&[])),
    (
        "R7",
        Accepted("Inline base64 helps a context without files no more than a path does; text is paged and filtered"),
    ),
    ("R8", Accepted("A listing is asked for per call and bounded by S11; a cache would be a feature, not a repair")),
    ("R9", Tests(&[])),
    ("R10", Accepted("There are no background jobs; every meta-function is one bounded request in the foreground")),
    (
        "R11",
        Tests(&[
            "every_prefix_of_the_table_is_looked_for",
            "a_literal_of_any_kind_is_found",
            "a_literal_among_the_arguments_of_a_macro_is_found",
            "pieces_that_make_a_prefix_are_found",
            "a_beginning_that_waits_for_its_verb_is_found",
            "a_constant_that_is_compared_is_found",
            "a_constant_that_is_stripped_or_replaced_is_found",
            "a_constant_that_is_formatted_is_found",
            "xtask_is_audited_like_everybody_else",
        ]),
    ),
    ("R12", Later(4)),
    ("R13", Later(6)),
    ("R14", Later(6)),
    ("R15", Tests(&[])),
    ("S1", Tests(&[])),
    ("S2", Tests(&[])),
    ("S3", Tests(&[])),
    ("S4", Tests(&[])),
    ("S5", Tests(&[])),
    ("S6", Tests(&[])),
    ("S7", Tests(&[])),
    ("S8", Tests(&[])),
    ("S9", Tests(&[])),
    ("S10", Tests(&[])),
    ("S11", Tests(&[])),
    ("S12", Tests(&[])),
    ("S13", Tests(&[])),
    ("S14", Tests(&[])),
    ("S15", Later(3)),
    ("S16", Tests(&[])),
    ("S17", Tests(&[])),
    ("S18", Tests(&[])),
    ("S19", Tests(&[])),
    ("S20", Tests(&[])),
    ("S21", Tests(&[])),
    ("S22", Tests(&[])),
    ("S23", Tests(&[])),
    ("S24", Tests(&[])),
    ("S25", Tests(&[])),
    ("S26", Tests(&[])),
    ("S27", Tests(&[])),
    ("S28", Tests(&[])),
    ("S29", Tests(&[])),
    ("S30", Tests(&[])),
    ("S31", Tests(&[])),
    ("S32", Tests(&[])),
    ("S33", Tests(&[])),
    ("S34", Tests(&[])),
    ("S35", Tests(&[])),
    ("S36", Tests(&[])),
    ("S37", Tests(&[])),
    ("S38", Tests(&[])),
    ("S39", Tests(&[])),
    ("S40", Later(4)),
    ("S41", Later(5)),
    ("S42", Later(6)),
    ("S43", Later(6)),
    ("S44", Later(6)),
    ("S45", Later(6)),
    ("S46", Tests(&[])),
    ("S47", Later(5)),
];

#[test]
fn the_table_has_every_rule_once_and_in_order() {
    let expected: Vec<String> = (1..=15).map(|n| format!("R{n}")).chain((1..=47).map(|n| format!("S{n}"))).collect();
    let found: Vec<&str> = RULES.iter().map(|(rule, _)| *rule).collect();
    assert_eq!(found, expected);
}

#[test]
fn every_proof_of_a_rule_says_something_once() {
    for (rule, proof) in RULES {
        match proof {
            Tests(names) => {
                let mut sorted = names.to_vec();
                sorted.sort_unstable();
                sorted.dedup();
                assert_eq!(sorted.len(), names.len(), "{rule} names a test twice");
            }
            Later(issue) => assert!(*issue > 0, "{rule} names no issue"),
            Accepted(reason) => assert!(reason.contains(' '), "{rule} gives no reason"),
        }
    }
}
