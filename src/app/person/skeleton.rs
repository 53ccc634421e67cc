//! Joint positions of a posed instance as drawn: from baked frames, with cross-fades.

use glam::{Mat4, Vec3};

use crate::{
    bake::{FrameBlend, FramePair},
    character::Character,
    crowd::{Instance, InstancePose, schedule::ClipTime},
};

/// World positions (m) of the joints that palette slots refer to; `None` for other joints.
#[must_use]
pub(crate) fn joints(character: &Character, instance: &Instance, pose: &InstancePose) -> Vec<Option<Vec3>> {
    let (skeleton, palettes) = (&character.model.skeleton, &character.palettes);
    let pair = |playing: ClipTime| {
        let clip = palettes.clips.get(playing.clip as usize);
        clip.map_or(FramePair::default(), |c| c.pair_at(playing.position))
    };
    let moment = &pose.moment;
    let fades = moment.weight < 1.0;
    let blend = FrameBlend {
        a: pair(if fades { moment.from } else { moment.to }),
        b: pair(moment.to),
        fade: if fades { moment.weight } else { 0.0 },
    };
    let world = pose.world_from_model(instance);
    let mut joints = vec![None; skeleton.joints.len()];
    for (index, slot) in skeleton.slots.iter().enumerate().take(palettes.slot_count) {
        let model_from_joint = Mat4::from(palettes.blended_slot(&blend, index)) * slot.inverse_bind.inverse();
        if let Some(joint) = joints.get_mut(slot.joint as usize) {
            let place = world.transform_point3(model_from_joint.w_axis.truncate());
            *joint = place.is_finite().then_some(place);
        }
    }
    joints
}

/// Bones as pairs of positions: each joint with its nearest ancestor that has a position.
#[must_use]
pub(crate) fn bones(character: &Character, joints: &[Option<Vec3>]) -> Vec<[Vec3; 2]> {
    let all = &character.model.skeleton.joints;
    let parent = |joint: usize| all.get(joint).and_then(|j| j.parent).map(|p| p as usize);
    let place = |joint: usize| joints.get(joint).copied().flatten();
    let line = |joint: usize| {
        let ancestors = std::iter::successors(parent(joint), |&j| parent(j));
        let above = { ancestors }.find_map(place)?;
        Some([above, place(joint)?])
    };
    (0..joints.len()).filter_map(line).collect()
}
