//! Matches joints of a library to joints of a body by name.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::{
    bake::retarget::bones::Roles,
    model::{Joint, Skeleton},
};

/// Pairs of joints whose names do not match: the body's name and the library's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointMap {
    /// Library's name by the body's name; an empty name excludes the joint.
    pub pairs: BTreeMap<String, String>,
    /// Turn of the library about +Y (degrees); `None`: estimated from the directions that both skeletons face.
    pub turn: Option<f32>,
}

/// Matched joints.
pub(super) struct Pairs {
    library_of: Vec<Option<u32>>,
    body_of: Vec<Option<u32>>,
    /// Names in the map that the body lacks.
    pub unknown: Vec<String>,
}

impl Pairs {
    /// Pairs the joints of the map, then the bones that either file states, then equal names, then names that are equal without prefixes, case and separators, then bones that names tell.
    /// Among several library joints of one name, one with keys comes first. Names that stay ambiguous on either side
    /// pair nothing.
    pub(super) fn find(
        body: &Skeleton,
        library: &[Joint],
        own_roles: &Roles,
        roles: &Roles,
        keyed: &BTreeSet<u32>,
        map: &JointMap,
    ) -> Self {
        let mut pairs = Self {
            library_of: vec![None; body.joints.len()],
            body_of: vec![None; library.len()],
            unknown: Vec::new(),
        };
        let carrying: BTreeSet<u32> = body.slots.iter().map(|slot| slot.joint).collect();
        let closed = pairs.take_map(body, library, map);
        if own_roles.are_stated || roles.are_stated {
            pairs.take_bones(own_roles, roles, &closed);
        }
        let keys: [fn(&str) -> String; 2] = [str::to_owned, plain_name];
        for key in keys {
            let free = |own: &u32| pairs.library_of[*own as usize].is_none() && !closed.contains(own);
            let mine = by_name(&body.joints, (0..body.joints.len() as u32).filter(free), key);
            let free = |joint: &u32| pairs.body_of[*joint as usize].is_none();
            let theirs = by_name(library, (0..library.len() as u32).filter(free), key);
            for (name, own) in &mine {
                let joint = theirs.get(name).and_then(|joints| one_of(joints, keyed, library));
                if let (Some(own), Some(joint)) = (one_of(own, &carrying, &body.joints), joint) {
                    pairs.join(own, joint);
                }
            }
        }
        pairs.take_bones(own_roles, roles, &closed);
        pairs
    }

    /// Pairs the free joints of one bone.
    fn take_bones(&mut self, own_roles: &Roles, roles: &Roles, closed: &BTreeSet<u32>) {
        for (bone, own) in own_roles.iter() {
            let is_free = self.library(own).is_none() && !closed.contains(&own);
            if let Some(joint) = roles.joint(bone).filter(|&joint| is_free && self.body(joint).is_none()) {
                self.join(own, joint);
            }
        }
    }

    /// Body joint of a library joint.
    pub(super) fn body(&self, joint: u32) -> Option<u32> {
        self.body_of.get(joint as usize).copied().flatten()
    }

    /// Library joint of a body joint.
    pub(super) fn library(&self, own: u32) -> Option<u32> {
        self.library_of.get(own as usize).copied().flatten()
    }

    fn join(&mut self, own: u32, joint: u32) {
        self.library_of[own as usize] = Some(joint);
        self.body_of[joint as usize] = Some(own);
    }

    /// Pairs the joints of the map. Returns the body's joints that the map excludes.
    fn take_map(&mut self, body: &Skeleton, library: &[Joint], map: &JointMap) -> BTreeSet<u32> {
        let mut closed = BTreeSet::new();
        for (mine, theirs) in &map.pairs {
            let Some(own) = named(&body.joints, mine) else {
                self.unknown.push(mine.clone());
                continue;
            };
            if theirs.is_empty() {
                closed.insert(own);
            } else if let Some(joint) = named(library, theirs).filter(|&joint| self.body(joint).is_none()) {
                self.join(own, joint);
            }
        }
        closed
    }
}

impl JointMap {
    /// Names of library joints in the map that no list of joints contains.
    pub fn missing<'a>(
        &'a self,
        libraries: impl Iterator<Item = &'a [Joint]> + Clone,
    ) -> impl Iterator<Item = &'a str> {
        let named_ones = self.pairs.values().map(String::as_str).filter(|name| !name.is_empty());
        named_ones.filter(move |name| libraries.clone().all(|joints| named(joints, name).is_none()))
    }
}

/// Joint of a name, or else the only joint with the same plain name.
fn named(joints: &[Joint], name: &str) -> Option<u32> {
    let exact = joints.iter().position(|joint| joint.name == name);
    let alike = || {
        let wanted = plain_name(name);
        let mut found = (0..).zip(joints).filter(|(_, joint)| plain_name(&joint.name) == wanted);
        let first = found.next()?.0;
        found.next().is_none().then_some(first)
    };
    exact.map(|index| index as u32).or_else(alike)
}

fn by_name(joints: &[Joint], among: impl Iterator<Item = u32>, key: fn(&str) -> String) -> HashMap<String, Vec<u32>> {
    let mut by_name: HashMap<String, Vec<u32>> = HashMap::new();
    for index in among {
        by_name
            .entry(key(&joints[index as usize].name))
            .or_default()
            .push(index);
    }
    by_name
}

/// The only joint, or the ancestor of all others, or the only preferred one.
fn one_of(joints: &[u32], preferred: &BTreeSet<u32>, all: &[Joint]) -> Option<u32> {
    let (first, others) = joints.split_first()?;
    let above = |joint: u32| std::iter::successors(all[joint as usize].parent, |&above| all[above as usize].parent);
    if others.iter().all(|&other| above(other).any(|above| above == *first)) {
        return Some(*first);
    }
    let mut better = joints.iter().filter(|joint| preferred.contains(joint));
    let first = better.next()?;
    better.next().is_none().then_some(*first)
}

/// Name without exporter prefixes (`mixamorig:`, `Armature|`), in lower case, without separators.
pub(crate) fn plain_name(name: &str) -> String {
    let last = name.rsplit([':', '|']).find(|part| !part.is_empty()).unwrap_or(name);
    let letters = last.chars().filter(|c| c.is_alphanumeric());
    let plain: String = letters.flat_map(char::to_lowercase).collect();
    // Some exporters drop the colon.
    let rest = plain
        .strip_prefix("mixamorig")
        .map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    match rest {
        Some(rest) if !rest.is_empty() => rest.to_owned(),
        _ if plain.is_empty() => name.to_owned(),
        _ => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::HumanBones;

    #[test]
    fn prefixes_case_and_separators_are_set_aside() {
        for name in [
            "LeftUpLeg",
            "mixamorig:LeftUpLeg",
            "mixamorig1:LeftUpLeg",
            "mixamorig1_LeftUpLeg",
            "mixamorigLeftUpLeg",
            "Armature|left_up_leg",
            "Left.Up-Leg",
            "LEFT UP LEG",
        ] {
            assert_eq!(plain_name(name), "leftupleg", "{name}");
        }
        for (a, b) in [("Spine1", "Spine2"), ("hand.L", "hand.R"), ("", "_"), ("mixamorig", "")] {
            assert_ne!(plain_name(a), plain_name(b), "{a:?} {b:?}");
        }
    }

    fn joints(names: &[&str]) -> Vec<Joint> {
        // All but the first hang on the first.
        let joint = |(index, name): (usize, &&str)| Joint {
            name: (*name).to_owned(),
            parent: (index > 0).then_some(0),
            rest: crate::model::Transform::IDENTITY,
        };
        names.iter().enumerate().map(joint).collect()
    }

    fn pairs(body: &[&str], library: &[&str], keyed: &[u32], map: &[(&str, &str)]) -> Vec<Option<u32>> {
        let body = Skeleton {
            joints: joints(body),
            ..Skeleton::default()
        };
        let map = JointMap {
            pairs: map.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect(),
            turn: None,
        };
        let library = joints(library);
        let none = HumanBones::new();
        let (own_roles, roles) = (Roles::of(&body.joints, &none), Roles::of(&library, &none));
        let keyed = keyed.iter().copied().collect();
        Pairs::find(&body, &library, &own_roles, &roles, &keyed, &map).library_of
    }

    #[test]
    fn the_map_comes_before_names_and_equal_names_before_alike_ones() {
        assert_eq!(
            pairs(&["hips", "Hips"], &["Hips", "hips"], &[], &[]),
            [Some(1), Some(0)]
        );
        let map = [("hips", "Pelvis"), ("spine", "")];
        assert_eq!(
            pairs(&["hips", "spine"], &["Pelvis", "Hips", "spine"], &[], &map),
            [Some(0), None]
        );
    }

    #[test]
    fn ambiguous_names_pair_nothing_unless_one_has_keys_or_carries_the_others() {
        let two = ["root", "a:hips", "b:hips"];
        assert_eq!(pairs(&["Hips"], &two, &[], &[]), [None]);
        assert_eq!(pairs(&["Hips"], &two, &[2], &[]), [Some(2)]);
        assert_eq!(pairs(&two, &["Hips"], &[0], &[]), [None; 3]);
        // A mesh node that is a child of the joint with its name.
        assert_eq!(pairs(&["Hips"], &["Hips", "Hips"], &[], &[]), [Some(0)]);
    }
}
