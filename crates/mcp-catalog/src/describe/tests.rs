//! Descriptions of every kind (S23).

use super::describe;
use crate::{CatalogKind, Listing, RawResult, salvage};
use rstest::rstest;

const TOOLS: &str = r#"{"tools":[
    {"name":"search_issues","title":"Search","description":"Finds issues","annotations":{"readOnlyHint":true},
     "inputSchema":{"type":"object","properties":{"q":{"type":"string"}}},"outputSchema":{"type":"object"}},
    {"name":"bare","inputSchema":{}},
    {"name":"create_issue","inputSchema":{}}]}"#;
const RESOURCES: &str = r#"{"resources":[
    {"uri":"docs://a","name":"Guide","title":"The guide","description":"How to","mimeType":"text/markdown","size":9,
     "annotations":{"audience":["user","system"],"priority":0.6}},
    {"uri":"docs://b"}]}"#;
const TEMPLATES: &str = r#"{"resourceTemplates":[{"uriTemplate":"log://{day}/{part}/{day}{?tail}","name":"Logs"}]}"#;
const PROMPTS: &str = r#"{"prompts":[
    {"name":"review","title":"Review","description":"Reviews","arguments":[
      {"name":"file","title":"File","description":"Which","required":true},{"name":"tone"}]},
    {"name":"bare"}]}"#;

fn listing() -> Listing {
    let pages = [TOOLS, RESOURCES, TEMPLATES, PROMPTS].map(|json| RawResult::whole(json.as_bytes().to_vec()));
    let items = pages.iter().zip(CatalogKind::ALL).flat_map(|(raw, kind)| salvage::page(raw, kind).unwrap().items);
    Listing { items: items.collect(), notes: Vec::new() }
}

#[rstest]
#[case(CatalogKind::Tool, "search_issues", "tool")]
#[case(CatalogKind::Tool, "bare", "tool_bare")]
#[case(CatalogKind::Resource, "docs://a", "resource")]
#[case(CatalogKind::Resource, "docs://b", "resource_bare")]
#[case(CatalogKind::ResourceTemplate, "log://{day}/{part}/{day}{?tail}", "resource_template")]
#[case(CatalogKind::Prompt, "review", "prompt")]
#[case(CatalogKind::Prompt, "bare", "prompt_bare")]
fn each_kind_is_described_in_its_shape(#[case] kind: CatalogKind, #[case] id: &str, #[case] snapshot: &str) {
    insta::assert_json_snapshot!(snapshot, describe(&listing(), kind, id).unwrap());
}

#[rstest]
#[case::typo(CatalogKind::Tool, "serch_issues", &["search_issues", "create_issue"])]
#[case::name_for_uri(CatalogKind::Resource, "Guide", &["docs://a"])]
#[case::title_for_uri(CatalogKind::Resource, "The guide", &["docs://a"])]
#[case::other_kind(CatalogKind::Prompt, "search_issues", &[])]
#[case::case(CatalogKind::Prompt, "Review", &["review"])]
fn an_unknown_id_is_answered_with_the_closest_of_its_kind(
    #[case] kind: CatalogKind,
    #[case] id: &str,
    #[case] closest: &[&str],
) {
    let error = describe(&listing(), kind, id).unwrap_err();
    assert_eq!((error.kind, error.id.as_str()), (kind, id));
    assert_eq!(error.closest, closest);
    assert_eq!(error.to_string(), format!("No {kind} `{id}`"));
}

#[test]
fn at_most_five_closest_ids_are_named() {
    let entries: Vec<_> = (0..20).map(|n| format!(r#"{{"uri":"docs://page/{n}","name":"same"}}"#)).collect();
    let raw = RawResult::whole(format!(r#"{{"resources":[{}]}}"#, entries.join(",")).into_bytes());
    let items = salvage::page(&raw, CatalogKind::Resource).unwrap().items;
    let error = describe(&Listing { items, notes: Vec::new() }, CatalogKind::Resource, "same").unwrap_err();
    assert_eq!(error.closest, (0..5).map(|n| format!("docs://page/{n}")).collect::<Vec<_>>());
}

#[test]
fn a_long_description_is_cut_and_a_schema_is_not() {
    let text = "d".repeat(300_000);
    let json =
        format!(r#"{{"tools":[{{"name":"t","description":"{text}","inputSchema":{{"description":"{text}"}}}}]}}"#);
    let items = salvage::page(&RawResult::whole(json.into_bytes()), CatalogKind::Tool).unwrap().items;
    let described = describe(&Listing { items, notes: Vec::new() }, CatalogKind::Tool, "t").unwrap();
    assert_eq!(described["description"].as_str().map(str::len), Some(51_200));
    assert_eq!(described["properties"]["arguments"]["description"].as_str().map(str::len), Some(300_000));
}
