//! Visibility, LOD and order of people against the CPU twin of the GPU's selection; and degenerate crowds.

use std::sync::Arc;

use glam::{Mat4, Vec3, camera::rh};
use throng::{
    bake::BakeOptions,
    character::Character,
    config::Config,
    crowd::{Clock, Instance, hash::Draws},
    file::open_bytes,
    gpu::{Gpu, encoder, target_texture, whole_view},
    model::{Lod, Mesh},
    render::{
        CharacterId, CrowdOptions, CrowdRenderer, Culling, DepthTarget, FrameUniforms, Targets, View,
        crowd::DrawnPerson,
        passes::draw_lists::visible::{
            ROWS_PER_SHADOW_TEXEL, WorldBox, crosses_depth, is_outside, lod_of, rows_around, rows_of,
        },
        resources::{BoundsRow, DrawLod, clip_bounds},
    },
    scene::{Scene, StartupTimes, embedded::embedded},
};

use crate::common;

const COLOR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;
const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
const EYE: Vec3 = Vec3::new(0.0, 1.7, 0.0);
const HEIGHT: u32 = 200;
const ROWS: [f32; 3] = [60.0, 24.0, 7.0];

/// Character with coarser meshes: every second, fourth and eighth triangle.
pub fn leveled(name: &str) -> Character {
    let opened = open_bytes(name, embedded(name).expect("comes with the library"), None).expect("opens");
    let mut character = Character::from_opened(opened, &BakeOptions { rate: 10.0 }).expect("bakes");
    let full = &character.model.mesh;
    let every = |step: usize| Mesh {
        vertices: full.vertices.clone(),
        indices: full.indices.chunks_exact(3).step_by(step).flatten().copied().collect(),
    };
    let lod = |(number, max_sample_rows): (usize, f32)| Lod {
        mesh: every(2 << number),
        morphs: Vec::new(),
        max_sample_rows,
        worst_mm: 0.0,
        radii: Vec::new(),
        normal_bias: 0.0,
    };
    character.model.lods = ROWS.into_iter().enumerate().map(lod).collect();
    character
}

/// Preset with a few such people, for pictures of a size.
pub fn leveled_scene(name: &str, count: u32, size: (u32, u32)) -> (Config, Scene) {
    let mut config = Config::scene(name).expect("embedded");
    config.scene.count = count;
    config.bake.rate = 10.0;
    (config.window.width, config.window.height) = size;
    let mut scene = Scene::load(&config, &mut StartupTimes::default()).expect("loads");
    for character in &mut scene.characters {
        *character = Arc::new(leveled(&character.model.name));
    }
    (config, scene)
}

fn view(detail: f32, culling: Culling) -> View {
    let projection: Mat4 = rh::proj::directx::perspective_infinite_reverse(0.8, 1.6, 0.1);
    let camera = rh::view::look_at_mat4(EYE, Vec3::new(3.0, 1.0, -20.0), Vec3::Y);
    View {
        size: Some((320, HEIGHT)),
        detail,
        culling,
        ..View::new(projection * camera, EYE)
    }
}

fn renderer(gpu: &Gpu, shadow_size: u32) -> CrowdRenderer {
    let targets = Targets {
        color: COLOR,
        depth: DepthTarget::reversed(DEPTH),
        samples: 1,
    };
    let options = CrowdOptions {
        shadow_size,
        ..CrowdOptions::default()
    };
    CrowdRenderer::with_options(gpu, targets, options).expect("compiles")
}

fn crowd_of(count: u32) -> Vec<Instance> {
    let person = |index| {
        let draws = Draws::new(11, 1, index);
        let far = 2.0 + 130.0 * draws.unit(0) * draws.unit(1);
        let angle = draws.unit(2) * std::f32::consts::TAU;
        let position = Vec3::new(far * angle.cos(), draws.signed(3), far * angle.sin());
        let speed = draws.unit(4);
        Instance::new(position)
            .with_yaw_scale(draws.unit(5) * 6.0, 0.7 + 0.6 * draws.unit(6))
            .with_clip(draws.below(7, 5) as u16, speed, draws.unit(8))
    };
    (0..count).map(person).collect()
}

/// Runs selection; with `draw` it also draws the near phase and culls people occluded by it.
fn frame(gpu: &Gpu, crowd: &mut CrowdRenderer, view: &View, draw: bool) {
    let size = view.size.map_or((8, 8), |(w, h)| (w.max(1), h.max(1)));
    let color = target_texture(gpu, "color", size, COLOR, 1, wgpu::TextureUsages::empty());
    let depth = target_texture(gpu, "depth", size, DEPTH, 1, wgpu::TextureUsages::TEXTURE_BINDING);
    let (color, depth) = (whole_view(&color, "color"), whole_view(&depth, "depth"));
    let mut encoder = encoder(gpu, "frame");
    crowd.prepare(&mut encoder, view, Clock::from_seconds(1.3));
    if draw {
        let mut pass = common::gpu::host_pass(&mut encoder, &color, &depth, Some(0.0));
        crowd.draw_near(&mut pass);
        drop(pass);
        crowd.cull(&mut encoder, &depth);
    }
    gpu.queue.submit([encoder.finish()]);
}

fn drawn(crowd: &CrowdRenderer, id: CharacterId) -> Vec<DrawnPerson> {
    crowd.drawn(id).expect("reads").expect("is listed")
}

/// CPU twin: computes visibility and height in rows for a box enlarged by a share.
struct Twin {
    rows: Vec<BoundsRow>,
    lods: Vec<DrawLod>,
    height: f32,
}

impl Twin {
    fn new(character: &Character) -> Self {
        let atlas = character.atlas(throng::atlas::AtlasFormat::F16);
        let full = DrawLod {
            first_index: 0,
            index_count: 0,
            max_sample_rows: f32::INFINITY,
            splats: false,
        };
        let coarser = character.model.lods.iter().map(|l| DrawLod {
            max_sample_rows: l.max_sample_rows,
            ..full
        });
        Self {
            rows: clip_bounds(character, atlas.format, &atlas.decode_size, 0.0),
            lods: std::iter::once(full).chain(coarser).collect(),
            height: 2.0 * character.unit.half_extent,
        }
    }

    fn area(&self, person: &Instance, grown: f32) -> WorldBox {
        let row = &self.rows[usize::from(person.clip()).min(self.rows.len() - 1)];
        let area = WorldBox::placed(row, Vec3::from(person.position), person.yaw(), person.shape());
        WorldBox {
            x: area.x * grown,
            y: area.y * grown,
            z: area.z * grown,
            ..area
        }
    }
}

#[test]
fn draw_lists_hold_the_people_that_the_cpu_finds_in_order() {
    let Some(gpu) = common::gpu::open() else { return };
    let character = Arc::new(leveled("man"));
    let twin = Twin::new(&character);
    let mut crowd = renderer(&gpu, 0);
    let id = crowd.add_character(character).expect("fits");
    let people = crowd_of(5000);
    crowd.set_instances(id, &people).expect("fits");
    for detail in [0.0, 1.0, 3.0] {
        let view = view(detail, Culling::all(true));
        frame(&gpu, &mut crowd, &view, false);
        let listed = drawn(&crowd, id);
        let mut seen = vec![None; people.len()];
        for person in &listed {
            let place = &mut seen[person.index as usize];
            assert!(place.is_none(), "{} twice", person.index);
            *place = Some(*person);
        }
        let order = |p: &DrawnPerson| (!p.near, p.lod, p.index);
        assert!(listed.windows(2).all(|pair| order(&pair[0]) < order(&pair[1])));
        let mut lods = [0; 4];
        for (index, (person, found)) in (0..).zip(people.iter().zip(&seen)) {
            // Within a thousandth of the box, the GPU may decide otherwise.
            let [inner, outer] = [0.999, 1.001].map(|grown| twin.area(person, grown));
            let out = |area| is_outside(area, &view.projection_from_world);
            assert!(found.is_some() || out(&inner), "{index} is in view, but was culled");
            assert!(
                found.is_none() || !out(&outer),
                "{index} is outside the view, but was drawn"
            );
            let Some(found) = found else { continue };
            lods[found.lod as usize] += 1;
            let rows = [&inner, &outer].map(|area| {
                let rows = rows_of(area, &view.projection_from_world, HEIGHT as f32, twin.height);
                // Tolerance for the last bits of a division.
                [rows * 0.9999, rows * 1.0001]
            });
            let possible = rows.concat().into_iter();
            let clipped = crosses_depth(&inner, &view.projection_from_world);
            let of = |rows: f32| (lod_of(&twin.lods, index, rows, detail), clipped || rows > 32.0);
            let possible: Vec<_> = possible.map(of).collect();
            assert!(
                possible.contains(&(found.lod, found.near)),
                "{index}: {found:?}, {possible:?} at {rows:?} rows"
            );
        }
        let outside = seen.iter().filter(|found| found.is_none()).count();
        assert!(outside > 1000 && outside < 4900, "{outside} outside");
        if detail == 0.0 {
            assert_eq!(lods[1..], [0; 3], "full detail");
        } else {
            // Above 1, LODs are coarser nearby, and few people are at full detail.
            let enough = if detail > 1.0 { 0 } else { 20 };
            assert!(lods.iter().all(|&people| people > enough), "{lods:?}");
        }
    }
    assert_eq!(gpu.take_error(), None);
}

#[test]
fn shadow_lods_follow_half_the_shadow_map_texels_or_the_height_in_view() {
    let Some(gpu) = common::gpu::open() else { return };
    const TEXELS: u32 = 1024;
    let character = Arc::new(leveled("man"));
    let twin = Twin::new(&character);
    let mut crowd = renderer(&gpu, TEXELS);
    let id = crowd.add_character(character).expect("fits");
    let people = crowd_of(2000);
    crowd.set_instances(id, &people).expect("fits");
    let mut lods = [0; 4];
    let mut finer = 0;
    // Shadow maps of several sizes: they reach from the eye to the focus.
    for focus in [3.0, 12.0, 40.0, 80.0] {
        let view = View {
            shadow_focus: Some(Vec3::new(0.0, 0.0, -focus)),
            ..view(1.0, Culling::all(true))
        };
        frame(&gpu, &mut crowd, &view, false);
        let frame = FrameUniforms::of(&view, Clock::from_seconds(1.3), TEXELS, 1);
        let sun = frame.shadow_from_world;
        for found in crowd.drawn_in_shadow_map(id).expect("reads").expect("is listed") {
            let rows = [0.999, 1.001].map(|grown| {
                let area = twin.area(&people[found.index as usize], grown);
                let drawn = rows_of(&area, &sun, ROWS_PER_SHADOW_TEXEL * TEXELS as f32, twin.height);
                let camera = &view.projection_from_world;
                let seen = rows_around(&area, EYE, camera, frame.sample_rows, twin.height);
                finer += u32::from(seen > drawn);
                drawn.max(seen)
            });
            let possible = rows.map(|rows| lod_of(&twin.lods, found.index, rows, 1.0));
            assert!(
                possible.contains(&found.lod),
                "{found:?}, {possible:?} at {rows:?} rows"
            );
            lods[found.lod as usize] += 1;
        }
    }
    assert!(lods.iter().all(|&people| people > 5), "{lods:?}");
    assert!(finer > 20, "{finer} people need a finer LOD than the shadow map");
    assert_eq!(gpu.take_error(), None);
}

#[test]
fn with_culling_off_everyone_is_listed_once() {
    let Some(gpu) = common::gpu::open() else { return };
    let mut crowd = renderer(&gpu, 64);
    let id = crowd.add_character(leveled("man")).expect("fits");
    // Whole blocks, one person more, one person, nobody.
    for count in [512, 513, 1, 0] {
        crowd.set_instances(id, &crowd_of(count)).expect("fits");
        let view = View {
            shadow_focus: Some(Vec3::ZERO),
            ..view(1.0, Culling::all(false))
        };
        frame(&gpu, &mut crowd, &view, true);
        if count == 0 {
            assert_eq!(crowd.drawn(id).expect("reads"), None);
            continue;
        }
        let sun = crowd.drawn_in_shadow_map(id).expect("reads").expect("is listed");
        for listed in [drawn(&crowd, id), sun] {
            let mut all: Vec<u32> = listed.iter().map(|p| p.index).collect();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..count), "{count}");
        }
    }
    assert_eq!(gpu.take_error(), None);
}

#[test]
fn people_behind_a_wall_of_others_are_taken_out_and_those_beside_it_stay() {
    let Some(gpu) = common::gpu::open() else { return };
    let mut crowd = renderer(&gpu, 0);
    let id = crowd.add_character(leveled("man")).expect("fits");
    // Near people shoulder to shoulder, and two rows far behind them: one occluded, one above their heads.
    let wall = (0..60).map(|i| Instance::new(Vec3::new(i as f32 * 0.1 - 3.0, 0.0, -6.0)));
    let ahead = |i: u32| Vec3::new(3.0, 0.0, -20.0).normalize() * 40.0 + Vec3::X * (i as f32 * 0.4 - 8.0);
    let covered = (0..40).map(|i| Instance::new(ahead(i) - Vec3::Y * 0.2));
    let above = (0..40).map(|i| Instance::new(ahead(i) + Vec3::Y * 6.0));
    let people: Vec<Instance> = wall.chain(covered).chain(above).collect();
    crowd.set_instances(id, &people).expect("fits");
    let view = view(1.0, Culling::all(true));
    frame(&gpu, &mut crowd, &view, false);
    let before = drawn(&crowd, id);
    frame(&gpu, &mut crowd, &view, true);
    let after = drawn(&crowd, id);
    let of = |listed: &[DrawnPerson], range: std::ops::Range<u32>| {
        listed.iter().filter(|p| range.contains(&p.index)).count()
    };
    assert!(of(&before, 60..100) > 20, "{before:?}");
    assert!(
        of(&after, 60..100) < of(&before, 60..100) / 2,
        "occluded people are drawn"
    );
    assert_eq!(of(&after, 0..60), of(&before, 0..60), "near people were culled");
    assert_eq!(
        of(&after, 100..140),
        of(&before, 100..140),
        "people above the wall were culled"
    );
    // The next frame starts without occlusion.
    frame(&gpu, &mut crowd, &view, false);
    assert_eq!(drawn(&crowd, id), before);
    assert_eq!(gpu.take_error(), None);
}

#[test]
fn the_same_is_drawn_after_a_larger_crowd() {
    let Some(gpu) = common::gpu::open() else { return };
    let mut crowd = renderer(&gpu, 0);
    let id = crowd.add_character(leveled("man")).expect("fits");
    let view = view(1.0, Culling::all(true));
    let of = |crowd: &mut CrowdRenderer, count| {
        crowd.set_instances(id, &crowd_of(count)).expect("fits");
        frame(&gpu, crowd, &view, true);
        drawn(crowd, id)
    };
    let first = of(&mut crowd, 900);
    of(&mut crowd, 20_000);
    assert!(first.len() > 20);
    assert_eq!(of(&mut crowd, 900), first);
}

#[test]
fn degenerate_crowds_and_pictures_are_drawn_without_errors() {
    let Some(gpu) = common::gpu::open() else { return };
    let mut broken = leveled("man");
    broken.model.lods[1].max_sample_rows = f32::NAN;
    broken.model.lods[2].mesh.indices.clear();
    for clip in &mut broken.palettes.clips {
        clip.bounds.min.x = f32::NAN;
    }
    let mut crowd = renderer(&gpu, 0);
    let id = crowd.add_character(broken).expect("fits");
    let huge = Instance::new(Vec3::splat(1e30)).with_yaw_scale(0.0, 60_000.0);
    let nowhere = Instance::new(Vec3::splat(f32::NAN));
    crowd
        .set_instances(id, &[Instance::new(EYE), huge, nowhere, Instance::new(Vec3::Z * 50.0)])
        .expect("fits");
    let sized = view(1.0, Culling::all(true));
    let singular = View {
        projection_from_world: Mat4::ZERO,
        ..sized
    };
    let endless = View {
        detail: f32::INFINITY,
        ..sized
    };
    for view in [
        sized,
        singular,
        endless,
        View {
            size: Some((0, 0)),
            ..sized
        },
        View { size: None, ..sized },
    ] {
        frame(&gpu, &mut crowd, &view, true);
        // Without valid bounds nobody can be culled.
        assert_eq!(drawn(&crowd, id).len(), 4, "{view:?}");
    }
    assert_eq!(gpu.take_error(), None);
}
