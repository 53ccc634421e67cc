// Edge functions (Pineda 1988) and sample positions in integers, with the top-left rule of hardware rasterizers.
// Adjacent triangles leave no gap and share no sample. Positions are in 1/256 px, right and down. Points inside a
// clockwise triangle have no negative edge function. CPU twin: render/passes/raster/edges.rs.

import package::shared::wide::{WideInteger, wide_difference, wide_product};

const SUBPIXEL_BITS = 8u;
const SUBPIXELS = 256u;
// Largest distance from the picture's corner (px).
const FARTHEST_PIXEL = 2097152u;

// Snaps pixels to 1/256 px; NaN becomes the corner.
fn snapped(pixel: vec2<f32>) -> vec2<i32> {
    let most = f32(FARTHEST_PIXEL);
    return vec2<i32>(floor(clamp(pixel, vec2<f32>(-most), vec2<f32>(most)) * f32(SUBPIXELS) + 0.5));
}

// Position of a sample within its pixel: the centre, or the four positions of the standard D3D pattern. Those are
// sorted by row; each has a row and a column of its own.
fn sample_place(number: u32, samples: u32) -> vec2<i32> {
    return vec2<i32>(sample_column(number, samples), row_place(i32(number), samples));
}

fn sample_column(number: u32, samples: u32) -> i32 {
    // One nibble per sample, in sixteenths of a pixel.
    return select(i32((0xa2e6u >> (4u * number)) & 15u) * 16, 128, samples == 1u);
}

// Distance of sample rows as a power of two (1/256 px); a pixel has as many rows as samples.
fn row_bits(samples: u32) -> u32 {
    return select(SUBPIXEL_BITS - 2u, SUBPIXEL_BITS, samples == 1u);
}

fn row_place(row: i32, samples: u32) -> i32 {
    let bits = row_bits(samples);
    return (row << bits) + (1 << (bits - 1u));
}

// First and last sample row between two positions.
fn first_row(low: i32, samples: u32) -> i32 {
    let bits = row_bits(samples);
    return (low + (1 << (bits - 1u)) - 1) >> bits;
}

fn last_row(high: i32, samples: u32) -> i32 {
    let bits = row_bits(samples);
    return (high - (1 << (bits - 1u))) >> bits;
}

// First and last pixel whose sample column lies between two positions.
fn first_pixel(low: i32, column: i32) -> i32 {
    return (low - column + 255) >> SUBPIXEL_BITS;
}

fn last_pixel(high: i32, column: i32) -> i32 {
    return (high - column) >> SUBPIXEL_BITS;
}

// Edge function: twice the area of a triangle with edges below 64 px; positive if clockwise.
fn edge(a: vec2<i32>, b: vec2<i32>, p: vec2<i32>) -> i32 {
    return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

// Top-left rule: points exactly on an edge belong to the triangle whose top or left edge it is.
fn outside_edge(a: vec2<i32>, b: vec2<i32>) -> i32 {
    let top = a.y == b.y && b.x > a.x;
    let left = b.y < a.y;
    return select(-1, 0, top || left);
}

// Edge function of triangles of any size.
fn wide_edge(a: vec2<i32>, b: vec2<i32>, p: vec2<i32>) -> WideInteger {
    return wide_difference(wide_product(b.x - a.x, p.y - a.y), wide_product(b.y - a.y, p.x - a.x));
}
