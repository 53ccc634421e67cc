//! A picker: three clicks into a picture of people. Whoever is under the pointer turns to the camera, cheers and puts
//! on red.
//!
//! cargo run --example actors_picker -- -o picker.png

#[allow(dead_code)]
mod host;

use glam::{Vec2, Vec3};
use host::{Block, Host, Look, Result};
use throng::{
    Character,
    crowd::{
        Clock, CrowdClip,
        actors::{Actor, ActorClip, ActorId},
    },
    render::{Actors, CrowdRenderer, View, passes::PickAnswer},
    view::Ray,
};

const SIZE: (u32, u32) = (720, 300);
const PEOPLE: u32 = 90;
/// Clicks (px from the left and the top); the last one is into the sky.
const CLICKS: [[f32; 2]; 4] = [[250.0, 190.0], [362.0, 140.0], [505.0, 195.0], [60.0, 8.0]];
/// Distance from the middle of a body (m) within which a click is one on the person.
const REACH: f32 = 0.4;
/// Height of a person (m).
const HEIGHT: f32 = 1.8;
/// Red in the table of colours: the last one.
const RED: u8 = 63;

#[allow(dead_code)]
fn main() -> Result<()> {
    for (click, who) in CLICKS
        .iter()
        .zip(pick_all(host::option("-o").as_deref().unwrap_or("actors_picker.png"))?)
    {
        match who {
            Some(who) => println!("{click:?}: actor {}", who.index()),
            None => println!("{click:?}: nobody"),
        }
    }
    Ok(())
}

/// Clicks, and saves the picture before and after. Returns who was found under each click.
pub fn pick_all(path: &str) -> Result<Vec<Option<ActorId>>> {
    let host = Host::open(
        SIZE,
        &[Block::new([-60.0, -1.0, -60.0], [60.0, 0.0, 60.0], [0.32, 0.34, 0.3])],
    )?;
    let mut crowd = host.crowd()?;
    let character = Character::open(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/man.glb"))?;
    let clips = CrowdClip::all_of(&character);
    let clip = |name: &str| clips.iter().position(|clip| clip.name == name).ok_or("no such clip");
    let (idle, cheer) = (clip("idle")? as u16, clip("cheer")? as u16);
    let man = crowd.add_character(character)?;
    crowd.set_tints(&host::colors("#e01020"), 1.0);
    let actors = crowd.actors(man, PEOPLE)?;
    for number in 0..PEOPLE {
        let part = |factor: f32| (number as f32 * factor).fract() - 0.5;
        let (column, row) = (number % 15, number / 15);
        actors.spawn(&Actor {
            position: [
                column as f32 * 1.3 - 9.1 + part(0.618) * 0.7,
                0.0,
                row as f32 * -1.6 + part(0.754_877) * 0.7,
            ],
            yaw: part(0.324_717) * 6.0,
            clip: ActorClip {
                start: part(0.37) + 0.5,
                ..ActorClip::new(idle)
            },
            tint: [7, 5, 3, 11].map(|factor| (number * factor % u32::from(RED)) as u8),
            ..Actor::default()
        })?;
    }
    let look = Look {
        eye: Vec3::new(0.0, 3.2, 9.5),
        target: Vec3::new(0.0, 0.7, -2.0),
    };
    let view = host.view(look, SIZE);
    let now = Clock::from_seconds(1.0);
    host.draw(&mut crowd, look, now);
    let before = host.pixels()?;
    let mut found = Vec::new();
    for click in CLICKS {
        let who = pick(&mut crowd, &actors, ray(&view, click), now)?;
        if let Some(who) = who {
            let place = actors.state(who, now).ok_or("somebody who was picked is there")?.place;
            let way = look.eye - place.position;
            actors.set(who, place.position.to_array(), way.x.atan2(way.z))?;
            actors.play(who, &ActorClip::once(cheer), now, 0.2)?;
            actors.tint(who, [3, 4, RED, RED])?;
        }
        found.push(who);
    }
    host.draw(&mut crowd, look, Clock::from_seconds(2.0));
    host.save(path, &[before, host.pixels()?])?;
    Ok(found)
}

/// Ray through a point of the picture (px).
fn ray(view: &View, click: [f32; 2]) -> Ray {
    let at = Vec2::from(click) / Vec2::new(SIZE.0 as f32, SIZE.1 as f32) * 2.0 - 1.0;
    // Any depth will do: reversed depth is 1 near and 0 far.
    let point = view
        .projection_from_world
        .inverse()
        .project_point3(Vec3::new(at.x, -at.y, 0.5));
    Ray {
        origin: view.eye,
        direction: (point - view.eye).normalize(),
    }
}

/// Asks the GPU whose boxes a ray enters, and finds the nearest body among them.
fn pick(crowd: &mut CrowdRenderer, actors: &Actors, ray: Ray, now: Clock) -> Result<Option<ActorId>> {
    crowd.ask_pick(ray);
    // A program with a window draws its next frames meanwhile.
    let answer = loop {
        if let Some(answer) = crowd.picked() {
            break answer?;
        }
        std::thread::yield_now();
    };
    let PickAnswer::Candidates(candidates) = answer else {
        return Err("too many people under the pointer".into());
    };
    let mut nearest: Option<(f32, ActorId)> = None;
    for candidate in candidates.iter().filter(|c| c.who.character == actors.id().index()) {
        let Some(id) = actors.id_at(candidate.who.index) else {
            continue;
        };
        let Some(state) = actors.state(id, now) else { continue };
        if let Some(distance) = distance_to_body(ray, state.place.position)
            && nearest.is_none_or(|(other, _)| distance < other)
        {
            nearest = Some((distance, id));
        }
    }
    Ok(nearest.map(|(_, id)| id))
}

/// Distance along a ray (m) at which it passes a body, an upright line from the feet to the head; `None` beside it.
fn distance_to_body(ray: Ray, feet: Vec3) -> Option<f32> {
    let flat = |v: Vec3| Vec2::new(v.x, v.z);
    let (way, to) = (flat(ray.direction), flat(feet - ray.origin));
    let distance = way.dot(to) / way.length_squared().max(1e-6);
    let point = ray.origin + ray.direction * distance;
    let beside = (flat(point) - flat(feet)).length();
    let height = point.y - feet.y;
    (distance > 0.0 && beside < REACH && (-REACH..HEIGHT + REACH).contains(&height)).then_some(distance)
}
