// Tables of behaviours as flat rows. CPU twin: crowd/schedule/tables.rs, with equal rows and flags. Times are in ticks
// (1/65536 s), speeds in 1/65536; weights are cumulative up to a row's total.

// Bits of GroupRow.flags. All members share one schedule.
const FLAG_SHARED = 1u;
// All blocks are equal; members are offset by their place in the wave.
const FLAG_WAVE = 2u;
// Members move by their clips' root motion; all blocks are equal.
const FLAG_TRAVELS = 4u;
// Members have paths of their own: the instance holds the path's index.
const FLAG_OWN_PATHS = 8u;
// A march: all members in step, from the scene's start on.
const MARCHES = FLAG_SHARED | FLAG_TRAVELS;
// Bits of StateRow.flags. WRAP_ mode in bits 0-7; bit 8: the clip plays backwards.
const FLAG_WRAP_MASK = 0xffu;
const FLAG_REVERSED = 0x100u;

struct GroupRow {
    first_state: u32,
    // number of states; 0: no behaviour, members loop one clip
    state_count: u32,
    // shortest block, and longest minus shortest
    block_min: u32,
    block_span: u32,
    // sum of home weights
    home_total: u32,
    flags: u32,
    // seed of the shared schedule
    seed: u32,
    // the group's path, counted from 1; 0: none
    path: u32,
}

struct StateRow {
    clip: u32,
    // turns per second at speed 1, times 2^24
    rate: u32,
    // slowest speed, and fastest minus slowest
    speed_min: u32,
    speed_span: u32,
    flags: u32,
    // shortest stay, and longest minus shortest
    dwell_min: u32,
    dwell_span: u32,
    // fade in at the beginning of a block
    fade: u32,
    first_edge: u32,
    edge_count: u32,
    // sum of the transitions' weights
    edge_total: u32,
    // cumulative home weight up to this state
    home_end: u32,
    // ground covered per turn of the clip (m), times 65536
    stride: u32,
}

struct EdgeRow {
    state: u32,
    // cumulative weight up to this transition
    end: u32,
    fade: u32,
    pad: u32,
}

@group(1) @binding(4) var<storage, read> groups: array<GroupRow>;
@group(1) @binding(5) var<storage, read> states: array<StateRow>;
@group(1) @binding(6) var<storage, read> edges: array<EdgeRow>;
