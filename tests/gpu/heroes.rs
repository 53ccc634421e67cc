//! Heroes: people taken over from the baked crowd.
//! The GPU draws them where the CPU reference has them, without a step when they are taken over or handed back.

use std::sync::Arc;

use glam::{Affine3A, Vec3, Vec4};
use rayon::prelude::*;
use throng::{
    atlas::AtlasFormat,
    bake::{BakeOptions, Palettes, skinning},
    character::Character,
    config::Technique,
    crowd::{
        Attachment, CrowdClip, Instance, MotionPlan,
        clock::Clock,
        heroes::{FadeSpan, Gaze, HeadTurn, Hero, HeroBody, HeroPoser, HeroRig},
        sockets,
    },
    file::gltf,
    gpu::Gpu,
    model::Wrap,
    render::{
        DrawMethod, FrameInput,
        passes::{Probe, ProbeVertex, probe::CrowdWithHeroes},
        resources::{AtlasSource, CharacterAssets},
    },
    scene::{AttachmentKind, embedded as assets},
};

use crate::common::{self, worse::worse};

const EYE: Vec3 = Vec3::new(3.0, 2.2, 5.0);
/// Time (s) at which heroes take over, in the middle of a clip.
const TAKEN: f64 = 3.0;
const FADE: f32 = 0.5;

fn load(name: &str) -> Arc<Character> {
    common::gpu::bake(gltf::load_bytes(name, assets::embedded(name).expect("embedded"), None).expect("loads"))
}

fn frame(seconds: f64) -> FrameInput {
    FrameInput {
        eye: EYE,
        ..common::gpu::frame(seconds)
    }
}

fn clip(character: &Character, name: &str) -> u16 {
    let mut clips = character.palettes.clips.iter();
    clips
        .position(|clip| clip.name == name)
        .expect("every character has it") as u16
}

/// Walkers in a row, each turned a little further.
fn walkers(character: &Character, count: u32) -> Vec<Instance> {
    let walk = clip(character, "walk");
    let place = |i| {
        Instance::new(Vec3::X * i as f32)
            .with_yaw_scale(0.3 + 0.2 * (i % 5) as f32, 1.0 + 0.01 * (i % 7) as f32)
            .with_clip(walk, 1.0, (i % 20) as f32 / 20.0)
    };
    (0..count).map(place).collect()
}

/// Hero who waves with the upper body and looks at the camera.
fn hero(index: u32) -> Hero {
    Hero::new(0, index, TAKEN, FADE)
        .with_layer("wave", "chest")
        .with_look(Gaze::Eye)
}

/// Palette of a hero by the CPU: posed from the keys, blended with the baked one.
fn reference(
    palettes: &Palettes,
    character: &Character,
    instances: &[Instance],
    hero: &Hero,
    seconds: f64,
) -> Vec<Affine3A> {
    let (clock, instance) = (Clock::from_seconds(seconds), &instances[hero.index as usize]);
    let own = MotionPlan::default().pose(hero.index, instance, &CrowdClip::all_of(character), clock);
    let rig = HeroRig::new(&character.model);
    let pose = HeroPoser::default().pose(&body(character, &rig), hero, instance, &own, clock, EYE);
    let baked = palettes.blended(&own.blend(palettes));
    let pairs = baked.iter().zip(&pose.palette);
    pairs.map(|(&a, &b)| skinning::lerp(a, b, pose.weight)).collect()
}

fn body<'a>(character: &'a Character, rig: &'a HeroRig) -> HeroBody<'a> {
    HeroBody {
        model: &character.model,
        palettes: &character.palettes,
        rig,
    }
}

/// Largest distance of a vertex from its reference, relative to the character's height.
fn worst(found: &[ProbeVertex], character: &Character, palette: &[Affine3A]) -> f32 {
    let skinned = skinning::skin(&character.model.mesh, palette);
    let apart = found
        .iter()
        .zip(&skinned)
        .map(|(found, expected)| Vec4::from(found.position).truncate().distance(expected.position));
    apart.fold(0.0, worse) / character.packed.bounds.size().y
}

fn probe(gpu: &Gpu, character: &Arc<Character>, format: AtlasFormat, source: AtlasSource) -> (Probe, CharacterAssets) {
    let assets =
        CharacterAssets::upload(gpu, character, DrawMethod::new(Technique::Matrix, format, source)).expect("fits");
    (Probe::for_heroes(gpu, &assets).expect("compiles"), assets)
}

#[test]
fn a_layer_that_plays_once_backwards_begins_at_its_end() {
    let character = load("knight");
    let attack = &character.palettes.clips[usize::from(clip(&character, "attack"))];
    assert_eq!(attack.wrap, Wrap::Once);
    let instances = walkers(&character, 1);
    let palette = |speed: f32, age: f32| {
        let mut hero = Hero::new(0, 0, TAKEN, 0.0).with_layer("attack", "");
        (hero.layers[0].speed, hero.layers[0].start) = (speed, 0.0);
        reference(
            &character.palettes,
            &character,
            &instances,
            &hero,
            TAKEN + f64::from(age),
        )
    };
    for age in [0.1, 0.4, 0.5 * attack.duration] {
        let (back, ahead) = (palette(-1.0, age), palette(1.0, attack.duration - age));
        let apart = back
            .iter()
            .zip(&ahead)
            .map(|(a, b)| (a.translation - b.translation).length());
        assert!(
            apart.clone().all(|d| d < 2e-3),
            "{age}: {:?}",
            apart.collect::<Vec<_>>()
        );
        let moved = palette(-1.0, age)
            .iter()
            .zip(&palette(-1.0, 2.0 * age))
            .any(|(a, b)| !a.abs_diff_eq(*b, 1e-2));
        assert!(moved, "it stands still");
    }
}

#[test]
fn vertices_are_where_the_reference_has_them_at_every_weight() {
    let Some(gpu) = common::gpu::open() else { return };
    // Weights 0, 0.3 (by the inverse of the smoothstep) and 1, and the fade back.
    let rise = 0.363_257 * f64::from(FADE);
    let moments = [TAKEN, TAKEN + rise, TAKEN + 1.2, TAKEN + 4.0 + rise];
    for name in ["man", "knight"] {
        let character = load(name);
        let instances = walkers(&character, 4);
        let heroes = [1, 2].map(|index| Hero {
            span: hero(index).span.ended(TAKEN + 4.0),
            ..hero(index)
        });
        let weights = moments.map(|t| heroes[0].weight(t));
        assert!(
            weights[0] == 0.0 && (weights[1] - 0.3).abs() < 1e-3 && weights[2] == 1.0,
            "{weights:?}"
        );
        for format in AtlasFormat::ALL {
            for source in [AtlasSource::Texture, AtlasSource::Storage] {
                let (probe, assets) = probe(&gpu, &character, format, source);
                // The error of the atlas itself is not the heroes': compare with the decoded atlas.
                let decoded = Arc::new(character.atlas(format).into_owned()).to_palettes(&character.model);
                for (seconds, weight) in moments.into_iter().zip(weights) {
                    let people = CrowdWithHeroes {
                        character: &character,
                        instances: &instances,
                        plan: &MotionPlan::default(),
                        heroes: &heroes,
                    };
                    let probe_output = probe
                        .run_heroes(&gpu, &assets, people, &frame(seconds))
                        .expect("readback");
                    let each = probe_output.chunks(assets.vertex_count as usize);
                    for (index, found) in each.enumerate().filter(|(i, _)| [1, 2].contains(i)) {
                        let palette = reference(&decoded, &character, &instances, &heroes[index - 1], seconds);
                        let percent = worst(found, &character, &palette) * 100.0;
                        println!("{name} {format:?} {source:?} weight {weight:.2}: {percent:.4} % of height");
                        assert!(
                            percent < 0.1,
                            "{name} {format:?} {source:?} weight {weight}: {percent} %"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn everyone_else_is_drawn_as_without_heroes_to_the_last_bit() {
    let Some(gpu) = common::gpu::open() else { return };
    let character = load("woman");
    let instances = walkers(&character, 12);
    for format in AtlasFormat::ALL {
        let (with, assets) = probe(&gpu, &character, format, AtlasSource::Storage);
        let without = Probe::new(&gpu, &assets).expect("compiles");
        let input = frame(TAKEN + 1.0);
        let plain = without
            .run_instances(&gpu, &character, &assets, &instances, &input)
            .expect("readback");
        let heroes = [3, 7].map(hero);
        let people = CrowdWithHeroes {
            character: &character,
            instances: &instances,
            plan: &MotionPlan::default(),
            heroes: &heroes,
        };
        let heroed = with.run_heroes(&gpu, &assets, people, &input).expect("readback");
        let before = with.run_heroes(&gpu, &assets, people, &frame(TAKEN)).expect("readback");
        let baked = without
            .run_instances(&gpu, &character, &assets, &instances, &frame(TAKEN))
            .expect("readback");
        assert!(
            before == baked,
            "{format:?}: at weight 0 a hero is as baked, to the last bit"
        );
        let vertices = assets.vertex_count as usize;
        for (index, (a, b)) in plain.chunks(vertices).zip(heroed.chunks(vertices)).enumerate() {
            assert_eq!(a == b, ![3, 7].contains(&index), "{format:?}: person {index}");
        }
    }
}

/// Largest movement of any vertex in 1/60 s (m), over a span of time.
fn largest_step(positions: &[Vec<Vec3>]) -> f32 {
    let steps = positions.par_windows(2).map(|pair| {
        let ways = pair[0].iter().zip(&pair[1]).map(|(a, b)| a.distance(*b));
        ways.fold(0.0, worse)
    });
    steps.reduce(|| 0.0, worse)
}

#[test]
fn taking_over_and_handing_back_are_not_seen_as_a_step() {
    let Some(gpu) = common::gpu::open() else { return };
    let character = load("man");
    let instances = walkers(&character, 1);
    let (probe, assets) = probe(&gpu, &character, AtlasFormat::F16, AtlasSource::Storage);
    let back = TAKEN + 2.0;
    let heroes = [Hero {
        span: hero(0).span.ended(back),
        ..hero(0)
    }];
    let run = |heroes: &[Hero], from: f64, frames: u32| -> Vec<Vec<Vec3>> {
        let at = |frame_number: u32| {
            let people = CrowdWithHeroes {
                character: &character,
                instances: &instances,
                plan: &MotionPlan::default(),
                heroes,
            };
            let input = frame(from + f64::from(frame_number) / 60.0);
            let probe_output = probe.run_heroes(&gpu, &assets, people, &input).expect("readback");
            probe_output.iter().map(|p| Vec4::from(p.position).truncate()).collect()
        };
        (0..frames).map(at).collect()
    };
    // Movement of the two clips by themselves.
    let baked = largest_step(&run(&[], TAKEN - 0.2, 64));
    let steady = largest_step(&run(&heroes, TAKEN + f64::from(FADE) + 0.1, 72));
    // Movement by the fade: the steepest slope of the weight times the largest distance of the poses.
    let apart = {
        let seconds = TAKEN + 0.25;
        let full = [Hero {
            span: FadeSpan::starting(0.0, 0.0),
            ..heroes[0].clone()
        }];
        let (a, b) = (run(&[], seconds, 1), run(&full, seconds, 1));
        let ways = a[0].iter().zip(&b[0]).map(|(a, b)| a.distance(*b));
        ways.fold(0.0, worse)
    };
    let bound = baked.max(steady) + 1.2 * apart * heroes[0].span.steepest() / 60.0;
    for (what, from) in [("take-over", TAKEN), ("hand-over", back)] {
        let step = largest_step(&run(&heroes, from - 0.1, 42));
        println!(
            "{what}: {:.1} mm in 1/60 s; the clips alone {:.1} and {:.1} mm, bound {:.1} mm",
            step * 1e3,
            baked * 1e3,
            steady * 1e3,
            bound * 1e3
        );
        assert!(step <= bound, "{what}: {step} m in 1/60 s, bound {bound}");
    }
    // A discontinuous step would be many times larger.
    assert!(apart > 3.0 * bound, "the poses are {apart} m apart, bound {bound}");
}

#[test]
fn heads_point_where_they_should_within_their_limits() {
    let mut tried = 0;
    for name in assets::NAMES {
        let character = load(name);
        let rig = HeroRig::new(&character.model);
        assert!(rig.can_look(), "{name}");
        let instances = walkers(&character, 5);
        let body = body(&character, &rig);
        for (index, instance) in instances.iter().enumerate() {
            let mut poser = HeroPoser::default();
            for step in 0..40 {
                let clock = Clock::from_seconds(TAKEN + 1.0 + f64::from(step) * 0.17);
                let own = MotionPlan::default().pose(index as u32, instance, &CrowdClip::all_of(&character), clock);
                let world = own.world_from_model(instance);
                // Ahead of the walker, up to 50° to the side and about 20° up or down: within the limits wherever the
                // clips turn the chest.
                let aside = (step as f32 / 39.0 - 0.5) * 100.0_f32.to_radians();
                let way = Vec3::new(aside.sin() * 4.0, 0.5 + (step % 5) as f32 * 0.5, aside.cos() * 4.0);
                let point = world.transform_point3(way);
                let look = HeadTurn {
                    limits: [80.0_f32.to_radians(), 60.0_f32.to_radians()],
                    ..HeadTurn::new(Gaze::Point(point), FadeSpan::starting(0.0, 0.2))
                };
                let hero = Hero {
                    look: Some(look),
                    ..Hero::new(0, index as u32, 0.0, 0.2).with_layer("wave", "chest")
                };
                poser.pose(&body, &hero, instance, &own, clock, EYE);
                let (place, forward) = poser.head(&rig).expect("has a head");
                let (place, forward) = (world.transform_point3(place), world.transform_vector3(forward));
                let off = forward.angle_between(point - place).to_degrees();
                assert!(off < 1.0, "{name} {index} {step}: {off}°");
                tried += 1;
            }
        }
    }
    assert_eq!(tried, 1000);
}

#[test]
fn attachments_of_a_hero_are_in_its_hand() {
    let Some(gpu) = common::gpu::open() else { return };
    let character = load("knight");
    let instances = walkers(&character, 6);
    let (probe, assets) = probe(&gpu, &character, AtlasFormat::F16, AtlasSource::Storage);
    let sword = gltf::load_bytes("sword", assets::embedded("sword").expect("embedded"), None).expect("loads");
    let skeleton = &character.model.skeleton;
    let socket = skeleton
        .sockets
        .iter()
        .position(|s| s.name == "hand_r")
        .expect("has hands");
    let kind = AttachmentKind {
        mesh: "sword".into(),
        prop: Arc::new(Character::bake(sword, &BakeOptions::default()).expect("bakes")),
        carriers: vec![(0..6).map(|i| Attachment::new(i, socket as u16, 0)).collect()],
    };
    let heroes = [1, 4].map(hero);
    for seconds in [TAKEN + 0.2, TAKEN + 1.4] {
        let people = CrowdWithHeroes {
            character: &character,
            instances: &instances,
            plan: &MotionPlan::default(),
            heroes: &heroes,
        };
        let found = probe
            .run_heroes_attachments(&gpu, &assets, people, &kind, &frame(seconds))
            .expect("readback");
        let mut moved = 0.0_f32;
        for (index, found) in found.iter().enumerate() {
            let own = MotionPlan::default().pose(
                index as u32,
                &instances[index],
                &CrowdClip::all_of(&character),
                Clock::from_seconds(seconds),
            );
            let world = own.world_from_model(&instances[index]);
            let baked = world
                * sockets::model_from_socket(
                    &character.palettes,
                    &skeleton.sockets[socket],
                    &own.blend(&character.palettes),
                );
            let palette = match heroes.iter().find(|hero| hero.index == index as u32) {
                Some(hero) => reference(&character.palettes, &character, &instances, hero, seconds),
                None => character.palettes.blended(&own.blend(&character.palettes)),
            };
            let own = &skeleton.sockets[socket];
            let expected = world * palette[own.slot as usize] * Affine3A::from_mat4(own.mesh_from_socket);
            let apart = found.translation.distance(expected.translation);
            assert!(apart < 0.002, "person {index} at {seconds} s: {} mm", apart * 1e3);
            moved = moved.max(baked.translation.distance(expected.translation));
        }
        assert!(moved > 0.05, "the hand of a hero did not move: {moved} m");
    }
}
