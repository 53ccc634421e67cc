//! Paths in token streams: arguments of macros and attributes.
//!
//! Only the compiler can expand macros. Here every `a::b` counts as a path, and braces after `::` as a tree of
//! imports.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// Path as written: at least two segments, or one after a leading `::`.
#[derive(Debug, PartialEq, Eq)]
pub struct Written {
    /// True if it begins with `::`.
    pub global: bool,
    pub segments: Vec<String>,
    pub line: usize,
}

/// All paths of the tokens, in groups too, in order.
pub fn paths(tokens: TokenStream) -> Vec<Written> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Group(group) => {
                found.extend(paths(group.stream()));
                at += 1;
            }
            TokenTree::Ident(_) => at = read(&tokens, at, false, &[], &mut found),
            TokenTree::Punct(_) if is_separator(&tokens, at) && !closes_generics(&tokens[..at]) => {
                at = read(&tokens, at + 2, true, &[], &mut found);
            }
            TokenTree::Punct(_) if is_separator(&tokens, at) => at += 2,
            _ => at += 1,
        }
    }
    found
}

/// True if `::` is here.
fn is_separator(tokens: &[TokenTree], at: usize) -> bool {
    matches!(
        (tokens.get(at), tokens.get(at + 1)),
        (Some(TokenTree::Punct(first)), Some(TokenTree::Punct(second)))
            if first.as_char() == ':' && first.spacing() == Spacing::Joint && second.as_char() == ':'
    )
}

/// True if the tokens before `::` end `<…>` rather than an arrow: then the path continues.
fn closes_generics(before: &[TokenTree]) -> bool {
    let is = |token: Option<&TokenTree>, wanted: &[char]| matches!(token, Some(TokenTree::Punct(p)) if wanted.contains(&p.as_char()));
    let (last, first) = (before.last(), before.iter().nth_back(1));
    is(last, &['>']) && !is(first, &['-', '='])
}

/// Reads the path that begins here, after the segments of `before`; returns its end.
fn read(tokens: &[TokenTree], start: usize, global: bool, before: &[String], found: &mut Vec<Written>) -> usize {
    let mut segments = before.to_vec();
    let mut at = start;
    let line = tokens.get(start).map_or(0, |token| token.span().start().line);
    while let Some(TokenTree::Ident(name)) = tokens.get(at) {
        segments.push(name.to_string().trim_start_matches("r#").to_owned());
        at += 1;
        if !is_separator(tokens, at) {
            break;
        }
        at += 2;
        if let Some(TokenTree::Group(group)) = tokens.get(at)
            && group.delimiter() == Delimiter::Brace
        {
            let inner: Vec<TokenTree> = group.stream().into_iter().collect();
            read_tree(&inner, global, &segments, found);
            return at + 1;
        }
    }
    if segments.len() > 1 || global && !segments.is_empty() {
        found.push(Written { global, segments, line });
    }
    at.max(start)
}

/// Reads the comma-separated paths between the braces of an import.
fn read_tree(tokens: &[TokenTree], global: bool, before: &[String], found: &mut Vec<Written>) {
    let mut at = 0;
    while at < tokens.len() {
        let end = read(tokens, at, global, before, found);
        let comma = |token: &TokenTree| matches!(token, TokenTree::Punct(p) if p.as_char() == ',');
        let rest = tokens[end..].iter().position(comma);
        at = rest.map_or(tokens.len(), |rest| end + rest + 1);
    }
}

#[cfg(test)]
fn written(text: &str) -> Vec<String> {
    let tokens = text.parse().expect("tokens");
    let path = |w: Written| format!("{}{}", if w.global { "::" } else { "" }, w.segments.join("::"));
    paths(tokens).into_iter().map(path).collect()
}

#[test]
fn paths_are_found_wherever_tokens_may_stand() {
    assert_eq!(written("a::b"), ["a::b"]);
    assert_eq!(written("x, [y, (::gltf::Gltf)]"), ["::gltf::Gltf"]);
    assert_eq!(
        written("$crate::gpu::open(&crate::b)"),
        ["crate::gpu::open", "crate::b"]
    );
    assert_eq!(written("Vec::<crate::gpu::Gpu>::new()"), ["crate::gpu::Gpu"]);
    assert_eq!(written("fn f() -> ::gltf::Gltf { x => ::b }"), ["::gltf::Gltf", "::b"]);
    let tree = "use crate::{a::x, gpu::{self, y as z}, b};";
    assert_eq!(
        written(tree),
        ["crate::a::x", "crate::gpu::self", "crate::gpu::y", "crate::b"]
    );
    assert_eq!(written("x: y, a: ::b, c ? d : e"), ["::b"]);
    assert!(written("\"crate::gpu\" 'a' gpu . open").is_empty());
}
