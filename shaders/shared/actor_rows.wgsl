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

// Two keys of place and heading, between which an actor moves in a straight line.
struct MotionRow {
    // ground point between the feet at the first key, world space (m), and the heading there (rad)
    start_position: vec3<f32>,
    start_yaw: f32,
    // the same at the second key; the turn goes the short way round
    end_position: vec3<f32>,
    end_yaw: f32,
    // time of the first key: whole seconds, and ticks
    seconds: u32,
    ticks: u32,
    // ticks between both keys
    span: u32,
    // ACTOR_ALIVE, or anything else for a free slot
    mark: u32,
}

// A clip that runs at one speed before a time, its anchor, and at another one after it.
struct PlaybackRow {
    // clip | ticks of the anchor << 16
    clip_ticks: u32,
    // phase at the anchor, a turn is 2^32; PLAYS_ONCE
    phase: u32,
    // whole seconds of the anchor
    seconds: u32,
    // speed before the anchor f16 | after it f16 << 16
    speeds: u32,
}

// Fade from one playback to the next.
struct FadeRow {
    // whole seconds of its start
    seconds: u32,
    // ticks of its start | length in units of FADE_UNIT << 16
    ticks_span: u32,
}

// Clips that an actor plays, oldest first, and the fades between them.
struct PlayRow {
    playbacks: array<PlaybackRow, 4>,
    fades: array<FadeRow, 3>,
    // number of playbacks, 1 to MOST_PLAYBACKS
    count: u32,
    pad: u32,
}
