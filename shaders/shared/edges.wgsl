// Which samples of a picture a triangle covers, decided in whole numbers as the hardware rasterizer does, so that
// neighbours leave no gap and share no sample. Places are in 1/256 pixel, right and down; inside is where
// the edges of a triangle that winds clockwise in the picture are not negative. CPU twin:
// render/passes/raster/edges.rs.

const SUBPIXEL_BITS = 8u;
const SUBPIXELS = 256u;
// Pixels from the corner of the picture that a place can be, at most.
const FARTHEST_PIXEL = 2097152u;

// Pixels to places; what is no number is at the corner.
fn snapped(pixel: vec2<f32>) -> vec2<i32> {
    let most = f32(FARTHEST_PIXEL);
    return vec2<i32>(floor(clamp(pixel, vec2<f32>(-most), vec2<f32>(most)) * f32(SUBPIXELS) + 0.5));
}

// Where samples are in a pixel: in its middle, or at the four places of the standard pattern, of which each has a
// row of its own, in their order, and a column of its own.
fn sample_place(number: u32, samples: u32) -> vec2<i32> {
    return vec2<i32>(sample_column(number, samples), row_place(i32(number), samples));
}

fn sample_column(number: u32, samples: u32) -> i32 {
    // A nibble each, in sixteenths of a pixel.
    return select(i32((0xa2e6u >> (4u * number)) & 15u) * 16, 128, samples == 1u);
}

// Samples of a picture stand in rows, so many to a pixel as it has samples: how far apart, as a power of two.
fn row_bits(samples: u32) -> u32 {
    return select(SUBPIXEL_BITS - 2u, SUBPIXEL_BITS, samples == 1u);
}

fn row_place(row: i32, samples: u32) -> i32 {
    let bits = row_bits(samples);
    return (row << bits) + (1 << (bits - 1u));
}

// The first and the last row of samples between two places.
fn first_row(low: i32, samples: u32) -> i32 {
    let bits = row_bits(samples);
    return (low + (1 << (bits - 1u)) - 1) >> bits;
}

fn last_row(high: i32, samples: u32) -> i32 {
    let bits = row_bits(samples);
    return (high - (1 << (bits - 1u))) >> bits;
}

// The first and the last pixel whose sample at a column lies between two places.
fn first_pixel(low: i32, column: i32) -> i32 {
    return (low - column + 255) >> SUBPIXEL_BITS;
}

fn last_pixel(high: i32, column: i32) -> i32 {
    return (high - column) >> SUBPIXEL_BITS;
}

// Twice the area of a triangle whose edges are shorter than 64 pixels; positive where it winds clockwise.
fn edge(a: vec2<i32>, b: vec2<i32>, p: vec2<i32>) -> i32 {
    return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

// What of a point exactly on an edge: it belongs to the triangle on whose left or top the edge is.
fn outside_edge(a: vec2<i32>, b: vec2<i32>) -> i32 {
    let top = a.y == b.y && b.x > a.x;
    let left = b.y < a.y;
    return select(-1, 0, top || left);
}

// The same of a triangle of any size.
fn wide_edge(a: vec2<i32>, b: vec2<i32>, p: vec2<i32>) -> i64 {
    return i64(b.x - a.x) * i64(p.y - a.y) - i64(b.y - a.y) * i64(p.x - a.x);
}
