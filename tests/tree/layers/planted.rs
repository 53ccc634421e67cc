//! Tests the rules with planted violations, and with code that only looks like one.

use std::path::PathBuf;

use super::check::{Rules, cycles};

/// Small tree: `low`, `middle` with a listed module within, `high`, and a root.
const RULES: Rules = Rules {
    layers: &["low", "middle", "high", "middle::demo"],
    crates: &[
        (&["wgpu", "naga"], &["high"]),
        (&["clap"], &[]),
        (&["gltf"], &["middle"]),
    ],
};

/// The tree without a violation, with files replaced or added.
fn tree(changes: &[(&str, &str)]) -> Vec<(PathBuf, String)> {
    let clean = [
        ("src/lib.rs", "pub mod low; pub mod middle; pub mod high;"),
        ("src/low.rs", "pub struct Low;"),
        (
            "src/middle/mod.rs",
            "pub mod demo; mod part; pub use crate::low::Low; pub struct Middle;",
        ),
        ("src/middle/demo.rs", "pub struct Demo;"),
        ("src/middle/part.rs", "pub struct Part;"),
        (
            "src/high.rs",
            "pub use wgpu; pub use crate::middle::Middle; pub struct High;",
        ),
    ];
    let unchanged = clean
        .iter()
        .filter(|(path, _)| !changes.iter().any(|(changed, _)| changed == path));
    let both = unchanged.chain(changes);
    both.map(|(path, text)| ((*path).into(), (*text).to_owned())).collect()
}

/// Violations of the tree with these changes, as `from → to`.
fn violations(changes: &[(&str, &str)]) -> Vec<String> {
    let verdict = RULES.check(&tree(changes)).unwrap_or_else(|e| panic!("{e}"));
    verdict
        .violations
        .iter()
        .map(|v| format!("{} → {}", v.from, v.to))
        .collect()
}

/// Violations that one file brings into the tree.
fn planted(path: &str, text: &str) -> Vec<String> {
    violations(&[(path, text)])
}

#[test]
fn the_clean_tree_passes() {
    assert!(violations(&[]).is_empty());
    assert!(cycles(&RULES.check(&tree(&[])).expect("parses").edges).is_empty());
}

/// Ways for `low` to use `high`.
const UPWARDS: [&str; 37] = [
    "use crate::high::High;",
    "use crate::high;",
    "use crate::{middle_not::X, high::High};",
    "use crate::{low as me, high::{self as other, High}};",
    "use crate::high::High as Low2;",
    "use crate::high::*;",
    "pub use crate::high::High;",
    "use super::high::High;",
    "use super::{high::High};",
    "use self::super::high;",
    "use throng::high::High;",
    "use ::throng::high::High;",
    "use r#crate::x; fn f() { crate::high::open() }",
    "fn f(x: crate::high::High) {}",
    "fn f() -> Vec<Option<crate::high::High>> { Vec::new() }",
    "fn f<T: crate::high::Trait>() {}",
    "fn f() { let x = super::high::High { a: 1 }; }",
    "fn f(x: u8) { match x { crate::high::ONE => {} _ => {} } }",
    "fn f() { <crate::high::High as Default>::default(); }",
    "fn f() { <u8 as crate::high::Trait>::f(); }",
    "fn f() { use crate::high as h; h::open() }",
    "impl crate::high::Trait for u8 {}",
    "fn f() { vec![crate::high::High] }",
    "fn f() { println!(\"{}\", crate::high::NAME); }",
    "fn f() { vec![Vec::<crate::high::High>::new()] }",
    "macro_rules! m { () => { $crate::high::open() } }",
    "macro_rules! m { () => { use crate::{low::Low, high::High}; } }",
    "#[derive(crate::high::Derive)] struct S;",
    "#[crate::high::attribute] fn f() {}",
    "#[cfg_attr(test, derive(crate::high::Derive))] struct S;",
    "struct S { #[serde(default = \"crate::high::one\")] a: u8 }",
    "#[cfg_attr(feature = \"x\", serde(with = \"crate::high::one\"))] struct S;",
    "#[cfg_attr(feature = \"x\", derive(crate::high::Derive))] struct S;",
    "mod inner { use super::super::high::High; }",
    "mod inner { mod more { fn f() { super::super::super::high::open() } } }",
    "#[cfg(test)] mod tests { use crate::high::High; }",
    "crate::high::call!();",
];

#[test]
fn every_way_upwards_is_caught() {
    for text in UPWARDS {
        // An unknown module beside the violation counts as the root.
        let text = text.replace("middle_not::X, ", "").replace("use r#crate::x; ", "");
        assert_eq!(planted("src/low.rs", &text), ["low → high"], "{text}");
    }
}

#[test]
fn what_a_lower_module_passes_on_is_followed_to_where_it_is() {
    // Both the module that re-exports and the one that uses the re-export are at fault.
    let root = "pub mod low; pub mod middle; pub mod high; pub use high::High;";
    let found = violations(&[("src/lib.rs", root), ("src/low.rs", "use crate::High;")]);
    assert_eq!(found, ["low → high"]);
    let found = violations(&[("src/lib.rs", root), ("src/low.rs", "fn f() { crate::High::new() }")]);
    assert_eq!(found, ["low → high"]);
    for high in ["pub struct High;", "shader_struct!(High);"] {
        let found = violations(&[
            (
                "src/lib.rs",
                "pub mod low; pub mod middle; pub mod high; pub use high::*;",
            ),
            ("src/low.rs", "use crate::High;"),
            ("src/high.rs", high),
        ]);
        assert_eq!(found, ["low → high"], "{high}");
    }
    // A crate under the name of another module.
    let rules = Rules {
        layers: &["low", "high", "middle"],
        crates: &[(&["wgpu"], &["high"])],
    };
    let files = tree(&[
        (
            "src/middle/mod.rs",
            "mod demo; mod part; use crate::high::wgpu::Buffer;",
        ),
        ("src/high.rs", "pub use wgpu;"),
    ]);
    let verdict = rules.check(&files).expect("parses");
    let found: Vec<_> = verdict
        .violations
        .iter()
        .map(|v| format!("{} → {}", v.from, v.to))
        .collect();
    assert_eq!(found, ["middle → crate wgpu"]);
}

#[test]
fn aliases_are_followed() {
    let demo = [
        "use crate::middle; fn f() { middle::demo::make() }",
        "use crate::middle as m; fn f() { m::demo::make() }",
        "use super::middle::{self as m}; fn f() { vec![m::demo::make()] }",
        "use crate::middle::*; fn f() { demo::make() }",
        "mod inner { use super::*; fn f() { m::demo::make() } } use crate::middle as m;",
    ];
    for text in demo {
        assert_eq!(planted("src/high.rs", text), ["high → middle::demo"], "{text}");
    }
}

#[test]
fn a_listed_module_within_another_is_a_layer_of_its_own() {
    let parent = "pub mod demo; mod part; pub use demo::Demo;";
    assert_eq!(planted("src/middle/mod.rs", parent), ["middle → middle::demo"]);
    let sibling = "use super::demo::Demo;";
    assert_eq!(planted("src/middle/part.rs", sibling), ["middle → middle::demo"]);
    assert!(planted("src/middle/demo.rs", "use crate::high::High; use super::part::Part;").is_empty());
}

#[test]
fn the_root_hides_nothing() {
    let hidden = "the crate's root, which hides what is used";
    for text in [
        "use crate::*;",
        "use super::*;",
        "use crate as root;",
        "use crate::Unknown;",
        "fn f() { crate::open() }",
    ] {
        assert_eq!(planted("src/low.rs", text), [format!("low → {hidden}")], "{text}");
    }
}

#[test]
fn files_that_path_attributes_name_are_modules_where_they_are_declared() {
    let found = violations(&[
        ("src/low.rs", "#[path = \"other/elsewhere.rs\"] mod tools;"),
        ("src/other/elsewhere.rs", "use super::super::high::High;"),
    ]);
    assert_eq!(found, ["low → high"]);
}

#[test]
fn a_module_needs_a_layer_and_a_layer_a_module() {
    let found = planted("src/new.rs", "");
    assert_eq!(found, ["new → no layer of the list"]);
    let mut files = tree(&[]);
    files.retain(|(path, _)| !path.ends_with("high.rs"));
    files[0].1 = "pub mod low; pub mod middle;".into();
    let verdict = RULES.check(&files).expect("parses");
    assert_eq!(verdict.violations.len(), 1);
    assert_eq!(verdict.violations[0].to, "no module of the tree");
}

/// Ways for `low` to know a crate that it may not.
const OUTSIDE: [&str; 13] = [
    "use wgpu::Buffer;",
    "use wgpu;",
    "use ::wgpu::Buffer;",
    "use wgpu as graphics;",
    "use {std::fmt, wgpu::{Buffer, Device}};",
    "extern crate wgpu;",
    "extern crate wgpu as graphics;",
    "fn f(b: &wgpu::Buffer) {}",
    "fn f(b: &::wgpu::Buffer) {}",
    "fn f() { vec![wgpu::Color::BLACK] }",
    "fn f() { wgpu::include_wgsl!(\"a.wgsl\") }",
    "#[derive(Debug, wgpu::Derive)] struct S;",
    "use naga as wgpu2;",
];

#[test]
fn crates_are_for_the_layers_that_may_know_them() {
    for text in OUTSIDE {
        let name = if text.contains("naga") { "naga" } else { "wgpu" };
        assert_eq!(planted("src/low.rs", text), [format!("low → crate {name}")], "{text}");
        let high = format!("{text} use crate::middle::Middle;");
        assert!(planted("src/high.rs", &high).is_empty(), "{text}");
    }
    assert_eq!(
        planted("src/low.rs", "#[derive(clap::ValueEnum)] enum E {}"),
        ["low → crate clap"]
    );
    assert_eq!(
        planted("src/low.rs", "fn f() { ::gltf::import(\"a\") }"),
        ["low → crate gltf"]
    );
    let gated = |condition: &str| {
        planted(
            "src/low.rs",
            &format!("#[cfg_attr({condition}, derive(clap::ValueEnum))] enum E {{}}"),
        )
    };
    assert!(gated("feature = \"cli\"").is_empty());
    assert_eq!(gated("test"), ["low → crate clap"]);
    assert!(planted("src/low.rs", "#[cfg(test)] mod tests { use wgpu::Buffer; }").is_empty());
    let after = "#[cfg(test)] mod tests {} mod more { use wgpu::Buffer; }";
    assert_eq!(planted("src/low.rs", after), ["low → crate wgpu"]);
    // Modules within an allowed one are allowed, listed or not.
    assert!(planted("src/middle/part.rs", "use gltf::Gltf;").is_empty());
    assert!(planted("src/middle/demo.rs", "use gltf::Gltf;").is_empty());
}

/// Code that `low` may contain.
const INNOCENT: [&str; 14] = [
    "// use crate::high::High;",
    "/// As [`crate::high::High`] does.\npub struct Low;",
    "//! Beside [`crate::high`].",
    "/* wgpu::Buffer */ fn f() {}",
    "const A: &str = \"crate::high::High and wgpu::Buffer\";",
    "fn f() { println!(\"use crate::high::High; wgpu::X\"); }",
    "mod high { pub struct High; } use high::High; fn f(h: self::high::High) {}",
    "mod gltf { pub fn load() {} } fn f() { gltf::load() }",
    "mod wgpu { pub fn load() {} } use wgpu::load; fn f() { self::wgpu::load(); vec![wgpu::load()] }",
    "use std::collections as gltf; fn f() { gltf::BTreeMap::new() }",
    "fn high() {} fn f() { high(); let wgpu = 1; wgpu.high() }",
    "struct High { wgpu: u8 } impl High { fn crate_high(&self) -> u8 { self.wgpu } }",
    "pub(crate) struct A; pub(super) struct B; pub(in crate::low) struct C;",
    "use std::vec::Vec as high; fn f() { high::new() }",
];

#[test]
fn what_only_looks_like_a_violation_passes() {
    for text in INNOCENT {
        assert!(
            planted("src/low.rs", text).is_empty(),
            "{text}: {:?}",
            planted("src/low.rs", text)
        );
    }
    // A module of the same name elsewhere, and one imported by a glob.
    let found = violations(&[
        ("src/middle/part.rs", "pub mod wgpu { pub fn load() {} }"),
        (
            "src/middle/mod.rs",
            "pub mod demo; mod part; use part::*; fn f() { wgpu::load() }",
        ),
    ]);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn circles_are_found() {
    let edges = |text: &[(&str, &str)]| RULES.check(&tree(text)).expect("parses").edges;
    let circle = edges(&[("src/low.rs", "use crate::middle::demo::Demo;")]);
    assert_eq!(cycles(&circle), [["low".to_owned(), "middle".to_owned()].into()]);
    let longer = edges(&[("src/low.rs", "fn f() { crate::high::open() }")]);
    let all = ["high", "low", "middle"].map(str::to_owned);
    assert_eq!(cycles(&longer), [all.into()]);
}

#[test]
fn what_does_not_parse_is_told() {
    assert!(RULES.check(&tree(&[("src/low.rs", "fn f( {")])).is_err());
}
