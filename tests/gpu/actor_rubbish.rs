//! Rubbish that a host writes into the rows of actors: pictures show everybody else, with both rasterizers.

use throng::{
    config::Raster,
    crowd::{
        actors::{Actor, ActorClip, ActorId, MotionRow, PlayRow},
        hash::Draws,
    },
    gpu::Gpu,
    render::{Actors, CrowdOptions, CrowdRenderer},
};

use crate::{
    actors_drawn::{crowd, picture},
    common,
};

/// Crowd of forty in view.
fn people(gpu: &Gpu, raster: Raster) -> (CrowdRenderer, Actors, Vec<ActorId>) {
    let options = CrowdOptions {
        raster,
        shadow_size: 64,
        ..CrowdOptions::default()
    };
    let (mut crowd, man) = crowd(gpu, options);
    let actors = crowd.actors(man, 60).expect("fits");
    let spawn = |number: u16| {
        let position = [
            f32::from(number % 8) * 0.4 - 1.4,
            0.0,
            f32::from(number / 8) * 0.5 - 2.0,
        ];
        let actor = Actor {
            position,
            clip: ActorClip::new(number % 4),
            ..Actor::default()
        };
        actors.spawn(&actor).expect("there is room")
    };
    let ids = (0..40).map(spawn).collect();
    (crowd, actors, ids)
}

/// Rows of any bits: without the mark of an actor, or with one and a number that nobody may have.
fn rubbish(number: u32) -> (MotionRow, PlayRow) {
    let word = |word: u32| (Draws::new(7, 8, number).unit(word) * 4_294_967_295.0) as u32;
    let words: Vec<u32> = (0..12).map(word).collect();
    let plays: Vec<u32> = (20..44).map(word).collect();
    let any = bytemuck::cast_slice::<u32, MotionRow>(&words)[0];
    let mut still = MotionRow::still([0.0, 0.0, 1.0], 0.0);
    match number % 4 {
        0 => return (any, bytemuck::cast_slice::<u32, PlayRow>(&plays)[0]),
        1 => still.end_position[2] = f32::NAN,
        2 => still.start_yaw = f32::NEG_INFINITY,
        _ => still.end_position[0] = 3e30,
    }
    (still, bytemuck::cast_slice::<u32, PlayRow>(&plays)[0])
}

#[test]
fn pictures_leave_out_rubbish_and_keep_everybody_else() {
    let Some(gpu) = common::gpu::open() else { return };
    for raster in [Raster::Hardware, Raster::Compute] {
        let (mut wanted, actors, ids) = people(&gpu, raster);
        let all = picture(&gpu, &mut wanted, 0.5);
        for id in ids.iter().skip(1).step_by(2) {
            actors.despawn(*id).expect("lives");
        }
        let wanted = picture(&gpu, &mut wanted, 0.5);
        assert!(wanted != all, "nobody went");
        let (mut crowd, actors, ids) = people(&gpu, raster);
        assert!(picture(&gpu, &mut crowd, 0.5) == all, "{raster:?}");
        for (number, id) in (0..).zip(ids.iter().skip(1).step_by(2)) {
            let (motion, play) = rubbish(number);
            let at = |bytes: usize| u64::from(id.index()) * bytes as u64;
            gpu.write_buffer("host", actors.buffer(), at(48), bytemuck::bytes_of(&motion));
            gpu.write_buffer("host", actors.play_buffer(), at(96), bytemuck::bytes_of(&play));
        }
        assert!(picture(&gpu, &mut crowd, 0.5) == wanted, "{raster:?}: rubbish is drawn");
        gpu.wait_idle();
        assert_eq!(gpu.take_error(), None);
    }
}
