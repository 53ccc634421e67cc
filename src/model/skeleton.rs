//! Joints in hierarchy order, the palette slots that vertices refer to, and sockets.

use std::collections::BTreeMap;

use glam::{Affine3A, Mat4, Quat, Vec3};

use crate::model::HumanBones;

/// Translation, rotation and scale of a joint relative to its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// Translation in the parent's space (m, file units).
    pub translation: Vec3,
    /// Unit quaternion.
    pub rotation: Quat,
    /// Scale per axis; may be zero, negative or non-uniform.
    pub scale: Vec3,
}

impl Transform {
    /// No change.
    pub const IDENTITY: Self = Self {
        translation: Vec3::ZERO,
        rotation: Quat::IDENTITY,
        scale: Vec3::ONE,
    };

    /// The affine map `parent_from_joint`.
    #[must_use]
    pub fn to_affine(self) -> Affine3A {
        Affine3A::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

/// A node of the hierarchy that moves something: a skin's joint, a carrier of a rigid mesh, a socket, or an ancestor of
/// these.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Name in the file, or `node N`.
    pub name: String,
    /// Index of the parent in [`Skeleton::joints`]; always smaller than this joint's own index.
    pub parent: Option<u32>,
    /// Local transform when no clip drives the joint.
    pub rest: Transform,
}

/// One matrix of the palette: `model_from_joint(joint) * inverse_bind`.
///
/// A slot is a distinct (joint, inverse bind matrix) pair. Two skins that share a joint with the same bind share its
/// slot. A rigid mesh carried by a joint gets a slot of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaletteSlot {
    /// Index into [`Skeleton::joints`].
    pub joint: u32,
    /// Transform from the merged mesh's space to the joint's space (inverse bind matrix).
    pub inverse_bind: Mat4,
}

/// A named attachment point that survives the bake (a hand, a back, a crown).
#[derive(Clone, Debug, PartialEq)]
pub struct Socket {
    /// Name without the `socket_` prefix.
    pub name: String,
    /// Palette slot whose matrix carries the socket.
    pub slot: u32,
    /// Transform from the socket to the merged mesh's space: `palette[slot] * mesh_from_socket` is `model_from_socket`.
    pub mesh_from_socket: Mat4,
}

/// Joints with parents before children, palette slots and sockets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skeleton {
    /// Joints, parents before children.
    pub joints: Vec<Joint>,
    /// Palette slots, indexed by `Vertex::joints`. Never empty.
    pub slots: Vec<PaletteSlot>,
    /// Attachment points.
    pub sockets: Vec<Socket>,
    /// Joints by role, where a scene names them: `head`, `chest`, `hips`, `hand_l`, `hand_r`.
    pub roles: BTreeMap<String, u32>,
    /// Bones of the human body, where the file states them.
    pub bones: HumanBones,
}

impl Skeleton {
    /// Joint of a role; `None` if it was not assigned.
    #[must_use]
    pub fn role(&self, role: &str) -> Option<usize> {
        let joint = *self.roles.get(role)? as usize;
        (joint < self.joints.len()).then_some(joint)
    }
}
