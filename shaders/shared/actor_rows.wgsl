// Rows of an actor, version 1. crowd/actors/rows.rs documents every word. A compute pass of a host that writes them
// includes this file: it needs no other.

// Last word of the motion row of a living actor: a mark, and the version of the layout in its low byte.
const ACTOR_ALIVE = 0xac707201u;
// Playbacks in a play row.
const MOST_PLAYBACKS = 4u;
// Ticks (1/65536 s) in a unit of a fade's length.
const FADE_UNIT = 64u;
// Bit of PlaybackRow.phase: the clip plays once and holds its last frame.
const PLAYS_ONCE = 1u;

/// Two keys of place and heading, between which an actor moves in a straight line.
struct MotionRow { // shared with Rust
    /// Ground point between the feet at the first key, world space (m).
    start_position: vec3<f32>,
    /// Heading at the first key (rad).
    start_yaw: f32,
    /// Ground point at the second key (m).
    end_position: vec3<f32>,
    /// Heading at the second key (rad); the turn goes the short way round.
    end_yaw: f32,
    /// Time of the first key, whole part (s).
    seconds: u32,
    /// Ticks of the first key's time.
    ticks: u32,
    /// Ticks between both keys.
    span: u32,
    /// [`ACTOR_ALIVE`], or anything else for a free slot.
    mark: u32,
}

/// A clip that runs at one speed before a time, its anchor, and at another one after it.
struct PlaybackRow { // shared with Rust
    /// Clip in the low half, ticks of the anchor in the high one.
    clip_ticks: u32,
    /// Phase at the anchor, and [`PLAYS_ONCE`].
    phase: u32,
    /// Time of the anchor, whole part (s).
    seconds: u32,
    /// Two speeds as f16: before the anchor in the low half, after it in the high one.
    speeds: u32,
}

/// Fade from one playback to the next.
struct FadeRow { // shared with Rust
    /// Time of the start, whole part (s).
    seconds: u32,
    /// Ticks of its start in the low half, length in units of [`FADE_UNIT`] in the high one.
    ticks_span: u32,
}

/// Clips that an actor plays, oldest first, and the fades between them.
struct PlayRow { // shared with Rust
    /// Playbacks; the first [`PlayRow::count`] count.
    playbacks: array<PlaybackRow, 4>,
    /// Fade `i` leads from playback `i` to playback `i + 1`.
    fades: array<FadeRow, 3>,
    /// Number of playbacks, 1 to [`MOST_PLAYBACKS`].
    count: u32,
    pad: u32,
}
