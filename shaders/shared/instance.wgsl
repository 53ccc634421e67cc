// Instances as uploaded (Instance), and as the animate pass leaves them for this rendered frame
// (Posed). Words hold low and high halves: `a | b << 16`.

// As uploaded. Mirrored by Instance in crowd/instance.rs.
struct Instance {
    // ground point between the feet, world space, metres
    position: vec3<f32>,
    // yaw unorm16 of a turn (walkers on waypoints: how far along) | scale f16 << 16
    yaw_scale: u32,
    // tint indices u6: skin | hair << 6 | cloth << 12 | trim << 18; width scale i4 << 24 | material variant u3 << 28
    tint: u32,
    // clip u16 | speed f16 << 16
    clip_speed: u32,
    // share of the clip already played at time 0, 0 to 1: values outside are clamped
    start: f32,
    // group u8 | place u24 << 8: walkers their path, others their place in the wave
    group: u32,
}

// Radians about +Y.
fn instance_yaw(instance: Instance) -> f32 {
    return f32(instance.yaw_scale & 0xffffu) * (6.28318531 / 65536.0);
}

// Of walkers on waypoints, who hold it where others hold their heading: phase of the round.
fn instance_way(instance: Instance) -> u32 {
    return instance.yaw_scale << 16u;
}

fn instance_scale(instance: Instance) -> f32 {
    return unpack2x16float(instance.yaw_scale).y;
}

// As Posed holds them.
fn instance_width_scale_bits(instance: Instance) -> u32 {
    return (instance.tint >> 24u) & WIDTH_SCALE_MASK;
}

// Metres of a step of someone's, of the character's own, times 65536: long legs make long steps, and so do deep bodies.
fn instance_stride(instance: Instance) -> u32 {
    let scale = u32(instance_scale(instance) * 65536.0 + 0.5);
    // In whole numbers, as on the CPU: a step of the width scale is a fortieth.
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

// Of walkers: number of their path.
fn instance_path(instance: Instance) -> u32 {
    return instance.group >> 8u;
}

// Of all others: place in the layout's wave, times 2^32.
fn instance_place(instance: Instance) -> u32 {
    return instance.group & 0xffffff00u;
}

struct Clip {
    first_frame: u32,
    // intervals: the clip has one frame more
    intervals: u32,
    // cycles per second, 8.24 fixed point
    cycles: u32,
}

// Two 16-byte loads per vertex:
//   place: x, y, z f32 | sine of the yaw snorm16, cosine snorm16
//   play:  frames a0 | a1 << 16, frames b0 | b1 << 16,
//          width scale i4 | between a0 and a1 unorm14 << 4 | between b0 and b1 unorm14 << 18,
//          fade a to b unorm16 | scale f16 << 16; its sign marks heroes (shared/hero.wgsl)
struct Posed {
    place: vec4<u32>,
    play: vec4<u32>,
}

// The largest number that tells how far between two frames.
const BETWEEN_WHOLE = 16383u;
// Of the third word of `play`: the width scale, whoever plays it.
const WIDTH_SCALE_MASK = 15u;
// A step of the width scale: of the plain one.
const WIDTH_SCALE_STEP = 0.025;

struct Playback {
    a: vec2<u32>,
    b: vec2<u32>,
    // fraction towards the second frame, for a and for b
    between: vec2<f32>,
    // 0: only a, 1: only b
    fade: f32,
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

// Fractions towards the second frame, for a and for b.
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

// How broad and deep someone is for their height, of the plain one.
fn posed_width_scale(p: Posed) -> f32 {
    return 1.0 + f32(extractBits(bitcast<i32>(p.play.z), 0u, 4u)) * WIDTH_SCALE_STEP;
}

// What the model's axes are stretched by.
fn posed_shape(p: Posed) -> vec3<f32> {
    let broad = posed_width_scale(p);
    return vec3<f32>(broad, 1.0, broad) * posed_scale(p);
}

// Largest of these.
fn posed_reach(p: Posed) -> f32 {
    return posed_scale(p) * max(posed_width_scale(p), 1.0);
}

// A point of the model in the world.
fn posed_position(model: vec3<f32>, p: Posed) -> vec3<f32> {
    return turn_yaw(model * posed_shape(p), posed_turn(p)) + bitcast<vec3<f32>>(p.place.xyz);
}

// What lies along the surface, any length.
fn posed_along(model: vec3<f32>, p: Posed) -> vec3<f32> {
    let broad = posed_width_scale(p);
    return turn_yaw(model * vec3<f32>(broad, 1.0, broad), posed_turn(p));
}

// What stands upright on it, of any length.
fn posed_normal(model: vec3<f32>, p: Posed) -> vec3<f32> {
    return turn_yaw(model * vec3<f32>(1.0, posed_width_scale(p), 1.0), posed_turn(p));
}
