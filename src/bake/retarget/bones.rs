//! Human bones of a skeleton's joints: those that its file states, else those that names tell.

use std::collections::HashMap;

use crate::{
    bake::retarget::names::plain_name,
    model::{HumanBone, HumanBones, Joint},
};

/// Bones of a skeleton, each of one joint.
pub(super) struct Roles {
    of_joint: HashMap<u32, HumanBone>,
    of_bone: HashMap<HumanBone, u32>,
    /// True if the file states them.
    pub are_stated: bool,
}

impl Roles {
    /// Bones that the file states; without any, bones by name, where a name occurs once.
    pub(super) fn of(joints: &[Joint], stated: &HumanBones) -> Self {
        let mut roles = Self {
            of_joint: HashMap::new(),
            of_bone: HashMap::new(),
            are_stated: !stated.is_empty(),
        };
        let named = |(index, joint): (u32, &Joint)| Some((index, HumanBone::of_plain_name(&plain_name(&joint.name))?));
        let all: Vec<(u32, HumanBone)> = if stated.is_empty() {
            (0..).zip(joints).filter_map(named).collect()
        } else {
            stated.iter().map(|(joint, bone)| (*joint, *bone)).collect()
        };
        let mut several = Vec::new();
        for (joint, bone) in all.into_iter().filter(|(joint, _)| (*joint as usize) < joints.len()) {
            if roles.of_bone.insert(bone, joint).is_some() {
                several.push(bone);
            }
        }
        roles.of_bone.retain(|bone, _| !several.contains(bone));
        roles.of_joint = roles.of_bone.iter().map(|(bone, joint)| (*joint, *bone)).collect();
        roles
    }

    /// Bone of a joint.
    pub(super) fn bone(&self, joint: u32) -> Option<HumanBone> {
        self.of_joint.get(&joint).copied()
    }

    /// Joint of a bone.
    pub(super) fn joint(&self, bone: HumanBone) -> Option<u32> {
        self.of_bone.get(&bone).copied()
    }

    /// Bones with their joints, in the order of bones.
    pub(super) fn iter(&self) -> impl Iterator<Item = (HumanBone, u32)> {
        let mut all: Vec<(HumanBone, u32)> = self.of_bone.iter().map(|(bone, joint)| (*bone, *joint)).collect();
        all.sort_unstable();
        all.into_iter()
    }
}
