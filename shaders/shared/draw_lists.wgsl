// Draw lists of a crowd: visible instances ordered by (phase, LOD, instance), read by indirect draws. Three passes fill
// them with a counting sort. `select` chooses the list of each instance and counts per block. `scan` computes prefix
// sums. `scatter` writes entries and draw arguments.
//
// Lists of all crowds and views follow each other in shared buffers: one dispatch fills them all. The result does not
// depend on thread order. Rust side: render/passes/draw_lists.

// Instances per workgroup.
const DRAW_LIST_BLOCK = 256u;
// Maximum number of LODs, the full mesh included.
const DRAW_LIST_LODS = 13u;
// Draw lists: two phases with a list per LOD, near phase first.
const DRAW_LISTS = 26u;
// First draw list of the far phase.
const FAR_DRAW_LISTS = 13u;
// Key of instances that are not drawn.
const NO_DRAW_LIST = 255u; // shader only: tests/gpu/culling.rs
// Words of an indexed indirect draw's arguments.
const ARGUMENT_WORDS = 5u;

// Bits of DrawListRow.kind. Attachments, placed by the attachment pass.
const DRAW_LIST_CARRIED = 1u;
// View of the shadow map.
const DRAW_LIST_SUN = 2u;
// Always in the near phase, at any size.
const DRAW_LIST_NEAR = 4u;
// Actors, some of whom blend a third clip.
const DRAW_LIST_ACTORS = 8u;

/// One crowd as one view lists it.
struct DrawListRow { // shared with Rust
    /// Number of instances.
    count: u32,
    /// Workgroups of [`DRAW_LIST_BLOCK`] instances.
    blocks: u32,
    /// Number of LODs in use, the full mesh included.
    lod_count: u32,
    /// Entries reserved for each draw list; 0 if draw lists are packed one after another.
    draw_list_stride: u32,
    /// Largest edge of the rest pose (m at scale 1).
    height: f32,
    /// Sum of [`DRAW_LIST_CARRIED`], [`DRAW_LIST_SUN`], [`DRAW_LIST_NEAR`] and [`DRAW_LIST_ACTORS`].
    kind: u32,
    /// Number of LODs in use that are meshes; splats come after them.
    mesh_count: u32,
    /// First block among the blocks of all lists in the same buffers.
    first_block: u32,
    /// First key of the list.
    first_key: u32,
    /// First entry of the list.
    first_id: u32,
    pad_a: u32,
    pad_b: u32,
    /// LODs, the full mesh first.
    lods: array<DrawListLod, 13>,
}

/// One LOD of a crowd.
struct DrawListLod { // shared with Rust
    /// First index.
    first_index: u32,
    /// Number of indices.
    index_count: u32,
    /// Largest height (sample rows) at which the LOD is used.
    max_sample_rows: f32,
    pad: u32,
}

/// Lists of one crowd within a set, one per view; the z of a workgroup selects the view.
struct DrawListViews { // shared with Rust
    /// First list of the first view.
    first_list: u32,
    /// Distance from one view's list to the next.
    list_step: u32,
    /// 1 for people, who add to the crowd shadow grid.
    casts: u32,
    pad_a: u32,
}

@group(1) @binding(0) var<uniform> draw_list_views: DrawListViews;
@group(1) @binding(3) var<storage, read> draw_list_rows: array<DrawListRow>;
// Draw list of each instance, per list.
@group(1) @binding(4) var<storage, read_write> draw_list_keys: array<u32>;
// Per list and draw list, for each block: number of instances, after scan the number before the block.
@group(1) @binding(5) var<storage, read_write> block_counts: array<u32>;
// Per list, for each draw list: number selected, then number after occlusion culling.
@group(1) @binding(6) var<storage, read_write> draw_list_totals: array<u32>;
// Entries: instance, with its LOD in the upper bits (shared/listed.wgsl).
@group(1) @binding(7) var<storage, read_write> draw_list_ids: array<u32>;
@group(1) @binding(8) var<storage, read_write> draw_list_arguments: array<u32>;

// Index of a workgroup in a two-dimensional dispatch.
fn block_number(group: vec3<u32>, groups: vec3<u32>) -> u32 {
    return group.x + group.y * groups.x;
}

// List of a workgroup's layer.
fn list_of(group: vec3<u32>) -> u32 {
    return draw_list_views.first_list + group.z * draw_list_views.list_step;
}

// First block count of a draw list.
fn counts_of(list: u32, draw_list: u32) -> u32 {
    return draw_list_rows[list].first_block * DRAW_LISTS + draw_list * draw_list_rows[list].blocks;
}

// First total of a list.
fn totals_of(list: u32) -> u32 {
    return list * 2u * DRAW_LISTS;
}
