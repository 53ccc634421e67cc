// Behaviours as flat rows of numbers. CPU twin: crowd/schedule/tables.rs, whose rows and flags these
// are. Times are in ticks (1/65536 s), speeds in 1/65536, weights count up to a row's total.

// GroupRow.flags: all members share one schedule.
const FLAG_SHARED = 1u;
// Every block is the same; members are shifted by their place in the wave.
const FLAG_WAVE = 2u;
// Members go where their clips carry them; everyone's blocks are all the same.
const FLAG_TRAVELS = 4u;
// Members have paths of their own: instances hold their number.
const FLAG_OWN_PATHS = 8u;
// All of them together, from the scene's start on.
const MARCHES = FLAG_SHARED | FLAG_TRAVELS;
// StateRow.flags: WRAP_ mode in bits 0-7; bit 8: the clip plays backwards.
const FLAG_WRAP_MASK = 0xffu;
const FLAG_REVERSED = 0x100u;

struct GroupRow {
    first_state: u32,
    // 0: no behaviour, its people play their one clip
    state_count: u32,
    // shortest block, and longest minus shortest
    block_min: u32,
    block_span: u32,
    // sum of home weights
    home_total: u32,
    flags: u32,
    // of the shared schedule
    seed: u32,
    // number of the group's path, counted from 1; 0: none
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
    // home weights of this group's states up to and with this one
    home_end: u32,
    // metres per turn of the clip, times 65536
    stride: u32,
}

struct EdgeRow {
    state: u32,
    // weights of this state's transitions up to and with this one
    end: u32,
    fade: u32,
    pad: u32,
}

@group(1) @binding(4) var<storage, read> groups: array<GroupRow>;
@group(1) @binding(5) var<storage, read> states: array<StateRow>;
@group(1) @binding(6) var<storage, read> edges: array<EdgeRow>;
