//! Paths of characters: a file, and one of its material variants after `#`, as in `shoe.glb#beach`.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use crate::file::{gltf, is_character};

/// Word that asks for every material variant of a file.
pub const ALL_VARIANTS: &str = "all";

/// Path of a character, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CharacterPath<'a> {
    /// File, or name of an embedded character.
    pub file: &'a Path,
    /// Name of a material variant of the file.
    pub variant: Option<&'a str>,
}

impl<'a> CharacterPath<'a> {
    /// Takes a path apart at the first `#` after a character file's extension. A file whose own name has a `#` is
    /// itself.
    #[must_use]
    pub fn of(path: &'a Path) -> Self {
        let itself = Self {
            file: path,
            variant: None,
        };
        let Some(text) = path.to_str().filter(|text| text.contains('#') && !path.exists()) else {
            return itself;
        };
        let mut marks = text.match_indices('#').map(|(at, _)| at);
        let mark = marks.find(|&at| is_character(Path::new(&text[..at])));
        mark.map_or(itself, |at| Self {
            file: Path::new(&text[..at]),
            variant: Some(&text[at + 1..]),
        })
    }

    /// Name of a file made from this character, without extension: `shoe`, or `shoe-beach` for a variant.
    #[must_use]
    pub fn file_stem(&self) -> OsString {
        let stem = self.file.file_stem().unwrap_or_default();
        // Names without a variant stay as they are, even those that are no text.
        match self.variant {
            None => stem.to_owned(),
            Some(_) => self.named(&stem.to_string_lossy()).into(),
        }
    }

    /// Name of the character whose file is called `stem`: for a variant followed by its name, in which signs that
    /// file names may not have are `-`.
    pub(super) fn named(&self, stem: &str) -> String {
        let Some(variant) = self.variant else {
            return stem.to_owned();
        };
        let plain = variant.replace(|c: char| c.is_control() || r#"/\:*?"<>|#"#.contains(c), "-");
        format!("{stem}-{plain}")
    }
}

/// Names of the material variants of a character's file; empty for files without, and for those that cannot be read.
#[must_use]
pub fn variants_of(path: &Path) -> Vec<String> {
    let file = CharacterPath::of(path).file;
    gltf::read_regular(file).map_or_else(|_| Vec::new(), |bytes| gltf::variants::names_in(&bytes))
}

/// Error: no file has the material variant that is asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no character has a material variant called {name:?}{known}")]
pub struct UnknownVariant {
    name: String,
    /// "; there are ..." or that there are none.
    known: String,
}

/// Replaces characters by a material variant of theirs, or, for [`ALL_VARIANTS`], by each of theirs in turn. Names are
/// compared without regard to case. Characters without such a variant, and those that name one already, stay.
///
/// # Errors
/// No character has a variant of that name.
pub fn with_variants(characters: &[PathBuf], wanted: &str) -> Result<Vec<PathBuf>, UnknownVariant> {
    let mut all = Vec::new();
    let mut chosen = Vec::new();
    for path in characters {
        let names = match CharacterPath::of(path).variant {
            Some(_) => Vec::new(),
            None => variants_of(path),
        };
        let is_wanted =
            |name: &&String| wanted.eq_ignore_ascii_case(ALL_VARIANTS) || name.to_lowercase() == wanted.to_lowercase();
        let before = chosen.len();
        chosen.extend(names.iter().filter(is_wanted).map(|name| with_variant(path, name)));
        if chosen.len() == before {
            chosen.push(path.clone());
        }
        all.extend(names);
    }
    if chosen == characters {
        let known = match &all[..] {
            [] => "; their files have no material variants".to_owned(),
            names => format!("; there are {}", names.join(", ")),
        };
        let named = characters.iter().any(|path| CharacterPath::of(path).variant.is_some());
        if !named {
            return Err(UnknownVariant {
                name: wanted.to_owned(),
                known,
            });
        }
    }
    Ok(chosen)
}

/// Path of a material variant of a character's file.
#[must_use]
pub fn with_variant(file: &Path, name: &str) -> PathBuf {
    let mut path = file.as_os_str().to_owned();
    path.push("#");
    path.push(name);
    path.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_follows_the_file() {
        let of = |text: &'static str| {
            let path = CharacterPath::of(Path::new(text));
            (path.file.to_str().expect("text"), path.variant, path.file_stem())
        };
        assert_eq!(of("a/shoe.glb"), ("a/shoe.glb", None, "shoe".into()));
        assert_eq!(
            of("a/shoe.glb#beach"),
            ("a/shoe.glb", Some("beach"), "shoe-beach".into())
        );
        assert_eq!(
            of("a#b/shoe.gltf#1/2"),
            ("a#b/shoe.gltf", Some("1/2"), "shoe-1-2".into())
        );
        assert_eq!(of("shoe.glb#a#b"), ("shoe.glb", Some("a#b"), "shoe-a-b".into()));
        assert_eq!(of("woman#red"), ("woman#red", None, "woman#red".into()));
    }
}
