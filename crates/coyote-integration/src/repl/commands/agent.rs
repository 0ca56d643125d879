//! `.agent name [session] [key=value…]` and `.starter [n]` (host.md "Agents and the Supervisor").

use super::{Argument, Command, Completes, Need, Outcome, Pace, Running, rest, too_many, usage, words};
use crate::{
    agents::{AgentWish, use_agent},
    chat::{Conversation, Refusal},
    config::{AgentConfig, Chosen},
    model::Part,
    repl::{commands::session::replay, context::Context},
    table::table,
};
use mcp_prompt_repl::CommandLine;

pub(super) const AGENT: Command = Command {
    name: "agent",
    usage: "<name> [session] [key=value…]",
    about: "Talk to an agent, perhaps in one of its sessions",
    help: "An agent is a directory of the agents directory: `.list agents`. `key=value` gives a variable of its instructions a \
           value; one without a default is asked for. What was said before is forgotten. `.exit agent` leaves it.",
    needs: &[],
    pace: Pace::InTurn,
    completes: Completes::Arguments(&[Argument::Agent, Argument::Text]),
    run: agent,
};

pub(super) const STARTER: Command = Command {
    name: "starter",
    usage: "[n]",
    about: "Show what the agent suggests to begin with, or say one of it",
    help: "",
    needs: &[Need::Agent],
    pace: Pace::InTurn,
    completes: Completes::Arguments(&[Argument::Text]),
    run: starter,
};

fn agent<'a>(context: &'a mut Context, line: CommandLine<'a>) -> Running<'a> {
    Box::pin(async move {
        let wish = wish(words(line)?)?;
        let desk = context.desk();
        let change = use_agent(&mut context.conversation, wish, desk).await?;
        context.apply(change);
        replay(&context.report, &context.conversation);
        if !starters(&context.conversation).is_empty() {
            context.report.note("`.starter` shows what to begin with");
        }
        Ok(Outcome::Done)
    })
}

/// What the words of a command want.
pub(super) fn wish(words: Vec<String>) -> Result<AgentWish, Refusal> {
    let mut words = words.into_iter();
    let Some(name) = words.next() else {
        return Err(Refusal::given("`.agent` needs a name", "`.list agents` shows what there is"));
    };
    let mut wish = AgentWish { name, ..AgentWish::default() };
    for word in words {
        match word.split_once('=') {
            Some(("", _)) => {
                let shown = mcp_render::shown_line(&word, 80);
                return Err(Refusal::given(format!("`{shown}` gives no variable a value"), usage(&AGENT)));
            }
            Some((key, _)) if wish.values.contains_key(key) => {
                return Err(Refusal::given(format!("`{key}` stands twice"), "Give each variable once"));
            }
            Some((key, value)) => drop(wish.values.insert(key.to_owned(), value.to_owned())),
            None if wish.session.is_none() => wish.session = Some(word),
            None => return Err(too_many(&AGENT)),
        }
    }
    Ok(wish)
}

fn starter<'a>(context: &'a mut Context, line: CommandLine<'a>) -> Running<'a> {
    Box::pin(async move {
        let starters = starters(&context.conversation).to_vec();
        let given = rest(line, 0);
        if given.is_empty() {
            let shown = if starters.is_empty() { "The agent suggests nothing".to_owned() } else { numbered(&starters) };
            context.report.print(&shown);
            return Ok(Outcome::Done);
        }
        let number = given.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let Some(text) = number.and_then(|number| starters.get(number)) else {
            let shown = mcp_render::shown_line(given, 80);
            let sentence = format!("There is no starter `{shown}`; the agent has {}", starters.len());
            return Err(Refusal::given(sentence, "`.starter` shows them by number"));
        };
        context.report.print(&format!("> {text}"));
        context.say(vec![Part::Text(text.clone())]).await?;
        Ok(Outcome::Done)
    })
}

fn starters(conversation: &Conversation) -> &[String] {
    let file = conversation.agent().and_then(|agent| agent.file.as_deref());
    file.map(|file| file.starters.as_slice()).unwrap_or_default()
}

fn numbered(starters: &[String]) -> String {
    let lines = (1..).zip(starters).map(|(number, text)| format!("{number}. {text}"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The agent of a conversation as `.info agent` shows it.
pub(super) fn info(conversation: &Conversation, width: Option<u16>) -> String {
    let Some(agent) = conversation.agent() else { return "No agent is in use".to_owned() };
    let default = AgentConfig::default();
    let file = agent.file.as_deref().unwrap_or(&default);
    let row = |name: &str, value: String| vec![name.to_owned(), value];
    let chosen = |chosen: &Chosen| match chosen {
        Chosen::Names(names) if !names.is_empty() => names.join(", "),
        _ => "none".to_owned(),
    };
    let mut rows = vec![row("agent", agent.name.clone()), row("description", file.description.clone())];
    rows.extend(file.version.clone().map(|version| row("version", version)));
    rows.push(row("mcp_servers", chosen(&agent.settings.enabled_mcp_servers)));
    rows.push(row("global_tools", chosen(&agent.settings.enabled_tools)));
    rows.extend(agent.values.iter().map(|(name, value)| row(name, value.clone())));
    if let Some(supervisor) = conversation.supervisor() {
        let names = supervisor.available().into_iter().map(|listed| listed.name).collect::<Vec<_>>().join(", ");
        rows.push(row("may spawn", if names.is_empty() { "none".to_owned() } else { names }));
        let running = supervisor.running().into_iter().map(|running| running.id).collect::<Vec<_>>().join(", ");
        rows.push(row("running", if running.is_empty() { "none".to_owned() } else { running }));
    }
    format!("{}\n{}", table(&["WHAT", "IS"], &rows, width), agent.instructions.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn a_name_then_a_session_and_values_in_any_order() {
        let read = wish(words(&["librarian", "reader=Ada", "work", "note=a=b"])).unwrap();
        assert_eq!((read.name.as_str(), read.session.as_deref()), ("librarian", Some("work")));
        let values: Vec<_> = read.values.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        assert_eq!(values, [("note", "a=b"), ("reader", "Ada")]);
        assert!(wish(words(&["librarian", "empty="])).unwrap().values["empty"].is_empty());
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        for given in [&[][..], &["a", "b", "c"], &["a", "=x"], &["a", "k=1", "k=2"]] {
            assert!(wish(words(given)).is_err(), "{given:?}");
        }
    }
}
