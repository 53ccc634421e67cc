// Fetching one matrix of the animation atlas, whatever its format and wherever it lives.
// CPU twin: atlas::Atlas::matrix. Matrices are 3x4, row-major, in unit space.

import package::shared::character::character;

struct Matrix3x4 {
    x: vec4<f32>,
    y: vec4<f32>,
    z: vec4<f32>,
}

// A texture row holds 1024 matrices, so that a matrix never straddles rows and the address
// needs no division; 8192 rows fill a layer.
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

@if(!format_trs16)
fn fetch_matrix(matrix: u32) -> Matrix3x4 {
    return Matrix3x4(atlas_row(matrix, 0u), atlas_row(matrix, 1u), atlas_row(matrix, 2u));
}

@if(format_trs16)
fn fetch_matrix(matrix: u32) -> Matrix3x4 {
    @if(atlas_texture) let at = atlas_texel(matrix, 1u, 0u);
    @if(atlas_texture) let stored = textureLoad(atlas, at.xy, at.z, 0);
    @if(!atlas_texture) let stored = atlas[matrix];
    let q = normalize(vec4<f32>(unpack2x16snorm(stored.x), unpack2x16snorm(stored.y)));
    let xy = unpack2x16unorm(stored.z);
    let zs = unpack2x16unorm(stored.w);
    let t = character.decode_min[0].xyz + vec3<f32>(xy, zs.x) * character.decode_size[0].xyz;
    let s = character.decode_min[0].w + zs.y * character.decode_size[0].w;
    let q2 = q.xyz * 2.0;
    let xx = q.x * q2.x; let yy = q.y * q2.y; let zz = q.z * q2.z;
    let xy2 = q.x * q2.y; let xz2 = q.x * q2.z; let yz2 = q.y * q2.z;
    let wx = q.w * q2.x; let wy = q.w * q2.y; let wz = q.w * q2.z;
    return Matrix3x4(
        vec4<f32>(vec3<f32>(1.0 - yy - zz, xy2 - wz, xz2 + wy) * s, t.x),
        vec4<f32>(vec3<f32>(xy2 + wz, 1.0 - xx - zz, yz2 - wx) * s, t.y),
        vec4<f32>(vec3<f32>(xz2 - wy, yz2 + wx, 1.0 - xx - yy) * s, t.z),
    );
}
