//! Commands over the embedded server, from their words to stdout, stderr and status.

use super::fake_host::FakeHost;
use crate::cli::{
    args::{Args, Command},
    exit::{Failed, Status},
};
use clap::Parser;

/// Runs `coyote mcp …` on a machine without a file: status, then stdout, then stderr.
async fn run(words: &[&str]) -> String {
    let machine = FakeHost::new("");
    let Some(Command::Mcp(mcp)) = Args::parse_from([&["coyote", "mcp"], words].concat()).command else {
        panic!("no command: {words:?}")
    };
    let status = match mcp.command.run(&machine.host).await {
        Ok(status) => status,
        Err(Failed { failure, .. }) => {
            machine.host.report.error(&failure.shape);
            failure.status()
        }
    };
    format!("{}\n{}---\n{}", status.number(), machine.out(), machine.err())
}

#[tokio::test]
async fn search_without_words_is_a_table_of_everything() {
    insta::assert_snapshot!(run(&["search", "coyote"]).await);
}

#[tokio::test]
async fn search_for_words_says_how_to_go_on() {
    insta::assert_snapshot!(run(&["search", "coyote", "manual", "--top", "2"]).await);
    insta::assert_snapshot!(run(&["search", "coyote", "zebra"]).await, @r"
    0
    ---
    note: Nothing found
    ");
}

#[tokio::test]
async fn search_as_json_has_the_shape_a_model_gets() {
    insta::assert_snapshot!(run(&["search", "coyote", "--kind", "prompt", "--json"]).await);
}

#[tokio::test]
async fn describe_shows_each_member_of_an_item() {
    insta::assert_snapshot!(run(&["describe", "coyote", "add-server", "--kind", "prompt"]).await);
    insta::assert_snapshot!(
        run(&["describe", "coyote", "coyote://manual/{page}", "--kind", "resource_template"]).await
    );
}

#[tokio::test]
async fn describe_of_an_unknown_item_names_the_closest() {
    insta::assert_snapshot!(run(&["describe", "coyote", "chek_config"]).await);
}

#[tokio::test]
async fn a_template_is_read_with_its_values() {
    let text = run(&["read", "coyote", "coyote://manual/{page}", "page=start", "--max-bytes", "7"]).await;
    assert!(text.starts_with("0\n# Start---\n"), "{text}");
    insta::assert_snapshot!(run(&["read", "coyote", "coyote://manual/{page}", "pge=start"]).await);
}

#[tokio::test]
async fn a_pattern_that_does_not_compile_is_wrong_usage() {
    insta::assert_snapshot!(run(&["read", "coyote", "coyote://manual/start", "--pattern", "("]).await);
}

#[tokio::test]
async fn an_unknown_resource_is_status_1_with_the_closest() {
    insta::assert_snapshot!(run(&["read", "coyote", "coyote://manual/stat"]).await);
}

#[tokio::test]
async fn invoke_prints_structured_content_as_json() {
    insta::assert_snapshot!(run(&["invoke", "coyote", "check_config"]).await);
    insta::assert_snapshot!(run(&["invoke", "coyote", "chek_config"]).await);
}

#[tokio::test]
async fn a_prompt_without_its_arguments_is_status_2_and_names_them() {
    insta::assert_snapshot!(run(&["prompt", "coyote", "add-server", "name=x"]).await);
}

#[tokio::test]
async fn a_prompt_is_printed_with_its_label() {
    let text = run(&["prompt", "coyote", "mend-server", "name=docs"]).await;
    assert!(text.starts_with("0\n[user]\nHelp me to find out why the MCP server `docs`"), "{text}");
    assert!(text.ends_with("explains every key.\n---\n"), "{text}");
}

#[tokio::test]
async fn the_functions_of_a_server_are_json_in_the_order_of_the_table() {
    let text = run(&["functions", "coyote"]).await;
    let json = text.strip_prefix("0\n").and_then(|text| text.strip_suffix("---\n")).unwrap();
    let functions: serde_json::Value = serde_json::from_str(json).unwrap();
    let names: Vec<_> =
        functions.as_array().unwrap().iter().map(|function| function["name"].as_str().unwrap()).collect();
    let names_of_all = mcp_meta::mcp_meta_function_names(&crate::builtin::name());
    assert_eq!(names, names_of_all);
    assert_eq!(run(&["functions"]).await, text);
}

#[tokio::test]
async fn an_unknown_server_is_status_3() {
    insta::assert_snapshot!(run(&["read", "coyotte", "x"]).await);
    assert!(run(&["functions", "nowhere"]).await.starts_with(&Status::NoServer.number().to_string()));
}
