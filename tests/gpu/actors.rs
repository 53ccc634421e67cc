//! Actors on the GPU against the CPU's reference: places, poses, continuity of every vertex, rubbish in their rows.

use std::sync::Arc;

use glam::{Affine3A, Vec3};
use rayon::prelude::*;
use throng::{
    atlas::AtlasFormat,
    bake::{
        FrameBlend,
        skinning::{self, add_scaled},
    },
    character::Character,
    config::Technique,
    crowd::{
        Clock, CrowdClip,
        actors::{
            Actor, ActorBlend, ActorClip, ActorId, ActorTable, MotionRow, PlayRow,
            actor_state::{actor_state, is_in_world},
            rows::ACTOR_ALIVE,
        },
        hash::Draws,
    },
    file::gltf,
    gpu::Gpu,
    render::{
        FrameInput,
        passes::{ActorRows, Probe},
        resources::{AtlasSource, CharacterAssets, GpuPosed},
    },
    scene::embedded,
};

use crate::common;

/// Ticks in a second.
const SECOND: u64 = 65_536;

/// Character with the probe of its actors.
struct Stage {
    gpu: Gpu,
    character: Arc<Character>,
    assets: CharacterAssets,
    probe: Probe,
}

impl Stage {
    fn open(name: &str) -> Option<Self> {
        let gpu = common::gpu::open()?;
        let bytes = embedded::embedded(name).expect("comes with the library");
        let character = common::gpu::bake(gltf::load_bytes(name, bytes, None).expect("loads"));
        let method = (Technique::Matrix, AtlasFormat::F32, AtlasSource::Storage);
        let (assets, _) = common::gpu::upload(&gpu, &character, method);
        let probe = Probe::for_actors(&gpu, &assets).expect("compiles");
        Some(Self {
            gpu,
            character,
            assets,
            probe,
        })
    }

    fn table(&self, capacity: u32) -> ActorTable {
        ActorTable::new(capacity, &CrowdClip::all_of(&self.character)).expect("a usual capacity")
    }

    fn posed(&self, rows: ActorRows<'_>, now: Clock) -> Vec<GpuPosed> {
        let crowd = self.probe.upload_actors(&self.gpu, &self.assets, rows).expect("fits");
        self.probe.posed(&self.gpu, &crowd, &frame(now)).expect("reads back")
    }

    /// Vertices of all slots (m, model space).
    fn vertices(&self, table: &ActorTable, now: Clock) -> Vec<Vec3> {
        let crowd = self
            .probe
            .upload_actors(&self.gpu, &self.assets, rows(table))
            .expect("fits");
        let found = self
            .probe
            .run(&self.gpu, &self.assets, &crowd, &frame(now))
            .expect("reads back");
        found
            .iter()
            .map(|vertex| glam::Vec4::from(vertex.position).truncate())
            .collect()
    }
}

/// Vertices of the CPU's reference (m, model space): the palettes of three clips are blended, then skinned once.
pub fn reference(character: &Character, blend: &ActorBlend) -> Vec<Vec3> {
    let palettes = &character.palettes;
    let pair = |clip: throng::crowd::schedule::ClipTime| palettes.clips[clip.clip as usize].pair_at(clip.position);
    let palette = |a, b, fade| palettes.blended(&FrameBlend { a, b, fade });
    let both = palette(pair(blend.a), pair(blend.b), blend.fade);
    let third = palette(pair(blend.c), pair(blend.c), 0.0);
    let mixed: Vec<Affine3A> = both
        .into_iter()
        .zip(third)
        .map(|(both, third)| {
            let rest = add_scaled(Affine3A::ZERO, both, 1.0 - blend.third);
            add_scaled(rest, third, blend.third)
        })
        .collect();
    let vertices = character.model.mesh.vertices.iter();
    vertices
        .map(|vertex| skinning::skin_vertex(vertex, &mixed).position)
        .collect()
}

fn frame(now: Clock) -> FrameInput {
    FrameInput {
        clock: now,
        ..common::gpu::frame(0.0)
    }
}

fn rows(table: &ActorTable) -> ActorRows<'_> {
    ActorRows {
        motions: table.motions(),
        plays: table.plays(),
        looks: table.looks(),
    }
}

fn place(posed: &GpuPosed) -> Vec3 {
    Vec3::from_array([0, 1, 2].map(|axis| f32::from_bits(posed.place[axis])))
}

fn is_left_out(posed: &GpuPosed) -> bool {
    place(posed).y < -1e5 && posed.play[3] >> 16 == 0
}

/// Changes an actor at random, `number` of the way through its history.
fn change(table: &mut ActorTable, id: ActorId, draws: &Draws, now: u64, clips: u32) {
    let at = Clock::from_count(now);
    let target = [0, 1, 2].map(|axis| draws.signed(axis) * 288.0);
    match draws.below(3, 4) {
        0 => {
            let times = at..Clock::from_count(now + u64::from(draws.below(4, 300_000)));
            table.move_to(id, times, target, draws.signed(5) * 4.0)
        }
        1 => table.speed(id, draws.signed(6) * 2.0, at),
        _ => {
            let clip = ActorClip {
                once: draws.below(7, 3) == 0,
                start: draws.unit(8),
                ..ActorClip::new(draws.below(9, clips) as u16)
            };
            table.play(id, &clip, at, draws.unit(10) * 0.6)
        }
    }
    .expect("in order");
}

#[test]
fn the_gpu_places_and_poses_actors_as_the_cpu_does() {
    let Some(stage) = Stage::open("man") else { return };
    let clips = stage.character.palettes.clips.len() as u32;
    let height = stage.character.packed.bounds.size().y;
    let mut table = stage.table(48);
    let ids: Vec<ActorId> = (0..40)
        .map(|number| {
            let scale = 0.5 + number as f32 * 0.02;
            table
                .spawn(&Actor {
                    scale,
                    ..Actor::default()
                })
                .expect("there is room")
        })
        .collect();
    let (mut place_error, mut pose_error, mut pairs, mut threes) = (0.0_f32, 0.0_f32, 0, 0);
    for round in 0..30 {
        // Changes come an eighth of a second apart, and fades last longer.
        let base = u64::from(round) * SECOND / 8;
        for (number, &id) in ids.iter().enumerate() {
            let draws = Draws::new(49, round, number as u32);
            let time = base + u64::from(draws.below(20, 4_000));
            change(&mut table, id, &draws, time, clips);
        }
        let later = u64::from(Draws::new(1, 2, round).below(0, 6_000));
        let now = Clock::from_count(base + 4_000 + later);
        let posed = stage.posed(rows(&table), now);
        for &id in &ids {
            let state = table.state(id, now).expect("lives");
            let found = &posed[id.index() as usize];
            place_error = place_error.max(place(found).distance(state.place.position));
            let fade = (found.play[3] & 0xffff) as f32 / 65_535.0;
            assert!(
                (fade - state.blend.fade).abs() < 2e-5,
                "{round}: {fade} {}",
                state.blend.fade
            );
            threes += u32::from(state.blend.third > 0.0);
            pairs += 1;
        }
        assert!(posed[40..].iter().all(is_left_out), "free slots are somewhere");
        if round % 6 != 5 {
            continue;
        }
        let vertices = stage.vertices(&table, now);
        let errors = vertices
            .par_chunks(stage.assets.vertex_count as usize)
            .zip(&ids)
            .map(|(found, &id)| {
                let blend = table.state(id, now).expect("lives").blend;
                let wanted = reference(&stage.character, &blend);
                found
                    .iter()
                    .zip(&wanted)
                    .fold(0.0_f32, |worst, (found, wanted)| worst.max(found.distance(*wanted)))
            });
        pose_error = pose_error.max(errors.reduce(|| 0.0, f32::max));
    }
    let percent = pose_error / height * 100.0;
    println!(
        "{pairs} states, {threes} of three clips: {:.4} mm, pose {percent:.5} % of the height",
        place_error * 1e3
    );
    assert!(threes > 100, "{threes} states of three clips");
    assert!(place_error <= 1e-4 && percent <= 0.01, "{place_error} m, {percent} %");
    assert_eq!(stage.gpu.take_error(), None);
}

/// Largest way of each vertex between two moments.
fn ways(from: &[Vec3], to: &[Vec3]) -> Vec<f32> {
    from.iter().zip(to).map(|(from, to)| from.distance(*to)).collect()
}

#[test]
fn no_vertex_jumps_when_clips_change_in_the_middle_of_fades() {
    // The other characters take minutes: .ci/long has them all.
    let all = ["man", "knight", "woman", "girl", "elder"];
    let is_long = std::env::var_os("THRONG_LONG").is_some();
    for name in &all[..if is_long { all.len() } else { 2 }] {
        let Some(stage) = Stage::open(name) else { return };
        let clips = stage.character.palettes.clips.len() as u16;
        let mut table = stage.table(u32::from(clips) * u32::from(clips));
        let pairs: Vec<(ActorId, [u16; 2])> = (0..clips * clips)
            .map(|number| {
                let pair = [number / clips, number % clips];
                let clip = ActorClip::new(pair[0]);
                (
                    table
                        .spawn(&Actor {
                            clip,
                            ..Actor::default()
                        })
                        .expect("there is room"),
                    pair,
                )
            })
            .collect();
        // From the first clip to the second, out of that to a third, out of both to a fourth, which has to wait.
        let plays = [(1.0, 0.4), (1.2, 0.5), (1.3, 0.3), (1.38, 0.2)];
        let mut worst = 0.0_f32;
        for (number, (seconds, fade)) in plays.into_iter().enumerate() {
            let at = Clock::from_seconds(seconds);
            let before = table.clone();
            for &(id, [a, b]) in &pairs {
                let clip = [b, (a + 1) % clips, (b + 2) % clips, a][number];
                let once = (a + b) % 2 == 1;
                let clip = ActorClip {
                    once,
                    ..ActorClip::new(clip)
                };
                table.play(id, &clip, at, fade).expect("in order");
            }
            worst = worst.max(jump(&stage, [&before, &table], at));
        }
        // Where one of three clips has faded out, the other two go on.
        for seconds in [1.4, 1.6, 1.7] {
            worst = worst.max(jump(&stage, [&table, &table], Clock::from_seconds(seconds)));
        }
        println!(
            "{name}: {} pairs of clips, at most {:.4} mm beyond the motion around",
            pairs.len(),
            worst * 1e3
        );
        assert!(worst <= 1e-4, "{name}: a vertex jumps by {worst} m");
    }
}

/// Largest way (m) of a vertex from a tick before a time to a tick after it, beyond its ways before and after.
fn jump(stage: &Stage, [before, after]: [&ActorTable; 2], at: Clock) -> f32 {
    let at = at.count();
    let moment = |table: &ActorTable, ticks: u64| stage.vertices(table, Clock::from_count(ticks));
    let [first, second] = [at - 3, at - 1].map(|ticks| moment(before, ticks));
    let [third, fourth] = [at + 1, at + 3].map(|ticks| moment(after, ticks));
    let [earlier, across, later] = [ways(&first, &second), ways(&second, &third), ways(&third, &fourth)];
    let around = earlier.iter().zip(&later).map(|(earlier, later)| earlier.max(*later));
    across
        .iter()
        .zip(around)
        .fold(0.0, |worst, (across, around)| worst.max(across - around))
}

#[test]
fn rubbish_in_rows_leaves_people_out_and_nobody_else() {
    let Some(stage) = Stage::open("man") else { return };
    let clips = CrowdClip::all_of(&stage.character);
    let mut table = stage.table(256);
    for number in 0..256 {
        let position = [number as f32, 0.0, 0.0];
        let actor = Actor {
            position,
            ..Actor::default()
        };
        table.spawn(&actor).expect("there is room");
    }
    let now = Clock::from_seconds(1.5);
    let whole = stage.posed(rows(&table), now);
    let (mut motions, mut plays) = (table.motions().to_vec(), table.plays().to_vec());
    let words = |number: u32, count: u32| -> Vec<u32> {
        (0..count)
            .map(|word| {
                let draws = Draws::new(5, 6, number);
                match draws.below(word + 100, 4) {
                    0 => [f32::NAN, f32::INFINITY, -1e30, 1e-40][draws.below(word, 4) as usize].to_bits(),
                    _ => (draws.unit(word) * 4_294_967_295.0) as u32,
                }
            })
            .collect()
    };
    // A third each: rubbish, rubbish with the mark of a living actor, one wrong number.
    for number in (0..256).filter(|number| number % 2 == 1) {
        let slot = number as usize;
        match number % 3 {
            0 => {
                motions[slot] = bytemuck::cast_slice::<u32, MotionRow>(&words(number, 12))[0];
                plays[slot] = bytemuck::cast_slice::<u32, PlayRow>(&words(number, 24))[0];
            }
            1 => {
                motions[slot].mark = ACTOR_ALIVE;
                plays[slot] = bytemuck::cast_slice::<u32, PlayRow>(&words(number, 24))[0];
                plays[slot].count = number % 9;
            }
            _ => match number % 8 {
                1 => motions[slot].start_position[1] = f32::NAN,
                3 => motions[slot].end_yaw = f32::INFINITY,
                5 => plays[slot].playbacks[0].clip_ticks = 60_000,
                _ => plays[slot].playbacks[0].speeds = 0x7e00_7e00,
            },
        }
    }
    let posed = stage.posed(
        ActorRows {
            motions: &motions,
            plays: &plays,
            looks: table.looks(),
        },
        now,
    );
    let cycles: Vec<u32> = clips
        .iter()
        .map(|clip| throng::crowd::clock::to_rate(1.0 / f64::from(clip.duration)))
        .collect();
    let mut left_out = 0;
    for (slot, found) in posed.iter().enumerate() {
        if slot % 2 == 0 {
            assert_eq!(found, &whole[slot], "{slot} was moved by others' rubbish");
            continue;
        }
        let state = actor_state(&motions[slot], &plays[slot], &cycles, now);
        assert!(place(found).is_finite(), "{slot}: {found:?}");
        assert!(state.is_some() || is_left_out(found), "{slot}: {found:?}");
        left_out += u32::from(is_left_out(found));
        assert!(is_in_world(&motions[slot]) || is_left_out(found));
    }
    assert!(left_out > 100, "{left_out} of 128 are left out");
    assert_eq!(stage.gpu.take_error(), None);
    stage.gpu.wait_idle();
}

#[test]
fn scrubbing_back_and_pausing_give_equal_bytes() {
    let Some(stage) = Stage::open("man") else { return };
    let mut table = stage.table(20);
    for number in 0..20_u32 {
        let id = table.spawn(&Actor::default()).expect("there is room");
        for step in 0..6 {
            let now = u64::from(step) * SECOND / 8;
            change(&mut table, id, &Draws::new(9, step, number), now, 4);
        }
    }
    let at = |seconds: f64| stage.posed(rows(&table), Clock::from_seconds(seconds));
    let seconds = [0.7, 0.71, 3.0, 86_400.0];
    let forth = seconds.map(at);
    for (seconds, posed) in seconds.into_iter().zip(&forth).rev() {
        assert!(&at(seconds) == posed, "{seconds}");
        assert!(&at(seconds) == posed, "{seconds}, paused");
    }
    assert!(forth[0] != forth[1]);
}
