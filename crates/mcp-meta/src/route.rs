//! From a function's name to a verb and a server, or to a refusal (R4, S6).
//!
//! The declared set alone decides: a name is taken apart only to say which functions there are in its place.

use crate::error::MetaError;
use crate::{Declarations, MetaName, Verb};
use mcp_catalog::ServerName;
use mcp_render::ErrorShape;

/// Routes a call. An undeclared name is refused with code `unsupported` and the declared names of that verb before any
/// server is asked; a name that is no meta-function ends in the invoke arm's refusal (design §9).
pub fn route(name: &str, declared: &Declarations) -> Result<(Verb, ServerName), ErrorShape> {
    if let Some(function) = declared.get(name) {
        return Ok((function.verb, function.server.clone()));
    }
    let verb = MetaName::parse(name).map_or(Verb::Invoke, |name| name.verb());
    let names: Vec<String> = declared.names(verb).map(str::to_owned).collect();
    let closest = mcp_catalog::closest(name, declared.functions.iter().map(|function| function.name.as_str()));
    Err(MetaError::Undeclared { name: name.to_owned(), verb, declared: names, closest }.to_shape())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare;
    use mcp_catalog::{Capabilities, Handshake, McpServerFeatures};
    use mcp_render::Code;
    use rstest::rstest;

    fn declared() -> Declarations {
        let features =
            |key: &str, declared| McpServerFeatures::of(ServerName::new(key).unwrap(), &Handshake::of(declared));
        let everything = Capabilities { tools: true, resources: true, prompts: true, completions: false };
        let tools = Capabilities { tools: true, ..Capabilities::default() };
        declare(&[features("docs", everything), features("my shop", tools)], &[])
    }

    #[test]
    fn every_declared_name_is_routed_to_its_own_verb_and_server() {
        let declared = declared();
        for function in &declared.functions {
            let routed = route(&function.name, &declared);
            assert_eq!(routed, Ok((function.verb, function.server.clone())), "{}", function.name);
        }
        assert_eq!(declared.functions.len(), 8);
    }

    #[rstest]
    #[case::read_is_never_invoke("mcp_read_shop", "read", "`mcp_read_docs`")]
    #[case::prompt_is_never_invoke("mcp_prompt_shop", "prompt", "`mcp_prompt_docs`")]
    #[case::a_tool_ends_in_the_invoke_arm("get_issue", "invoke", "`mcp_invoke_docs`, `mcp_invoke_my_shop_")]
    #[case::a_bogus_verb_ends_in_the_invoke_arm("mcp_bogus_x", "invoke", "`mcp_invoke_docs`, `mcp_invoke_my_shop_")]
    #[case::an_undeclared_server_part_is_not_guessed("mcp_search_my shop", "search", "`mcp_search_docs`")]
    fn an_undeclared_name_is_refused_with_the_declared_names_of_its_verb(
        #[case] name: &str,
        #[case] verb: &str,
        #[case] names: &str,
    ) {
        let refusal = route(name, &declared()).unwrap_err();
        assert_eq!(refusal.code, Code::Unsupported);
        assert!(refusal.tool_call_error.contains(&format!("`{name}`")), "{refusal:?}");
        assert!(refusal.hint.contains(names) && refusal.hint.contains(verb), "{refusal:?}");
    }

    #[test]
    fn without_any_declared_function_the_refusal_says_so() {
        let refusal = route("mcp_read_docs", &Declarations::default()).unwrap_err();
        insta::assert_json_snapshot!(refusal);
    }

    #[test]
    fn a_long_list_of_declared_names_is_cut_and_counted() {
        let features: Vec<McpServerFeatures> = (0..60)
            .map(|at| {
                McpServerFeatures::of(
                    ServerName::new(format!("s{at}")).unwrap(),
                    &Handshake::of(Capabilities::default()),
                )
            })
            .collect();
        let refusal = route("mcp_search_s99", &declare(&features, &[])).unwrap_err();
        assert!(refusal.hint.contains("40 more") && refusal.hint.len() < 700, "{refusal:?}");
        assert_eq!(refusal.closest.len(), 5);
    }
}
