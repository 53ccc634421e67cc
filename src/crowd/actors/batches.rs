//! Changes of many actors in one call. Rows lie apart in memory, so that one call each waits for memory each time; a list
//! says ahead of time which rows are next.

use std::ops::Range;

use crate::crowd::{
    actors::{ActorClip, ActorError, ActorId, ActorTable, move_times::MoveTimes, prefetch::with_ahead},
    clock::Clock,
};

/// Move of an actor in [`ActorTable::move_all`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActorMove {
    /// Actor that moves.
    pub id: ActorId,
    /// Ground point between the feet at the end, world space (m).
    pub position: [f32; 3],
    /// Heading at the end (rad about +Y, 0 faces +Z).
    pub yaw: f32,
}

/// Change of an actor's clip in [`ActorTable::play_all`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActorPlay {
    /// Actor that plays.
    pub id: ActorId,
    /// Clip that fades in.
    pub clip: ActorClip,
    /// Length of the fade (s), 0 to 63.
    pub fade: f32,
}

/// Changes of a list that were refused, by their index in it. The others are done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedChanges(pub Vec<(usize, ActorError)>);

impl std::fmt::Display for RefusedChanges {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} changes of actors were refused", self.0.len())?;
        match self.0.first() {
            Some((index, error)) => write!(f, "; the first is entry {index} of the list: {error}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for RefusedChanges {}

impl ActorTable {
    /// Moves many actors between the same two times, as [`ActorTable::move_to`] moves one, in the order of the list. It
    /// costs about half as much as one call each.
    ///
    /// # Errors
    /// [`RefusedChanges`] lists the moves that [`ActorTable::move_to`] refuses: all of them for `times` that run
    /// backwards or take too long.
    pub fn move_all(&mut self, times: Range<Clock>, moves: &[ActorMove]) -> Result<(), RefusedChanges> {
        let times = MoveTimes::of(times);
        self.change_all(moves, |table, change, ahead| {
            if let Some(ahead) = ahead {
                table.prefetch_motion(ahead.id);
            }
            let times = times.as_ref().map_err(|&error| error)?;
            table.move_listed(change.id, times, change.position, change.yaw)
        })
    }

    /// Changes the clips of many actors from one time on, as [`ActorTable::play`] changes those of one, in the order of
    /// the list.
    ///
    /// # Errors
    /// [`RefusedChanges`] lists the changes that [`ActorTable::play`] refuses.
    pub fn play_all(&mut self, at: Clock, plays: &[ActorPlay]) -> Result<(), RefusedChanges> {
        self.change_all(plays, |table, change, ahead| {
            if let Some(ahead) = ahead {
                table.prefetch_play(ahead.id);
            }
            table.play(change.id, &change.clip, at, change.fade)
        })
    }

    /// Does every change of a list; `change` also gets the one that comes up later.
    #[inline]
    fn change_all<T>(
        &mut self,
        changes: &[T],
        mut change: impl FnMut(&mut Self, &T, Option<&T>) -> Result<(), ActorError>,
    ) -> Result<(), RefusedChanges> {
        let mut refused = Vec::new();
        for (index, (one, ahead)) in with_ahead(changes).enumerate() {
            if let Err(error) = change(self, one, ahead) {
                refused.push((index, error));
            }
        }
        match refused.is_empty() {
            true => Ok(()),
            false => Err(RefusedChanges(refused)),
        }
    }
}
