// Bins of a crowd: everyone who is drawn, ordered by (phase, level, instance), in lists that indirect
// draws read. Three steps fill them: select (which bin, and how many of each in every block), scan
// (where each block's share of a bin begins), scatter (writes the lists and the draws' arguments).
// Several crowds and views have lists in the same buffers, one behind another, so that one dispatch takes a
// step of them all. Nothing depends on the order in which threads run. Rust side: render/passes/bins.

// Instances of a workgroup.
const BIN_BLOCK = 256u;
// Levels of detail, the full one included.
const BIN_LEVELS = 13u;
// Two phases of as many bins as levels: the near ones first.
const BINS = 26u;
// First bin of the far phase.
const FAR_BINS = 13u;
// In no bin: not drawn.
const NO_BIN = 255u;
// Words of the arguments of an indexed indirect draw.
const ARGUMENT_WORDS = 5u;

// BinUniforms.kind: things that are carried, placed by the attachment pass.
const BIN_CARRIED = 1u;
// Seen from the sun.
const BIN_SUN = 2u;
// Drawn before what may be hidden, whatever its size.
const BIN_NEAR = 4u;

// A crowd as one view lists it. Mirrored by BinList in render/passes/bins/mod.rs.
struct BinList {
    // instances, and workgroups of them
    count: u32,
    blocks: u32,
    // levels in use, the full one included
    level_count: u32,
    // entries of the list for each bin; 0: one after another
    bin_stride: u32,
    // largest edge of the rest pose, metres at scale 1
    height: f32,
    // BIN_ bits
    kind: u32,
    // of the levels in use, those that are meshes: discs come behind them
    mesh_count: u32,
    // where its blocks, its keys and its entries begin, behind those of the lists before
    first_block: u32,
    first_key: u32,
    first_id: u32,
    pad_a: u32,
    pad_b: u32,
    levels: array<BinLevel, 13>,
}

struct BinLevel {
    first_index: u32,
    index_count: u32,
    // largest height in rows at which it is used
    max_rows: f32,
    pad: u32,
}

// The lists of a crowd: one for each view, a layer of workgroups each. Mirrored by BinViews in
// render/passes/bins/set.rs.
struct BinViews {
    first_list: u32,
    // from one view's list to the next
    list_step: u32,
    // 1: people, whose shadows add up on the ground
    casts: u32,
    pad_a: u32,
}

@group(1) @binding(0) var<uniform> bin_views: BinViews;
@group(1) @binding(3) var<storage, read> bin_lists: array<BinList>;
// By list and instance.
@group(1) @binding(4) var<storage, read_write> bin_keys: array<u32>;
// By list and bin, a number for each block: how many it has, then how many are before it.
@group(1) @binding(5) var<storage, read_write> block_counts: array<u32>;
// By list and bin, as selected; behind those of a list, what is left of those that may be hidden.
@group(1) @binding(6) var<storage, read_write> bin_totals: array<u32>;
// Instances; their level in the upper bits (shared/listed.wgsl).
@group(1) @binding(7) var<storage, read_write> bin_ids: array<u32>;
@group(1) @binding(8) var<storage, read_write> bin_arguments: array<u32>;

// Number of a workgroup of a dispatch in two dimensions.
fn block_number(group: vec3<u32>, groups: vec3<u32>) -> u32 {
    return group.x + group.y * groups.x;
}

// The list that a layer of workgroups fills.
fn list_of(group: vec3<u32>) -> u32 {
    return bin_views.first_list + group.z * bin_views.list_step;
}

// Where the blocks' numbers of a bin begin.
fn counts_of(list: u32, bin: u32) -> u32 {
    return bin_lists[list].first_block * BINS + bin * bin_lists[list].blocks;
}

// Where the totals of a list begin.
fn totals_of(list: u32) -> u32 {
    return list * 2u * BINS;
}
