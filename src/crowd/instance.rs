//! One drawn copy of a character: 32 bytes, uploaded once, advanced on the GPU.
//!
//! ```text
//! word 0..3  position x, y, z   f32 (m)
//! word 3     yaw unorm16 of a turn (walkers on waypoints: start phase of the round) | scale f16 << 16
//! word 4     tint indices u6: skin | hair << 6 | cloth << 12 | trim << 18;
//!            width scale i4 << 24 | material variant u3 << 28
//! word 5     clip u16 | speed f16 << 16
//! word 6     start f32: share of the clip already played at time 0
//! word 7     group u8 | u24 << 8: path of walkers, place in the wave of all others
//! ```

use glam::Vec3;
use half::f16;

use crate::{
    crowd::tints::{RAMP_LEN, REGIONS},
    model::MATERIAL_VARIANTS,
};

/// Step of the width scale; the range is 8 steps below 1 to 7 above.
pub const WIDTH_SCALE_STEP: f32 = 0.025;
/// Range of the width scale in steps of [`WIDTH_SCALE_STEP`].
const WIDTH_SCALE_STEPS: (f32, f32) = (-8.0, 7.0);
const WIDTH_SCALE_SHIFT: u32 = 24;
const MATERIAL_VARIANT_SHIFT: u32 = 28;
/// Bits per tint index.
const TINT_BITS: u32 = RAMP_LEN.ilog2();

shader_struct!(Instance);

impl Instance {
    /// An instance at the origin facing +Z, playing clip 0 at normal speed.
    #[must_use]
    pub fn new(position: Vec3) -> Self {
        Self {
            position: position.to_array(),
            ..Self::default()
        }
        .with_yaw_scale(0.0, 1.0)
        .with_clip(0, 1.0, 0.0)
    }

    /// Sets the heading (radians about +Y, 0 faces +Z, positive turns towards +X) and the scale.
    #[must_use]
    pub fn with_yaw_scale(mut self, yaw: f32, scale: f32) -> Self {
        let turn = (yaw / std::f32::consts::TAU).rem_euclid(1.0);
        let turn = ((turn * 65536.0).round() as u32) & 0xffff;
        self.yaw_scale = turn | u32::from(f16::from_f32(scale).to_bits()) << 16;
        self
    }

    /// Sets the clip, its playback speed (1 as authored, negative backwards) and the share of it already played at time
    /// 0, `0.0..1.0`.
    #[must_use]
    pub fn with_clip(mut self, clip: u16, speed: f32, start: f32) -> Self {
        self.clip_speed = u32::from(clip) | u32::from(f16::from_f32(speed).to_bits()) << 16;
        self.start = start;
        self
    }

    /// Sets the indices into the tint ramps: skin, hair, cloth, trim, each `0..64`.
    #[must_use]
    pub fn with_tint(mut self, indices: [u8; REGIONS]) -> Self {
        let others = self.tint >> WIDTH_SCALE_SHIFT << WIDTH_SCALE_SHIFT;
        let bits = |region: usize| u32::from(indices[region] % RAMP_LEN as u8) << (region as u32 * TINT_BITS);
        self.tint = others | (0..REGIONS).map(bits).sum::<u32>();
        self
    }

    /// Sets the width and depth of the body relative to its height: 1 as modelled, clamped to `0.8..=1.175`, in steps
    /// of [`WIDTH_SCALE_STEP`].
    #[must_use]
    pub fn with_width_scale(mut self, width_scale: f32) -> Self {
        let steps = ((width_scale - 1.0) / WIDTH_SCALE_STEP).round();
        let steps = steps.clamp(WIDTH_SCALE_STEPS.0, WIDTH_SCALE_STEPS.1) as i32 as u32 & 15;
        self.tint = self.tint & !(15 << WIDTH_SCALE_SHIFT) | steps << WIDTH_SCALE_SHIFT;
        self
    }

    /// Sets the group, and the path of walkers or the place in the layout's wave of all others. A place is a fraction
    /// of 2^24. Both are below 2^24.
    #[must_use]
    pub fn with_group(mut self, group: u8, place: u32) -> Self {
        self.group = u32::from(group) | place << 8;
        self
    }

    /// Group number.
    #[must_use]
    pub fn group_id(&self) -> u8 {
        self.group as u8
    }

    /// Path number, or place in the wave as a fraction of 2^24.
    #[must_use]
    pub fn place(&self) -> u32 {
        self.group >> 8
    }

    /// Heading (radians), `0..TAU`.
    #[must_use]
    pub fn yaw(&self) -> f32 {
        (self.yaw_scale & 0xffff) as f32 / 65536.0 * std::f32::consts::TAU
    }

    /// Sets the material variant, `0..8`: which of the materials' [`tints`](crate::model::Material::tints) colour the
    /// body.
    #[must_use]
    pub fn with_material_variant(mut self, material_variant: u8) -> Self {
        let bits = (MATERIAL_VARIANTS as u32 - 1) << MATERIAL_VARIANT_SHIFT;
        self.tint = self.tint & !bits | u32::from(material_variant) << MATERIAL_VARIANT_SHIFT & bits;
        self
    }

    /// The material variant, `0..8`.
    #[must_use]
    pub fn material_variant(&self) -> u8 {
        (self.tint >> MATERIAL_VARIANT_SHIFT) as u8 % MATERIAL_VARIANTS as u8
    }

    /// Indices into the tint ramps: skin, hair, cloth, trim.
    #[must_use]
    pub fn tints(&self) -> [u8; REGIONS] {
        std::array::from_fn(|region| (self.tint >> (region as u32 * TINT_BITS)) as u8 % RAMP_LEN as u8)
    }

    /// Width scale in steps from 1, `-8..=7`.
    #[must_use]
    pub(crate) fn width_scale_steps(&self) -> i32 {
        (self.tint << 4) as i32 >> 28
    }

    /// Width and depth relative to the height; 1 as modelled.
    #[must_use]
    pub fn width_scale(&self) -> f32 {
        1.0 + self.width_scale_steps() as f32 * WIDTH_SCALE_STEP
    }

    /// Step length relative to the character's, times 65536: it grows with leg length and body depth. Integer
    /// arithmetic as in shaders/shared/instance.wgsl: a step of the width scale is 1/40.
    #[must_use]
    pub(crate) fn stride(&self) -> u32 {
        let scale = (self.scale() * 65_536.0 + 0.5) as u32;
        let fortieths = (40 + self.width_scale_steps()) as u32;
        (scale / 40)
            .saturating_mul(fortieths)
            .saturating_add(scale % 40 * fortieths / 40)
    }

    /// Scale of the axes of the character's model space.
    #[must_use]
    pub fn shape(&self) -> Vec3 {
        Vec3::new(self.width_scale(), 1.0, self.width_scale()) * self.scale()
    }

    /// Scale; 1 as modelled.
    #[must_use]
    pub fn scale(&self) -> f32 {
        f16::from_bits((self.yaw_scale >> 16) as u16).to_f32()
    }

    /// Clip index.
    #[must_use]
    pub fn clip(&self) -> u16 {
        self.clip_speed as u16
    }

    /// Playback speed factor.
    #[must_use]
    pub fn speed(&self) -> f32 {
        f16::from_bits((self.clip_speed >> 16) as u16).to_f32()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tints_width_scale_and_material_variant_share_a_word_independently() {
        for (step, material_variant) in
            (-8..8).flat_map(|step| (0..8).map(move |material_variant| (step, material_variant)))
        {
            let width_scale = 1.0 + step as f32 * WIDTH_SCALE_STEP;
            let tints = [63, 0, 41, (step + 8) as u8];
            let plain = Instance::new(Vec3::ZERO);
            let one = plain
                .with_width_scale(width_scale)
                .with_tint(tints)
                .with_material_variant(material_variant);
            let other = plain
                .with_material_variant(material_variant)
                .with_tint(tints)
                .with_width_scale(width_scale);
            assert_eq!(one, other);
            assert_eq!(
                (one.tints(), one.width_scale_steps(), one.material_variant()),
                (tints, step, material_variant)
            );
            assert!((one.width_scale() - width_scale).abs() < 1e-6);
        }
        let broad = |width_scale: f32| Instance::default().with_width_scale(width_scale).width_scale();
        assert_eq!([broad(0.1), broad(9.0), broad(f32::NAN)], [0.8, 1.175, 1.0]);
        assert_eq!(Instance::default().width_scale(), 1.0);
    }
}
