//! Spaces in which the vertices of a skin are stored.
//!
//! One space suits all joints whose rest differs from the bind pose by similar scales, as in most files. Joints that
//! are far larger or smaller at rest get a space of their own: the stored mesh then has the size of the character, and
//! packing of positions is as exact everywhere.

use glam::{DAffine3, DMat3, DVec3};

use crate::file::gltf::{
    mesh::{cofactor, primitive::PrimitivePart},
    nodes::{Nodes, invert},
    skins::{Skin, Slots, is_about_one},
};

/// Maximum number of spaces of a skin.
const MOST: usize = 8;

/// Space of stored vertices.
pub(super) struct MeshSpace {
    pub mesh_from_part: DAffine3,
    pub part_from_mesh: DAffine3,
    /// Transform of normals to a direction on the outside.
    pub cofactor: DMat3,
    pub mirrored: bool,
}

impl MeshSpace {
    pub(super) fn new(mesh_from_part: DAffine3) -> Self {
        let mirrored = mesh_from_part.matrix3.determinant() < 0.0;
        Self {
            mesh_from_part,
            part_from_mesh: invert(mesh_from_part).unwrap_or(DAffine3::IDENTITY),
            cofactor: cofactor(mesh_from_part.matrix3) * if mirrored { -1.0 } else { 1.0 },
            mirrored,
        }
    }
}

/// Spaces of a skin, by joint.
pub(super) struct SkinSpaces {
    pub spaces: Vec<MeshSpace>,
    /// Space of each entry of the joint list.
    of_joint: Vec<usize>,
}

/// Joints that share a space.
struct SpaceGroup {
    /// Entry of the joint list with the greatest sum of weights.
    joint: usize,
    /// Size at rest of what is 1 long in the bind pose.
    scale: f64,
}

impl SkinSpaces {
    /// Chooses the spaces of a skin with at least one joint. The heaviest joint's comes first.
    pub(super) fn of(skin: &Skin, parts: &[&PrimitivePart], nodes: &Nodes, slots: &mut Slots) -> Self {
        let sums = weight_sums(parts, skin.joints.len());
        let mut order: Vec<usize> = (0..sums.len()).collect();
        order.sort_by(|&a, &b| sums[b].total_cmp(&sums[a]));
        let heaviest = order[0];
        let first = space(skin, heaviest, nodes, slots);
        let rest = |joint: usize| nodes.world[skin.joints[joint]] * skin.inverse_binds[joint];
        let mut groups = vec![SpaceGroup {
            joint: heaviest,
            scale: scale(rest(heaviest)),
        }];
        let mut of_joint = vec![0; sums.len()];
        for joint in order.into_iter().skip(1).filter(|&joint| sums[joint] > 0.0) {
            let own = scale(rest(joint));
            let known = groups.iter().position(|group| is_about_one(own / group.scale));
            of_joint[joint] = match known {
                Some(group) => group,
                None if groups.len() < MOST && invert(rest(joint)).is_some() => {
                    groups.push(SpaceGroup { joint, scale: own });
                    groups.len() - 1
                }
                None => 0,
            };
        }
        let mut spaces = Self {
            spaces: vec![first],
            of_joint,
        };
        spaces.leave_small_ones(&groups, parts);
        for group in &groups[1..] {
            spaces.spaces.push(space(skin, group.joint, nodes, slots));
        }
        spaces
    }

    /// Keeps joints in the first space that are small at rest, if their parts are no larger there than the others': a
    /// clip may show them in their full size.
    fn leave_small_ones(&mut self, groups: &[SpaceGroup], parts: &[&PrimitivePart]) {
        if groups.len() < 2 {
            return;
        }
        let mut boxes = vec![[DVec3::INFINITY, DVec3::NEG_INFINITY]; groups.len()];
        for part in parts {
            for (v, position) in part.positions.iter().enumerate() {
                let place = self.spaces[0].mesh_from_part.transform_point3(position.as_dvec3());
                let [min, max] = &mut boxes[self.of_vertex(part, v)];
                (*min, *max) = (min.min(place), max.max(place));
            }
        }
        let edge = |[min, max]: [DVec3; 2]| (max - min).max_element();
        let stays = |group: usize| {
            let both = [boxes[0][0].min(boxes[group][0]), boxes[0][1].max(boxes[group][1])];
            groups[group].scale < groups[0].scale && edge(both) <= 2.0 * edge(boxes[0])
        };
        let stays: Vec<bool> = (0..groups.len()).map(stays).collect();
        self.of_joint
            .iter_mut()
            .filter(|group| stays[**group])
            .for_each(|group| *group = 0);
    }

    /// Number of the space of a vertex: that of its heaviest joint.
    pub(super) fn of_vertex(&self, part: &PrimitivePart, v: usize) -> usize {
        let entries = part
            .influences
            .iter()
            .flat_map(|set| set.joints[v].into_iter().zip(set.weights[v]));
        let heavier = |best: (u32, f32), (joint, weight): (u32, f32)| {
            if weight > best.1 && weight.is_finite() {
                (joint, weight)
            } else {
                best
            }
        };
        let (joint, _) = entries.fold((0, 0.0), heavier);
        self.of_joint.get(joint as usize).copied().unwrap_or(0)
    }
}

/// `B` in the documentation of the module `gltf`, for a joint.
fn space(skin: &Skin, joint: usize, nodes: &Nodes, slots: &mut Slots) -> MeshSpace {
    let joint_from_mesh = slots.joint_from_mesh(nodes, skin.joints[joint]);
    let rest = joint_from_mesh
        .and_then(invert)
        .map(|mesh_from_joint| mesh_from_joint * skin.inverse_binds[joint])
        .filter(|space| invert(*space).is_some());
    MeshSpace::new(rest.unwrap_or(DAffine3::IDENTITY))
}

/// Mean scale of a transform; not-a-number for one that is not finite.
fn scale(transform: DAffine3) -> f64 {
    transform.matrix3.determinant().abs().cbrt()
}

/// Sum of weights of each entry of the joint list.
fn weight_sums(parts: &[&PrimitivePart], joint_count: usize) -> Vec<f64> {
    let mut sums = vec![0.0_f64; joint_count];
    for set in parts.iter().flat_map(|p| &p.influences) {
        for (&joint, &weight) in set.joints.as_flattened().iter().zip(set.weights.as_flattened()) {
            let counts = weight > 0.0 && weight.is_finite();
            if let (Some(sum), true) = (sums.get_mut(joint as usize), counts) {
                *sum += f64::from(weight);
            }
        }
    }
    sums
}
