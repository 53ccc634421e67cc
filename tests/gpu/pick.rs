//! Picking on the GPU finds the same people as the CPU, on thousands of rays, also through people in line.

use std::collections::BTreeMap;

use glam::{Vec2, Vec3};
use throng::{
    config::Config,
    crowd::{clock::Clock, hash::Draws},
    gpu::Gpu,
    render::{FrameInput, RenderOptions, Renderer, passes::PickAnswer},
    scene::{PersonRef, PickCandidate, Scene, StartupTimes},
    view::{Camera, Ray},
};

use crate::common;

const SIZE: (u32, u32) = (64, 36);
const MOMENT: f64 = 11.3;

fn scene(name: &str, count: u32) -> Scene {
    let mut config = Config::scene(name).expect("embedded");
    config.scene.count = count;
    Scene::load(&config, &mut StartupTimes::default()).expect("loads")
}

/// A renderer that has drawn the scene once.
fn drawn(gpu: &Gpu, scene: &Scene) -> Renderer {
    let options = RenderOptions::of(common::gpu::MATRIX);
    let mut renderer = common::gpu::renderer(gpu, scene, options);
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("picture"),
        size: wgpu::Extent3d {
            width: SIZE.0,
            height: SIZE.1,
            depth_or_array_layers: 1,
        },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: options.target,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
        view_formats: &[],
    });
    let far = FrameInput {
        // Nobody is in the picture: only the output of `animate` matters here.
        projection_from_world: glam::Mat4::from_translation(Vec3::splat(9.0)),
        ..common::gpu::frame(MOMENT)
    };
    renderer.draw(gpu, &throng::gpu::whole_view(&texture, "picture"), SIZE, &far);
    renderer
}

fn ask(gpu: &Gpu, renderer: &mut Renderer, ray: Ray) -> PickAnswer {
    renderer.ask_pick(ray);
    for _ in 0..10_000 {
        if let Some(answer) = renderer.picked() {
            return answer.expect("the device is there");
        }
        gpu.wait_idle();
    }
    panic!("no answer");
}

/// Rays through random pixels of a camera.
fn rays(camera: &Camera, count: u32) -> Vec<Ray> {
    let aspect = SIZE.0 as f32 / SIZE.1 as f32;
    let world = camera.projection_from_world(aspect).inverse();
    let ray = |i| {
        let draws = Draws::new(5, 0x9_1c, i);
        let at = Vec2::new(draws.signed(0), draws.signed(1));
        let point = world.project_point3(at.extend(1.0));
        Ray {
            origin: camera.eye,
            direction: (point - camera.eye).normalize(),
        }
    };
    (0..count).map(ray).collect()
}

fn by_person(candidates: &[PickCandidate]) -> BTreeMap<PersonRef, f32> {
    candidates.iter().map(|c| (c.who, c.distance)).collect()
}

#[test]
fn the_gpu_finds_whom_the_cpu_finds() {
    let Some(gpu) = common::gpu::open() else { return };
    let clock = Clock::from_seconds(MOMENT);
    let (mut asked, mut somebody, mut layers) = (0, 0, 0);
    for (name, count, eye, target) in [
        ("plaza", 600, Vec3::new(3.0, 1.7, 14.0), Vec3::new(0.0, 1.2, 0.0)),
        ("plaza", 600, Vec3::new(12.0, 9.0, 14.0), Vec3::ZERO),
        ("army", 500, Vec3::new(4.0, 1.8, 46.0), Vec3::new(0.0, 1.1, 0.0)),
    ] {
        let scene = scene(name, count);
        let mut renderer = drawn(&gpu, &scene);
        let fov = 0.8;
        for ray in rays(&Camera { eye, target, fov }, 800) {
            let PickAnswer::Candidates(found) = ask(&gpu, &mut renderer, ray) else {
                panic!("{name}: the list overflows");
            };
            let expected = scene.pick_candidates(ray, clock);
            let (a, b) = (by_person(&found), by_person(&expected));
            assert_eq!(a.len(), found.len(), "nobody twice");
            // A ray that grazes a box may be on either side of it after rounding.
            let differ = a
                .keys()
                .filter(|w| !b.contains_key(w))
                .chain(b.keys().filter(|w| !a.contains_key(w)));
            assert!(differ.count() <= 1, "{name} {ray:?}: {a:?} {b:?}");
            for (who, distance) in &a {
                let expected = b.get(who).copied().unwrap_or(*distance);
                assert!(
                    (distance - expected).abs() < 0.02,
                    "{name} {who:?}: {distance} {expected}"
                );
            }
            layers = layers.max(b.len());
            let chosen = scene.pick_among(found, ray, clock, &[]);
            assert_eq!(chosen, scene.pick(ray, clock), "{name} {ray:?}");
            somebody += u32::from(chosen.is_some());
            asked += 1;
        }
        assert!(gpu.take_error().is_none());
    }
    println!("{asked} rays, somebody under {somebody}, up to {layers} boxes one behind the other");
    assert!(
        asked == 2400 && somebody > 800 && layers > 10,
        "{asked} {somebody} {layers}"
    );
}

#[test]
fn of_two_people_in_line_the_one_in_front_is_picked() {
    let scene = scene("army", 98);
    let clock = Clock::default();
    let people = &scene.crowd.per_character[0];
    // Along each file of soldiers, from the front and from the back: the first and the last of eight.
    let mut compared = 0;
    for (index, person) in people.iter().enumerate().skip(1) {
        let chest = Vec3::from(person.position) + Vec3::Y * 1.2;
        for (side, way) in [(Vec3::Z, Vec3::NEG_Z), (Vec3::NEG_Z, Vec3::Z)] {
            let ray = Ray {
                origin: chest + side * 60.0,
                direction: way,
            };
            let found = scene.pick(ray, clock).expect("somebody of the file");
            let own = &people[found.index as usize];
            let before = |a: [f32; 3], b: [f32; 3]| (a[2] - b[2]) * side.z > -0.7;
            assert!(
                before(own.position, person.position),
                "{index}: {found:?} stands behind"
            );
            assert!(
                (own.position[0] - person.position[0]).abs() < 0.8,
                "{index}: {found:?} of another file"
            );
            compared += u32::from(found.index as usize != index);
        }
    }
    assert!(compared > 100, "too few people in line: {compared}");
}

#[test]
fn one_submission_answers_for_a_hundred_thousand() {
    let Some(gpu) = common::gpu::open() else { return };
    let mut config = Config::scene("million").expect("embedded");
    config.scene.count = 100_000;
    config.scene.characters = vec!["flag".into()];
    let scene = Scene::load(&config, &mut StartupTimes::default()).expect("loads");
    let mut renderer = drawn(&gpu, &scene);
    gpu.wait_idle();
    let ray = Ray {
        origin: Vec3::new(0.3, 1.3, 190.0),
        direction: Vec3::NEG_Z,
    };
    renderer.ask_pick(ray);
    gpu.wait_idle();
    // The submitted work is done, so the answer is there without a second frame. The benchmark measures the time of
    // this.
    let Some(Ok(PickAnswer::Candidates(found))) = renderer.picked() else {
        panic!("no answer after the submission");
    };
    println!("{} boxes along 380 m", found.len());
    let chosen = scene.pick_among(found, ray, Clock::from_seconds(MOMENT), &[]);
    assert_eq!(chosen, scene.pick(ray, Clock::from_seconds(MOMENT)));
    assert!(chosen.is_some());
}
