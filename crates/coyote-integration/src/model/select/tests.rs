//! Which models there are with which clients and which environment. Nothing here reaches a provider (S47).

use super::*;
use crate::config::ProcessEnv;

fn environment(variables: &[(&str, &str)]) -> Environment {
    Environment::new(ProcessEnv::of(variables))
}

fn named(kind: ClientKind, name: &str, key: Option<&str>, models: &[&str]) -> ClientConfig {
    let models = models.iter().map(|name| ModelConfig { name: (*name).to_owned(), ..ModelConfig::default() }).collect();
    ClientConfig { name: name.to_owned(), ..client(kind, key.map(str::to_owned), None, models) }
}

fn fault(models: &Models, id: &str) -> ModelError {
    match models.resolve(id) {
        Ok(model) => panic!("{} was found", model.id()),
        Err(error) => error,
    }
}

#[test]
fn clients_come_in_their_order_and_offline_last() {
    let clients = [
        named(ClientKind::Ollama, "near", None, &["llama3.2", "qwen3:8b"]),
        named(ClientKind::OpenAi, "far", Some("k"), &["gpt-x"]),
    ];
    let models = Models::new(&clients, &environment(&[]));
    let ids: Vec<String> = models.list().into_iter().map(|model| model.id).collect();
    assert_eq!(ids, ["near:llama3.2", "near:qwen3:8b", "far:gpt-x", "offline"]);
    assert_eq!(models.default_id(), "near:llama3.2");
    assert_eq!(models.resolve("near:qwen3:8b").unwrap().id(), "near:qwen3:8b");
    assert_eq!(models.resolve("far").unwrap().id(), "far:gpt-x");
}

#[test]
fn an_unknown_model_is_answered_with_the_closest() {
    let models = Models::new(&[named(ClientKind::OpenAi, "far", Some("k"), &["gpt-4o"])], &environment(&[]));
    let error = fault(&models, "far:gpt-40");
    assert_eq!(error.fault, ModelFault::NotFound);
    assert_eq!(error.text, "There is no model `far:gpt-40`");
    assert_eq!(error.hint, "Did you mean `far:gpt-4o`? `coyote --list-models` and `.list models` show all");
}

#[test]
fn a_model_of_a_client_that_is_not_there_says_how_to_have_one() {
    let none = Models::new(&[], &environment(&[]));
    let error = fault(&none, "openai:gpt-4o");
    assert_eq!(error.text, "There is no model `openai:gpt-4o`: no client is called `openai`");
    insta::assert_snapshot!(error.hint, @"Set `OPENAI_API_KEY`, or write a client of that name under `clients` in config.yaml (`coyote://manual/models`); `coyote --list-models` and `.list models` show all");
    let some = Models::new(&[named(ClientKind::Claude, "claude", Some("k"), &["x"])], &environment(&[]));
    insta::assert_snapshot!(fault(&some, "openai:gpt-4o").hint, @"Write a client of that name under `clients` in config.yaml (`coyote://manual/models`); `coyote --list-models` and `.list models` show all");
}

#[test]
fn a_missing_secret_makes_only_its_client_unusable_and_is_named_when_it_is_used() {
    let clients = [
        named(ClientKind::OpenAi, "lost", Some("{{NOWHERE}}"), &["m"]),
        named(ClientKind::OpenAi, "found", Some("{{HERE}}"), &["m"]),
    ];
    let models = Models::new(&clients, &environment(&[("HERE", "k")]));
    assert!(models.resolve("found:m").is_ok());
    let error = fault(&models, "lost:m");
    assert_eq!(error.fault, ModelFault::Auth);
    assert_eq!(error.text, "Secret `NOWHERE` is not set; `api_key` of client `lost` uses it");
}

#[test]
fn a_key_may_stand_in_the_variable_of_its_client() {
    let clients = [named(ClientKind::Claude, "my-claude", None, &["m"])];
    assert!(Models::new(&clients, &environment(&[("MY_CLAUDE_API_KEY", "k")])).resolve("my-claude:m").is_ok());
    let error = fault(&Models::new(&clients, &environment(&[])), "my-claude:m");
    assert_eq!(
        error.hint,
        "Write `api_key` of the client into config.yaml, or set `MY_CLAUDE_API_KEY` in the environment"
    );
}

#[tokio::test]
async fn without_clients_the_first_key_of_the_environment_counts_then_an_ollama_then_offline() {
    let nowhere = ("OLLAMA_HOST", "127.0.0.1:1");
    let both = environment(&[("GEMINI_API_KEY", "k"), ("ANTHROPIC_API_KEY", "k"), nowhere]);
    assert_eq!(Models::find(&AppConfig::default(), &both).await.default_id(), "claude:claude-haiku-5-5");
    let blank = environment(&[("OPENAI_API_KEY", " "), nowhere]);
    assert_eq!(Models::find(&AppConfig::default(), &blank).await.default_id(), "offline");
}

#[test]
fn a_base_without_a_path_gets_its_version() {
    assert_eq!(base("https://a.example/", ClientKind::Claude), "https://a.example/v1/");
    assert_eq!(base("https://a.example", ClientKind::Gemini), "https://a.example/v1beta/");
    assert_eq!(base("https://a.example/x/v1", ClientKind::OpenAi), "https://a.example/x/v1/");
    assert_eq!(base("http://127.0.0.1:8080", ClientKind::OpenAiCompatible), "http://127.0.0.1:8080/");
}

#[test]
fn the_host_of_an_ollama_may_be_written_in_each_way_that_it_takes() {
    let base = |host: &str| ollama_base(&environment(&[("OLLAMA_HOST", host)]));
    assert_eq!(base(""), "http://127.0.0.1:11434/");
    assert_eq!(base("0.0.0.0"), "http://127.0.0.1:11434/");
    assert_eq!(base("box:5000"), "http://box:5000/");
    assert_eq!(base("https://box/"), "https://box/");
}

#[test]
fn no_key_is_shown_by_debug() {
    let models = Models::new(&[named(ClientKind::OpenAi, "far", Some("sk-secret"), &["m"])], &environment(&[]));
    assert!(!format!("{models:?}").contains("sk-secret"));
}

#[tokio::test]
async fn a_model_of_a_client_that_is_skipped_says_what_skipped_it() {
    let file = "clients:\n- type: bedrock\n  name: work\n- type: openai-compatible\n  name: near\n- {type: openai, name: far}\n";
    let config = AppConfig::parse(file, std::path::Path::new("config.yaml"));
    let models = Models::find(&config, &Environment::new(ProcessEnv::of(&[]))).await;
    for (id, why) in [
        ("work:m", "`config.yaml` line 2: client type `bedrock` is not supported"),
        ("work", "`config.yaml` line 2: client type `bedrock` is not supported"),
        ("near:m", "`config.yaml` line 4: client `near` has no `api_base` and is skipped"),
    ] {
        let error = models.resolve(id).err().unwrap();
        assert_eq!(error.text, format!("There is no model `{id}`: its client is skipped"));
        assert!(error.hint.starts_with(why), "{}", error.hint);
    }
}
