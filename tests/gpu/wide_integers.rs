//! 64-bit integers of shaders in pairs of words, compared with those of the CPU.

use throng::{
    gpu::{Gpu, buffer_with, compute_pass, compute_pipeline_from, encoder, read_buffer, shader},
    render::passes::raster::{SampleAtomics, edges},
};

use crate::{raster::supported, raster_sun::altered_in};

/// Pass that evaluates edge functions, in place of scatter_rows.wgsl.
const PROBE: &str = "
import package::shared::edges::wide_edge;
import package::shared::wide::{wide_float, wide_sign};

@group(0) @binding(0) var<storage, read> points: array<vec2<i32>>;
@group(0) @binding(1) var<storage, read_write> results: array<vec2<u32>>;

@compute @workgroup_size(64)
fn scatter_rows(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&results) {
        let edge = wide_edge(points[3u * id.x], points[3u * id.x + 1u], points[3u * id.x + 2u]);
        results[id.x] = vec2<u32>(bitcast<u32>(wide_float(edge)), bitcast<u32>(wide_sign(edge)));
    }
}
";

/// Numbers of splitmix64 (Steele et al. 2014).
fn numbers() -> impl FnMut() -> u64 {
    let mut state = 7_u64;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

/// Points whose edge function is `x * y - z`.
const fn product(x: i32, y: i32, z: i32) -> [[i32; 2]; 3] {
    [[0, 0], [x, z], [1, y]]
}

/// Extreme points, products next to ties of rounding and to words that carry, and random points of every magnitude.
fn points() -> Vec<[[i32; 2]; 3]> {
    let farthest = (edges::FARTHEST_PIXEL * edges::SUBPIXELS) as i32;
    let mut all = Vec::new();
    let ends = [-farthest, -1, 0, 1, farthest];
    for x in ends {
        for y in ends {
            all.extend(ends.map(|z| [[-farthest, z], [farthest, y], [x, -z]]));
            all.extend(ends.map(|z| product(x, y, z)));
        }
    }
    // 25 significant bits: half way between two floats. Less or more by 1 decides.
    for bits in 0..30 {
        for odd in [1, 3, 5, 7] {
            let tie = (1 << 24) + odd;
            for z in [-1, 0, 1] {
                all.extend([product(tie, 1 << bits, z), product(-tie, 1 << bits, z)]);
                all.push(product(1 << bits, 1 << 29, z));
            }
        }
    }
    let mut next = numbers();
    for number in 0..40_000 {
        let shift = number % 28;
        let mut coordinate = || (next() % (2 * farthest as u64 + 1)) as i32 - farthest;
        all.push([(); 3].map(|()| [coordinate() >> shift, coordinate() >> (shift / 2)]));
    }
    all
}

/// Edge functions as floats (bits) and their signs.
fn evaluated(gpu: &Gpu, atomics: SampleAtomics, points: &[[[i32; 2]; 3]]) -> Vec<[u32; 2]> {
    let source = shader::SOURCES.iter().find(|(path, _)| *path == "scatter_rows");
    let shaders = altered_in(&[("scatter_rows", source.expect("a pass").1, PROBE)]);
    let entry = |binding, read_only| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    };
    let layout = gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("probe"),
        entries: &[entry(0, true), entry(1, false)],
    });
    let pipeline = compute_pipeline_from(gpu, &shaders, "scatter_rows", atomics.features(), &[&layout]);
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
    let results = buffer_with(gpu, "results", &vec![0; 8 * points.len()], usage);
    let points = buffer_with(gpu, "points", bytemuck::cast_slice(points), usage);
    let bound = [(0, &points), (1, &results)].map(|(binding, buffer)| wgpu::BindGroupEntry {
        binding,
        resource: buffer.as_entire_binding(),
    });
    let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("probe"),
        layout: &layout,
        entries: &bound,
    });
    let mut encoder = encoder(gpu, "probe");
    let mut pass = compute_pass(&mut encoder, "probe");
    pass.set_pipeline(&pipeline.expect("compiles"));
    pass.set_bind_group(0, &group, &[]);
    pass.dispatch_workgroups((results.size() / 8).div_ceil(64) as u32, 1, 1);
    drop(pass);
    gpu.queue.submit([encoder.finish()]);
    bytemuck::pod_collect_to_vec(&read_buffer(gpu, &results).expect("readback"))
}

#[test]
fn edge_functions_in_pairs_of_words_are_those_of_the_cpu() {
    let Some(gpu) = supported() else { return };
    let points = points();
    let expected: Vec<[u32; 2]> = { points.iter() }
        .map(|[a, b, p]| {
            let edge = edges::wide_edge(*a, *b, *p);
            [(edge as f32).to_bits(), edge.signum() as u32]
        })
        .collect();
    for atomics in [SampleAtomics::Split, SampleAtomics::of(&gpu)] {
        let found = evaluated(&gpu, atomics, &points);
        let wrong: Vec<_> = (0..points.len()).filter(|&i| found[i] != expected[i]).collect();
        let first = wrong.first().map(|&i| (points[i], found[i], expected[i]));
        assert!(
            wrong.is_empty(),
            "{atomics:?}: {} of {}: {first:?}",
            wrong.len(),
            points.len()
        );
    }
    assert_eq!(gpu.take_error(), None);
}
