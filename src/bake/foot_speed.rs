//! Foot sliding, measured from baked frames. The toes (or feet, without toes) that touch the ground should move
//! backwards exactly as fast as the clip moves forwards.

use glam::{Affine3A, Vec3};

use crate::{
    bake::{
        BakeOptions, BakedClip, MAX_FRAMES, Palettes,
        run::{bake_frames, even_frames},
    },
    model::{Bounds, Clip, Model, Skeleton, Wrap},
};

/// Height (share of the character's) above the lowest point of all up to which the lowest joint touches the ground: 7
/// mm for a person. With a larger value, a toe that has just left the ground and swings forward counts as sliding.
const CONTACT: f32 = 0.004;

/// Sliding of feet while on the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FootSlide {
    /// Number of contacts with the ground in one cycle of the clip.
    pub steps: u32,
    /// Mean drift from the beginning to the end of a contact (m).
    pub mean: f32,
    /// Largest drift (m).
    pub worst: f32,
}

/// The lowest toe while it is on the ground from one frame to the next, and its displacement (m).
struct Contact {
    foot: usize,
    frame: u32,
    displacement: Vec3,
}

/// A contact over all its frames.
struct Step {
    foot: usize,
    first: u32,
    last: u32,
    drift: Vec3,
}

/// Sliding of a clip at its own ground speed, along a straight path at normal speed and size. `None` where no joint is
/// named after a toe or foot, or nothing touches the ground.
#[must_use]
pub fn foot_slide(skeleton: &Skeleton, palettes: &Palettes, clip: &BakedClip) -> Option<FootSlide> {
    let contacts = contacts(skeleton, palettes, clip);
    let forward = Vec3::Z * clip.speed / clip.rate;
    let mut steps = Vec::<Step>::new();
    for Contact {
        foot,
        frame,
        displacement,
    } in contacts
    {
        let drift = (displacement + forward).with_y(0.0);
        match steps.last_mut() {
            Some(step) if step.foot == foot && step.last + 1 == frame => {
                step.last = frame;
                step.drift += drift;
            }
            _ => steps.push(Step {
                foot,
                first: frame,
                last: frame,
                drift,
            }),
        }
    }
    if clip.wrap == Wrap::Loop {
        join_seam(&mut steps, clip.frame_count);
    }
    let lengths = steps.iter().map(|step| step.drift.length());
    let steps = steps.len() as u32;
    (steps > 0).then(|| FootSlide {
        steps,
        mean: lengths.clone().sum::<f32>() / steps as f32,
        worst: lengths.fold(0.0, f32::max),
    })
}

/// Joins the two parts of a contact that the end of a loop cuts.
fn join_seam(steps: &mut Vec<Step>, frame_count: u32) {
    let [first, .., last] = &mut steps[..] else { return };
    if first.foot == last.foot && first.first == 0 && last.last + 2 == frame_count {
        first.drift += last.drift;
        steps.pop();
    }
}

/// Sets the ground speed of looping walks and runs that state none, in the model and in the palettes baked from it.
/// [`ground_speed`] is measured on even frames of its own, so that the speed does not depend on how finely the palettes
/// are baked.
pub fn state_ground_speeds(model: &mut Model, palettes: &mut Palettes) {
    let counts: Vec<u32> = model.clips.iter().map(steps_to_measure).collect();
    if counts.iter().all(|&count| count == 0) {
        return;
    }
    let steps = bake_frames(model, &counts, &|_| ());
    let Model { skeleton, clips, .. } = model;
    let measured = clips.iter_mut().enumerate().filter(|(index, _)| counts[*index] > 0);
    for (index, clip) in measured {
        let speed = ground_speed(skeleton, &steps, &steps.clips[index]);
        if speed.is_finite() {
            (clip.speed, palettes.clips[index].speed) = (speed, speed);
        }
    }
}

/// Number of frames on which the ground speed of a clip is measured; 0 if it is stated or the clip is no walk.
fn steps_to_measure(clip: &Clip) -> u32 {
    let name = clip.name.to_lowercase();
    let walks = name.contains("walk") || name.contains("run");
    if walks && clip.wrap == Wrap::Loop && clip.speed == 0.0 {
        even_frames(clip, BakeOptions::default().rate).min(MAX_FRAMES) as u32
    } else {
        0
    }
}

/// Ground speed (m/s) at which the feet of a clip slide least: the mean backward speed of the toes on the ground. For
/// clips whose file states none; 0 without feet.
#[must_use]
pub fn ground_speed(skeleton: &Skeleton, palettes: &Palettes, clip: &BakedClip) -> f32 {
    let contacts = contacts(skeleton, palettes, clip);
    let backwards: f32 = contacts.iter().map(|contact| -contact.displacement.z).sum();
    (backwards / contacts.len().max(1) as f32 * clip.rate).max(0.0)
}

/// Number of even shares of a clip at which [`stance_places`] measures.
pub const STANCE_SHARES: usize = 32;

/// Place of the leg that stands, by its toe (or foot, without toes).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StancePlace {
    /// Sideways place in the mesh (m, positive to the left).
    pub side: f32,
    /// Distance in front of its place in the pose of rest (m).
    pub ahead: f32,
}

/// Places of the leg that stands, the one with the lowest toe, at even shares of a clip; `rest` is the clip of somebody
/// who stands. Zeros without feet.
#[must_use]
pub fn stance_places(
    skeleton: &Skeleton,
    palettes: &Palettes,
    clip: &BakedClip,
    rest: &BakedClip,
) -> [StancePlace; STANCE_SHARES] {
    let feet = feet(skeleton);
    std::array::from_fn(|share| {
        let last = clip.frame_count.saturating_sub(1) as usize;
        let frame = clip.first_frame as usize + share * last / STANCE_SHARES;
        let place = |frame: usize, (slot, point): (usize, Vec3)| palettes.frame(frame)[slot].transform_point3(point);
        let places = feet.iter().map(|foot| (*foot, place(frame, *foot)));
        let lowest = places.min_by(|a, b| a.1.y.total_cmp(&b.1.y));
        lowest.map_or_else(StancePlace::default, |(foot, toe)| StancePlace {
            side: toe.x,
            ahead: toe.z - place(rest.first_frame as usize, foot).z,
        })
    })
}

fn contacts(skeleton: &Skeleton, palettes: &Palettes, clip: &BakedClip) -> Vec<Contact> {
    let feet = feet(skeleton);
    let height = palettes
        .slot_bounds
        .iter()
        .fold(Bounds::EMPTY, |all, slot| all.union(*slot))
        .size()
        .y;
    let track = |&(slot, point): &(usize, Vec3)| -> Vec<Vec3> {
        let matrix = |frame| -> Affine3A { palettes.frame((clip.first_frame + frame) as usize)[slot] };
        (0..clip.frame_count)
            .map(|frame| matrix(frame).transform_point3(point))
            .collect()
    };
    let tracks: Vec<Vec<Vec3>> = feet.iter().map(track).collect();
    let ground = tracks.iter().flatten().map(|p| p.y).fold(f32::INFINITY, f32::min);
    let of_frame = |frame: u32| {
        let ways = tracks
            .iter()
            .filter_map(|track| track.get(frame as usize..frame as usize + 2));
        let (foot, displacement) = ways.enumerate().min_by(|a, b| a.1[0].y.total_cmp(&b.1[0].y))?;
        let touches = displacement.iter().all(|p| p.y < ground + CONTACT * height);
        touches.then(|| Contact {
            foot,
            frame,
            displacement: displacement[1] - displacement[0],
        })
    };
    (0..clip.frame_count.saturating_sub(1)).filter_map(of_frame).collect()
}

/// Slots of toes, or else of feet, and the position of each joint in the mesh.
fn feet(skeleton: &Skeleton) -> Vec<(usize, Vec3)> {
    let named = |part: &str| -> Vec<(usize, Vec3)> {
        let slots = skeleton.slots.iter().enumerate();
        let of_joint = slots.filter(|(_, slot)| {
            let joint = skeleton.joints.get(slot.joint as usize);
            joint.is_some_and(|joint| joint.name.to_lowercase().contains(part))
        });
        of_joint
            .map(|(index, slot)| (index, slot.inverse_bind.inverse().transform_point3(Vec3::ZERO)))
            .collect()
    };
    let toes = named("toe");
    if toes.is_empty() { named("foot") } else { toes }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(foot: usize, first: u32, last: u32) -> Step {
        Step {
            foot,
            first,
            last,
            drift: Vec3::Z,
        }
    }

    #[test]
    fn only_steps_joined_at_the_seam_are_one() {
        let joined = |mut steps: Vec<Step>| {
            join_seam(&mut steps, 31);
            steps.len()
        };
        assert_eq!(joined(vec![step(0, 0, 3), step(1, 12, 15), step(0, 25, 29)]), 2);
        assert_eq!(joined(vec![step(0, 5, 8), step(1, 12, 15), step(0, 25, 29)]), 3);
        assert_eq!(joined(vec![step(0, 0, 3), step(1, 12, 15), step(0, 25, 28)]), 3);
        assert_eq!(joined(vec![step(0, 0, 3), step(1, 25, 29)]), 2);
        assert_eq!(joined(vec![step(0, 0, 29)]), 1);
    }
}
