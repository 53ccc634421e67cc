//! Do feet stay where they are put? Measured from baked frames: the toes (feet, where there are no
//! toes) that touch the ground should go backwards exactly as fast as the clip goes forwards.

use glam::{Affine3A, Vec3};

use super::{BakedClip, Palettes};
use crate::model::{Bounds, Skeleton};

/// A joint within this share of the height above its lowest point is on the ground.
const CONTACT: f32 = 0.008;

/// How far feet slide while on the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FootSlide {
    /// Contacts with the ground in one round of the clip.
    pub steps: u32,
    /// Mean drift from the first to the last moment of a contact, metres.
    pub mean: f32,
    /// The largest, metres.
    pub worst: f32,
}

/// A toe on the ground from one frame to the next: which, and by how much it went, metres.
struct Contact {
    foot: usize,
    frame: u32,
    way: Vec3,
}

/// Slide of a clip at its own ground speed, along a straight path at normal speed and size; `None`
/// where no joint is named after a toe or foot, or nothing touches the ground.
#[must_use]
pub fn foot_slide(skeleton: &Skeleton, palettes: &Palettes, clip: &BakedClip) -> Option<FootSlide> {
    let contacts = contacts(skeleton, palettes, clip);
    let forward = Vec3::Z * clip.speed / clip.rate;
    let mut drifts = Vec::<(usize, u32, Vec3)>::new();
    for contact in contacts {
        let slid = (contact.way + forward).with_y(0.0);
        match drifts.last_mut() {
            Some((foot, last, drift)) if *foot == contact.foot && *last + 1 == contact.frame => {
                *last = contact.frame;
                *drift += slid;
            }
            _ => drifts.push((contact.foot, contact.frame, slid)),
        }
    }
    let lengths = drifts.iter().map(|(_, _, drift)| drift.length());
    let steps = drifts.len() as u32;
    (steps > 0).then(|| FootSlide {
        steps,
        mean: lengths.clone().sum::<f32>() / steps as f32,
        worst: lengths.fold(0.0, f32::max),
    })
}

/// The ground speed at which the feet of a clip slide least, metres per second: the mean speed of
/// what touches the ground, backwards. For clips whose file says nothing; 0 without feet.
#[must_use]
pub fn ground_speed(skeleton: &Skeleton, palettes: &Palettes, clip: &BakedClip) -> f32 {
    let contacts = contacts(skeleton, palettes, clip);
    let backwards: f32 = contacts.iter().map(|contact| -contact.way.z).sum();
    (backwards / contacts.len().max(1) as f32 * clip.rate).max(0.0)
}

fn contacts(skeleton: &Skeleton, palettes: &Palettes, clip: &BakedClip) -> Vec<Contact> {
    let feet = feet(skeleton);
    let height = palettes.slot_bounds.iter().fold(Bounds::EMPTY, |all, slot| all.union(*slot)).size().y;
    let mut found = Vec::new();
    for (foot, &(slot, point)) in feet.iter().enumerate() {
        let at = |frame: u32| -> Vec3 {
            let matrix: Affine3A = palettes.frame((clip.first_frame + frame) as usize)[slot];
            matrix.transform_point3(point)
        };
        let track: Vec<Vec3> = (0..clip.frame_count).map(at).collect();
        let lowest = track.iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
        let on_ground = |p: &Vec3| p.y < lowest + CONTACT * height;
        let pairs = (0..).zip(track.windows(2));
        found.extend(pairs.filter(|(_, pair)| pair.iter().all(on_ground)).map(|(frame, pair)| Contact {
            foot,
            frame,
            way: pair[1] - pair[0],
        }));
    }
    found
}

/// Slots of toes, or else of feet, and where each joint is in the mesh.
fn feet(skeleton: &Skeleton) -> Vec<(usize, Vec3)> {
    let named = |part: &str| -> Vec<(usize, Vec3)> {
        let slots = skeleton.slots.iter().enumerate();
        let of_joint = slots.filter(|(_, slot)| {
            let joint = skeleton.joints.get(slot.joint as usize);
            joint.is_some_and(|joint| joint.name.to_lowercase().contains(part))
        });
        of_joint.map(|(index, slot)| (index, slot.inverse_bind.inverse().transform_point3(Vec3::ZERO))).collect()
    };
    let toes = named("toe");
    if toes.is_empty() { named("foot") } else { toes }
}
