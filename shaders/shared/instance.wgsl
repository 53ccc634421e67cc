// Instances as uploaded (Instance), and as the animate pass writes them for this frame (Posed). Packed words hold their
// low half first: `a | b << 16`.

/// GPU instance, uploaded once; bit layout in the documentation of `crowd::instance`.
struct Instance { // shared with Rust
    /// Ground point between the feet, world space (m).
    position: vec3<f32>,
    /// Yaw as unorm16 of a turn (walkers on waypoints: start phase of the round), and the scale as f16 in the high
    /// half.
    yaw_scale: u32,
    /// Four indices into the scene's tint ramps, width scale and material variant.
    tint: u32,
    /// Clip index, and the speed factor as f16 in the high half.
    clip_speed: u32,
    /// Share of the clip already played at time 0, `0.0..1.0`, clamped. It is no frame number: the frame rate of the
    /// bake changes no phase.
    start: f32,
    /// Group in the low 8 bits; path of walkers, or place in the wave of all others, in the other bits.
    group: u32,
}

// Heading (radians about +Y).
fn instance_yaw(instance: Instance) -> f32 {
    return f32(instance.yaw_scale & 0xffffu) * (6.28318531 / 65536.0);
}

// Start phase of a walker on waypoints, stored where others have their heading.
fn instance_path_phase(instance: Instance) -> u32 {
    return instance.yaw_scale << 16u;
}

fn instance_scale(instance: Instance) -> f32 {
    return unpack2x16float(instance.yaw_scale).y;
}

// Width scale bits, in the form that Posed holds.
fn instance_width_scale_bits(instance: Instance) -> u32 {
    return (instance.tint >> 24u) & WIDTH_SCALE_MASK;
}

// Step length relative to the character's, times 65536: it grows with leg length and body depth.
fn instance_stride(instance: Instance) -> u32 {
    let scale = u32(instance_scale(instance) * 65536.0 + 0.5);
    // Integer arithmetic as on the CPU: a step of the width scale is 1/40.
    let fortieths = u32(40 + extractBits(bitcast<i32>(instance.tint), 24u, 4u));
    return scale / 40u * fortieths + scale % 40u * fortieths / 40u;
}

fn instance_clip(instance: Instance) -> u32 {
    return instance.clip_speed & 0xffffu;
}

fn instance_speed(instance: Instance) -> f32 {
    return unpack2x16float(instance.clip_speed).y;
}

fn instance_group_id(instance: Instance) -> u32 {
    return instance.group & 0xffu;
}

// Path of a walker.
fn instance_path(instance: Instance) -> u32 {
    return instance.group >> 8u;
}

// Place in the layout's wave of all others, times 2^32.
fn instance_place(instance: Instance) -> u32 {
    return instance.group & 0xffffff00u;
}

/// Clip of a character, as animate plays it.
struct Clip { // shared with Rust as GpuClip
    /// First frame in the atlas.
    first_frame: u32,
    /// Number of intervals; the clip has one frame more.
    intervals: u32,
    /// Cycles per second, 8.24 fixed point.
    cycles: u32,
}

/// Output of the animate pass for each instance: two 16-byte loads per vertex.
///
/// ```text
/// place  x, y, z f32 | sine of the yaw snorm16, cosine snorm16 << 16
/// play   x  frames a0 | a1 << 16
///        y  frames b0 | b1 << 16
///        z  width scale i4 | fraction a0 to a1 unorm14 << 4 | fraction b0 to b1 unorm14 << 18
///        w  fade a to b unorm16 | scale f16 << 16; its sign bit marks heroes (shared/hero.wgsl)
/// ```
struct Posed { // shared with Rust as GpuPosed
    /// Position and heading.
    place: vec4<u32>,
    /// Frames, fractions, fade and scale.
    play: vec4<u32>,
}

// Value of a fraction of 1 between two frames (unorm14).
const BETWEEN_WHOLE = 16383u; // shader only: tests/gpu/width_scale.rs
// Width scale in the third word of `play`, of heroes and others alike.
const WIDTH_SCALE_MASK = 15u; // shader only: tests/gpu/width_scale.rs
// Step of the width scale, relative to 1.
const WIDTH_SCALE_STEP = 0.025; // shader only: tests/gpu/width_scale.rs

struct Playback {
    a: vec2<u32>,
    b: vec2<u32>,
    // fraction towards the second frame, for a and for b
    between: vec2<f32>,
    // 0: only a, 1: only b
    fade: f32,
    @if(actors) third: ThirdPlayback,
}

// Clip that fades in over both clips of a playback: an actor's, out of the middle of a fade.
@if(actors)
struct ThirdPlayback {
    frames: vec2<u32>,
    // fraction towards the second frame
    between: f32,
    // 0: only the other two, 1: only this one
    weight: f32,
}

// Row of a third clip: frames c0 | c1 << 16; fraction unorm16 | weight unorm16 << 16; two unused words. All zero
// without one.
fn pack_third(frames: u32, between: f32, weight: f32) -> vec4<u32> {
    return vec4<u32>(frames, pack2x16unorm(vec2<f32>(between, weight)), 0u, 0u);
}

// Weight of a third clip over the other two.
fn third_weight(row: vec4<u32>) -> f32 {
    return f32(row.y >> 16u) / 65535.0;
}

// Fraction between both frames of a third clip.
fn third_between(row: vec4<u32>) -> f32 {
    return f32(row.y & 0xffffu) / 65535.0;
}

@if(actors)
fn unpack_third(row: vec4<u32>) -> ThirdPlayback {
    return ThirdPlayback(vec2<u32>(row.x & 0xffffu, row.x >> 16u), third_between(row), third_weight(row));
}

fn unpack_playback(play: vec4<u32>) -> Playback {
    var p: Playback;
    p.a = vec2<u32>(play.x & 0xffffu, play.x >> 16u);
    p.b = vec2<u32>(play.y & 0xffffu, play.y >> 16u);
    p.between = playback_between(play);
    p.fade = playback_fade(play);
    return p;
}

// 0: only a, 1: only b.
fn playback_fade(play: vec4<u32>) -> f32 {
    return f32(play.w & 0xffffu) / 65535.0;
}

// Fractions towards the second frame, for a and b.
fn playback_between(play: vec4<u32>) -> vec2<f32> {
    return vec2<f32>(f32((play.z >> 4u) & BETWEEN_WHOLE), f32(play.z >> 18u)) / f32(BETWEEN_WHOLE);
}

// The third word of `play`.
fn pack_between(between: vec2<f32>, width_scale_bits: u32) -> u32 {
    let numbers = vec2<u32>(between * f32(BETWEEN_WHOLE) + 0.5);
    return width_scale_bits | (numbers.x << 4u) | (numbers.y << 18u);
}

// Heading 0 faces +Z, positive turns towards +X; `turn` is its sine and cosine.
fn turn_yaw(v: vec3<f32>, turn: vec2<f32>) -> vec3<f32> {
    return vec3<f32>(v.x * turn.y + v.z * turn.x, v.y, v.z * turn.y - v.x * turn.x);
}

fn posed_turn(p: Posed) -> vec2<f32> {
    return unpack2x16snorm(p.place.w);
}

fn posed_scale(p: Posed) -> f32 {
    return abs(unpack2x16float(p.play.w).y);
}

// Width and depth of a body relative to its height; 1 as modelled.
fn posed_width_scale(p: Posed) -> f32 {
    return 1.0 + f32(extractBits(bitcast<i32>(p.play.z), 0u, 4u)) * WIDTH_SCALE_STEP;
}

// Scale of the model's axes.
fn posed_shape(p: Posed) -> vec3<f32> {
    let broad = posed_width_scale(p);
    return vec3<f32>(broad, 1.0, broad) * posed_scale(p);
}

// Largest scale of any axis.
fn posed_max_scale(p: Posed) -> f32 {
    return posed_scale(p) * max(posed_width_scale(p), 1.0);
}

// Model space to world space, for points.
fn posed_position(model: vec3<f32>, p: Posed) -> vec3<f32> {
    return turn_yaw(model * posed_shape(p), posed_turn(p)) + bitcast<vec3<f32>>(p.place.xyz);
}

// Model space to world space, for tangents of any length.
fn posed_along(model: vec3<f32>, p: Posed) -> vec3<f32> {
    let broad = posed_width_scale(p);
    return turn_yaw(model * vec3<f32>(broad, 1.0, broad), posed_turn(p));
}

// Model space to world space, for normals of any length (inverse transpose).
fn posed_normal(model: vec3<f32>, p: Posed) -> vec3<f32> {
    return turn_yaw(model * vec3<f32>(1.0, posed_width_scale(p), 1.0), posed_turn(p));
}
