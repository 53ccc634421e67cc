// The moments at which technique preskinned poses people, and the cache of the poses that a frame shows, each a moment
// and a LOD: what its steps share (moments, marks, poses, assign_slots). Rust side:
// render/resources/pose_steps.rs, pose_levels.rs and pose_cache.rs.

import package::shared::draw_lists::{DRAW_LIST_LODS, NO_DRAW_LIST};
import package::shared::frame::frame;
import package::shared::instance::{Posed, posed_reach};

// Mirrored by PoseUniforms in render/resources/pose_cache.rs.
struct PoseUniforms {
    instance_count: u32,
    // moments of all clips
    step_count: u32,
    // LODs in use, the full one included
    lod_count: u32,
    // metres around a person's place that clips reach, at the character's own size
    radius: f32,
    // of person_poses: the first of the sun's list
    sun_row: u32,
    pad_a: u32,
    pad_b: u32,
    pad_c: u32,
    lods: array<PoseLod, 16>,
}

// Mirrored by PoseLevel in render/resources/pose_levels.rs.
struct PoseLod {
    first_vertex: u32,
    vertex_count: u32,
    // with which its vertices are skinned
    influences: u32,
    pad: u32,
}

// Of a frame of the atlas.
struct FrameSteps {
    // when it is shown: share of its clip's duration times STEP_WHOLE
    share: u32,
    first_step: u32,
    // its clip has one moment more
    intervals: u32,
    // metres that any vertex goes within half a step at most
    reach: f32,
}

struct PoseStep {
    // of the atlas: the first, and the second in the upper half
    frames: u32,
    // fraction from the first to the second, unorm16
    between: u32,
}

const STEP_WHOLE = 16777216.0f;
// Rates at which people are posed: every step, every second, fourth, eighth.
const RATE_LODS = 4u;
// Rows of the picture that a vertex may be off at a coarser rate, times frame.detail.
const MOST_ROWS_OFF = 0.5f;
// Levels that there is room for: as many as an entry of a list tells (shared/listed.wgsl).
const POSE_LODS = 16u;
// Of pose_counts: poses asked for by rate, behind these by level, added up while people are asked; the same of the last
// frame; those skinned by level; by level, the row of posed vertices that vertex 0 of the character would have in slot
// 0; workgroups of preskin.
const COUNT_RUNNING = 0u;
const COUNT_ASKED = 20u;
const COUNT_SKINNED = 40u;
const COUNT_ROWS = 56u;
const COUNT_DISPATCH = 72u;
// Of asked_poses: the moment, and the rate at which it is asked for.
const STEP_MASK = 0x3fffffffu;
const RATE_SHIFT = 30u;

@group(1) @binding(0) var<uniform> pose_uniforms: PoseUniforms;
@group(1) @binding(1) var<storage, read_write> stepped: array<Posed>;
@group(1) @binding(2) var<storage, read> frame_steps: array<FrameSteps>;
@group(1) @binding(3) var<storage, read> pose_steps: array<PoseStep>;
// By level, a bit for every moment: whether anybody asks for it; behind all of these, the slots before each word.
@group(1) @binding(4) var<storage, read_write> pose_marks: array<atomic<u32>>;
// By instance: moments of the clip that fades out and of the one that fades in.
@group(1) @binding(5) var<storage, read_write> asked_poses: array<vec2<u32>>;
@group(1) @binding(6) var<storage, read_write> pose_counts: array<atomic<u32>>;
// By slot: what is to be skinned.
@group(1) @binding(7) var<storage, read_write> slot_steps: array<PoseStep>;
// As person_poses in shared/posed_vertex.wgsl, of the camera's list, then of the sun's.
@group(1) @binding(8) var<storage, read_write> written_poses: array<vec2<u32>>;
// By instance, the draw list (shared/draw_lists.wgsl) of the camera's list and that of the sun's; of a frame without
// shadows, the camera's again.
@group(1) @binding(9) var<storage, read> camera_keys: array<u32>;
@group(1) @binding(10) var<storage, read> sun_keys: array<u32>;

// Words of a level's marks.
fn lod_words() -> u32 {
    return (pose_uniforms.step_count + 31u) / 32u;
}

// Words of those of all levels.
fn mark_words() -> u32 {
    return pose_uniforms.lod_count * lod_words();
}

// The level at which a list shows someone, or NO_BIN.
fn lod_in_list(key: u32) -> u32 {
    return select(key % DRAW_LIST_LODS, NO_DRAW_LIST, key == NO_DRAW_LIST);
}

// What is shown at a moment; without interpolation, as animate has it, the nearer frame alone.
fn step_play(step: u32) -> PoseStep {
    var play = pose_steps[step];
    if frame.interpolate == 0u {
        let nearer = select(play.frames & 0xffffu, play.frames >> 16u, play.between >= 32768u);
        play = PoseStep((play.frames & 0xffff0000u) | nearer, 0u);
    }
    return play;
}

// Rows of the picture in a metre of someone, at the nearest that any of them can be to the eye, wherever it looks.
fn rows_in_metre(p: Posed) -> f32 {
    let nearest = distance(bitcast<vec3<f32>>(p.place.xyz), frame.eye) - pose_uniforms.radius * posed_reach(p);
    let up = transpose(frame.projection_from_world)[1].xyz;
    // Whoever is at the eye is never too small.
    return 0.5 * frame.sample_rows * length(up) * posed_reach(p) / max(nearest, 1e-9);
}

// The coarsest rate at which nothing of a clip is farther off than may be; where frame.detail is 0, the full one.
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

// The moment nearest to one between two frames of a clip, of those that a rate takes.
fn nearest_step(frames: u32, between: f32, rate: u32) -> u32 {
    let first = frame_steps[frames & 0xffffu];
    let second = frame_steps[frames >> 16u];
    let apart = f32(max(second.share, first.share) - first.share);
    let share = f32(first.share) + between * apart;
    let stride = 1u << rate;
    let step = u32(share / STEP_WHOLE * f32(first.intervals) / f32(stride) + 0.5) * stride;
    return first.first_step + min(step, first.intervals);
}
