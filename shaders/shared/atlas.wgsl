// Weighted sums of matrices of the animation atlas, for every format, in a texture or a storage buffer. CPU reference:
// Atlas::matrix in atlas/decode.rs. Matrices are 3x4, row-major, in unit space.
//
// Storage of matrix `frame * slots + slot`, by format:
//   format_f32     3 texels (or vec4<f32>) of f32, a row each
//   format_f16     3 texels (or vec2<u32>) of f16, a row each
//   format_unorm8  3 texels (or u32) of unorm8, a row each, decoded by decode_min + q * decode_size
//   format_trs16   1 texel of four words: quaternion 4 x i16; translation x, y, z and scale, unorm16 each,
//                  decoded by row 0 of decode_min and decode_size

import package::shared::character::character;

struct Matrix3x4 {
    x: vec4<f32>,
    y: vec4<f32>,
    z: vec4<f32>,
}

// A texture row holds 1024 matrices: none straddles rows, and addresses need no division. A layer has 8192 rows.
const MATRICES_PER_ROW_BITS = 10u;
const ROWS_PER_LAYER_BITS = 13u;

@if(atlas_texture && !format_trs16) @group(1) @binding(2) var atlas: texture_2d_array<f32>;
@if(atlas_texture && format_trs16) @group(1) @binding(2) var atlas: texture_2d_array<u32>;
@if(!atlas_texture && format_f32) @group(1) @binding(2) var<storage, read> atlas: array<vec4<f32>>;
@if(!atlas_texture && format_f16) @group(1) @binding(2) var<storage, read> atlas: array<vec2<u32>>;
@if(!atlas_texture && format_unorm8) @group(1) @binding(2) var<storage, read> atlas: array<u32>;
@if(!atlas_texture && format_trs16) @group(1) @binding(2) var<storage, read> atlas: array<vec4<u32>>;

@if(atlas_texture)
fn atlas_texel(matrix: u32, texels: u32, texel: u32) -> vec3<i32> {
    let column = (matrix & ((1u << MATRICES_PER_ROW_BITS) - 1u)) * texels + texel;
    let row = matrix >> MATRICES_PER_ROW_BITS;
    let layer = row >> ROWS_PER_LAYER_BITS;
    return vec3<i32>(vec3<u32>(column, row & ((1u << ROWS_PER_LAYER_BITS) - 1u), layer));
}

@if(!format_trs16)
fn atlas_row(matrix: u32, row: u32) -> vec4<f32> {
    @if(atlas_texture) let at = atlas_texel(matrix, 3u, row);
    @if(atlas_texture) let stored = textureLoad(atlas, at.xy, at.z, 0);
    @if(!atlas_texture && format_f32) let stored = atlas[matrix * 3u + row];
    @if(!atlas_texture && format_f16) let halves = atlas[matrix * 3u + row];
    @if(!atlas_texture && format_f16) let stored = vec4<f32>(unpack2x16float(halves.x), unpack2x16float(halves.y));
    @if(!atlas_texture && format_unorm8) let stored = unpack4x8unorm(atlas[matrix * 3u + row]);
    @if(format_unorm8) return character.decode_min[row] + stored * character.decode_size[row];
    @if(!format_unorm8) return stored;
}

// Accumulator of matrices: no_matrices(), then add_matrix() for each, then matrix_of_sum().
@if(!format_trs16) alias MatrixSum = Matrix3x4;

@if(!format_trs16)
fn no_matrices() -> MatrixSum {
    return Matrix3x4(vec4<f32>(0.0), vec4<f32>(0.0), vec4<f32>(0.0));
}

@if(!format_trs16)
fn add_matrix(sum: ptr<function, MatrixSum>, matrix: u32, weight: f32) {
    (*sum).x += atlas_row(matrix, 0u) * weight;
    (*sum).y += atlas_row(matrix, 1u) * weight;
    (*sum).z += atlas_row(matrix, 2u) * weight;
}

@if(!format_trs16)
fn matrix_of_sum(sum: MatrixSum) -> Matrix3x4 {
    return sum;
}

// A rotation matrix is linear in the products of its quaternion's components. The sum of matrices is therefore the
// matrix of the products' sums, with one conversion per vertex instead of one per fetch.
@if(format_trs16)
struct MatrixSum {
    // sums of 2 w s / |q|^2 times xx, yy, zz; xy, xz, yz; wx, wy, wz
    squares: vec3<f32>,
    mixed: vec3<f32>,
    turned: vec3<f32>,
    // sum of w t, t as stored
    translation: vec3<f32>,
    // sums of w s and of w
    scale: f32,
    weight: f32,
}

@if(format_trs16)
fn no_matrices() -> MatrixSum {
    return MatrixSum(vec3<f32>(0.0), vec3<f32>(0.0), vec3<f32>(0.0), vec3<f32>(0.0), 0.0, 0.0);
}

// Signed upper half of a word.
@if(format_trs16)
fn stored_i16(word: u32) -> f32 {
    return f32(bitcast<i32>(word) >> 16u);
}

@if(format_trs16)
fn add_matrix(sum: ptr<function, MatrixSum>, matrix: u32, weight: f32) {
    @if(atlas_texture) let at = atlas_texel(matrix, 1u, 0u);
    @if(atlas_texture) let stored = textureLoad(atlas, at.xy, at.z, 0);
    @if(!atlas_texture) let stored = atlas[matrix];
    // Stored integers suffice: the length of q cancels, and the total is scaled once at the end.
    let q = vec4<f32>(stored_i16(stored.x << 16u), stored_i16(stored.x), stored_i16(stored.y << 16u), stored_i16(stored.y));
    let t = vec3<f32>(f32(stored.z & 0xffffu), f32(stored.z >> 16u), f32(stored.w & 0xffffu));
    let scale = weight * (character.decode_min[0].w + f32(stored.w >> 16u) * (character.decode_size[0].w / 65535.0));
    // Only a damaged file has an all-zero quaternion: no rotation, as on the CPU.
    let p = q * (2.0 * scale / max(dot(q, q), 1.0));
    (*sum).squares += p.xyz * q.xyz;
    (*sum).mixed += p.xxy * q.yzz;
    (*sum).turned += p.w * q.xyz;
    (*sum).translation += t * weight;
    (*sum).scale += scale;
    (*sum).weight += weight;
}

@if(format_trs16)
fn matrix_of_sum(sum: MatrixSum) -> Matrix3x4 {
    let t = sum.weight * character.decode_min[0].xyz + sum.translation * (character.decode_size[0].xyz / 65535.0);
    let d = sum.scale - (sum.squares.yxx + sum.squares.zzy);
    let plus = sum.mixed + sum.turned.zyx;
    let minus = sum.mixed - sum.turned.zyx;
    return Matrix3x4(
        vec4<f32>(d.x, minus.x, plus.y, t.x),
        vec4<f32>(plus.x, d.y, minus.z, t.y),
        vec4<f32>(minus.y, plus.z, d.z, t.z),
    );
}
