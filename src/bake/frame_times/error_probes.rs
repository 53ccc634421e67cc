//! Error probes: sample vertices that represent all others while frames are chosen. They are the outermost vertices of
//! every slot in six directions, and the sockets. A vertex found to have a larger error becomes a probe as well.

use glam::{Affine3A, Mat4, Vec3, Vec3A};

use crate::bake::frame_times::rows::place;
use crate::model::{MOST_INFLUENCES, Model, Vertex, padded};

/// Point that moves with some slots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ErrorProbe {
    position: Vec3A,
    /// Slots that move it, and their weights; only the first `influences` are used.
    joints: [u16; MOST_INFLUENCES],
    weights: [f32; MOST_INFLUENCES],
    influences: usize,
    /// Vertex of the mesh; `None` for sockets.
    vertex: Option<u32>,
}

impl ErrorProbe {
    pub(super) fn vertex(model: &Model, index: u32) -> Self {
        let vertex = &model.mesh.vertices[index as usize];
        let (mut joints, mut weights) = ([0; MOST_INFLUENCES], [0.0; MOST_INFLUENCES]);
        let used = vertex
            .joints
            .iter()
            .zip(vertex.weights)
            .filter(|(_, weight)| *weight > 0.0);
        let mut influences = 0;
        for (&slot, weight) in used {
            (joints[influences], weights[influences]) = (slot, weight);
            influences += 1;
        }
        Self {
            position: vertex.position.into(),
            joints,
            weights,
            influences,
            vertex: Some(index),
        }
    }

    /// Slots that move the probe.
    pub(super) fn slots(&self) -> impl Iterator<Item = u16> + '_ {
        self.joints[..self.influences].iter().copied()
    }

    /// Probe whose slot numbers are indices into an ascending subset of slots.
    pub(super) fn among(&self, slots: &[u16]) -> Self {
        let joints = self
            .joints
            .map(|slot| slots.binary_search(&slot).unwrap_or_default() as u16);
        Self { joints, ..*self }
    }

    fn socket(slot: u32, mesh_from_socket: Mat4) -> Self {
        Self {
            position: mesh_from_socket.transform_point3(Vec3::ZERO).into(),
            joints: [slot as u16; MOST_INFLUENCES],
            weights: padded([1.0], 0.0),
            influences: 1,
            vertex: None,
        }
    }
}

/// Initial error probes of a model.
pub(super) fn error_probes(model: &Model) -> Vec<ErrorProbe> {
    let vertices = &model.mesh.vertices;
    let mut outermost = vec![[None::<(f32, u32)>; 6]; model.skeleton.slots.len()];
    for (index, vertex) in vertices.iter().enumerate() {
        let Some(of_slot) = outermost.get_mut(usize::from(vertex.joints[0])) else {
            continue;
        };
        let p = vertex.position;
        for (best, reach) in of_slot.iter_mut().zip([p.x, -p.x, p.y, -p.y, p.z, -p.z]) {
            if best.is_none_or(|(farthest, _)| reach > farthest) {
                *best = Some((reach, index as u32));
            }
        }
    }
    let mut chosen: Vec<u32> = outermost.into_iter().flatten().flatten().map(|(_, v)| v).collect();
    for morph in &model.morphs {
        let farthest = morph
            .deltas
            .iter()
            .max_by(|a, b| a.position.length_squared().total_cmp(&b.position.length_squared()));
        chosen.extend(farthest.map(|delta| delta.vertex));
    }
    chosen.sort_unstable();
    chosen.dedup();
    let sockets = model.skeleton.sockets.iter();
    let of_vertices = chosen.into_iter().map(|index| ErrorProbe::vertex(model, index));
    of_vertices
        .chain(sockets.map(|s| ErrorProbe::socket(s.slot, s.mesh_from_socket)))
        .collect()
}

/// Morph targets of each vertex, with the displacement by each.
#[derive(Clone, Debug, Default)]
pub(super) struct Displacements {
    of_vertex: Vec<Vec<(u32, Vec3A)>>,
}

impl Displacements {
    pub(super) fn new(model: &Model) -> Self {
        if model.morphs.is_empty() {
            return Self::default();
        }
        let mut of_vertex = vec![Vec::new(); model.mesh.vertices.len()];
        for (target, morph) in model.morphs.iter().enumerate() {
            for delta in &morph.deltas {
                of_vertex[delta.vertex as usize].push((target as u32, delta.position.into()));
            }
        }
        Self { of_vertex }
    }

    /// Rest position of a vertex for given weights of the targets.
    pub(super) fn displaced(&self, vertex: u32, position: Vec3A, weights: &[f32]) -> Vec3A {
        let Some(list) = self.of_vertex.get(vertex as usize) else {
            return position;
        };
        list.iter()
            .fold(position, |p, &(target, by)| p + by * weights[target as usize])
    }
}

/// Writes the posed positions of error probes into a row.
pub(super) fn pose_error_probes(
    error_probes: &[ErrorProbe],
    displacements: &Displacements,
    palette: &[Affine3A],
    weights: &[f32],
    row: &mut [f32],
) {
    for (index, error_probe) in error_probes.iter().enumerate() {
        let rest = match error_probe.vertex {
            Some(vertex) => displacements.displaced(vertex, error_probe.position, weights),
            None => error_probe.position,
        };
        let used = error_probe.influences;
        let posed = posed(palette, &error_probe.joints[..used], &error_probe.weights[..used], rest);
        for (axis, value) in posed.to_array().into_iter().enumerate() {
            row[place(index, axis)] = value;
        }
    }
}

/// Position of a vertex with rest position `rest` under a palette.
pub(super) fn posed_vertex(palette: &[Affine3A], vertex: &Vertex, rest: Vec3A) -> Vec3A {
    posed(palette, &vertex.joints, &vertex.weights, rest)
}

fn posed(palette: &[Affine3A], joints: &[u16], weights: &[f32], rest: Vec3A) -> Vec3A {
    let used = joints.iter().zip(weights).filter(|(_, weight)| **weight > 0.0);
    used.fold(Vec3A::ZERO, |sum, (&slot, &weight)| {
        sum + palette[usize::from(slot)].transform_point3a(rest) * weight
    })
}
