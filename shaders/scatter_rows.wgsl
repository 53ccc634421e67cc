// Writes changed rows of actors to their slots, when they are too scattered for a few ranges. A row is any number of
// words; a thread writes one word.

// Packet of passes/scatter_rows.rs: words of a row, number of rows, own words of a row, an unused word; four words that
// follow the own ones in every row; slots; own words.
@group(0) @binding(0) var<storage, read> packet: array<u32>;
@group(0) @binding(1) var<storage, read_write> slot_rows: array<u32>;

const PACKET_HEAD = 8u;
const PACKET_SHARED = 4u;

@compute @workgroup_size(64)
fn scatter_rows(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let index = id.x + id.y * groups.x * 64u;
    let words = packet[0];
    let count = packet[1];
    if index >= words * count {
        return;
    }
    let own_words = packet[2];
    let number = index / words;
    let word = index % words;
    let slot = packet[PACKET_HEAD + number];
    var source = PACKET_HEAD + count + number * own_words + word;
    if word >= own_words {
        source = PACKET_SHARED + word - own_words;
    }
    slot_rows[slot * words + word] = packet[source];
}
