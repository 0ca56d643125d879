//! Declarations: order, collisions, the server's own words (S3, S8).

use super::*;
use mcp_catalog::Capabilities;

fn features(key: &str, declared: Capabilities) -> McpServerFeatures {
    McpServerFeatures::of(ServerName::new(key).unwrap(), &mcp_catalog::Handshake::of(declared))
}

fn all(key: &str) -> McpServerFeatures {
    features(key, Capabilities { tools: true, resources: true, prompts: true, completions: false })
}

fn names(declared: &Declarations) -> Vec<&str> {
    declared.functions.iter().map(|declared| declared.name.as_str()).collect()
}

#[test]
fn functions_stand_in_order_of_servers_then_of_verbs() {
    let tools_only = features("a", Capabilities { tools: true, ..Capabilities::default() });
    let declared = declare(&[all("b"), tools_only], &[]);
    let expected = [
        "mcp_invoke_b",
        "mcp_search_b",
        "mcp_describe_b",
        "mcp_read_b",
        "mcp_prompt_b",
        "mcp_invoke_a",
        "mcp_search_a",
        "mcp_describe_a",
    ];
    assert_eq!(names(&declared), expected);
    assert_eq!(declared.warnings, Vec::<String>::new());
    assert_eq!(declared.names(Verb::Search).collect::<Vec<_>>(), ["mcp_search_b", "mcp_search_a"]);
}

#[test]
fn a_users_own_tool_keeps_its_name_and_the_function_is_skipped_with_a_warning_naming_both() {
    let declared = declare(&[all("docs")], &["fs_cat", "mcp_read_docs"]);
    assert_eq!(names(&declared), ["mcp_invoke_docs", "mcp_search_docs", "mcp_describe_docs", "mcp_prompt_docs"]);
    insta::assert_snapshot!(declared.warnings.join("\n"), @"Function `mcp_read_docs` of server `docs` is skipped: your own tool `mcp_read_docs` has its name; rename the tool or the server");
}

#[test]
fn the_second_of_two_keys_with_one_name_is_skipped_with_a_warning_naming_both() {
    let odd = all("my server");
    let namesake = all(&odd.name.slug());
    let declared = declare(&[odd.clone(), namesake, all("docs")], &[]);
    assert_eq!(declared.functions.len(), 10);
    assert_eq!(declared.get("mcp_read_my_server_b129874b").map(|read| &read.server), Some(&odd.name));
    insta::assert_snapshot!(declared.warnings.join("\n"), @"Server `my_server_b129874b` is skipped: its functions would have the names of those of server `my server`; rename one of them");
}

#[test]
fn a_server_given_twice_is_declared_once_without_a_warning() {
    let declared = declare(&[all("docs"), all("docs")], &[]);
    assert_eq!((declared.functions.len(), declared.warnings.len()), (5, 0));
}

#[test]
fn the_servers_own_words_end_the_search_description_and_no_other() {
    let mut features = all("docs");
    features.instructions = Some(format!("Search before you read. {}", "é".repeat(1000)));
    let declared = declare(&[features], &[]);
    let label = "\n\nThe server's own words: ";
    for function in &declared.functions {
        assert_eq!(function.description.contains(label), function.verb == Verb::Search, "{}", function.name);
    }
    let search = declared.get("mcp_search_docs").unwrap();
    let (_ours, theirs) = search.description.split_once(label).unwrap();
    assert!(theirs.starts_with("Search before you read. é") && theirs.ends_with('…'), "{theirs}");
    assert!((1020..=1024).contains(&theirs.len()), "{}", theirs.len());
}

#[test]
fn blank_instructions_are_not_quoted() {
    let mut features = all("docs");
    features.instructions = Some(" \n".to_owned());
    assert_eq!(declare(&[features], &[]), declare(&[all("docs")], &[]));
}

#[test]
fn a_declaration_is_written_with_name_description_and_parameters_only() {
    let declared = declare(&[all("docs")], &[]);
    let value = declared.functions[0].to_value();
    let keys: Vec<&String> = value.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["name", "description", "parameters"]);
}
