// Writes changed rows of actors to their slots, when they are too scattered for a few ranges. A row is any number of
// words; a thread writes one word.

// Packet of passes/scatter_rows.rs: words of a row, number of rows, two unused words; slots; rows.
@group(0) @binding(0) var<storage, read> packet: array<u32>;
@group(0) @binding(1) var<storage, read_write> slot_rows: array<u32>;

const PACKET_HEAD = 4u;

@compute @workgroup_size(64)
fn scatter_rows(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let index = id.x + id.y * groups.x * 64u;
    let words = packet[0];
    let count = packet[1];
    if index >= words * count {
        return;
    }
    let number = index / words;
    let slot = packet[PACKET_HEAD + number];
    slot_rows[slot * words + index % words] = packet[PACKET_HEAD + count + index];
}
