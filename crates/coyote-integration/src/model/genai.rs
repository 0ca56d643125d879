//! A model behind a provider's API, through the genai library (dependencies.md A.2).
//!
//! Every request names its target in full, endpoint, key and kind, so that no name is ever guessed to be another
//! provider's. It retries nothing once a word has arrived, and it never shows a key (S47). What the library does not bound
//! stands in ADR 0021.

mod collect;
pub(super) mod failure;
mod frames;
mod name;
mod request;

use self::{
    collect::{Collected, End, Step},
    failure::About,
    frames::Frames,
};
use super::{
    Abilities, ChatModel, ChatRequest, Chatting, ModelError, ModelFault, Part, Reply, ReplySink,
    retry::{Failure, with_retries},
};
use crate::{config::ClientKind, log, mcp::FilledIn};
use futures_util::StreamExt;
use genai::{
    Client, ModelIden, ServiceTarget,
    adapter::AdapterKind,
    chat::{ChatOptions, ChatStream},
    resolver::{AuthData, Endpoint},
};
use mcp_catalog::deadline::MODEL_WHOLE;
use mcp_render::{MODEL_NAME_BYTES, MODEL_NAMES_LISTED};
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// What a model at a provider is made of.
pub(super) struct Provider {
    /// The kind of its client.
    pub kind: ClientKind,
    /// The client's name.
    pub client: String,
    /// The model's name.
    pub model: String,
    /// Where its API is, a slash at the end.
    pub base: String,
    /// Its key.
    pub key: Option<String>,
    /// What it can do.
    pub abilities: Abilities,
    /// The longest reply that is asked for.
    pub max_tokens: Option<u32>,
    /// Until the first word, and between two.
    pub silence: Duration,
    /// A whole reply that is not streamed.
    pub whole: Duration,
}

/// A reply that has begun.
struct Opened {
    first: Step,
    rest: ChatStream,
    frames: Option<Arc<Frames>>,
}

/// A model at a provider.
pub(super) struct GenaiModel {
    id: String,
    client: Client,
    target: ServiceTarget,
    about: About,
    provider: Provider,
}

impl GenaiModel {
    /// A model that speaks through `http`.
    pub(super) fn new(http: reqwest::Client, provider: Provider) -> Result<Self, ModelError> {
        let adapter = match provider.kind {
            ClientKind::OpenAi | ClientKind::OpenAiCompatible => AdapterKind::OpenAI,
            ClientKind::Claude => AdapterKind::Anthropic,
            ClientKind::Gemini => AdapterKind::Gemini,
            ClientKind::Ollama => AdapterKind::Ollama,
        };
        let auth = match (&provider.key, provider.kind) {
            (_, ClientKind::Ollama) => AuthData::None,
            (Some(key), _) => AuthData::from_single(key.clone()),
            // A local server that wants no key accepts any; the library sends none only to providers it knows.
            (None, _) => AuthData::from_single("none"),
        };
        let target = ServiceTarget {
            endpoint: Endpoint::from_owned(provider.base.clone()),
            auth,
            model: ModelIden::new(adapter, name::given(&provider.model, provider.kind)),
        };
        let id = format!("{}:{}", provider.client, provider.model);
        if let Some(key) = &provider.key {
            // The library logs what a provider answers, and some repeat the key that they refuse (S47).
            let mut hidden = FilledIn::new();
            hidden.add(&failure::key_name(&provider.client), key);
            log::hide(&hidden);
        }
        let about = About::new(&id, &provider);
        let client = Client::builder().with_reqwest(http).build().map_err(|_| about.unreadable().error)?;
        Ok(Self { id, client, target, about, provider })
    }

    /// The names of the provider's models, as it lists them. Bounded: a name is a line, and a list a page of a terminal.
    pub(super) async fn names(&self, patience: Duration) -> Result<Vec<String>, ModelError> {
        let ServiceTarget { endpoint, auth, model } = self.target.clone();
        let asking = self.client.all_model_names(model.adapter_kind, (endpoint, auth));
        let mut names = match tokio::time::timeout(patience, asking).await {
            Err(_) => return Err(self.about.endless(patience).error),
            Ok(Err(error)) => return Err(self.about.failure(&error).error),
            Ok(Ok(names)) => names,
        };
        names.retain(|name| !name.is_empty() && name.len() <= MODEL_NAME_BYTES);
        names.truncate(MODEL_NAMES_LISTED);
        Ok(names)
    }

    fn options(&self, request: &ChatRequest) -> ChatOptions {
        let mut options = ChatOptions::default()
            .with_capture_content(true)
            .with_capture_tool_calls(true)
            .with_capture_usage(true)
            .with_capture_raw_body(!request.stream)
            .with_stream_header_timeout(self.provider.silence)
            .with_stream_read_timeout(self.provider.silence);
        if let Some(temperature) = request.temperature {
            options = options.with_temperature(temperature);
        }
        if let Some(top_p) = request.top_p {
            options = options.with_top_p(top_p);
        }
        if let Some(tokens) = self.provider.max_tokens {
            options = options.with_max_tokens(tokens);
        }
        if let Some(body) = name::body(&self.provider.model, self.provider.kind) {
            options = options.with_extra_body(body);
        }
        if self.provider.kind == ClientKind::Ollama
            && let Some(key) = &self.provider.key
        {
            // The library sends Ollama no key; a server behind a gate wants one.
            options = options.with_extra_headers(vec![("authorization".to_owned(), format!("Bearer {key}"))]);
        }
        options
    }

    fn refuse_what_it_cannot_see(&self, request: &ChatRequest) -> Result<(), ModelError> {
        let picture = request.messages.iter().find_map(|message| match message {
            super::Message::User(parts) => parts.iter().find_map(|part| match part {
                Part::Image { name, .. } => Some(name),
                Part::Text(_) => None,
            }),
            _ => None,
        });
        match picture {
            Some(name) if !self.provider.abilities.vision => Err(ModelError {
                fault: ModelFault::Refused,
                text: format!("`{}` cannot see pictures, and `{name}` is one", self.id),
                hint: "Take another model with `-m`, or set `supports_vision: true` of this one in config.yaml"
                    .to_owned(),
            }),
            _ => Ok(()),
        }
    }

    async fn run(
        &self,
        request: ChatRequest,
        sink: &dyn ReplySink,
        cancel: CancellationToken,
    ) -> Result<Reply, ModelError> {
        self.refuse_what_it_cannot_see(&request)?;
        let options = self.options(&request);
        let functions = self.provider.abilities.function_calling;
        let stream = request.stream;
        let request = request::of(request, self.provider.kind, functions);
        let stopped = || self.about.cancelled();
        if stream {
            let opened = with_retries(sink, &cancel, stopped, || self.open(&request, &options)).await?;
            return Ok(self.drain(opened, sink, &cancel).await);
        }
        let reply = with_retries(sink, &cancel, stopped, || self.whole(&request, &options)).await?;
        sink.reasoning(&reply.reasoning);
        sink.text(&reply.text);
        Ok(reply)
    }

    /// Sends the request and waits for the first thing that is part of a reply. What keeps coming and never is one, an
    /// error without an end for one, is given up.
    async fn open(&self, request: &genai::chat::ChatRequest, options: &ChatOptions) -> Result<Opened, Failure> {
        let patience = self.provider.whole.max(MODEL_WHOLE);
        match tokio::time::timeout(patience, self.begin(request, options)).await {
            Ok(opened) => opened,
            Err(_) => Err(self.about.endless(patience)),
        }
    }

    async fn begin(&self, request: &genai::chat::ChatRequest, options: &ChatOptions) -> Result<Opened, Failure> {
        let frames = matches!(self.provider.kind, ClientKind::OpenAi | ClientKind::OpenAiCompatible)
            .then(|| Arc::new(Frames::default()));
        let options = match &frames {
            Some(frames) => {
                options.clone().with_capture_tool_calls(false).with_raw_frame_sink_arc(Arc::clone(frames) as _)
            }
            None => options.clone(),
        };
        let sent = self.client.exec_chat_stream(self.target.clone(), request.clone(), Some(&options)).await;
        let mut rest = sent.map_err(|error| self.about.failure(&error))?.stream;
        let first = loop {
            let next = rest.next().await;
            if !matches!(next, Some(Ok(_)))
                && let Some(end) = frames.as_deref().and_then(End::of)
            {
                break Step::End(Box::new(end));
            }
            match next {
                None => return Err(self.about.ended_early()),
                Some(Err(error)) => return Err(self.about.failure(&error)),
                Some(Ok(event)) => match collect::step(event) {
                    None => {}
                    Some(Step::End(end)) if !end.is_said(self.provider.kind) => return Err(self.about.ended_early()),
                    Some(step) => break step,
                },
            }
        };
        Ok(Opened { first, rest, frames })
    }

    async fn drain(&self, opened: Opened, sink: &dyn ReplySink, cancel: &CancellationToken) -> Reply {
        let Opened { first, mut rest, frames } = opened;
        let mut collected = Collected::new(self.provider.kind, frames);
        let mut next = Some(first);
        loop {
            if let Some(step) = next.take()
                && let Some(end) = collected.take(step, sink)
            {
                return collected.ended(&end, &self.about);
            }
            if let Some(error) = collected.overflow(&self.about) {
                return collected.cut(error);
            }
            let event = tokio::select! {
                biased;
                // Dropping the stream closes the connection, which the provider sees.
                () = cancel.cancelled() => return collected.cut(self.about.cancelled()),
                event = rest.next() => event,
            };
            let error = match event {
                Some(Ok(event)) => {
                    next = collect::step(event);
                    continue;
                }
                Some(Err(error)) => self.about.broke_off(&error),
                None => self.about.ended_early().error,
            };
            return match collected.end() {
                Some(end) => collected.ended(&end, &self.about),
                None => collected.cut(error),
            };
        }
    }

    async fn whole(&self, request: &genai::chat::ChatRequest, options: &ChatOptions) -> Result<Reply, Failure> {
        let sent = self.client.exec_chat(self.target.clone(), request.clone(), Some(options));
        let answer = match tokio::time::timeout(self.provider.whole, sent).await {
            Err(_) => return Err(self.about.silent()),
            Ok(Err(error)) => {
                return collect::salvaged(&error, self.provider.kind, &self.about)
                    .ok_or_else(|| self.about.failure(&error));
            }
            Ok(Ok(answer)) => answer,
        };
        Ok(collect::whole(answer, &self.about))
    }
}

impl ChatModel for GenaiModel {
    fn id(&self) -> &str {
        &self.id
    }

    fn abilities(&self) -> Abilities {
        self.provider.abilities
    }

    fn chat<'a>(&'a self, request: ChatRequest, sink: &'a dyn ReplySink, cancel: CancellationToken) -> Chatting<'a> {
        Box::pin(self.run(request, sink, cancel))
    }
}
