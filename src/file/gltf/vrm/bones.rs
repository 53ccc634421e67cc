//! The file's own map of human bones to nodes.

use ::gltf::json::{Root, Value};

use crate::{
    file::gltf::{
        document::Document,
        vrm::{ANIMATION, VRM_0, VRM_1, extension},
    },
    model::{HumanBone, HumanBones},
};

/// Bones of the joints of a file: of VRM 0.x, VRM 1.0, its animation files, or of a file that throng baked.
/// `joint_of` is the joint of each node, if it is one.
pub(crate) fn human_bones(document: &Document<'_>, joint_of: &[Option<u32>]) -> HumanBones {
    let mut bones = HumanBones::new();
    let of_nodes = of_nodes(&document.root);
    for (node, bone) in of_nodes.into_iter().chain(stated(&document.root)) {
        if let Some(joint) = joint_of.get(node).copied().flatten()
            && !bones.values().any(|known| *known == bone)
        {
            bones.entry(joint).or_insert(bone);
        }
    }
    bones
}

/// Pairs of node and bone in the extension of the file.
fn of_nodes(root: &Root) -> Vec<(usize, HumanBone)> {
    let index = |value: &Value| usize::try_from(value.get("node")?.as_u64()?).ok();
    if let Some(list) = extension(root, VRM_0).and_then(|vrm| vrm.pointer("/humanoid/humanBones")?.as_array()) {
        let pair = |entry: &Value| {
            let name = entry.get("bone")?.as_str()?;
            Some((index(entry)?, HumanBone::of_vrm(&name_of_1_0(name))?))
        };
        return list.iter().filter_map(pair).collect();
    }
    let maps = [VRM_1, ANIMATION].map(|name| extension(root, name)?.pointer("/humanoid/humanBones")?.as_object());
    let entries = maps.into_iter().flatten().flatten();
    entries
        .filter_map(|(name, entry)| Some((index(entry)?, HumanBone::of_vrm(name)?)))
        .collect()
}

/// Name in VRM 1.0 of a bone of 0.x: the joints of the thumb have other names.
fn name_of_1_0(name: &str) -> String {
    if name.ends_with("ThumbProximal") {
        name.replace("Proximal", "Metacarpal")
    } else if name.ends_with("ThumbIntermediate") {
        name.replace("Intermediate", "Proximal")
    } else {
        name.to_owned()
    }
}

/// Pairs of node and bone that a baked file states in the extras of its nodes.
fn stated(root: &Root) -> Vec<(usize, HumanBone)> {
    let bone = |(index, node): (usize, &::gltf::json::Node)| {
        let text = node.extras.as_ref()?.get();
        // Most extras are not ours: do not parse them.
        if !text.contains("humanBone") {
            return None;
        }
        let value: Value = ::gltf::json::deserialize::from_str(text).ok()?;
        let bone = HumanBone::of_vrm(value.pointer("/throng/humanBone")?.as_str()?)?;
        Some((index, bone))
    };
    root.nodes.iter().enumerate().filter_map(bone).collect()
}
