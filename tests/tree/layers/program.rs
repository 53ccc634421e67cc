//! All source files: their modules, and the resolution of paths.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use super::source::{self, Kind, Reference, Source};

/// Name of the library in its own program.
const SELF: &str = "throng";
/// Limit for aliases and globs that refer to each other.
const DEPTH: usize = 12;

/// Path of a module, from the crate's root, or of an item in it.
pub type ModulePath = Vec<String>;

/// Target of a path, re-exports included.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// A module of the crate, or an item of it.
    Module(ModulePath),
    /// Another crate.
    Crate(String),
}

/// Parsed files of the crate.
pub struct Program {
    pub references: Vec<(PathBuf, Reference)>,
    pub modules: BTreeSet<ModulePath>,
    items: BTreeSet<(ModulePath, String)>,
    /// Imports by module and local name.
    imports: BTreeMap<(ModulePath, String), Vec<Reference>>,
    globs: BTreeMap<ModulePath, Vec<Reference>>,
}

/// Module of a file, by its place below `src`.
fn module_of(file: &Path) -> ModulePath {
    let mut module: ModulePath = file.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    module.remove(0);
    let last = module.pop().unwrap_or_default();
    match last.trim_end_matches(".rs") {
        "lib" | "mod" => {}
        name => module.push(name.to_owned()),
    }
    module
}

/// File that `#[path]` names in a file; unlike in Rust, also in modules within the file.
fn path_of(declaring: &Path, path: &str) -> PathBuf {
    let mut found = declaring.parent().unwrap_or(Path::new("")).to_path_buf();
    for part in Path::new(path).iter() {
        match part.to_str() {
            Some("..") => drop(found.pop()),
            Some(".") => {}
            _ => found.push(part),
        }
    }
    found
}

impl Program {
    /// Reads files, given by their path below the root, `src/…`, and their text.
    pub fn read(files: &[(PathBuf, String)]) -> Result<Self, String> {
        let mut places: BTreeMap<PathBuf, ModulePath> =
            files.iter().map(|(path, _)| (path.clone(), module_of(path))).collect();
        let mut sources = BTreeMap::new();
        // Repeat while `#[path]` gives files other places in the tree.
        for _ in 0..4 {
            let mut moved = false;
            for (path, text) in files {
                let source = source::read(&places[path], text).map_err(|e| format!("{}: {e}", path.display()))?;
                for (module, named) in &source.modules {
                    let place = named.as_ref().and_then(|named| places.get_mut(&path_of(path, named)));
                    if let Some(place) = place.filter(|place| *place != module) {
                        place.clone_from(module);
                        moved = true;
                    }
                }
                sources.insert(path.clone(), source);
            }
            if !moved {
                break;
            }
        }
        Ok(Self::of(sources, places.into_values().collect()))
    }

    fn of(sources: BTreeMap<PathBuf, Source>, modules: BTreeSet<ModulePath>) -> Self {
        let mut program = Self {
            references: Vec::new(),
            modules,
            items: BTreeSet::new(),
            imports: BTreeMap::new(),
            globs: BTreeMap::new(),
        };
        for (path, source) in sources {
            program
                .modules
                .extend(source.modules.into_iter().map(|(module, _)| module));
            program.items.extend(source.items);
            for reference in source.references {
                let of = reference.module.clone();
                match &reference.kind {
                    Kind::Import(name) => {
                        let known = program.imports.entry((of, name.clone())).or_default();
                        known.push(reference.clone());
                    }
                    Kind::Glob => program.globs.entry(of).or_default().push(reference.clone()),
                    Kind::Mention => {}
                }
                program.references.push((path.clone(), reference));
            }
        }
        program
    }

    /// All targets of a path: the module it names, and those that this one imports it from.
    pub fn targets(&self, reference: &Reference) -> BTreeSet<Target> {
        let mut found = BTreeSet::new();
        self.follow(reference, &[], DEPTH, &mut found);
        found
    }

    /// Follows a path and the names after it.
    fn follow(&self, reference: &Reference, tail: &[String], depth: usize, found: &mut BTreeSet<Target>) {
        let segments: Vec<String> = reference.segments.iter().chain(tail).cloned().collect();
        let Some((first, rest)) = segments.split_first() else {
            return;
        };
        let module = &reference.module;
        match first.as_str() {
            _ if depth == 0 => {}
            SELF => self.walk(rest.to_vec(), depth, found),
            _ if reference.global => drop(found.insert(Target::Crate(first.clone()))),
            "crate" => self.walk(rest.to_vec(), depth, found),
            "self" if rest.first().is_some_and(|next| next == "super") => {
                let mut parent = reference.clone();
                parent.segments.remove(0);
                self.follow(&parent, tail, depth, found);
            }
            "self" => self.walk([module, rest].concat(), depth, found),
            "super" => {
                let supers = segments.iter().take_while(|s| *s == "super").count();
                let parents = module.len().saturating_sub(supers);
                self.walk([&module[..parents], &segments[supers..]].concat(), depth, found);
            }
            // An import may have the name of its target: `use gltf;`.
            _ if self.knows(module, first) && reference.kind != Kind::Import(first.clone()) => {
                self.walk([module, &segments[..]].concat(), depth, found);
            }
            _ if self.modules.contains(&[module, &segments[..1]].concat()) => {
                self.walk([module, &segments[..]].concat(), depth, found);
            }
            _ if self.through_globs(module, &segments, depth, found) => {}
            _ => drop(found.insert(Target::Crate(first.clone()))),
        }
    }

    /// True if a module declares or imports a name.
    fn knows(&self, module: &[String], name: &str) -> bool {
        let key = (module.to_vec(), name.to_owned());
        self.modules.contains(&[module, &[name.to_owned()]].concat())
            || self.items.contains(&key)
            || self.imports.contains_key(&key)
    }

    /// Walks a path from the crate's root: to the last module of it, and on through its imports.
    fn walk(&self, path: ModulePath, depth: usize, found: &mut BTreeSet<Target>) {
        let path: ModulePath = path.into_iter().filter(|segment| segment != "self").collect();
        let deepest = (0..=path.len()).rev().find(|n| self.modules.contains(&path[..*n]));
        let (module, rest) = path.split_at(deepest.unwrap_or(0));
        let Some((name, tail)) = rest.split_first() else {
            found.insert(Target::Module(module.to_vec()));
            return;
        };
        let key = (module.to_vec(), name.clone());
        match self.imports.get(&key) {
            Some(imports) if !self.items.contains(&key) => {
                // The root only re-exports; another module counts as used for its re-exports.
                if !module.is_empty() {
                    found.insert(Target::Module(module.to_vec()));
                }
                for import in imports {
                    self.follow(import, tail, depth - 1, found);
                }
            }
            None if !self.items.contains(&key) && self.through_globs(module, rest, depth, found) => {}
            _ => drop(found.insert(Target::Module(module.to_vec()))),
        }
    }

    /// Searches for a name among the `use …::*` of a module; returns whether it was found.
    fn through_globs(&self, module: &[String], path: &[String], depth: usize, found: &mut BTreeSet<Target>) -> bool {
        let mut known = false;
        for glob in self.globs.get(module).into_iter().flatten().filter(|_| depth > 1) {
            let mut sources = BTreeSet::new();
            self.follow(glob, &[], depth - 1, &mut sources);
            for source in sources {
                if let Target::Module(source) = source
                    && self.knows(&source, &path[0])
                {
                    known = true;
                    self.walk([&source, path].concat(), depth - 1, found);
                }
            }
        }
        known
    }
}
