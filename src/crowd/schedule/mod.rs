//! Behaviours as pure functions of time: a person's state follows from (seed, person, time) alone, at constant cost for
//! any time.
//!
//! # How it works
//!
//! A random walk through states has no closed form: its state depends on the whole history. So each person's time is
//! cut into **blocks** of equal length. The length is drawn per person within the group's range, and blocks start at a
//! random offset. A block begins in a **home** state drawn by weight and continues as a true semi-Markov chain. Dwell
//! times and transitions are drawn from a hash of (person, block, step). At most [`MAX_STEPS`] states fit into a block,
//! so finding the present one takes at most that many steps. While the first state fades in, the end of the previous
//! block costs as many again.
//!
//! The method is inexact in two places. Everybody returns to a home state once per block, so a state may change to one
//! that its own transitions exclude. The last state of a block lasts until the block's end, which may exceed its range.
//! All else is exact: other transitions are those of the file, and other dwell times are within their ranges.
//!
//! Looping (or ping-pong) clips run on one phase per person and state for all time. Staying in a state across blocks
//! therefore shows no seam. Clips that play once start with their state.
//!
//! Everything up to the final positions is `u32` arithmetic: the GPU's twin agrees bit by bit.

mod person_schedule;
pub mod streams;
mod tables;
pub mod travel;

pub use person_schedule::{
    ClipTime, CrossFade, PersonSchedule, StateSegment, behaviour_of, block, block_seed, fade_weight, find_segment,
    home_state, moment, next_edge, segments, segments_from, state_playing, state_rate,
};
pub use tables::{
    EdgeRow, FLAG_OWN_PATHS, FLAG_REVERSED, FLAG_SHARED, FLAG_TRAVELS, FLAG_WAVE, FLAG_WRAP_MASK, GroupRow,
    LONGEST_BLOCK, MARCHES, MAX_STEPS, SHORTEST_BLOCK, Schedule, StateRow,
};
pub use travel::{block_distance, block_metres, faded_ticks, state_distance, state_pace, travelled};
