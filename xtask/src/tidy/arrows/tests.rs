//! Seeded edges and sources that the architecture does not have.

use super::*;

fn manifest(name: &str, edges: &[(&str, Use)]) -> Manifest {
    let edges = edges.iter().map(|(to, use_)| Edge { to: (*to).to_owned(), use_: *use_ }).collect();
    Manifest { name: name.to_owned(), path: format!("crates/{name}/Cargo.toml"), edges }
}

/// The house with one more edge.
fn with_edge(from: &str, to: &str, use_: Use) -> Vec<String> {
    let names = FLOORS.iter().copied().chain(BESIDE);
    let house: Vec<_> =
        names.map(|name| if name == from { manifest(name, &[(to, use_)]) } else { manifest(name, &[]) }).collect();
    edges(&house).into_iter().map(|finding| finding.what).collect()
}

fn whats(path: &str, text: &str) -> Vec<String> {
    check(&Tree::of(&[(path, text)]), &[]).into_iter().map(|finding| finding.what).collect()
}

#[test]
fn a_floor_knows_those_below_it_and_none_above() {
    for (low, lower) in FLOORS.iter().enumerate() {
        for (high, higher) in FLOORS.iter().enumerate() {
            for use_ in [Use::Shipped, Use::Dev] {
                let found = with_edge(higher, lower, use_);
                assert_eq!(found.is_empty(), low < high, "{higher} → {lower}: {found:?}");
            }
        }
    }
}

#[test]
fn what_stands_beside_the_house_sees_every_floor_and_is_seen_by_none() {
    for use_ in [Use::Shipped, Use::Dev] {
        for floor in FLOORS {
            for beside in BESIDE {
                assert!(with_edge(beside, floor, use_).is_empty(), "{beside} → {floor}");
                assert!(!with_edge(floor, beside, use_).is_empty(), "{floor} → {beside}");
            }
        }
        assert!(!with_edge("xtask", "acceptance", use_).is_empty());
        assert!(!with_edge("acceptance", "xtask", use_).is_empty());
    }
}

#[test]
fn a_crate_without_a_floor_is_found() {
    let found = edges(&[manifest("mcp-extra", &[])]);
    assert_eq!(found[0].what, "the crate `mcp-extra` has no floor (style.md 6)");
}

#[test]
fn each_crate_is_kept_from_what_it_must_not_know() {
    let forbidden = [
        ("mcp-render", "tokio"),
        ("mcp-render", "rmcp"),
        ("mcp-render", "crossterm"),
        ("mcp-render", "etcetera"),
        ("mcp-catalog", "comfy-table"),
        ("mcp-catalog", "process-wrap"),
        ("mcp-meta", "tokio"),
        ("mcp-meta", "reedline"),
        ("mcp-meta", "rmcp"),
        ("mcp-prompt-repl", "rmcp"),
        ("mcp-prompt-repl", "reedline"),
        ("mcp-prompt-repl", "inquire"),
        ("coyote-integration", "shlex"),
    ];
    for (name, external) in forbidden {
        let expected = [format!("`{name}` must not depend on `{external}` (ARCHITECTURE.md)")];
        assert_eq!(with_edge(name, external, Use::Shipped), expected);
        assert!(with_edge(name, external, Use::Dev).is_empty(), "{name} may test with {external}");
    }
    for (name, external) in [
        ("mcp-render", "serde_json"),
        ("mcp-catalog", "rmcp"),
        ("mcp-catalog", "tokio"),
        ("coyote-integration", "clap"),
    ] {
        assert!(with_edge(name, external, Use::Shipped).is_empty(), "{name} uses {external}");
    }
}

#[test]
fn a_library_does_not_print_in_whatever_way() {
    let printing = [
        "fn f() { println!(\"x\"); }",
        "fn f() { eprint!(\"x\"); }",
        "fn f() { dbg!(x); }",
        "fn f() { select! { a => { eprintln!(\"x\") } } }",
        "fn f() { std::io::stdout().write(b); }",
        "use std::io::stderr; fn f() { g(); }",
        "fn f() { stderr().flush(); }",
        "fn f() { writer(std::io::stderr); }",
    ];
    for name in ["mcp-render", "mcp-catalog", "mcp-meta", "mcp-prompt-repl"] {
        for text in printing {
            let found = whats(&format!("crates/{name}/src/a.rs"), text);
            assert_eq!(found.len(), 1, "{name}: {text}: {found:?}");
        }
    }
    let harmless = "/// println!(\"x\")\nfn f() { let stdout = child.stdout.take(); command.stdout(Stdio::piped()); child.stdout(); \
                    std::io::stdout().is_terminal(); print(x); writeln!(out, \"x\"); }\n#[cfg(test)] mod tests { fn f() { println!(\"x\"); } }";
    assert_eq!(whats("crates/mcp-meta/src/a.rs", harmless), Vec::<String>::new());
}

#[test]
fn the_host_prints_in_its_report_and_its_printers_only() {
    let text = "fn f() { println!(\"x\"); }";
    assert_eq!(whats("crates/coyote-integration/src/cli/chat.rs", text), ["`println!` prints (ARCHITECTURE.md)"]);
    for allowed in ["report.rs", "repl/printer.rs", "repl/printer/table.rs"] {
        assert_eq!(whats(&format!("crates/coyote-integration/src/{allowed}"), text), Vec::<String>::new());
    }
    for free in ["xtask/src/a.rs", "tests/src/bin/a.rs", "crates/mcp-render/benches/a.rs"] {
        assert_eq!(whats(free, text), Vec::<String>::new(), "{free}");
    }
}

#[test]
fn blocking_on_async_is_found_outside_the_bridge() {
    for call in ["runtime.block_on(f)", "tokio::task::block_in_place(f)", "rx.blocking_recv()"] {
        let text = format!("fn f() {{ {call}; }}");
        for path in ["crates/mcp-prompt-repl/src/a.rs", "crates/coyote-integration/src/app_state.rs"] {
            assert_eq!(whats(path, &text).len(), 1, "{path}: {call}");
        }
        for path in ["crates/coyote-integration/src/repl/bridge.rs", "crates/coyote-integration/src/main.rs"] {
            assert_eq!(whats(path, &text), Vec::<String>::new(), "{path}: {call}");
        }
    }
    assert_eq!(whats("crates/coyote-integration/src/a.rs", "fn f() { spawn_blocking(g); }"), Vec::<String>::new());
}

#[test]
fn the_sdk_is_named_in_its_room_only() {
    for text in ["use rmcp::model::Tool;", "fn f(t: rmcp::model::Tool) {}", "m! { rmcp::x }"] {
        assert_eq!(whats("crates/mcp-catalog/src/item.rs", text), ["`rmcp` is named outside `sdk/` (ARCHITECTURE.md)"]);
        assert_eq!(whats("crates/mcp-catalog/src/sdk/convert.rs", text), Vec::<String>::new());
    }
    assert_eq!(whats("crates/mcp-catalog/src/lib.rs", "#[cfg(feature = \"rmcp\")] pub mod sdk;"), Vec::<String>::new());
}

#[test]
fn the_catalog_starts_nothing_and_the_policy_reads_no_environment() {
    let start = whats("crates/mcp-catalog/src/sdk/port.rs", "fn f() { tokio::process::Command::new(\"x\"); }");
    assert_eq!(start, ["the catalog starts a process (ARCHITECTURE.md)"]);
    let read = whats("crates/mcp-render/src/spill.rs", "fn f() { std::env::temp_dir(); }");
    assert_eq!(read, ["`env::temp_dir` reads the environment (ARCHITECTURE.md)"]);
    assert_eq!(whats("crates/mcp-render/src/spill.rs", "const A: &str = env!(\"X\");"), Vec::<String>::new());
}

#[test]
fn a_byte_limit_stands_in_limits() {
    let own = [
        "const A_BYTES: usize = 4096;",
        "pub const A_BYTES: u64 = 50 << 20;",
        "static A_BYTES: usize = (1 + 2);",
        "impl A { const B_BYTES: usize = 1; }",
    ];
    for text in own {
        let found = whats("crates/mcp-catalog/src/a.rs", text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert_eq!(whats("crates/mcp-render/src/limits.rs", text), Vec::<String>::new());
    }
    let fine = [
        "const A_BYTES: usize = mcp_render::PAGE_DEFAULT_BYTES;",
        "const A_BYTES: usize = 2 * CEILING_BYTES;",
        "const A: usize = 4096;",
        "fn f<const N_BYTES: usize>() { let x = 1; }",
        "const A_BYTES: &[u8] = b;",
    ];
    for text in fine {
        assert_eq!(whats("crates/mcp-catalog/src/a.rs", text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn a_deadline_stands_in_deadline() {
    let own = [
        "const A: Duration = Duration::from_secs(3);",
        "pub static A: std::time::Duration = B;",
        "const A: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(2)];",
        "fn f() { timeout(Duration::from_millis(250), g()); }",
    ];
    for text in own {
        let found = whats("crates/coyote-integration/src/a.rs", text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert_eq!(whats("crates/mcp-catalog/src/deadline.rs", text), Vec::<String>::new());
    }
    let fine = [
        "fn f(d: Duration) -> Duration { Duration::from_secs(d.as_secs() * 2) }",
        "const A: usize = 1;",
        "struct A { at: Duration }",
    ];
    for text in fine {
        assert_eq!(whats("crates/coyote-integration/src/a.rs", text), Vec::<String>::new(), "{text}");
    }
}
