//! Converts nodes and skins to joints and palette slots.

use std::collections::HashMap;

use ::gltf::json::{
    mesh::{Mesh, Primitive, Semantic},
    validation::Checked,
};
use glam::{DAffine3, DMat4, Mat4};

use crate::{
    file::{
        ModelError,
        gltf::{
            document::Document,
            nodes::{Nodes, invert},
        },
    },
    model::{Joint, PaletteSlot},
};

/// Relative difference of two inverse binds up to which they share a slot.
const SAME: f64 = 2e-5;

/// Skin: joint nodes, and the transforms of a vertex to each of them.
pub(crate) struct Skin {
    /// glTF node of each entry of the joint list.
    pub joints: Vec<usize>,
    /// Inverse bind matrices, `joint_from_mesh` at bind time, in the same order.
    pub inverse_binds: Vec<DAffine3>,
}

/// Nodes that become joints, and all skins.
pub(crate) struct Rig {
    /// Joints in hierarchy order.
    pub joints: Vec<Joint>,
    /// Joint of each glTF node, if it is one.
    pub joint_of: Vec<Option<u32>>,
    /// Skins in file order.
    pub skins: Vec<Skin>,
    /// Carriers by node: the node whose motion a rigid part at this node follows, and `carrier_from_node`.
    pub carriers: Vec<(usize, DAffine3)>,
}

impl Rig {
    /// Collects skins and every node that has to be posed: joints, carriers of rigid meshes,
    /// sockets, and their ancestors.
    pub(crate) fn build(document: &Document<'_>, nodes: &Nodes, notes: &mut Vec<String>) -> Result<Self, ModelError> {
        let count = nodes.parents.len();
        let skins = (0..document.root.skins.len())
            .map(|index| read_skin(document, index, count, notes))
            .collect::<Result<Vec<_>, _>>()?;
        let mut needed = vec![false; count];
        for &joint in skins.iter().flat_map(|s| &s.joints) {
            needed[joint] = true;
        }
        let mut rig = Self {
            joints: Vec::new(),
            joint_of: vec![None; count],
            carriers: carriers(nodes, &needed),
            skins,
        };
        let unskinned: Vec<bool> = document.root.meshes.iter().map(has_unskinned_part).collect();
        for node in (0..count).filter(|&n| nodes.in_scene[n]) {
            let socket = nodes.names[node].starts_with("socket_");
            let source = &document.root.nodes[node];
            let mesh = source.mesh.and_then(|m| unskinned.get(m.value()));
            if socket || mesh.is_some_and(|unskinned| source.skin.is_none() || *unskinned) {
                needed[rig.carriers[node].0] = true;
            }
            // Keep the topmost nodes, so that the skeleton is never empty.
            needed[node] |= socket || nodes.parents[node].is_none();
        }
        for &node in nodes.order.iter().rev() {
            if let (true, Some(parent)) = (needed[node], nodes.parents[node]) {
                needed[parent] = true;
            }
        }
        for &node in nodes.order.iter().filter(|&&n| needed[n]) {
            rig.joint_of[node] = Some(rig.joints.len() as u32);
            rig.joints.push(Joint {
                name: nodes.names[node].clone(),
                parent: nodes.parents[node].and_then(|p| rig.joint_of[p]),
                rest: nodes.rest[node],
            });
        }
        Ok(rig)
    }
}

/// True for a mesh with a primitive that has no influences.
fn has_unskinned_part(mesh: &Mesh) -> bool {
    let skinning = [Semantic::Joints(0), Semantic::Weights(0)].map(Checked::Valid);
    let unskinned = |p: &Primitive| !skinning.iter().all(|s| p.attributes.contains_key(s));
    mesh.primitives.iter().any(unskinned)
}

/// Carrier of every node, the node whose motion a rigid part follows, with `carrier_from_node`.
/// It is the nearest of the node and its ancestors that some clip or skin moves, else the topmost one.
fn carriers(nodes: &Nodes, in_skin: &[bool]) -> Vec<(usize, DAffine3)> {
    let mut carriers: Vec<(usize, DAffine3)> = (0..nodes.parents.len()).map(|n| (n, DAffine3::IDENTITY)).collect();
    for &node in &nodes.order {
        if let (false, false, Some(parent)) = (nodes.animated[node], in_skin[node], nodes.parents[node]) {
            let (carrier, carrier_from_parent) = carriers[parent];
            carriers[node] = (carrier, carrier_from_parent * nodes.local(node));
        }
    }
    carriers
}

fn read_skin(
    document: &Document<'_>,
    index: usize,
    node_count: usize,
    notes: &mut Vec<String>,
) -> Result<Skin, ModelError> {
    let skin = &document.root.skins[index];
    let place = match &skin.name {
        Some(name) => format!("skin {index} \"{name}\""),
        None => format!("skin {index}"),
    };
    let joints: Vec<usize> = skin.joints.iter().map(|j| j.value()).collect();
    if let Some(bad) = joints.iter().find(|&&j| j >= node_count) {
        return Err(document.content(place, format!("its joint node {bad} does not exist")));
    }
    let inverse_binds = match skin.inverse_bind_matrices {
        Some(accessor) => document.floats::<16>(accessor, &place)?,
        None => {
            notes.push(format!("{place}: no inverse bind matrices; using identity"));
            vec![Mat4::IDENTITY.to_cols_array(); joints.len()]
        }
    };
    if inverse_binds.len() < joints.len() {
        let problem = format!(
            "has {} joints but {} inverse bind matrices",
            joints.len(),
            inverse_binds.len()
        );
        return Err(document.content(place, problem));
    }
    let affine = |(j, m): (usize, &[f32; 16])| {
        let m = DAffine3::from_mat4(DMat4::from_cols_array(&m.map(f64::from)));
        if m.is_finite() {
            Ok(m)
        } else {
            Err(document.content(&place, format!("inverse bind matrix {j} is not finite")))
        }
    };
    let inverse_binds = inverse_binds[..joints.len()]
        .iter()
        .enumerate()
        .map(affine)
        .collect::<Result<_, _>>()?;
    Ok(Skin { joints, inverse_binds })
}

/// Palette slots, assigned while meshes are read.
#[derive(Default)]
pub(crate) struct Slots {
    /// Node of each slot, and its inverse bind in the merged mesh's space.
    entries: Vec<(usize, DAffine3)>,
    /// Slots of each node.
    by_node: HashMap<usize, Vec<u16>>,
    /// Slots by node and the exact bits of their matrix.
    exact: HashMap<(usize, [u64; 12]), u16>,
    /// True if a node's first slot was of another size than the character.
    pub passed_over: bool,
}

/// Maximum number of slots of a node that are compared with tolerance; real files have few. Beyond them only equal
/// matrices share a slot.
const COMPARED: usize = 64;

impl Slots {
    /// Slot of a (node, inverse bind) pair, a new one if none is close enough; `None` when 16-bit indices are
    /// exhausted.
    pub(super) fn slot(&mut self, node: usize, inverse_bind: DAffine3) -> Option<u16> {
        let known = self.by_node.entry(node).or_default();
        let close = |&&s: &&u16| same(self.entries[usize::from(s)].1, inverse_bind);
        if let Some(&slot) = known.iter().take(COMPARED).find(close) {
            return Some(slot);
        }
        let bits = (node, inverse_bind.to_cols_array().map(f64::to_bits));
        if let Some(&slot) = self.exact.get(&bits) {
            return Some(slot);
        }
        let slot = u16::try_from(self.entries.len()).ok()?;
        known.push(slot);
        self.exact.insert(bits, slot);
        self.entries.push((node, inverse_bind));
        Some(slot)
    }

    /// Transform from the merged mesh's space to a node: that of its first slot, so that other parts can share it.
    /// Slots in which the mesh is far larger or smaller than the character at rest do not count. Without a slot it is
    /// the inverse of the node's rest transform; `None` if that is flat.
    pub(super) fn joint_from_mesh(&mut self, nodes: &Nodes, node: usize) -> Option<DAffine3> {
        let own = invert(nodes.world[node]);
        for &slot in self.by_node.get(&node).into_iter().flatten() {
            let bind = self.entries[usize::from(slot)].1;
            let scale = (nodes.world[node] * bind).matrix3.determinant().abs().cbrt();
            if invert(bind).is_some() {
                if own.is_none() || is_about_one(scale) {
                    return Some(bind);
                }
                self.passed_over = true;
            }
        }
        own
    }

    /// Final slots in joint order, and the new index of each old one. The error is a node that has a slot but is no
    /// joint.
    pub(super) fn finish(self, rig: &Rig) -> Result<(Vec<PaletteSlot>, Vec<u16>), usize> {
        let joint = |&(node, _): &(usize, DAffine3)| rig.joint_of[node].ok_or(node);
        let joints: Vec<u32> = self.entries.iter().map(joint).collect::<Result<_, _>>()?;
        let mut order: Vec<usize> = (0..self.entries.len()).collect();
        order.sort_by_key(|&slot| joints[slot]);
        let mut remap = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            remap[old] = new as u16;
        }
        let palette = |&slot: &usize| PaletteSlot {
            joint: joints[slot],
            inverse_bind: DMat4::from(self.entries[slot].1).as_mat4(),
        };
        Ok((order.iter().map(palette).collect(), remap))
    }
}

/// True for scales between a half and two.
pub(super) fn is_about_one(scale: f64) -> bool {
    (0.5..=2.0).contains(&scale)
}

fn same(a: DAffine3, b: DAffine3) -> bool {
    let columns = |m: DAffine3| [m.matrix3.x_axis, m.matrix3.y_axis, m.matrix3.z_axis];
    let linear = |m: DAffine3| columns(m).iter().map(|c| c.length_squared()).sum::<f64>();
    let difference: f64 = columns(a)
        .iter()
        .zip(columns(b))
        .map(|(x, y)| x.distance_squared(y))
        .sum();
    let reach = a.translation.length() + linear(a).sqrt();
    difference <= SAME * SAME * linear(a) && a.translation.distance(b.translation) <= SAME * reach
}
