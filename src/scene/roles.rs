//! Joints that a scene names by role, where their own names do not tell.

use glam::Mat4;

use crate::{
    config::JOINT_ROLES,
    crowd::heroes::find_joint,
    model::{PaletteSlot, Skeleton, Socket},
};

/// Assigns the roles of a scene. A role is also a socket at its joint, unless the character has one of this name.
/// `has_frames` is true for a baked file, whose slots are fixed.
pub(super) fn assign<'a>(
    skeleton: &mut Skeleton,
    roles: impl IntoIterator<Item = (&'a String, &'a String)>,
    has_frames: bool,
) {
    for (role, name) in roles {
        let Some(joint) = find_joint(skeleton, name).filter(|_| JOINT_ROLES.contains(&&role[..])) else {
            continue;
        };
        skeleton.roles.insert(role.clone(), joint as u32);
        let is_taken = skeleton.sockets.iter().any(|socket| socket.name == *role);
        if let Some(slot) = slot_of(skeleton, joint, has_frames).filter(|_| !is_taken) {
            let bind = skeleton.slots[slot].inverse_bind;
            skeleton.sockets.push(Socket {
                name: role.clone(),
                slot: slot as u32,
                mesh_from_socket: bind.inverse() * at_own_place(bind),
            });
        }
    }
}

/// Turns a joint's axes into those of the model at rest, so that what is carried stands upright: the joint's own axes
/// are kept, its scale is not.
fn at_own_place(bind: Mat4) -> Mat4 {
    let scale = bind.to_scale_rotation_translation().0;
    Mat4::from_scale(scale)
}

/// Slot of a joint, a new one if the character has none and its slots are not fixed.
fn slot_of(skeleton: &mut Skeleton, joint: usize, has_frames: bool) -> Option<usize> {
    let own = |slot: &PaletteSlot| slot.joint as usize == joint && slot.inverse_bind.determinant().abs() > 1e-12;
    let found = skeleton.slots.iter().position(own);
    if found.is_some() || has_frames || skeleton.slots.len() > usize::from(u16::MAX) {
        return found;
    }
    let rest = skeleton.rest_joints().get(joint).copied()?;
    let inverse_bind = Mat4::from(rest.inverse());
    if !inverse_bind.is_finite() {
        return None;
    }
    skeleton.slots.push(PaletteSlot {
        joint: joint as u32,
        inverse_bind,
    });
    Some(skeleton.slots.len() - 1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use glam::{Quat, Vec3};

    use super::*;
    use crate::{
        crowd::heroes::upper_body,
        model::{Joint, Transform},
    };

    #[test]
    fn a_named_joint_takes_its_role_and_becomes_a_socket() {
        let joint = |name: &str, parent, y| Joint {
            name: name.into(),
            parent,
            rest: Transform {
                translation: Vec3::Y * y,
                rotation: Quat::IDENTITY,
                scale: Vec3::ONE,
            },
        };
        let mut skeleton = Skeleton {
            joints: vec![
                joint("b0", None, 1.0),
                joint("b1", Some(0), 0.5),
                joint("b2", Some(1), 0.2),
            ],
            slots: vec![PaletteSlot {
                joint: 0,
                inverse_bind: Mat4::from_translation(Vec3::NEG_Y),
            }],
            ..Skeleton::default()
        };
        let named = [("head", "b2"), ("chest", "b1"), ("hand_r", "nobody")];
        let roles: BTreeMap<String, String> = named.map(|(role, name)| (role.into(), name.into())).into();
        let mut baked = skeleton.clone();
        assign(&mut skeleton, &roles, false);
        assert_eq!((skeleton.role("head"), upper_body(&skeleton)), (Some(2), Some(1)));
        assert_eq!(skeleton.role("hand_r"), None);
        let head = skeleton
            .sockets
            .iter()
            .find(|socket| socket.name == "head")
            .expect("a socket");
        let palette = skeleton.rest_palette();
        let place = Mat4::from(palette[head.slot as usize]) * head.mesh_from_socket;
        assert!((place.w_axis.truncate() - Vec3::Y * 1.7).length() < 1e-5, "{place}");
        assign(&mut baked, &roles, true);
        assert!(baked.sockets.is_empty() && baked.slots.len() == 1 && baked.role("head") == Some(2));
    }
}
