//! Properties that every layout and every crowd has, whatever the settings.

use std::collections::{BTreeMap, HashMap};

use glam::Vec3;
use proptest::prelude::*;
use throng::{
    bake::BakeOptions,
    character::Character,
    config::{Config, Group, GroupConfig, Layout, Phase, SceneConfig},
    crowd::{CrowdCharacter, CrowdClip, Instance, WIDTH_SCALE_STEP, wrap::own_loop},
    file::open_bytes,
    scene::{Placement, Scene, StartupTimes, embedded::embedded, place, populate, scenery::props},
};

const LAYOUTS: [Layout; 7] = [
    Layout::Plaza,
    Layout::Grid,
    Layout::Ring,
    Layout::Ranks,
    Layout::Stadium,
    Layout::Scatter,
    Layout::Roadside,
];

fn scene(layout: Layout, count: u32, spacing: f32, seed: u64) -> SceneConfig {
    SceneConfig {
        layout,
        count,
        spacing,
        seed,
        ..SceneConfig::default()
    }
}

/// Distance of the closest two people (m).
fn closest(people: &[Placement], cell: f32) -> f32 {
    let key = |p: Vec3| ((p.x / cell).floor() as i32, (p.z / cell).floor() as i32);
    let mut cells: HashMap<_, Vec<Vec3>> = HashMap::new();
    let mut least = f32::MAX;
    for person in people {
        let (x, z) = key(person.position);
        for near in (x - 1..=x + 1).flat_map(|x| (z - 1..=z + 1).map(move |z| (x, z))) {
            for other in cells.get(&near).into_iter().flatten() {
                least = least.min(other.distance(person.position));
            }
        }
        cells.entry((x, z)).or_default().push(person.position);
    }
    least
}

#[test]
fn a_single_person_stands_at_the_origin_in_every_layout() {
    for layout in LAYOUTS {
        let people = place(&scene(layout, 1, 1.6, 7));
        let places: Vec<_> = people.iter().map(|person| (person.position, person.yaw)).collect();
        assert_eq!(places, [(Vec3::ZERO, 0.0)], "{layout:?}");
    }
}

fn layout() -> impl Strategy<Value = Layout> {
    prop::sample::select(LAYOUTS.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn counts_are_exact_and_people_keep_their_distance(
        layout in layout(), count in 1..6000_u32, spacing in 0.3..12.0_f32, seed in any::<u64>(),
    ) {
        let people = place(&scene(layout, count, spacing, seed));
        prop_assert_eq!(people.len(), count as usize);
        prop_assert!(people.iter().all(|p| p.position.is_finite() && p.yaw.is_finite()));
        prop_assert!(people.iter().all(|p| (0.0..1.0).contains(&p.phase)));
        let least = closest(&people, spacing);
        prop_assert!(least >= 0.599 * spacing, "{:?}: {} of {}", layout, least, spacing);
    }

    #[test]
    fn a_higher_count_moves_nobody_but_a_single_person(
        layout in layout(), count in 2..3000_u32, more in 1..3000_u32, seed in any::<u64>(),
    ) {
        let few = place(&scene(layout, count, 1.6, seed));
        let many = place(&scene(layout, count + more, 1.6, seed));
        prop_assert_eq!(&few[..], &many[..few.len()]);
    }

    #[test]
    fn nobody_stands_in_a_prop_of_the_plaza(count in 1..4000_u32, spacing in 0.3..20.0_f32, seed in any::<u64>()) {
        for person in place(&scene(Layout::Plaza, count, spacing, seed)) {
            for prop in props().into_iter().filter(|_| person.group != Group::Sitters) {
                prop_assert!(prop.position.distance(person.position) >= prop.kind.clearance(), "{:?}", person);
            }
        }
    }

    #[test]
    fn populating_is_exact_and_in_range(layout in layout(), count in 2..2000_u32, seed in any::<u64>(), cast in cast()) {
        let scene = scene(layout, count, 1.6, seed);
        let crowd = populate(&scene, &cast);
        prop_assert_eq!(crowd.count(), count as usize);
        prop_assert_eq!(crowd.per_character.len(), cast.len());
        for (character, instances) in cast.iter().zip(&crowd.per_character) {
            for instance in instances {
                check(instance, character, &scene)?;
            }
        }
    }

    #[test]
    fn a_higher_count_changes_nobody(layout in layout(), count in 2..900_u32, more in 1..900_u32, cast in cast()) {
        let few = populate(&scene(layout, count, 1.6, 5), &cast);
        let many = populate(&scene(layout, count + more, 1.6, 5), &cast);
        for (few, many) in few.per_character.iter().zip(&many.per_character) {
            prop_assert_eq!(few, &many[..few.len()]);
        }
    }
}

fn cast() -> impl Strategy<Value = Vec<CrowdCharacter>> {
    let clip = ("(idle|walk|talk|cheer|TechniqueSweep)", 0..200_u32).prop_map(|(name, ticks)| CrowdClip {
        name,
        duration: ticks as f32 / 30.0,
        ..CrowdClip::default()
    });
    let character = prop::collection::vec(clip, 0..6).prop_map(|clips| CrowdCharacter {
        name: "someone".into(),
        clips,
        fit: 1.0,
    });
    prop::collection::vec(character, 1..4)
}

fn check(instance: &Instance, character: &CrowdCharacter, scene: &SceneConfig) -> Result<(), TestCaseError> {
    let clips = character.clips.len();
    prop_assert!(usize::from(instance.clip()) < clips || (clips == 0 && instance.clip() == 0));
    prop_assert!((0.0..1.0).contains(&instance.start));
    prop_assert!((instance.scale() - 1.0).abs() <= scene.scale_spread + 1e-3);
    prop_assert!((instance.width_scale() - 1.0).abs() <= scene.width_scale_spread + 0.5 * WIDTH_SCALE_STEP + 1e-6);
    prop_assert_eq!(instance.tint >> 31, 0);
    prop_assert!(usize::from(instance.material_variant()) < throng::model::MATERIAL_VARIANTS);
    prop_assert!((instance.group_id() as usize) < Group::COUNT);
    Ok(())
}

fn full_cast() -> Vec<CrowdCharacter> {
    let names = [
        "idle", "walk", "run", "wave", "cheer", "clap", "dance", "attack", "talk", "listen", "sit", "play",
    ];
    let clip = |(i, name): (usize, &&str)| CrowdClip {
        name: (*name).to_owned(),
        duration: 1.0 + i as f32 / 30.0,
        speed: if *name == "walk" { 1.5 } else { 0.0 },
    };
    let clips: Vec<_> = names.iter().enumerate().map(clip).collect();
    ["ada", "ben", "cleo"]
        .map(|name| CrowdCharacter {
            name: name.to_owned(),
            clips: clips.clone(),
            fit: 1.0,
        })
        .to_vec()
}

#[test]
fn walkers_step_as_fast_as_they_go_whatever_the_size_of_their_file() {
    let mut cast = full_cast();
    for (character, fit) in cast.iter_mut().zip([1.0, 0.02, 3.0]) {
        character.fit = fit;
    }
    for speed in [1.0, -2.0] {
        let scene = SceneConfig {
            speed,
            ..scene(Layout::Plaza, 3000, 1.6, 5)
        };
        let crowd = populate(&scene, &cast);
        let mut walkers = 0;
        for (character, instances) in cast.iter().zip(&crowd.per_character) {
            for instance in instances.iter().filter(|i| i.group_id() == Group::Walkers as u8) {
                let steps = instance.speed() * character.clips[instance.clip() as usize].speed * instance.shape().z;
                let goes = crowd.paths[instance.place() as usize].speed();
                assert!(
                    (steps / goes - 1.0).abs() < 2e-3 && goes > 1.0,
                    "{}: {steps} {goes}",
                    character.fit
                );
                walkers += 1;
            }
        }
        assert!(walkers > 100, "{walkers} walkers");
    }
}

fn clips_of(crowd: &throng::scene::Crowd, cast: &[CrowdCharacter], group: Group) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for (character, instances) in cast.iter().zip(&crowd.per_character) {
        for instance in instances.iter().filter(|instance| instance.group_id() == group as u8) {
            *found
                .entry(character.clips[instance.clip() as usize].name.clone())
                .or_default() += 1;
        }
    }
    found
}

#[test]
fn only_walkers_walk_on_the_plaza_and_the_musician_plays() {
    let cast = full_cast();
    let crowd = populate(&SceneConfig::default(), &cast);
    for group in Group::ALL {
        let walking = clips_of(&crowd, &cast, group)
            .keys()
            .any(|clip| clip == "walk" || clip == "run");
        assert!(!walking || group == Group::Walkers, "{group:?}");
    }
    assert_eq!(
        clips_of(&crowd, &cast, Group::Musician),
        BTreeMap::from([("play".to_owned(), 1)])
    );
    let sizes: Vec<_> = crowd.per_character.iter().map(Vec::len).collect();
    assert!(sizes.iter().all(|&size| (550..790).contains(&size)), "{sizes:?}");
}

#[test]
fn weights_hold_and_the_scene_overrides_the_groups_own() {
    let cast = full_cast();
    let clips = BTreeMap::from([
        ("DANCE".to_owned(), 3.0),
        ("clap".to_owned(), 1.0),
        ("nothing".to_owned(), 9.0),
    ]);
    let mut scene = SceneConfig {
        clips,
        ..SceneConfig::default()
    };
    let talkers = clips_of(&populate(&scene, &cast), &cast, Group::Talkers);
    let share = talkers["dance"] as f32 / (talkers["dance"] + talkers["clap"]) as f32;
    assert_eq!(talkers.len(), 2);
    assert!((0.69..0.81).contains(&share), "{share}");
    let own = GroupConfig {
        clips: BTreeMap::from([("sit".to_owned(), 1.0)]),
        ..GroupConfig::default()
    };
    scene.groups.insert("talkers".to_owned(), own);
    let crowd = populate(&scene, &cast);
    assert_eq!(clips_of(&crowd, &cast, Group::Talkers).len(), 1);
    assert_eq!(clips_of(&crowd, &cast, Group::Watchers).len(), 2);
}

#[test]
fn characters_are_drawn_as_often_as_they_weigh() {
    let cast = full_cast();
    let mut scene = scene(Layout::Scatter, 20_000, 1.6, 7);
    let counts = |scene: &SceneConfig| -> Vec<usize> {
        let crowd = populate(scene, &cast);
        crowd.per_character.iter().map(Vec::len).collect()
    };
    let plain = populate(&scene, &cast);
    // Equal weights are the same as no weights: nobody changes.
    scene.weights = vec![3.0; cast.len()];
    assert_eq!(populate(&scene, &cast), plain);
    // Characters without a weight have weight 1.
    scene.weights = vec![3.0, 0.0];
    let drawn = counts(&scene);
    let all = 3.0 + (cast.len() - 2) as f32;
    let mut wanted = vec![1.0 / all; cast.len()];
    (wanted[0], wanted[1]) = (3.0 / all, 0.0);
    for (drawn, wanted) in drawn.iter().zip(wanted) {
        let share = *drawn as f32 / 20_000.0;
        assert!((share - wanted).abs() < 0.02, "{share}, not {wanted}");
    }
    assert_eq!(drawn[1], 0);
    // A larger weight changes nobody's place in the layout, and a higher count changes nobody.
    scene.count = 500;
    let few = populate(&scene, &cast);
    scene.count = 900;
    let many = populate(&scene, &cast);
    for (few, many) in few.per_character.iter().zip(&many.per_character) {
        assert_eq!(few[..], many[..few.len()]);
    }
}

#[test]
fn groups_march_in_step_or_wave() {
    let cast = full_cast();
    let mut scene = scene(Layout::Ranks, 500, 1.0, 1);
    let crowd = populate(&scene, &cast);
    let all: Vec<_> = crowd.per_character.iter().flatten().collect();
    assert!(
        all.iter()
            .all(|instance| instance.start == 0.0 && instance.speed() == 1.0)
    );
    let wave = GroupConfig {
        phase: Some(Phase::Wave),
        ..GroupConfig::default()
    };
    scene.groups.insert("soldiers".to_owned(), wave);
    let crowd = populate(&scene, &cast);
    let starts: std::collections::BTreeSet<_> = crowd
        .per_character
        .iter()
        .flatten()
        .map(|instance| (instance.start * 30.0) as u32)
        .collect();
    assert!(starts.len() > 8, "{starts:?}");
}

#[test]
fn another_bake_rate_moves_nobody_s_phase() {
    let bytes = embedded("man").expect("comes with the program");
    let at_rate = |rate| {
        let opened = open_bytes("man", bytes, None).expect("opens");
        Character::bake(opened.model, &BakeOptions { rate }).expect("bakes")
    };
    let [coarse, fine] = [7.0, 60.0].map(at_rate);
    assert_ne!(coarse.palettes.frame_count, fine.palettes.frame_count);
    let crowd = |character: &Character| {
        let mut settings = scene(Layout::Scatter, 200, 1.6, 3);
        settings.speed_spread = 0.2;
        populate(&settings, &[CrowdCharacter::of(character, 200)])
    };
    let [rough, smooth] = [&coarse, &fine].map(crowd);
    assert_eq!(rough.per_character, smooth.per_character);
    let [rough_clips, smooth_clips] = [&coarse, &fine].map(CrowdClip::all_of);
    for instance in &rough.per_character[0] {
        let [a, b] = [&rough_clips, &smooth_clips].map(|clips| own_loop(instance, clips));
        assert!(a.is_some_and(|playback| playback.phase == ((instance.start * 16_777_216.0) as u32) << 8));
        assert_eq!(a, b);
    }
}

#[test]
fn a_lone_person_is_plain() {
    let crowd = populate(&scene(Layout::Grid, 1, 1.6, 9), &full_cast()[..1]);
    let expected = Instance::new(Vec3::ZERO);
    assert_eq!(crowd.per_character[0], [expected]);
}

#[test]
fn without_a_cast_there_is_nobody() {
    assert_eq!(populate(&SceneConfig::default(), &[]).count(), 0);
}

#[test]
fn a_million_have_room_at_an_even_density() {
    for layout in [Layout::Plaza, Layout::Scatter] {
        let people = place(&scene(layout, 1_000_000, 1.6, 1));
        let density = |from: f32, to: f32| {
            let ring = people.iter().filter(|p| (from..to).contains(&p.position.length()));
            ring.count() as f32 / (std::f32::consts::PI * (to * to - from * from))
        };
        let (near, far) = (density(100.0, 300.0), density(500.0, 800.0));
        assert!((near / far - 1.0).abs() < 0.05, "{layout:?}: {near} {far}");
    }
}

#[test]
fn every_preset_populates() {
    for name in Config::preset_names() {
        let mut config = Config::scene(name).expect(name);
        config.scene.count = config.scene.count.min(20_000);
        let crowd = populate(&config.scene, &full_cast());
        assert_eq!(crowd.count(), config.scene.count as usize, "{name}");
    }
}

/// The k-th woman and the k-th man do not move in step.
#[test]
fn people_of_the_same_number_in_different_characters_are_different_people() {
    let mut config = Config::scene("plaza").expect("embedded");
    config.scene.count = 2000;
    let scene = Scene::load(&config, &mut StartupTimes::default()).expect("a scene");
    let actors = |character: usize| -> Vec<_> {
        let instances = scene.crowd.per_character[character].iter().enumerate();
        let own = instances.map(|(index, instance)| {
            let found = scene.plans[character].person_schedule(index as u32, instance);
            found.map(|(group, person_schedule)| (group.flags, person_schedule.seed, person_schedule.shift))
        });
        own.collect()
    };
    let (women, men) = (actors(0), actors(1));
    let both = women.iter().zip(&men).filter_map(|(a, b)| a.zip(*b));
    let own = both.filter(|(a, b)| a.0 == 0 && b.0 == 0);
    let pairs: Vec<_> = own.collect();
    assert!(pairs.len() > 20, "{}", pairs.len());
    assert!(pairs.iter().all(|(a, b)| a.1 != b.1), "equal seeds");
}
