//! One source file: the paths that it contains, and the module of each.

use proc_macro2::Span;
use syn::visit::{self, Visit};

use super::tokens;

/// Path in a module.
#[derive(Debug, Clone)]
pub struct Reference {
    /// Module that contains it, from the crate's root.
    pub module: Vec<String>,
    pub segments: Vec<String>,
    /// True if it begins with `::`.
    pub global: bool,
    pub line: usize,
    pub kind: Kind,
    /// True if it is in a `cfg_attr(feature = …)` or a `#[cfg(test)]` module, which other builds do not contain.
    pub optional: bool,
}

/// Kind of use of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// `use a::b as c`: the module calls it by a name.
    Import(String),
    /// `use a::b::*`
    Glob,
    /// Any other use.
    Mention,
}

/// Declarations and paths of a file.
#[derive(Debug, Default)]
pub struct Source {
    pub references: Vec<Reference>,
    /// Modules declared here, from the crate's root, with the value of `#[path]` if there is one.
    pub modules: Vec<(Vec<String>, Option<String>)>,
    /// Other items: their module and name.
    pub items: Vec<(Vec<String>, String)>,
}

/// Parses the file of a module.
pub fn read(module: &[String], text: &str) -> syn::Result<Source> {
    let file = syn::parse_file(text)?;
    let mut reader = Reader {
        module: module.to_vec(),
        optional: false,
        source: Source::default(),
    };
    reader.visit_file(&file);
    Ok(reader.source)
}

struct Reader {
    module: Vec<String>,
    optional: bool,
    source: Source,
}

/// Name without the `r#` of a raw identifier.
fn name(ident: &syn::Ident) -> String {
    ident.to_string().trim_start_matches("r#").to_owned()
}

fn line(span: Span) -> usize {
    span.start().line
}

impl Reader {
    fn refer(&mut self, segments: Vec<String>, global: bool, line: usize, kind: Kind) {
        self.source.references.push(Reference {
            module: self.module.clone(),
            segments,
            global,
            line,
            kind,
            optional: self.optional,
        });
    }

    fn import(&mut self, tree: &syn::UseTree, mut before: Vec<String>, global: bool) {
        match tree {
            syn::UseTree::Path(path) => {
                before.push(name(&path.ident));
                self.import(&path.tree, before, global);
            }
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, before.clone(), global);
                }
            }
            syn::UseTree::Glob(glob) => self.refer(before, global, line(glob.star_token.span), Kind::Glob),
            syn::UseTree::Name(leaf) => self.import_leaf(before, &leaf.ident, None, global),
            syn::UseTree::Rename(leaf) => self.import_leaf(before, &leaf.ident, Some(&leaf.rename), global),
        }
    }

    fn import_leaf(&mut self, mut path: Vec<String>, leaf: &syn::Ident, rename: Option<&syn::Ident>, global: bool) {
        // `use a::b::{self}` names `a::b`; `use self::a` names `a` of this module.
        if leaf != "self" || path.is_empty() {
            path.push(name(leaf));
        }
        let known_as = rename.map_or_else(|| path.last().cloned().unwrap_or_default(), name);
        self.refer(path, global, line(leaf.span()), Kind::Import(known_as));
    }

    fn scan(&mut self, tokens: proc_macro2::TokenStream) {
        for path in tokens::paths(tokens) {
            self.refer(path.segments, path.global, path.line, Kind::Mention);
        }
    }

    /// Scans strings, since serde takes paths as strings: `#[serde(default = "crate::a::b")]`.
    fn scan_strings(&mut self, tokens: proc_macro2::TokenStream) {
        for token in tokens {
            let literal = match token {
                proc_macro2::TokenTree::Literal(literal) => literal,
                proc_macro2::TokenTree::Group(group) => {
                    self.scan_strings(group.stream());
                    continue;
                }
                _ => continue,
            };
            let text = syn::parse_str::<syn::LitStr>(&literal.to_string()).map(|text| text.value());
            let inner = text.ok().and_then(|text| text.parse().ok()).unwrap_or_default();
            for path in tokens::paths(inner) {
                self.refer(path.segments, path.global, line(literal.span()), Kind::Mention);
            }
        }
    }

    fn declare(&mut self, item: &syn::Item) {
        let ident = match item {
            syn::Item::Const(item) => &item.ident,
            syn::Item::Enum(item) => &item.ident,
            syn::Item::Macro(item) if item.mac.path.is_ident("shader_struct") => &shader_struct(&item.mac),
            syn::Item::Fn(item) => &item.sig.ident,
            syn::Item::Static(item) => &item.ident,
            syn::Item::Struct(item) => &item.ident,
            syn::Item::Trait(item) => &item.ident,
            syn::Item::Type(item) => &item.ident,
            syn::Item::Union(item) => &item.ident,
            _ => return,
        };
        self.source.items.push((self.module.clone(), name(ident)));
    }
}

/// Name of the struct that `shader_struct!(Name)` takes over from a shader.
fn shader_struct(call: &syn::Macro) -> syn::Ident {
    call.parse_body().expect("shader_struct! has a name")
}

/// True if the condition of a `cfg_attr` is a feature: `feature = "…", …`.
fn names_feature(tokens: &proc_macro2::TokenStream) -> bool {
    let first = tokens.clone().into_iter().next();
    matches!(first, Some(proc_macro2::TokenTree::Ident(name)) if name == "feature")
}

/// True for `#[cfg(test)]`.
fn is_for_tests(attribute: &syn::Attribute) -> bool {
    let condition = attribute
        .meta
        .require_list()
        .ok()
        .filter(|list| list.path.is_ident("cfg"));
    condition.is_some_and(|list| list.tokens.to_string() == "test")
}

/// Value of `#[path = "…"]`.
fn path_attribute(attributes: &[syn::Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| match &attribute.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            syn::Expr::Lit(literal) => match &literal.lit {
                syn::Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    })
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        self.declare(item);
        visit::visit_item(self, item);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.import(&item.tree, Vec::new(), item.leading_colon.is_some());
    }

    fn visit_item_extern_crate(&mut self, item: &'ast syn::ItemExternCrate) {
        let known_as = item.rename.as_ref().map_or(&item.ident, |(_, rename)| rename);
        let kind = Kind::Import(name(known_as));
        self.refer(vec![name(&item.ident)], true, line(item.ident.span()), kind);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.module.push(name(&item.ident));
        let path = path_attribute(&item.attrs);
        self.source.modules.push((self.module.clone(), path));
        let outside = self.optional;
        self.optional |= item.attrs.iter().any(is_for_tests);
        for inner in item.content.iter().flat_map(|(_, items)| items) {
            self.visit_item(inner);
        }
        self.optional = outside;
        self.module.pop();
        for attribute in &item.attrs {
            self.visit_attribute(attribute);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let global = path.leading_colon.is_some();
        if global || path.segments.len() > 1 {
            let segments: Vec<String> = path.segments.iter().map(|s| name(&s.ident)).collect();
            let at = path.segments.first().map_or(0, |s| line(s.ident.span()));
            self.refer(segments, global, at, Kind::Mention);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.visit_path(&call.path);
        self.scan(call.tokens.clone());
    }

    fn visit_meta_list(&mut self, list: &'ast syn::MetaList) {
        self.visit_path(&list.path);
        let outside = self.optional;
        self.optional |= list.path.is_ident("cfg_attr") && names_feature(&list.tokens);
        self.scan(list.tokens.clone());
        self.optional = outside;
        if list.path.is_ident("serde") || list.path.is_ident("cfg_attr") {
            self.scan_strings(list.tokens.clone());
        }
    }

    // `pub(in crate::a)` names a parent of this module and uses nothing of it.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}
}
