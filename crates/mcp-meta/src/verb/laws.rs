//! Laws over the table of verbs (S1): what holds for every row, so that a sixth one is tested from its first day.

use super::*;
use crate::args::Arguments;
use crate::error::MetaError;
use crate::rehearsal::{Rehearsal, nothing_else};
use crate::{MCP_META_FUNCTION_PREFIXES, mcp_meta_function_names};
use mcp_catalog::{Capabilities, Handshake, ServerName};
use mcp_render::Code;
use rstest::rstest;
use std::collections::BTreeSet;

fn features(declared: Capabilities) -> McpServerFeatures {
    McpServerFeatures::of(ServerName::new("docs").unwrap(), &Handshake::of(declared))
}

/// Every server that can be: each combination of what it declared.
fn every_server() -> Vec<McpServerFeatures> {
    let bit = |set: u8, at: u8| set & (1 << at) != 0;
    let declared =
        |set| Capabilities { tools: bit(set, 0), resources: bit(set, 1), prompts: bit(set, 2), completions: false };
    (0..8).map(|set| features(declared(set))).collect()
}

fn everything() -> McpServerFeatures {
    features(Capabilities { tools: true, resources: true, prompts: true, completions: false })
}

#[test]
fn the_verbs_stand_in_the_order_of_the_contract() {
    let words: Vec<&str> = Verb::ALL.into_iter().map(Verb::as_str).collect();
    assert_eq!(words, ["invoke", "search", "describe", "read", "prompt"]);
}

#[test]
fn a_prefix_is_the_verbs_word() {
    let prefixes = Verb::ALL.map(|verb| format!("mcp_{verb}"));
    assert_eq!(prefixes.as_slice(), MCP_META_FUNCTION_PREFIXES);
}

#[test]
fn search_and_describe_exist_for_every_server() {
    for features in every_server() {
        assert!(emits(Verb::Search, &features) && emits(Verb::Describe, &features), "{features:?}");
    }
}

#[test]
fn a_schema_is_an_object_of_the_tables_parameters() {
    for verb in Verb::ALL {
        let schema = verb.schema();
        assert_eq!(schema["type"], "object", "{verb}");
        let properties = schema["properties"].as_object().unwrap();
        let names: Vec<&str> = verb.parameters().iter().map(|parameter| parameter.name).collect();
        assert_eq!(properties.keys().collect::<Vec<_>>(), names, "{verb}");
        let unique: BTreeSet<&str> = names.iter().copied().collect();
        assert_eq!(unique.len(), names.len(), "{verb}");
        for parameter in verb.parameters() {
            let property = &properties[parameter.name];
            assert_eq!(property["type"], parameter.kind.as_str(), "{verb} {}", parameter.name);
            assert_eq!(property.get("enum").is_some(), !parameter.choices.is_empty(), "{verb} {}", parameter.name);
            assert!(
                !parameter.description.is_empty() && !parameter.description.ends_with('.'),
                "{verb} {}",
                parameter.name
            );
        }
        let required = verb.parameters().iter().filter(|parameter| parameter.required).map(|parameter| parameter.name);
        let written: Vec<&str> =
            schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        assert_eq!(written, required.collect::<Vec<_>>(), "{verb}");
        assert_ne!(schema.get("required"), Some(&json!([])), "{verb}: some providers refuse an empty list");
    }
}

#[test]
fn the_numbers_that_a_model_reads_are_the_limits() {
    let says = |verb: Verb, name: &str, limit: usize| {
        let parameter = verb.parameters().iter().find(|parameter| parameter.name == name).unwrap();
        assert!(parameter.description.contains(&limit.to_string()), "{verb} `{name}` does not say {limit}");
    };
    says(Verb::Search, "top_k", mcp_render::SEARCH_DEFAULT_ITEMS);
    says(Verb::Search, "top_k", mcp_render::SEARCH_MAX_ITEMS);
    says(Verb::Read, "max_bytes", mcp_render::PAGE_DEFAULT_BYTES);
    says(Verb::Read, "max_bytes", mcp_render::CEILING_BYTES);
    says(Verb::Describe, "max_bytes", mcp_render::PAGE_DEFAULT_BYTES);
}

#[test]
fn the_schemas_are_those_of_the_design() {
    let schemas: Map<String, Value> = Verb::ALL.into_iter().map(|verb| (verb.to_string(), verb.schema())).collect();
    insta::assert_json_snapshot!(schemas);
}

#[test]
fn the_descriptions_send_a_model_the_right_way() {
    let texts = Verb::ALL.map(|verb| format!("# {verb}: {}\n{}", verb.summary(), verb.description(&everything())));
    insta::assert_snapshot!(texts.join("\n\n"));
}

#[test]
fn a_description_names_the_server_and_only_functions_that_it_has() {
    for features in every_server() {
        let (has, has_not): (Vec<Verb>, Vec<Verb>) = Verb::ALL.into_iter().partition(|verb| emits(*verb, &features));
        for verb in has {
            let text = verb.description(&features);
            assert!(text.contains("`docs`") && text.len() <= 1024, "{verb}: {text}");
            for other in &has_not {
                assert!(!text.contains(&function(&features, *other).to_string()), "{verb} speaks of {other}: {text}");
            }
        }
    }
}

#[test]
fn a_server_without_read_has_its_way_back_to_spills_in_the_description_of_describe() {
    for features in every_server() {
        let says = Verb::Describe.description(&features).contains("\"spill\"");
        assert_eq!(says, !features.resources, "{features:?}");
    }
}

#[test]
fn a_long_key_does_not_fill_a_description() {
    let mut features = everything();
    features.name = ServerName::new("k".repeat(100_000)).unwrap();
    for verb in Verb::ALL {
        assert!(verb.description(&features).len() < 1400, "{verb}");
    }
}

/// A value that no parameter of this type accepts.
fn wrong(kind: ParameterType) -> Value {
    match kind {
        ParameterType::String => json!(7),
        ParameterType::Integer => json!("seven"),
        ParameterType::Object => json!([7]),
    }
}

/// A value that the parameter accepts.
fn right(parameter: &Parameter) -> Value {
    match (parameter.kind, parameter.choices.last()) {
        (ParameterType::String, Some(choice)) => json!(choice),
        (ParameterType::String, None) => json!("0".repeat(64)),
        (ParameterType::Integer, _) => json!(1),
        (ParameterType::Object, _) => json!({}),
    }
}

fn parse(verb: Verb, arguments: Value) -> Result<(), MetaError> {
    let arguments = Arguments::of(verb, arguments)?;
    match verb {
        Verb::Invoke => invoke::Args::parse(arguments).map(drop),
        Verb::Search => search::Args::parse(arguments).map(drop),
        Verb::Describe => describe::Args::parse(arguments).map(drop),
        Verb::Read => read::Args::parse(arguments).map(drop),
        Verb::Prompt => prompt::Args::parse(arguments).map(drop),
    }
}

/// Every parameter given, the right way.
fn all_right(verb: Verb) -> Map<String, Value> {
    verb.parameters().iter().map(|parameter| (parameter.name.to_owned(), right(parameter))).collect()
}

#[test]
fn every_parameter_of_the_table_is_read() {
    for verb in Verb::ALL {
        assert_eq!(parse(verb, all_right(verb).into()), Ok(()), "{verb}");
        for parameter in verb.parameters() {
            let mut arguments = all_right(verb);
            arguments.insert(parameter.name.to_owned(), wrong(parameter.kind));
            let error = parse(verb, arguments.into()).expect_err(parameter.name);
            assert_eq!(error.code(), Code::InvalidArguments, "{verb} {}", parameter.name);
            assert!(error.to_string().starts_with(&format!("`{}` is ", parameter.name)), "{verb}: {error}");
        }
    }
}

#[test]
fn a_parameter_is_required_where_the_table_says_so_and_nowhere_else() {
    for verb in Verb::ALL {
        for parameter in verb.parameters() {
            let mut arguments = all_right(verb);
            arguments.insert(parameter.name.to_owned(), Value::Null);
            // Left out, `kind` of describe makes the paging parameters meaningless.
            if !parameter.choices.is_empty() {
                arguments.retain(|name, _| name != "pattern" && name != "offset");
            }
            assert_eq!(parse(verb, arguments.into()).is_err(), parameter.required, "{verb} {}", parameter.name);
        }
    }
}

#[test]
fn every_choice_of_the_table_is_accepted_and_nothing_else() {
    for verb in Verb::ALL {
        for parameter in verb.parameters().iter().filter(|parameter| !parameter.choices.is_empty()) {
            for choice in parameter.choices.iter().copied().chain([""]) {
                let mut arguments = all_right(verb);
                arguments.retain(|name, _| name != "pattern" && name != "offset");
                arguments.insert(parameter.name.to_owned(), choice.into());
                assert_eq!(parse(verb, arguments.into()), Ok(()), "{verb} {choice}");
            }
            let mut arguments = all_right(verb);
            arguments.insert(parameter.name.to_owned(), "tol".into());
            let shape = parse(verb, arguments.into()).unwrap_err().to_shape();
            assert_eq!(shape.closest, ["tool"], "{shape:?}");
        }
    }
}

#[rstest]
#[case::invoke(Verb::Invoke, json!({"tool": "t"}), "tools/call")]
#[case::search(Verb::Search, json!({"kind": "tool"}), "tools/list")]
#[case::describe(Verb::Describe, json!({"tool": "t"}), "tools/list")]
#[case::read(Verb::Read, json!({"uri": "a://b"}), "resources/read")]
#[case::prompt(Verb::Prompt, json!({"prompt": "p"}), "prompts/list")]
fn every_verb_reaches_its_own_method(#[case] verb: Verb, #[case] arguments: Value, #[case] method: &str) {
    let stage = Rehearsal::new(json!({"tools": [], "resources": [], "prompts": []}), nothing_else);
    let names = mcp_meta_function_names(&stage.server());
    let name = names.iter().find(|name| name.contains(verb.as_str())).unwrap();
    let _answer = crate::rehearsal::run(crate::call(&stage.context, name, arguments));
    assert_eq!(stage.wire().first(), Some(&method));
}
