//! Trajectories that people of a scene follow, as labels name them.

use crate::scene::{PersonRef, Scene};

/// Trajectory that a person follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonTrack {
    /// Number in labels: the file's own id if all its ids are whole numbers, else the agent's place in the file, from 1.
    pub number: u32,
    /// Identity in the file.
    pub id: String,
}

impl Scene {
    /// Trajectory that a person follows; `None` in scenes without trajectories.
    #[must_use]
    #[cfg(feature = "tracks")]
    pub fn track_of(&self, who: PersonRef) -> Option<PersonTrack> {
        let agent = *self.crowd.agents.get(who.character)?.get(who.index as usize)?;
        self.tracks.as_ref()?.person_track(agent)
    }

    /// Trajectory that a person follows; `None` without the feature `tracks`.
    #[must_use]
    #[cfg(not(feature = "tracks"))]
    pub fn track_of(&self, _who: PersonRef) -> Option<PersonTrack> {
        None
    }
}
