// Triangles of so many samples that threads of one workgroup would be long at them: rasterise lists them,
// large_triangles.wgsl covers each by workgroups of its own. Rust side: render/passes/raster/spread.rs.

import package::shared::cover::{Box, Facing, Work, samples_in};

// Samples of a box from which on its triangle is listed.
const SPREAD = 4096;
// Triangles of a list; where more are found, the workgroup that has them covers them.
const MOST_SPREAD = 16384u;

// Winding clockwise. Mirrored by SpreadTriangle in render/passes/raster/spread.rs.
struct LargeTriangle {
    a: vec2<i32>,
    b: vec2<i32>,
    c: vec2<i32>,
    id: u32,
    pad_a: u32,
    depths: vec3<f32>,
    pad_b: u32,
}

@if(!large_triangle_pass)
struct Spread {
    count: atomic<u32>,
    pad_a: u32,
    pad_b: u32,
    pad_c: u32,
    triangles: array<LargeTriangle>,
}

@if(large_triangle_pass)
struct Spread {
    count: u32,
    pad_a: u32,
    pad_b: u32,
    pad_c: u32,
    triangles: array<LargeTriangle>,
}

@if(!large_triangle_pass) @group(3) @binding(10) var<storage, read_write> large_triangles: Spread;
@if(large_triangle_pass) @group(1) @binding(2) var<storage, read> large_triangles: Spread;

// Lists a triangle that is large enough, if there is room.
@if(!large_triangle_pass)
fn spread_out(work: Work) -> bool {
    if samples_in(work.box, SPREAD) < SPREAD || atomicLoad(&large_triangles.count) >= MOST_SPREAD {
        return false;
    }
    let place = atomicAdd(&large_triangles.count, 1u);
    if place >= MOST_SPREAD {
        return false;
    }
    let t = work.t;
    large_triangles.triangles[place] = LargeTriangle(t.a, t.b, t.c, t.id, 0u, t.depths, 0u);
    return true;
}
