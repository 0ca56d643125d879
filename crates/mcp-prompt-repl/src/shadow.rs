//! The warning for macros that a builtin command hides (R5). Commands win; nothing here runs a macro.

use mcp_render::shown_line;

const NAME_CHARS: usize = 80;

/// One warning for each macro that has a command's name, in the macros' order. Names stand without their dot.
///
/// ```
/// let warnings = mcp_prompt_repl::shadow_warnings(["prompt", "mine"], &["prompt", "exit"]);
/// assert_eq!(warnings, ["The macro `prompt` is shadowed by the command `.prompt`. Run it with `.macro prompt`, or rename it"]);
/// ```
pub fn shadow_warnings<'a>(macros: impl IntoIterator<Item = &'a str>, commands: &[&str]) -> Vec<String> {
    let shadowed = macros.into_iter().filter(|name| commands.contains(name));
    let warning = |name| {
        let name = shown_line(name, NAME_CHARS);
        format!("The macro `{name}` is shadowed by the command `.{name}`. Run it with `.macro {name}`, or rename it")
    };
    shadowed.map(warning).collect()
}

#[cfg(test)]
mod tests {
    use super::shadow_warnings;

    #[test]
    fn a_macro_with_a_commands_name_is_reported_as_shadowed_r5() {
        let warnings = shadow_warnings(["exit", "mine", "prompt", "prompts"], &["prompt", "exit"]);
        assert_eq!(warnings.len(), 2);
        assert!(warnings[0].contains("`exit`") && warnings[1].contains("`.macro prompt`"), "{warnings:?}");
        assert!(shadow_warnings(["mine"], &["prompt"]).is_empty());
    }
}
