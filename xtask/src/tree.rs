//! The sources of the workspace in memory, parsed once for every check, and which of them are tests.
//!
//! It reads files and writes none. A file that does not parse is an error with its line: a check that skipped it would
//! pass on what it has not seen.

use crate::tokens::{self, Token};
use anyhow::{Context, Result, anyhow};
use proc_macro2::{LineColumn, TokenStream};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use syn::spanned::Spanned;
use syn::visit::Visit;

#[cfg(test)]
mod tests;

/// The directories that hold our sources.
const ROOTS: [&str; 5] = ["counts", "crates", "fuzz", "tests", "xtask"];

/// All sources, sorted by path.
pub(crate) struct Tree {
    sources: Vec<Source>,
}

impl Tree {
    /// Reads every `.rs` file under the workspace's `root`.
    pub(crate) fn load(root: &Path) -> Result<Self> {
        let mut files = Vec::new();
        for dir in ROOTS {
            if root.join(dir).is_dir() {
                collect(root, dir, &mut files)?;
            }
        }
        Self::parse(files)
    }

    /// A tree of `(path, text)` pairs, for tests.
    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        Self::parse(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()).unwrap()
    }

    pub(crate) fn sources(&self) -> &[Source] {
        &self.sources
    }

    pub(crate) fn source(&self, path: &str) -> Option<&Source> {
        self.sources.iter().find(|source| source.path == path)
    }

    fn parse(mut files: Vec<(String, String)>) -> Result<Self> {
        files.sort();
        let mut sources =
            files.into_iter().map(|(path, text)| Source::parse(path, text)).collect::<Result<Vec<_>>>()?;
        let test_modules: BTreeSet<String> = sources.iter().flat_map(Source::test_modules).collect();
        for source in &mut sources {
            source.test |= test_modules.iter().any(|module| is_module_file(&source.path, module));
        }
        Ok(Self { sources })
    }
}

/// One file.
pub(crate) struct Source {
    /// From the root, with `/` on every system.
    pub(crate) path: String,
    pub(crate) text: String,
    pub(crate) ast: syn::File,
    /// The whole file is compiled for tests only, or belongs to the package that tests us.
    pub(crate) test: bool,
    tokens: Vec<Token>,
    test_ranges: Vec<(LineColumn, LineColumn)>,
}

impl Source {
    fn parse(path: String, text: String) -> Result<Self> {
        let broken = |line: usize, error: &dyn std::fmt::Display| anyhow!("{path}:{line}: does not parse: {error}");
        let stream: TokenStream = text.parse().map_err(|e: proc_macro2::LexError| broken(e.span().start().line, &e))?;
        let ast: syn::File = syn::parse2(stream.clone()).map_err(|e| broken(e.span().start().line, &e))?;
        let mut ranges = TestRanges(Vec::new());
        ranges.visit_file(&ast);
        let of_tests = is_test_path(&path) || is_test_only(&ast.attrs);
        let tokens = tokens::flatten(stream);
        Ok(Self { path, text, ast, test: of_tests, tokens, test_ranges: ranges.0 })
    }

    /// The tokens without comments and doc attributes.
    pub(crate) fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// The tokens that are compiled into what we ship; none when the file is a test.
    pub(crate) fn shipped_tokens(&self) -> Vec<&Token> {
        if self.test {
            return Vec::new();
        }
        self.tokens.iter().filter(|token| !self.in_test_item(token.start)).collect()
    }

    /// Whether `place` is inside an item that only tests compile.
    pub(crate) fn in_test_item(&self, place: LineColumn) -> bool {
        self.test_ranges.iter().any(|(start, end)| *start <= place && place <= *end)
    }

    /// Whether the file is `crate_dir`'s or below it.
    pub(crate) fn is_under(&self, dir: &str) -> bool {
        self.path.strip_prefix(dir).is_some_and(|rest| rest.starts_with('/'))
    }

    /// The file's name without `.rs`.
    pub(crate) fn stem(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or(&self.path);
        name.strip_suffix(".rs").unwrap_or(name)
    }

    /// Where this file's submodules live, without a last `/`.
    pub(crate) fn module_dir(&self) -> String {
        let dir = self.path.rsplit_once('/').map_or("", |(dir, _)| dir);
        match self.stem() {
            "mod" | "lib" | "main" => dir.to_owned(),
            stem => format!("{dir}/{stem}"),
        }
    }

    /// The modules in files of their own that only tests compile.
    fn test_modules(&self) -> Vec<String> {
        let dir = self.module_dir();
        let declared = self.ast.items.iter().filter_map(|item| match item {
            syn::Item::Mod(module) if module.content.is_none() && is_test_only(&module.attrs) => Some(&module.ident),
            _ => None,
        });
        declared.map(|ident| format!("{dir}/{ident}")).collect()
    }
}

/// Whether these attributes compile their item for tests only: `#[cfg(test)]`, `#[cfg(all(test, …))]`, `#[test]`.
pub(crate) fn is_test_only(attrs: &[syn::Attribute]) -> bool {
    attrs.iter().any(|attr| {
        if attr.path().is_ident("test") {
            return true;
        }
        attr.path().is_ident("cfg") && attr.parse_args::<syn::Meta>().is_ok_and(|condition| needs_test(&condition))
    })
}

fn needs_test(condition: &syn::Meta) -> bool {
    match condition {
        syn::Meta::Path(path) => path.is_ident("test"),
        syn::Meta::List(list) if list.path.is_ident("all") => {
            let parts =
                list.parse_args_with(syn::punctuated::Punctuated::<syn::Meta, syn::Token![,]>::parse_terminated);
            parts.is_ok_and(|parts| parts.iter().any(needs_test))
        }
        _ => false,
    }
}

fn is_test_path(path: &str) -> bool {
    let mut parts = path.split('/').rev();
    parts.next() == Some("tests.rs") || parts.any(|dir| dir == "tests")
}

fn is_module_file(path: &str, module: &str) -> bool {
    path.strip_prefix(module).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
}

fn collect(root: &Path, dir: &str, files: &mut Vec<(String, String)>) -> Result<()> {
    let listing = fs::read_dir(root.join(dir)).with_context(|| format!("cannot list {dir}"))?;
    for entry in listing {
        let entry = entry.with_context(|| format!("cannot list {dir}"))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{dir}/{name}");
        if entry.path().is_dir() {
            if name != "target" && !name.starts_with('.') {
                collect(root, &path, files)?;
            }
        } else if entry.path().extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(entry.path()).with_context(|| format!("cannot read {path}"))?;
            files.push((path, text));
        }
    }
    Ok(())
}

/// The places of items that only tests compile.
struct TestRanges(Vec<(LineColumn, LineColumn)>);

impl TestRanges {
    fn see(&mut self, attrs: &[syn::Attribute], node: &impl Spanned) {
        if is_test_only(attrs) {
            let span = node.span();
            self.0.push((span.start(), span.end()));
        }
    }
}

impl<'ast> Visit<'ast> for TestRanges {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        self.see(item_attrs(item), item);
        syn::visit::visit_item(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.see(&item.attrs, item);
        syn::visit::visit_impl_item_fn(self, item);
    }

    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        self.see(&item.attrs, item);
    }
}

fn item_attrs(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::ExternCrate(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::ForeignMod(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::TraitAlias(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        syn::Item::Union(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
