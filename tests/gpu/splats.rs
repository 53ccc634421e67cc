//! LODs of splats, which only the software rasterizer draws: they cover the same pixels as circles around vertices
//! posed on the CPU.
//! The hardware rasterizer draws meshes instead.

use glam::{Mat4, Quat, Vec2, Vec3, camera::rh};
use throng::{
    bake::skinning,
    character::Character,
    cli::shot::frame_input,
    config::Raster,
    crowd::{Clock, Instance},
    gpu::{Gpu, PICTURE_FORMAT, encoder, read_texture_rgba8, target_texture, whole_view},
    model::{LUMINANCE, Lod, Mesh, linear_from_srgb},
    render::{CrowdOptions, CrowdRenderer, Culling, DepthTarget, DrawPath, FrameInput, Targets, View},
};

use crate::{
    common,
    culling::leveled,
    raster::{SIZE, USUAL, compare, open, picture, preset, supported},
};

const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
/// Number of splats of a person.
const SPLATS: usize = 40;
/// Coarseness of LODs: these splats are used up to 8 rows, and thus for everyone here.
const DETAIL: f32 = 12.0;

/// Maximum share by which a person at the side of a picture may be brighter than in its middle: pixels are large.
const MOST_BRIGHTER: f32 = 0.015;

/// LOD of splats around some of the full mesh's vertices, of several sizes.
fn splats(character: &Character) -> Lod {
    let full = &character.model.mesh.vertices;
    let step = full.len() / SPLATS;
    Lod {
        mesh: Mesh {
            vertices: full.iter().step_by(step).take(SPLATS).copied().collect(),
            indices: (0..SPLATS as u32).flat_map(|splat| [splat; 3]).collect(),
        },
        radii: (0..SPLATS).map(|splat| 0.03 + 0.02 * (splat % 5) as f32).collect(),
        normal_bias: 0.0,
        morphs: Vec::new(),
        max_sample_rows: 8.0,
        worst_mm: 100.0,
    }
}

fn with_splats(name: &str) -> Character {
    let mut character = leveled(name);
    let lod = splats(&character);
    character.model.lods.push(lod);
    character
}

/// Character with splats that are never used: their reach still enlarges boxes.
fn never_splats(name: &str) -> Character {
    let mut character = with_splats(name);
    if let Some(lod) = character.model.lods.last_mut() {
        lod.max_sample_rows = 1e-3;
    }
    character
}

fn people() -> Vec<Instance> {
    let place = |i: u32| Vec3::new((i % 6) as f32 * 1.3 - 3.2, 0.0, -4.0 * (i / 6) as f32);
    (0..24)
        .map(|i| {
            Instance::new(place(i))
                .with_yaw_scale(i as f32, 0.8 + 0.02 * i as f32)
                .with_clip((i % 3) as u16, 0.0, 0.0)
        })
        .collect()
}

fn camera() -> (Mat4, Vec3) {
    camera_at(Vec3::NEG_Z * 6.0, 0.8)
}

/// Camera that looks at a point, with a vertical field of view (radians).
fn camera_at(target: Vec3, fov: f32) -> (Mat4, Vec3) {
    let eye = Vec3::new(0.0, 3.0, 9.0);
    let projection: Mat4 = rh::proj::directx::perspective_infinite_reverse(fov, 1.78, 0.1);
    (projection * rh::view::look_at_mat4(eye, target, Vec3::Y), eye)
}

/// Picture of a host in three steps, by compute, with or without splats.
fn host_picture(gpu: &Gpu, character: Character, splats: bool) -> Vec<u8> {
    picture_of(gpu, character, (&people(), camera(), splats))
}

fn picture_of(
    gpu: &Gpu,
    character: Character,
    (people, (projection_from_world, eye), splats): (&[Instance], (Mat4, Vec3), bool),
) -> Vec<u8> {
    let targets = Targets {
        color: PICTURE_FORMAT,
        depth: DepthTarget::reversed(DEPTH),
        samples: 1,
    };
    let options = CrowdOptions {
        path: DrawPath::Selected,
        raster: Raster::Compute,
        ..CrowdOptions::default()
    };
    let mut crowd = CrowdRenderer::with_options(gpu, targets, options).expect("compiles");
    let id = crowd.add_character(character).expect("fits");
    crowd.set_instances(id, people).expect("fits");
    let view = View {
        size: Some(SIZE),
        splats,
        detail: DETAIL,
        sw_raster_max_rows: 4096,
        ..View::new(projection_from_world, eye)
    };
    let color = target_texture(gpu, "color", SIZE, PICTURE_FORMAT, 1, wgpu::TextureUsages::COPY_SRC);
    let depth = target_texture(gpu, "depth", SIZE, DEPTH, 1, wgpu::TextureUsages::TEXTURE_BINDING);
    let (view_of_color, depth) = (whole_view(&color, "color"), whole_view(&depth, "depth"));
    let mut encoder = encoder(gpu, "frame");
    crowd.prepare(&mut encoder, &view, Clock::from_seconds(1.3));
    let mut pass = common::gpu::host_pass(&mut encoder, &view_of_color, &depth, Some(0.0));
    crowd.draw_near(&mut pass);
    drop(pass);
    crowd.cull(&mut encoder, &depth);
    let mut pass = common::gpu::host_pass(&mut encoder, &view_of_color, &depth, None);
    crowd.draw_far(&mut pass);
    drop(pass);
    gpu.queue.submit([encoder.finish()]);
    assert_eq!(gpu.take_error(), None);
    let drawn = crowd.drawn(id).expect("reads").expect("is listed");
    // After the full mesh and three coarser ones.
    let of_splats = drawn.iter().filter(|person| person.lod == 4).count();
    assert_eq!(of_splats, if splats { people.len() } else { 0 }, "{drawn:?}");
    read_texture_rgba8(gpu, &color).expect("readback")
}

/// Middle and radius (px) of every splat of every person.
fn circles(character: &Character, lod: &Lod) -> Vec<(Vec2, f32)> {
    let (projection_from_world, eye) = camera();
    let size = Vec2::new(SIZE.0 as f32, SIZE.1 as f32);
    let up = projection_from_world.row(1).truncate().length();
    let palettes = &character.palettes;
    let of_person = |person: &Instance| {
        let first = palettes.clips[usize::from(person.clip())].first_frame as usize;
        let palette = skinning::palette_between(palettes, first, first, 0.0);
        let posed = skinning::skin_vertices(&lod.mesh.vertices, &palette);
        let turn = Quat::from_rotation_y(person.yaw());
        let (place, scale) = (Vec3::from(person.position), person.scale());
        let circle = move |(vertex, radius): (skinning::SkinnedVertex, f32)| {
            let world = turn * (vertex.position * scale) + place;
            let clip = projection_from_world * world.extend(1.0);
            // Radius of a circle with the area of the projected circle, which is an ellipse towards the sides of the
            // picture.
            let wider = (world.distance(eye) / clip.w).sqrt();
            let seen = Vec2::new(clip.x, -clip.y) / clip.w * 0.5 + 0.5;
            (seen * size, 0.5 * size.y * up * radius * scale * wider / clip.w)
        };
        let radii = lod.radii.clone();
        posed.into_iter().zip(radii).map(circle).collect::<Vec<_>>()
    };
    people().iter().flat_map(of_person).collect()
}

#[test]
fn splats_cover_what_circles_cover_around_posed_vertices() {
    let Some(gpu) = supported() else { return };
    let character = with_splats("man");
    let circles = circles(&character, character.model.lods.last().expect("splats"));
    // Signed distance (px) of a pixel's centre inside the nearest circle; negative outside all circles.
    let inside = |pixel: usize| {
        let (x, y) = (pixel % SIZE.0 as usize, pixel / SIZE.0 as usize);
        let middle = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
        let depths = circles.iter().map(|(at, radius)| radius - at.distance(middle));
        depths.fold(f32::NEG_INFINITY, f32::max)
    };
    let found = host_picture(&gpu, character, true);
    let covered: Vec<bool> = found.chunks_exact(4).map(|pixel| pixel[3] > 0).collect();
    // Tolerance (px) for f16 matrices and positions of 1/256 px.
    let unsure = 0.05;
    let wrong = (0..covered.len()).filter(|&pixel| {
        let inside = inside(pixel);
        inside.abs() > unsure && (inside > 0.0) != covered[pixel]
    });
    let wrong: Vec<usize> = wrong.collect();
    let count = covered.iter().filter(|covered| **covered).count();
    println!(
        "{count} pixels covered by {} circles, {} otherwise",
        circles.len(),
        wrong.len()
    );
    assert!(count > 1000, "{count} pixels");
    assert!(wrong.is_empty(), "{wrong:?}");
    // Compared with circles that are a tenth larger.
    let wider = |pixel: &usize| {
        let (x, y) = (pixel % SIZE.0 as usize, pixel / SIZE.0 as usize);
        let middle = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
        circles.iter().any(|(at, radius)| at.distance(middle) < 1.1 * radius) && !covered[*pixel]
    };
    assert!((0..covered.len()).filter(wider).count() > 30);
}

/// A person is seen from the same side, wherever they are in the picture of one eye.
#[test]
fn splats_to_the_side_of_a_picture_are_lit_as_in_its_middle() {
    let Some(gpu) = supported() else { return };
    let people = [Instance::new(Vec3::ZERO).with_yaw_scale(0.4, 1.0)];
    let light = |turned: f32| {
        let eye = Vec3::new(0.0, 3.0, 9.0);
        let target = eye + Quat::from_rotation_y(turned) * (Vec3::Y - eye);
        let found = picture_of(&gpu, with_splats("woman"), (&people, camera_at(target, 0.9), true));
        let pixels = found.chunks_exact(4).filter(|pixel| pixel[3] == 255);
        let light = |pixel: &[u8]| {
            Vec3::from([pixel[0], pixel[1], pixel[2]].map(|byte| linear_from_srgb(f32::from(byte) / 255.0)))
        };
        let (count, sum) = pixels.fold((0, Vec3::ZERO), |(count, sum), pixel| (count + 1, sum + light(pixel)));
        assert!(count > 200, "{count} pixels");
        (count, sum.dot(LUMINANCE) / count as f32)
    };
    let (_, middle) = light(0.0);
    for turned in [-0.6, -0.3, 0.3, 0.6] {
        let (count, side) = light(turned);
        println!("{turned} to the side: {count} pixels of light {side}, {middle} in the middle");
        assert!(
            (side / middle - 1.0).abs() < MOST_BRIGHTER,
            "{turned}: {side}, {middle} in the middle"
        );
    }
}

#[test]
fn splats_are_equal_with_32_bit_steps() {
    let Some(gpu) = supported() else { return };
    let [packed, split] =
        [gpu.clone(), gpu.without_wide_atomics()].map(|gpu| host_picture(&gpu, with_splats("man"), true));
    assert!(packed == split);
}

#[test]
fn without_splats_meshes_are_drawn_in_their_place() {
    let Some(gpu) = supported() else { return };
    let [with, without, never] = [
        host_picture(&gpu, with_splats("man"), true),
        host_picture(&gpu, with_splats("man"), false),
        host_picture(&gpu, never_splats("man"), false),
    ];
    assert!(without == never, "the picture differs from one without splats");
    assert!(compare(&with, &without).0 > 500, "splats are not visible");
}

#[test]
fn scenes_of_splats_repeat_match_unculled_ones_and_lose_nobody() {
    let Some(gpu) = supported() else { return };
    let (config, mut scene) = preset("million", 250);
    for character in &mut scene.characters {
        *character = with_splats(&character.model.name).into();
    }
    let input = FrameInput {
        detail: DETAIL,
        sw_raster_max_rows: 4096,
        ..frame_input(&config, &scene, 3.3).expect("a view")
    };
    for samples in [1, 4] {
        let look = crate::raster::Look { samples, ..USUAL };
        let mut compute = open(&gpu, &scene, look, Raster::Compute);
        let found = picture(&gpu, &mut compute, &input);
        let drawn = compute.drawn().expect("lists").clone();
        assert!(drawn.lods.get(4).is_some_and(|splats| splats.people > 20), "{drawn:?}");
        assert!(picture(&gpu, &mut compute, &input) == found, "twice");
        let all = FrameInput {
            culling: Culling::all(false),
            ..input.clone()
        };
        assert!(picture(&gpu, &mut compute, &all) == found, "culling");
        // The hardware rasterizer draws only meshes.
        let meshes = FrameInput {
            splats: false,
            ..input.clone()
        };
        let by_meshes = picture(&gpu, &mut compute, &meshes);
        let by_pipe = picture(&gpu, &mut open(&gpu, &scene, look, Raster::Hardware), &input);
        let (differing, inside) = compare(&by_pipe, &by_meshes);
        assert!(
            differing * 1000 <= found.len() / 4 && inside == 0,
            "{differing}, {inside}"
        );
        assert!(compare(&found, &by_meshes).0 > 200, "splats are not visible");
    }
}
