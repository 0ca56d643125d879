//! Names: laws over every verb and any server key (S2, S3, R11).

use super::*;
use proptest::prelude::*;
use rstest::rstest;

fn server(key: &str) -> ServerName {
    ServerName::new(key).unwrap()
}

#[rstest]
#[case::no_server_part("mcp_read")]
#[case::empty_server_part("mcp_read_")]
#[case::a_users_own_tool("mcp_reader")]
#[case::a_users_own_tool_with_a_server_like_tail("mcp_reader_docs")]
#[case::a_bogus_verb("mcp_bogus_x")]
#[case::another_case("MCP_READ_docs")]
#[case::a_prefix_inside("my_mcp_read_docs")]
#[case::nothing("")]
fn a_name_without_prefix_and_server_part_is_no_meta_function(#[case] name: &str) {
    assert!(!is_mcp_meta_function(name));
}

#[test]
fn a_server_part_that_holds_a_prefix_is_kept_whole() {
    // `replace` would corrupt it (design §4.3).
    let name = MetaName::parse("mcp_read_mcp_read_docs").unwrap();
    assert_eq!((name.verb(), name.server_part()), (Verb::Read, "mcp_read_docs"));
}

#[test]
fn the_five_names_of_a_server_stand_in_the_tables_order() {
    let expected = ["mcp_invoke_docs", "mcp_search_docs", "mcp_describe_docs", "mcp_read_docs", "mcp_prompt_docs"];
    assert_eq!(mcp_meta_function_names(&server("docs")), expected);
}

#[test]
fn no_prefix_begins_another() {
    for (at, prefix) in MCP_META_FUNCTION_PREFIXES.into_iter().enumerate() {
        for (other_at, other) in MCP_META_FUNCTION_PREFIXES.into_iter().enumerate() {
            assert!(at == other_at || !other.starts_with(prefix), "{prefix} begins {other}");
        }
    }
}

#[test]
fn a_key_of_sixty_characters_gets_a_name_that_providers_accept() {
    // C69: two keys that share their first 51 characters stay apart.
    let (one, two) = (server(&format!("{}1", "k".repeat(59))), server(&format!("{}2", "k".repeat(59))));
    assert_eq!(MetaName::of(Verb::Describe, &one).to_string(), format!("mcp_describe_{}_cfae5287", "k".repeat(42)));
    assert_ne!(mcp_meta_function_names(&one), mcp_meta_function_names(&two));
}

proptest! {
    #[test]
    fn every_name_is_accepted_by_every_provider(key in ".{1,120}") {
        for name in mcp_meta_function_names(&server(&key)) {
            prop_assert!((1..=64).contains(&name.len()), "{}", name);
            prop_assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'), "{}", name);
        }
    }

    #[test]
    fn a_name_taken_apart_is_the_name_put_together(key in ".{1,80}", at in 0usize..5) {
        let (verb, server) = (Verb::ALL[at], server(&key));
        let name = MetaName::of(verb, &server);
        prop_assert_eq!(MetaName::parse(&name.to_string()), Some(name.clone()));
        let slug = server.slug();
        // A hostile key cannot leave the spill tree either (C67).
        prop_assert!(mcp_render::SpillDir::new(&slug).is_ok(), "{}", slug);
        prop_assert_eq!((name.verb(), name.server_part()), (verb, slug.as_str()));
    }
}
