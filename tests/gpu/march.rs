//! Travel by clips: soldiers in step, walkers who stop and go on.
//! Positions are continuous, with the speed of the clips, fades included, and feet do not slide.
//! The GPU agrees, and jumping to a moment gives the same as stepping to it.

use glam::{Vec2, Vec3, vec2};
use throng::{
    config::{Config, Group},
    crowd::{CrowdClip, Instance, InstancePose, clock::Clock, schedule::ClipTime},
    scene::{Scene, StartupTimes},
};

use crate::common::{self, worse::worse};

/// Walkers who stop, look around and go on, some in a hurry.
const STROLL: &str = r#"
[scene]
count = 900
[scene.groups.walkers.behaviour]
block = [20.0, 34.0]
[scene.groups.walkers.behaviour.states]
walk = { home = 2.0, dwell = [4.0, 9.0], fade = 0.6, next = { idle = 2.0, run = 1.0 } }
idle = { home = 1.0, dwell = [2.0, 4.0], fade = 0.4, next = { walk = 1.0 } }
run = { speed = [0.9, 1.1], dwell = [2.0, 5.0], fade = 0.5, next = { walk = 1.0, idle = 1.0 } }
"#;

/// Two closed paths through waypoints: one at the path's speed, and a tight one with sharp corners.
const WAYS: &str = r#"
[scene]
count = 120
layout = "grid"
[[scene.paths]]
points = [[-20.0, 30.0], [20.0, 30.0], [24.0, 44.0], [0.0, 38.0], [-24.0, 46.0]]
radius = 3.0
people = 60
speed = 1.25
[[scene.paths]]
points = [[30.0, 0.0], [36.0, 0.0], [36.0, 9.0]]
radius = 0.6
people = 12
speed = 1.1
"#;

fn scene(config: &Config) -> Scene {
    Scene::load(config, &mut StartupTimes::default()).expect("loads")
}

fn army() -> Scene {
    let mut config = Config::scene("army").expect("embedded");
    config.scene.count = 400;
    scene(&config)
}

fn ways() -> Scene {
    scene(&Config::parse("ways.toml", WAYS).expect("valid"))
}

fn stroll() -> Scene {
    scene(&Config::parse("stroll.toml", STROLL).expect("valid"))
}

/// (character, index) of people who travel, some of each character.
fn travellers(scene: &Scene, groups: &[Group], step: usize) -> Vec<(usize, u32)> {
    let mut found = Vec::new();
    for (character, instances) in scene.crowd.per_character.iter().enumerate() {
        let own = (0..instances.len() as u32).filter(|&i| {
            let instance = &instances[i as usize];
            groups.iter().any(|&g| g as u8 == instance.group_id()) && scene.plans[character].moves(instance)
        });
        found.extend(own.step_by(step).map(|i| (character, i)));
    }
    found
}

fn pose(scene: &Scene, (character, index): (usize, u32), clips: &[CrowdClip], clock: Clock) -> InstancePose {
    let instance = &scene.crowd.per_character[character][index as usize];
    scene.plans[character].pose(index, instance, clips, clock)
}

/// Speed (m/s) that a person's clips give at a moment: the speed of each clip at its playback rate, blended by the
/// fade's weight.
/// The playback rate is measured from the change of the clip's position.
fn clip_speed(scene: &Scene, who: (usize, u32), clips: &[CrowdClip], clock: Clock) -> f32 {
    let half = 1024;
    let [before, now, after] = [clock.count() - half, clock.count(), clock.count() + half]
        .map(|c| pose(scene, who, clips, Clock::from_count(c)).moment);
    // Next to a change of clips, use the side with the same clip.
    let rate = |[a, now, b]: [ClipTime; 3]| {
        let moved =
            |from: ClipTime, to: ClipTime| (to.position - from.position).rem_euclid(1.0) * 65_536.0 / half as f32;
        match (a.clip == now.clip, b.clip == now.clip) {
            (true, true) => 0.5 * moved(a, b),
            (true, false) => moved(a, now),
            _ => moved(now, b),
        }
    };
    let metres = |playing: ClipTime| clips[playing.clip as usize].speed * clips[playing.clip as usize].duration;
    let to = metres(now.to) * rate([before.to, now.to, after.to]);
    if now.weight >= 1.0 {
        return to;
    }
    let from = metres(now.from) * rate([before.from, now.from, after.from]);
    from * (1.0 - now.weight) + to * now.weight
}

fn ground(pose: &InstancePose) -> Vec2 {
    vec2(pose.position.x, pose.position.z)
}

#[test]
fn positions_move_as_fast_as_the_clips() {
    for (name, scene, groups, step) in [
        ("army", army(), vec![Group::Soldiers, Group::Officers], 97),
        ("stroll", stroll(), vec![Group::Walkers], 9),
    ] {
        let (mut worst, mut compared, mut fading, mut still) = (0.0_f32, 0, 0, 0);
        for who in travellers(&scene, &groups, step) {
            let clips = CrowdClip::all_of(&scene.characters[who.0]);
            let instance = &scene.crowd.per_character[who.0][who.1 as usize];
            // People who march have one speed, whatever their size.
            let size = if name == "army" { 1.0 } else { instance.shape().z };
            for i in 0..1200 {
                let clock = Clock::from_seconds(0.5 + f64::from(i) * 0.0717);
                let half = 2048;
                let [a, now, b] = [clock.count() - half, clock.count(), clock.count() + half]
                    .map(|c| pose(&scene, who, &clips, Clock::from_count(c)));
                let smooth = [&a, &b].iter().all(|p| {
                    (p.moment.to.clip, p.moment.weight < 1.0) == (now.moment.to.clip, now.moment.weight < 1.0)
                });
                if !smooth {
                    continue;
                }
                let speed = ground(&a).distance(ground(&b)) / (2.0 * half as f32 / 65_536.0);
                let expected = clip_speed(&scene, who, &clips, clock) * size;
                worst = worse(worst, (speed - expected).abs());
                assert!(
                    (speed - expected).abs() < 0.03,
                    "{name} {who:?} at {clock:?}: {speed} m/s on the ground, {expected} by the clips"
                );
                compared += 1;
                fading += u32::from(now.moment.weight < 1.0 && speed > 0.1);
                still += u32::from(speed < 0.001);
            }
        }
        println!("{name}: {compared} moments, {fading} in fades, {still} standing; worst {worst:.4} m/s");
        assert!(
            compared > 5000 && fading > 200 && still > 200,
            "{name}: {compared} {fading} {still}"
        );
    }
}

#[test]
fn places_are_continuous_and_stepping_gets_where_jumping_does() {
    for (scene, groups, step) in [
        (army(), vec![Group::Soldiers, Group::Officers], 190),
        (stroll(), vec![Group::Walkers], 25),
    ] {
        for who in travellers(&scene, &groups, step) {
            let clips = CrowdClip::all_of(&scene.characters[who.0]);
            let instance = &scene.crowd.per_character[who.0][who.1 as usize];
            let size = if instance.group_id() == Group::Walkers as u8 {
                instance.shape().z
            } else {
                1.0
            };
            let at = |i: u32| pose(&scene, who, &clips, Clock::from_count(65_536 + u64::from(i) * 1024));
            let (mut way, mut summed, mut last) = (0.0, 0.0, ground(&at(0)));
            for i in 0..64 * 90 {
                let next = ground(&at(i + 1));
                let moved = next.distance(last);
                assert!(moved < 5.0 / 64.0, "{who:?} step {i}: {moved} m in 1/64 s");
                way += moved;
                // By clips: integrate as a simulation would.
                let middle = Clock::from_count(65_536 + u64::from(i) * 1024 + 512);
                summed += clip_speed(&scene, who, &clips, middle) * size / 64.0;
                last = next;
            }
            let apart: f32 = way - summed;
            assert!(
                apart.abs() < 0.1 && way > 20.0,
                "{who:?}: {way} m in 90 s, stepping {summed} m"
            );
        }
    }
}

#[test]
fn at_the_start_everyone_stands_in_their_place_and_a_week_later_nobody_is_lost() {
    let scene = army();
    for who in travellers(&scene, &[Group::Soldiers, Group::Officers], 7) {
        let clips = CrowdClip::all_of(&scene.characters[who.0]);
        let instance = &scene.crowd.per_character[who.0][who.1 as usize];
        let home = vec2(instance.position[0], instance.position[2]);
        let start = pose(&scene, who, &clips, Clock::default());
        assert!(ground(&start).distance(home) < 1e-3);
        for rounds in [1.0, 7957.0] {
            let later = pose(&scene, who, &clips, Clock::from_seconds(76.0 * rounds));
            let off = ground(&later).distance(home);
            assert!(off < 0.2, "{who:?} after {rounds} rounds: {off} m");
        }
    }
}

#[test]
fn soldiers_are_in_step_and_keep_their_ranks() {
    let scene = army();
    let who = travellers(&scene, &[Group::Soldiers, Group::Officers], 1);
    let clips = CrowdClip::all_of(&scene.characters[0]);
    for seconds in [3.3, 8.0, 17.9, 25.0, 37.5, 60.0] {
        let clock = Clock::from_seconds(seconds);
        let first = pose(&scene, who[0], &clips, clock);
        let home = |who: (usize, u32)| Vec3::from(scene.crowd.per_character[who.0][who.1 as usize].position);
        let moved = first.position - home(who[0]);
        for &other in &who {
            let pose = pose(&scene, other, &clips, clock);
            assert_eq!(pose.moment, first.moment, "{other:?} at {seconds} s");
            assert!((pose.position - home(other)).distance(moved) < 1e-3);
        }
    }
}

#[test]
fn views_of_the_whole_crowd_go_along_with_it() {
    let scene = army();
    let start = scene.crowd.extent;
    assert_eq!(scene.extent_at(0.0).min, start.min);
    let clips = CrowdClip::all_of(&scene.characters[0]);
    for seconds in [12.0, 25.0, 50.0] {
        let extent = scene.extent_at(seconds);
        let first = pose(&scene, (0, 0), &clips, Clock::from_seconds(seconds));
        assert!(first.position.distance(extent.subject) < 0.01, "{extent:?}");
        assert!((extent.max - extent.min).distance(start.max - start.min) < 1e-3);
    }
    assert!(scene.extent_at(25.0).min.z > start.min.z + 20.0);
    assert_eq!(stroll().extent_at(50.0), stroll().crowd.extent);
}

#[test]
fn walkers_on_waypoints_go_at_clip_speed_where_they_face() {
    let scene = ways();
    let who = travellers(&scene, &[Group::Walkers], 3);
    let (mut straight, mut bends) = (0, 0);
    for &who in &who {
        let clips = CrowdClip::all_of(&scene.characters[who.0]);
        let instance = &scene.crowd.per_character[who.0][who.1 as usize];
        let start = pose(&scene, who, &clips, Clock::default());
        let home = vec2(instance.position[0], instance.position[2]);
        assert!(ground(&start).distance(home) < 0.01, "{start:?}");
        for i in 0..300 {
            let now = Clock::from_seconds(1.0 + f64::from(i) * 0.731);
            let [a, b] =
                [now.count() - 512, now.count() + 512].map(|c| pose(&scene, who, &clips, Clock::from_count(c)));
            let way = ground(&b) - ground(&a);
            let speed = way.length() / (1024.0 / 65_536.0);
            let expected = clip_speed(&scene, who, &clips, now) * instance.shape().z;
            assert!(
                (speed - expected).abs() < 0.05,
                "{who:?}: {speed} m/s, {expected} by the clip"
            );
            let middle = pose(&scene, who, &clips, now);
            let off = way
                .angle_to(vec2(middle.yaw.sin(), middle.yaw.cos()))
                .abs()
                .to_degrees();
            assert!(off < 4.0, "{who:?} goes {off}° off where they face");
            let turned = (b.yaw - a.yaw).abs() > 1e-4;
            (straight, bends) = (straight + u32::from(!turned), bends + u32::from(turned));
        }
    }
    assert!(straight > 1000 && bends > 300, "{straight} {bends}");
}

/// World positions of toes over time, from the scene's own query.
fn toes(scene: &Scene, character: usize) -> Vec<(usize, Vec3)> {
    let skeleton = &scene.characters[character].model.skeleton;
    let slots = skeleton.slots.iter().enumerate();
    let toes = slots.filter(|(_, slot)| skeleton.joints[slot.joint as usize].name.starts_with("toe"));
    toes.map(|(index, slot)| (index, slot.inverse_bind.inverse().transform_point3(Vec3::ZERO)))
        .collect()
}

#[test]
fn feet_stay_where_they_are_put_while_walking_steadily() {
    let mut steps = 0;
    let mut worst = 0.0_f32;
    for (scene, groups, step) in [
        (army(), vec![Group::Soldiers, Group::Officers], 61),
        (stroll(), vec![Group::Walkers], 40),
    ] {
        for who in travellers(&scene, &groups, step) {
            let character = &scene.characters[who.0];
            let clips = CrowdClip::all_of(character);
            let toes = toes(&scene, who.0);
            let instance = &scene.crowd.per_character[who.0][who.1 as usize];
            let height = character.packed.bounds.size().y * instance.scale();
            let frames: Vec<_> = (0..60 * 20)
                .map(|i| {
                    let clock = Clock::from_seconds(3.0 + f64::from(i) / 60.0);
                    let pose = pose(&scene, who, &clips, clock);
                    let place = |&(slot, point): &(usize, Vec3)| {
                        let world = scene.world_from_mesh(who.0, who.1 as usize, slot, clock);
                        world.expect("in range").transform_point3(point)
                    };
                    let steady = pose.moment.weight >= 1.0 && clips[pose.moment.to.clip as usize].name == "walk";
                    (steady, pose.yaw, toes.iter().map(place).collect::<Vec<_>>())
                })
                .collect();
            let walking = || frames.iter().filter(|(steady, ..)| *steady);
            let lowest = walking()
                .flat_map(|(.., toes)| toes)
                .map(|p| p.y)
                .fold(f32::INFINITY, f32::min);
            let mut contact: Option<(usize, Vec3)> = None;
            for pair in frames.windows(2) {
                let ((a_steady, a_yaw, a), (b_steady, b_yaw, b)) = (&pair[0], &pair[1]);
                let down = (0..a.len())
                    .min_by(|&i, &j| a[i].y.total_cmp(&a[j].y))
                    .expect("has toes");
                // On a bend a foot turns in place, which is no slide along the path.
                let straight = (a_yaw - b_yaw).abs() < 1e-3;
                let touches = [a[down].y, b[down].y].iter().all(|y| *y < lowest + 0.004 * height);
                if !(*a_steady && *b_steady && straight && touches) {
                    contact = None;
                    continue;
                }
                let (_, since) = *contact.get_or_insert((down, a[down]));
                if contact.is_some_and(|(foot, _)| foot != down) {
                    contact = Some((down, a[down]));
                    steps += 1;
                    continue;
                }
                worst = worse(worst, (b[down] - since).with_y(0.0).length());
            }
        }
    }
    println!("{steps} steps, worst slide {:.1} mm", worst * 1e3);
    assert!(steps > 100, "{steps}");
    assert!(worst < 0.02, "{worst} m");
}

#[test]
fn the_gpu_has_everyone_where_the_cpu_twin_has_them() {
    let Some(gpu) = common::gpu::open() else { return };
    let (mut worst, mut turn, mut compared) = (0.0_f32, 0.0_f32, 0);
    for scene in [army(), stroll(), ways()] {
        for (number, character) in scene.characters.iter().enumerate() {
            let (assets, probe) = common::gpu::upload(&gpu, character, common::gpu::USUAL);
            let (instances, plan): (&[Instance], _) = (&scene.crowd.per_character[number], &scene.plans[number]);
            let crowd = common::gpu::upload_crowd(&gpu, (&assets, &probe), instances, plan);
            let clips = CrowdClip::all_of(character);
            for i in 0..80 {
                let seconds = (f64::from(i) * f64::from(i) * 94.5 + f64::from(i) * 0.317).min(604_800.0 + f64::from(i));
                let posed = probe
                    .posed(&gpu, &crowd, &common::gpu::frame(seconds))
                    .expect("readback");
                for (index, (instance, found)) in instances.iter().zip(&posed).enumerate() {
                    if !plan.moves(instance) {
                        continue;
                    }
                    let pose = plan.pose(index as u32, instance, &clips, Clock::from_seconds(seconds));
                    let place = vec2(f32::from_bits(found.place[0]), f32::from_bits(found.place[2]));
                    let snorm = |bits: u32| f32::from(bits as u16 as i16) / 32767.0;
                    let heading = vec2(snorm(found.place[3]), snorm(found.place[3] >> 16));
                    worst = worse(worst, place.distance(ground(&pose)));
                    let off = heading.angle_to(vec2(pose.yaw.sin(), pose.yaw.cos())).abs();
                    turn = worse(turn, off.to_degrees());
                    compared += 1;
                }
            }
        }
    }
    println!("{compared} places, worst {:.3} mm, {turn:.4}°", worst * 1e3);
    assert!(compared > 20_000, "{compared}");
    assert!(worst < 0.005 && turn < 0.1, "{worst} m, {turn}°");
}
