//! What each random number of a person decides: the streams of [`hash`](crate::crowd::hash::hash).

/// Length of a block.
pub const STREAM_LENGTH: u32 = 1;
/// How far a person's blocks are shifted.
pub const STREAM_SHIFT: u32 = 2;
/// Seed of a block.
pub const STREAM_BLOCK: u32 = 3;
/// State that a block begins in.
pub const STREAM_HOME: u32 = 4;
/// How long a state lasts.
pub const STREAM_DWELL: u32 = 5;
/// Which state follows.
pub const STREAM_NEXT: u32 = 6;
/// Speed of a state's clip.
pub const STREAM_SPEED: u32 = 7;
/// Phase of a state's clip, where that loops.
pub const STREAM_PHASE: u32 = 8;
/// Seed of a person.
pub const STREAM_OWN: u32 = 9;
