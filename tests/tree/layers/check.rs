//! Rules of layers: which module may use which, and which may use other crates.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::PathBuf,
};

use super::program::{ModulePath, Program, Target};

/// Rules for the tree.
pub struct Rules<'a> {
    /// Modules, `a` or `a::b`, lowest first. A module that is not listed belongs to the listed one that contains it.
    pub layers: &'a [&'a str],
    /// Other crates that only some layers may use; all others are free. Modules of tests are exempt, and so are
    /// derives under a feature (`cfg_attr(feature = "cli", derive(clap::ValueEnum))`).
    pub crates: &'a [(&'a [&'a str], &'a [&'a str])],
}

/// A path that the rules forbid.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    pub file: PathBuf,
    pub line: usize,
    /// Layer with the path.
    pub from: String,
    pub to: String,
    pub path: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            line,
            from,
            to,
            path,
        } = self;
        write!(f, "{}:{line}: {from} → {to} ({path})", file.display())
    }
}

/// Uses between layers, (user, used).
pub type Edges = BTreeSet<(String, String)>;

/// Result of checking a tree.
pub struct Verdict {
    pub violations: Vec<Violation>,
    /// Uses between modules of the crate's root, allowed or not.
    pub edges: Edges,
}

impl Rules<'_> {
    /// Layer of a module: the longest listed module that it is or is in.
    fn layer(&self, module: &[String]) -> Option<(usize, String)> {
        (1..=module.len()).rev().find_map(|n| {
            let name = module[..n].join("::");
            let at = self.layers.iter().position(|layer| *layer == name)?;
            Some((at, name))
        })
    }

    /// Checks source files, each a path `src/…` and a text.
    pub fn check(&self, files: &[(PathBuf, String)]) -> Result<Verdict, String> {
        let program = Program::read(files)?;
        let mut violations: BTreeMap<_, Violation> = BTreeMap::new();
        let mut edges = Edges::new();
        for (file, reference) in &program.references {
            // The root may declare and re-export anything.
            let Some(top) = reference.module.first() else { continue };
            for target in program.targets(reference) {
                if reference.optional && matches!(target, Target::Crate(_)) {
                    continue;
                }
                if let Target::Module(module) = &target
                    && let Some(used) = module.first().filter(|used| *used != top)
                {
                    edges.insert((top.clone(), used.clone()));
                }
                if let Some((from, to)) = self.forbids(&reference.module, &target) {
                    let violation = Violation {
                        file: file.clone(),
                        line: reference.line,
                        from: from.clone(),
                        to: to.clone(),
                        path: reference.segments.join("::"),
                    };
                    violations.entry((file.clone(), from, to)).or_insert(violation);
                }
            }
        }
        violations.extend(self.unlisted(&program));
        Ok(Verdict {
            violations: violations.into_values().collect(),
            edges,
        })
    }

    /// Layer of a module and the violation of a target, if any.
    fn forbids(&self, module: &[String], target: &Target) -> Option<(String, String)> {
        let (from, name) = self.layer(module)?;
        let wrong = match target {
            Target::Module(target) if target.is_empty() => "the crate's root, which hides what is used".to_owned(),
            // Modules without a layer are reported once, with their file.
            Target::Module(target) => self.layer(target).filter(|(to, _)| *to > from)?.1,
            Target::Crate(target) => {
                let of = |(crates, _): &&(&[&str], &[&str])| crates.contains(&target.as_str());
                let (_, knowing) = self.crates.iter().find(of)?;
                let knows = |layer: &&str| name == **layer || name.starts_with(&format!("{layer}::"));
                if knowing.iter().any(knows) {
                    return None;
                }
                format!("crate {target}")
            }
        };
        Some((name, wrong))
    }

    /// Modules of the tree without a layer, and layers without a module.
    fn unlisted(&self, program: &Program) -> BTreeMap<(PathBuf, String, String), Violation> {
        let held = |module: &&ModulePath| !module.is_empty() && self.layer(module).is_none();
        let loose = program
            .modules
            .iter()
            .filter(held)
            .map(|module| (module.join("::"), "no layer of the list"));
        let is = |layer: &&&str| !program.modules.iter().any(|module| module.join("::") == **layer);
        let empty = self
            .layers
            .iter()
            .filter(is)
            .map(|layer| ((*layer).to_owned(), "no module of the tree"));
        let told = loose.chain(empty).map(|(name, why)| {
            let violation = Violation {
                file: "src".into(),
                line: 0,
                from: name.clone(),
                to: why.to_owned(),
                path: name.clone(),
            };
            (("src".into(), name, why.to_owned()), violation)
        });
        told.collect()
    }
}

/// Groups of modules that use each other in cycles.
pub fn cycles(edges: &Edges) -> Vec<BTreeSet<String>> {
    let names: BTreeSet<&String> = edges.iter().flat_map(|(a, b)| [a, b]).collect();
    let reach: BTreeMap<&String, BTreeSet<&String>> = names.iter().map(|name| (*name, reached(name, edges))).collect();
    let circle = |name: &&String| -> BTreeSet<String> {
        let back = reach[*name].iter().filter(|other| reach[**other].contains(*name));
        back.map(|other| (**other).clone()).collect()
    };
    let circles: BTreeSet<BTreeSet<String>> = names.iter().map(circle).filter(|c| !c.is_empty()).collect();
    circles.into_iter().collect()
}

/// Modules that can be reached from one by at least one edge.
fn reached<'a>(start: &String, edges: &'a Edges) -> BTreeSet<&'a String> {
    let mut found = BTreeSet::new();
    let mut open = vec![start];
    while let Some(name) = open.pop() {
        for (_, to) in edges.iter().filter(|(from, _)| from == name) {
            if found.insert(to) {
                open.push(to);
            }
        }
    }
    found
}
