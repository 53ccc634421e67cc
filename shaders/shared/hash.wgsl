// Random numbers without state: a hash of (seed, index, stream). CPU twin: crowd/hash.rs, bit by bit.

fn pcg(value: u32) -> u32 {
    let state = value * 747796405u + 2891336453u;
    let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    return (word >> 22u) ^ word;
}

fn hash(seed: u32, index: u32, stream: u32) -> u32 {
    return pcg(pcg(pcg(seed) + index) + stream);
}

// 0.0 .. 1.0 from the top 24 bits, exact in f32.
fn unit_fraction(bits: u32) -> f32 {
    return f32(bits >> 8u) * (1.0 / 16777216.0);
}
