//! Lifts characters onto the ground. Many are authored about their centre or their head, and would stand in the ground
//! up to there.

use glam::{Affine3A, Vec3};

use crate::{
    bake::{
        BakedClip, Palettes,
        skinning::{blend, morphed},
    },
    model::{Model, clip_names},
};

/// Smallest lift (share of the height).
const MIN_LIFT: f32 = 0.02;
/// Largest difference between the lowest points of the rest pose and the clips (share of the height). Beyond it only
/// the clips count, since they are what is visible.
const REST_DIFFERS: f32 = 0.1;
/// Smallest depth of a clip below the ground that is reported (share of the height).
const MIN_DIP: f32 = 0.1;
/// Height above the ground of a flat character (share of its width).
const FLAT_GAP: f32 = 0.005;
/// Sampled frames of a clip, at most.
const FRAMES: u32 = 12;
/// Directions in which the outermost vertices of each slot are sampled.
const DIRECTIONS: [Vec3; 14] = {
    let v = Vec3::new;
    [
        v(1.0, 0.0, 0.0),
        v(-1.0, 0.0, 0.0),
        v(0.0, 1.0, 0.0),
        v(0.0, -1.0, 0.0),
        v(0.0, 0.0, 1.0),
        v(0.0, 0.0, -1.0),
        v(1.0, 1.0, 1.0),
        v(-1.0, 1.0, 1.0),
        v(1.0, -1.0, 1.0),
        v(1.0, 1.0, -1.0),
        v(-1.0, -1.0, 1.0),
        v(-1.0, 1.0, -1.0),
        v(1.0, -1.0, -1.0),
        v(-1.0, -1.0, -1.0),
    ]
};

/// Vertical offset that puts a character onto the ground, and the clips that still reach below it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stance {
    /// Upward offset in units of the file; 0 for characters on the ground or floating high above it.
    pub lift: f32,
    /// Names of clips that reach below the ground by more than a tenth of the height, and that share.
    pub dips: Vec<(String, f32)>,
}

impl Stance {
    /// Computes the stance of a baked character; `palette` gives the matrices of a frame.
    #[must_use]
    pub fn of(model: &Model, palettes: &Palettes, palette: impl Fn(usize) -> Vec<Affine3A>) -> Self {
        let rest = model.rest_bounds();
        let (size, clips) = (rest.size(), &palettes.clips);
        let width_scale = size.x.max(size.z);
        if rest.is_empty() || !(size.y + width_scale).is_finite() {
            return Self::default();
        }
        let outermost_vertices = outermost_vertices(model);
        let lowest = |clip: &BakedClip| lowest(model, palettes, clip, &outermost_vertices, &palette);
        let shown = clip_names::preferred(clips.iter().map(|c| (c.name.as_str(), c.duration)));
        let grounded: Vec<usize> = (0..clips.len())
            .filter(|&i| clip_names::is_grounded(&clips[i].name))
            .collect();
        let inspected = if grounded.is_empty() { vec![shown] } else { grounded };
        let inspected = inspected.iter().filter_map(|&i| clips.get(i));
        let in_clips = inspected.map(lowest).fold(f32::INFINITY, f32::min);
        let height = size.y.max(1e-6);
        let low = if !in_clips.is_finite() {
            rest.min.y
        } else if (in_clips - rest.min.y).abs() > REST_DIFFERS * height {
            in_clips
        } else {
            in_clips.min(rest.min.y)
        };
        let lift = lift(low, size.y, width_scale);
        let dips = clips.iter().filter(|c| -(c.bounds.min.y + lift) > MIN_DIP * height);
        let dips = dips.map(|clip| (clip.name.clone(), -(lowest(clip) + lift) / height));
        Self {
            lift,
            dips: dips.filter(|(_, share)| *share > MIN_DIP).collect(),
        }
    }

    /// Notes for people, for a character `height` units tall.
    #[must_use]
    pub fn notes(&self, height: f32) -> Vec<String> {
        let mut notes = Vec::new();
        if self.lift != 0.0 {
            let (by, way) = (self.lift.abs(), if self.lift > 0.0 { "raised" } else { "lowered" });
            let percent = by / height.max(1e-6) * 100.0;
            notes.push(format!(
                "{way} by {by:.3} ({percent:.0} % of its height) to stand on the ground; --ground origin keeps it as authored"
            ));
        }
        let deepest = self.dips.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((name, share)) = deepest {
            let others = match self.dips.len() - 1 {
                0 => String::new(),
                1 => " and 1 other clip".into(),
                n => format!(" and {n} other clips"),
            };
            let percent = share * 100.0;
            notes.push(format!(
                "clip \"{name}\"{others} reach below the ground, by up to {percent:.0} % of the height"
            ));
        }
        notes
    }
}

fn lift(lowest: f32, height: f32, width_scale: f32) -> f32 {
    if height < 0.01 * width_scale {
        // The character lies in the ground plane, or close to it.
        return if lowest.abs() < FLAT_GAP * width_scale {
            FLAT_GAP * width_scale - lowest
        } else if lowest < 0.0 {
            -lowest
        } else {
            0.0
        };
    }
    let floats_high = lowest > height;
    if floats_high || lowest.abs() < MIN_LIFT * height {
        0.0
    } else {
        -lowest
    }
}

/// Outermost vertices of every slot in each direction: one of them is the lowest vertex, or close to it.
fn outermost_vertices(model: &Model) -> Vec<usize> {
    let none = [(f32::NEG_INFINITY, usize::MAX); DIRECTIONS.len()];
    let mut farthest = vec![none; model.skeleton.slots.len()];
    for (index, vertex) in model.mesh.vertices.iter().enumerate() {
        let Some(slot) = farthest.get_mut(usize::from(vertex.joints[0])) else {
            continue;
        };
        for (best, direction) in slot.iter_mut().zip(DIRECTIONS) {
            let reach = vertex.position.dot(direction);
            if reach > best.0 {
                *best = (reach, index);
            }
        }
    }
    let mut found: Vec<usize> = farthest.into_iter().flatten().map(|(_, index)| index).collect();
    found.retain(|&index| index != usize::MAX);
    found.sort_unstable();
    found.dedup();
    found
}

/// Smallest height of the sampled vertices over some frames of a clip.
fn lowest(
    model: &Model,
    palettes: &Palettes,
    clip: &BakedClip,
    outermost_vertices: &[usize],
    palette: &impl Fn(usize) -> Vec<Affine3A>,
) -> f32 {
    let last = clip.frame_count.saturating_sub(1);
    let count = clip.frame_count.min(FRAMES);
    let frames = (0..count).map(|i| clip.first_frame + i * last / count.saturating_sub(1).max(1));
    let of_frame = |frame: u32| {
        let matrices = palette(frame as usize);
        let vertices = morphed(model, palettes.frame_morphs(frame as usize));
        let heights = outermost_vertices.iter().map(|&v| {
            let vertex = &vertices[v];
            blend(vertex, &matrices).transform_point3(vertex.position).y
        });
        heights.fold(f32::INFINITY, f32::min)
    };
    frames.map(of_frame).fold(f32::INFINITY, f32::min)
}

#[cfg(test)]
mod tests {
    use super::lift;

    #[test]
    fn characters_on_the_ground_or_high_above_it_are_not_moved() {
        for (lowest, height, moved) in [
            (0.0, 2.0, 0.0),
            (-0.03, 2.0, 0.0),
            (-0.05, 2.0, 0.05),
            (-1.0, 2.0, 1.0),
            (0.5, 2.0, -0.5),
            (2.5, 2.0, 0.0),
        ] {
            assert_eq!(lift(lowest, height, 1.0), moved, "{lowest} of {height}");
        }
        // A carpet lies just above the ground.
        assert!(lift(0.0, 0.0, 4.0) > 0.0 && lift(0.0, 0.0, 4.0) < 0.05);
    }
}
