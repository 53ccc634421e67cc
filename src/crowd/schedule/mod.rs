//! Behaviours as a function of time: what someone does at a moment follows from (seed, person,
//! moment) alone, at the same cost for any moment.
//!
//! # How it works
//!
//! A random walk through states has no closed form: where it is depends on all that went before.
//! So each person's time is cut into **blocks** of one length (drawn per person, within the
//! group's range, and shifted by a random part of it). A block begins in a **home** state drawn
//! by weight and goes on as a true semi-Markov chain: how long a state lasts and which one
//! follows are drawn from a hash of (person, block, step). At most [`MAX_STEPS`] states fit into a
//! block; to know the present one, at most that many steps are walked, and as many again for the
//! end of the block before while the first state fades in.
//!
//! The price is accuracy in two places: everybody returns to a home state once per block, so a state may
//! change to a home state even if its own transitions do not include it; and the last state of a block
//! lasts until the block's end, which may exceed its range. All else is exact: other transitions are
//! those of the file, other dwell times are within their ranges.
//!
//! Clips that loop (or ping-pong) run on one phase per person and state through all time, so
//! that staying in a state across blocks shows no seam; clips that play once start with their
//! state.
//!
//! Everything up to the final positions is `u32` arithmetic: the GPU's twin agrees bit by bit.

mod behaviour_state;
pub mod streams;
mod tables;
pub mod travel;

pub use behaviour_state::{
    BehaviourState, ClipTime, CrossFade, Segment, behaviour_of, block, block_seed, fade_weight, find_segment,
    home_state, moment, next_edge, segments, segments_from, state_playing, state_rate,
};
pub use tables::{
    EdgeRow, FLAG_OWN_PATHS, FLAG_REVERSED, FLAG_SHARED, FLAG_TRAVELS, FLAG_WAVE, FLAG_WRAP_MASK, GroupRow,
    LONGEST_BLOCK, MARCHES, MAX_STEPS, SHORTEST_BLOCK, Schedule, StateRow,
};
pub use travel::{block_metres, block_way, faded_ticks, state_pace, state_way, travelled};
