//! Table of all keys and the values that each accepts. Files are checked against it before they are read.

use std::ops::RangeInclusive;

use serde::de::DeserializeOwned;

use crate::{
    config::{
        BakeConfig, CameraConfig, Group, LookConfig, LookTarget, PathKind, Phase, RenderConfig, SceneConfig,
        TintConfig, TrajectoryConfig, WindowConfig, limits, variants::variants,
    },
    model::MATERIAL_VARIANTS,
};

/// Values that a key accepts.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A text.
    Text,
    /// A list of texts.
    Texts,
    /// A list of "#rrggbb", at most 64.
    Colours,
    /// `true` or `false`.
    Bool,
    /// A whole number from the first to the second, both included.
    Integer(i64, i64),
    /// One of these whole numbers.
    IntegerOf(&'static [i64]),
    /// A number from the first to the second, both included; never NaN.
    Number(f64, f64),
    /// A list of two numbers from the first to the second, in rising order.
    Range(f64, f64),
    /// A list of numbers from the first to the second, both included.
    Numbers(f64, f64),
    /// A list of 3 to 64 points, each of two numbers within a million.
    Points,
    /// A list of three numbers within a million.
    Point,
    /// One of these words.
    OneOf(fn() -> Vec<String>),
}

/// A key of the configuration.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Dotted path; `*` stands for a name that the file chooses.
    pub path: &'static str,
    /// Values that it accepts.
    pub kind: Kind,
    /// Unit, empty for plain numbers and words.
    pub unit: &'static str,
}

/// Largest absolute coordinate of any point.
const FAR: f64 = *limits::COORDINATE.end();
/// Maximum number of points of a path.
pub(crate) const MOST_POINTS: usize = 64;
/// Latest time that a file may name (s): eleven days.
const LONG: f64 = 1e6;

pub(super) const fn integer(range: &RangeInclusive<u32>) -> Kind {
    Kind::Integer(*range.start() as i64, *range.end() as i64)
}

pub(super) const fn number(range: &RangeInclusive<f64>) -> Kind {
    Kind::Number(*range.start(), *range.end())
}

const fn ends(range: &RangeInclusive<f64>) -> Kind {
    Kind::Range(*range.start(), *range.end())
}

/// Keys by section, in the order of the file.
const SECTIONS: [&[Key]; 10] = [
    SceneConfig::KEYS,
    SCENE_TABLES,
    TintConfig::KEYS,
    TrajectoryConfig::KEYS,
    LookConfig::KEYS,
    CameraConfig::KEYS,
    CAMERA_TABLES,
    RenderConfig::KEYS,
    BakeConfig::KEYS,
    WindowConfig::KEYS,
];

/// Every key.
pub const KEYS: &[Key] = &joined::<{ count(&SECTIONS) }>(&SECTIONS);

const fn count(sections: &[&[Key]]) -> usize {
    let (mut keys, mut section) = (0, 0);
    while section < sections.len() {
        keys += sections[section].len();
        section += 1;
    }
    keys
}

/// Keys of all sections in one list of `N`.
const fn joined<const N: usize>(sections: &[&[Key]]) -> [Key; N] {
    let mut all = [sections[0][0]; N];
    let (mut at, mut section) = (0, 0);
    while section < sections.len() {
        let mut key = 0;
        while key < sections[section].len() {
            all[at] = sections[section][key];
            at += 1;
            key += 1;
        }
        section += 1;
    }
    all
}

#[rustfmt::skip]
const SCENE_TABLES: &[Key] = &[
    Key { path: "scene.joint_roles.*", kind: Kind::Text, unit: "" },
    Key { path: "scene.clips.*", kind: number(&limits::WEIGHT), unit: "" },
    Key { path: "scene.groups.*.phase", kind: Kind::OneOf(words::<Phase>), unit: "" },
    Key { path: "scene.groups.*.clips.*", kind: number(&limits::WEIGHT), unit: "" },
    Key { path: "scene.groups.*.props.*.mesh", kind: Kind::Text, unit: "" },
    Key { path: "scene.groups.*.props.*.socket", kind: Kind::Text, unit: "" },
    Key { path: "scene.groups.*.props.*.share", kind: number(&limits::SHARE), unit: "" },
    Key { path: "scene.groups.*.props.*.turn", kind: Kind::Point, unit: "degrees" },
    Key { path: "scene.groups.*.props.*.shift", kind: Kind::Point, unit: "metres" },
    Key { path: "scene.groups.*.material_variant", kind: Kind::Integer(0, MATERIAL_VARIANTS as i64 - 1), unit: "" },
    Key { path: "scene.groups.*.tints.skin", kind: Kind::Colours, unit: "" },
    Key { path: "scene.groups.*.tints.hair", kind: Kind::Colours, unit: "" },
    Key { path: "scene.groups.*.tints.cloth", kind: Kind::Colours, unit: "" },
    Key { path: "scene.groups.*.tints.trim", kind: Kind::Colours, unit: "" },
    Key { path: "scene.groups.*.behaviour.block", kind: ends(&limits::BLOCK), unit: "seconds" },
    Key { path: "scene.groups.*.behaviour.states.*.clip", kind: Kind::Text, unit: "" },
    Key { path: "scene.groups.*.behaviour.states.*.home", kind: number(&limits::WEIGHT), unit: "" },
    Key { path: "scene.groups.*.behaviour.states.*.speed", kind: ends(&limits::PLAYBACK), unit: "" },
    Key { path: "scene.groups.*.behaviour.states.*.wrap", kind: Kind::OneOf(wraps), unit: "" },
    Key { path: "scene.groups.*.behaviour.states.*.dwell", kind: ends(&limits::DWELL), unit: "seconds" },
    Key { path: "scene.groups.*.behaviour.states.*.fade", kind: number(&limits::FADE), unit: "seconds" },
    Key { path: "scene.groups.*.behaviour.states.*.next.*", kind: number(&limits::WEIGHT), unit: "" },
    Key { path: "scene.groups.*.behaviour.states.*.fades.*", kind: number(&limits::FADE), unit: "seconds" },
    Key { path: "scene.heroes.*.at", kind: Kind::Point, unit: "metres" },
    Key { path: "scene.heroes.*.count", kind: Kind::Integer(1, 1000), unit: "people" },
    Key { path: "scene.heroes.*.group", kind: Kind::OneOf(group_names), unit: "" },
    Key { path: "scene.heroes.*.from", kind: Kind::Number(0.0, LONG), unit: "seconds" },
    Key { path: "scene.heroes.*.until", kind: Kind::Number(0.0, LONG), unit: "seconds" },
    Key { path: "scene.heroes.*.fade", kind: Kind::Number(0.0, 5.0), unit: "seconds" },
    Key { path: "scene.heroes.*.look", kind: Kind::OneOf(words::<LookTarget>), unit: "" },
    Key { path: "scene.heroes.*.look_at", kind: Kind::Point, unit: "metres" },
    Key { path: "scene.heroes.*.layers.*.clip", kind: Kind::Text, unit: "" },
    Key { path: "scene.heroes.*.layers.*.joint", kind: Kind::Text, unit: "" },
    Key { path: "scene.heroes.*.layers.*.weight", kind: Kind::Number(0.0, 1.0), unit: "" },
    Key { path: "scene.heroes.*.layers.*.speed", kind: Kind::Number(-8.0, 8.0), unit: "" },
    Key { path: "scene.heroes.*.layers.*.start", kind: Kind::Number(0.0, LONG), unit: "seconds" },
    Key { path: "scene.heroes.*.layers.*.from", kind: Kind::Number(0.0, LONG), unit: "seconds" },
    Key { path: "scene.heroes.*.layers.*.until", kind: Kind::Number(0.0, LONG), unit: "seconds" },
    Key { path: "scene.paths.*.kind", kind: Kind::OneOf(words::<PathKind>), unit: "" },
    Key { path: "scene.paths.*.points", kind: Kind::Points, unit: "metres" },
    Key { path: "scene.paths.*.radius", kind: Kind::Number(0.0, 100.0), unit: "metres" },
    Key { path: "scene.paths.*.people", kind: Kind::Integer(1, 100_000), unit: "people" },
    Key { path: "scene.paths.*.speed", kind: Kind::Number(0.1, 8.0), unit: "metres per second" },
    Key { path: "scene.paths.*.lanes", kind: Kind::Integer(1, 32), unit: "" },
    Key { path: "scene.paths.*.lane_width", kind: Kind::Number(0.5, 10.0), unit: "metres" },
    Key { path: "scene.paths.*.lane_spread", kind: Kind::Number(0.0, 0.9), unit: "" },
];

#[rustfmt::skip]
const CAMERA_TABLES: &[Key] = &[
    Key { path: "camera.views.*.eye", kind: Kind::Point, unit: "metres" },
    Key { path: "camera.views.*.target", kind: Kind::Point, unit: "metres" },
    Key { path: "camera.views.*.time", kind: number(&limits::TIME), unit: "seconds" },
    Key { path: "camera.path.*.time", kind: number(&limits::TIME), unit: "seconds" },
    Key { path: "camera.path.*.eye", kind: Kind::Point, unit: "metres" },
    Key { path: "camera.path.*.target", kind: Kind::Point, unit: "metres" },
];

/// Key of a dotted path, with real names in place of `*`.
#[must_use]
pub fn key(path: &str) -> Option<&'static Key> {
    key_at(&path.split('.').collect::<Vec<_>>())
}

/// Key at a path of names; a name that the file chose may contain dots.
pub(crate) fn key_at(path: &[&str]) -> Option<&'static Key> {
    KEYS.iter().find(|key| {
        let segments = key.path.split('.').count();
        segments == path.len() && begins(key, path)
    })
}

/// Names that may follow a path, each once, in the order of the table; none if the path is no table.
pub(crate) fn children(path: &[&str]) -> Vec<&'static str> {
    let mut found = Vec::new();
    for key in KEYS.iter().filter(|key| begins(key, path)) {
        let child = key.path.split('.').nth(path.len());
        found.extend(child.filter(|child| !found.contains(child)));
    }
    found
}

fn begins(key: &Key, path: &[&str]) -> bool {
    let mut known = key.path.split('.');
    path.iter()
        .all(|&given| known.next().is_some_and(|known| known == "*" || known == given))
}

impl Kind {
    /// Expected value, for messages: "a number from 0.3 to 100".
    #[must_use]
    pub fn expects(self) -> String {
        match self {
            Self::Text => "a quoted string".to_owned(),
            Self::Texts => "an array of strings".to_owned(),
            Self::Colours => "an array of at most 64 colours \"#rrggbb\"".to_owned(),
            Self::Bool => "true or false".to_owned(),
            Self::Integer(min, i64::MAX) => format!("an integer from {min} to 2^63-1"),
            Self::Integer(min, max) => format!("an integer from {min} to {max}"),
            Self::IntegerOf(values) => list(values.iter().map(i64::to_string)),
            Self::Number(min, max) => format!("a number from {min} to {max}"),
            Self::Range(min, max) => format!("two ascending numbers [low, high] from {min} to {max}"),
            Self::Numbers(min, max) => format!("an array of numbers from {min} to {max}"),
            Self::Points => format!("3 to {MOST_POINTS} points [x, z] within ±{FAR}"),
            Self::Point => format!("three numbers [x, y, z] within ±{FAR}"),
            Self::OneOf(words) => list(words().into_iter().map(|word| format!("\"{word}\""))),
        }
    }

    /// True if the key has a lower and an upper bound.
    #[must_use]
    pub const fn is_ranged(self) -> bool {
        matches!(
            self,
            Self::Integer(..) | Self::Number(..) | Self::Numbers(..) | Self::Range(..)
        )
    }

    /// True if a coordinate of a [`Kind::Point`] or [`Kind::Points`] is in range; NaN is not.
    pub(crate) fn coordinate(value: f64) -> bool {
        value.abs() <= FAR
    }
}

/// Joins items as in "a, b or c".
pub(crate) fn list(items: impl IntoIterator<Item = String>) -> String {
    let items: Vec<_> = items.into_iter().collect();
    match items.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} or {last}", rest.join(", ")),
    }
}

/// Names of the groups that a file may set.
pub(crate) fn group_names() -> Vec<String> {
    Group::ALL.map(|group| group.name().to_owned()).to_vec()
}

fn wraps() -> Vec<String> {
    ["loop", "once", "pingpong", "clamp"].map(str::to_owned).to_vec()
}

pub(super) fn words<T: DeserializeOwned>() -> Vec<String> {
    variants::<T>().iter().map(|&name| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_match_whole_and_with_names() {
        assert!(key("scene.count").is_some());
        assert!(key("scene.groups.home.clips.cheer").is_some());
        for wrong in ["scene", "scene.count.x", "scene.groups.home", "count", ""] {
            assert!(key(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn expectations_read_well() {
        let of = |path| key(path).map(|key| key.kind.expects()).unwrap_or_default();
        assert_eq!(of("render.msaa"), "1 or 4");
        assert_eq!(of("scene.spacing"), "a number from 0.3 to 100");
        assert_eq!(
            of("look.ground"),
            "\"plaza\", \"grass\", \"pitch\", \"grid\" or \"studio\""
        );
    }
}
