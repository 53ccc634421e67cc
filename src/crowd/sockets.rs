//! Where a hand, a back or any palette slot of one instance is at a moment: the CPU twin of what
//! the attachment pass (shaders/attachments.wgsl) does for props.

use glam::{Affine3A, Quat, Vec3};

use crate::{
    bake::{FrameBlend, FramePair, Palettes},
    crowd::{Instance, Pose, schedule::ClipTime},
    model::Socket,
};

impl Pose {
    /// The frames that make up this pose; nothing is quantised.
    #[must_use]
    pub fn blend(&self, palettes: &Palettes) -> FrameBlend {
        let pair = |playing: ClipTime| {
            let last = palettes.clips.len().saturating_sub(1);
            let clip = palettes.clips.get((playing.clip as usize).min(last));
            clip.map_or(FramePair::default(), |clip| clip.pair_at(playing.position))
        };
        let b = pair(self.moment.to);
        if self.moment.weight < 1.0 {
            return FrameBlend {
                a: pair(self.moment.from),
                b,
                fade: self.moment.weight,
            };
        }
        FrameBlend { a: b, b, fade: 0.0 }
    }

    /// From the character's model space to the world, for an instance of this size and width scale.
    #[must_use]
    pub fn world_from_model(&self, instance: &Instance) -> Affine3A {
        let turn = Quat::from_rotation_y(self.yaw);
        Affine3A::from_scale_rotation_translation(instance.shape(), turn, self.position)
    }
}

/// A socket's place in the character's model space for a pose.
#[must_use]
pub fn model_from_socket(palettes: &Palettes, socket: &Socket, blend: &FrameBlend) -> Affine3A {
    palettes.blended_slot(blend, socket.slot as usize) * Affine3A::from_mat4(socket.mesh_from_socket)
}

/// The nearest thing to `m` that neither shears nor resizes: its Y axis kept, its Z axis made
/// perpendicular. Blending opposite poses shrinks matrices; what a hand holds stays as it is.
#[must_use]
pub fn rigid(m: Affine3A) -> Affine3A {
    let y = Vec3::from(m.matrix3.y_axis).try_normalize().unwrap_or(Vec3::Y);
    let z = Vec3::from(m.matrix3.z_axis);
    let z = (z - y * y.dot(z))
        .try_normalize()
        .unwrap_or_else(|| y.any_orthonormal_vector());
    Affine3A {
        matrix3: glam::Mat3A::from_cols(y.cross(z).into(), y.into(), z.into()),
        translation: m.translation,
    }
}
