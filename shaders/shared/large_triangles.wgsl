// Queue of large triangles, which would stall one workgroup: rasterise appends them, and large_triangles.wgsl gives
// each several workgroups. Rust side: render/passes/raster/large_triangles.rs.

import package::shared::cover::{SampleBox, ClockwiseTriangle, TriangleSetup, samples_in};
import package::shared::raster::raster;

// Samples of a bounding box from which on its triangle is queued.
const SPREAD = 4096; // shader only: tests/gpu/raster_teams.rs
// Capacity of the queue; triangles beyond it stay with their workgroup.
const MOST_SPREAD = 16384u;

/// A triangle in clockwise order.
struct LargeTriangle { // shared with Rust
    /// First vertex (1/256 px). The three wind clockwise.
    a: vec2<i32>,
    /// Second vertex (1/256 px).
    b: vec2<i32>,
    /// Third vertex (1/256 px).
    c: vec2<i32>,
    /// Low half of the words of its samples: the triangle id.
    id: u32,
    pad_a: u32,
    /// Depths of the vertices.
    depths: vec3<f32>,
    pad_b: u32,
}

@if(!large_triangle_pass)
struct LargeTriangleQueue {
    count: atomic<u32>,
    pad_a: u32,
    pad_b: u32,
    pad_c: u32,
    triangles: array<LargeTriangle>,
}

@if(large_triangle_pass)
struct LargeTriangleQueue {
    count: u32,
    pad_a: u32,
    pad_b: u32,
    pad_c: u32,
    triangles: array<LargeTriangle>,
}

@if(!large_triangle_pass) @group(3) @binding(10) var<storage, read_write> large_triangles: LargeTriangleQueue;
@if(large_triangle_pass) @group(1) @binding(2) var<storage, read> large_triangles: LargeTriangleQueue;

// Queues a triangle if it is large enough and the queue has room. The step that writes ids finds the queue filled. If
// it is full, workgroups write the ids of all triangles that they find, for they may have covered some themselves.
@if(!large_triangle_pass)
fn push_large_triangle(setup: TriangleSetup) -> bool {
    if samples_in(setup.box, SPREAD) < SPREAD || atomicLoad(&large_triangles.count) >= MOST_SPREAD {
        return false;
    }
    @if(split_words) {
        if raster.writes_ids == 1u {
            return true;
        }
    }
    let place = atomicAdd(&large_triangles.count, 1u);
    if place >= MOST_SPREAD {
        return false;
    }
    let t = setup.t;
    large_triangles.triangles[place] = LargeTriangle(t.a, t.b, t.c, t.id, 0u, t.depths, 0u);
    return true;
}
