// Tables of behaviours as flat rows. CPU twin: crowd/schedule/tables.rs, with equal rows and flags. Times are in ticks
// (1/65536 s), speeds in 1/65536; weights are cumulative up to a row's total.

// Bits of GroupRow.flags. All members share one schedule.
const FLAG_SHARED = 1u;
// All blocks are equal; members are offset by their place in the wave.
const FLAG_WAVE = 2u;
// Members move by their clips' root motion; all blocks are equal.
const FLAG_TRAVELS = 4u;
// Members have paths of their own: the instance holds the path's index.
const FLAG_OWN_PATHS = 8u;
// A march: all members in step, from the scene's start on.
const MARCHES = FLAG_SHARED | FLAG_TRAVELS;
// Bits of StateRow.flags. WRAP_ mode in bits 0-7; bit 8: the clip plays backwards.
const FLAG_WRAP_MASK = 0xffu;
const FLAG_REVERSED = 0x100u;

/// Behaviour of a group; 32 bytes.
struct GroupRow { // shared with Rust
    /// Index of the first state.
    first_state: u32,
    /// Number of states; 0: the group has no behaviour, members loop one clip.
    state_count: u32,
    /// Shortest block (ticks of 1/65536 s).
    block_min: u32,
    /// Longest minus shortest (ticks).
    block_span: u32,
    /// Sum of home weights.
    home_total: u32,
    /// [`FLAG_SHARED`], [`FLAG_WAVE`], [`FLAG_TRAVELS`] and [`FLAG_OWN_PATHS`].
    flags: u32,
    /// Seed of the group's shared schedule.
    seed: u32,
    /// Path that all members follow from their own places, counted from 1; 0: none.
    path: u32,
}

/// A state; 52 bytes.
struct StateRow { // shared with Rust
    /// Clip of the character.
    clip: u32,
    /// Turns per second at speed 1, times 2^24; 0 for a single pose.
    rate: u32,
    /// Lowest playback speed, times 65536.
    speed_min: u32,
    /// Highest minus lowest playback speed, times 65536.
    speed_span: u32,
    /// Wrap mode and [`FLAG_REVERSED`].
    flags: u32,
    /// Shortest dwell time (ticks).
    dwell_min: u32,
    /// Longest minus shortest (ticks).
    dwell_span: u32,
    /// Fade-in at the beginning of a block (ticks).
    fade: u32,
    /// Index of the first transition.
    first_edge: u32,
    /// Number of transitions.
    edge_count: u32,
    /// Sum of the transitions' weights.
    edge_total: u32,
    /// Cumulative home weight of the group's states up to this one.
    home_end: u32,
    /// Ground covered per turn of the clip (m), times 65536; 0 for clips in place.
    stride: u32,
}

/// A transition; 16 bytes.
struct EdgeRow { // shared with Rust
    /// Index of the next state.
    state: u32,
    /// Cumulative weight of the state's transitions up to this one.
    end: u32,
    /// Fade-in of the next state (ticks).
    fade: u32,
    pad: u32,
}

@group(1) @binding(4) var<storage, read> groups: array<GroupRow>;
@group(1) @binding(5) var<storage, read> states: array<StateRow>;
@group(1) @binding(6) var<storage, read> edges: array<EdgeRow>;
