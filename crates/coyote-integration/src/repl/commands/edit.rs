//! `.edit config|mcp-config|role|session`: the user's own files in the user's own editor.
//!
//! What was edited is read again when the editor has ended well. The editor has the terminal meanwhile.

use super::{Argument, Command, Completes, Need, Outcome, Pace, Running, Word, too_many, usage, word, words};
use crate::{
    app_state::AppState,
    chat::Refusal,
    config::{private_dir, read_config, read_mcp_json},
    repl::{context::Context, external_editor, start::editor_of},
};
use mcp_prompt_repl::CommandLine;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

pub(super) const EDIT: Command = Command {
    name: "edit",
    usage: "config|mcp-config|role|session",
    about: "Open a file in your editor, and read it again",
    help: "The editor is `editor` of config.yaml, else VISUAL, EDITOR, then nano or vi.",
    needs: &[],
    pace: Pace::Terminal,
    completes: Completes::Arguments(&[Argument::Words(WORDS)]),
    run,
};

const WORDS: &[Word] = &[
    Word { name: "config", about: "config.yaml", needs: &[] },
    Word { name: "mcp-config", about: "mcp.json; servers are read again by `.mcp reload`", needs: &[] },
    Word { name: "role", about: "the file of the role", needs: &[Need::Role] },
    Word { name: "session", about: "what was said, as its file has it", needs: &[Need::Session] },
];

fn run<'a>(context: &'a mut Context, line: CommandLine<'a>) -> Running<'a> {
    Box::pin(async move {
        let words = words(line)?;
        let given = match words.as_slice() {
            [given] => given,
            [] => return Err(Refusal::given("`.edit` needs to know what", usage(&EDIT))),
            _ => return Err(too_many(&EDIT)),
        };
        let word = word(&EDIT, WORDS, given, context.conversation.flags())?;
        let app = Arc::clone(context.conversation.app());
        match word.name {
            "config" => {
                open(context, app.paths.config_file.clone()).await?;
                reload(context, &app)?;
            }
            "mcp-config" => {
                let [first, _] = app.paths.mcp_json();
                let file = app.servers.file().map_or(first, Path::to_owned);
                open(context, file).await?;
                if let Some(fault) = read_mcp_json(&app.paths, &app.environment).fault {
                    return Err(Refusal::outside(fault, "`.edit mcp-config` goes on. What was read before counts"));
                }
                context.report.note("`.mcp reload` reads it again and starts what changed");
            }
            "session" => {
                let file = context.conversation.session_to_edit()?;
                open(context, file).await?;
                let change = context.conversation.session_edited()?;
                context.apply(change);
            }
            _ => {
                let name = context.conversation.role().map(|role| role.name.clone()).unwrap_or_default();
                if name.is_empty() {
                    return Err(Refusal::given(
                        "The role was only typed, and has no file",
                        "`.temp-role <text>` takes another text",
                    ));
                }
                open(context, app.paths.roles_dir.join(format!("{name}.md"))).await?;
                let change = context.conversation.use_role(&name)?;
                context.apply(change);
            }
        }
        Ok(Outcome::Done)
    })
}

/// Reads config.yaml again; a file that does not parse leaves everything as it was.
fn reload(context: &mut Context, app: &Arc<AppState>) -> Result<(), Refusal> {
    let config = read_config(&app.paths);
    if let Some(fault) = config.fault {
        return Err(Refusal::outside(fault.sentence, "`.edit config` goes on. What was read before counts"));
    }
    for warning in &config.warnings {
        context.report.warn(warning);
    }
    let app = AppState { config: Arc::new(config), ..AppState::clone(app) };
    let change = context.conversation.reload(Arc::new(app))?;
    context.apply(change);
    Ok(())
}

/// Opens a file in the editor, and waits for its end.
async fn open(context: &Context, file: PathBuf) -> Result<(), Refusal> {
    let words = editor_of(&context.conversation.app().config);
    let Some((program, arguments)) = words.split_first() else {
        let (sentence, hint) = external_editor::NONE;
        return Err(Refusal::outside(sentence, hint));
    };
    if let Some(dir) = file.parent() {
        let made = private_dir(dir);
        made.map_err(|error| Refusal::outside(error.to_string(), format!("Make `{}` writable", dir.display())))?;
    }
    let mut command = std::process::Command::new(program);
    command.args(arguments).arg(&file);
    match context.terminal.run(command).await {
        Some(Ok(status)) if status.success() => Ok(()),
        Some(Ok(status)) => {
            Err(Refusal::outside(format!("The editor `{program}` ended with {status}"), "Nothing was read again"))
        }
        Some(Err(error)) => Err(Refusal::outside(
            format!("The editor `{program}` could not be started: {error}"),
            "Set `editor` in config.yaml, VISUAL or EDITOR to one that is installed",
        )),
        None => Err(Refusal::outside("The terminal is gone", "Start coyote again")),
    }
}
