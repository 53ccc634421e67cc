//! Rest pose: the size of a character as it stands, whatever the space of its mesh.
//!
//! A mesh is stored in the space of one joint of its skin. Files whose other joints are scaled or turned against their
//! bind pose stand in another size than their mesh has.

use glam::{Affine3A, Vec3};

use crate::model::{Bounds, Mesh, Model, Skeleton, Vertex};

/// Relative difference up to which the posed rest counts as the mesh itself: rounding of matrices must not give a
/// character another unit.
const SAME: f32 = 5e-5;
/// Smallest size of the posed rest, as a share of the mesh's. Smaller characters are hidden at rest, by a scale near
/// zero.
const HIDDEN: f32 = 1e-5;

impl Skeleton {
    /// `model_from_joint` of every joint at rest.
    #[must_use]
    pub fn rest_joints(&self) -> Vec<Affine3A> {
        let mut model_from_joints: Vec<Affine3A> = Vec::with_capacity(self.joints.len());
        for joint in &self.joints {
            let local = joint.rest.to_affine();
            let parent = joint.parent.and_then(|parent| model_from_joints.get(parent as usize));
            model_from_joints.push(parent.map_or(local, |parent| *parent * local));
        }
        model_from_joints
    }

    /// `model_from_joint * inverse_bind` of every palette slot, with all joints at rest.
    #[must_use]
    pub fn rest_palette(&self) -> Vec<Affine3A> {
        let model_from_joints = self.rest_joints();
        let matrix = |joint: u32| model_from_joints.get(joint as usize).copied().unwrap_or_default();
        self.slots
            .iter()
            .map(|slot| matrix(slot.joint) * Affine3A::from_mat4(slot.inverse_bind))
            .collect()
    }
}

impl Mesh {
    /// Bounding box of the vertices posed with a palette, after `deltas` where there are any.
    pub(crate) fn posed_bounds(&self, palette: &[Affine3A], deltas: &[Vec3]) -> Bounds {
        let place = |(index, vertex): (usize, &Vertex)| -> Vec3 {
            let matrix = |slot: usize| palette.get(slot).copied().unwrap_or_default();
            let position = vertex.position + deltas.get(index).copied().unwrap_or_default();
            let parts = vertex
                .influences()
                .map(|(slot, weight)| matrix(slot).transform_point3(position) * weight);
            parts.sum()
        };
        Bounds::of(self.vertices.iter().enumerate().map(place))
    }
}

impl Model {
    /// Bounding box of the posed rest (m), with morph targets at their rest weights. Sizes, spacing, unit space and LODs
    /// refer to it. It is the mesh's own box for characters that are hidden at rest, and where both agree but for
    /// rounding.
    #[must_use]
    pub fn rest_bounds(&self) -> Bounds {
        let mesh = self.mesh.bounds();
        let palette = self.skeleton.rest_palette();
        let deltas = self.rest_deltas();
        if deltas.is_empty()
            && palette
                .iter()
                .all(|matrix| matrix.abs_diff_eq(Affine3A::IDENTITY, f32::EPSILON))
        {
            return mesh;
        }
        let posed = self.mesh.posed_bounds(&palette, &deltas);
        let [edge, mesh_edge] = [posed, mesh].map(|bounds| bounds.size().max_element());
        let is_sound = (posed.min + posed.max).is_finite() && edge > HIDDEN * mesh_edge;
        let off = (posed.min - mesh.min).abs().max((posed.max - mesh.max).abs());
        if is_sound && off.max_element() > SAME * mesh_edge {
            posed
        } else {
            mesh
        }
    }

    /// Displacement of every vertex by the morph targets at rest; empty if all rest weights are 0.
    fn rest_deltas(&self) -> Vec<Vec3> {
        let moved = || self.morphs.iter().filter(|morph| morph.rest != 0.0);
        if moved().next().is_none() {
            return Vec::new();
        }
        let mut deltas = vec![Vec3::ZERO; self.mesh.vertices.len()];
        for (morph, delta) in moved().flat_map(|morph| morph.deltas.iter().map(move |delta| (morph, delta))) {
            if let Some(sum) = deltas.get_mut(delta.vertex as usize) {
                *sum += delta.position * morph.rest;
            }
        }
        deltas
    }

    /// Largest edge of [`Self::rest_bounds`] (m): heights of LODs are those of this edge.
    #[must_use]
    pub fn largest_edge(&self) -> f32 {
        self.rest_bounds().size().max_element()
    }

    /// Height of the posed rest along y (m), or its largest edge where that is 0. Errors are relative to it.
    #[must_use]
    pub fn height(&self) -> f32 {
        let size = self.rest_bounds().size();
        if size.y > 0.0 { size.y } else { size.max_element() }
    }
}

#[cfg(test)]
mod tests {
    use glam::{Mat4, Quat};

    use super::*;
    use crate::model::{Joint, PaletteSlot, Transform, padded};

    /// A box of 0.5 x 1.8 x 0.3 m on one joint with this rest and bind.
    fn boxed(rest: Transform, inverse_bind: Mat4) -> Model {
        let corners = Bounds {
            min: Vec3::new(-0.25, 0.0, -0.15),
            max: Vec3::new(0.25, 1.8, 0.15),
        };
        let vertex = |position| Vertex {
            position,
            weights: padded([1.0], 0.0),
            ..Vertex::default()
        };
        Model {
            skeleton: Skeleton {
                joints: vec![Joint {
                    name: "hips".into(),
                    parent: None,
                    rest,
                }],
                slots: vec![PaletteSlot { joint: 0, inverse_bind }],
                ..Skeleton::default()
            },
            mesh: Mesh {
                vertices: corners.corners().map(vertex).to_vec(),
                indices: Vec::new(),
            },
            ..Model::default()
        }
    }

    #[test]
    fn height_is_that_of_the_posed_rest() {
        let model = boxed(
            Transform {
                scale: Vec3::splat(5.0),
                rotation: Quat::from_rotation_z(std::f32::consts::FRAC_PI_2),
                ..Transform::IDENTITY
            },
            Mat4::IDENTITY,
        );
        assert!((model.height() - 2.5).abs() < 1e-5, "{}", model.height());
        assert!((model.largest_edge() - 9.0).abs() < 1e-4, "{}", model.largest_edge());
    }

    #[test]
    fn rounding_and_a_collapsed_rest_keep_the_box_of_the_mesh() {
        let scaled = |by: f32| Transform {
            scale: Vec3::splat(by),
            ..Transform::IDENTITY
        };
        for model in [
            boxed(scaled(1.000_01), Mat4::IDENTITY),
            boxed(scaled(100.0), Mat4::from_scale(Vec3::splat(0.010_000_1))),
            boxed(scaled(0.0), Mat4::IDENTITY),
            boxed(scaled(f32::INFINITY), Mat4::IDENTITY),
        ] {
            assert_eq!(model.rest_bounds(), model.mesh.bounds());
        }
    }
}
