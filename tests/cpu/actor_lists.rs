//! Lists of changes of actors: equal to one call for each entry.

use std::collections::BTreeSet;

use throng::crowd::{
    Clock, CrowdClip, Instance,
    actors::{
        Actor, ActorClip, ActorError, ActorId, ActorMove, ActorPlay, ActorTable, ChangedRows, MotionRow, PlayRow,
        SentRow,
    },
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
    let slots = [&mut single, &mut listed].map(|table| {
        let changes = table.changes();
        let ordered = |slots: &[u32]| slots.iter().copied().collect::<BTreeSet<_>>();
        (ordered(changes.motions.slots()), ordered(changes.plays.slots()))
    });
    assert_eq!(slots[0], slots[1]);
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

/// Rows as the GPU has them once all that changed was sent.
#[derive(Default)]
struct SentRows {
    motions: Vec<MotionRow>,
    plays: Vec<PlayRow>,
    looks: Vec<Instance>,
}

impl SentRows {
    /// Takes over what changed, each row once.
    fn receive(&mut self, table: &mut ActorTable) {
        let changes = table.changes();
        receive(&mut self.motions, &changes.motions);
        receive(&mut self.plays, &changes.plays);
        receive(&mut self.looks, &changes.looks);
        table.clear_changes();
        assert!(table.changes().motions.slots().is_empty());
    }
}

fn receive<R: SentRow>(rows: &mut [R], changed: &ChangedRows<'_, R>) {
    let slots = changed.slots();
    assert_eq!(slots.iter().collect::<BTreeSet<_>>().len(), slots.len(), "each once");
    let mut sent = Vec::new();
    changed.for_blocks(0..slots.len(), |block| sent.extend_from_slice(block));
    assert_eq!(sent.len(), slots.len());
    if let Some(copies) = changed.copies() {
        assert_eq!(copies.own.len(), sent.len());
        for (row, own) in sent.iter().zip(copies.own) {
            let parts = [bytemuck::bytes_of(own), bytemuck::bytes_of(&copies.shared)];
            assert_eq!(parts.concat(), bytemuck::bytes_of(row));
        }
    }
    for (&slot, row) in slots.iter().zip(sent) {
        rows[slot as usize] = row;
    }
}

#[test]
fn what_is_sent_keeps_a_copy_equal_to_the_table() {
    let mut table = table(200);
    let mut sent = SentRows {
        motions: table.motions().to_vec(),
        plays: table.plays().to_vec(),
        looks: table.looks().to_vec(),
    };
    for step in 0..300 {
        let now = at(f64::from(step));
        let draws = Draws::new(51, 0, step);
        // Few changes of many actors, or many of few, who then change twice.
        let (among, count) = [(200, 5), (200, 150), (10, 40)][draws.below(0, 3) as usize];
        for entry in 0..count {
            let draws = Draws::new(51, step + 1, entry);
            let Some(id) = table.id_at(draws.below(0, among)) else {
                // Full tables refuse.
                let _ = table.spawn(&Actor::default());
                continue;
            };
            let position = [draws.signed(1) * 50.0, 0.0, draws.signed(2) * 50.0];
            match draws.below(3, if step % 3 == 0 { 6 } else { 2 }) {
                0 => table.move_to(id, now..at(f64::from(step) + 1.0), position, 1.0),
                1 => table.play(id, &ActorClip::new(1), now, 0.1),
                2 => table.set(id, position, 0.5),
                3 => table.despawn(id),
                4 => table.tint(id, [entry as u8 % 64; 4]),
                _ => table.speed(id, 0.5, now),
            }
            .expect("lives");
        }
        sent.receive(&mut table);
        assert_eq!(
            (sent.motions.as_slice(), sent.plays.as_slice()),
            (table.motions(), table.plays())
        );
        assert_eq!(sent.looks, table.looks());
    }
    assert!(table.count() > 50, "{} live", table.count());
}
