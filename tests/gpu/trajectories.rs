//! People on trajectories: the GPU places and animates them as the CPU's reference does, at any moment.

use std::fmt::Write;

use glam::Vec3;
use throng::{
    cli::shot::frame_input,
    config::{Config, TrajectoryColor},
    crowd::{
        CrowdClip,
        clock::Clock,
        trajectory::{SHADE_MASK, SHADE_SHIFT},
    },
    render::RenderOptions,
    scene::{Scene, StartupTimes},
};

use crate::common;

/// Writes people who walk on circles, some with gaps, one who stands.
fn circles(folder: &std::path::Path) -> std::path::PathBuf {
    let mut text = "id,t,x,y\n".to_owned();
    for person in 0..40_u32 {
        let (radius, start) = (1.0 + f64::from(person) * 0.2, f64::from(person % 7));
        for at in (0..100).filter(|at| person % 5 != 0 || !(30..50).contains(at)) {
            let time = start + f64::from(at) * 0.1;
            let speed = if person == 3 {
                0.0
            } else {
                0.4 + f64::from(person % 6) * 0.5
            };
            let angle = time * speed / radius;
            writeln!(
                text,
                "{person},{time:.2},{:.4},{:.4}",
                radius * angle.cos(),
                radius * angle.sin()
            )
            .expect("memory");
        }
    }
    let path = folder.join("circles.csv");
    std::fs::write(&path, text).expect("writes");
    path
}

#[test]
fn the_gpu_places_people_as_the_cpu_does() {
    let Some(gpu) = common::gpu::open() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let mut config = Config::default();
    config.scene.trajectories.file = circles(folder.path());
    let scene = Scene::load(&config, &mut StartupTimes::default()).expect("loads");
    assert_eq!(scene.crowd.count(), 40);
    let (mut present, mut absent) = (0, 0);
    for ((character, instances), plan) in scene
        .characters
        .iter()
        .zip(&scene.crowd.per_character)
        .zip(&scene.plans)
    {
        let (assets, probe) = common::gpu::upload(&gpu, character, common::gpu::USUAL);
        let crowd = common::gpu::upload_crowd(&gpu, (&assets, &probe), instances, plan);
        let clips = throng::crowd::CrowdClip::all_of(character);
        for seconds in [0.0, 3.27, 4.5, 9.99, 15.0, 3.27] {
            let clock = Clock::from_seconds(seconds);
            let posed = probe
                .posed(&gpu, &crowd, &common::gpu::frame(seconds))
                .expect("reads back");
            for (index, (instance, found)) in (0..).zip(instances.iter().zip(&posed)) {
                let wanted = plan.pose(index, instance, &clips, clock);
                let place = Vec3::from_array([0, 1, 2].map(|axis| f32::from_bits(found.place[axis])));
                if wanted.position.y < -1e5 {
                    assert_eq!(place.x, wanted.position.x);
                    absent += 1;
                    continue;
                }
                present += 1;
                assert!(
                    place.distance(wanted.position) < 1e-3,
                    "{index} at {seconds}: {place}, {}",
                    wanted.position
                );
                let fade = (found.play[3] & 0xffff) as f32 / 65_535.0;
                let weight = if wanted.moment.weight < 1.0 {
                    wanted.moment.weight
                } else {
                    0.0
                };
                assert!((fade - weight).abs() < 2e-3, "{index} at {seconds}: {fade}, {weight}");
            }
        }
    }
    assert!(present > 60 && absent > 40, "{present} {absent}");
}

/// Bits of a key's kind that hold its shade.
const SHADE: u32 = SHADE_MASK << SHADE_SHIFT;

/// Scene whose instances have the colours that the CPU finds at a time, and whose keys have none.
fn colored_by_the_cpu(config: &Config, clock: Clock) -> Scene {
    let mut scene = Scene::load(config, &mut StartupTimes::default()).expect("loads");
    for ((character, instances), plan) in scene
        .characters
        .iter()
        .zip(&mut scene.crowd.per_character)
        .zip(&mut scene.plans)
    {
        let clips = CrowdClip::all_of(character);
        for (index, instance) in (0..).zip(instances.iter_mut()) {
            *instance = plan.colored(index, instance, &clips, clock);
        }
        assert!(plan.recolors());
        plan.paths.iter_mut().for_each(|row| row.kind &= !SHADE);
        assert!(!plan.recolors());
    }
    scene
}

#[test]
fn clothes_change_on_the_gpu_as_on_the_cpu() {
    const SIZE: (u32, u32) = (320, 180);
    let Some(gpu) = common::gpu::open() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let mut config = Config::default();
    config.scene.trajectories.file = circles(folder.path());
    config.scene.trajectories.color = TrajectoryColor::Density;
    config.scene.characters = vec!["man".into()];
    (config.window.width, config.window.height) = SIZE;
    let scene = Scene::load(&config, &mut StartupTimes::default()).expect("loads");
    let options = RenderOptions::of(common::gpu::MATRIX);
    let mut renderer = common::gpu::renderer(&gpu, &scene, options);
    let mut picture = |seconds: f64| {
        let input = frame_input(&config, &scene, seconds).expect("a view");
        common::gpu::picture(&gpu, &mut renderer, SIZE, &input)
    };
    // Also backwards: colours are a function of time.
    let [first, later, again] = [2.0, 9.0, 2.0].map(&mut picture);
    assert!(first == again && first != later);
    for (seconds, drawn) in [(2.0, first), (9.0, later)] {
        let clock = Clock::from_seconds(seconds);
        let wanted = colored_by_the_cpu(&config, clock);
        let input = frame_input(&config, &wanted, seconds).expect("a view");
        let mut reference = common::gpu::renderer(&gpu, &wanted, options);
        assert!(
            common::gpu::picture(&gpu, &mut reference, SIZE, &input) == drawn,
            "{seconds}"
        );
        let plain = colored_by_the_cpu(&config, Clock::from_seconds(seconds + 1.5));
        let mut other = common::gpu::renderer(&gpu, &plain, options);
        assert!(
            common::gpu::picture(&gpu, &mut other, SIZE, &input) != drawn,
            "colours differ after 1.5 s"
        );
    }
}

/// Writes a bus that leaves its place at the middle of a town of 400 m.
fn town(folder: &std::path::Path) -> std::path::PathBuf {
    let mut text = "<fcd-export>\n".to_owned();
    for second in 0..20 {
        let x = if second < 10 { 0.0 } else { 60.0 };
        writeln!(
            text,
            "<timestep time=\"{second}\"><vehicle id=\"a\" x=\"-200\" y=\"-200\" angle=\"0\" type=\"bus\"/><vehicle \
             id=\"b\" x=\"200\" y=\"200\" angle=\"0\" type=\"bus\"/><vehicle id=\"c\" x=\"{x}\" y=\"0\" angle=\"0\" \
             type=\"bus\"/></timestep>"
        )
        .expect("memory");
    }
    let path = folder.join("town.xml");
    std::fs::write(&path, text + "</fcd-export>\n").expect("writes");
    path
}

#[test]
fn plans_of_a_town_show_vehicles_above_the_ground() {
    const SIZE: (u32, u32) = (240, 240);
    let Some(gpu) = common::gpu::open() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let mut config = Config::default();
    config.scene.trajectories.file = town(folder.path());
    config.scene.characters = vec!["man".into()];
    (config.window.width, config.window.height) = SIZE;
    // A shadow would show a bus that the ground hides.
    config.look.shadows = false;
    "plan".clone_into(&mut config.camera.start);
    let scene = Scene::load(&config, &mut StartupTimes::default()).expect("loads");
    let mut renderer = common::gpu::renderer(&gpu, &scene, RenderOptions::of(common::gpu::MATRIX));
    let mut picture = |seconds: f64| {
        let input = frame_input(&config, &scene, seconds).expect("a view");
        assert!(input.eye.y > 8000.0, "{}", input.eye);
        common::gpu::picture(&gpu, &mut renderer, SIZE, &input)
    };
    let [before, after] = [5.0, 15.0].map(&mut picture);
    let differing = before.chunks(4).zip(after.chunks(4)).filter(|(a, b)| a != b).count();
    // A bus of 12 by 2.5 m covers 9 pixels, at both places.
    assert!((8..80).contains(&differing), "{differing} pixels");
}
