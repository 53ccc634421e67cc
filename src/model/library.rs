//! Clips apart from a body: what an animation library ships.

use crate::model::{Clip, Joint};

/// Clips, and the skeleton that they were made on. It has no mesh and no palette slots: nothing of it is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnimationLibrary {
    /// File stem; stands before clip names that are not unique.
    pub name: String,
    /// Parents before children; those that carry nothing included.
    pub joints: Vec<Joint>,
    /// In file order; channels refer to [`AnimationLibrary::joints`].
    pub clips: Vec<Clip>,
    /// Changes and omissions of the import, one sentence each, for people.
    pub notes: Vec<String>,
}
