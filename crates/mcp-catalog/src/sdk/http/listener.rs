//! What a server says unasked: progress, and that a list changed (S12, S17).
//!
//! Every request of a server but `ping` is refused with -32601, since no capability was declared (S17). The SDK by itself
//! would answer some of them.
#![expect(deprecated, reason = "Roots leave the protocol, but a server may still ask for them")]

use crate::{Progress, sdk::wire::Wire, server_text};
use rmcp::{
    ClientHandler, RoleClient,
    model::{
        ClientConfig, ElicitRequestParams, ElicitResult, ElicitationCreateRequestMethod, ErrorData,
        ListRootsRequestMethod, ListRootsResult, ProgressNotificationParam, ProgressToken,
    },
    service::{NotificationContext, RequestContext},
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::sync::mpsc;

type Askers = HashMap<ProgressToken, mpsc::Sender<Progress>>;

/// The handler of one connection. Clones share what they know.
#[derive(Debug, Clone)]
pub(super) struct Listener {
    config: ClientConfig,
    wire: Arc<Wire>,
    askers: Arc<Mutex<Askers>>,
}

impl Listener {
    pub(super) fn new(config: ClientConfig, wire: Arc<Wire>) -> Self {
        Self { config, wire, askers: Arc::default() }
    }

    /// Sends what is said under `token` to `progress`. Askers that have gone are cleared away.
    pub(super) fn hear(&self, token: ProgressToken, progress: mpsc::Sender<Progress>) {
        let mut askers = self.askers.lock().unwrap_or_else(PoisonError::into_inner);
        askers.retain(|_, asker| !asker.is_closed());
        askers.insert(token, progress);
    }

    fn report(&self, said: ProgressNotificationParam) {
        self.wire.saw_notification();
        let ProgressNotificationParam { progress_token, progress, total, message, .. } = said;
        let askers = self.askers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(asker) = askers.get(&progress_token) {
            let message = message.map(|text| server_text(&text));
            // Full or gone: the asker has unread progress, or waits no longer.
            let _ = asker.try_send(Progress { progress, total, message });
        }
    }

    fn changed(&self) {
        self.wire.saw_notification();
        self.wire.saw_change();
    }
}

impl ClientHandler for Listener {
    fn get_info(&self) -> ClientConfig {
        self.config.clone()
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListRootsRequestMethod>())
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Err(ErrorData::method_not_found::<ElicitationCreateRequestMethod>())
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.report(params);
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed();
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed();
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed();
    }
}
