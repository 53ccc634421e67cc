//! Actors: people whom a program steers. Each has a slot of fixed size; what it does at a time is a pure function of its
//! rows, so that nothing is sent between two changes.
//!
//! # Fades out of the middle of a fade
//!
//! A pose blends three clips: the two of the fade that is under way, and the one that a further
//! [`play`](ActorTable::play) fades in over both. That costs 16 bytes an actor and, while three clips show, half as many
//! matrices again for each vertex. Two other ways cost more. Offsets that decay (inertialization) need a pose of
//! offsets for each actor, 48 bytes a joint. A pose from the CPU needs as much for each actor and frame.
//!
//! A third `play` within one fade waits until the oldest clip has faded out. No vertex ever jumps, however often
//! `play` is called.

pub mod actor_state;
mod batches;
mod dirty_rows;
mod fades;
mod move_times;
mod prefetch;
pub mod rows;
mod sent_rows;
mod table;

pub use actor_state::{ActorBlend, ActorPlace, ActorState};
pub use batches::{ActorMove, ActorPlay, RefusedChanges};
pub use dirty_rows::{ChangedRows, RowCopies, SentRow, runs_of};
pub use rows::{MotionRow, PlayRow};
pub use table::{ActorChanges, ActorTable, MOST_ACTORS};

use crate::crowd::{clock::Clock, tints::REGIONS};

/// Handle of an actor: a slot, and which of its owners over time. It stays valid until the actor is despawned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActorId {
    pub(crate) index: u32,
    pub(crate) generation: u32,
}

impl ActorId {
    /// Slot of the actor: its index among the instances of its character, for heroes, attachments and picking, and its
    /// row in the buffers.
    #[must_use]
    pub const fn index(self) -> u32 {
        self.index
    }
}

/// Clip that an actor begins to play.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActorClip {
    /// Clip of the character.
    pub clip: u16,
    /// Share of the clip at which it begins, `0.0..=1.0`.
    pub start: f32,
    /// Playback speed: 1 as authored, negative backwards; rounded to 11 bits.
    pub speed: f32,
    /// True to play once and hold the last frame; false to loop.
    pub once: bool,
}

impl ActorClip {
    /// Clip that loops as authored, from its start.
    #[must_use]
    pub const fn new(clip: u16) -> Self {
        Self {
            clip,
            start: 0.0,
            speed: 1.0,
            once: false,
        }
    }

    /// Clip that plays once as authored and holds its last frame.
    #[must_use]
    pub const fn once(clip: u16) -> Self {
        Self {
            once: true,
            ..Self::new(clip)
        }
    }
}

/// Somebody who is spawned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Actor {
    /// Ground point between the feet, world space (m).
    pub position: [f32; 3],
    /// Heading (radians about +Y, 0 faces +Z, positive turns towards +X).
    pub yaw: f32,
    /// Clip that plays from [`Actor::since`] on.
    pub clip: ActorClip,
    /// Time at which the clip is at its start.
    pub since: Clock,
    /// Scale; 1 as modelled.
    pub scale: f32,
    /// Width and depth of the body relative to its height, `0.8..=1.175`.
    pub width_scale: f32,
    /// Indices into the tint ramps: skin, hair, cloth, trim, each `0..64`.
    pub tint: [u8; REGIONS],
    /// Material variant, `0..8`.
    pub variant: u8,
}

/// Default: at the origin facing +Z, looping clip 0 from time 0 on.
impl Default for Actor {
    fn default() -> Self {
        Self {
            position: [0.0; 3],
            yaw: 0.0,
            clip: ActorClip::new(0),
            since: Clock::default(),
            scale: 1.0,
            width_scale: 1.0,
            tint: [0; REGIONS],
            variant: 0,
        }
    }
}

/// Change of an actor that was refused. The actor stays as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ActorError {
    /// Capacity 0, more than the layout can number, or less than before.
    #[error("a capacity of {capacity} actors is outside {least} to {most}; ask for one within")]
    Capacity {
        /// Requested capacity.
        capacity: u32,
        /// Smallest possible one.
        least: u32,
        /// Largest possible one.
        most: u32,
    },
    /// Every slot is taken.
    #[error("all {capacity} slots of actors are taken; despawn somebody, or grow the capacity")]
    Full {
        /// Number of slots.
        capacity: u32,
    },
    /// The actor was despawned, or belongs to other actors.
    #[error("actor {index} (generation {generation}) is gone; drop handles of despawned actors")]
    Stale {
        /// Slot.
        index: u32,
        /// Generation of the handle.
        generation: u32,
    },
    /// A number is not finite, or beyond its range.
    #[error("the {what} of an actor is not a number within its range; check where it comes from")]
    Number {
        /// Value that was refused.
        what: &'static str,
    },
    /// The character has no such clip.
    #[error("the character has {count} clips, and no clip {clip}; count from 0")]
    Clip {
        /// Requested clip.
        clip: u16,
        /// Number of clips.
        count: u32,
    },
    /// A time lies before one that was given earlier for this actor.
    #[error("time runs backwards: {at} s after {last} s; give each actor's changes in their order")]
    Backwards {
        /// Requested time, whole seconds.
        at: u32,
        /// Latest time so far, whole seconds.
        last: u32,
    },
}
