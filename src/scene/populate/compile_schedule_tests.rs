use proptest::prelude::*;

use crate::{
    config::{Config, Group, SceneConfig},
    crowd::{
        CrowdCharacter, CrowdClip,
        clock::{Clock, later, to_ticks},
        events::{ClipMark, events_between, mark_position},
        hash::hash,
        schedule::*,
    },
};

const SCENE: &str = r#"
[scene.groups.talkers]
[scene.groups.talkers.behaviour]
block = [18.0, 30.0]
[scene.groups.talkers.behaviour.states]
idle = { home = 3.0, dwell = [2.0, 6.0], next = { talk = 2.0, listen = 3.0 } }
listen = { home = 1.0, speed = [0.8, 1.2], dwell = [1.5, 5.0], next = { talk = 3.0, idle = 1.0 } }
talk = { dwell = [2.0, 7.0], fades = { wave = 0.1 }, next = { listen = 2.0, wave = 1.0, talk = 0.5 } }
wave = { wrap = "once", speed = [-1.2, -0.9], dwell = [1.5, 1.5], fade = 0.2, next = { idle = 1.0 } }

[scene.groups.home]
phase = "wave"
[scene.groups.home.behaviour]
block = [12.0, 12.0]
[scene.groups.home.behaviour.states]
idle = { home = 1.0, dwell = [8.0, 8.0], next = { cheer = 1.0 } }
cheer = { wrap = "once", dwell = [2.0, 2.0], fade = 0.2, next = { idle = 1.0 } }

[scene.groups.soldiers.behaviour.states]
idle = { home = 1.0, next = { attack = 1.0 } }
attack = { next = { idle = 1.0 } }
"#;

fn scene() -> SceneConfig {
    Config::parse("test.toml", SCENE).expect("valid").scene
}

fn cast() -> CrowdCharacter {
    let names = ["idle", "talk", "listen", "wave", "cheer", "attack"];
    let clip = |(i, name): (usize, &&str)| CrowdClip {
        name: (*name).to_owned(),
        duration: 1.1 + 0.37 * i as f32,
        speed: 0.0,
    };
    CrowdCharacter {
        name: "ada".to_owned(),
        clips: names.iter().enumerate().map(clip).collect(),
        fit: 1.0,
    }
}

struct Stage {
    schedule: Schedule,
    group: GroupRow,
}

fn stage(group: Group) -> Stage {
    let schedule = Schedule::compile(&scene(), &cast(), &[cast()]);
    let group = schedule.groups[group as usize];
    Stage { schedule, group }
}

fn clock() -> impl Strategy<Value = Clock> {
    (0..700_000_u32, 0..65_536_u32).prop_map(|(seconds, ticks)| Clock { seconds, ticks })
}

proptest! {
    #[test]
    fn stays_follow_the_file(own: u32, index: u32) {
        let Stage { schedule, group } = stage(Group::Talkers);
        let person_schedule = behaviour_of(&group, own, 0);
        prop_assert!((to_ticks(18.0)..=to_ticks(30.0)).contains(&person_schedule.length));
        let stays: Vec<_> = segments(&schedule, &group, block_seed(&person_schedule, index), person_schedule.length).collect();
        prop_assert!(stays.len() as u32 <= MAX_STEPS);
        prop_assert_eq!(stays[0].start, 0);
        prop_assert_eq!(stays[stays.len() - 1].end, person_schedule.length);
        for pair in stays.windows(2) {
            prop_assert_eq!(pair[0].end, pair[1].start);
            prop_assert_eq!((pair[0].state, pair[0].start), (pair[1].previous, pair[1].previous_start));
            let row = &schedule.states[pair[0].state as usize];
            let edges = &schedule.edges[row.first_edge as usize..][..row.edge_count as usize];
            prop_assert!(edges.iter().any(|edge| edge.state == pair[1].state && edge.fade == pair[1].fade));
            let stay = pair[0].end - pair[0].start;
            prop_assert!((row.dwell_min..=row.dwell_min + row.dwell_span).contains(&stay));
        }
        for stay in &stays {
            let row = &schedule.states[stay.state as usize];
            prop_assert!(stay.end - stay.start >= row.dwell_min && stay.fade <= row.dwell_min);
        }
    }

    #[test]
    fn one_step_or_many_lead_to_the_same(own: u32, start in clock(), steps in prop::collection::vec(0..200_000_u32, 1..20)) {
        let Stage { schedule, group } = stage(Group::Talkers);
        let person_schedule = behaviour_of(&group, own, 0);
        let many = steps.iter().fold(start, |clock, &step| later(clock, step));
        let one = Clock::from_count(start.count() + steps.iter().map(|&step| u64::from(step)).sum::<u64>());
        prop_assert_eq!(moment(&schedule, &group, &person_schedule, many), moment(&schedule, &group, &person_schedule, one));
    }

    #[test]
    fn nothing_jumps(own: u32, start in clock(), group in prop::sample::select(vec![Group::Talkers, Group::Home])) {
        // Steps of 0.1 ms around a random moment. Clips start from weight 0 when faded in, so that every change of the
        // blend is small.
        let Stage { schedule, group } = stage(group);
        let person_schedule = behaviour_of(&group, own, own);
        let present = block(&person_schedule, start);
        let seed = block_seed(&person_schedule, present.index);
        let stay = find_segment(&schedule, &group, seed, person_schedule.length, present.local);
        let edge = Clock::from_count((start.count() + u64::from(stay.end - present.local)).saturating_sub(7));
        let mut before = shown(&moment(&schedule, &group, &person_schedule, edge));
        for step in 1..20 {
            let now = shown(&moment(&schedule, &group, &person_schedule, later(edge, step)));
            for (clip, weight) in now.iter().enumerate() {
                prop_assert!((weight - before[clip]).abs() < 0.01, "{step} {before:?} {now:?}");
            }
            before = now;
        }
    }

    #[test]
    fn positions_and_weights_are_in_range(own: u32, clock in clock(), place: u32) {
        for group in [Group::Talkers, Group::Home, Group::Soldiers] {
            let Stage { schedule, group } = stage(group);
            let person_schedule = behaviour_of(&group, own, place);
            let now = moment(&schedule, &group, &person_schedule, clock);
            prop_assert!((0.0..=1.0).contains(&now.weight));
            for playing in [now.from, now.to] {
                prop_assert!((0.0..=1.0).contains(&playing.position) && playing.clip < 6);
            }
        }
    }

    #[test]
    fn events_do_not_depend_on_the_time_step(own: u32, start in 0..500_000_u32) {
        let Stage { schedule, group } = stage(Group::Talkers);
        let person_schedule = behaviour_of(&group, own, 0);
        let marks: Vec<_> = cast().clips.iter().map(|clip| vec![
            ClipMark { name: 0, position: mark_position(0.3, clip.duration) },
            ClipMark { name: 1, position: 0 },
        ]).collect();
        let begin = Clock { seconds: start, ticks: 17 };
        let end = Clock { seconds: start + 60, ticks: 17 };
        let all = events_between(&schedule, &group, &person_schedule, &marks, begin, end);
        prop_assert!(all.len() > 20);
        for step in [65_536 / 60, 65_536 / 7, 5 * 65_536] {
            let mut cut = Vec::new();
            let mut from = begin;
            while from < end {
                let to = later(from, step).min(end);
                cut.extend(events_between(&schedule, &group, &person_schedule, &marks, from, to));
                from = to;
            }
            prop_assert_eq!(&all, &cut);
        }
    }
}

/// Weight of each clip in the blend.
fn shown(now: &CrossFade) -> [f32; 6] {
    let mut weights = [0.0; 6];
    weights[now.from.clip as usize] += 1.0 - now.weight;
    weights[now.to.clip as usize] += now.weight;
    weights
}

#[test]
fn looping_clips_run_on_without_a_seam() {
    let Stage { schedule, group } = stage(Group::Soldiers);
    let person_schedule = behaviour_of(&group, 1, 0);
    let mut last = moment(&schedule, &group, &person_schedule, Clock::default());
    for step in 1..20_000 {
        let now = moment(&schedule, &group, &person_schedule, Clock::from_count(step * 655));
        if now.to.clip == last.to.clip {
            let change = (now.to.position - last.to.position).rem_euclid(1.0);
            assert!(change < 0.02, "{step}: {last:?} {now:?}");
        }
        last = now;
    }
}

#[test]
fn a_shared_schedule_is_the_same_for_all() {
    let Stage { schedule, group } = stage(Group::Soldiers);
    assert_eq!(group.flags, FLAG_SHARED);
    for seconds in [0.0, 3.3, 1e5] {
        let at = |own| {
            moment(
                &schedule,
                &group,
                &behaviour_of(&group, own, own),
                Clock::from_seconds(seconds),
            )
        };
        assert_eq!(at(1), at(2));
    }
}

#[test]
fn a_wave_runs_around_once_per_block() {
    let Stage { schedule, group } = stage(Group::Home);
    // People repeat what those ahead of them in the wave did before.
    for (place, seconds) in [(0_u32, 100.0), (1 << 30, 103.0), (1 << 31, 106.0), (3 << 30, 109.0)] {
        let person_schedule = behaviour_of(&group, place, place);
        let here = segment_now(&schedule, &group, &person_schedule, seconds);
        assert_eq!(
            here,
            segment_now(
                &schedule,
                &group,
                &crate::crowd::schedule::behaviour_of(&group, 5, 0),
                100.0
            )
        );
    }
    // At any time, somebody cheers at regular distances.
    let cheering = |place: u32| {
        let person_schedule = behaviour_of(&group, 1, place);
        moment(&schedule, &group, &person_schedule, Clock::from_seconds(1234.5))
            .to
            .clip
            == 4
    };
    let count = (0..1000_u32).filter(|i| cheering(i * 4_294_967)).count();
    assert!((100..400).contains(&count), "{count}");
}

fn segment_now(schedule: &Schedule, group: &GroupRow, person_schedule: &PersonSchedule, seconds: f64) -> (u32, u32) {
    let now = block(person_schedule, Clock::from_seconds(seconds));
    let stay = find_segment(
        schedule,
        group,
        block_seed(person_schedule, now.index),
        person_schedule.length,
        now.local,
    );
    // Rounding of the shift may be one tick off.
    (stay.state, (now.local - stay.start + 2) / 8)
}

#[test]
fn shares_of_time_follow_the_weights() {
    let Stage { schedule, group } = stage(Group::Talkers);
    let mut seconds = [0; 6];
    for person in 0..4000 {
        let person_schedule = behaviour_of(&group, hash(1, person, 2), 0);
        let now = moment(
            &schedule,
            &group,
            &person_schedule,
            Clock {
                seconds: 5000,
                ticks: 0,
            },
        );
        seconds[now.to.clip as usize] += 1;
    }
    let [idle, talk, listen, wave, ..] = seconds;
    assert!(idle > 800 && talk > 800 && listen > 400 && wave > 40, "{seconds:?}");
    assert!(wave < talk && wave < listen);
}

#[test]
fn groups_without_behaviour_have_an_empty_row() {
    let Stage { group, .. } = stage(Group::Dancers);
    assert_eq!(group.state_count, 0);
}

#[test]
fn contradictions_are_errors_of_the_file() {
    let with = |state: &str| {
        let text = format!("[scene.groups.talkers.behaviour.states]\n{state}\n");
        Config::parse("my.toml", &text).expect_err("contradiction").to_string()
    };
    for (state, words) in [
        ("idle = {}", "`home` above 0"),
        ("idle = { home = 1, next = { talk = 1 } }", "states of this behaviour"),
        ("idle = { home = 1, speed = [-1, 1] }", "the same sign"),
        ("idle = { home = 1, fade = 1.0, dwell = [0.5, 2] }", "shortest dwell"),
        ("idle = { home = 1, dwell = [30, 60] }", "shorter than a block"),
        ("idle = { home = 1, dwell = [6, 3] }", "ascending"),
        ("idle = { home = 1, wrap = \"lop\" }", "did you mean \"loop\""),
        ("idle = { hoem = 1 }", "did you mean"),
    ] {
        let message = with(state);
        assert!(message.contains(words) && message.starts_with("my.toml:"), "{message}");
    }
}

fn compiled(text: &str, character: &CrowdCharacter) -> Schedule {
    let scene = Config::parse("test.toml", text).expect("valid").scene;
    Schedule::compile(&scene, character, std::slice::from_ref(character))
}

#[test]
fn what_weighs_nothing_never_follows() {
    let schedule = compiled(
        "[scene.groups.talkers.behaviour.states]\nidle = { home = 1.0, next = { talk = 0.0 } }\ntalk = {}\n",
        &cast(),
    );
    assert_eq!(schedule.states[0].edge_count, 0);
}

#[test]
fn standing_and_marching_groups_do_not_share_rows() {
    let states = "states]\nidle = { home = 1.0, next = { walk = 1.0 } }\nwalk = { next = { idle = 1.0 } }\n";
    let text = format!(
        "[scene.groups.players]\nphase = \"together\"\n[scene.groups.players.behaviour.{states}\
         [scene.groups.walkers]\nphase = \"together\"\n[scene.groups.walkers.behaviour.{states}"
    );
    let schedule = compiled(&text, &walker(1.0));
    let flags = |group: Group| schedule.groups[group as usize].flags & FLAG_TRAVELS;
    assert_eq!((flags(Group::Players), flags(Group::Walkers)), (0, FLAG_TRAVELS));
}

#[test]
fn strides_are_as_long_as_the_character_stands() {
    let text = |phase: &str| {
        format!(
            "[scene.groups.walkers]\nphase = \"{phase}\"\n[scene.groups.walkers.behaviour.states]\n\
             walk = {{ home = 1.0 }}\n"
        )
    };
    let stride = |phase: &str, fit| compiled(&text(phase), &walker(fit)).states[0].stride;
    // `together`: the stride in metres for all people. Alone: in metres of the file; the size of a person is applied
    // later.
    assert_eq!(stride("together", 0.25) * 4, stride("together", 1.0));
    assert_eq!(stride("random", 0.25), stride("random", 1.0));
    let back = compiled(&format!("[scene]\nspeed = -1.0\n{}", text("random")), &walker(1.0));
    assert_eq!(back.states[0].flags & FLAG_REVERSED, 0, "nobody walks backwards");
}

/// A person who idles and walks two metres a second, scaled by `fit`.
fn walker(fit: f32) -> CrowdCharacter {
    let mut walker = cast();
    walker.clips[1].name = "walk".to_owned();
    (walker.clips[1].speed, walker.fit) = (2.0, fit);
    walker
}
