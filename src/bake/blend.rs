//! Blends baked frames into the matrices of a pose: the CPU twin of how the vertex shader blends them for a posed
//! instance (shaders/shared/skinning.wgsl).

use glam::Affine3A;

use crate::bake::{
    BakedClip, FrameTable, Palettes,
    skinning::{add_scaled, lerp},
};

/// Two frames of the atlas and the position of a time between them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FramePair {
    /// Frame at or before the time.
    pub first: u32,
    /// Frame after it; the same frame at a clip's end.
    pub second: u32,
    /// Fraction between the frames, `0.0..=1.0`; 0 is `first`.
    pub between: f32,
}

/// Pose of a baked character: a crossfade of two clips, each between two frames.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrameBlend {
    /// Frames that fade out; only these count if `fade` is 0.
    pub a: FramePair,
    /// Frames that fade in.
    pub b: FramePair,
    /// Weight of `b`, `0.0..=1.0`.
    pub fade: f32,
}

impl BakedClip {
    /// Frames around a position, `0.0..=1.0` of the clip.
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
    /// Position in frames of the atlas, with a fraction; frames of a clip follow its first one.
    #[must_use]
    pub fn frame(&self) -> f32 {
        self.first as f32 + self.between * (self.second - self.first) as f32
    }
}

impl Palettes {
    /// Matrix of one slot, blended as in the shader.
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

    /// Palette of a pose: `model_from_joint * inverse_bind` of every slot.
    #[must_use]
    pub fn blended(&self, blend: &FrameBlend) -> Vec<Affine3A> {
        (0..self.slot_count)
            .map(|slot| self.blended_slot(blend, slot))
            .collect()
    }
}
