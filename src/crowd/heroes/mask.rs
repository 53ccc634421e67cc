//! Joint masks of layers.

use crate::model::Skeleton;

/// Common names of the joint that carries chest, arms and head, best first.
const UPPER: [&str; 8] = [
    "chest",
    "upperchest",
    "spine2",
    "spine_02",
    "spine1",
    "spine_01",
    "torso",
    "spine",
];

/// Joint of a role or name: the role of [`Skeleton::roles`], else exact, else without regard to case, else the first that ends in it (`mixamorig:Head` is a `head`).
#[must_use]
pub fn find_joint(skeleton: &Skeleton, name: &str) -> Option<usize> {
    let find = |same: &dyn Fn(&str) -> bool| skeleton.joints.iter().position(|joint| same(&joint.name));
    let lower = name.to_lowercase();
    if name.is_empty() {
        return None;
    }
    if let Some(joint) = skeleton.role(name) {
        return Some(joint);
    }
    find(&|own| own == name)
        .or_else(|| find(&|own| own.eq_ignore_ascii_case(name)))
        .or_else(|| find(&|own| own.to_lowercase().ends_with(&lower)))
}

/// True for `root` and everything below it; one entry per joint.
#[must_use]
pub fn mask(skeleton: &Skeleton, root: usize) -> Vec<bool> {
    let mut below = vec![false; skeleton.joints.len()];
    // Parents come before their children.
    for (index, joint) in skeleton.joints.iter().enumerate() {
        let parent = joint.parent.and_then(|p| below.get(p as usize)).copied();
        below[index] = index == root || parent.unwrap_or(false);
    }
    below
}

/// Joint whose subtree is the upper body: that of the role `chest`, else by name; `None` if no joint has a common name
/// of it.
#[must_use]
pub fn upper_body(skeleton: &Skeleton) -> Option<usize> {
    let named = || UPPER.iter().find_map(|name| find_joint(skeleton, name));
    skeleton.role("chest").or_else(named)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Joint, Transform};

    fn skeleton(joints: &[(&str, Option<u32>)]) -> Skeleton {
        let joint = |&(name, parent): &(&str, Option<u32>)| Joint {
            name: name.into(),
            parent,
            rest: Transform::IDENTITY,
        };
        Skeleton {
            joints: joints.iter().map(joint).collect(),
            ..Skeleton::default()
        }
    }

    #[test]
    fn a_mask_is_a_subtree() {
        let body = skeleton(&[
            ("hips", None),
            ("spine", Some(0)),
            ("thigh", Some(0)),
            ("mixamorig:Spine2", Some(1)),
            ("arm", Some(3)),
        ]);
        let upper = upper_body(&body).expect("named as usual");
        assert_eq!(upper, 3);
        assert_eq!(mask(&body, upper), [false, false, false, true, true]);
        assert_eq!(find_joint(&body, "Thigh"), Some(2));
        assert_eq!(find_joint(&body, "tail"), None);
        assert_eq!(find_joint(&body, ""), None);
    }
}
