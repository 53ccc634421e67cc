//! Names of new files, distinct from existing files and from names given out before.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

/// Names given out so far; their files may still be in progress.
#[derive(Debug, Default)]
pub(crate) struct FileNames {
    given: HashSet<PathBuf>,
}

impl FileNames {
    /// `folder/stem.ending`, or the first free of `stem-2.ending`, …. Characters other than letters, digits and `_`
    /// become `-`.
    pub(crate) fn free(&mut self, folder: &Path, stem: &str, ending: &str) -> PathBuf {
        let stem = plain_stem(stem);
        let with_number = (2_u64..).map(|number| folder.join(format!("{stem}-{number}.{ending}")));
        let mut names = std::iter::once(folder.join(format!("{stem}.{ending}"))).chain(with_number);
        // A dangling symbolic link also counts as an existing file.
        let is_free = |file: &PathBuf| file.symlink_metadata().is_err() && !self.given.contains(file);
        let name = names.find(is_free).unwrap_or_else(|| folder.join(&stem));
        self.given.insert(name.clone());
        name
    }
}

/// Stem of a file name: characters other than letters, digits and `_` become `-`, and an empty name `throng`.
pub(crate) fn plain_stem(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || c == '_' { c } else { '-' };
    let stem: String = name.chars().map(plain).collect();
    match stem.trim_matches('-') {
        "" => "throng".to_owned(),
        some => some.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_unique_and_never_those_of_existing_files() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("a-walk-2.png"), "mine").expect("written");
        let mut names = FileNames::default();
        let mut free = |stem: &str| {
            let name = names.free(folder.path(), stem, "png");
            name.file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default()
        };
        assert_eq!(free("a walk"), "a-walk.png");
        assert_eq!(free("a walk"), "a-walk-3.png");
        assert_eq!(free("../../etc"), "etc.png");
        assert_eq!(free("…"), "throng.png");
    }
}
