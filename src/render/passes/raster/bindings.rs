//! Bind group layouts of the software rasterizer's passes.

use wgpu::ShaderStages;

use crate::{
    gpu::Binding,
    render::{
        layouts::{BindingEntry, COMPUTE},
        passes::raster::RasterOutput,
    },
};

/// Sizes, LODs of all draws; arguments left to the hardware, rows, dispatches, triangles taken; arguments of all.
pub(in crate::render) const SLOTS: [BindingEntry; 7] = [
    (0, COMPUTE, Binding::Uniform),
    (1, COMPUTE, Binding::Storage),
    (2, COMPUTE, Binding::StorageWrite),
    (3, COMPUTE, Binding::StorageWrite),
    (4, COMPUTE, Binding::StorageWrite),
    (5, COMPUTE, Binding::StorageWrite),
    (6, COMPUTE, Binding::Storage),
];
/// Picture uniforms, visibility; triangles.
pub(in crate::render) const SPREAD: [BindingEntry; 3] = [
    (0, COMPUTE, Binding::Uniform),
    (1, COMPUTE, Binding::StorageWrite),
    (2, COMPUTE, Binding::Storage),
];
/// Picture uniforms, visibility, rows; tile lists, dispatches.
pub(in crate::render) const TILES: [BindingEntry; 5] = [
    (0, COMPUTE, Binding::Uniform),
    (1, COMPUTE, Binding::Storage),
    (2, COMPUTE, Binding::Storage),
    (3, COMPUTE, Binding::StorageWrite),
    (4, COMPUTE, Binding::StorageWrite),
];
/// Range of posed vertices, vertices; posed vertices.
pub(in crate::render) const CORNERS: [BindingEntry; 3] = [
    (0, COMPUTE, Binding::Uniform),
    (1, COMPUTE, Binding::Storage),
    (2, COMPUTE, Binding::StorageWrite),
];
/// Picture uniforms, rows, people, meshlets; visibility.
const RASTERISE: [BindingEntry; 5] = [
    (0, COMPUTE, Binding::Uniform),
    (1, COMPUTE, Binding::Storage),
    (2, COMPUTE, Binding::Storage),
    (3, COMPUTE, Binding::Storage),
    (4, COMPUTE, Binding::StorageWrite),
];
/// Rows of the vertex cache.
const BAKED: [BindingEntry; 2] = [(5, COMPUTE, Binding::Uniform), (6, COMPUTE, Binding::Storage)];
/// Queue of triangles that are too large for one workgroup.
const SPREAD_LIST: [BindingEntry; 1] = [(10, COMPUTE, Binding::StorageWrite)];
/// Rows of an id pass: draw uniforms, visibility, ids.
const ID_BINDINGS: [BindingEntry; 3] = [
    (7, COMPUTE, Binding::Storage),
    (8, COMPUTE, Binding::StorageWrite),
    (9, COMPUTE, Binding::Storage),
];
/// Rows of shading: visibility to read, colours, lists of tiles.
pub(in crate::render) const SHADE_VISIBILITY: [BindingEntry; 7] = [
    (0, COMPUTE, Binding::Uniform),
    (1, COMPUTE, Binding::Storage),
    (2, COMPUTE, Binding::Storage),
    (3, COMPUTE, Binding::Storage),
    (4, COMPUTE, Binding::Storage),
    (5, COMPUTE, Binding::StorageWrite),
    (6, COMPUTE, Binding::Storage),
];
/// Picture uniforms, visibility, colours.
pub(in crate::render) const COMPOSITE: [BindingEntry; 3] = [
    (0, ShaderStages::FRAGMENT, Binding::Uniform),
    (1, ShaderStages::FRAGMENT, Binding::Storage),
    (2, ShaderStages::FRAGMENT, Binding::Storage),
];

/// Rows of group 3 of the pass `rasterise` for an output, with the vertex cache if `baked`.
pub(in crate::render) fn rasterise(output: RasterOutput, baked: bool) -> Vec<BindingEntry> {
    let corners: &[BindingEntry] = if baked { &BAKED } else { &[] };
    let more: &[BindingEntry] = match output {
        RasterOutput::Triangles => &SPREAD_LIST,
        RasterOutput::Ids => &ID_BINDINGS[..1],
        RasterOutput::CountedIds => &ID_BINDINGS,
    };
    [&RASTERISE, corners, more].concat()
}
