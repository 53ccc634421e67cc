//! Bones of the human body, by which skeletons of different naming are paired.

use std::collections::BTreeMap;

/// Bones of a skeleton's joints, as its file states them, by joint index.
pub type HumanBones = BTreeMap<u32, HumanBone>;

/// Bone of the human body, under its name in VRM 1.0, such as `leftUpperArm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HumanBone(u8);

/// Bones without sides: VRM's name, and plain names of the same joint elsewhere (Mixamo, Unreal, Biped, Rigify).
const MIDDLE: [(&str, &[&str]); 6] = [
    ("hips", &["hips", "pelvis", "bip01pelvis", "bip001pelvis"]),
    ("spine", &["spine", "spine01", "bip01spine", "bip001spine"]),
    ("chest", &["chest", "spine1", "spine02", "bip01spine1", "bip001spine1"]),
    (
        "upperChest",
        &["upperchest", "spine2", "spine03", "bip01spine2", "bip001spine2"],
    ),
    ("neck", &["neck", "neck01", "bip01neck", "bip001neck"]),
    ("head", &["head", "bip01head", "bip001head"]),
];

/// Bones of each side, without the word for the side: VRM's name, and plain names elsewhere.
const OF_SIDE: [(&str, &[&str]); 23] = [
    ("Shoulder", &["shoulder", "clavicle"]),
    ("UpperArm", &["arm", "upperarm"]),
    ("LowerArm", &["forearm", "lowerarm"]),
    ("Hand", &["hand"]),
    ("UpperLeg", &["upleg", "upperleg", "thigh"]),
    ("LowerLeg", &["leg", "lowerleg", "calf", "shin"]),
    ("Foot", &["foot"]),
    ("Toes", &["toebase", "toes", "toe", "ball"]),
    ("ThumbMetacarpal", &["handthumb1", "thumb01"]),
    ("ThumbProximal", &["handthumb2", "thumb02"]),
    ("ThumbDistal", &["handthumb3", "thumb03"]),
    ("IndexProximal", &["handindex1", "index01"]),
    ("IndexIntermediate", &["handindex2", "index02"]),
    ("IndexDistal", &["handindex3", "index03"]),
    ("MiddleProximal", &["handmiddle1", "middle01"]),
    ("MiddleIntermediate", &["handmiddle2", "middle02"]),
    ("MiddleDistal", &["handmiddle3", "middle03"]),
    ("RingProximal", &["handring1", "ring01"]),
    ("RingIntermediate", &["handring2", "ring02"]),
    ("RingDistal", &["handring3", "ring03"]),
    ("LittleProximal", &["handpinky1", "pinky01"]),
    ("LittleIntermediate", &["handpinky2", "pinky02"]),
    ("LittleDistal", &["handpinky3", "pinky03"]),
];

/// Side of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The person's own left.
    Left,
    /// The person's own right.
    Right,
}

impl HumanBone {
    /// Bone of VRM's name; that of 0.x for the thumb, which begins one joint lower in 1.0, must be translated before.
    #[must_use]
    pub fn of_vrm(name: &str) -> Option<Self> {
        let middle = MIDDLE.iter().position(|(own, _)| *own == name).map(|at| at as u8);
        let side = |word: &str, first: usize| {
            let rest = name.strip_prefix(word)?;
            let at = OF_SIDE.iter().position(|(own, _)| *own == rest)?;
            Some((MIDDLE.len() + 2 * at + first) as u8)
        };
        middle
            .or_else(|| side("left", 0))
            .or_else(|| side("right", 1))
            .map(Self)
    }

    /// Bone of a joint's plain name, in lower case without separators and prefixes: `leftarm`, `upperarml`.
    #[must_use]
    pub fn of_plain_name(name: &str) -> Option<Self> {
        let middle = MIDDLE.iter().position(|(_, names)| names.contains(&name));
        if let Some(at) = middle {
            return Some(Self(at as u8));
        }
        let (side, rest) = sided(name)?;
        let at = OF_SIDE.iter().position(|(_, names)| names.contains(&rest))?;
        Some(Self((MIDDLE.len() + 2 * at + usize::from(side == Side::Right)) as u8))
    }

    /// Side of the body, if it has one.
    #[must_use]
    pub fn side(self) -> Option<Side> {
        let at = usize::from(self.0).checked_sub(MIDDLE.len())?;
        Some(if at.is_multiple_of(2) { Side::Left } else { Side::Right })
    }

    /// Bone of the other side; itself in the middle.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match usize::from(self.0).checked_sub(MIDDLE.len()) {
            Some(at) => Self((MIDDLE.len() + (at ^ 1)) as u8),
            None => self,
        }
    }

    /// Name in VRM 1.0.
    #[must_use]
    pub fn name(self) -> String {
        match usize::from(self.0).checked_sub(MIDDLE.len()) {
            None => MIDDLE[usize::from(self.0)].0.to_owned(),
            Some(at) => {
                let side = if at.is_multiple_of(2) { "left" } else { "right" };
                format!("{side}{}", OF_SIDE[at / 2].0)
            }
        }
    }

    /// Side in a plain name, and the rest of the name: `left…`, `right…`, or a last letter `l` or `r`.
    #[must_use]
    pub fn side_of(name: &str) -> Option<(Side, &str)> {
        sided(name)
    }

    /// True for the bones without which a body cannot be posed: trunk, head, arms and legs without their ends.
    #[must_use]
    pub fn is_essential(self) -> bool {
        const ESSENTIAL: [&str; 7] = ["hips", "spine", "head", "UpperArm", "LowerArm", "UpperLeg", "LowerLeg"];
        ESSENTIAL.iter().any(|name| self.name().ends_with(name))
    }

    /// True for the toes.
    #[must_use]
    pub fn is_toes(self) -> bool {
        usize::from(self.0)
            .checked_sub(MIDDLE.len())
            .is_some_and(|at| OF_SIDE[at / 2].0 == "Toes")
    }
}

/// Side and rest of a plain name: `left…`, `right…`, or a last letter `l` or `r`.
fn sided(name: &str) -> Option<(Side, &str)> {
    let words = [("left", Side::Left), ("right", Side::Right)];
    let whole = words.iter().find_map(|(word, side)| {
        let rest = name.strip_prefix(word).or_else(|| name.strip_suffix(word));
        rest.map(|rest| (*side, rest))
    });
    let letter = || match name.as_bytes().last()? {
        b'l' => Some((Side::Left, &name[..name.len() - 1])),
        b'r' => Some((Side::Right, &name[..name.len() - 1])),
        _ => None,
    };
    whole.or_else(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_every_program_lead_to_one_bone() {
        for (vrm, names) in [
            ("leftUpperArm", ["leftarm", "upperarml", "leftupperarm"]),
            ("rightLowerLeg", ["rightleg", "calfr", "shinr"]),
            ("leftToes", ["lefttoebase", "balll", "toel"]),
            ("chest", ["spine1", "spine02", "chest"]),
        ] {
            let bone = HumanBone::of_vrm(vrm).expect(vrm);
            assert_eq!(bone.name(), vrm);
            for name in names {
                assert_eq!(HumanBone::of_plain_name(name), Some(bone), "{name}");
            }
        }
        for name in ["", "tail", "left", "world", "leftwing"] {
            assert_eq!(HumanBone::of_plain_name(name), None, "{name}");
        }
    }

    #[test]
    fn sides_mirror() {
        let left = HumanBone::of_vrm("leftHand").expect("a bone");
        let right = HumanBone::of_vrm("rightHand").expect("a bone");
        assert_eq!((left.side(), right.side()), (Some(Side::Left), Some(Side::Right)));
        assert_eq!((left.mirrored(), right.mirrored()), (right, left));
        let hips = HumanBone::of_vrm("hips").expect("a bone");
        assert_eq!((hips.side(), hips.mirrored()), (None, hips));
    }
}
