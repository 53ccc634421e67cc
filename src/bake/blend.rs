//! Which baked frames make up a pose, and the matrices that follow: the CPU twin of what the
//! vertex shader reads from a posed instance (shaders/shared/skinning.wgsl).

use glam::Affine3A;

use crate::bake::{
    BakedClip, FrameTable, Palettes,
    skinning::{add_scaled, lerp},
};

/// Two frames of the atlas and where a moment lies between them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FramePair {
    /// Frame at or before the moment.
    pub first: u32,
    /// The frame after it, or the same at a clip's end.
    pub second: u32,
    /// `0.0..=1.0`: 0 is `first`.
    pub between: f32,
}

/// A pose of a baked character: two clips, each between two frames.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrameBlend {
    /// Frames that fade out; the only ones that count if `fade` is 0.
    pub a: FramePair,
    /// Frames that fade in.
    pub b: FramePair,
    /// Weight of `b`, `0.0..=1.0`.
    pub fade: f32,
}

impl BakedClip {
    /// The frames around a position, `0.0..=1.0` of the clip.
    #[must_use]
    pub fn pair_at(&self, position: f32) -> FramePair {
        let (first, second, between) = self.times.around(FrameTable::share(position));
        FramePair {
            first: self.first_frame + first,
            second: self.first_frame + second,
            between,
        }
    }
}

impl FramePair {
    /// The moment in frames of the atlas: those of a clip count on from its first.
    #[must_use]
    pub fn frame(&self) -> f32 {
        self.first as f32 + self.between * (self.second - self.first) as f32
    }
}

impl Palettes {
    /// The matrix of one slot, as the shader blends it.
    #[must_use]
    pub fn blended_slot(&self, blend: &FrameBlend, slot: usize) -> Affine3A {
        let frame = |index: u32| self.frame(index as usize)[slot];
        let pair = |pair: &FramePair| lerp(frame(pair.first), frame(pair.second), pair.between);
        if blend.fade <= 0.0 {
            return pair(&blend.a);
        }
        let a = add_scaled(Affine3A::ZERO, pair(&blend.a), 1.0 - blend.fade);
        add_scaled(a, pair(&blend.b), blend.fade)
    }

    /// The whole palette of a pose: `model_from_joint * inverse_bind` of every slot.
    #[must_use]
    pub fn blended(&self, blend: &FrameBlend) -> Vec<Affine3A> {
        (0..self.slot_count)
            .map(|slot| self.blended_slot(blend, slot))
            .collect()
    }
}
