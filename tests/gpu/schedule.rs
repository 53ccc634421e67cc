//! Schedules on the GPU equal those of the CPU twin, for a million (instance, moment) pairs up to a week.

use throng::{
    bake::BakedClip,
    config::Config,
    crowd::{CrowdClip, Instance, InstancePose, MotionPlan, clock::Clock, schedule::ClipTime},
    render::resources::GpuPosed,
    scene::{Scene, StartupTimes},
};

use crate::common::{self, worse::worse};

/// Times at which everybody is compared (s).
fn moments() -> Vec<f64> {
    let spread = (0..100).map(|i| f64::from(i) * f64::from(i) * 61.7351 + f64::from(i) * 0.013);
    spread.map(|t| t.min(604_800.0)).collect()
}

/// Largest differences found, and the number of comparisons.
#[derive(Debug, Default)]
struct Differences {
    compared: u64,
    frames: f32,
    fade: f32,
    metres: f32,
    turn: f32,
    fading: u64,
}

/// Position in atlas frames of one of the two clips of a posed instance.
fn atlas_position(pair: u32, between: u32) -> f32 {
    (pair & 0xffff) as f32 + between as f32 / 16383.0
}

fn expected_position(playing: ClipTime, clips: &[BakedClip]) -> (f32, f32) {
    let clip = &clips[playing.clip as usize];
    (clip.pair_at(playing.position).frame(), (clip.frame_count - 1) as f32)
}

/// Distance around a loop, whose end and start are the same.
fn around(a: f32, b: f32, length: f32) -> f32 {
    let apart = (a - b).abs();
    apart.min((length - apart).abs())
}

fn compare(found: &GpuPosed, pose: &InstancePose, clips: &[BakedClip], worst: &mut Differences) {
    let fade = (found.play[3] & 0xffff) as f32 / 65535.0;
    let fades = pose.moment.weight < 1.0;
    let weight = if fades { pose.moment.weight } else { 0.0 };
    worst.compared += 1;
    worst.fading += u64::from(fades);
    worst.fade = worse(worst.fade, (fade - weight).abs());
    let a = atlas_position(found.play[0], found.play[2] >> 4 & 16383);
    let b = atlas_position(found.play[1], found.play[2] >> 18);
    let from = if fades { pose.moment.from } else { pose.moment.to };
    for (found, playing) in [(a, from), (b, pose.moment.to)] {
        let (expected, length) = expected_position(playing, clips);
        worst.frames = worse(worst.frames, around(found, expected, length));
    }
    let ground = [f32::from_bits(found.place[0]), f32::from_bits(found.place[2])];
    let apart = glam::Vec2::from(ground).distance(glam::vec2(pose.position.x, pose.position.z));
    worst.metres = worse(worst.metres, apart);
    let snorm = |bits: u32| f32::from(bits as u16 as i16) / 32767.0;
    let heading = glam::vec2(snorm(found.place[3]), snorm(found.place[3] >> 16));
    let wanted = glam::vec2(pose.yaw.sin(), pose.yaw.cos());
    worst.turn = worse(worst.turn, heading.angle_to(wanted).abs().to_degrees());
}

#[test]
fn a_million_moments_agree_with_the_cpu_twin() {
    let Some(gpu) = common::gpu::open() else { return };
    let mut config = Config::scene("plaza").expect("embedded");
    config.scene.count = 10_000;
    let scene = Scene::load(&config, &mut StartupTimes::default()).expect("the default scene loads");
    let mut worst = Differences::default();
    for (number, character) in scene.characters.iter().enumerate() {
        let (assets, probe) = common::gpu::upload(&gpu, character, common::gpu::USUAL);
        let instances: &[Instance] = &scene.crowd.per_character[number];
        let plan: &MotionPlan = &scene.plans[number];
        let crowd = common::gpu::upload_crowd(&gpu, (&assets, &probe), instances, plan);
        let cast: Vec<CrowdClip> = CrowdClip::all_of(character);
        for seconds in moments() {
            let clock = Clock::from_seconds(seconds);
            let posed = probe
                .posed(&gpu, &crowd, &common::gpu::frame(seconds))
                .expect("readback");
            for (index, (instance, found)) in instances.iter().zip(&posed).enumerate() {
                let pose = plan.pose(index as u32, instance, &cast, clock);
                compare(found, &pose, &character.palettes.clips, &mut worst);
            }
        }
    }
    println!("{worst:?}");
    assert_eq!(worst.compared, 1_000_000);
    assert!(worst.fading > 1000, "somebody fades: {worst:?}");
    // Fractions of a frame are stored in 1/16383, fades in 1/65535.
    assert!(worst.frames < 1e-3 && worst.fade < 1e-4, "{worst:?}");
    // Sines and square roots may differ in the last bits.
    assert!(worst.metres < 0.01 && worst.turn < 0.05, "{worst:?}");
}
