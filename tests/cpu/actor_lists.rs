//! Lists of changes of actors: equal to one call for each entry.

use throng::crowd::{
    Clock, CrowdClip,
    actors::{Actor, ActorClip, ActorError, ActorId, ActorMove, ActorPlay, ActorTable},
    hash::Draws,
};

fn table(capacity: u32) -> ActorTable {
    let clip = CrowdClip {
        duration: 1.1,
        ..CrowdClip::default()
    };
    ActorTable::new(capacity, &vec![clip; 4]).expect("a usual capacity")
}

fn at(seconds: f64) -> Clock {
    Clock::from_seconds(seconds)
}

#[test]
fn lists_change_actors_as_one_call_each_does() {
    let mut single = table(300);
    let ids: Vec<ActorId> = (0..300)
        .map(|_| single.spawn(&Actor::default()).expect("there is room"))
        .collect();
    let mut listed = single.clone();
    for step in 0..20 {
        // Anybody, also twice in a list.
        let draws = |entry: u32| Draws::new(49, step, entry);
        let walk = |draws: Draws| ActorMove {
            id: ids[draws.below(0, 300) as usize],
            position: [draws.signed(1) * 500.0, 0.0, draws.signed(2) * 500.0],
            yaw: draws.signed(3) * 50.0,
        };
        let play = |draws: Draws| ActorPlay {
            id: ids[draws.below(4, 300) as usize],
            clip: ActorClip::new(draws.below(5, 4) as u16),
            fade: 0.2,
        };
        let moves: Vec<_> = (0..200).map(|entry| walk(draws(entry))).collect();
        let plays: Vec<_> = (0..50).map(|entry| play(draws(entry))).collect();
        let times = at(f64::from(step) * 0.4)..at(f64::from(step) * 0.4 + 1.0);
        for change in &moves {
            { single.move_to(change.id, times.clone(), change.position, change.yaw) }.expect("lives");
        }
        for change in &plays {
            { single.play(change.id, &change.clip, times.start, change.fade) }.expect("lives");
        }
        listed.move_all(times.clone(), &moves).expect("all live");
        listed.play_all(times.start, &plays).expect("all live");
    }
    assert_eq!((single.motions(), single.plays()), (listed.motions(), listed.plays()));
    let sent = [&mut single, &mut listed].map(|table| {
        let changes = table.changes();
        (changes.motions.take(), changes.plays.take())
    });
    assert_eq!(sent[0], sent[1]);
}

#[test]
fn refused_entries_of_lists_are_named_and_the_others_are_done() {
    let mut table = table(3);
    let [a, b, c] = [(); 3].map(|()| table.spawn(&Actor::default()).expect("there is room"));
    table.despawn(b).expect("lives");
    let stale = ActorError::Stale {
        index: b.index(),
        generation: 1,
    };
    let to = |id, x| ActorMove {
        id,
        position: [x, 0.0, 0.0],
        yaw: 0.0,
    };
    let moves = [to(a, 1.0), to(b, 1.0), to(c, f32::NAN), to(c, 2.0)];
    let refused = table.move_all(at(1.0)..at(2.0), &moves).expect_err("two are refused");
    assert_eq!(refused.0, [(1, stale), (2, ActorError::Number { what: "position" })]);
    assert!(
        refused.to_string().contains("2 changes") && refused.to_string().contains("entry 1"),
        "{refused}"
    );
    let places = [a, c].map(|id| table.state(id, at(2.0)).expect("lives").place.position.x);
    assert_eq!(places, [1.0, 2.0]);

    let before = table.state(a, at(5.0));
    let backwards = table
        .move_all(at(4.0)..at(3.0), &moves[..1])
        .expect_err("time runs backwards");
    assert_eq!((backwards.0.len(), table.state(a, at(5.0))), (1, before));

    let play = |id, clip| ActorPlay {
        id,
        clip: ActorClip::new(clip),
        fade: 0.0,
    };
    let refused = table
        .play_all(at(6.0), &[play(a, 9), play(b, 1), play(c, 2)])
        .expect_err("two are refused");
    assert_eq!(refused.0, [(0, ActorError::Clip { clip: 9, count: 4 }), (1, stale)]);
    assert_eq!(table.state(c, at(7.0)).map(|state| state.blend.a.clip), Some(2));
    assert_eq!(
        (table.move_all(at(7.0)..at(8.0), &[]), table.play_all(at(7.0), &[])),
        (Ok(()), Ok(()))
    );
}
