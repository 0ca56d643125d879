//! A provider's failure, told for a person: what happened, naming client and model, and the next step.
//!
//! It decides by status and type, never by text, and shows no key (S47). What a provider wrote is kept as it is, but bounded.

use super::{
    super::{ModelError, ModelFault, Reply, retry::Failure},
    Provider,
};
use crate::config::ClientKind;
use genai::{Error, chat::StopReason, webc::StreamTimeout};
use mcp_render::{MODEL_ERROR_BYTES, MODEL_REPLY_BYTES, MODEL_REPLY_CALLS};
use reqwest::{StatusCode, header::HeaderMap};
use serde_json::Value;
use std::{error::Error as _, time::Duration};

/// What to do after a reply that broke off.
const GO_ON: &str = "Ask again, or `.continue` in the REPL to go on from here";

/// Whom an error is about.
pub(super) struct About {
    id: String,
    client: String,
    model: String,
    kind: ClientKind,
    host: String,
    key: Option<String>,
    silence: Duration,
}

impl About {
    pub(super) fn new(id: &str, provider: &Provider) -> Self {
        Self {
            id: id.to_owned(),
            client: provider.client.clone(),
            model: provider.model.clone(),
            kind: provider.kind,
            host: host(&provider.base),
            key: provider.key.clone(),
            silence: provider.silence,
        }
    }

    /// The user stopped it.
    pub(super) fn cancelled(&self) -> ModelError {
        error(ModelFault::Cancelled, format!("The reply of `{}` was stopped", self.id), "Ask again")
    }

    /// The stream ended without its last word.
    pub(super) fn ended_early(&self) -> Failure {
        let text = format!("The reply of `{}` broke off before its end", self.id);
        passing(error(ModelFault::Connection, text, GO_ON))
    }

    /// What broke a reply off that had begun: its address has answered, so nothing is wrong there.
    pub(super) fn broke_off(&self, failed: &Error) -> ModelError {
        let mut error = self.failure(failed).error;
        if error.fault == ModelFault::Connection {
            GO_ON.clone_into(&mut error.hint);
        }
        error
    }

    /// Nothing came in time.
    pub(super) fn silent(&self) -> Failure {
        let text = format!("`{}` said nothing for {} s", self.id, self.silence.as_secs());
        lasting(error(
            ModelFault::Timeout,
            text,
            &format!("Ask again, or raise `read_timeout` under `extra` of client `{}` in config.yaml", self.client),
        ))
    }

    /// More arrived than a reply may hold.
    pub(super) fn too_large(&self) -> ModelError {
        let text = format!("The reply of `{}` is longer than {} MiB", self.id, MODEL_REPLY_BYTES >> 20);
        error(ModelFault::InvalidReply, text, "Set `max_output_tokens` of the model in config.yaml, or ask for less")
    }

    /// It calls more functions than a reply may.
    pub(super) fn too_many_calls(&self) -> ModelError {
        let text = format!("The reply of `{}` calls more than {MODEL_REPLY_CALLS} functions", self.id);
        error(ModelFault::InvalidReply, text, "Ask for less at once")
    }

    /// Something came, and never a reply.
    pub(super) fn endless(&self, after: Duration) -> Failure {
        let text = format!("`{}` began no reply within {} s", self.id, after.as_secs());
        lasting(error(ModelFault::Timeout, text, "Ask again, or take another model with `-m`"))
    }

    /// A reply that ended for another reason than being complete.
    pub(super) fn unnatural(&self, reason: Option<&StopReason>, reply: &Reply) -> Option<ModelError> {
        match reason? {
            StopReason::MaxTokens(_) => Some(error(
                ModelFault::InvalidReply,
                format!("The reply of `{}` reached its longest length", self.id),
                "Raise `max_output_tokens` of the model in config.yaml, or ask to go on",
            )),
            StopReason::ContentFilter(reason) => Some(error(
                ModelFault::Refused,
                format!("The provider of `{}` withheld the reply: `{}`", self.id, self.bounded(reason)),
                "Ask in other words",
            )),
            StopReason::Other(reason) if reply.text.is_empty() && reply.calls.is_empty() => Some(error(
                ModelFault::InvalidReply,
                format!("`{}` ended without a reply: `{}`", self.id, self.bounded(reason)),
                "Ask again",
            )),
            _ => None,
        }
    }

    /// What the library reports.
    pub(super) fn failure(&self, failed: &Error) -> Failure {
        if let Some((status, headers, body)) = answered(failed) {
            return self.refused(status, headers, body);
        }
        match failed {
            Error::WebStream { error, .. } => {
                if error.downcast_ref::<StreamTimeout>().is_some() {
                    self.silent()
                } else if let Some(error) = error.downcast_ref::<reqwest::Error>() {
                    self.unreached(error)
                } else {
                    self.unreadable()
                }
            }
            Error::WebModelCall { webc_error: genai::webc::Error::Reqwest(error), .. }
            | Error::WebAdapterCall { webc_error: genai::webc::Error::Reqwest(error), .. } => self.unreached(error),
            Error::ChatResponse { body, .. } => self.reported(body),
            _ => self.unreadable(),
        }
    }

    fn refused(&self, status: StatusCode, headers: Option<&HeaderMap>, body: &str) -> Failure {
        let (id, client) = (&self.id, &self.client);
        let code = status.as_u16();
        let said = self.said(body);
        let of = |fault, what: &str, hint: String| error(fault, format!("{what} (status {code}{said})"), &hint);
        match code {
            401 | 403 => lasting(of(
                ModelFault::Auth,
                &format!("`{id}` refused the key of client `{client}`"),
                format!("Check `api_key` of `{client}` in config.yaml, or `{}` in the environment", key_name(client)),
            )),
            404 => {
                lasting(of(ModelFault::NotFound, &format!("`{id}` is not at `{}`", self.host), self.not_found_hint()))
            }
            429 => Failure {
                error: of(
                    ModelFault::RateLimited,
                    &format!("`{id}` takes no more requests now"),
                    "Wait, or take another model with `-m`".to_owned(),
                ),
                passing: true,
                retry_after: headers.and_then(retry_after),
            },
            500.. => Failure {
                error: of(
                    ModelFault::Provider,
                    &format!("The provider of `{id}` failed"),
                    "Ask again later, or take another model with `-m`".to_owned(),
                ),
                passing: true,
                retry_after: headers.and_then(retry_after),
            },
            300..=399 => lasting(of(
                ModelFault::Refused,
                &format!("`{}` sends `{id}` to another address, which is not followed with a key", self.host),
                format!("Write the final address into `api_base` of `{client}` in config.yaml"),
            )),
            _ => lasting(of(
                ModelFault::Refused,
                &format!("`{id}` did not accept the request"),
                "Shorten it, or leave out what the model cannot do: pictures, functions, a temperature".to_owned(),
            )),
        }
    }

    fn not_found_hint(&self) -> String {
        let (client, model) = (&self.client, &self.model);
        match self.kind {
            ClientKind::Ollama => format!(
                "Run `ollama pull {model}`, or take one of those that `coyote --list-models` and `.list models` show"
            ),
            _ => format!(
                "Check the model's name against its provider's list, and `api_base` of `{client}` in config.yaml; \
                 `coyote --list-models` and `.list models` show those that are configured"
            ),
        }
    }

    fn unreached(&self, failed: &reqwest::Error) -> Failure {
        if failed.is_builder() {
            return lasting(error(
                ModelFault::Refused,
                format!("No request to `{}` could be made", self.id),
                &format!("Check `api_base` and the characters of `api_key` of `{}` in config.yaml", self.client),
            ));
        }
        if failed.is_timeout() && !failed.is_connect() {
            return self.silent();
        }
        // The innermost cause says what happened and holds no URL, which may hold a password.
        let mut cause = failed.source();
        while let Some(inner) = cause.and_then(|cause| cause.source()) {
            cause = Some(inner);
        }
        let cause = cause.map(|cause| format!(": {}", self.bounded(&cause.to_string()))).unwrap_or_default();
        let what = if failed.is_connect() { "No connection to" } else { "The connection was lost to" };
        let hint = match self.kind {
            ClientKind::Ollama => "Start it with `ollama serve`, or check `api_base` in config.yaml".to_owned(),
            _ => format!("Check the network, and `api_base` and `proxy` of `{}` in config.yaml", self.client),
        };
        passing(error(ModelFault::Connection, format!("{what} `{}` for `{}`{cause}", self.host, self.id), &hint))
    }

    /// An error in place of a part of a reply.
    fn reported(&self, body: &Value) -> Failure {
        let inner = body.get("error").unwrap_or(body);
        let kind = inner.get("type").and_then(Value::as_str).unwrap_or_default();
        let code = inner.get("code").and_then(Value::as_u64).unwrap_or_default();
        let told = |fault, what| {
            error(fault, format!("{what} `{}`{}", self.id, self.said(&body.to_string())), "Ask again later")
        };
        match (kind, code) {
            ("rate_limit_error", _) | (_, 429) => passing(told(ModelFault::RateLimited, "Too many requests to")),
            ("overloaded_error" | "api_error" | "server_error", _) | (_, 500..) => {
                passing(told(ModelFault::Provider, "The provider failed within the reply of"))
            }
            _ => lasting(told(ModelFault::Provider, "The provider reported an error in place of the reply of")),
        }
    }

    /// What came is none of ours to read.
    pub(super) fn unreadable(&self) -> Failure {
        let text = format!("What `{}` sent from `{}` is no reply", self.id, self.host);
        let hint = format!("Check `type` and `api_base` of client `{}` in config.yaml", self.client);
        lasting(error(ModelFault::InvalidReply, text, &hint))
    }

    /// What an error body says, without the key.
    fn said(&self, body: &str) -> String {
        let parsed: Option<Value> = serde_json::from_str(body).ok();
        let message = parsed.as_ref().and_then(|value| {
            ["/error/message", "/message", "/error"].iter().find_map(|at| value.pointer(at).and_then(Value::as_str))
        });
        let text = self.bounded(message.unwrap_or(body).trim());
        if text.is_empty() { text } else { format!(": {text}") }
    }

    fn bounded(&self, text: &str) -> String {
        let text = match &self.key {
            Some(key) => text.replace(key.as_str(), "…"),
            None => text.to_owned(),
        };
        if text.len() <= MODEL_ERROR_BYTES {
            return text;
        }
        let end = text.floor_char_boundary(MODEL_ERROR_BYTES);
        format!("{}…", text.get(..end).unwrap_or_default())
    }
}

/// The variable that holds the key of a client (host.md).
pub(in crate::model) fn key_name(client: &str) -> String {
    let name: String =
        client.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
    format!("{name}_API_KEY")
}

/// The host of a base address, with its port; what cannot be read of it is not shown.
fn host(base: &str) -> String {
    let Ok(url) = reqwest::Url::parse(base) else { return "its address".to_owned() };
    let host = url.host_str().unwrap_or("its address");
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

#[expect(clippy::match_same_arms, reason = "two places of one answer, too long for one pattern")]
fn answered(failed: &Error) -> Option<(StatusCode, Option<&HeaderMap>, &str)> {
    match failed {
        Error::HttpError { status, headers, body, .. } => Some((*status, Some(headers), body)),
        Error::WebModelCall {
            webc_error: genai::webc::Error::ResponseFailedStatus { status, headers, body }, ..
        }
        | Error::WebAdapterCall {
            webc_error: genai::webc::Error::ResponseFailedStatus { status, headers, body },
            ..
        } => Some((*status, Some(headers), body)),
        Error::WebStream { error, .. } => error.downcast_ref::<Error>().and_then(answered),
        _ => None,
    }
}

/// Milliseconds, seconds, or a date.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(milliseconds) = text("retry-after-ms").and_then(|value| value.parse().ok()) {
        return Some(Duration::from_millis(milliseconds));
    }
    let value = text("retry-after")?;
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = chrono::DateTime::parse_from_rfc2822(value).ok()?;
    Some((date.to_utc() - chrono::Utc::now()).to_std().unwrap_or_default())
}

fn error(fault: ModelFault, text: String, hint: &str) -> ModelError {
    ModelError { fault, text, hint: hint.to_owned() }
}

fn passing(error: ModelError) -> Failure {
    Failure { error, passing: true, retry_after: None }
}

fn lasting(error: ModelError) -> Failure {
    Failure { error, passing: false, retry_after: None }
}
