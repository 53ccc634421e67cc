//! Reads the clips of a file and the skeleton that they move, with or without meshes.

use std::path::Path;

use ::gltf::json::{animation::Property, validation::Checked};

use crate::{
    file::{
        ModelError,
        baked::extension,
        gltf::{clip, document::Document, morph::Morphs, nodes::Nodes, skins::Rig, vrm},
    },
    model::{AnimationLibrary, Channel, Clip, HumanBones, Joint, Keys, MorphChannel},
};

/// Reads a file for its clips; `base` is the folder for external files, if any are allowed.
///
/// # Errors
/// As [`load_bytes`](super::load_bytes); also for files without clips, and those whose clips move no joints.
pub(crate) fn load_library(name: &str, bytes: &[u8], base: Option<&Path>) -> Result<AnimationLibrary, ModelError> {
    let document = Document::parse(name, bytes, base)?;
    if document.root.animations.is_empty() {
        let problem = "there are none: a file given by --animations must have clips";
        return Err(document.content("animations", problem));
    }
    let mut notes = document.notes.clone();
    let nodes = Nodes::read(&document, &mut notes)?;
    let Motion {
        joints,
        bones,
        expressions,
        clips,
    } = match extension::object(&document) {
        // Baking took the root motion out of the clips; only the extension has it.
        Some(extension) => {
            let (skeleton, clips) = extension::read_motion(&document, &nodes, extension)?;
            Motion {
                joints: skeleton.joints,
                bones: skeleton.bones,
                expressions: Vec::new(),
                clips,
            }
        }
        None => raw(&document, &nodes, &mut notes)?,
    };
    if clips.iter().all(|clip| clip.channels.is_empty()) {
        let problem = "no clip moves a joint: there is no skeleton to take poses from";
        return Err(document.content("animations", problem));
    }
    let channels = document
        .root
        .animations
        .iter()
        .flat_map(|animation| &animation.channels);
    let weights = Checked::Valid(Property::MorphTargetWeights);
    if { channels }.any(|channel| channel.target.path == weights) {
        notes.push("morph weights are left out: they belong to its own meshes".into());
    }
    Ok(AnimationLibrary {
        name: document.name.clone(),
        joints,
        expressions,
        clips,
        bones,
        notes,
    })
}

/// Clips and the skeleton that they move.
struct Motion {
    joints: Vec<Joint>,
    bones: HumanBones,
    expressions: Vec<String>,
    clips: Vec<Clip>,
}

/// Reads all nodes as joints, since nodes above a skin move it, too.
fn raw(document: &Document<'_>, nodes: &Nodes, notes: &mut Vec<String>) -> Result<Motion, ModelError> {
    let mut joint_of = vec![None; nodes.order.len()];
    let mut joints = Vec::with_capacity(nodes.order.len());
    for &node in &nodes.order {
        joint_of[node] = Some(joints.len() as u32);
        joints.push(Joint {
            name: nodes.names[node].clone(),
            parent: nodes.parents[node].and_then(|parent| joint_of[parent]),
            rest: nodes.rest[node],
        });
    }
    let rig = Rig {
        joints,
        joint_of,
        skins: Vec::new(),
        carriers: Vec::new(),
    };
    let mut clips = clip::read(document, &rig, &Morphs::default(), notes)?;
    let mut expressions = Vec::new();
    for (name, node) in vrm::animated_expressions(&document.root) {
        let Some(joint) = rig.joint_of.get(node).copied().flatten() else {
            continue;
        };
        for clip in &mut clips {
            take_weights(clip, joint, expressions.len() as u32);
        }
        expressions.push(name);
    }
    Ok(Motion {
        bones: vrm::human_bones(document, &rig.joint_of),
        joints: rig.joints,
        expressions,
        clips,
    })
}

/// Turns the translation of a joint that stands for an expression into weights of the expression: its X.
fn take_weights(clip: &mut Clip, joint: u32, expression: u32) {
    let mut channels: Vec<Channel> = clip.channels.iter().cloned().collect();
    let weights = channels.extract_if(.., |channel| channel.joint == joint);
    let weights: Vec<MorphChannel> = weights
        .filter_map(|channel| match channel.keys {
            Keys::Translation(values) => Some(MorphChannel {
                morph: expression,
                interpolation: channel.interpolation,
                times: channel.times,
                values: values.iter().map(|value| value.x).collect(),
            }),
            Keys::Rotation(_) | Keys::Scale(_) => None,
        })
        .collect();
    clip.channels = channels.into();
    clip.morphs.extend(weights);
}
