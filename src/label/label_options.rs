//! Options of labels.

use std::{path::Path, str::FromStr};

use crate::label::{JointSet, LabelFormats, Mapping, read_json};

/// Rules by which labels are made. A film or a set keeps the rules with which it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LabelRules {
    /// Rules of throng 0.1: COCO without occlusion, truncation and head boxes.
    First,
    /// COCO also has occlusion, truncation and head boxes.
    #[default]
    Second,
}

impl LabelRules {
    /// Number in records.
    #[must_use]
    pub const fn number(self) -> u32 {
        match self {
            Self::First => 1,
            Self::Second => 2,
        }
    }

    /// Returns the rules that the record of a film or a set names: the first ones if it has labels and names none. A
    /// new film or set has the newest rules.
    #[must_use]
    pub fn of_record(path: &Path) -> Self {
        let Ok(record) = read_json(path) else {
            return Self::Second;
        };
        let labels = &record["record"];
        let is_first = labels["labels"] == true && labels[RULES_KEY].is_null();
        if is_first { Self::First } else { Self::Second }
    }
}

/// Key of a record that names the rules of labels.
pub(crate) const RULES_KEY: &str = "label_rules";

/// Rule for the categories of people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Categories {
    /// One category for everybody: `person`.
    #[default]
    Person,
    /// One category for each character, by its name.
    Character,
}

/// Parses `person` or `character`.
impl FromStr for Categories {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.trim() {
            "person" => Ok(Self::Person),
            "character" => Ok(Self::Character),
            _ => Err(format!("{text:?} is no rule for categories; use person or character")),
        }
    }
}

/// Options of labels.
#[derive(Clone, Debug)]
pub struct LabelOptions {
    /// Mapping from joints to key points.
    pub mapping: Mapping,
    /// Minimum number of visible pixels of labelled people; 0 also labels people who are entirely occluded.
    pub least_pixels: u32,
    /// Standard deviation of the Gaussians of a density map (px), if one is requested.
    pub density: Option<f32>,
    /// File formats; COCO's file of a picture is always written.
    pub formats: LabelFormats,
    /// Set of key points.
    pub joints: JointSet,
    /// Rule for the categories of people.
    pub categories: Categories,
    /// True to write amodal masks, too.
    pub amodal_masks: bool,
    /// Number of points on the surface of each person that point tracks follow.
    pub surface_points: u32,
    /// Rules by which labels are made.
    pub rules: LabelRules,
}

impl LabelOptions {
    /// Options without a mapping, for everyone in the picture, seen or not.
    pub const EVERYONE: Self = Self {
        mapping: Mapping::EMPTY,
        least_pixels: 0,
        density: None,
        formats: LabelFormats::COCO,
        joints: JointSet::Coco17,
        categories: Categories::Person,
        amodal_masks: false,
        surface_points: 16,
        rules: LabelRules::Second,
    };
}

/// Mapping of the built-in characters, COCO's key points and file, everyone with a visible pixel, no density map.
impl Default for LabelOptions {
    fn default() -> Self {
        Self {
            mapping: Mapping::built_in(),
            least_pixels: 1,
            ..Self::EVERYONE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_those_with_which_a_record_began() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("record.json");
        assert_eq!(LabelRules::of_record(&path), LabelRules::Second, "nothing began");
        for (text, rules) in [
            (r#"{"record": {"labels": true, "min_pixels": null}}"#, LabelRules::First),
            (r#"{"record": {"labels": true, "label_rules": 2}}"#, LabelRules::Second),
            (r#"{"record": {"labels": false}}"#, LabelRules::Second),
            (r#"{"fps": "24"}"#, LabelRules::Second),
        ] {
            std::fs::write(&path, text).expect("written");
            assert_eq!(LabelRules::of_record(&path), rules, "{text}");
        }
    }
}
