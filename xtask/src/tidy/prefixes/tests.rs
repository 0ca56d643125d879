//! One seeded violation of each shape in which R11 can be broken, and what must stay free.

use super::*;

/// A home with its constants, as `mcp-meta` has them.
const NAME_RS: &str = "
    pub const MCP_META_FUNCTION_PREFIXES: [&str; 2] = { let [a, b] = Verb::ALL; [prefix(a), prefix(b)] };
    const MCP_READ_PREFIX: &str = prefix(Verb::Read);
    const READING: &str = \"mcp_read\";
    impl Verb { pub const fn prefix(self) -> &'static str { MCP_READ_PREFIX } }
    fn own_prefix() -> &'static str { MCP_READ_PREFIX }
";

fn found(path: &str, text: &str) -> Vec<Finding> {
    check(&Tree::of(&[(HOME, NAME_RS), (path, text)]), &mcp_meta::MCP_META_FUNCTION_PREFIXES)
}

/// The findings of one statement in the host.
fn seeded(statement: &str) -> Vec<Finding> {
    found("crates/coyote-integration/src/eval.rs", &format!("fn f() {{\n    {statement}\n}}"))
}

/// Asserts that the statement is found once, at its line, as `what`, with an advice that names `instead`.
fn is_found(statement: &str, what: &str, instead: &str) {
    let findings = seeded(statement);
    let [finding] = findings.as_slice() else { panic!("{statement}: {findings:?}") };
    assert_eq!((finding.path.as_str(), finding.line), ("crates/coyote-integration/src/eval.rs", 2), "{statement}");
    assert_eq!(finding.what, format!("{what} (R11)"), "{statement}");
    assert!(finding.instead.contains(instead), "{statement}: {finding}");
}

const HELD: &str = ", outside the table";
const COMPARED: &str = ", and a name is compared with it by hand";
const STRIPPED: &str = ", and a name is stripped by hand";
const REPLACED: &str = ", and a name is replaced by hand, which corrupts one that holds it twice";
const FORMATTED: &str = ", and a name is formatted by hand";

#[test]
fn every_prefix_of_the_table_is_looked_for() {
    for prefix in mcp_meta::MCP_META_FUNCTION_PREFIXES {
        is_found(
            &format!("let a = \"{prefix}_docs\";"),
            &format!("a string literal holds `{prefix}`{HELD}"),
            "MetaName::of",
        );
    }
}

#[test]
fn a_literal_of_any_kind_is_found() {
    let kinds = [
        "\"mcp_read_docs\"",
        "r\"mcp_read\"",
        "r#\"call \"mcp_read\" now\"#",
        "b\"mcp_read\"",
        "br\"mcp_read\"",
        "c\"mcp_read\"",
        "\"mcp\\u{5f}read\"",
        "\"mcp_\\\n        read\"",
    ];
    for literal in kinds {
        is_found(
            &format!("let a = {literal};"),
            &format!("a string literal holds `mcp_read`{HELD}"),
            "mcp_meta::route",
        );
    }
}

#[test]
fn a_literal_in_a_constant_an_attribute_or_a_pattern_is_found() {
    let texts = [
        "const PREFIX: &str = \"mcp_read\";",
        "#[serde(rename = \"mcp_read\")] struct A;",
        "fn f() { match name { \"mcp_read\" => {} _ => {} } }",
        "#[cfg(not(test))] static A: [&str; 1] = [\"mcp_read\"];",
    ];
    for text in texts {
        let findings = found("crates/mcp-catalog/src/a.rs", text);
        assert_eq!(findings.len(), 1, "{text}: {findings:?}");
        assert!(findings[0].what.starts_with("a string literal holds `mcp_read`"), "{text}");
    }
}

#[test]
fn a_literal_among_the_arguments_of_a_macro_is_found() {
    is_found(
        "tracing::warn!(\"no mcp_read_{server}\");",
        &format!("a string literal holds `mcp_read`{FORMATTED}"),
        "MetaName::of",
    );
    is_found(
        "ours! { deep { [ \"mcp_read\" ] } }",
        &format!("a string literal holds `mcp_read`{HELD}"),
        "MetaName::of",
    );
    is_found(
        "json!({\"name\": \"mcp_read_docs\"});",
        &format!("a string literal holds `mcp_read`{HELD}"),
        "MetaName::of",
    );
}

#[test]
fn pieces_that_make_a_prefix_are_found() {
    let pieces = format!("make `mcp_read`{FORMATTED}");
    is_found("let a = concat!(\"mcp\", \"_read\");", &format!("the pieces of this `concat!` {pieces}"), "MetaName::of");
    is_found(
        "let a = concat!(\"mcp\", concat!(\"_\", \"read\"), \"_\");",
        &format!("the pieces of this `concat!` {pieces}"),
        "MetaName::of",
    );
    is_found(
        "let a = [\"mcp\", \"read\", server].join(\"_\");",
        &format!("the pieces of this join {pieces}"),
        "MetaName::of",
    );
    is_found("let a = [\"mcp\", \"_read\"].concat();", &format!("the pieces of this join {pieces}"), "MetaName::of");
    is_found(
        "let a = \"mcp\".to_owned() + \"_read\";",
        &format!("the pieces of this sum make `mcp_read`{FORMATTED}"),
        "MetaName::of",
    );
    is_found(
        "let a = format!(\"{}_{}_{}\", \"mcp\", \"read\", server);",
        &format!("the pieces of this format {pieces}"),
        "MetaName::of",
    );
    is_found(
        "write!(out, \"{0}_{verb}\", \"mcp\", verb = \"read\");",
        &format!("the pieces of this format {pieces}"),
        "MetaName::of",
    );
    is_found("let a = stringify!(mcp_read_docs);", &format!("`stringify!` spells `mcp_read`{HELD}"), "MetaName::of");
}

#[test]
fn a_beginning_that_waits_for_its_verb_is_found() {
    let begun = "a string literal holds the beginning `mcp_`";
    is_found("let a = format!(\"mcp_{verb}_{server}\");", &format!("{begun}{FORMATTED}"), "mcp_meta_function_names");
    is_found("let a = concat!(\"mcp_\", \"read\");", &format!("{begun}{FORMATTED}"), "MetaName::of");
    is_found("if name.starts_with(\"mcp_\") {}", &format!("{begun}{COMPARED}"), "is_mcp_meta_function");
    is_found("let a = name.strip_prefix(\"mcp_\");", &format!("{begun}{STRIPPED}"), "mcp_meta::route");
    is_found("a.push_str(\"mcp_\");", &format!("{begun}{FORMATTED}"), "MetaName::of");
    is_found(
        "let a = format!(\"{}_{}\", \"mcp\", verb);",
        &format!("the pieces of this format make `mcp_`{FORMATTED}"),
        "MetaName::of",
    );
    is_found(
        "if name.starts_with(\"mcp\") {}",
        &format!("a name is taken apart at `mcp`{COMPARED}"),
        "is_mcp_meta_function",
    );
}

#[test]
fn a_constant_that_is_compared_is_found() {
    let read = |name: &str| format!("`{name}` is read{COMPARED}");
    is_found("if name == MCP_READ_PREFIX {}", &read("MCP_READ_PREFIX"), "is_mcp_meta_function");
    is_found("if MCP_READ_PREFIX != name {}", &read("MCP_READ_PREFIX"), "is_mcp_meta_function");
    is_found("if name.starts_with(mcp_meta::MCP_READ_PREFIX) {}", &read("MCP_READ_PREFIX"), "is_mcp_meta_function");
    is_found(
        "if MCP_META_FUNCTION_PREFIXES[1] == name {}",
        &read("MCP_META_FUNCTION_PREFIXES"),
        "is_mcp_meta_function",
    );
    is_found(
        "let a = MCP_META_FUNCTION_PREFIXES.iter().any(|p| name.starts_with(p));",
        &read("MCP_META_FUNCTION_PREFIXES"),
        "is_mcp_meta_function",
    );
    is_found("if matches!(name, MCP_READ_PREFIX | \"x\") {}", &read("MCP_READ_PREFIX"), "is_mcp_meta_function");
    is_found("if name == READING {}", &read("READING"), "is_mcp_meta_function");
    is_found("if name.starts_with(Verb::Read.prefix()) {}", &read("prefix"), "is_mcp_meta_function");
}

#[test]
fn a_constant_that_is_stripped_or_replaced_is_found() {
    is_found(
        "let a = name.strip_prefix(MCP_READ_PREFIX);",
        &format!("`MCP_READ_PREFIX` is read{STRIPPED}"),
        "mcp_meta::route",
    );
    is_found(
        "let a = name.trim_start_matches(MCP_READ_PREFIX);",
        &format!("`MCP_READ_PREFIX` is read{STRIPPED}"),
        "MetaName::parse",
    );
    is_found(
        "let a = name.replace(MCP_READ_PREFIX, \"\");",
        &format!("`MCP_READ_PREFIX` is read{REPLACED}"),
        "mcp_meta::route",
    );
    is_found(
        "let a = name.replacen(\"mcp_read_\", \"\", 1);",
        &format!("a string literal holds `mcp_read`{REPLACED}"),
        "mcp_meta::route",
    );
    is_found(
        "let a = MCP_META_FUNCTION_PREFIXES.iter().find_map(|p| name.strip_prefix(p));",
        &format!("`MCP_META_FUNCTION_PREFIXES` is read{STRIPPED}"),
        "mcp_meta::route",
    );
}

#[test]
fn a_constant_that_is_formatted_is_found() {
    let read = format!("`MCP_READ_PREFIX` is read{FORMATTED}");
    is_found("let a = format!(\"{}_{}\", MCP_READ_PREFIX, server);", &read, "MetaName::of");
    is_found(
        "let a = format!(\"{MCP_READ_PREFIX}_{server}\");",
        &format!("a string literal captures `MCP_READ_PREFIX`{FORMATTED}"),
        "MetaName::of",
    );
    is_found("let a = [MCP_READ_PREFIX, server].join(\"_\");", &read, "mcp_meta_function_names");
    is_found("a.push_str(MCP_READ_PREFIX);", &read, "MetaName::of");
    is_found("let a = MCP_READ_PREFIX.to_owned() + server;", &read, "MetaName::of");
    is_found("let a = MCP_READ_PREFIX;", &format!("`MCP_READ_PREFIX` is read{HELD}"), "MetaName::of");
}

#[test]
fn the_table_of_the_real_home_is_known() {
    let home = include_str!("../../../../crates/mcp-meta/src/name.rs");
    let used = "fn f() { PREFIXES; MCP_META_FUNCTION_PREFIXES; }";
    let tree = Tree::of(&[(HOME, home), ("crates/coyote-integration/src/a.rs", used)]);
    let findings = check(&tree, &mcp_meta::MCP_META_FUNCTION_PREFIXES);
    let whats: Vec<&str> = findings.iter().map(|finding| finding.what.as_str()).collect();
    assert_eq!(whats, ["`MCP_META_FUNCTION_PREFIXES` is read, outside the table (R11)"]);
}

#[test]
fn a_constant_may_be_exported_under_its_own_name_only() {
    let path = "crates/mcp-meta/src/lib.rs";
    assert_eq!(found(path, "pub use name::{MCP_META_FUNCTION_PREFIXES, MetaName};"), []);
    let findings = found(path, "use name::MCP_READ_PREFIX as P;");
    assert_eq!(findings[0].what, format!("`MCP_READ_PREFIX` is renamed{HELD} (R11)"));
}

#[test]
fn the_home_tests_and_documentation_are_free() {
    let text = "fn f() { let a = \"mcp_read\"; }";
    for path in
        [HOME, "tests/it/a.rs", "tests/src/lib.rs", "crates/mcp-meta/src/verb/tests.rs", "crates/mcp-meta/tests/a.rs"]
    {
        assert_eq!(check(&Tree::of(&[(path, text)]), &mcp_meta::MCP_META_FUNCTION_PREFIXES), [], "{path}");
    }
    let free = "//! About mcp_read_docs.\n/// As `mcp_read`.\n#[doc = \"mcp_read\"]\nfn f() {} // mcp_read\n#[cfg(test)] mod t { const A: &str = \"mcp_read\"; }";
    assert_eq!(found("crates/mcp-meta/src/verb.rs", free), []);
}

#[test]
fn xtask_is_audited_like_everybody_else() {
    assert_eq!(found("xtask/src/docgen.rs", "fn f() { let a = \"mcp_read\"; }").len(), 1);
    assert_eq!(ALLOWED.len(), 2, "a new exception is a decision");
}

#[test]
fn names_that_only_look_alike_are_free() {
    let fine = [
        "let a = \"mcp_servers\";",
        "let a = \"mcp\";",
        "let a = mcp_render::respond();",
        "let a = mcp_read(server);",
        "let a = \"mcp-read\";",
        "let a = format!(\"{}_{}\", \"mcpx\", verb);",
        "let a = [\"mcp\", \"servers\"].join(\"_\");",
        "let a = name.split('_');",
        "builder.prefix(\"x\");",
        "let a = this.own_prefix();",
        "let prefixes = 1; let a = prefixes;",
        "let a = \"mcp: \".to_owned() + x;",
    ];
    for statement in fine {
        assert_eq!(seeded(statement), [], "{statement}");
    }
}
