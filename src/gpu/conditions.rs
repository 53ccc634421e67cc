//! Conditions (`@if`) that a pass knows: those in its own module and in every module that it imports. Other conditions
//! do not change its text, so that requests which differ in them share one compilation.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

/// Module paths ("shared/sky") and their sources.
pub(super) type Modules = BTreeMap<String, Cow<'static, str>>;

/// Names in `@if(…)` and `@elif(…)` of a module and of its imports, direct and indirect. An import that may mean
/// several modules counts as all of them, so that no name is missing.
pub(super) fn conditions(modules: &Modules, pass: &str) -> BTreeSet<String> {
    let mut reached = BTreeSet::from([pass]);
    let mut left = vec![pass];
    let mut names = BTreeSet::new();
    while let Some(source) = left.pop().and_then(|path| modules.get(path)) {
        names.extend(named(source).map(str::to_owned));
        let imports: Vec<String> = imported(source).collect();
        for path in modules.keys() {
            let is_meant = |import: &String| {
                let within = import.strip_prefix(&**path);
                within.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) || path.starts_with(&**import)
            };
            if imports.iter().any(is_meant) && reached.insert(path) {
                left.push(path);
            }
        }
    }
    names
}

/// Module paths after each `package::`, with slashes. Relative paths give nothing: they may be anywhere.
fn imported(source: &str) -> impl Iterator<Item = String> {
    let path = |rest: &str| {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
        rest[..end.unwrap_or(rest.len())].replace("::", "/")
    };
    let relative = source.contains("super::").then(String::new);
    source.split("package::").skip(1).map(path).chain(relative)
}

/// Every name between the parentheses of a condition.
fn named(source: &str) -> impl Iterator<Item = &str> {
    let conditions = ["@if", "@elif"].into_iter().flat_map(|word| source.split(word).skip(1));
    conditions.flat_map(|rest| {
        let mut open = 0_u32;
        let end = rest.find(|c: char| {
            open = open
                .saturating_add(u32::from(c == '('))
                .saturating_sub(u32::from(c == ')'));
            c == ')' && open == 0
        });
        rest[..end.unwrap_or(rest.len())]
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|name| !name.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(modules: &[(&str, &'static str)], pass: &str) -> Vec<String> {
        let modules = modules.iter().map(|&(path, source)| (path.to_owned(), source.into()));
        conditions(&modules.collect(), pass).into_iter().collect()
    }

    #[test]
    fn conditions_include_those_of_imports() {
        let modules = [
            (
                "pass",
                "import package::shared::a::{f, g};\n@if(own && !(b || c)) fn x() {} @elif (d) fn x() {}",
            ),
            ("shared/a", "@if(of_a) import package::shared::deep::h;"),
            ("shared/deep", "@if(of_deep) const X = 1; // (not_one)"),
            ("shared/ab", "@if(of_ab) const X = 1;"),
            ("other", "import package::pass::x; @if(other) const X = 1;"),
        ];
        assert_eq!(of(&modules, "pass"), ["b", "c", "d", "of_a", "of_deep", "own"]);
        assert_eq!(of(&modules, "shared/deep"), ["of_deep"]);
        assert_eq!(of(&modules, "other").len(), 7);
        assert!(of(&modules, "missing").is_empty());
    }

    #[test]
    fn ambiguous_imports_count_as_all_modules_they_may_mean() {
        let modules = |import| {
            [
                ("pass", import),
                ("shared/a", "@if(a)"),
                ("shared/b", "@if(b)"),
                ("c", "@if(c)"),
            ]
        };
        assert_eq!(
            of(&modules("import package::shared::{a::f, b::g};"), "pass"),
            ["a", "b"]
        );
        assert_eq!(
            of(&modules("import package::{c::f, shared::a::g};"), "pass"),
            ["a", "b", "c"]
        );
        assert_eq!(of(&modules("import super::c::f;"), "pass"), ["a", "b", "c"]);
        assert_eq!(of(&modules("fn f() { return package::c::f(); }"), "pass"), ["c"]);
    }
}
