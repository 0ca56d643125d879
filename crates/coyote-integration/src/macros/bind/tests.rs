//! Words for variables, and steps that hold them.

use super::*;
use crate::macros::{MacroOrigin, Variable};

fn known(variables: &[(&str, Option<&str>, bool)], steps: &[&str]) -> Macro {
    let variable = |(name, default, rest): &(&str, Option<&str>, bool)| Variable {
        name: (*name).to_owned(),
        default: default.map(str::to_owned),
        rest: *rest,
    };
    Macro {
        name: "m".to_owned(),
        description: String::new(),
        isolated: false,
        variables: variables.iter().map(variable).collect(),
        steps: steps.iter().map(|step| (*step).to_owned()).collect(),
        origin: MacroOrigin::User,
    }
}

fn shown(known: &Macro, words: &[&str]) -> Result<Vec<String>, String> {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let steps = known.steps_with(&words).map_err(|fault| fault.to_string())?;
    Ok(steps.iter().map(|step| format!("{step:?}")).collect())
}

#[test]
fn words_go_to_variables_by_their_place_or_by_their_name() {
    let standup = known(&[("since", Some("yesterday"), false), ("topic", None, true)], &["{{since}}, {{topic}}"]);
    let line = |words: &[&str]| shown(&standup, words).map(|steps| steps[0].clone());
    let chat = |text: &str| Ok(format!("Chat({text:?})"));
    assert_eq!(line(&["monday", "the", "parser"]), chat("monday, the parser"));
    assert_eq!(line(&["since=monday", "the", "parser"]), chat("monday, the parser"));
    assert_eq!(line(&["the", "topic=parser"]), chat("the, parser"));
    assert_eq!(line(&["topic=a=b"]), chat("yesterday, a=b"));
    assert_eq!(line(&["x=1", "y"]), chat("x=1, y"), "a name that is no variable's is a word");
    assert_eq!(line(&["topic="]), chat("yesterday, "), "an empty value was given");
    assert_eq!(line(&["monday"]), Err("`.m` needs a value for `topic`".to_owned()));
    assert_eq!(line(&["topic=a", "topic=b"]), Err("`topic` is given twice to `.m`".to_owned()));
    let one = known(&[("a", None, false)], &["{{a}}"]);
    assert_eq!(shown(&one, &["x", "y"]), Err("`.m` takes no more words, and `y` is left".to_owned()));
}

// A value is what somebody typed, and maybe pasted: it must not run anything.
#[test]
fn no_value_makes_a_command_or_a_line_for_the_shell_of_a_step() {
    let steps = ["{{a}}", ".role {{a}}", "!echo {{a}}", "..dot {{a}}", "say {{ a }} and {{b}} and {{__os__}}"];
    let hostile = known(&[("a", None, false)], &steps);
    assert_eq!(
        shown(&hostile, &["!rm {{b}}"]).unwrap(),
        [
            r#"Chat("!rm {{b}}")"#,
            r#"Line(".role !rm {{b}}")"#,
            r#"Line("!echo !rm {{b}}")"#,
            r#"Chat(".dot !rm {{b}}")"#,
            r#"Chat("say !rm {{b}} and {{b}} and {{__os__}}")"#,
        ]
    );
}

#[test]
fn a_backslash_makes_text_of_what_would_be_filled_in() {
    let known = known(&[("a", None, false)], &[r"{{a}} is \{{a}}, \{{ b }}, \{ and {{__os__}}"]);
    assert_eq!(shown(&known, &["x"]).unwrap(), [r#"Chat("x is {{a}}, {{ b }}, \\{ and {{__os__}}")"#]);
}
