//! The embedded server through the seam, as a client sees it.

use super::*;
use mcp_catalog::{Budget, Listing, PromptName, ResourceUri, ToolName, catalog_items, deadline};
use mcp_render::Code;
use serde_json::Map;

fn embedded() -> Arc<dyn ServerPort> {
    port(name(), Arc::new(|| json!({"file": null, "servers": [], "warnings": []})))
}

async fn ask(request: Request) -> Result<Value, PortError> {
    embedded().ask(request, Budget::new(deadline::CALL)).await?.parse()
}

#[tokio::test]
async fn the_embedded_server_lists_every_kind_without_a_note() {
    let listing: Listing = catalog_items(&*embedded(), &CatalogKind::ALL, &Budget::new(deadline::LISTING)).await;
    let keys: Vec<String> = listing.items.iter().map(|item| item.key().to_string()).collect();
    let pages = manual::PAGES.iter().map(|page| format!("resource:{}", page.uri()));
    let expected: Vec<String> = ["tool:check_config".to_owned()]
        .into_iter()
        .chain(pages)
        .chain(
            ["resource_template:coyote://manual/{page}", "prompt:add-server", "prompt:mend-server"].map(str::to_owned),
        )
        .collect();
    assert_eq!(keys, expected);
    assert_eq!(listing.notes, []);
}

#[tokio::test]
async fn a_page_of_the_manual_is_read_byte_for_byte() {
    for page in manual::PAGES {
        let uri = ResourceUri::new(page.uri()).unwrap();
        let result = ask(Request::ReadResource { uri }).await.unwrap();
        assert_eq!(result.pointer("/contents/0/text").and_then(Value::as_str), Some(page.text));
    }
}

#[tokio::test]
async fn what_the_embedded_server_does_not_have_is_its_own_error() {
    let requests = [
        Request::ReadResource { uri: ResourceUri::new("coyote://manual/none").unwrap() },
        Request::CallTool { name: ToolName::new("none").unwrap(), arguments: Map::new() },
        Request::GetPrompt { name: PromptName::new("none").unwrap(), arguments: None },
    ];
    for request in requests {
        let error = ask(request).await.unwrap_err();
        assert_eq!(error.code(), Code::ServerError, "{error}");
        assert!(error.to_string().contains("none"), "{error}");
    }
}

#[tokio::test]
async fn the_configuration_check_answers_structured_content() {
    let request = Request::CallTool { name: ToolName::new(CHECK_CONFIG).unwrap(), arguments: Map::new() };
    let result = ask(request).await.unwrap();
    assert_eq!(result.pointer("/structuredContent/servers"), Some(&json!([])));
}
