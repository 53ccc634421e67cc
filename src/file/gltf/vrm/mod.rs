//! VRM 0.x and 1.0: people as glTF with a map of human bones, toon materials and expressions.
//!
//! VRM 0.x faces -Z, VRM 1.0 faces +Z as glTF does.

mod bones;
mod expressions;
mod mtoon;

pub(crate) use bones::human_bones;
pub(crate) use expressions::{animated_expressions, expressions, target_names};

use ::gltf::json::{self, Index, Root, Value};

use crate::file::gltf::document::Document;

/// Extension of VRM 0.x.
const VRM_0: &str = "VRM";
/// Extension of VRM 1.0.
const VRM_1: &str = "VRMC_vrm";
/// Extension of animation files of VRM 1.0.
const ANIMATION: &str = "VRMC_vrm_animation";

/// Object of an extension at the root of the file.
fn extension<'a>(root: &'a Root, name: &str) -> Option<&'a Value> {
    root.extensions.as_ref()?.others.get(name)
}

/// Turns VRM 0.x to +Z and gives toon materials the colours that they show.
pub(crate) fn apply(document: &mut Document<'_>) {
    if extension(&document.root, VRM_0).is_some() && turn(&mut document.root) {
        document.notes.push("VRM 0.x faces -Z: it is turned to +Z".to_owned());
    }
    let toon = mtoon::apply(&mut document.root);
    if toon > 0 {
        document.notes.push(format!(
            "MToon ({toon}): drawn by lit and shade colours, without outlines and rim light"
        ));
    }
    let springs = springs(&document.root);
    if springs > 0 {
        document.notes.push(format!(
            "spring bones ({springs} groups) follow their parents and do not swing"
        ));
    }
}

/// Puts the roots of the scene below a node that is turned by half a circle; false without a scene.
fn turn(root: &mut Root) -> bool {
    let scene = root.scene.map_or(0, |scene| scene.value());
    let Some(scene) = root.scenes.get_mut(scene).filter(|scene| !scene.nodes.is_empty()) else {
        return false;
    };
    let roots: Vec<u32> = scene.nodes.iter().map(|node| node.value() as u32).collect();
    let node = serde_json::json!({"name": "facing", "rotation": [0.0, 1.0, 0.0, 0.0], "children": roots});
    let Ok(node) = json::deserialize::from_value(node) else {
        return false;
    };
    scene.nodes = vec![Index::new(root.nodes.len() as u32)];
    root.nodes.push(node);
    true
}

/// Number of groups of bones that swing in a VRM viewer.
fn springs(root: &Root) -> usize {
    let old = extension(root, VRM_0).and_then(|vrm| vrm.pointer("/secondaryAnimation/boneGroups"));
    let new = extension(root, "VRMC_springBone").and_then(|springs| springs.get("springs"));
    [old, new]
        .into_iter()
        .flatten()
        .filter_map(Value::as_array)
        .map(Vec::len)
        .sum()
}
