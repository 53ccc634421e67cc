// Draw lists of a crowd: everyone who is drawn, ordered by (phase, level, instance), in lists that indirect
// draws read. Three steps fill them: select (which draw list, and how many of each in every block), scan
// (where each block's share of a draw list begins), scatter (writes the lists and the draws' arguments).
// Several crowds and views have lists in the same buffers, one behind another, so that one dispatch takes a
// step of them all. Nothing depends on the order in which threads run. Rust side: render/passes/draw_lists.

// Instances of a workgroup.
const DRAW_LIST_BLOCK = 256u;
// LODs, the full one included.
const DRAW_LIST_LODS = 13u;
// Two phases of as many draw lists as levels: the near ones first.
const DRAW_LISTS = 26u;
// First draw list of the far phase.
const FAR_DRAW_LISTS = 13u;
// In no draw list: not drawn.
const NO_DRAW_LIST = 255u;
// Words of the arguments of an indexed indirect draw.
const ARGUMENT_WORDS = 5u;

// BinUniforms.kind: things that are carried, placed by the attachment pass.
const DRAW_LIST_CARRIED = 1u;
// Seen from the sun.
const DRAW_LIST_SUN = 2u;
// Drawn before what may be hidden, whatever its size.
const DRAW_LIST_NEAR = 4u;

// A crowd as one view lists it. Mirrored by DrawListRow in render/passes/draw_lists/mod.rs.
struct DrawListRow {
    // instances, and workgroups of them
    count: u32,
    blocks: u32,
    // levels in use, the full one included
    lod_count: u32,
    // entries of the list for each draw list; 0: one after another
    draw_list_stride: u32,
    // largest edge of the rest pose, metres at scale 1
    height: f32,
    // BIN_ bits
    kind: u32,
    // of the levels in use, those that are meshes: splats come behind them
    mesh_count: u32,
    // where its blocks, its keys and its entries begin, behind those of the lists before
    first_block: u32,
    first_key: u32,
    first_id: u32,
    pad_a: u32,
    pad_b: u32,
    lods: array<DrawListLod, 13>,
}

struct DrawListLod {
    first_index: u32,
    index_count: u32,
    // largest height in rows at which it is used
    max_sample_rows: f32,
    pad: u32,
}

// The lists of a crowd: one for each view, a layer of workgroups each. Mirrored by BinViews in
// render/passes/draw_lists/set.rs.
struct DrawListViews {
    first_list: u32,
    // from one view's list to the next
    list_step: u32,
    // 1: people, whose shadows add up on the ground
    casts: u32,
    pad_a: u32,
}

@group(1) @binding(0) var<uniform> draw_list_views: DrawListViews;
@group(1) @binding(3) var<storage, read> draw_list_rows: array<DrawListRow>;
// By list and instance.
@group(1) @binding(4) var<storage, read_write> draw_list_keys: array<u32>;
// By list and draw list, a number for each block: how many it has, then how many are before it.
@group(1) @binding(5) var<storage, read_write> block_counts: array<u32>;
// By list and draw list, as selected; behind those of a list, what is left of those that may be hidden.
@group(1) @binding(6) var<storage, read_write> draw_list_totals: array<u32>;
// Instances; their level in the upper bits (shared/listed.wgsl).
@group(1) @binding(7) var<storage, read_write> draw_list_ids: array<u32>;
@group(1) @binding(8) var<storage, read_write> draw_list_arguments: array<u32>;

// Number of a workgroup of a dispatch in two dimensions.
fn block_number(group: vec3<u32>, groups: vec3<u32>) -> u32 {
    return group.x + group.y * groups.x;
}

// The list that a layer of workgroups fills.
fn list_of(group: vec3<u32>) -> u32 {
    return draw_list_views.first_list + group.z * draw_list_views.list_step;
}

// Where the blocks' numbers of a draw list begin.
fn counts_of(list: u32, draw_list: u32) -> u32 {
    return draw_list_rows[list].first_block * DRAW_LISTS + draw_list * draw_list_rows[list].blocks;
}

// Where the totals of a list begin.
fn totals_of(list: u32) -> u32 {
    return list * 2u * DRAW_LISTS;
}
