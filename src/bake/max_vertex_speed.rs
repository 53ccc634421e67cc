//! Upper bound of the speed of any vertex of a clip, which limits the error of playing the clip in time steps.

use crate::bake::{BakedClip, Palettes, WHOLE};

impl Palettes {
    /// Upper bound of the speed (m/s) of any vertex between the frames of a clip, at the character's own size. Infinite
    /// if the clip jumps, or if morph targets move vertices as well.
    ///
    /// Vertices move along straight lines between two frames. Each is a convex combination of its positions under its
    /// slots, so none moves farther than the farthest corner of a slot's box.
    #[must_use]
    pub fn max_vertex_speed(&self, clip: &BakedClip) -> f32 {
        if !self.morph_weights.is_empty() {
            return f32::INFINITY;
        }
        let shares = clip.times.shares();
        let pairs = shares.windows(2).zip(clip.first_frame as usize..);
        let speeds = pairs.map(|(pair, frame)| {
            let seconds = (pair[1] - pair[0]) as f32 / WHOLE as f32 * clip.duration;
            // A jump has two frames at the same time.
            if seconds > 0.0 {
                self.max_frame_distance(frame) / seconds
            } else {
                f32::INFINITY
            }
        });
        speeds.fold(0.0, f32::max)
    }

    /// Upper bound of the distance (m) of any vertex from one frame to the next.
    fn max_frame_distance(&self, frame: usize) -> f32 {
        let slots = self
            .frame(frame)
            .iter()
            .zip(self.frame(frame + 1))
            .zip(&self.slot_bounds);
        let moved = slots.filter(|(_, bounds)| !bounds.is_empty());
        let distances = moved.flat_map(|((from, to), bounds)| {
            let apart = bounds
                .corners()
                .map(|corner| from.transform_point3(corner).distance(to.transform_point3(corner)));
            apart.into_iter()
        });
        distances.fold(0.0, f32::max)
    }
}

#[cfg(test)]
mod tests {
    use glam::{Affine3A, Vec3};

    use super::*;
    use crate::{
        bake::FrameTable,
        model::{Bounds, Wrap},
    };

    /// A clip of two seconds: half a metre up, then one metre along x, with the given times of frames.
    fn palettes(shares: &[u32]) -> Palettes {
        let places = [Vec3::ZERO, Vec3::Y * 0.5, Vec3::new(1.0, 0.5, 0.0)];
        let clip = BakedClip {
            name: "clip".into(),
            first_frame: 0,
            frame_count: 3,
            duration: 2.0,
            rate: 1.0,
            times: FrameTable::from_shares(shares).expect("ascending"),
            wrap: Wrap::Loop,
            speed: 0.0,
            turn: 0.0,
            events: Vec::new(),
            bounds: Bounds::EMPTY,
        };
        Palettes {
            slot_count: 1,
            frame_count: 3,
            clips: vec![clip],
            matrices: places.map(Affine3A::from_translation).to_vec().into(),
            slot_bounds: vec![Bounds::of([Vec3::NEG_ONE, Vec3::ONE])],
            morph_weights: Vec::new(),
            bound: None,
        }
    }

    #[test]
    fn the_fastest_segment_counts_and_a_jump_is_infinitely_fast() {
        let of = |palettes: &Palettes| palettes.max_vertex_speed(&palettes.clips[0]);
        assert_eq!(of(&palettes(&[0, WHOLE / 2, WHOLE])), 1.0);
        assert_eq!(of(&palettes(&[0, WHOLE / 4 * 3, WHOLE])), 2.0);
        assert_eq!(of(&palettes(&[0, WHOLE, WHOLE])), f32::INFINITY);
        let mut morphing = palettes(&[0, WHOLE / 2, WHOLE]);
        morphing.morph_weights = vec![0.0; 3];
        assert_eq!(of(&morphing), f32::INFINITY);
    }
}
