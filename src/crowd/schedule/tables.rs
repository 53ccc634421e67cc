//! Behaviours as flat tables, in the layout that the GPU reads.

use bytemuck::{Pod, Zeroable};

/// Maximum number of states in one block.
pub const MAX_STEPS: u32 = 8;
/// Shortest block (ticks): one second.
pub const SHORTEST_BLOCK: u32 = 1 << 16;
/// Longest block (ticks): about 4.5 hours.
pub const LONGEST_BLOCK: u32 = 1 << 30;
/// [`GroupRow::flags`]: all members share one schedule.
pub const FLAG_SHARED: u32 = 1;
/// [`GroupRow::flags`]: all blocks are equal; members are offset by their place in the wave.
pub const FLAG_WAVE: u32 = 2;
/// [`GroupRow::flags`]: members move by their clips' root motion. All blocks are equal, so that the distance covered in
/// one is known.
pub const FLAG_TRAVELS: u32 = 4;
/// [`GroupRow::flags`]: a march, all members in step from the scene's start on.
pub const MARCHES: u32 = FLAG_SHARED | FLAG_TRAVELS;
/// [`GroupRow::flags`]: each member walks along the path that its instance names.
pub const FLAG_OWN_PATHS: u32 = 8;
/// [`StateRow::flags`]: the wrap mode is in the low bits.
pub const FLAG_WRAP_MASK: u32 = 0xff;
/// [`StateRow::flags`]: the clip plays backwards.
pub const FLAG_REVERSED: u32 = 0x100;

/// Behaviour of a group; 32 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct GroupRow {
    /// Index of the first state.
    pub first_state: u32,
    /// Number of states; 0: the group has no behaviour, members loop one clip.
    pub state_count: u32,
    /// Shortest block (ticks of 1/65536 s).
    pub block_min: u32,
    /// Longest minus shortest (ticks).
    pub block_span: u32,
    /// Sum of home weights.
    pub home_total: u32,
    /// [`FLAG_SHARED`], [`FLAG_WAVE`], [`FLAG_TRAVELS`] and [`FLAG_OWN_PATHS`].
    pub flags: u32,
    /// Seed of the group's shared schedule.
    pub seed: u32,
    /// Path that all members follow from their own places, counted from 1; 0: none.
    pub path: u32,
}

/// A state; 52 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct StateRow {
    /// Clip of the character.
    pub clip: u32,
    /// Turns per second at speed 1, times 2^24; 0 for a single pose.
    pub rate: u32,
    /// Lowest playback speed, times 65536.
    pub speed_min: u32,
    /// Highest minus lowest playback speed, times 65536.
    pub speed_span: u32,
    /// Wrap mode and [`FLAG_REVERSED`].
    pub flags: u32,
    /// Shortest dwell time (ticks).
    pub dwell_min: u32,
    /// Longest minus shortest (ticks).
    pub dwell_span: u32,
    /// Fade-in at the beginning of a block (ticks).
    pub fade: u32,
    /// Index of the first transition.
    pub first_edge: u32,
    /// Number of transitions.
    pub edge_count: u32,
    /// Sum of the transitions' weights.
    pub edge_total: u32,
    /// Cumulative home weight of the group's states up to this one.
    pub home_end: u32,
    /// Ground covered per turn of the clip (m), times 65536; 0 for clips in place.
    pub stride: u32,
}

/// A transition; 16 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct EdgeRow {
    /// Index of the next state.
    pub state: u32,
    /// Cumulative weight of the state's transitions up to this one.
    pub end: u32,
    /// Fade-in of the next state (ticks).
    pub fade: u32,
    /// Unused.
    pub pad: u32,
}

/// All behaviours of a scene for one character (clips differ from character to character).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// One row per group, in the order of group numbers.
    pub groups: Vec<GroupRow>,
    /// States of all groups.
    pub states: Vec<StateRow>,
    /// Transitions of all states.
    pub edges: Vec<EdgeRow>,
}
