//! Animation libraries: clips without a body.

use crate::model::{Clip, HumanBones, Joint};

/// Clips and the skeleton that they were made on. It has no mesh and no palette slots: nothing of it is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnimationLibrary {
    /// File stem; prefixes clip names that are not unique.
    pub name: String,
    /// All joints, parents before children, including those without influence.
    pub joints: Vec<Joint>,
    /// Bones of the human body, where the file states them.
    pub bones: HumanBones,
    /// Names of the facial expressions that clips move (VRMA).
    pub expressions: Vec<String>,
    /// Clips in file order; channels refer to [`AnimationLibrary::joints`], those of morph targets to
    /// [`AnimationLibrary::expressions`].
    pub clips: Vec<Clip>,
    /// Changes and omissions of the import, one sentence each, for people.
    pub notes: Vec<String>,
}
