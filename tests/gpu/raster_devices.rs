//! The software rasterizer on different devices: hosts of either depth convention, adapters that lack something, and
//! more triangles than ids.

use glam::{Vec3, camera::rh};
use throng::{
    cli::shot::frame_input,
    config::{Raster, Technique},
    crowd::{Clock, Instance},
    gpu::{
        Gpu, PICTURE_FORMAT, buffer_with, compute_pass, compute_pipeline, encoder, read_buffer, read_texture_rgba8,
        target_texture, whole_view,
    },
    render::{
        CrowdOptions, CrowdRenderer, DepthConvention, DepthTarget, DrawPath, FrameUniforms, Layouts, Targets, View,
        passes::{
            draw_lists::DRAW_LIST_LODS,
            raster::{MOST_TRIANGLES, RasterRow, SlotUniforms, StorageRoom, meshlets::RasterLod},
        },
        resources::AtlasSource,
        source_within_limits,
    },
};

use crate::{
    common,
    culling::leveled,
    raster::{Look, SIZE, USUAL, compare, open, picture, preset, supported},
};

/// Device of a host, with some features and limits.
fn hosted(features: wgpu::Features, limits: wgpu::Limits) -> Option<Gpu> {
    let gpu = supported()?;
    let adapter = gpu.adapter().expect("opened here");
    let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
        label: Some("host"),
        required_features: features,
        required_limits: limits,
        ..Default::default()
    }))
    .expect("a device");
    Some(Gpu::from_device(device, queue))
}

#[test]
fn adapters_without_support_use_the_hardware_rasterizer_and_say_why() {
    let usual = wgpu::Limits::default();
    // Enough for the scene, but not for two words of every sample.
    let narrow = wgpu::Limits {
        max_storage_buffers_per_shader_stage: StorageRoom::FULL,
        max_storage_buffer_binding_size: 3 << 19,
        ..usual.clone()
    };
    let lacking = [
        (
            wgpu::Features::empty(),
            usual.clone(),
            "max_storage_buffers_per_shader_stage",
        ),
        (Gpu::WIDE_ATOMICS, usual, "max_storage_buffers_per_shader_stage"),
        (Gpu::WIDE_ATOMICS, narrow, "max_storage_buffer_binding_size"),
    ];
    let (config, scene) = preset("army", 60);
    let input = frame_input(&config, &scene, 2.0).expect("a view");
    for (features, limits, why) in lacking {
        let Some(gpu) = hosted(features, limits) else {
            return;
        };
        let draw = |raster| {
            let mut renderer = open(&gpu, &scene, USUAL, raster);
            let pixels = picture(&gpu, &mut renderer, &input);
            (pixels, renderer.draw_calls().clone(), renderer.raster())
        };
        let (expected, calls, (_, none)) = draw(Raster::Hardware);
        let (found, same_calls, (used, told)) = draw(Raster::Compute);
        assert!(expected == found && calls == same_calls, "{why}");
        assert_eq!((none, used), (None, Raster::Hardware));
        let (found, same_calls, told_nothing) = draw(Raster::Auto);
        assert!(expected == found && calls == same_calls, "{why}");
        assert_eq!(told_nothing, (Raster::Hardware, None));
        assert!(told.as_ref().is_some_and(|told| told.contains(why)), "{told:?}");
    }
}

#[test]
fn devices_without_64_bit_atomics_draw_the_same_by_compute() {
    let limits = wgpu::Limits {
        max_storage_buffers_per_shader_stage: StorageRoom::FULL,
        ..wgpu::Limits::default()
    };
    let (config, scene) = preset("army", 30);
    let input = frame_input(&config, &scene, 2.0).expect("a view");
    let drawn = [Gpu::WIDE_ATOMICS, wgpu::Features::empty()].map(|features| {
        let gpu = hosted(features, limits.clone())?;
        let mut renderer = open(&gpu, &scene, USUAL, Raster::Compute);
        let pixels = picture(&gpu, &mut renderer, &input);
        assert_eq!(renderer.raster(), (Raster::Compute, None));
        let targets = Targets {
            color: PICTURE_FORMAT,
            depth: DepthTarget::reversed(DEPTH),
            samples: 1,
        };
        let crowd = CrowdRenderer::new(&gpu, targets).expect("compiles");
        Some((pixels, crowd.options().raster))
    });
    let [Some((expected, with)), Some((found, without))] = drawn else {
        return;
    };
    assert!(expected == found);
    // `auto` uses compute passes only where 64-bit atomics promise a fast device.
    assert_eq!((with, without), (Raster::Auto, Raster::Hardware));
}

#[test]
fn devices_of_ten_storage_buffers_draw_by_compute() {
    let limits = wgpu::Limits {
        max_storage_buffers_per_shader_stage: StorageRoom::LEAST,
        ..wgpu::Limits::default()
    };
    let texture = Look {
        source: AtlasSource::Texture,
        ..USUAL
    };
    // People, then attachments and scenery, too.
    for (name, count) in [("army", 40), ("plaza", 20)] {
        let (config, scene) = preset(name, count);
        let input = frame_input(&config, &scene, 2.0).expect("a view");
        let draw = |features, look, raster| {
            let gpu = hosted(features, limits.clone())?;
            let source = source_within_limits(&gpu, &scene.characters, Technique::Matrix, USUAL.format);
            assert_eq!(source, AtlasSource::Texture);
            let mut renderer = open(&gpu, &scene, look, raster);
            let pixels = picture(&gpu, &mut renderer, &input);
            assert_eq!(gpu.take_error(), None);
            Some((pixels, renderer.raster()))
        };
        let compute = |features| draw(features, texture, Raster::Compute);
        let empty = wgpu::Features::empty();
        let (Some((packed, with)), Some((split, without))) = (compute(Gpu::WIDE_ATOMICS), compute(empty)) else {
            return;
        };
        assert_eq!((&with, &without), (&(Raster::Compute, None), &(Raster::Compute, None)));
        assert!(packed == split, "{name}: 32-bit steps differ");
        let (hardware, _) = draw(empty, texture, Raster::Hardware).expect("opened above");
        let (differing, inside) = compare(&hardware, &split);
        println!("{name}: {differing} pixels differ, {inside} on no edge");
        assert!(hardware != split, "{name}: nothing comes from the software rasterizer");
        assert!(
            differing * 1000 <= hardware.len() / 4 && inside == 0,
            "{name}: {differing} {inside}"
        );
        // An atlas in a storage buffer is one too many.
        let (found, (_, told)) = draw(empty, USUAL, Raster::Compute).expect("opened above");
        let (expected, _) = draw(empty, USUAL, Raster::Hardware).expect("opened above");
        assert!(compare(&expected, &found).1 == 0, "{name}");
        assert!(told.is_some_and(|told| told.contains("10 storage buffers")), "{name}");
    }
}

#[test]
fn shadow_maps_too_large_for_compute_use_the_hardware_rasterizer_and_say_why() {
    // Enough for the picture's visibility buffer, but not for that of the shadow map.
    let limits = wgpu::Limits {
        max_storage_buffers_per_shader_stage: StorageRoom::FULL,
        max_storage_buffer_binding_size: 15 << 20,
        ..wgpu::Limits::default()
    };
    let (config, scene) = preset("army", 60);
    let input = frame_input(&config, &scene, 2.0).expect("a view");
    let Some(gpu) = hosted(Gpu::WIDE_ATOMICS, limits) else {
        return;
    };
    let draw = |raster| {
        let mut renderer = open(&gpu, &scene, USUAL, raster);
        let pictures = [0, 1].map(|_| picture(&gpu, &mut renderer, &input));
        assert!(pictures[0] == pictures[1], "{raster:?}");
        (pictures[0].clone(), renderer.raster())
    };
    let (expected, _) = draw(Raster::Hardware);
    let (found, (used, told)) = draw(Raster::Compute);
    assert_eq!(used, Raster::Compute, "the software rasterizer no longer draws people");
    assert!(
        told.as_ref().is_some_and(|told| told.contains("2048 x 2048 texels")),
        "{told:?}"
    );
    let (differing, inside) = compare(&expected, &found);
    assert!(
        differing * 1000 <= expected.len() / 4 && inside == 0,
        "{differing} {inside}"
    );
}

const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// Picture of a host in three steps, in either depth convention, of crowds of given sizes.
fn host_picture(gpu: &Gpu, (convention, raster): (DepthConvention, Raster), crowds: &[u32]) -> Vec<u8> {
    let depth = DepthTarget {
        format: DEPTH,
        convention,
    };
    let targets = Targets {
        color: PICTURE_FORMAT,
        depth,
        samples: 1,
    };
    let options = CrowdOptions {
        path: DrawPath::Selected,
        raster,
        ..CrowdOptions::default()
    };
    let mut crowd = CrowdRenderer::with_options(gpu, targets, options).expect("compiles");
    let place = |i: u32| Vec3::new((i % 10) as f32 - 4.5, 0.0, -1.5 * (i / 10) as f32);
    let mut add = |count: u32, row: f32| {
        let man = crowd.add_character(leveled("man")).expect("fits");
        let people: Vec<Instance> = (0..count)
            .map(|i| Instance::new(place(i) + 0.5 * row * Vec3::ONE.with_y(0.0)).with_yaw_scale(i as f32, 1.0))
            .collect();
        crowd.set_instances(man, &people).expect("fits");
        man
    };
    let men: Vec<_> = crowds
        .iter()
        .zip(0..)
        .map(|(&count, row)| add(count, row as f32))
        .collect();
    let (projection, far) = match convention {
        DepthConvention::Reversed => (rh::proj::directx::perspective_infinite_reverse(0.8, 1.78, 0.1), 0.0),
        DepthConvention::Standard => (rh::proj::directx::perspective(0.8, 1.78, 0.1, 200.0), 1.0),
    };
    let eye = Vec3::new(0.0, 4.0, 9.0);
    let view = View {
        size: Some(SIZE),
        ..View::new(
            projection * rh::view::look_at_mat4(eye, Vec3::NEG_Z * 6.0, Vec3::Y),
            eye,
        )
    };
    let color = target_texture(gpu, "color", SIZE, PICTURE_FORMAT, 1, wgpu::TextureUsages::COPY_SRC);
    let depth = target_texture(gpu, "depth", SIZE, DEPTH, 1, wgpu::TextureUsages::TEXTURE_BINDING);
    let (view_of_color, depth) = (whole_view(&color, "color"), whole_view(&depth, "depth"));
    let mut encoder = encoder(gpu, "frame");
    crowd.prepare(&mut encoder, &view, Clock::from_seconds(1.3));
    let mut pass = common::gpu::host_pass(&mut encoder, &view_of_color, &depth, Some(far));
    crowd.draw_near(&mut pass);
    drop(pass);
    crowd.cull(&mut encoder, &depth);
    let mut pass = common::gpu::host_pass(&mut encoder, &view_of_color, &depth, None);
    crowd.draw_far(&mut pass);
    drop(pass);
    gpu.queue.submit([encoder.finish()]);
    assert_eq!(gpu.take_error(), None);
    assert_eq!(crowd.uses_sw_raster(), raster == Raster::Compute);
    for man in men {
        let drawn = crowd.drawn(man).expect("reads").expect("is listed");
        assert!(drawn.iter().filter(|person| !person.near).count() > 50, "{drawn:?}");
    }
    read_texture_rgba8(gpu, &color).expect("readback")
}

#[test]
fn hosts_of_either_depth_convention_see_the_same() {
    let Some(gpu) = supported() else { return };
    for convention in [DepthConvention::Reversed, DepthConvention::Standard] {
        let [expected, found] =
            [Raster::Hardware, Raster::Compute].map(|r| host_picture(&gpu, (convention, r), &[120]));
        let (differing, inside) = compare(&expected, &found);
        println!("{convention:?}: {differing} pixels differ, {inside} on no edge");
        assert!(
            expected.chunks_exact(4).filter(|p| p[3] > 0).count() > 2000,
            "no people in the picture"
        );
        assert!(differing * 1000 <= expected.len() / 4 && inside == 0, "{convention:?}");
    }
}

#[test]
fn draws_beyond_the_id_range_use_the_hardware_rasterizer() {
    // Neither device has room for the vertex cache, whose positions are rounded.
    let wide = wgpu::Limits {
        max_storage_buffers_per_shader_stage: StorageRoom::FULL,
        max_storage_buffer_binding_size: 3 << 20,
        ..wgpu::Limits::default()
    };
    // Without indirect draws that begin anywhere, lists have room for everyone at every LOD: enough for one crowd.
    let narrow = wgpu::Limits {
        max_storage_buffer_binding_size: 3 << 19,
        ..wide.clone()
    };
    for raster in [Raster::Hardware, Raster::Compute] {
        let pictures = [&wide, &narrow].map(|limits| {
            let gpu = hosted(Gpu::WIDE_ATOMICS, limits.clone())?;
            Some(host_picture(&gpu, (DepthConvention::Reversed, raster), &[8000, 8000]))
        });
        let [Some(expected), Some(found)] = pictures else {
            return;
        };
        assert!(expected == found, "{raster:?}");
    }
}

/// Number of LODs of a draw.
const LODS: usize = DRAW_LIST_LODS as usize;
/// One number for each LOD of two draws.
type OfLods = [[u32; LODS]; 2];

/// Number of rows of an earlier phase.
const FIRST_ROW: usize = 3;
/// Number of arguments of other lists.
const ROWS_BEFORE: usize = 5;

/// Ids that shaders/slots.wgsl assigns to two draws.
struct IdDraw {
    rows: Vec<RasterRow>,
    /// People left to the hardware rasterizer, by LOD.
    left: Vec<u32>,
    dispatches: Vec<u32>,
    /// Slots in use, those of the earlier phase included.
    taken: u32,
}

/// Assigns ids to two draws after `before` slots.
fn id_draws(gpu: &Gpu, people: &OfLods, meshlets: &OfLods, before: u32) -> IdDraw {
    let layouts = Layouts::new(gpu);
    let pipeline =
        compute_pipeline(gpu, "slots", &["slots_pass"], &[&layouts.frame, &layouts.slots]).expect("compiles");
    let read = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
    let uniforms = SlotUniforms {
        draw_count: 2,
        first_row: FIRST_ROW as u32,
        ..SlotUniforms::default()
    };
    let lods = (0..).zip(meshlets.concat()).map(|(row, meshlet_count)| RasterLod {
        first_meshlet: 5,
        meshlet_count,
        people_per_group: if meshlet_count == 1 { 3 } else { 1 },
        own_list: 0,
        triangle_count: TRIANGLES * meshlet_count,
        splats: u32::from(is_splats(row % LODS)),
        // Rows of lists without a draw lie before.
        drawn_row: (ROWS_BEFORE + row) as u32,
        ..RasterLod::default()
    });
    let lods: Vec<RasterLod> = lods.collect();
    let others = std::iter::repeat_n(1, ROWS_BEFORE);
    let arguments = others.chain(people.concat()).flat_map(|count| [9, count, 0, 0, 77]);
    let arguments: Vec<u32> = arguments.collect();
    let buffers = [
        buffer_with(
            gpu,
            "uniforms",
            bytemuck::bytes_of(&uniforms),
            wgpu::BufferUsages::UNIFORM,
        ),
        buffer_with(gpu, "lods", bytemuck::cast_slice(&lods), read),
        buffer_with(gpu, "left", &[0; 2 * LODS * 20], read),
        buffer_with(gpu, "rows", &[0; (FIRST_ROW + 2 * LODS) * size_of::<RasterRow>()], read),
        buffer_with(gpu, "dispatches", &[0; 24], read),
        buffer_with(gpu, "taken", bytemuck::bytes_of(&before), read),
        buffer_with(gpu, "arguments", bytemuck::cast_slice(&arguments), read),
    ];
    let frame = buffer_with(
        gpu,
        "frame",
        &[0; size_of::<FrameUniforms>()],
        wgpu::BufferUsages::UNIFORM,
    );
    let bind = |layout, buffers: &[wgpu::Buffer]| {
        let entries = buffers.iter().zip(0..).map(|(buffer, binding)| wgpu::BindGroupEntry {
            binding,
            resource: buffer.as_entire_binding(),
        });
        gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("slots"),
            layout,
            entries: &entries.collect::<Vec<_>>(),
        })
    };
    let mut encoder = encoder(gpu, "slots");
    let mut pass = compute_pass(&mut encoder, "slots");
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &bind(&layouts.frame, &[frame]), &[]);
    pass.set_bind_group(1, &bind(&layouts.slots, &buffers), &[]);
    pass.dispatch_workgroups(1, 1, 1);
    drop(pass);
    gpu.queue.submit([encoder.finish()]);
    let words = |number: usize| read_buffer(gpu, &buffers[number]).expect("readback");
    let left: Vec<u32> = bytemuck::pod_collect_to_vec(&words(2));
    let mut rows: Vec<RasterRow> = bytemuck::pod_collect_to_vec(&words(3));
    let others = rows.drain(..FIRST_ROW);
    assert!(others.as_slice().iter().all(|row| *row == RasterRow::default()));
    drop(others);
    IdDraw {
        rows,
        left: left.chunks_exact(5).map(|row| row[1]).collect(),
        dispatches: bytemuck::pod_collect_to_vec(&words(4)),
        taken: bytemuck::pod_collect_to_vec(&words(5))[0],
    }
}

/// True for LODs of splats.
fn is_splats(lod: usize) -> bool {
    lod >= 10
}

/// Number of triangles of a meshlet.
const TRIANGLES: u32 = 256;
/// Number of people who take a quarter of all ids with one meshlet each.
const MANY: u32 = MOST_TRIANGLES / TRIANGLES / 4;

#[test]
fn triangles_are_numbered_in_order_and_what_is_beyond_is_left_to_the_hardware() {
    let Some(gpu) = supported() else { return };
    let many = MANY;
    let people = [
        [10, 0, 7, 0, 0, 0, 0, 5, 0, 0, 0, 3, 0],
        [0, many, many - 10, many, 1, 4_000_000_000, 0, 1, 0, 2, 1000, 9, 1],
    ];
    let meshlets = [
        [4, 2, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1],
        [3, 1, 1, 2, 1, 3, 1, 1, 0, 1, 1, 1, 1],
    ];
    for before in [0, 1, TRIANGLES * many, u32::MAX] {
        assert_numbered(&gpu, (&people, &meshlets), before);
    }
    // No people.
    let none = id_draws(&gpu, &[[0; LODS]; 2], &meshlets, 4);
    assert!(none.rows.iter().all(|row| row.people == 0 && row.group_count == 0));
    assert_eq!((none.dispatches, none.taken), (vec![0, 0, 1, 0, 0, 1], 4));
}

/// Checks that triangle ids are consecutive from the earlier phase on, and that rows never start before earlier rows.
fn assert_numbered(gpu: &Gpu, (people, meshlets): (&OfLods, &OfLods), before: u32) {
    let IdDraw {
        rows,
        left,
        dispatches,
        taken: end,
    } = id_draws(gpu, people, meshlets, before);
    let of_splats = |draw: usize, lod: usize| u64::from(people[draw][lod] * TRIANGLES * meshlets[draw][lod]);
    let splats: u64 = (0..2)
        .flat_map(|draw| [10, 11, 12].map(|lod| of_splats(draw, lod)))
        .sum();
    // So many that splats get ids, too, unless earlier draws took all of them.
    let most = u64::from(before).clamp(u64::from(MOST_TRIANGLES) - splats, u64::from(MOST_TRIANGLES));
    let (mut triangles, mut splats) = (u64::from(before), 0);
    for draw in 0..2 {
        let mut groups = 0;
        for lod in 0..LODS {
            let row = rows[draw * LODS + lod];
            let (count, each) = (people[draw][lod], meshlets[draw][lod]);
            let own = u64::from(count) * u64::from(TRIANGLES * each);
            let begins = triangles.min(most) + splats;
            let fits = match is_splats(lod) {
                true => begins + own <= u64::from(MOST_TRIANGLES),
                false => triangles + own <= most,
            };
            let taken = own > 0 && fits;
            assert_eq!(left[draw * LODS + lod], if taken { 0 } else { count }, "{draw} {lod}");
            assert_eq!(row.people, if taken { count } else { 0 }, "{draw} {lod}");
            assert_eq!(row.triangle_count, TRIANGLES * each);
            if taken {
                assert_eq!(u64::from(row.first_triangle), begins);
                assert_eq!((row.first_group, row.list_start, row.first_meshlet), (groups, 77, 5));
                groups += (count * each).div_ceil(if each == 1 { 3 } else { 1 });
            }
            *(if is_splats(lod) { &mut splats } else { &mut triangles }) += own;
        }
        let wanted = [groups.min(1 << 15), groups.div_ceil(1 << 15), 1];
        assert_eq!(dispatches[draw * 3..][..3], wanted, "{draw}");
    }
    assert!(
        left.contains(&MANY),
        "no draw was left to the hardware rasterizer: {left:?}"
    );
    assert!(rows.is_sorted_by_key(|row| row.first_triangle), "{rows:?}");
    assert!(end > MOST_TRIANGLES, "the id range is not exhausted: {end}");
}

#[test]
fn other_sample_counts_use_the_graphics_pipeline() {
    let Some(gpu) = supported() else { return };
    for (samples, uses_sw_raster) in [(1, true), (4, true), (2, false), (8, false)] {
        let targets = Targets {
            color: PICTURE_FORMAT,
            depth: DepthTarget::reversed(wgpu::TextureFormat::Depth32Float),
            samples,
        };
        let options = CrowdOptions {
            raster: Raster::Compute,
            ..CrowdOptions::default()
        };
        let crowd = CrowdRenderer::with_options(&gpu, targets, options).expect("compiles");
        assert_eq!(crowd.uses_sw_raster(), uses_sw_raster, "{samples} samples");
    }
}
