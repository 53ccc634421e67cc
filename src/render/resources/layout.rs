//! Constants of texture, material and buffer layouts, shared with the shaders. A test compares them with the shaders'
//! constants.

/// Matrices in one row of an atlas texture; a power of two so that addressing needs no division.
pub const MATRICES_PER_ROW: u32 = 1 << 10;
/// Baked vertices in one row of their texture.
pub const VERTICES_PER_ROW: u32 = 1 << 12;
/// Rows in one layer of either texture.
pub const ROWS_PER_LAYER: u32 = 1 << 13;

/// Layer bits of a map's word ([`GpuMaterial`](super::GpuMaterial)).
pub const MAP_LAYER_MASK: u32 = 0xffff;
/// A map's word: no texture.
pub const MAP_NONE: u32 = 0xffff;
/// A map's word: uses the second texture coordinates.
pub const MAP_SECOND_UV: u32 = 1 << 16;
/// First bit of the wrap mode along u.
pub const MAP_WRAP_U_SHIFT: u32 = 17;
/// First bit of the wrap mode along v.
pub const MAP_WRAP_V_SHIFT: u32 = 19;
/// A wrap mode, after the shift.
pub const MAP_WRAP_MASK: u32 = 3;
/// A map's word: nearest filtering.
pub const MAP_NEAREST: u32 = 1 << 21;

/// Wrap mode: repeats.
pub const TEXTURE_REPEAT: u32 = 0;
/// Wrap mode: every other repeat is mirrored.
pub const TEXTURE_MIRROR: u32 = 1;
/// Wrap mode: clamps to the edge.
pub const TEXTURE_CLAMP: u32 = 2;

/// Tint region of a material: its own colour.
pub const TINT_NONE: u32 = 0;
/// Tint region: the first ramp.
pub const TINT_SKIN: u32 = 1;
/// Tint region: the second ramp.
pub const TINT_HAIR: u32 = 2;
/// Tint region: the third ramp.
pub const TINT_CLOTH: u32 = 3;
/// Tint region: the fourth ramp.
pub const TINT_TRIM: u32 = 4;
/// Tint region: the third ramp, faintly over everything.
pub const TINT_WHOLE: u32 = 5;

/// Header words before the index of vertices in a character's morph targets.
pub const MORPH_HEADER_WORDS: usize = 4;
/// Words of a morph delta: target, position, normal.
pub const DELTA_WORDS: usize = 7;
/// Words of a morph delta with a tangent.
pub const DELTA_WORDS_WITH_TANGENTS: usize = 10;
