//! Groups of neighbouring vertices, with a bound of how far a palette of differences moves any of them. A search for the
//! largest error skips the groups that cannot hold it, and finds the same.

use std::ops::Range;

use glam::{Affine3A, Vec3A};

use crate::model::Vertex;

/// Vertices of a group; meshes are ordered such that they are neighbours.
const GROUP: usize = 16;
/// Groups of a block.
const BLOCK: usize = 16;
/// Margin of a bound for rounding errors (share of the sum of all sizes).
const ROUNDING: f32 = 1e-5;

/// All vertices of a mesh, in groups and blocks of groups.
#[derive(Clone, Debug, Default)]
pub(crate) struct VertexGroups {
    blocks: Vec<(VertexGroup, Vec<VertexGroup>)>,
}

/// Consecutive vertices within a sphere.
#[derive(Clone, Debug)]
struct VertexGroup {
    /// Indices of the vertices.
    vertices: Range<usize>,
    centre: Vec3A,
    radius: f32,
    /// Largest sum of the sizes of a vertex's weights.
    weight: f32,
    /// Slots that move the vertices.
    slots: Vec<u16>,
}

impl VertexGroups {
    /// Groups the vertices of a mesh.
    pub(crate) fn new(vertices: &[Vertex]) -> Self {
        let parts = |range: Range<usize>, size: usize| {
            let starts = range.clone().step_by(size);
            starts.map(move |start| start..(start + size).min(range.end))
        };
        let group = |range: Range<usize>| VertexGroup::new(vertices, range);
        let blocks = parts(0..vertices.len(), GROUP * BLOCK);
        Self {
            blocks: blocks
                .map(|block| (group(block.clone()), parts(block, GROUP).map(group).collect()))
                .collect(),
        }
    }

    /// Calls `visit` with every range of vertices that may contain one whose length by the blended differences exceeds
    /// a limit, in ascending order. `visit` gets the limit and returns the next one.
    pub(crate) fn each_beyond(
        &self,
        differences: &Differences<'_>,
        mut limit: f32,
        mut visit: impl FnMut(Range<usize>, f32) -> f32,
    ) {
        for (block, groups) in &self.blocks {
            if differences.reach(block) <= limit {
                continue;
            }
            for group in groups {
                if differences.reach(group) > limit {
                    limit = visit(group.vertices.clone(), limit);
                }
            }
        }
    }
}

impl VertexGroup {
    fn new(all: &[Vertex], vertices: Range<usize>) -> Self {
        let own = &all[vertices.clone()];
        let places = || own.iter().map(|vertex| Vec3A::from(vertex.position));
        let first = places().next().unwrap_or_default();
        let (low, high) = places().fold((first, first), |(low, high), p| (low.min(p), high.max(p)));
        let centre = (low + high) * 0.5;
        let influences = own.iter().flat_map(Vertex::influences);
        let mut slots: Vec<u16> = Vec::new();
        for (slot, _) in influences.filter(|(_, weight)| *weight != 0.0) {
            if !slots.contains(&(slot as u16)) {
                slots.push(slot as u16);
            }
        }
        let weight = |vertex: &Vertex| vertex.influences().map(|(_, weight)| weight.abs()).sum::<f32>();
        Self {
            vertices,
            centre,
            radius: places().map(|p| p.distance(centre)).fold(0.0, f32::max),
            weight: own.iter().map(weight).fold(0.0, f32::max),
            slots,
        }
    }
}

/// Differences of two palettes, one matrix a slot.
pub(crate) struct Differences<'a> {
    matrices: &'a [Affine3A],
    /// Frobenius norms of the linear parts.
    norms: Vec<f32>,
    /// True if all numbers are finite; otherwise nothing is bounded.
    bounded: bool,
}

impl<'a> Differences<'a> {
    /// Prepares matrices for [`VertexGroups::each_beyond`].
    pub(crate) fn new(matrices: &'a [Affine3A]) -> Self {
        let norm = |m: &Affine3A| {
            let [x, y, z] = [m.matrix3.x_axis, m.matrix3.y_axis, m.matrix3.z_axis];
            (x.length_squared() + y.length_squared() + z.length_squared()).sqrt()
        };
        Self {
            matrices,
            norms: matrices.iter().map(norm).collect(),
            bounded: matrices.iter().all(|m| m.is_finite()),
        }
    }

    /// Bound of the length to which the blended differences bring any vertex of a group: `|Σ w (M p + t)|` is at most
    /// `Σ |w|` times the largest `|M c + t| + |M| r`.
    fn reach(&self, group: &VertexGroup) -> f32 {
        if !self.bounded {
            return f32::INFINITY;
        }
        let far = group.centre.length() + group.radius;
        let of_slot = |&slot: &u16| {
            let (matrix, norm) = (self.matrices[usize::from(slot)], self.norms[usize::from(slot)]);
            let moved = matrix.transform_point3a(group.centre).length() + norm * group.radius;
            moved + ROUNDING * (norm * far + matrix.translation.length())
        };
        let reaches = group.slots.iter().map(of_slot);
        // Not-a-number bounds nothing.
        let farthest = reaches.fold(0.0, |a: f32, b| if b.is_nan() { f32::INFINITY } else { a.max(b) });
        farthest * group.weight
    }
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::{bake::skinning::blend, model::padded};

    fn vertices() -> Vec<Vertex> {
        let vertex = |index: usize| {
            let k = index as f32;
            Vertex {
                position: Vec3::new((k * 0.7).sin(), k * 0.002, (k * 1.3).cos()),
                joints: padded([(index / 200) as u16, (index / 200 + 1) as u16], 0),
                weights: padded([0.3, 0.7], 0.0),
                ..Vertex::default()
            }
        };
        (0..700).map(vertex).collect()
    }

    #[test]
    fn every_vertex_beyond_the_limit_is_visited() {
        let (vertices, slots) = (vertices(), 5);
        let matrices: Vec<Affine3A> = (0..slots)
            .map(|slot| {
                let turned = Affine3A::from_rotation_translation(
                    Quat::from_rotation_x(0.1 * slot as f32),
                    Vec3::new(0.0, -0.1, 0.02 * slot as f32),
                );
                Affine3A::from_mat3_translation(
                    (turned.matrix3 + glam::Mat3A::IDENTITY * -1.0).into(),
                    turned.translation.into(),
                )
            })
            .collect();
        let differences = Differences::new(&matrices);
        let lengths: Vec<f32> = vertices
            .iter()
            .map(|v| blend(v, &matrices).transform_point3(v.position).length())
            .collect();
        let farthest = lengths.iter().copied().fold(0.0, f32::max);
        let groups = VertexGroups::new(&vertices);
        for limit in [0.0, 0.3 * farthest, 0.9 * farthest] {
            let mut seen = Vec::new();
            groups.each_beyond(&differences, limit, |range, limit| {
                seen.extend(range);
                limit
            });
            let beyond = (0..vertices.len()).filter(|&index| lengths[index] > limit);
            assert!(beyond.clone().all(|index| seen.contains(&index)), "{limit}");
            assert!(seen.is_sorted());
        }
        // The limit that a search raises keeps the largest.
        let mut found = 0.0;
        groups.each_beyond(&differences, found, |range, limit| {
            found = lengths[range].iter().copied().fold(limit, f32::max);
            found
        });
        assert_eq!(found, farthest);
    }

    #[test]
    fn numbers_that_are_not_finite_bound_nothing() {
        let vertices = vertices();
        let mut matrices = vec![Affine3A::IDENTITY; 5];
        matrices[4].translation.x = f32::NAN;
        let differences = Differences::new(&matrices);
        let mut seen = 0;
        VertexGroups::new(&vertices).each_beyond(&differences, 1e9, |range, limit| {
            seen += range.len();
            limit
        });
        assert_eq!(seen, vertices.len());
    }
}
