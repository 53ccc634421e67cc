//! Person selected and people taken over.

use glam::Vec3;

use crate::{
    app::person::{heroes::Heroes, pick::PickState},
    scene::PersonRef,
};

/// Person selected and people taken over.
#[derive(Default)]
pub(in crate::app) struct PersonState {
    /// Selected person.
    pub selected: Option<PersonRef>,
    /// Pending picking queries.
    pub pick: PickState,
    /// People taken over from the crowd.
    pub heroes: Heroes,
    /// The camera follows the selected person.
    pub follow: bool,
    /// Position of the followed person in the last frame (m).
    pub followed: Option<Vec3>,
}
