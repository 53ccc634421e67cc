// Places carried props at the sockets of their owners, between frames and during fades. Runs once per prop, after
// animate and heroes. Reads Attachment where other crowds have Instance. Writes Posed in a layout of its own (below),
// which technique_attachment of shared/pose.wgsl reads. CPU twin: crowd/sockets.rs.

import package::shared::hero::{hero_run, hero_weight, is_hero};
import package::shared::instance::{
    Posed, posed_position, posed_scale, posed_turn, third_between, third_weight, turn_yaw, unpack_playback,
};

/// One carried prop; bit layout in the documentation of `crowd::attachment`. It has no position: that follows from its
/// owner.
struct Attachment { // shared with Rust
    /// Factor over the owner's size.
    size: f32,
    pad_a: u32,
    pad_b: u32,
    pad_c: u32,
    /// Four indices into the scene's tint ramps, as in `Instance`.
    tint: u32,
    /// Index of the socket in the owner's skeleton, in the low 16 bits.
    socket: u32,
    /// Index of the owner among the instances of its character.
    owner: u32,
    pad_d: u32,
}

/// Sizes of one dispatch.
struct AttachmentCounts { // shared with Rust
    /// First prop of these owners in the list.
    first: u32,
    /// Number of props.
    count: u32,
    /// Sockets of the owners' character.
    socket_count: u32,
    /// Frames of the owners' character.
    frame_count: u32,
    /// 1 if the owners are actors, whose third clips come first among their runs.
    actors: u32,
    pad_a: u32,
    pad_b: u32,
    pad_c: u32,
}

@group(1) @binding(0) var<uniform> attachment_counts: AttachmentCounts;
// model_from_socket, three rows of a 3x4 matrix each, at frame * sockets + socket
@group(1) @binding(1) var<storage, read> socket_rows: array<vec4<f32>>;
@group(1) @binding(2) var<storage, read> owners: array<Posed>;
@group(1) @binding(3) var<storage, read> attachments: array<Attachment>;
@group(1) @binding(4) var<storage, read_write> placed: array<Posed>;
// the owners' heroes (shaders/shared/hero.wgsl)
@group(1) @binding(5) var<storage, read> owner_runs: array<vec4<u32>>;

struct SocketMatrix {
    x: vec4<f32>,
    y: vec4<f32>,
    z: vec4<f32>,
}

fn add_socket(sum: ptr<function, SocketMatrix>, frame_index: u32, socket: u32, weight: f32) {
    let row = (min(frame_index, attachment_counts.frame_count - 1u) * attachment_counts.socket_count + socket) * 3u;
    (*sum).x += socket_rows[row] * weight;
    (*sum).y += socket_rows[row + 1u] * weight;
    (*sum).z += socket_rows[row + 2u] * weight;
}

// Socket of an owner as drawn: heroes mix the baked matrix with their live one.
fn owner_socket(owner: u32, socket: u32) -> SocketMatrix {
    let play = owners[owner].play;
    var third = vec4<u32>(0u);
    if attachment_counts.actors != 0u {
        third = owner_runs[owner];
    }
    if !is_hero(play) {
        return blend_sockets(play, third, socket);
    }
    let baked = blend_sockets(owner_runs[hero_run(play)], third, socket);
    let row = hero_run(play) + 1u + socket * 3u;
    let weight = hero_weight(play);
    return SocketMatrix(
        mix(baked.x, bitcast<vec4<f32>>(owner_runs[row]), weight),
        mix(baked.y, bitcast<vec4<f32>>(owner_runs[row + 1u]), weight),
        mix(baked.z, bitcast<vec4<f32>>(owner_runs[row + 2u]), weight),
    );
}

// Sum of blend_matrices in shaders/shared/skinning.wgsl for a vertex bound to one slot.
fn blend_sockets(play: vec4<u32>, third: vec4<u32>, socket: u32) -> SocketMatrix {
    let p = unpack_playback(play);
    var sum = SocketMatrix(vec4<f32>(0.0), vec4<f32>(0.0), vec4<f32>(0.0));
    let c = third_weight(third);
    let a = (1.0 - p.fade) * (1.0 - c);
    let b = p.fade * (1.0 - c);
    add_socket(&sum, p.a.x, socket, a * (1.0 - p.between.x));
    add_socket(&sum, p.a.y, socket, a * p.between.x);
    if p.fade > 0.0 {
        add_socket(&sum, p.b.x, socket, b * (1.0 - p.between.y));
        add_socket(&sum, p.b.y, socket, b * p.between.y);
    }
    if c > 0.0 {
        add_socket(&sum, third.x & 0xffffu, socket, c * (1.0 - third_between(third)));
        add_socket(&sum, third.x >> 16u, socket, c * third_between(third));
    }
    return sum;
}

// `v` at unit length, or `other` where it has no direction.
fn unit_or(v: vec3<f32>, other: vec3<f32>) -> vec3<f32> {
    let squared = dot(v, v);
    return select(other, v * inverseSqrt(squared), squared > 1e-30);
}

// Unit vector perpendicular to `v` (Duff et al. 2017, "Building an Orthonormal Basis, Revisited"), as glam computes it.
fn perpendicular(v: vec3<f32>) -> vec3<f32> {
    let side = select(-1.0, 1.0, v.z >= 0.0);
    let a = -1.0 / (side + v.z);
    return vec3<f32>(v.x * v.y * a, side + v.y * v.y * a, -v.y);
}

// Unit quaternion of three perpendicular axes, from its largest component (Shepperd 1978).
fn quaternion(x: vec3<f32>, y: vec3<f32>, z: vec3<f32>) -> vec4<f32> {
    let w2 = 1.0 + x.x + y.y + z.z;
    let x2 = 1.0 + x.x - y.y - z.z;
    let y2 = 1.0 - x.x + y.y - z.z;
    let z2 = 1.0 - x.x - y.y + z.z;
    let most = max(max(w2, x2), max(y2, z2));
    var q: vec4<f32>;
    if most == w2 {
        q = vec4<f32>(y.z - z.y, z.x - x.z, x.y - y.x, w2);
    } else if most == x2 {
        q = vec4<f32>(x2, x.y + y.x, z.x + x.z, y.z - z.y);
    } else if most == y2 {
        q = vec4<f32>(x.y + y.x, y2, y.z + z.y, z.x - x.z);
    } else {
        q = vec4<f32>(z.x + x.z, y.z + z.y, z2, x.y - y.x);
    }
    return normalize(q);
}

// Output for the vertex shader, 32 bytes (technique_attachment in shaders/shared/pose.wgsl):
//   place  x, y, z, scale   f32
//   play   unit quaternion  f32 x 4
@compute @workgroup_size(64)
fn place_attachments(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= attachment_counts.count {
        return;
    }
    let index = attachment_counts.first + number;
    let owner = owners[attachments[index].owner];
    let m = owner_socket(attachments[index].owner, attachments[index].socket & 0xffffu);
    let turn = posed_turn(owner);
    // Orthonormalised, since a fade shrinks and shears matrices: rigid() in crowd/sockets.rs.
    let facing = normalize(turn);
    let y = unit_or(turn_yaw(vec3<f32>(m.x.y, m.y.y, m.z.y), facing), vec3<f32>(0.0, 1.0, 0.0));
    let ahead = turn_yaw(vec3<f32>(m.x.z, m.y.z, m.z.z), facing);
    let z = unit_or(ahead - y * dot(y, ahead), perpendicular(y));
    let grip = vec3<f32>(m.x.w, m.y.w, m.z.w);
    let world = posed_position(grip, owner);
    let q = quaternion(cross(y, z), y, z);
    let size = posed_scale(owner) * attachments[index].size;
    placed[index] = Posed(bitcast<vec4<u32>>(vec4<f32>(world, size)), bitcast<vec4<u32>>(q));
}
