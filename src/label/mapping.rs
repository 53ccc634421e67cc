//! Mapping from joints to key points of the body.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Points of a body that a mapping can name: those of COCO first, then those that other sets need.
pub(super) const POINTS: [&str; 36] = [
    "nose",
    "left_eye",
    "right_eye",
    "left_ear",
    "right_ear",
    "left_shoulder",
    "right_shoulder",
    "left_elbow",
    "right_elbow",
    "left_wrist",
    "right_wrist",
    "left_hip",
    "right_hip",
    "left_knee",
    "right_knee",
    "left_ankle",
    "right_ankle",
    "pelvis",
    "spine1",
    "spine2",
    "spine3",
    "neck",
    "head",
    "head_top",
    "left_collar",
    "right_collar",
    "left_hand",
    "right_hand",
    "left_heel",
    "right_heel",
    "left_foot",
    "right_foot",
    "left_big_toe",
    "right_big_toe",
    "left_small_toe",
    "right_small_toe",
];

/// Position of a key point: at a joint, or offset from it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointAt {
    /// Name of the joint in the character's file, case-insensitive.
    pub joint: String,
    /// Offset from the joint in the rest pose (m), in the character's space, which faces +Z.
    #[serde(default)]
    pub offset: [f32; 3],
}

/// Error in a mapping file.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {why}")]
pub struct MappingError {
    file: String,
    why: String,
}

/// Key points by name; points that are not mapped have no label.
#[derive(Clone, Debug, PartialEq)]
pub struct Mapping {
    points: BTreeMap<String, PointAt>,
    /// Points that differ, by name of the character.
    characters: BTreeMap<String, BTreeMap<String, PointAt>>,
}

/// Mapping file: `[keypoints]`, and `[characters.NAME]` for characters that differ.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MappingFile {
    #[serde(default)]
    keypoints: BTreeMap<String, KeyPointEntry>,
    #[serde(default)]
    characters: BTreeMap<String, BTreeMap<String, KeyPointEntry>>,
}

/// Entry of a mapping file: `"thigh_l"`, or `{ joint = "head", offset = [0.0, 0.1, 0.2] }`.
#[derive(Deserialize)]
#[serde(untagged)]
enum KeyPointEntry {
    Joint(String),
    Moved(PointAt),
}

impl From<KeyPointEntry> for PointAt {
    fn from(entry: KeyPointEntry) -> Self {
        match entry {
            KeyPointEntry::Joint(joint) => Self {
                joint,
                offset: [0.0; 3],
            },
            KeyPointEntry::Moved(point) => point,
        }
    }
}

/// Mapping of the built-in characters. Offsets of faces follow their meshes: tip of the nose, centres of eyes and ears.
const BUILT_IN: &str = r#"
[keypoints]
nose = { joint = "head", offset = [0.0, 0.092, 0.178] }
left_eye = { joint = "head", offset = [0.053, 0.119, 0.135] }
right_eye = { joint = "head", offset = [-0.053, 0.119, 0.135] }
left_ear = { joint = "head", offset = [0.135, 0.118, -0.001] }
right_ear = { joint = "head", offset = [-0.135, 0.118, -0.001] }
left_shoulder = "upper_arm_l"
right_shoulder = "upper_arm_r"
left_elbow = "lower_arm_l"
right_elbow = "lower_arm_r"
left_wrist = "hand_l"
right_wrist = "hand_r"
left_hip = "thigh_l"
right_hip = "thigh_r"
left_knee = "shin_l"
right_knee = "shin_r"
left_ankle = "foot_l"
right_ankle = "foot_r"
pelvis = "hips"
spine1 = "spine"
spine2 = { joint = "spine", offset = [0.0, 0.075, -0.002] }
spine3 = "chest"
neck = "neck"
head = "head"
head_top = { joint = "head", offset = [0.0, 0.29, 0.0] }
left_collar = "clavicle_l"
right_collar = "clavicle_r"
left_hand = "fingers_l"
right_hand = "fingers_r"
left_heel = { joint = "foot_l", offset = [0.0, -0.045, -0.055] }
right_heel = { joint = "foot_r", offset = [0.0, -0.045, -0.055] }
left_foot = "toe_l"
right_foot = "toe_r"
left_big_toe = { joint = "toe_l", offset = [-0.015, -0.012, 0.078] }
right_big_toe = { joint = "toe_r", offset = [0.015, -0.012, 0.078] }
left_small_toe = { joint = "toe_l", offset = [0.04, -0.012, 0.052] }
right_small_toe = { joint = "toe_r", offset = [-0.04, -0.012, 0.052] }

[characters.woman]
nose = { joint = "head", offset = [0.0, 0.099, 0.169] }
left_eye = { joint = "head", offset = [0.056, 0.121, 0.131] }
right_eye = { joint = "head", offset = [-0.056, 0.121, 0.131] }

[characters.girl]
nose = { joint = "head", offset = [0.0, 0.088, 0.156] }
left_eye = { joint = "head", offset = [0.052, 0.115, 0.127] }
right_eye = { joint = "head", offset = [-0.052, 0.115, 0.127] }
left_ear = { joint = "head", offset = [0.127, 0.110, -0.001] }
right_ear = { joint = "head", offset = [-0.127, 0.110, -0.001] }
spine2 = { joint = "spine", offset = [0.0, 0.052, -0.002] }
head_top = { joint = "head", offset = [0.0, 0.27, 0.0] }
left_heel = { joint = "foot_l", offset = [0.0, -0.032, -0.04] }
right_heel = { joint = "foot_r", offset = [0.0, -0.032, -0.04] }
left_big_toe = { joint = "toe_l", offset = [-0.012, -0.009, 0.055] }
right_big_toe = { joint = "toe_r", offset = [0.012, -0.009, 0.055] }
left_small_toe = { joint = "toe_l", offset = [0.034, -0.009, 0.036] }
right_small_toe = { joint = "toe_r", offset = [-0.034, -0.009, 0.036] }

[characters.elder]
nose = { joint = "head", offset = [0.0, 0.098, 0.188] }
left_eye = { joint = "head", offset = [0.054, 0.122, 0.138] }
right_eye = { joint = "head", offset = [-0.054, 0.122, 0.138] }
left_ear = { joint = "head", offset = [0.138, 0.119, -0.003] }
right_ear = { joint = "head", offset = [-0.138, 0.119, -0.003] }
"#;

impl Mapping {
    /// Mapping without any points.
    pub const EMPTY: Self = Self {
        points: BTreeMap::new(),
        characters: BTreeMap::new(),
    };

    /// Returns the mapping of the built-in characters.
    ///
    /// # Panics
    /// Never: a test parses it.
    #[must_use]
    pub fn built_in() -> Self {
        Self::parse("built-in", BUILT_IN).expect("the built-in mapping is well-formed")
    }

    /// Parses the text of a mapping file.
    ///
    /// # Errors
    /// Text that is not TOML, or names an unknown key point.
    pub fn parse(file: &str, text: &str) -> Result<Self, MappingError> {
        let wrong = |why: String| MappingError {
            file: file.to_owned(),
            why,
        };
        let read: MappingFile = toml::from_str(text).map_err(|error| wrong(error.message().replace('\n', ", ")))?;
        let all = read
            .characters
            .values()
            .chain([&read.keypoints])
            .flat_map(BTreeMap::keys);
        for name in all {
            if !POINTS.contains(&name.as_str()) {
                return Err(wrong(format!(
                    "{name} is no key point; use one of {}",
                    POINTS.join(", ")
                )));
            }
        }
        let points = |entries: BTreeMap<String, KeyPointEntry>| {
            entries.into_iter().map(|(name, at)| (name, at.into())).collect()
        };
        Ok(Self {
            points: points(read.keypoints),
            characters: read
                .characters
                .into_iter()
                .map(|(name, own)| (name, points(own)))
                .collect(),
        })
    }

    /// Returns the position of a point of a character.
    #[must_use]
    pub fn point(&self, character: &str, name: &str) -> Option<&PointAt> {
        let own = self
            .characters
            .iter()
            .find(|(own, _)| own.eq_ignore_ascii_case(character));
        own.and_then(|(_, points)| points.get(name))
            .or_else(|| self.points.get(name))
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::{
        file::open_bytes,
        model::{TintRegion, Vertex},
        scene::embedded::{NAMES, embedded},
    };

    #[test]
    fn every_point_of_our_own_characters_has_a_joint() {
        let mapping = Mapping::built_in();
        for name in POINTS {
            assert!(mapping.point("man", name).is_some(), "{name}");
        }
    }

    /// Returns the vertices of a character that only its head moves, relative to the head joint, with the tint region
    /// of their material.
    fn head(name: &str) -> Vec<(TintRegion, Vec3)> {
        let bytes = embedded(name).expect("is embedded");
        let model = open_bytes(name, bytes, None).expect("opens").model;
        let skeleton = &model.skeleton;
        let joint = { skeleton.joints.iter() }
            .position(|joint| joint.name == "head")
            .expect("a head");
        let slot = { skeleton.slots.iter() }
            .position(|slot| slot.joint as usize == joint)
            .expect("is skinned");
        let origin = skeleton.slots[slot].inverse_bind.inverse().w_axis.truncate();
        let rigid = |v: &&Vertex| v.influences().all(|(own, weight)| own == slot || weight < 0.01);
        let vertices = model.mesh.vertices.iter().filter(rigid);
        let region = |v: &Vertex| model.materials[usize::from(v.material)].tints[0];
        vertices.map(|v| (region(v), v.position - origin)).collect()
    }

    #[test]
    fn faces_of_our_own_characters_are_where_their_meshes_have_them() {
        let mapping = Mapping::built_in();
        for name in NAMES {
            let head = head(name);
            let at = |point: &str| Vec3::from(mapping.point(name, point).expect("is mapped").offset);
            let of = |region: TintRegion| head.iter().filter(move |(own, _)| *own == region).map(|(_, at)| *at);
            let nearest = |region, point: Vec3| of(region).map(|v| v.distance(point)).fold(f32::MAX, f32::min);
            // The tip of the nose is the foremost point of the face.
            let tip = of(TintRegion::Skin).max_by(|a, b| a.z.total_cmp(&b.z)).expect("skin");
            assert!(tip.distance(at("nose")) < 0.008, "{name}: nose {} at {tip}", at("nose"));
            for side in ["left", "right"] {
                // +X is to the left of a character that faces +Z.
                let sign = if side == "left" { 1.0 } else { -1.0 };
                let eye = at(&format!("{side}_eye"));
                assert!(
                    eye.x * sign > 0.03 && nearest(TintRegion::None, eye) < 0.03,
                    "{name}: {side} eye {eye}"
                );
                let around: Vec<Vec3> = of(TintRegion::None).filter(|v| v.distance(eye) < 0.035).collect();
                let middle = around.iter().sum::<Vec3>() / around.len().max(1) as f32;
                assert!(
                    around.len() > 8 && middle.distance(eye) < 0.012,
                    "{name}: {side} eye {eye} of {middle}"
                );
                let ear = at(&format!("{side}_ear"));
                let outermost = of(TintRegion::Skin).map(|v| v.x * sign).fold(0.0, f32::max);
                assert!(
                    (outermost - ear.x * sign).abs() < 0.012,
                    "{name}: {side} ear {ear}, outermost {outermost}"
                );
                assert!(nearest(TintRegion::Skin, ear) < 0.015, "{name}: {side} ear {ear}");
            }
        }
    }

    #[test]
    fn feet_of_our_own_characters_are_within_their_meshes() {
        let mapping = Mapping::built_in();
        for name in NAMES {
            let bytes = embedded(name).expect("is embedded");
            let model = open_bytes(name, bytes, None).expect("opens").model;
            for point in ["left_heel", "right_heel", "left_big_toe", "right_small_toe", "head_top"] {
                let at = mapping.point(name, point).expect("is mapped");
                let joint = model.skeleton.joints.iter().position(|joint| joint.name == at.joint);
                let slot = { model.skeleton.slots.iter() }.find(|slot| Some(slot.joint as usize) == joint);
                let origin = slot.expect("is skinned").inverse_bind.inverse().w_axis.truncate();
                let place = origin + Vec3::from(at.offset);
                let nearest = { model.mesh.vertices.iter() }.map(|v| v.position.distance(place));
                let nearest = nearest.fold(f32::MAX, f32::min);
                assert!(nearest < 0.035, "{name}: {point} is {nearest} m off the mesh");
            }
        }
    }

    #[test]
    fn characters_override_points_and_errors_are_reported() {
        let text =
            "[keypoints]\nnose = \"Head\"\n[characters.Fox]\nnose = { joint = \"b_Head_05\", offset = [0, 1, 2.5] }\n";
        let mapping = Mapping::parse("m.toml", text).expect("well-formed");
        assert_eq!(mapping.point("man", "nose").map(|p| p.joint.as_str()), Some("Head"));
        assert_eq!(mapping.point("fox", "nose").map(|p| p.offset), Some([0.0, 1.0, 2.5]));
        assert_eq!(mapping.point("man", "left_eye"), None);
        for (wrong, why) in [
            ("[keypoints]\nsnout = \"a\"", "snout is no key point"),
            ("[keypoint]\nnose = \"a\"", "keypoint"),
            ("nose", "m.toml"),
        ] {
            let error = Mapping::parse("m.toml", wrong).expect_err("wrong").to_string();
            assert!(error.contains(why) && error.lines().count() == 1, "{error}");
        }
    }
}
