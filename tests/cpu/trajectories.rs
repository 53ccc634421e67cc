//! People on trajectories: places, feet and headings, from samples to posed joints.

use std::{collections::BTreeMap, fmt::Write, sync::LazyLock};

use glam::{Quat, Vec3};
use throng::{
    bake::{BakeOptions, Palettes},
    character::Character,
    config::Config,
    crowd::{
        Clock, CrowdClip, Instance, InstancePose, MotionPlan,
        schedule::{ClipTime, FLAG_OWN_PATHS, GroupRow, Schedule},
        trajectory::{ABSENT, add_trajectories},
    },
    file::gltf,
    scene::{Progress, Scene, StartupTimes, embedded::embedded},
    tracks::{Body, GaitSet, GroundMap, Id, ReadOptions, Tracks, WayOptions},
};

use crate::common;

/// Character of all walkers.
static MAN: LazyLock<Character> = LazyLock::new(|| {
    let model = gltf::load_bytes("man", embedded("man").expect("embedded"), None).expect("loads");
    Character::bake(model, &BakeOptions::default()).expect("bakes")
});

/// One person on a trajectory.
struct Walker {
    character: &'static Character,
    clips: Vec<CrowdClip>,
    plan: MotionPlan,
    instance: Instance,
}

impl Walker {
    fn new(tracks: &Tracks, agent: usize, smooth: f64) -> Self {
        let character = &*MAN;
        let clips = CrowdClip::all_of(character);
        let body = Body {
            gaits: GaitSet::of_character(&MAN),
            stride: 1.0,
        };
        let options = WayOptions {
            smooth,
            ..WayOptions::default()
        };
        let ways = tracks.ways(&[(&tracks.agents[agent], body)], &GroundMap::of(tracks), &options);
        let mut paths = Vec::new();
        add_trajectories(&mut paths, &ways);
        let group = GroupRow {
            flags: FLAG_OWN_PATHS,
            ..GroupRow::default()
        };
        let schedule = Schedule {
            groups: vec![group],
            ..Schedule::default()
        };
        let plan = MotionPlan::new(schedule, paths, 1);
        Self {
            character,
            clips,
            plan,
            instance: Instance::new(Vec3::ZERO),
        }
    }

    fn pose(&self, seconds: f64) -> InstancePose {
        self.plan
            .pose(0, &self.instance, &self.clips, Clock::from_seconds(seconds))
    }

    /// Toes in the world (m) at a time (s).
    fn toes(&self, seconds: f64) -> Vec<Vec3> {
        let pose = self.pose(seconds);
        let skeleton = &self.character.model.skeleton;
        let slots = skeleton.slots.iter().enumerate();
        let toes = slots.filter(|(_, slot)| skeleton.joints[slot.joint as usize].name.to_lowercase().contains("toe"));
        let turn = Quat::from_rotation_y(pose.yaw);
        let place = |(slot, own): (usize, &throng::model::PaletteSlot)| {
            let point = own.inverse_bind.inverse().transform_point3(Vec3::ZERO);
            let at = |clip: ClipTime| clip_point(&self.character.palettes, clip, slot, point);
            let (from, to) = (at(pose.moment.from), at(pose.moment.to));
            pose.position + turn * from.lerp(to, pose.moment.weight)
        };
        toes.map(place).collect()
    }
}

/// A point of a slot, in a clip at a position.
fn clip_point(palettes: &Palettes, at: ClipTime, slot: usize, point: Vec3) -> Vec3 {
    let clip = &palettes.clips[at.clip as usize];
    let frame = at.position * (clip.frame_count - 1) as f32;
    let (first, between) = (frame as u32, frame.fract());
    let second = (first + 1).min(clip.frame_count - 1);
    let of = |frame: u32| palettes.frame((clip.first_frame + frame) as usize)[slot].transform_point3(point);
    of(first).lerp(of(second), between)
}

fn straight(speed: f64, rate: f64, seconds: f64) -> Tracks {
    let mut text = "id,t,x,y\n".to_owned();
    for at in 0..(seconds * rate) as u32 {
        let time = f64::from(at) / rate;
        writeln!(text, "1,{time},{},3.0", time * speed).expect("memory");
    }
    Tracks::from_bytes("straight", text.as_bytes(), &ReadOptions::default()).expect("reads")
}

/// Distances (m) that the planted toe slides from the beginning of each step to its end.
fn slides(walker: &Walker, from: f64, to: f64) -> Vec<f32> {
    let step = 1.0 / 120.0;
    let frames: Vec<Vec<Vec3>> = (0..((to - from) / step) as u32)
        .map(|frame| walker.toes(from + f64::from(frame) * step))
        .collect();
    let heights = frames.iter().flatten().map(|toe| toe.y).filter(|y| *y > 0.5 * ABSENT.y);
    let ground = heights.fold(f32::INFINITY, f32::min);
    let mut slides: Vec<(usize, u32, Vec3)> = Vec::new();
    for (number, pair) in (0_u32..).zip(frames.windows(2)) {
        let lowest = (0..pair[0].len())
            .min_by(|a, b| pair[0][*a].y.total_cmp(&pair[0][*b].y))
            .expect("toes");
        let (before, after) = (pair[0][lowest], pair[1][lowest]);
        if before.y.max(after.y) > ground + 0.007 || before.y.min(after.y) < 0.5 * ABSENT.y {
            continue;
        }
        let drift = (after - before).with_y(0.0);
        match slides.last_mut() {
            Some((toe, last, sum)) if *toe == lowest && *last + 1 == number => (*last, *sum) = (number, *sum + drift),
            _ => slides.push((lowest, number, drift)),
        }
    }
    // The first and last step are cut off.
    let whole = slides.get(1..slides.len().saturating_sub(1)).unwrap_or_default();
    whole.iter().map(|(_, _, sum)| sum.length()).collect()
}

#[test]
fn planted_feet_slide_less_than_20_mm_a_step_at_any_walking_speed() {
    for (speed, rate) in [
        (0.5, 25.0),
        (0.8, 10.0),
        (1.0, 25.0),
        (1.34, 2.5),
        (1.7, 25.0),
        (2.0, 25.0),
    ] {
        let walker = Walker::new(&straight(speed, rate, 8.0), 0, 0.5);
        let slides = slides(&walker, 1.0, 7.0);
        let worst = slides.iter().copied().fold(0.0, f32::max);
        println!("{speed} m/s: {} steps, worst {:.1} mm", slides.len(), worst * 1e3);
        assert!(slides.len() >= 4 && worst <= 0.020, "{speed} m/s: {slides:?}");
    }
}

#[test]
fn who_stands_moves_no_foot_further_than_5_mm() {
    let mut text = "id,t,x,y\n".to_owned();
    for at in 0_u32..200 {
        let noise = |salt: u32| f64::from((at * 7919 + salt) % 13) * 0.001;
        writeln!(text, "1,{},{},{}", f64::from(at) * 0.04, noise(0), noise(5)).expect("memory");
    }
    let tracks = Tracks::from_bytes("stands", text.as_bytes(), &ReadOptions::default()).expect("reads");
    let walker = Walker::new(&tracks, 0, 0.5);
    let base = |seconds: f64| walker.toes(seconds)[0] - clip_only(&walker, seconds);
    let first = base(1.0);
    for at in 10..70 {
        let moved = (base(f64::from(at) * 0.1) - first).with_y(0.0).length();
        assert!(moved < 0.005, "{moved} m at {at}");
    }
}

/// First toe of the idle pose alone, at the same moment of its clip.
fn clip_only(walker: &Walker, seconds: f64) -> Vec3 {
    let pose = walker.pose(seconds);
    let skeleton = &walker.character.model.skeleton;
    let mut slots = skeleton.slots.iter().enumerate();
    let (slot, own) = slots
        .find(|(_, slot)| skeleton.joints[slot.joint as usize].name.to_lowercase().contains("toe"))
        .expect("toes");
    let point = own.inverse_bind.inverse().transform_point3(Vec3::ZERO);
    Quat::from_rotation_y(pose.yaw) * clip_point(&walker.character.palettes, pose.moment.from, slot, point)
}

#[test]
fn without_smoothing_every_sample_is_within_5_mm_and_nothing_overshoots() {
    let Some(folder) = common::samples() else { return };
    let path = folder.join("trajectories/petrack_bottleneck_040_c_56_h-.txt");
    let tracks = Tracks::open(&path, &ReadOptions::default()).expect("a sample");
    let map = GroundMap::of(&tracks);
    for agent in [0, 20, 50] {
        let walker = Walker::new(&tracks, agent, 0.0);
        let samples = tracks.samples_of(&tracks.agents[agent]);
        for pair in samples.windows(2) {
            let (a, b) = (map.world(&pair[0]), map.world(&pair[1]));
            let (start, end) = (map.time(pair[0].time), map.time(pair[1].time));
            assert!(walker.pose(start).position.distance(a) < 0.005);
            for share in [0.25, 0.5, 0.75] {
                let place = walker.pose(start + (end - start) * share).position;
                let beyond = (place - place.clamp(a.min(b), a.max(b))).length();
                assert!(beyond < 0.005, "{beyond} m beyond both samples");
            }
        }
    }
}

#[test]
fn people_are_there_from_their_first_sample_to_their_last_but_not_in_gaps() {
    let text = "id,t,x,y\n1,0,0,0\n1,1,1,0\n1,2,2,0\n1,20,3,0\n1,21,4,0\n2,5,9,9\n1,22,204,0\n1,23,205,0\n";
    let tracks = Tracks::from_bytes("gap", text.as_bytes(), &ReadOptions::default()).expect("reads");
    let walker = Walker::new(&tracks, 0, 0.5);
    for (seconds, is_there) in [
        (0.0, true),
        (2.0, true),
        (2.1, false),
        (19.0, false),
        (20.5, true),
        (21.5, false),
        (22.5, true),
        (23.1, false),
    ] {
        assert_eq!(walker.pose(seconds).position != ABSENT, is_there, "{seconds}");
    }
    let once = Walker::new(&tracks, 1, 0.5);
    assert!(once.pose(5.0).position.distance(Vec3::new(9.0, 0.0, -9.0)) < 1e-4 && once.pose(7.0).position == ABSENT);
}

#[test]
fn vehicles_are_where_the_file_says_and_face_as_it_says() {
    let mut text = "<fcd-export>\n".to_owned();
    for second in 0..12 {
        // A quarter of a circle about the origin at 30 m/s: further between samples than anybody runs.
        let angle = f64::from(second) * 7.5_f64.to_radians();
        let (x, y, heading) = (230.0 * angle.cos(), 230.0 * angle.sin(), -angle.to_degrees());
        writeln!(
            text,
            "<timestep time=\"{second}\"><vehicle id=\"a\" x=\"{x:.3}\" y=\"{y:.3}\" angle=\"{heading:.2}\" \
             type=\"DEFAULT_VEHTYPE\"/><vehicle id=\"b\" x=\"{second}\" y=\"8\" angle=\"90\" type=\"city_bus\"/>\
             <person id=\"a\" x=\"{second}\" y=\"0\" angle=\"90\"/></timestep>"
        )
        .expect("memory");
    }
    text += "</fcd-export>\n";
    let folder = tempfile::tempdir().expect("a folder");
    let mut config = Config::default();
    config.scene.characters = vec!["man".into()];
    config.scene.trajectories.file = folder.path().join("fcd.xml");
    std::fs::write(&config.scene.trajectories.file, text).expect("writes");
    let scene = Scene::load(&config, &mut StartupTimes::default()).expect("loads");
    let kinds: Vec<&str> = scene.characters.iter().map(|own| own.model.name.as_str()).collect();
    assert_eq!((kinds.as_slice(), scene.vehicle_kinds), (&["man", "car", "bus"][..], 2));
    let again = scene
        .repopulate(&config, &Progress::default())
        .expect("the same characters");
    assert_eq!((again.characters.len(), again.crowd.count()), (3, 3));
    let shown = scene.tracks.as_ref().expect("tracks");
    for who in scene.everyone() {
        let agent = &shown.tracks.agents[scene.crowd.agents[who.character][who.index as usize] as usize];
        assert_eq!(scene.is_vehicle(who), agent.kind.vehicle().is_some());
        if !scene.is_vehicle(who) {
            continue;
        }
        let instance = &scene.crowd.per_character[who.character][who.index as usize];
        let run = shown.tracks.run_of(agent);
        for (at, sample) in run.samples.iter().enumerate() {
            let clock = Clock::from_seconds(shown.map.time(sample.time));
            let pose = scene.plans[who.character].pose(who.index, instance, &scene.casts[who.character].clips, clock);
            let place = shown.map.world(sample);
            assert!(pose.position.distance(place) < 0.005, "{}, not {place}", pose.position);
            let ahead = {
                let yaw = run.extra(at).yaw;
                Vec3::new(yaw.cos(), 0.0, -yaw.sin())
            };
            assert!(Quat::from_rotation_y(pose.yaw).mul_vec3(Vec3::Z).dot(ahead) > 0.999);
        }
    }
}

/// Samples that state everything, and one that needs options.
fn sample_tracks() -> Option<Vec<(&'static str, Tracks)>> {
    let folder = common::samples()?.join("trajectories");
    let names = [
        "jupedsim_v3.sqlite",
        "pathfinder.csv",
        "pathfinder.json",
        "crowdit.csv.gz",
        "ped_data_archive_single_file.h5",
        "petrack_bottleneck_040_c_56_h-.txt",
        "uo-050-180-180_cm_no_header.txt",
        "vadere_bottleneck.traj",
    ];
    let open = |name: &'static str| {
        let mut options = ReadOptions::default();
        if name.starts_with("uo") {
            (options.fps, options.unit) = (Some(25.0), Some(throng::tracks::LengthUnit::Cm));
        }
        (
            name,
            Tracks::open(&folder.join(name), &options).unwrap_or_else(|e| panic!("{e}")),
        )
    };
    Some(names.map(open).into())
}

#[test]
fn smoothing_moves_places_by_centimetres() {
    let Some(all) = sample_tracks() else { return };
    for (name, tracks) in all {
        let map = GroundMap::of(&tracks);
        let clips = CrowdClip::all_of(&MAN);
        let body = Body {
            gaits: GaitSet::of_character(&MAN),
            stride: 1.0,
        };
        let agents: Vec<_> = tracks.agents.iter().map(|agent| (agent, body)).collect();
        let ways = tracks.ways(&agents, &map, &WayOptions::default());
        let mut table = Vec::new();
        add_trajectories(&mut table, &ways);
        let (mut squares, mut largest, mut count) = (0.0, 0.0_f32, 0);
        for (person, agent) in tracks.agents.iter().enumerate() {
            for sample in tracks.samples_of(agent) {
                let clock = Clock::from_seconds(map.time(sample.time));
                let place =
                    throng::crowd::trajectory::trajectory_pose(&table, &table[person], &clips, 0, clock).position;
                if place == ABSENT {
                    continue;
                }
                let moved = place.distance(map.world(sample));
                (squares, largest, count) = (squares + f64::from(moved * moved), largest.max(moved), count + 1);
            }
        }
        let rms = (squares / f64::from(count)).sqrt();
        let keys: usize = ways.iter().map(Vec::len).sum();
        println!(
            "{name:<36} rms {:.1} mm, largest {:.0} mm, {keys} keys of {count} samples",
            rms * 1e3,
            largest * 1e3
        );
        assert!(
            rms < 0.05 && f64::from(count) > 0.9 * tracks.samples.len() as f64,
            "{name}: {rms}"
        );
    }
}

#[test]
fn feet_of_real_trajectories_slide_little() {
    let Some(all) = sample_tracks() else { return };
    for (name, tracks) in all {
        let map = GroundMap::of(&tracks);
        let mut all = Vec::new();
        for agent in (0..tracks.agents.len()).step_by(tracks.agents.len().div_ceil(6)) {
            let walker = Walker::new(&tracks, agent, 0.5);
            let own = tracks.samples_of(&tracks.agents[agent]);
            let (from, to) = (map.time(own[0].time), map.time(own[own.len() - 1].time));
            all.extend(slides(&walker, from, to.min(from + 12.0)));
        }
        all.sort_by(f32::total_cmp);
        let at = |share: f32| all[((all.len() - 1) as f32 * share) as usize] * 1e3;
        println!(
            "{name:<36} {} steps, median {:.1} mm, p95 {:.1} mm",
            all.len(),
            at(0.5),
            at(0.95)
        );
        assert!(at(0.5) <= 20.0, "{name}: {} mm", at(0.5));
    }
}

/// Footsteps of a file of Vadere in which somebody walks, as in the two before: id and beginning (s).
fn walked_footsteps(text: &str) -> Vec<(i64, f64)> {
    let rows = text
        .lines()
        .filter(|line| line.starts_with(|first: char| first.is_ascii_digit()));
    let mut people: BTreeMap<i64, Vec<(f64, bool)>> = BTreeMap::new();
    for row in rows {
        let fields: Vec<f64> = row.split_whitespace().filter_map(|field| field.parse().ok()).collect();
        let [id, start, end, x, y, to_x, to_y, ..] = fields[..] else {
            panic!("{row}");
        };
        let walks = (to_x - x).hypot(to_y - y) / (end - start) > 0.8;
        people.entry(id as i64).or_default().push((start, walks));
    }
    let walked = |(id, steps): (i64, Vec<(f64, bool)>)| {
        let all = steps.windows(4).filter(|own| own[..3].iter().all(|step| step.1));
        all.map(|own| (id, own[2].0)).collect::<Vec<_>>()
    };
    people.into_iter().flat_map(walked).collect()
}

#[test]
fn legs_begin_to_stand_when_footsteps_begin() {
    let Some(folder) = common::samples() else { return };
    let file = folder.join("trajectories/vadere_bottleneck.traj");
    let tracks = Tracks::open(&file, &ReadOptions::default()).expect("reads");
    let map = GroundMap::of(&tracks);
    let walkers: Vec<Walker> = (0..tracks.agents.len())
        .map(|agent| Walker::new(&tracks, agent, 0.5))
        .collect();
    // Half a cycle is one step, of either leg.
    let mut shares = Vec::new();
    for (id, start) in walked_footsteps(&std::fs::read_to_string(&file).expect("reads")) {
        let agent = tracks
            .agents
            .iter()
            .position(|agent| agent.id == Id::Number(id))
            .expect("an agent");
        let moment = walkers[agent].pose(map.time(start)).moment;
        shares.push(f64::from(2.0 * moment.to.position).rem_euclid(1.0));
    }
    assert!(shares.len() > 50, "{}", shares.len());
    let turn = |share: f64| (share * std::f64::consts::TAU).sin_cos();
    let (sine, cosine) = shares
        .iter()
        .map(|share| turn(*share))
        .fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
    let middle = sine.atan2(cosine) / std::f64::consts::TAU;
    let mut errors: Vec<f64> = shares
        .iter()
        .map(|share| ((share - middle + 0.5).rem_euclid(1.0) - 0.5).abs())
        .collect();
    errors.sort_by(f64::total_cmp);
    let median = errors[errors.len() / 2];
    println!(
        "{} footsteps, median {median:.3} of a step from the mean, which is {middle:.3}",
        errors.len()
    );
    // A quarter if steps ignored footsteps.
    assert!(median < 0.12, "{median}");
}
