// The moments at which technique preskinned poses people, and the cache of the poses that a frame shows: what its
// steps share (moments, poses, pose_slots). Rust side: render/resources/pose_steps.rs and pose_cache.rs.

import package::shared::frame::frame;
import package::shared::instance::{Posed, posed_scale};

// Mirrored by PoseUniforms in render/resources/pose_cache.rs.
struct PoseUniforms {
    instance_count: u32,
    // moments of all clips
    step_count: u32,
    vertex_count: u32,
    // metres around a person's place that clips reach, at the character's own size
    radius: f32,
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
const RATE_LEVELS = 4u;
// Rows of the picture that a vertex may be off at a coarser rate, times frame.detail.
const MOST_ROWS_OFF = 0.5f;
// Of pose_counts: poses asked for by rate, added up while people are placed; the same of the last frame; those skinned.
const COUNT_RUNNING = 0u;
const COUNT_ASKED = 4u;
const COUNT_SKINNED = 8u;

@group(1) @binding(0) var<uniform> pose_uniforms: PoseUniforms;
@group(1) @binding(1) var<storage, read_write> stepped: array<Posed>;
@group(1) @binding(2) var<storage, read> frame_steps: array<FrameSteps>;
@group(1) @binding(3) var<storage, read> pose_steps: array<PoseStep>;
// By moment: whether anybody asks for it, all zero between frames; behind these, the slot of its pose.
@group(1) @binding(4) var<storage, read_write> pose_marks: array<atomic<u32>>;
// By instance: moments of the clip that fades out and of the one that fades in; then their slots.
@group(1) @binding(5) var<storage, read_write> asked_poses: array<vec2<u32>>;
@group(1) @binding(6) var<storage, read_write> pose_counts: array<atomic<u32>>;
// By slot: what is to be skinned.
@group(1) @binding(7) var<storage, read_write> slot_steps: array<PoseStep>;
// Workgroups of preskin.
@group(1) @binding(8) var<storage, read_write> skin_dispatch: array<u32>;

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
    let nearest = distance(bitcast<vec3<f32>>(p.place.xyz), frame.eye) - pose_uniforms.radius * posed_scale(p);
    let up = transpose(frame.projection_from_world)[1].xyz;
    // Whoever is at the eye is never too small.
    return 0.5 * frame.picture_rows * length(up) * posed_scale(p) / max(nearest, 1e-9);
}

// The coarsest rate at which nothing of a clip is farther off than may be; where frame.detail is 0, the full one.
fn rate_of(frames: u32, metre: f32) -> u32 {
    let off = frame_steps[frames & 0xffffu].reach * metre;
    var rate = 0u;
    for (var coarser = 1u; coarser < RATE_LEVELS; coarser++) {
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
