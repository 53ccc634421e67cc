//! Streams of [`hash`](crate::crowd::hash::hash), one per random decision about a person.

/// Length of a block.
pub const STREAM_LENGTH: u32 = 1;
/// Offset of a person's blocks.
pub const STREAM_SHIFT: u32 = 2;
/// Seed of a block.
pub const STREAM_BLOCK: u32 = 3;
/// First state of a block.
pub const STREAM_HOME: u32 = 4;
/// Dwell time of a state.
pub const STREAM_DWELL: u32 = 5;
/// Transition to the next state.
pub const STREAM_NEXT: u32 = 6;
/// Speed of a state's clip.
pub const STREAM_SPEED: u32 = 7;
/// Phase of a state's looping clip.
pub const STREAM_PHASE: u32 = 8;
/// Seed of a person.
pub const STREAM_OWN: u32 = 9;
