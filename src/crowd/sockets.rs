//! Transforms of sockets (a hand, a back, any palette slot) of one instance: the CPU twin of the attachment pass
//! (shaders/attachments.wgsl).

use glam::{Affine3A, Quat, Vec3};

use crate::{
    bake::{FrameBlend, FramePair, Palettes},
    crowd::{Instance, InstancePose, schedule::ClipTime},
    model::Socket,
};

impl InstancePose {
    /// Frames that this pose blends; nothing is quantised.
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

    /// Transform from model space to world space, for an instance of this scale and width scale.
    #[must_use]
    pub fn world_from_model(&self, instance: &Instance) -> Affine3A {
        let turn = Quat::from_rotation_y(self.yaw);
        Affine3A::from_scale_rotation_translation(instance.shape(), turn, self.position)
    }
}

/// Transform of a socket in model space for a pose.
#[must_use]
pub fn model_from_socket(palettes: &Palettes, socket: &Socket, blend: &FrameBlend) -> Affine3A {
    palettes.blended_slot(blend, socket.slot as usize) * Affine3A::from_mat4(socket.mesh_from_socket)
}

/// Nearest transform to `m` without shear and scale: the Y axis keeps its direction, the Z axis becomes perpendicular.
/// Blending opposite poses shrinks matrices; carried props keep their size.
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
