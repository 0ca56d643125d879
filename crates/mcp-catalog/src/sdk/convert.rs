//! Between this crate's nouns and the SDK's.

use crate::{Capabilities, CatalogKind, Handshake, PortError, Request, server_text};
use rmcp::{
    model::{
        ArgumentInfo, CallToolRequest, CallToolRequestParams, ClientRequest, CompleteRequest, CompleteRequestParams,
        CompletionContext, GetPromptRequest, GetPromptRequestParams, ListPromptsRequest, ListResourceTemplatesRequest,
        ListResourcesRequest, ListToolsRequest, PaginatedRequestParams, ReadResourceRequest, ReadResourceRequestParams,
        Reference, ServerPeerInfo,
    },
    service::ServiceError,
};
use serde_json::{Map, Value};

/// The request as the SDK sends it.
pub(super) fn client_request(request: Request) -> ClientRequest {
    match request {
        Request::List { kind, cursor } => list(kind, cursor),
        Request::ReadResource { uri } => {
            ClientRequest::ReadResourceRequest(ReadResourceRequest::new(ReadResourceRequestParams::new(uri.as_str())))
        }
        Request::GetPrompt { name, arguments } => {
            let params = GetPromptRequestParams::new(name.as_str());
            ClientRequest::GetPromptRequest(GetPromptRequest::new(match arguments {
                Some(arguments) => params.with_arguments(arguments),
                None => params,
            }))
        }
        Request::CallTool { name, arguments } => ClientRequest::CallToolRequest(CallToolRequest::new(
            CallToolRequestParams::new(name.as_str().to_owned()).with_arguments(arguments),
        )),
        Request::Complete { prompt, argument, value, context } => {
            let argument = ArgumentInfo::new(argument, value);
            let params = CompleteRequestParams::new(Reference::for_prompt(prompt.as_str()), argument);
            ClientRequest::CompleteRequest(CompleteRequest::new(if context.is_empty() {
                params
            } else {
                params.with_context(CompletionContext::with_arguments(words(context)))
            }))
        }
    }
}

fn list(kind: CatalogKind, cursor: Option<String>) -> ClientRequest {
    let page = PaginatedRequestParams::default().with_cursor(cursor);
    match kind {
        CatalogKind::Tool => ClientRequest::ListToolsRequest(ListToolsRequest::with_param(page)),
        CatalogKind::Resource => ClientRequest::ListResourcesRequest(ListResourcesRequest::with_param(page)),
        CatalogKind::ResourceTemplate => {
            ClientRequest::ListResourceTemplatesRequest(ListResourceTemplatesRequest::with_param(page))
        }
        CatalogKind::Prompt => ClientRequest::ListPromptsRequest(ListPromptsRequest::with_param(page)),
    }
}

/// A completion's context holds strings only.
fn words(context: Map<String, Value>) -> std::collections::HashMap<String, String> {
    let word = |value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    context.into_iter().map(|(name, value)| (name, word(value))).collect()
}

/// What the server said of itself (S4).
pub(super) fn handshake(info: &ServerPeerInfo) -> Handshake {
    let said = &info.capabilities;
    let declared = Capabilities {
        tools: said.tools.is_some(),
        resources: said.resources.is_some(),
        prompts: said.prompts.is_some(),
        completions: said.completions.is_some(),
    };
    let server_info = info.server_info.as_ref().map(|own| format!("{} {}", own.name, own.version).trim().to_owned());
    Handshake {
        protocol: info.protocol_version.to_string(),
        instructions: info.instructions.clone(),
        server_info: server_info.filter(|text| !text.is_empty()),
        ..Handshake::of(declared)
    }
}

/// Why the SDK gave no answer. A deadline of its own is named by the caller, who knows the method.
pub(super) fn port_error(error: ServiceError) -> PortError {
    if error.is_authorization_required() {
        return PortError::AuthRequired;
    }
    match error {
        ServiceError::McpError(data) => {
            PortError::Server { code: i64::from(data.code.0), message: server_text(&data.message) }
        }
        ServiceError::TransportSend(_) | ServiceError::TransportClosed => {
            PortError::ConnectionClosed { retry_in: None }
        }
        ServiceError::Cancelled { .. } => PortError::Cancelled,
        ServiceError::UnexpectedResponse => {
            PortError::InvalidResponse { cause: "it has another method's shape".to_owned() }
        }
        other => PortError::Protocol { cause: server_text(&other.to_string()) },
    }
}
