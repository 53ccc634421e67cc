// Time steps at which technique preskinned poses people, and the frame's cache of poses, each a time step and a LOD.
// Shared by quantize_time, mark_used, compact_poses and assign_slots. Rust side: render/resources/pose_steps.rs,
// pose_lods.rs and pose_cache.rs.

import package::shared::draw_lists::{DRAW_LIST_LODS, NO_DRAW_LIST};
import package::shared::frame::frame;
import package::shared::instance::{Posed, posed_max_scale};

/// Sizes of a crowd's pose cache, and its LODs.
struct PoseUniforms { // shared with Rust
    /// Number of instances.
    instance_count: u32,
    /// Number of time steps of all clips.
    step_count: u32,
    /// Number of LODs in use, full detail included.
    lod_count: u32,
    /// Radius around an instance that its clips reach, at scale 1 (m).
    radius: f32,
    /// First row of the shadow map's list in `person_poses`.
    sun_row: u32,
    pad_a: u32,
    pad_b: u32,
    pad_c: u32,
    /// LODs, the full mesh first.
    lods: array<PoseLod, 16>,
}

/// Vertices of one LOD in the pose cache.
struct PoseLod { // shared with Rust
    /// Number of its first vertex among those of all LODs.
    first_vertex: u32,
    /// Number of its vertices.
    vertex_count: u32,
    /// Influences that skin them: 1, 2, 4 or 8.
    influences: u32,
    pad: u32,
}

/// Time steps around a frame of the atlas.
struct FrameSteps { // shared with Rust
    /// Time of the frame: share of its clip's duration, times STEP_WHOLE.
    share: u32,
    /// First time step of its clip.
    first_step: u32,
    /// Intervals of its clip, which has one time step more; 0 for a single pose.
    intervals: u32,
    /// Largest distance that a vertex moves within half a step, at scale 1 (m).
    reach: f32,
}

/// Time step as a blend of frames, as animate writes them.
struct PoseStep { // shared with Rust
    /// Frames of the atlas around it: the first in the lower half, the second in the upper.
    frames: u32,
    /// Fraction from the first to the second, unorm16.
    between: u32,
}

const STEP_WHOLE = 16777216.0f;
// Rates of time steps: every step, every second, fourth or eighth.
const RATE_LODS = 4u;
// Largest error of a vertex at a coarser rate (sample rows), times frame.detail.
const MOST_ROWS_OFF = 0.5f;
// Maximum number of LODs: as many as an entry of a draw list can hold (shared/listed.wgsl).
const POSE_LODS = 16u;
// Offsets in pose_counts:
//   COUNT_RUNNING   requests by rate, then by LOD, counted in this frame
//   COUNT_ASKED     the same counts of the last complete frame
//   COUNT_SKINNED   skinned poses by LOD
//   COUNT_ROWS      by LOD: row that vertex 0 of the character would have in slot 0
//   COUNT_DISPATCH  workgroups of preskin
const COUNT_RUNNING = 0u;
const COUNT_ASKED = 20u;
const COUNT_SKINNED = 40u;
const COUNT_ROWS = 56u;
const COUNT_DISPATCH = 72u;
// Bits of requested_poses: time step | rate << RATE_SHIFT.
const STEP_MASK = 0x3fffffffu; // shader only
const RATE_SHIFT = 30u; // shader only

@group(1) @binding(0) var<uniform> pose_uniforms: PoseUniforms;
@group(1) @binding(1) var<storage, read_write> quantized: array<Posed>;
@group(1) @binding(2) var<storage, read> frame_steps: array<FrameSteps>;
@group(1) @binding(3) var<storage, read> pose_steps: array<PoseStep>;
// Per LOD one bit per time step that is requested; then, per word of bits, the number of slots before it.
@group(1) @binding(4) var<storage, read_write> pose_marks: array<atomic<u32>>;
// Per instance: time steps of the clip that fades out, and of the one that fades in.
@group(1) @binding(5) var<storage, read_write> requested_poses: array<vec2<u32>>;
@group(1) @binding(6) var<storage, read_write> pose_counts: array<atomic<u32>>;
// Per slot: pose to skin.
@group(1) @binding(7) var<storage, read_write> slot_steps: array<PoseStep>;
// person_poses of shared/posed_vertex.wgsl: rows for the camera's list, then for the shadow map's.
@group(1) @binding(8) var<storage, read_write> written_poses: array<vec2<u32>>;
// Per instance: its draw list (shared/draw_lists.wgsl) for the camera and for the shadow map. Frames without shadows
// bind the camera's keys twice.
@group(1) @binding(9) var<storage, read> camera_keys: array<u32>;
@group(1) @binding(10) var<storage, read> sun_keys: array<u32>;

// Words of one LOD's mark bits.
fn lod_words() -> u32 {
    return (pose_uniforms.step_count + 31u) / 32u;
}

// Words of the mark bits of all LODs.
fn mark_words() -> u32 {
    return pose_uniforms.lod_count * lod_words();
}

// LOD of an instance in a draw list, or NO_DRAW_LIST.
fn lod_in_list(key: u32) -> u32 {
    return select(key % DRAW_LIST_LODS, NO_DRAW_LIST, key == NO_DRAW_LIST);
}

// Frames of a time step; without interpolation the nearer frame alone, as in animate.
fn step_play(step: u32) -> PoseStep {
    var play = pose_steps[step];
    if frame.interpolate == 0u {
        let nearer = select(play.frames & 0xffffu, play.frames >> 16u, play.between >= 32768u);
        play = PoseStep((play.frames & 0xffff0000u) | nearer, 0u);
    }
    return play;
}

// Sample rows per metre of an instance at its nearest point to the eye, for any direction of view.
fn rows_in_metre(p: Posed) -> f32 {
    let nearest = distance(bitcast<vec3<f32>>(p.place.xyz), frame.eye) - pose_uniforms.radius * posed_max_scale(p);
    let up = transpose(frame.projection_from_world)[1].xyz;
    // Never 0: instances at the eye keep the full rate.
    return 0.5 * frame.sample_rows * length(up) * posed_max_scale(p) / max(nearest, 1e-9);
}

// Coarsest rate within the error limit; the full rate if frame.detail is 0.
fn rate_of(frames: u32, metre: f32) -> u32 {
    let off = frame_steps[frames & 0xffffu].reach * metre;
    var rate = 0u;
    for (var coarser = 1u; coarser < RATE_LODS; coarser++) {
        if !(off * f32(1u << coarser) < MOST_ROWS_OFF * frame.detail) {
            break;
        }
        rate = coarser;
    }
    return rate;
}

// Time step nearest to a time between two frames of a clip, among those of a rate.
fn nearest_step(frames: u32, between: f32, rate: u32) -> u32 {
    let first = frame_steps[frames & 0xffffu];
    let second = frame_steps[frames >> 16u];
    let apart = f32(max(second.share, first.share) - first.share);
    let share = f32(first.share) + between * apart;
    let stride = 1u << rate;
    let step = u32(share / STEP_WHOLE * f32(first.intervals) / f32(stride) + 0.5) * stride;
    return first.first_step + min(step, first.intervals);
}
