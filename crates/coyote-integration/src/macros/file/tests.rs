//! What a macro's file may say.

use super::*;

fn read(text: &str) -> Result<(Macro, Vec<String>), String> {
    Macro::parse("m", text, Path::new("m.yaml"), MacroOrigin::User)
}

#[test]
fn a_macro_is_read_whole() {
    let (read, unread) = read(include_str!("standup.yaml")).unwrap();
    assert_eq!(
        (read.isolated, read.description.as_str(), unread),
        (true, "Summarise what changed since a day", Vec::new())
    );
    assert_eq!(read.steps, [".role reviewer", "What changed since {{since}} about {{topic}}?"]);
    assert_eq!(read.usage(), ".m [since] <topic…>");
}

#[test]
fn a_file_that_is_wrong_anywhere_is_no_macro_and_says_where() {
    let wrong = [
        "- a",
        "steps: []",
        "steps: hello",
        "steps: [[a]]",
        "steps: [a]\nisolated: 3",
        "steps: [a]\nvariables: [a]",
        "steps: [a]\nvariables: [{default: a}]",
        "steps: [a]\nvariables: [{name: a b}]",
        "steps: [a]\nvariables: [{name: a, rest: maybe}]",
        "steps: [a]\nvariables: [{name: a}, {name: a}]",
        "steps: [a]\nvariables: [{name: a, rest: true}, {name: b}]",
        "steps:\n- fine\n- '!echo {{ nope }}'",
        "steps: ['{{a}} {{__os__}} \\{{b}} {{c}}']\nvariables: [{name: a}, {name: b}]",
    ]
    .map(|text| read(text).unwrap_err());
    insta::assert_snapshot!(wrong.join("\n"), @r#"
    Macro `m`, `m.yaml` line 1: it is a list; accepted is a mapping with `steps`
    Macro `m`, `m.yaml`: it has no `steps`
    Macro `m`, `m.yaml` line 1: `steps` is `hello`; accepted is a list of lines
    Macro `m`, `m.yaml` line 1: a step is a list; accepted is a line
    Macro `m`, `m.yaml` line 2: `isolated` is `3`; accepted is true or false
    Macro `m`, `m.yaml` line 2: a variable is text; accepted is `{name, default, rest}`
    Macro `m`, `m.yaml` line 2: a variable has no `name`
    Macro `m`, `m.yaml` line 2: a variable has a `name` that `{{name}}` cannot hold; accepted are letters, digits and `_`
    Macro `m`, `m.yaml` line 2: a variable has a `rest` that is neither true nor false
    Macro `m`, `m.yaml`: the variable `a` stands twice
    Macro `m`, `m.yaml`: the variable `a` takes the rest and is not the last
    Macro `m`, `m.yaml` line 3: step 2 holds `{{nope}}`, which is no variable of this macro: it has none; `\{{nope}}` is text
    Macro `m`, `m.yaml` line 1: step 1 holds `{{c}}`, which is no variable of this macro: its variables are `a`, `b`; `\{{c}}` is text
    "#);
    assert_eq!(read("steps: [a]\ncolour: red").unwrap().1, ["Macro `m`, `m.yaml` line 2: a macro has no key `colour`"]);
}

#[test]
fn what_a_role_fills_in_may_stand_in_a_step() {
    let facts = Facts::gather(&crate::config::Environment::new(crate::config::ProcessEnv::of(&[])));
    for name in Facts::NAMES {
        assert!(facts.value(name).is_some(), "{name}");
        assert!(read(&format!("steps: ['.temp-role Brief on {{{{{name}}}}}']")).is_ok(), "{name}");
    }
}
