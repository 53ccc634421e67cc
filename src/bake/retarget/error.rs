//! Why clips of a library do not fit a body.

use std::collections::BTreeSet;

use crate::{
    bake::retarget::{LEAST_SHARE, names::Pairs},
    model::{AnimationLibrary, Skeleton},
};

/// Names of either side that the message gives.
const EXAMPLES: usize = 3;

/// Too few joints of a character have a counterpart in an animation library.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{character}: the animations of {library} do not fit: {matched} of {wanted} joints match by name, but {least} must; \
     the library has {theirs}, the character has {ours}: pair them in a file given by --joint-map"
)]
pub struct RetargetError {
    /// Name of the character.
    pub character: String,
    /// Name of the library.
    pub library: String,
    /// Animated joints of the library with a counterpart.
    pub matched: usize,
    /// Joints of the smaller skeleton.
    pub wanted: usize,
    /// How many of them must have one.
    pub least: usize,
    /// Joints of the library that have none.
    pub theirs: String,
    /// Joints of the character that have none.
    pub ours: String,
}

impl RetargetError {
    pub(super) fn new(
        (character, body, carrying): (&str, &Skeleton, &BTreeSet<u32>),
        library: &AnimationLibrary,
        (keyed, pairs): (&BTreeSet<u32>, &Pairs),
        (matched, wanted): (usize, usize),
    ) -> Self {
        let theirs = keyed.iter().filter(|&&joint| pairs.body(joint).is_none());
        let ours = carrying.iter().filter(|&&own| pairs.library(own).is_none());
        Self {
            character: character.to_owned(),
            library: library.name.clone(),
            matched,
            wanted,
            least: ((LEAST_SHARE * wanted as f32).ceil() as usize).max(1),
            theirs: examples(theirs.map(|&joint| library.joints[joint as usize].name.as_str())),
            ours: examples(ours.map(|&own| body.joints[own as usize].name.as_str())),
        }
    }
}

fn examples<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut shown: Vec<String> = names.take(EXAMPLES + 1).map(|name| format!("{name:?}")).collect();
    if shown.len() > EXAMPLES {
        shown[EXAMPLES] = "…".to_owned();
    }
    if shown.is_empty() {
        "no others".to_owned()
    } else {
        shown.join(", ")
    }
}
