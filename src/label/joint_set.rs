//! Sets of key points that other data sets and models use, each in its own order: a map from names to points of a
//! body.

use std::str::FromStr;

/// Set of key points with the names and the order of a data set or a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JointSet {
    /// 17 points of COCO's person.
    #[default]
    Coco17,
    /// 25 points of OpenPose's BODY_25.
    Body25,
    /// 26 points of Halpe (AlphaPose, MMPose): COCO's 17, head, neck, hip and feet.
    Halpe26,
    /// 17 joints of Human3.6M, as MMPose orders them.
    H36m17,
    /// 24 joints of SMPL.
    Smpl24,
}

/// Position of a key point of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointSource {
    /// Point of the mapping.
    Named(&'static str),
    /// Point of the mapping, or the middle of two others if it is not mapped.
    NamedOr(&'static str, [&'static str; 2]),
    /// Middle of two points of the mapping.
    Middle([&'static str; 2]),
}

/// Key point of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetPoint {
    /// Name in the set.
    pub name: &'static str,
    /// Position on a body.
    pub at: PointSource,
}

const fn named(name: &'static str) -> SetPoint {
    renamed(name, name)
}

const fn renamed(name: &'static str, point: &'static str) -> SetPoint {
    SetPoint {
        name,
        at: PointSource::Named(point),
    }
}

const fn middle(name: &'static str, pair: [&'static str; 2]) -> SetPoint {
    SetPoint {
        name,
        at: PointSource::Middle(pair),
    }
}

const fn named_or(name: &'static str, point: &'static str, pair: [&'static str; 2]) -> SetPoint {
    SetPoint {
        name,
        at: PointSource::NamedOr(point, pair),
    }
}

const SHOULDERS: [&str; 2] = ["left_shoulder", "right_shoulder"];
const HIPS: [&str; 2] = ["left_hip", "right_hip"];

const COCO17: [SetPoint; 17] = [
    named("nose"),
    named("left_eye"),
    named("right_eye"),
    named("left_ear"),
    named("right_ear"),
    named("left_shoulder"),
    named("right_shoulder"),
    named("left_elbow"),
    named("right_elbow"),
    named("left_wrist"),
    named("right_wrist"),
    named("left_hip"),
    named("right_hip"),
    named("left_knee"),
    named("right_knee"),
    named("left_ankle"),
    named("right_ankle"),
];

const BODY25: [SetPoint; 25] = [
    named("nose"),
    middle("neck", SHOULDERS),
    named("right_shoulder"),
    named("right_elbow"),
    named("right_wrist"),
    named("left_shoulder"),
    named("left_elbow"),
    named("left_wrist"),
    middle("mid_hip", HIPS),
    named("right_hip"),
    named("right_knee"),
    named("right_ankle"),
    named("left_hip"),
    named("left_knee"),
    named("left_ankle"),
    named("right_eye"),
    named("left_eye"),
    named("right_ear"),
    named("left_ear"),
    named("left_big_toe"),
    named("left_small_toe"),
    named("left_heel"),
    named("right_big_toe"),
    named("right_small_toe"),
    named("right_heel"),
];

const HALPE26: [SetPoint; 26] = [
    named("nose"),
    named("left_eye"),
    named("right_eye"),
    named("left_ear"),
    named("right_ear"),
    named("left_shoulder"),
    named("right_shoulder"),
    named("left_elbow"),
    named("right_elbow"),
    named("left_wrist"),
    named("right_wrist"),
    named("left_hip"),
    named("right_hip"),
    named("left_knee"),
    named("right_knee"),
    named("left_ankle"),
    named("right_ankle"),
    renamed("head", "head_top"),
    named_or("neck", "neck", SHOULDERS),
    middle("hip", HIPS),
    named("left_big_toe"),
    named("right_big_toe"),
    named("left_small_toe"),
    named("right_small_toe"),
    named("left_heel"),
    named("right_heel"),
];

const H36M17: [SetPoint; 17] = [
    middle("root", HIPS),
    named("right_hip"),
    named("right_knee"),
    renamed("right_foot", "right_ankle"),
    named("left_hip"),
    named("left_knee"),
    renamed("left_foot", "left_ankle"),
    renamed("spine", "spine3"),
    named_or("thorax", "neck", SHOULDERS),
    renamed("neck_base", "head"),
    renamed("head", "head_top"),
    named("left_shoulder"),
    named("left_elbow"),
    named("left_wrist"),
    named("right_shoulder"),
    named("right_elbow"),
    named("right_wrist"),
];

const SMPL24: [SetPoint; 24] = [
    named_or("pelvis", "pelvis", HIPS),
    named("left_hip"),
    named("right_hip"),
    named("spine1"),
    named("left_knee"),
    named("right_knee"),
    named("spine2"),
    named("left_ankle"),
    named("right_ankle"),
    named("spine3"),
    named("left_foot"),
    named("right_foot"),
    named_or("neck", "neck", SHOULDERS),
    named("left_collar"),
    named("right_collar"),
    named("head"),
    named("left_shoulder"),
    named("right_shoulder"),
    named("left_elbow"),
    named("right_elbow"),
    named("left_wrist"),
    named("right_wrist"),
    named("left_hand"),
    named("right_hand"),
];

/// Pairs of key points that COCO's skeleton joins, counted from 1.
pub const COCO_SKELETON: [[u32; 2]; 19] = [
    [16, 14],
    [14, 12],
    [17, 15],
    [15, 13],
    [12, 13],
    [6, 12],
    [7, 13],
    [6, 7],
    [6, 8],
    [7, 9],
    [8, 10],
    [9, 11],
    [2, 3],
    [1, 2],
    [1, 3],
    [2, 4],
    [3, 5],
    [4, 6],
    [5, 7],
];

#[rustfmt::skip]
const BODY25_SKELETON: [[u32; 2]; 24] = [
    [2, 9], [2, 3], [2, 6], [3, 4], [4, 5], [6, 7], [7, 8], [9, 10], [10, 11], [11, 12], [9, 13], [13, 14], [14, 15],
    [2, 1], [1, 16], [16, 18], [1, 17], [17, 19], [15, 20], [20, 21], [15, 22], [12, 23], [23, 24], [12, 25],
];

#[rustfmt::skip]
const HALPE26_SKELETON: [[u32; 2]; 27] = [
    [16, 14], [14, 12], [12, 20], [17, 15], [15, 13], [13, 20], [18, 19], [19, 20], [19, 6], [6, 8], [8, 10], [19, 7],
    [7, 9], [9, 11], [2, 3], [1, 2], [1, 3], [2, 4], [3, 5], [4, 6], [5, 7], [16, 21], [16, 23], [16, 25], [17, 22],
    [17, 24], [17, 26],
];

#[rustfmt::skip]
const H36M17_SKELETON: [[u32; 2]; 16] = [
    [1, 5], [5, 6], [6, 7], [1, 2], [2, 3], [3, 4], [1, 8], [8, 9], [9, 10], [10, 11], [9, 12], [12, 13], [13, 14],
    [9, 15], [15, 16], [16, 17],
];

#[rustfmt::skip]
const SMPL24_SKELETON: [[u32; 2]; 23] = [
    [1, 2], [1, 3], [1, 4], [2, 5], [3, 6], [4, 7], [5, 8], [6, 9], [7, 10], [8, 11], [9, 12], [10, 13], [10, 14],
    [10, 15], [13, 16], [14, 17], [15, 18], [17, 19], [18, 20], [19, 21], [20, 22], [21, 23], [22, 24],
];

impl JointSet {
    /// All sets, with their names on the command line.
    pub const ALL: [(&str, Self); 5] = [
        ("coco17", Self::Coco17),
        ("body25", Self::Body25),
        ("halpe26", Self::Halpe26),
        ("h36m17", Self::H36m17),
        ("smpl24", Self::Smpl24),
    ];

    /// Returns the name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        let own = Self::ALL.iter().find(|(_, set)| *set == self);
        own.map_or("", |(name, _)| name)
    }

    /// Returns the points in the order of the set.
    #[must_use]
    pub const fn points(self) -> &'static [SetPoint] {
        match self {
            Self::Coco17 => &COCO17,
            Self::Body25 => &BODY25,
            Self::Halpe26 => &HALPE26,
            Self::H36m17 => &H36M17,
            Self::Smpl24 => &SMPL24,
        }
    }

    /// Returns the names of the points in order.
    #[must_use]
    pub fn names(self) -> Vec<&'static str> {
        self.points().iter().map(|point| point.name).collect()
    }

    /// Returns pairs of points that a skeleton joins, counted from 1.
    #[must_use]
    pub const fn skeleton(self) -> &'static [[u32; 2]] {
        match self {
            Self::Coco17 => &COCO_SKELETON,
            Self::Body25 => &BODY25_SKELETON,
            Self::Halpe26 => &HALPE26_SKELETON,
            Self::H36m17 => &H36M17_SKELETON,
            Self::Smpl24 => &SMPL24_SKELETON,
        }
    }

    /// Returns for each point the index of its mirror image, as training with flipped pictures needs it.
    #[must_use]
    pub fn mirrored(self) -> Vec<usize> {
        let names = self.names();
        let mirror = |name: &str| match name.split_once('_') {
            Some(("left", rest)) => format!("right_{rest}"),
            Some(("right", rest)) => format!("left_{rest}"),
            _ => name.to_owned(),
        };
        let index = |name: &&str| names.iter().position(|own| *own == mirror(name));
        names.iter().map(|name| index(name).unwrap_or_default()).collect()
    }

    /// Returns the indices of the points whose mean is the head: nose, eyes and ears, or the head alone.
    #[must_use]
    pub fn head_points(self) -> Vec<usize> {
        const FACE: [&str; 5] = ["nose", "left_eye", "right_eye", "left_ear", "right_ear"];
        let within = |wanted: &[&str]| -> Vec<usize> {
            let points = self.points().iter().enumerate();
            let own = points.filter(|(_, point)| wanted.contains(&point.name));
            own.map(|(index, _)| index).collect()
        };
        let face = within(&FACE);
        if face.is_empty() { within(&["head"]) } else { face }
    }
}

/// Parses `coco17`, `body25`, `halpe26`, `h36m17` or `smpl24`.
impl FromStr for JointSet {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let own = Self::ALL.iter().find(|(name, _)| *name == text.trim());
        own.map(|(_, set)| *set).ok_or_else(|| {
            let known = Self::ALL.map(|(name, _)| name).join(", ");
            format!("{text:?} is no set of key points; use {known}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::label::mapping::POINTS;

    #[test]
    fn every_set_maps_known_points_and_joins_its_own() {
        for (name, set) in JointSet::ALL {
            assert_eq!(name.parse(), Ok(set));
            let names = set.names();
            let unique: std::collections::BTreeSet<_> = names.iter().collect();
            assert_eq!(unique.len(), names.len(), "{name}");
            for point in set.points() {
                let known = |name: &&str| POINTS.contains(name);
                let mapped = match point.at {
                    PointSource::Named(own) => known(&own),
                    PointSource::NamedOr(own, pair) => known(&own) && pair.iter().all(known),
                    PointSource::Middle(pair) => pair.iter().all(known),
                };
                assert!(mapped, "{name}: {}", point.name);
            }
            let within = |number: &u32| (1..=names.len() as u32).contains(number);
            assert!(set.skeleton().iter().flatten().all(within), "{name}");
            let mirrored = set.mirrored();
            assert!(
                (0..names.len()).all(|index| mirrored[mirrored[index]] == index),
                "{name}"
            );
            assert!(!set.head_points().is_empty(), "{name}");
        }
        assert_eq!(JointSet::Coco17.mirrored()[..5], [0, 2, 1, 4, 3]);
        assert_eq!(JointSet::Coco17.head_points(), [0, 1, 2, 3, 4]);
        assert!("openpose".parse::<JointSet>().is_err());
    }
}
