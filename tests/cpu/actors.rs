//! Actors: handles, errors, and their state at any time against a reference that keeps the whole history.

use glam::{DVec3, Vec3};
use throng::crowd::{
    Clock, CrowdClip,
    actors::{Actor, ActorBlend, ActorClip, ActorError, ActorId, ActorTable, MOST_ACTORS},
    hash::Draws,
};

/// Ticks in a second.
const SECOND: u64 = 65_536;

fn clips() -> Vec<CrowdClip> {
    [1.1, 0.7, 2.3, 0.0]
        .map(|duration| CrowdClip {
            duration,
            ..CrowdClip::default()
        })
        .to_vec()
}

fn table(capacity: u32) -> ActorTable {
    ActorTable::new(capacity, &clips()).expect("a usual capacity")
}

fn at(seconds: f64) -> Clock {
    Clock::from_seconds(seconds)
}

fn one() -> (ActorTable, ActorId) {
    let mut table = table(4);
    let id = table.spawn(&Actor::default()).expect("there is room");
    (table, id)
}

fn position(table: &ActorTable, id: ActorId, seconds: f64) -> Vec3 {
    table.state(id, at(seconds)).expect("lives").place.position
}

#[test]
fn stale_handles_are_refused_and_slots_are_used_again() {
    let mut table = table(2);
    let [a, b] = [(); 2].map(|()| table.spawn(&Actor::default()).expect("there is room"));
    assert_eq!(table.spawn(&Actor::default()), Err(ActorError::Full { capacity: 2 }));
    table.despawn(a).expect("lives");
    let stale = ActorError::Stale {
        index: a.index(),
        generation: 1,
    };
    let c = table.spawn(&Actor::default()).expect("there is room again");
    assert_eq!((c.index(), c == a, table.count()), (a.index(), false, 2));
    let before = table.state(c, at(1.0));
    let (clip, now) = (ActorClip::new(1), at(0.5));
    for refused in [
        table.despawn(a),
        table.set(a, [1.0; 3], 0.0),
        table.move_to(a, now..now, [1.0; 3], 0.0),
        table.play(a, &clip, now, 0.0),
        table.speed(a, 2.0, now),
        table.tint(a, [1; 4]),
        table.variant(a, 1),
        table.scale(a, 2.0, 1.0),
    ] {
        assert_eq!(refused, Err(stale));
    }
    assert!(!table.contains(a) && table.contains(b) && table.contains(c));
    assert_eq!((table.state(a, now), table.state(c, at(1.0))), (None, before));
    assert_eq!((table.id_at(c.index()), table.id_at(9)), (Some(c), None));
}

#[test]
fn capacities_have_limits_and_growth_keeps_everybody() {
    for capacity in [0, MOST_ACTORS + 1] {
        let made = ActorTable::new(capacity, &clips()).map(|table| table.capacity());
        assert!(matches!(made, Err(ActorError::Capacity { .. })), "{capacity}");
    }
    let (mut table, id) = one();
    table.set(id, [1.0, 2.0, 3.0], 0.5).expect("lives");
    assert!(matches!(table.grow(3), Err(ActorError::Capacity { least: 4, .. })));
    let before = table.state(id, at(1.0));
    table.grow(1000).expect("fits");
    assert_eq!(
        (table.capacity(), table.count(), table.state(id, at(1.0))),
        (1000, 1, before)
    );
    let unsent = table.changes().motions.slots().to_vec();
    assert_eq!(unsent, [id.index()], "what was not sent is kept");
    for _ in 1..1000 {
        table.spawn(&Actor::default()).expect("there is room");
    }
    assert!(table.spawn(&Actor::default()).is_err());
}

#[test]
fn bad_numbers_and_times_are_errors_and_change_nothing() {
    let (mut table, id) = one();
    table
        .move_to(id, at(1.0)..at(3.0), [4.0, 0.0, 0.0], 1.0)
        .expect("lives");
    table.play(id, &ActorClip::new(1), at(2.0), 0.2).expect("lives");
    let rows = (table.motions().to_vec(), table.plays().to_vec(), table.looks().to_vec());
    let number = |refused: Result<(), ActorError>| matches!(refused, Err(ActorError::Number { .. }));
    for bad in [f32::NAN, f32::INFINITY, -2e6] {
        assert!(number(table.set(id, [0.0, bad, 0.0], 0.0)));
        assert!(number(table.move_to(id, at(4.0)..at(5.0), [bad, 0.0, 0.0], 0.0)));
        assert!(number(table.speed(id, bad, at(4.0))));
        assert!(number(table.play(id, &ActorClip::new(0), at(4.0), bad)));
        assert!(number(table.scale(id, bad, 1.0)));
        assert!(number(table.scale(id, 1.0, bad)));
        let clip = ActorClip {
            start: bad,
            ..ActorClip::new(0)
        };
        assert!(number(table.play(id, &clip, at(4.0), 0.1)));
        assert!(
            table
                .spawn(&Actor {
                    scale: bad,
                    ..Actor::default()
                })
                .is_err()
        );
        assert!(
            table
                .spawn(&Actor {
                    clip,
                    ..Actor::default()
                })
                .is_err()
        );
        assert!(
            table
                .spawn(&Actor {
                    position: [bad; 3],
                    ..Actor::default()
                })
                .is_err()
        );
    }
    assert!(number(table.set(id, [0.0; 3], f32::NAN)));
    assert!(number(table.play(id, &ActorClip::new(0), at(4.0), -0.1)));
    assert!(number(table.play(id, &ActorClip::new(0), at(4.0), 64.0)));
    assert!(number(table.move_to(id, at(4.0)..at(1e6), [0.0; 3], 0.0)));
    assert_eq!(
        table.play(id, &ActorClip::new(4), at(4.0), 0.1),
        Err(ActorError::Clip { clip: 4, count: 4 })
    );
    let backwards = |refused| matches!(refused, Err(ActorError::Backwards { .. }));
    assert!(backwards(table.move_to(id, at(3.0)..at(2.0), [0.0; 3], 0.0)));
    assert!(backwards(table.move_to(id, at(0.5)..at(2.0), [0.0; 3], 0.0)));
    assert!(backwards(table.play(id, &ActorClip::new(0), at(1.9), 0.1)));
    assert!(backwards(table.speed(id, 1.0, at(1.9))));
    assert!(rows == (table.motions().to_vec(), table.plays().to_vec(), table.looks().to_vec()));
    assert_eq!(table.count(), 1);
}

#[test]
fn somebody_walks_between_two_keys_and_turns_the_short_way() {
    let (mut table, id) = one();
    table.set(id, [1.0, 0.0, 0.0], 3.0).expect("lives");
    table
        .move_to(id, at(2.0)..at(4.0), [5.0, 0.0, 2.0], -3.0)
        .expect("lives");
    for (seconds, x) in [(0.0, 1.0), (2.0, 1.0), (2.5, 2.0), (4.0, 5.0), (1e5, 5.0)] {
        assert!((position(&table, id, seconds).x - x).abs() < 1e-6, "{seconds}");
    }
    let yaw = table.state(id, at(3.0)).expect("lives").place.yaw;
    assert!((yaw.abs() - std::f32::consts::PI).abs() < 1e-4, "{yaw}");
    // A move out of a move begins where the person is.
    table
        .move_to(id, at(2.5)..at(3.0), [2.0, 8.0, 0.5], 0.0)
        .expect("lives");
    assert!(position(&table, id, 2.5).distance(Vec3::new(2.0, 0.0, 0.5)) < 1e-6);
    assert!(position(&table, id, 2.75).distance(Vec3::new(2.0, 4.0, 0.5)) < 1e-6);
    // Between writes the state is a function of time alone: back and forth give the same.
    let there = [2.1, 2.9, 2.1].map(|seconds| table.state(id, at(seconds)));
    assert_eq!(there[0], there[2]);
}

#[test]
fn clips_loop_end_and_change_their_speed_without_a_jump() {
    let (mut table, id) = one();
    let played = |table: &ActorTable, seconds| table.state(id, at(seconds)).expect("lives").blend.a.position;
    // Rates have 24 bits of a turn: a week is exact to 2 % of a turn.
    assert!((f64::from(played(&table, 604_800.3)) - (604_800.3 / 1.1_f64).fract()).abs() < 0.02);
    assert!((f64::from(played(&table, 9.5)) - (9.5 / 1.1_f64).fract()).abs() < 1e-5);
    table.play(id, &ActorClip::once(1), at(10.0), 0.0).expect("lives");
    for (seconds, share) in [(10.0, 0.0), (10.35, 0.5), (10.7, 1.0), (99.0, 1.0)] {
        assert!((played(&table, seconds) - share).abs() < 1e-4, "{seconds}");
    }
    table.speed(id, -0.5, at(100.0)).expect("lives");
    for (seconds, share) in [(100.0, 1.0), (100.7, 0.5), (101.4, 0.0), (200.0, 0.0)] {
        assert!((played(&table, seconds) - share).abs() < 1e-4, "{seconds}");
    }
    // Before the change the clip had ended.
    assert!((played(&table, 99.5) - 1.0).abs() < 1e-4);
}

/// Playback of the reference, in double precision.
#[derive(Clone, Copy)]
struct Played {
    clip: usize,
    once: bool,
    /// Time at which the clip was at `share`, and its speed since.
    since: u64,
    share: f64,
    speed: f64,
    /// Start and length of the fade to it (ticks).
    start: u64,
    span: u64,
}

impl Played {
    fn share_at(&self, now: u64) -> f64 {
        let duration = f64::from(clips()[self.clip].duration);
        let rate = if duration > 0.0 { 1.0 / duration } else { 0.0 };
        let share = self.share + (now as f64 - self.since as f64) / SECOND as f64 * rate * self.speed;
        if self.once { share.clamp(0.0, 1.0) } else { share }
    }

    fn weight(&self, now: u64) -> f64 {
        if now < self.start {
            return 0.0;
        }
        if now - self.start >= self.span {
            return 1.0;
        }
        let x = (now - self.start) as f64 / self.span as f64;
        x * x * (3.0 - 2.0 * x)
    }
}

/// Pose that stands for a clip at a share of it: periodic for loops, and different for each clip.
fn pose_of(clip: usize, once: bool, share: f64) -> DVec3 {
    let turn = share * std::f64::consts::TAU;
    let along = if once { share } else { 0.0 };
    DVec3::new(
        turn.cos() + clip as f64,
        turn.sin() - clip as f64,
        along + 0.5 * clip as f64,
    )
}

/// Everything that was ever played, blended: nothing is dropped here.
fn reference(history: &[Played], now: u64) -> DVec3 {
    history.iter().fold(DVec3::ZERO, |pose, played| {
        pose.lerp(
            pose_of(played.clip, played.once, played.share_at(now)),
            played.weight(now),
        )
    })
}

/// Clips of one actor that play once; in the test a clip always plays in one way.
const ONCE: [bool; 4] = [false, true, false, false];

fn blended(blend: &ActorBlend) -> DVec3 {
    let pose = |clip: throng::crowd::schedule::ClipTime| {
        pose_of(clip.clip as usize, ONCE[clip.clip as usize], f64::from(clip.position))
    };
    let both = pose(blend.a).lerp(pose(blend.b), f64::from(blend.fade));
    both.lerp(pose(blend.c), f64::from(blend.third))
}

/// Start of a new fade: at once, or when only two of three clips show.
fn start_of(history: &[Played], at: u64, span: u64) -> u64 {
    let first = history.iter().rposition(|played| played.weight(at) >= 1.0).unwrap_or(0);
    let shown = &history[first..];
    match shown.len() {
        3 if span > 0 => at.max(
            shown[1..]
                .iter()
                .map(|played| played.start + played.span)
                .min()
                .unwrap_or(at),
        ),
        _ => at,
    }
}

/// Random changes of one actor: its clips against the reference just before, at and after every change, and between.
fn compare_history(seed: u32) -> (u32, f64) {
    let (mut table, id) = one();
    let mut history = vec![Played {
        clip: 0,
        once: false,
        since: 0,
        share: 0.0,
        speed: 1.0,
        start: 0,
        span: 0,
    }];
    let (mut now, mut pairs, mut worst) = (0, 0, 0.0_f64);
    for step in 0..40 {
        let draws = Draws::new(49, 7, seed * 1000 + step);
        now += u64::from(draws.below(0, 30_000));
        let before = history.clone();
        if draws.below(1, 4) == 0 {
            let speed = (draws.signed(2) * 64.0).round() / 32.0;
            table.speed(id, speed, Clock::from_count(now)).expect("in order");
            let newest = history.last_mut().expect("one");
            if now >= newest.since {
                newest.share = newest.share_at(now);
                newest.since = now;
            }
            newest.speed = f64::from(speed);
        } else {
            let clip = draws.below(3, 4) as u16;
            let units = u64::from(draws.below(4, 5)) * u64::from(draws.below(5, 300));
            let once = ONCE[usize::from(clip)];
            let play = ActorClip {
                once,
                start: draws.below(6, 4) as f32 / 4.0,
                ..ActorClip::new(clip)
            };
            let fade = units as f32 / 1024.0;
            table.play(id, &play, Clock::from_count(now), fade).expect("in order");
            // A fade that has not begun is replaced.
            while history.len() > 1
                && history
                    .last()
                    .is_some_and(|played| played.start >= now && played.span > 0)
            {
                history.pop();
            }
            let start = start_of(&history, now, units * 64);
            history.push(Played {
                clip: usize::from(clip),
                once,
                since: start,
                share: f64::from(play.start),
                speed: 1.0,
                start,
                span: units * 64,
            });
        }
        if history
            .last()
            .is_some_and(|played| played.span > 0 || played.start > now)
        {
            let jump = reference(&before, now).distance(reference(&history, now));
            assert!(jump < 1e-9, "{seed} {step}: the pose jumps by {jump}");
        }
        for part in 0..25 {
            let when = now + u64::from(draws.below(20 + part, 40_000));
            let blend = table.state(id, Clock::from_count(when)).expect("lives").blend;
            worst = worst.max(blended(&blend).distance(reference(&history, when)));
            pairs += 1;
        }
    }
    (pairs, worst)
}

#[test]
fn random_histories_of_clips_play_as_the_whole_history_says() {
    let (mut pairs, mut worst) = (0, 0.0_f64);
    for seed in 0..histories() {
        let (count, error) = compare_history(seed);
        assert!(error < 2e-4, "{seed}: {error}");
        (pairs, worst) = (pairs + count, worst.max(error));
    }
    println!("{pairs} pairs of a history and a time, largest error {worst:.2e} of a clip's motion");
}

/// Number of random histories; `THRONG_LONG` runs a thousand times a thousand pairs.
fn histories() -> u32 {
    if std::env::var_os("THRONG_LONG").is_some() {
        1000
    } else {
        40
    }
}

/// Key of a move in double precision.
#[derive(Clone, Copy)]
struct Walk {
    from: DVec3,
    to: DVec3,
    start: u64,
    span: u64,
}

impl Walk {
    fn at(&self, now: u64) -> DVec3 {
        let share = match now.saturating_sub(self.start) {
            elapsed if elapsed >= self.span => 1.0,
            elapsed => elapsed as f64 / self.span as f64,
        };
        self.from.lerp(self.to, share)
    }
}

#[test]
fn random_moves_within_500_m_are_exact_to_a_tenth_of_a_millimetre() {
    let (mut pairs, mut worst) = (0_u32, 0.0_f64);
    for seed in 0..histories() {
        let (mut table, id) = one();
        let mut walk = Walk {
            from: DVec3::ZERO,
            to: DVec3::ZERO,
            start: 0,
            span: 0,
        };
        let mut now = u64::from(Draws::new(3, 8, seed).below(0, 600_000)) * SECOND;
        for step in 0..40 {
            let draws = Draws::new(49, 9, seed * 1000 + step);
            let side = |stream| draws.signed(stream) * 288.0;
            let position = [side(0), side(1), side(2)];
            let span = u64::from(draws.below(3, 400_000));
            table
                .move_to(
                    id,
                    Clock::from_count(now)..Clock::from_count(now + span),
                    position,
                    draws.signed(4) * 9.0,
                )
                .expect("in order");
            // The row begins where single precision has the person: errors must not add up.
            let from = Vec3::from(table.motions()[id.index() as usize].start_position).as_dvec3();
            assert!(from.distance(walk.at(now)) < 1e-4, "{seed} {step}");
            walk = Walk {
                from,
                to: Vec3::from(position).as_dvec3(),
                start: now,
                span,
            };
            for part in 0..25 {
                let when = now + u64::from(draws.below(20 + part, 500_000));
                let place = table.state(id, Clock::from_count(when)).expect("lives").place;
                worst = worst.max(place.position.as_dvec3().distance(walk.at(when)));
                pairs += 1;
            }
            now += u64::from(draws.below(6, 500_000));
        }
        assert!(worst < 1e-4, "{seed}: {worst} m");
    }
    println!(
        "{pairs} pairs of a move and a time, largest error {:.4} mm",
        worst * 1e3
    );
}
