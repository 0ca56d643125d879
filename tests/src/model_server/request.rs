//! One request that a stand-in got, and what a test asks of it in any wire format.

use super::Api;
use serde_json::Value;

/// One request.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The wire format.
    pub api: Api,
    /// The method.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Value,
    /// Whether the client hung up before the answer's end.
    pub hung_up: bool,
}

impl Request {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// Whether the reply shall be streamed.
    pub fn streamed(&self) -> bool {
        match self.api {
            Api::Gemini => self.path.contains(":streamGenerateContent"),
            Api::OpenAi | Api::Anthropic | Api::Ollama => self.body["stream"] == Value::Bool(true),
        }
    }

    /// The names of the declared functions, in order.
    pub fn functions(&self) -> Vec<String> {
        let names: Vec<&Value> = match self.api {
            Api::OpenAi | Api::Ollama => list(&self.body["tools"]).map(|tool| &tool["function"]["name"]).collect(),
            Api::Anthropic => list(&self.body["tools"]).map(|tool| &tool["name"]).collect(),
            Api::Gemini => list(&self.body["tools"])
                .flat_map(|tool| list(&tool["functionDeclarations"]))
                .map(|function| &function["name"])
                .collect(),
        };
        names.into_iter().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// The roles of the conversation, in order, as the format names them; a system text beside it is no part.
    pub fn roles(&self) -> Vec<String> {
        let key = if self.api == Api::Gemini { "contents" } else { "messages" };
        list(&self.body[key]).filter_map(|message| message["role"].as_str()).map(str::to_owned).collect()
    }

    /// What calls answered, in order: the id of the call, or the function's name where the format has no ids, and the
    /// text.
    pub fn results(&self) -> Vec<(String, String)> {
        match self.api {
            Api::OpenAi => list(&self.body["messages"])
                .filter(|message| message["role"] == "tool")
                .map(|message| (text(&message["tool_call_id"]), text(&message["content"])))
                .collect(),
            Api::Ollama => list(&self.body["messages"])
                .filter(|message| message["role"] == "tool")
                .map(|message| (String::new(), text(&message["content"])))
                .collect(),
            Api::Anthropic => list(&self.body["messages"])
                .flat_map(|message| list(&message["content"]))
                .filter(|block| block["type"] == "tool_result")
                .map(|block| (text(&block["tool_use_id"]), text(&block["content"])))
                .collect(),
            Api::Gemini => list(&self.body["contents"])
                .flat_map(|content| list(&content["parts"]))
                .filter_map(|part| part.get("functionResponse"))
                .map(|response| (text(&response["name"]), text(&response["response"]["content"])))
                .collect(),
        }
    }

    /// The system text.
    pub fn system(&self) -> Option<String> {
        match self.api {
            Api::OpenAi | Api::Ollama => list(&self.body["messages"])
                .find(|message| message["role"] == "system")
                .map(|message| text(&message["content"])),
            Api::Anthropic => self.body.get("system").map(text_of_parts),
            Api::Gemini => {
                let system = self.body.get("systemInstruction").or_else(|| self.body.get("system_instruction"))?;
                Some(text_of_parts(&system["parts"]))
            }
        }
    }

    /// Whether the list of models is asked for.
    pub(super) fn is_listing(&self) -> bool {
        let path = self.path.split('?').next().unwrap_or_default();
        self.method == "GET" && (path.ends_with("/models") || path == "/api/tags")
    }

    /// Whether a reply is asked for, in the place where the format asks for one.
    pub(super) fn is_chat(&self) -> bool {
        let path = self.path.split('?').next().unwrap_or_default();
        self.method == "POST"
            && match self.api {
                Api::OpenAi => path.ends_with("/chat/completions"),
                Api::Anthropic => path.ends_with("/v1/messages"),
                Api::Gemini => path.ends_with(":generateContent") || path.ends_with(":streamGenerateContent"),
                Api::Ollama => path == "/api/chat",
            }
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn text_of_parts(value: &Value) -> String {
    match value {
        Value::Array(parts) => parts.iter().map(|part| text(&part["text"])).collect(),
        other => text(other),
    }
}
