//! A game loop with actors: people come out of a gate, walk along a board, turn where it ends or fall, and vanish.
//! The game runs in steps of a quarter of a second. Between them the GPU moves everybody, and nothing is sent.
//!
//! cargo run --example actors_game -- -o game.png

#[allow(dead_code)]
mod host;

use glam::Vec3;
use host::{Block, Host, Look, Result};
use throng::{
    Character,
    crowd::{
        Clock, CrowdClip,
        actors::{Actor, ActorClip, ActorId, ActorMove},
    },
    render::Actors,
};

/// Length of a step of the game (s).
const STEP: f64 = 0.25;
/// Speed of walkers (m/s).
const WALK: f32 = 1.4;
/// Height of the board above the ground (m), and half of its length and width.
const BOARD: [f32; 3] = [9.0, 6.0, 2.2];
/// Depth at which somebody who falls is gone (m).
const GONE: f32 = -8.0;

#[derive(PartialEq)]
enum Mood {
    Walks,
    Stands { until: f64 },
    Falls { since: f64 },
}

struct Person {
    id: ActorId,
    position: Vec3,
    yaw: f32,
    mood: Mood,
    /// Turns at the ends of the board before this one walks on.
    turns: u32,
}

/// Clips by what people do.
struct Clips {
    idle: u16,
    walk: u16,
    cheer: u16,
    /// Playback speed at which the walk's feet stay where they are.
    pace: f32,
}

struct Game {
    actors: Actors,
    people: Vec<Person>,
    clips: Clips,
    spawned: u32,
}

#[allow(dead_code)]
fn main() -> Result<()> {
    let [came, there] = play(host::option("-o").as_deref().unwrap_or("actors_game.png"))?;
    println!("{came} came, {there} are there");
    Ok(())
}

/// Plays for 24 s and saves three pictures; returns how many people came, and how many are left.
pub fn play(path: &str) -> Result<[u32; 2]> {
    let [x, y, z] = BOARD;
    let host = Host::open(
        (640, 300),
        &[
            Block::new([-90.0, GONE - 1.0, -90.0], [90.0, GONE, 90.0], [0.10, 0.18, 0.08]),
            Block::new([-x, -0.4, -z], [x, 0.0, z], [0.42, 0.33, 0.24]),
            Block::new([-x - 0.6, -0.4, -z], [-x, 3.2, z], [0.30, 0.30, 0.34]),
            Block::new([-1.0, GONE, -1.0], [1.0, -0.4, 1.0], [0.30, 0.30, 0.34]),
            Block::new([x + 2.5, y - 9.0, -z], [x + 9.0, y - 8.6, z], [0.42, 0.33, 0.24]),
        ],
    )?;
    let mut crowd = host.crowd()?;
    let character = Character::open(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/man.glb"))?;
    let clips = CrowdClip::all_of(&character);
    let clip = |name: &str| clips.iter().position(|clip| clip.name == name).ok_or("no such clip");
    let walk = clip("walk")?;
    let clips = Clips {
        idle: clip("idle")? as u16,
        walk: walk as u16,
        cheer: clip("cheer")? as u16,
        pace: WALK / clips[walk].speed.max(0.1),
    };
    let man = crowd.add_character(character)?;
    crowd.set_tints(&host::colors("#d8d4c8"), 1.0);
    let mut game = Game {
        actors: crowd.actors(man, 200)?,
        people: Vec::new(),
        clips,
        spawned: 0,
    };
    let look = Look {
        eye: Vec3::new(4.0, 5.5, 21.0),
        target: Vec3::new(1.0, -1.5, 0.0),
    };
    let mut pictures = Vec::new();
    let mut steps = 0;
    for frame in 1..=240 {
        let now = f64::from(frame) / 10.0;
        while f64::from(steps) * STEP <= now {
            game.step(steps)?;
            steps += 1;
        }
        host.draw(&mut crowd, look, Clock::from_seconds(now));
        if frame % 80 == 0 {
            pictures.push(host.pixels()?);
        }
    }
    host.save(path, &pictures)?;
    Ok([game.spawned, game.actors.count()])
}

impl Game {
    /// One step of the game: sets where each actor is at the end of the step.
    fn step(&mut self, number: u32) -> Result<()> {
        let now = f64::from(number) * STEP;
        let (at, end) = (Clock::from_seconds(now), Clock::from_seconds(now + STEP));
        if number.is_multiple_of(2) {
            self.spawn(now)?;
        }
        let (actors, clips) = (&self.actors, &self.clips);
        for person in &mut self.people {
            let ahead = Vec3::new(person.yaw.sin(), 0.0, person.yaw.cos());
            match person.mood {
                Mood::Walks => {
                    person.position += ahead * WALK * STEP as f32;
                    let beyond = person.position.x.abs() > BOARD[0] - 0.4 && person.position.x * ahead.x > 0.0;
                    if beyond && person.turns > 0 {
                        person.turns -= 1;
                        person.yaw += std::f32::consts::PI;
                        person.mood = Mood::Stands { until: now + 1.5 };
                        actors.play(person.id, &ActorClip::new(clips.idle), at, 0.3)?;
                    } else if person.position.x > BOARD[0] {
                        person.mood = Mood::Falls { since: now };
                        // Out of the middle of whatever fade there is.
                        actors.play(person.id, &ActorClip::once(clips.cheer), at, 0.2)?;
                    }
                }
                Mood::Stands { until } if now >= until => {
                    person.mood = Mood::Walks;
                    let walk = ActorClip {
                        speed: clips.pace,
                        ..ActorClip::new(clips.walk)
                    };
                    actors.play(person.id, &walk, at, 0.3)?;
                }
                Mood::Stands { .. } => {}
                Mood::Falls { since } => {
                    let fallen = (now + STEP - since) as f32;
                    person.position.x += 0.3;
                    person.position.y = -4.9 * fallen * fallen;
                }
            }
        }
        let goal = |person: &Person| ActorMove {
            id: person.id,
            position: person.position.to_array(),
            yaw: person.yaw,
        };
        actors.move_all(at..end, &self.people.iter().map(goal).collect::<Vec<_>>())?;
        let gone = |person: &Person| person.position.y < GONE;
        for person in self.people.iter().filter(|person| gone(person)) {
            actors.despawn(person.id)?;
        }
        self.people.retain(|person| !gone(person));
        Ok(())
    }

    fn spawn(&mut self, now: f64) -> Result<()> {
        let number = self.spawned as f32;
        let position = Vec3::new(-BOARD[0] + 0.2, 0.0, (number * 1.3).sin() * (BOARD[2] - 0.4));
        let yaw = std::f32::consts::FRAC_PI_2;
        let color = |region: f32| (number * (7.0 + region * 5.0) % 64.0) as u8;
        let id = self.actors.spawn(&Actor {
            position: position.to_array(),
            yaw,
            clip: ActorClip {
                speed: self.clips.pace,
                start: (number * 0.37).fract(),
                ..ActorClip::new(self.clips.walk)
            },
            since: Clock::from_seconds(now),
            scale: 0.95 + 0.1 * (number * 0.61).fract(),
            tint: [color(0.0), color(1.0), color(2.0), color(3.0)],
            ..Actor::default()
        })?;
        self.people.push(Person {
            id,
            position,
            yaw,
            mood: Mood::Walks,
            turns: 2 * (self.spawned % 2),
        });
        self.spawned += 1;
        Ok(())
    }
}
