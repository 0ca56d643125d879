//! Search over listings (S22), against a slow and plain reference.

use super::{SearchQuery, SearchResult, closest, search};
use crate::{CatalogItem, CatalogKind, Details, Listing, PromptArgument};
use proptest::prelude::*;
use rstest::rstest;
use serde_json::json;

fn item(details: Details, id: &str, description: &str) -> CatalogItem {
    CatalogItem {
        id: id.to_owned(),
        name: id.to_owned(),
        title: None,
        description: (!description.is_empty()).then(|| description.to_owned()),
        mime_type: None,
        size: None,
        audience: Vec::new(),
        annotations: None,
        details,
    }
}

fn tool(id: &str, description: &str) -> CatalogItem {
    item(Details::Tool { input_schema: json!({}), output_schema: None }, id, description)
}

fn resource(id: &str, description: &str) -> CatalogItem {
    item(Details::Resource, id, description)
}

fn listing(items: Vec<CatalogItem>) -> Listing {
    Listing { items, notes: Vec::new() }
}

fn query(words: &str) -> SearchQuery {
    SearchQuery { query: words.to_owned(), ..SearchQuery::default() }
}

fn ids<'a>(result: &SearchResult<'a>) -> Vec<&'a str> {
    result.items.iter().map(|item| item.id.as_str()).collect()
}

/// The ids found among tools with these names and descriptions.
fn found<'a>(words: &str, tools: &[(&'a str, &str)]) -> Vec<&'a str> {
    let all = listing(tools.iter().map(|(id, description)| tool(id, description)).collect());
    let hits = search(&all, &query(words));
    tools.iter().map(|(id, _)| *id).filter(|id| ids(&hits).contains(id)).collect()
}

#[rstest]
#[case::part("issues", "search_issues")]
#[case::singular("issue", "search_issues")]
#[case::plural("issues", "create_issue")]
#[case::y_plural("repositories", "get_repository")]
#[case::es_plural("branch", "list_branches")]
#[case::prefix("repo", "get_repository")]
#[case::longer("authentication", "auth_user")]
#[case::case("GITHUB", "GitHubSearch")]
#[case::camel("http", "getHTTPResponse")]
#[case::joined("githubsearch", "GitHubSearch")]
#[case::uri_part("guide", "docs://guide/start.md")]
#[case::german("größe", "Größe_max")]
#[case::ideograph("索", "搜索")]
fn a_word_finds_the_names_that_hold_it(#[case] words: &str, #[case] id: &str) {
    assert_eq!(found(words, &[("unrelated", "nothing here"), (id, "")]), [id]);
}

#[rstest]
#[case("is", "list_things")]
#[case("sue", "search_issues")]
#[case("bus", "bu")]
#[case("lists", "enlisted")]
fn a_word_does_not_find_what_only_resembles_it(#[case] words: &str, #[case] id: &str) {
    assert_eq!(found(words, &[(id, "")]), [""; 0]);
}

#[test]
fn a_word_in_the_name_outranks_the_same_word_in_a_description() {
    let items = listing(vec![
        tool("other", &"deploy ".repeat(200)),
        tool("a_very_long_name_with_many_words_that_ends_in_the_word_deploy", ""),
    ]);
    let result = search(&items, &query("deploy"));
    assert_eq!(ids(&result), ["a_very_long_name_with_many_words_that_ends_in_the_word_deploy", "other"]);
}

#[test]
fn the_exact_name_stands_first_whatever_else_matches() {
    let items = listing(vec![
        tool("search", "search search"),
        tool("search_issues_search", "issues"),
        tool("search_issues", ""),
    ]);
    assert_eq!(ids(&search(&items, &query("search_issues")))[0], "search_issues");
    assert_eq!(ids(&search(&items, &query(" Search_Issues ")))[0], "search_issues");
}

#[test]
fn a_resource_is_found_by_its_uri_and_its_mime_type() {
    let mut pdf = resource("file:///c%3A/My%20Docs/report.bin", "");
    pdf.mime_type = Some("application/pdf".to_owned());
    let items = listing(vec![pdf, resource("log://day", "")]);
    for words in ["file:///c%3A/My%20Docs/report.bin", "report", "pdf"] {
        assert_eq!(ids(&search(&items, &query(words))), ["file:///c%3A/My%20Docs/report.bin"], "{words}");
    }
}

#[test]
fn a_prompt_is_found_by_its_arguments() {
    let argument =
        |name: &str| PromptArgument { name: name.to_owned(), title: None, description: None, required: true };
    let prompt = item(Details::Prompt { arguments: vec![argument("branchName")] }, "review", "");
    let items = listing(vec![prompt, tool("other", "")]);
    assert_eq!(ids(&search(&items, &query("branch"))), ["review"]);
}

#[rstest]
#[case::empty("")]
#[case::blank("  ")]
#[case::star("*")]
fn a_query_without_words_lists_in_order(#[case] words: &str) {
    let items = listing(vec![tool("b", ""), resource("a", ""), tool("c", "")]);
    let result = search(&items, &query(words));
    assert_eq!((ids(&result), result.total, result.next_offset), (vec!["b", "a", "c"], 3, None));
}

#[test]
fn equal_items_keep_the_order_of_the_server() {
    let items = listing(["z_word", "a_word", "m_word"].map(|id| tool(id, "same")).to_vec());
    assert_eq!(ids(&search(&items, &query("word"))), ["z_word", "a_word", "m_word"]);
}

#[test]
fn only_the_kind_that_was_asked_for_is_found() {
    let items = listing(vec![tool("log", ""), resource("log://1", "")]);
    let of_kind = SearchQuery { kind: Some(CatalogKind::Resource), ..query("log") };
    let result = search(&items, &of_kind);
    assert_eq!((ids(&result), result.total), (vec!["log://1"], 1));
}

#[test]
fn pages_of_hits_join_to_all_hits() {
    let items = listing((0..23).map(|n| tool(&format!("word_{n}"), "")).collect());
    let all = search(&items, &query("word"));
    let (mut joined, mut offset) = (Vec::new(), Some(0));
    while let Some(at) = offset {
        let page = search(&items, &SearchQuery { offset: at, top_k: Some(5), ..query("word") });
        assert_eq!(page.total, 23);
        joined.extend(ids(&page));
        offset = page.next_offset;
    }
    assert_eq!(joined, ids(&all));
}

#[test]
fn a_page_always_advances_and_past_the_end_is_empty() {
    let items = listing(vec![tool("a", ""), tool("b", "")]);
    let none = search(&items, &SearchQuery { top_k: Some(0), ..SearchQuery::default() });
    assert_eq!((ids(&none), none.next_offset), (vec!["a"], Some(1)));
    let past = search(&items, &SearchQuery { offset: 9, ..SearchQuery::default() });
    assert_eq!((ids(&past), past.total, past.next_offset), (vec![], 2, None));
}

#[test]
fn ten_thousand_items_are_searched_and_counted() {
    let items = listing((0..10_000).map(|n| tool(&format!("tool_{n}"), "does one of many things")).collect());
    let result = search(&items, &SearchQuery { top_k: Some(8), ..query("things 9999") });
    assert_eq!((ids(&result)[0], result.items.len(), result.total), ("tool_9999", 8, 10_000));
}

#[rstest]
#[case::typo("serch_issues", &["search_issues", "create_issue"])]
#[case::order("issues_search", &["search_issues", "create_issue"])]
#[case::part("issues", &["search_issues", "create_issue"])]
#[case::case("SEARCH_ISSUES", &["search_issues", "create_issue"])]
#[case::longer("search_issues_v2", &["search_issues"])]
#[case::nothing_alike("zzzzqqqq", &[])]
#[case::empty("", &[])]
fn the_closest_ids_are_the_likeliest_slips(#[case] id: &str, #[case] expected: &[&str]) {
    assert_eq!(closest(id, ["list_repos", "create_issue", "search_issues", "get_me"]), expected);
}

#[test]
fn at_most_five_ids_are_close_and_each_once() {
    let ids: Vec<String> = (0..40).map(|n| format!("word_{}", n / 2)).collect();
    let close = closest("word_1", ids.iter().map(String::as_str));
    assert_eq!(close.len(), 5);
    assert_eq!(close[0], "word_1");
    assert_eq!(close.iter().collect::<std::collections::BTreeSet<_>>().len(), 5);
}

#[test]
fn long_ids_are_compared_by_their_heads() {
    let long: Vec<String> = (0..50).map(|n| format!("file:///{}/{n}", "x".repeat(4_000))).collect();
    assert_eq!(closest(&long[0], long.iter().map(String::as_str)).len(), 5);
}

#[test]
fn a_search_result_has_the_members_of_its_kind_and_cuts_its_description() {
    let mut full = resource("a://1", &"é".repeat(400));
    full.title = Some("Title".to_owned());
    full.mime_type = Some("text/plain".to_owned());
    full.size = Some(7);
    full.audience = vec!["system".to_owned()];
    let argument = |name: &str, required| PromptArgument {
        name: name.to_owned(),
        title: None,
        description: Some("said by describe".to_owned()),
        required,
    };
    let prompt = Details::Prompt { arguments: vec![argument("topic", true), argument("tone", false)] };
    let items = [
        tool("t", "A tool"),
        full,
        item(Details::ResourceTemplate, "log://{day}{?tail}", ""),
        item(prompt, "p", ""),
        item(Details::Prompt { arguments: Vec::new() }, "bare", ""),
    ];
    let values: Vec<_> = items.iter().map(CatalogItem::to_search_value).collect();
    assert_eq!(values[1]["description"].as_str().map(str::len), Some(599));
    insta::assert_json_snapshot!("search_items", values);
}

#[test]
fn the_strings_of_a_search_result_are_bounded() {
    let mut long = tool("t", &"d".repeat(100_000));
    long.title = Some("t".repeat(100_000));
    long.mime_type = Some("m".repeat(100_000));
    assert!(long.to_search_value().to_string().len() < 9_500);
}

/// Scores as rank.rs says, with a string for every word and a pass for every count.
mod plain {
    use crate::CatalogItem;

    fn words(text: &str) -> Vec<String> {
        text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_owned).collect()
    }

    fn singular(word: &str) -> String {
        let long_enough = |rest: usize| word.len() >= rest + 2;
        if word.ends_with("ies") && long_enough(3) {
            format!("{}y", &word[..word.len() - 3])
        } else if ["sses", "shes", "ches", "xes", "zes"].iter().any(|e| word.ends_with(e) && long_enough(e.len())) {
            word[..word.len() - 2].to_owned()
        } else if word.ends_with('s') && long_enough(1) && !["ss", "us", "is"].iter().any(|e| word.ends_with(e)) {
            word[..word.len() - 1].to_owned()
        } else {
            word.to_owned()
        }
    }

    fn weight(term: &str, word: &str) -> f64 {
        if term == word {
            1.0
        } else if singular(term) == singular(word) {
            0.9
        } else if term.len() >= 3 && word.starts_with(term) {
            0.5
        } else if word.len() >= 4 && term.starts_with(word) {
            0.3
        } else {
            0.0
        }
    }

    fn count(term: &str, words: &[String]) -> f64 {
        words.iter().map(|word| weight(term, word)).sum()
    }

    #[expect(clippy::cast_precision_loss, reason = "a handful of words")]
    pub(super) fn rank(items: &[CatalogItem], query: &str) -> Vec<String> {
        let mut terms = words(query);
        let mut seen = Vec::new();
        terms.retain(|term| {
            !seen.contains(term) && {
                seen.push(term.clone());
                true
            }
        });
        let texts: Vec<(Vec<String>, Vec<String>)> =
            items.iter().map(|i| (words(&i.name), words(i.description.as_deref().unwrap_or("")))).collect();
        let all = items.len() as f64;
        let average = |pick: fn(&(Vec<String>, Vec<String>)) -> usize| {
            (texts.iter().map(|t| pick(t) as f64).sum::<f64>() / all).max(1.0)
        };
        let (names, descriptions) = (average(|t| t.0.len()), average(|t| t.1.len()));
        let saturated = |count: f64, length: usize, average: f64| {
            count / (count + 1.2 * (0.7 + 0.3 * (length as f64 / average).min(4.0)))
        };
        let mut scored = Vec::new();
        for (item, (name, description)) in items.iter().zip(&texts) {
            let mut score = 0.0;
            let mut hit = false;
            for term in &terms {
                let holding = texts.iter().filter(|t| count(term, &t.0) + count(term, &t.1) > 0.0).count() as f64;
                let rarity = (1.0 + (all - holding + 0.5) / (holding + 0.5)).ln();
                let in_name = count(term, name);
                let in_description = count(term, description);
                hit |= in_name + in_description > 0.0;
                score += rarity
                    * (4.0 * saturated(in_name, name.len(), names)
                        + saturated(in_description, description.len(), descriptions));
            }
            if hit {
                scored.push((item.id.clone(), score + if item.name == query { 1_000.0 } else { 0.0 }));
            }
        }
        scored.sort_by(|a, b| b.1.partial_cmp(&a.1).unwrap());
        scored.into_iter().map(|(id, _)| id).collect()
    }
}

proptest! {
    /// One pass finds what the plain way finds, in its order.
    #[test]
    fn one_pass_agrees_with_the_plain_reference(
        tools in proptest::collection::vec(("[a-e]{1,3}(_[a-eis]{1,4}){0,3}", "([a-eisy]{1,6} ){0,6}"), 1..12),
        words in "[a-eisy]{1,5}( [a-eis]{1,4}){0,3}",
    ) {
        let items: Vec<_> = tools.iter().map(|(id, description)| tool(id, description)).collect();
        let all = listing(items.clone());
        let result = search(&all, &query(&words));
        prop_assert_eq!(ids(&result), plain::rank(&items, &words));
        prop_assert!(result.total <= items.len());
    }

    /// Any text can be asked for, in any of any texts.
    #[test]
    fn any_query_over_any_text_pages_to_its_end(id in "\\PC{1,20}", words in "\\PC{0,20}", top in 0_usize..4, offset in 0_usize..4) {
        let all = listing(vec![tool(&id, &words), tool("x", &id), tool("y", "")]);
        let result = search(&all, &SearchQuery { offset, top_k: Some(top), ..query(&words) });
        prop_assert!(result.items.len() <= result.total && result.total <= 3);
        prop_assert!(result.next_offset.is_none_or(|next| next > offset && next < result.total));
    }

    #[test]
    fn an_id_is_closest_to_itself(ids in proptest::collection::btree_set("[a-z]{3,8}", 1..10)) {
        for id in &ids {
            prop_assert_eq!(&closest(id, ids.iter().map(String::as_str))[0], id);
        }
    }
}
