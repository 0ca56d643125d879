//! The layers of a conversation's settings: the most specific wins (host.md "Selection").
//!
//! `mcp_tools` is the exception: a layer takes tools away and never gives one back (S7).

use crate::config::{AppConfig, Chosen, NamedBy, Settings};

/// A layer, from the least specific.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layer {
    /// `config.yaml`.
    Config,
    /// The role.
    Role,
    /// The agent.
    Agent,
    /// The session.
    Session,
    /// What the user gave for this conversation: options and `.set`.
    Given,
}

/// The settings of every layer; one that is not in use is empty.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Layers {
    config: Settings,
    role: Settings,
    agent: Settings,
    session: Settings,
    given: Settings,
}

impl Layers {
    /// The layers over a configuration.
    pub fn new(config: &AppConfig) -> Self {
        Self { config: config.settings.clone(), ..Self::default() }
    }

    /// The same with these settings of a layer.
    #[must_use]
    pub fn with(mut self, layer: Layer, settings: Settings) -> Self {
        *self.layer_mut(layer) = settings;
        self
    }

    /// A layer.
    pub const fn layer(&self, layer: Layer) -> &Settings {
        match layer {
            Layer::Config => &self.config,
            Layer::Role => &self.role,
            Layer::Agent => &self.agent,
            Layer::Session => &self.session,
            Layer::Given => &self.given,
        }
    }

    /// A layer, to be changed.
    pub const fn layer_mut(&mut self, layer: Layer) -> &mut Settings {
        match layer {
            Layer::Config => &mut self.config,
            Layer::Role => &mut self.role,
            Layer::Agent => &mut self.agent,
            Layer::Session => &mut self.session,
            Layer::Given => &mut self.given,
        }
    }

    /// `client:model`.
    pub fn model(&self) -> Option<&str> {
        self.find(|settings| settings.model.as_deref())
    }

    /// What named the model.
    pub fn model_named_by(&self) -> Option<NamedBy> {
        self.all().into_iter().find(|settings| settings.model.is_some())?.places.of("model")
    }

    /// What named this entry of the servers.
    pub fn server_named_by(&self, entry: &str) -> Option<NamedBy> {
        self.entry_named_by("enabled_mcp_servers", |settings| &settings.enabled_mcp_servers, entry)
    }

    /// What named this entry of the local tools.
    pub fn tool_named_by(&self, entry: &str) -> Option<NamedBy> {
        self.entry_named_by("enabled_tools", |settings| &settings.enabled_tools, entry)
    }

    /// Sampling temperature.
    pub fn temperature(&self) -> Option<f64> {
        self.find(|settings| settings.temperature)
    }

    /// Nucleus sampling.
    pub fn top_p(&self) -> Option<f64> {
        self.find(|settings| settings.top_p)
    }

    /// The local tools.
    pub fn enabled_tools(&self) -> &Chosen {
        self.chosen(|settings| &settings.enabled_tools)
    }

    /// The servers.
    pub fn enabled_mcp_servers(&self) -> &Chosen {
        self.chosen(|settings| &settings.enabled_mcp_servers)
    }

    /// The macros.
    pub fn enabled_macros(&self) -> &Chosen {
        self.chosen(|settings| &settings.enabled_macros)
    }

    /// Every layer's globs, which all hold (S7): `(server or alias, globs)`.
    pub fn mcp_tools(&self) -> impl Iterator<Item = (&str, &[String])> {
        let layers = self.all().into_iter();
        layers.flat_map(|settings| settings.mcp_tools.iter().map(|(server, globs)| (server.as_str(), globs.as_slice())))
    }

    /// The servers and aliases that the layers' globs are for, and what named each.
    pub fn limited_servers(&self) -> impl Iterator<Item = (&String, Option<NamedBy>)> {
        let named = |settings: &'_ Settings, server: &str| settings.places.of_entry("mcp_tools", server);
        let layers = self.all().into_iter();
        layers.flat_map(move |settings| settings.mcp_tools.keys().map(move |server| (server, named(settings, server))))
    }

    /// The most specific first.
    const fn all(&self) -> [&Settings; 5] {
        [&self.given, &self.session, &self.agent, &self.role, &self.config]
    }

    fn entry_named_by(&self, key: &str, get: fn(&Settings) -> &Chosen, entry: &str) -> Option<NamedBy> {
        self.all().into_iter().find(|settings| !get(settings).is_unset())?.places.of_entry(key, entry)
    }

    fn find<'a, T>(&'a self, get: impl Fn(&'a Settings) -> Option<T>) -> Option<T> {
        self.all().into_iter().find_map(get)
    }

    fn chosen<'a>(&'a self, get: impl Fn(&'a Settings) -> &'a Chosen) -> &'a Chosen {
        self.find(|settings| Some(get(settings)).filter(|chosen| !chosen.is_unset())).unwrap_or(&Chosen::Unset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(temperature: Option<f64>, model: Option<&str>, tools: Chosen) -> Settings {
        let model = model.map(str::to_owned);
        Settings { temperature, model, enabled_tools: tools, ..Settings::default() }
    }

    #[test]
    fn the_most_specific_layer_wins_and_an_absent_key_is_the_next_layers() {
        let mut config = AppConfig::default();
        config.settings = settings(Some(0.1), Some("a:config"), Chosen::of("fs"));
        let mut layers = Layers::new(&config);
        assert_eq!((layers.temperature(), layers.model()), (Some(0.1), Some("a:config")));
        let order = [Layer::Role, Layer::Agent, Layer::Session, Layer::Given];
        for (place, layer) in order.into_iter().enumerate() {
            let model = format!("a:{place}");
            layers = layers.with(layer, settings(None, Some(&model), Chosen::Unset));
            assert_eq!(layers.model(), Some(model.as_str()), "{layer:?}");
            assert_eq!(layers.temperature(), Some(0.1), "{layer:?}");
            assert_eq!(layers.enabled_tools(), &Chosen::of("fs"), "{layer:?}");
        }
        *layers.layer_mut(Layer::Given) = Settings::default();
        assert_eq!(layers.model(), Some("a:2"));
    }

    #[test]
    fn an_explicit_null_of_a_specific_layer_is_not_the_next_layers() {
        let mut config = AppConfig::default();
        config.settings = settings(None, None, Chosen::of("all"));
        let layers = Layers::new(&config).with(Layer::Role, settings(None, None, Chosen::Null));
        assert_eq!(layers.enabled_tools(), &Chosen::Null);
    }
}
