//! Error for clips of a library that do not fit a character.

use std::collections::BTreeSet;

use crate::{
    bake::retarget::{LEAST_SHARE, names::Pairs},
    model::{AnimationLibrary, Skeleton},
};

/// Number of joint names of either side in the message.
const EXAMPLES: usize = 3;

/// Clips of a library do not fit a character.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RetargetError {
    /// Too few joints have a counterpart.
    #[error(transparent)]
    Joints(#[from] JointMismatch),
    /// The skeletons seem to face different ways, but sides and toes contradict each other or are few.
    #[error(
        "{character}: the animations of {library} seem to face another way (by {degrees} degrees), but its joints leave \
         doubt; state how far to turn them: --turn {degrees}, or --turn 0"
    )]
    Facing {
        /// Name of the character.
        character: String,
        /// Name of the library.
        library: String,
        /// Probable turn about +Y (degrees).
        degrees: i32,
    },
}

/// Too few joints of a character have a counterpart in an animation library.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{character}: the animations of {library} do not fit: {matched} of {wanted} joints match by name, but {least} must; \
     the library has {theirs}, the character has {ours}: pair them in a file given by --joint-map"
)]
pub struct JointMismatch {
    /// Name of the character.
    pub character: String,
    /// Name of the library.
    pub library: String,
    /// Number of animated joints of the library with a counterpart.
    pub matched: usize,
    /// Number of joints of the smaller skeleton.
    pub wanted: usize,
    /// Number of them that must have a counterpart.
    pub least: usize,
    /// Names of library joints without a counterpart.
    pub theirs: String,
    /// Names of character joints without a counterpart.
    pub ours: String,
}

impl JointMismatch {
    pub(super) fn new(
        character: &str,
        body: &Skeleton,
        carrying: &BTreeSet<u32>,
        library: &AnimationLibrary,
        keyed: &BTreeSet<u32>,
        pairs: &Pairs,
        wanted: usize,
    ) -> Self {
        let theirs = keyed.iter().filter(|&&joint| pairs.body(joint).is_none());
        let matched = keyed.len() - theirs.clone().count();
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
