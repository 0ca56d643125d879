//! The selection tests of design §9, with S2 in place of its pin on a beginning of names.

use super::*;
use mcp_catalog::McpServerFeatures;
use mcp_meta::declare;

fn server(name: &str) -> ServerName {
    ServerName::new(name).unwrap()
}

fn features(name: &str, tools: bool, resources: bool, prompts: bool) -> McpServerFeatures {
    McpServerFeatures { name: server(name), tools, resources, prompts, instructions: None }
}

/// `full` has everything, `books` only resources, `tool` only tools.
fn declared() -> Declarations {
    declare(
        &[
            features("full", true, true, true),
            features("books", false, true, false),
            features("tool", true, false, false),
        ],
        &[],
    )
}

fn mapping(pairs: &[(&str, &str)]) -> Aliases {
    pairs.iter().map(|(alias, members)| ((*alias).to_owned(), vec![(*members).to_owned()])).collect()
}

fn selected(chosen: &Chosen, aliases: &[(&str, &str)]) -> Vec<String> {
    let known = [server("full"), server("books"), server("tool")];
    let enabled = expand_names(chosen, &known, &known, &mapping(aliases));
    select_enabled_mcp_servers(&enabled.servers, &declared()).into_iter().map(|declared| declared.name).collect()
}

const TOOLS: [&str; 4] = ["fs_cat", "fs_ls", "mcp_reader", "mcp_read_full"];

fn tools(setting: &str, aliases: &[(&str, &str)]) -> EnabledTools {
    let aliases = aliases
        .iter()
        .map(|(alias, members)| ((*alias).to_owned(), members.split(',').map(str::to_owned).collect::<Vec<_>>()));
    select_enabled_functions(&Chosen::of(setting), TOOLS, &aliases.collect())
}

#[test]
fn a_chosen_server_keeps_all_its_meta_functions() {
    assert_eq!(selected(&Chosen::of("full"), &[]), mcp_meta_function_names(&server("full")));
}

#[test]
fn a_server_with_resources_alone_survives_the_selection() {
    assert_eq!(selected(&Chosen::of("books"), &[]), ["mcp_search_books", "mcp_describe_books", "mcp_read_books"]);
}

#[test]
fn an_alias_of_servers_selects_all_functions_of_each() {
    let mut both = selected(&Chosen::of("tool"), &[]);
    both.extend(mcp_meta_function_names(&server("full")));
    assert_eq!(selected(&Chosen::of("work"), &[("work", " tool , full")]), both);
}

#[test]
fn absent_servers_are_all_null_is_none_and_unknown_ones_select_nothing() {
    let all: Vec<String> = declared().functions.into_iter().map(|declared| declared.name).collect();
    assert_eq!(selected(&Chosen::Unset, &[]), all);
    assert_eq!(selected(&Chosen::of("all"), &[]), all);
    assert_eq!(selected(&Chosen::Null, &[]), [""; 0]);
    assert_eq!(selected(&Chosen::of("gone"), &[]), [""; 0]);
}

#[test]
fn a_server_that_is_not_connected_selects_nothing() {
    assert_eq!(select_enabled_mcp_servers(&[server("starting")], &declared()), []);
}

#[test]
fn local_tools_are_chosen_by_name_alias_and_script() {
    assert_eq!(tools("fs_ls, fs_cat.sh, fs_ls", &[]).names, ["fs_ls", "fs_cat"]);
    assert_eq!(tools("fs", &[("fs", "fs_cat.sh, fs_ls")]).names, ["fs_cat", "fs_ls"]);
    assert_eq!(tools("fs_ls", &[("fs_ls", "fs_cat")]).names, ["fs_ls"], "a literal name comes first");
    assert_eq!(tools("a", &[("a", "b,fs_ls"), ("b", "a")]).names, ["fs_ls"]);
    assert_eq!(tools("all", &[]).names, ["fs_cat", "fs_ls", "mcp_reader"]);
    assert_eq!(
        tools("nope, nope, fs_ls.", &[]),
        EnabledTools { names: vec!["fs_ls".to_owned()], unknown: vec!["nope".to_owned()] }
    );
}

#[test]
fn absent_and_null_enable_no_local_tool() {
    for chosen in [Chosen::Unset, Chosen::Null, Chosen::of("")] {
        assert_eq!(select_enabled_functions(&chosen, TOOLS, &Aliases::new()), EnabledTools::default(), "{chosen:?}");
    }
}

#[test]
fn a_meta_function_is_no_local_tool_even_when_it_is_named() {
    assert_eq!(tools("mcp_read_full, mcp_reader", &[]).names, ["mcp_reader"]);
}

#[test]
fn list_tools_hides_exactly_the_meta_functions() {
    let names = ["fs_cat", "mcp_reader", "mcp_bogus_x", "mcp_read_", "mcp_read_x", "mcp_prompt_x", "mcp_invoke_x"];
    assert_eq!(concrete_tool_names(names), ["fs_cat", "mcp_reader", "mcp_bogus_x", "mcp_read_"]);
}

#[test]
fn the_two_pools_never_mix() {
    for setting in ["all", "full, fs_cat, mcp_read_full", "mcp_reader, books", "mcp_search_tool, x", ""] {
        let chosen = Chosen::of(setting);
        let tools = select_enabled_functions(&chosen, TOOLS, &Aliases::new());
        assert!(!tools.names.iter().any(|name| is_mcp_meta_function(name)), "{setting}");
        assert!(selected(&chosen, &[]).iter().all(|name| is_mcp_meta_function(name)), "{setting}");
    }
}
