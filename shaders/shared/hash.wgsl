// Stateless random numbers: PCG hash of (seed, index, stream) (Jarzynski and Olano 2020, "Hash Functions for GPU
// Rendering"). CPU twin: crowd/hash.rs, bit by bit.

fn pcg(value: u32) -> u32 {
    let state = value * 747796405u + 2891336453u;
    let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    return (word >> 22u) ^ word;
}

fn hash(seed: u32, index: u32, stream: u32) -> u32 {
    return pcg(pcg(pcg(seed) + index) + stream);
}

// Fraction 0.0 to 1.0 from the top 24 bits, exact in f32.
fn unit_fraction(bits: u32) -> f32 {
    return f32(bits >> 8u) * (1.0 / 16777216.0);
}
