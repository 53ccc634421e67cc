//! Selection of AOVs and their file formats.

use std::{
    path::{Path, PathBuf},
    str::FromStr,
};

use crate::render::passes::AovKind;

/// Names of AOVs, as on the command line.
const NAMES: [(&str, AovKind); 6] = [
    ("ids", AovKind::Ids),
    ("depth", AovKind::Depth),
    ("normal", AovKind::Normal),
    ("motion", AovKind::Motion),
    ("uv", AovKind::Uv),
    ("albedo", AovKind::Albedo),
];

/// Name of the picture itself among the passes.
const COLOR: &str = "color";

/// File formats of AOVs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Encoding {
    /// OpenEXR for all AOVs.
    #[default]
    Exr,
    /// 16-bit PNG for ids, normals, albedo and texture coordinates; OpenEXR for depth and motion.
    Png,
}

/// Requested outputs of a picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassSet {
    /// The picture itself, as PNG.
    pub color: bool,
    /// AOVs of every pixel.
    pub kinds: Vec<AovKind>,
    /// File formats of the AOVs.
    pub encoding: Encoding,
}

impl PassSet {
    /// Makes a set of the picture alone.
    #[must_use]
    pub const fn color() -> Self {
        Self {
            color: true,
            kinds: Vec::new(),
            encoding: Encoding::Exr,
        }
    }

    /// Returns the name of an AOV.
    #[must_use]
    pub fn name(kind: AovKind) -> &'static str {
        let named = NAMES.iter().find(|(_, own)| *own == kind);
        named.map_or("", |(name, _)| name)
    }

    /// Returns the file ending of an AOV, without the dot.
    #[must_use]
    pub fn ending(&self, kind: AovKind) -> &'static str {
        match (self.encoding, kind) {
            (Encoding::Exr, _) | (Encoding::Png, AovKind::Depth | AovKind::Motion) => "exr",
            (Encoding::Png, AovKind::Ids | AovKind::Normal | AovKind::Uv | AovKind::Albedo) => "png",
        }
    }

    /// Returns the file of an AOV of the picture `stem`.png.
    #[must_use]
    pub fn path(&self, stem: &Path, kind: AovKind) -> PathBuf {
        with_suffix(stem, &format!("{}.{}", Self::name(kind), self.ending(kind)))
    }
}

/// Appends an ending to the name of `stem`: `a/b` and `ids.exr` give `a/b.ids.exr`.
pub(crate) fn with_suffix(stem: &Path, ending: &str) -> PathBuf {
    let mut name = stem.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

/// Parses `color,depth,ids`: any order, each once.
impl FromStr for PassSet {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut set = Self::default();
        for name in text.split(',').map(str::trim) {
            let kind = NAMES.iter().find(|(own, _)| *own == name).map(|(_, kind)| *kind);
            match kind {
                Some(kind) if !set.kinds.contains(&kind) => set.kinds.push(kind),
                None if name == COLOR && !set.color => set.color = true,
                Some(_) => return Err(format!("{name} is given twice")),
                None if name == COLOR => return Err(format!("{name} is given twice")),
                None => {
                    let known: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
                    return Err(format!("{name:?} is no pass; use {COLOR}, {}", known.join(", ")));
                }
            }
        }
        set.kinds.sort_unstable();
        Ok(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_are_named_in_any_order_once() {
        let set: PassSet = "depth,color,ids".parse().expect("passes");
        assert!(set.color);
        assert_eq!(set.kinds, [AovKind::Ids, AovKind::Depth]);
        assert_eq!(
            set.path(Path::new("a/00001"), AovKind::Ids),
            Path::new("a/00001.ids.exr")
        );
        let png = PassSet {
            encoding: Encoding::Png,
            ..set
        };
        assert_eq!(png.path(Path::new("f-7"), AovKind::Ids), Path::new("f-7.ids.png"));
        assert_eq!(png.path(Path::new("f-7"), AovKind::Depth), Path::new("f-7.depth.exr"));
        for wrong in ["", "depth,depth", "color,color", "colour", "ids;depth"] {
            assert!(wrong.parse::<PassSet>().is_err(), "{wrong}");
        }
        for kind in AovKind::ALL {
            assert!(!PassSet::name(kind).is_empty());
        }
    }
}
