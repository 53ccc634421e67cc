//! Motion retargeting by joint names: clips of one skeleton (the library) on another (the body). Motion is taken
//! relative to the rest poses, so that the body keeps its proportions.
//!
//! Let `G` be the rotation of a joint at rest in model space, and `p` its parent. A key `q` of the library then rotates
//! the joint by `G(p) q G(j)⁻¹` in model space. The same rotation relative to the body's rest is the key:
//!
//! > q′ = A q B, with A = G_body(p)⁻¹ G_lib(p) and B = G_lib(j)⁻¹ G_body(j),
//!
//! so that each joint rotates away from the body's rest as it does from the library's, whatever the axes of either
//! skeleton. The map is linear in `q` and preserves lengths. Keys and tangents are therefore converted one by one, at
//! their own times, and every interpolation (STEP, LINEAR, CUBICSPLINE) gives the library's result. Nothing is
//! resampled.
//!
//! Translations are relative to rest as well, `t′ = rest + M (t − rest_lib)`, scaled by the ratio of hip heights. They
//! are taken for the hips and the joints above them. If both rests have one shape (up to a scale), all translations are
//! taken, and scales too.
//!
//! A library that faces another way than the body is turned about +Y before: its rest poses are those of a skeleton
//! below a node with that rotation.
//!
//! Two things are lost. Rotations of library joints between two matched ones that the body lacks are omitted; a note
//! says so. Rests with different non-uniform or negative scales are compared by their rotations alone.

mod bones;
mod channels;
mod error;
mod facing;
mod names;
mod rest;

pub use error::{JointMismatch, RetargetError};
pub use names::JointMap;
pub(crate) use names::plain_name;

use std::collections::BTreeSet;

use glam::{DMat3, DQuat, DVec3};

use crate::{
    bake::retarget::{
        bones::Roles,
        channels::ChannelMap,
        facing::{Facing, about_y, turn_between},
        names::Pairs,
        rest::{RestComparison, SkeletonRest},
    },
    model::{AnimationLibrary, Clip, Keys, Skeleton},
};

/// Share of the smaller skeleton's joints that must have a counterpart: fewer common names may be coincidence.
pub const LEAST_SHARE: f32 = 0.5;
/// Number of essential bones from which a human body can be posed: one may be missing.
const ESSENTIAL_BONES: usize = 10;
/// Number of joint names that a note lists.
const LISTED: usize = 8;

/// Clips converted for a body.
#[derive(Clone, Debug, Default)]
pub struct RetargetResult {
    /// Clips in the order of the library; channels refer to the body's joints.
    pub clips: Vec<Clip>,
    /// Parts that could not be converted, one sentence each, for people.
    pub notes: Vec<String>,
}

/// Converts the clips of a library for a body whose joints match its joints by name, or by the map.
///
/// # Errors
/// [`RetargetError`] if fewer than [`LEAST_SHARE`] of the joints have a counterpart and the limbs of a human body are
/// not among them, or if the skeletons seem to face different ways but leave doubt.
pub fn retarget(
    name: &str,
    body: &Skeleton,
    library: &AnimationLibrary,
    map: &JointMap,
) -> Result<RetargetResult, RetargetError> {
    let keyed = keyed(library);
    let own_roles = Roles::of(&body.joints, &body.bones);
    let roles = Roles::of(&library.joints, &library.bones);
    let pairs = Pairs::find(body, &library.joints, &own_roles, &roles, &keyed, map);
    let carrying: BTreeSet<u32> = body.slots.iter().map(|slot| slot.joint).collect();
    let matched = keyed.iter().filter(|&&joint| pairs.body(joint).is_some()).count();
    let wanted = keyed.len().min(carrying.len().max(1));
    let essential = own_roles
        .iter()
        .filter(|(bone, own)| bone.is_essential() && pairs.library(*own).is_some());
    let is_whole = essential.count() >= ESSENTIAL_BONES;
    if (matched as f32) < LEAST_SHARE * wanted as f32 && !is_whole || matched == 0 {
        return Err(JointMismatch::new(name, body, &carrying, library, &keyed, &pairs, wanted).into());
    }
    let own_rest = SkeletonRest::of(&body.joints, DQuat::IDENTITY);
    let as_stored = SkeletonRest::of(&library.joints, DQuat::IDENTITY);
    let turn = match map.turn {
        Some(degrees) => f64::from(degrees).to_radians(),
        None => {
            let own = Facing::of(&body.joints, &own_rest, &own_roles);
            let theirs = Facing::of(&library.joints, &as_stored, &roles);
            turn_between(own, theirs).map_err(|turn| RetargetError::Facing {
                character: name.to_owned(),
                library: library.name.clone(),
                degrees: turn.to_degrees().round() as i32,
            })?
        }
    };
    let rest = SkeletonRest::of(&library.joints, about_y(turn));
    let fit = RestComparison::find(body, &own_roles, &own_rest, &rest, &pairs);
    let change = |joint: u32| {
        let own = pairs.body(joint)?;
        Some((own, change(own, body, joint, library, &own_rest, &rest, &fit)))
    };
    let changes: Vec<Option<(u32, ChannelMap)>> = (0..library.joints.len() as u32).map(change).collect();
    let mut lost = DroppedKeys::default();
    let clip = |clip: &Clip| Clip {
        channels: clip
            .channels
            .iter()
            .filter_map(|channel| match &changes[channel.joint as usize] {
                Some((own, change)) => {
                    let changed = change.channel(*own, channel);
                    if changed.is_none() && change.moves(channel) {
                        lost.add(&channel.keys, &body.joints[*own as usize].name);
                    }
                    changed
                }
                None => None,
            })
            .collect(),
        speed: clip.speed * fit.scale as f32,
        ..clip.clone()
    };
    let clips = library.clips.iter().map(clip).collect();
    let mut notes = library.notes.clone();
    if turn != 0.0 {
        notes.push(format!(
            "its skeleton faces another way than the character's: its clips are turned by {:.0} degrees",
            turn.to_degrees()
        ));
    }
    notes.extend(notes_on_losses(body, library, &keyed, &pairs, &carrying));
    notes.extend(lost.notes_on_losses());
    let notes = notes
        .into_iter()
        .map(|note| format!("{}: {note}", library.name))
        .collect();
    Ok(RetargetResult { clips, notes })
}

/// Map from keys of a library joint to keys of its counterpart.
fn change(
    own: u32,
    body: &Skeleton,
    joint: u32,
    library: &AnimationLibrary,
    mine: &SkeletonRest,
    theirs: &SkeletonRest,
    fit: &RestComparison,
) -> ChannelMap {
    let (to, from) = (&body.joints[own as usize], &library.joints[joint as usize]);
    let (own, joint) = (own as usize, joint as usize);
    let before = mine.above_turn(to).inverse() * theirs.above_turn(from);
    let after = theirs.turn[joint].inverse() * mine.turn[own];
    let flat = |matrix: DMat3| matrix.determinant().abs() < 1e-30;
    let above = mine.above_matrix(to);
    let matrix = if flat(above) { DMat3::IDENTITY } else { above.inverse() } * theirs.above_matrix(from) * fit.scale;
    let moves = fit.alike || fit.trunk.contains(&(own as u32));
    ChannelMap::new(
        before,
        after,
        moves.then(|| {
            (
                matrix,
                to.rest.translation.as_dvec3() - matrix * from.rest.translation.as_dvec3(),
            )
        }),
        from.rest,
        to.rest,
        fit.alike,
    )
}

/// Library joints with channels, in hierarchy order.
fn keyed(library: &AnimationLibrary) -> BTreeSet<u32> {
    let channels = library.clips.iter().flat_map(|clip| clip.channels.iter());
    channels.map(|channel| channel.joint).collect()
}

/// Notes on unmatched joints of either side, where they matter.
fn notes_on_losses(
    body: &Skeleton,
    library: &AnimationLibrary,
    keyed: &BTreeSet<u32>,
    pairs: &Pairs,
    carrying: &BTreeSet<u32>,
) -> Vec<String> {
    let moved: BTreeSet<u32> = keyed
        .iter()
        .copied()
        .filter(|&joint| is_moved(library, joint))
        .collect();
    let lost = moved.iter().filter(|&&joint| pairs.body(joint).is_none());
    let lost: Vec<&str> = lost
        .map(|&joint| library.joints[joint as usize].name.as_str())
        .collect();
    let still = carrying.iter().filter(|&&own| pairs.library(own).is_none());
    let still: Vec<&str> = still.map(|&own| body.joints[own as usize].name.as_str()).collect();
    let mut notes = Vec::new();
    if !lost.is_empty() {
        notes.push(format!(
            "the character has no joints for {}: their motion is left out",
            listed(&lost)
        ));
    }
    if !still.is_empty() {
        notes.push(format!(
            "the library has no joints for {}: they keep their rest pose",
            listed(&still)
        ));
    }
    notes.extend(
        pairs
            .unknown
            .iter()
            .map(|name| format!("the character has no joint {name:?}, which the joint map names")),
    );
    notes
}

/// True if some clip moves a joint away from the library's rest.
fn is_moved(library: &AnimationLibrary, joint: u32) -> bool {
    let rest = library.joints[joint as usize].rest;
    let channels = library.clips.iter().flat_map(|clip| clip.channels.iter());
    channels.filter(|c| c.joint == joint).any(|c| channels::leaves(c, rest))
}

/// Joints whose keys were omitted, by kind.
#[derive(Default)]
struct DroppedKeys {
    translations: BTreeSet<String>,
    scales: BTreeSet<String>,
}

impl DroppedKeys {
    fn add(&mut self, keys: &Keys, joint: &str) {
        match keys {
            Keys::Translation(_) => self.translations.insert(joint.to_owned()),
            Keys::Scale(_) => self.scales.insert(joint.to_owned()),
            Keys::Rotation(_) => false,
        };
    }

    fn notes_on_losses(&self) -> Vec<String> {
        let kinds = [("translations", &self.translations), ("scales", &self.scales)];
        let notes_on_losses = kinds
            .into_iter()
            .filter(|(_, joints)| !joints.is_empty())
            .map(|(kind, joints)| {
                let joints: Vec<&str> = joints.iter().map(String::as_str).collect();
                format!(
                    "{kind} of {} are left out: the rest poses differ in shape",
                    listed(&joints)
                )
            });
        notes_on_losses.collect()
    }
}

/// Formats a list: "a", "b" and 3 more.
fn listed(names: &[&str]) -> String {
    let shown: Vec<String> = names.iter().take(LISTED).map(|name| format!("{name:?}")).collect();
    match names.len().saturating_sub(LISTED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Relative distance below which two places of a skeleton are the same.
const SAME_PLACE: f64 = 1e-3;

/// Largest length of the vectors.
fn reach(points: &[DVec3]) -> f64 {
    points.iter().map(|point| point.length()).fold(0.0, f64::max)
}
