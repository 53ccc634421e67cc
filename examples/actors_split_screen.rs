//! Two players on one screen, each with a camera of their own, and a map in the corner: three views of one frame. The
//! crowd is animated once; each view has its own culling and LODs.
//!
//! cargo run --example actors_split_screen -- -o split.png

#[allow(dead_code)]
mod host;

use glam::Vec3;
use host::{Block, Host, Look, Result};
use throng::{
    Character,
    crowd::{
        Clock, CrowdClip,
        actors::{Actor, ActorClip, ActorId},
    },
    gpu::encoder,
    render::{Actors, CharacterId, CrowdRenderer, FurtherView, View},
};

/// Width and height of the screen (px); each player has half of it.
const SCREEN: (u32, u32) = (960, 400);
/// Left, top, width and height of the map (px).
const MAP: [u32; 4] = [390, 12, 180, 130];
/// People in the square.
const PEOPLE: u32 = 500;
/// Half of the square's edge (m).
const HALF: f32 = 18.0;
/// Seconds that everybody walks.
const WALK: f64 = 20.0;

#[allow(dead_code)]
fn main() -> Result<()> {
    let [first, later] = play(host::option("-o").as_deref().unwrap_or("actors_split_screen.png"))?;
    println!("bytes sent: {first} for the first frame, {later} for a later one of three views");
    Ok(())
}

/// Part of the screen with a camera.
struct Part {
    view: View,
    /// Left, top, width and height (px).
    area: [u32; 4],
}

impl Part {
    fn new(host: &Host, look: Look, area: [u32; 4]) -> Self {
        let view = host.view(look, (area[2], area[3]));
        Self { view, area }
    }

    fn begin(&self, pass: &mut wgpu::RenderPass<'_>) {
        let [x, y, width, height] = self.area;
        pass.set_viewport(x as f32, y as f32, width as f32, height as f32, 0.0, 1.0);
        pass.set_scissor_rect(x, y, width, height);
    }
}

/// The two players, and the crowd's further views.
struct Game {
    players: Actors,
    ids: [ActorId; 2],
    right: FurtherView,
    map: FurtherView,
}

/// Plays for six seconds and saves the screen. Returns the bytes sent for the first frame and for the last one.
pub fn play(path: &str) -> Result<[u64; 2]> {
    let stone = [0.42, 0.4, 0.36];
    let pillar = |x: f32, z: f32| Block::new([x - 0.7, 0.0, z - 0.7], [x + 0.7, 5.0, z + 0.7], [0.5, 0.42, 0.32]);
    let host = Host::open(
        SCREEN,
        &[
            Block::new([-HALF, -0.5, -HALF], [HALF, 0.0, HALF], stone),
            Block::new([-90.0, -0.6, -90.0], [90.0, -0.1, 90.0], [0.12, 0.2, 0.09]),
            pillar(-6.0, -8.0),
            pillar(9.0, -6.0),
            pillar(3.0, 10.0),
        ],
    )?;
    let mut crowd = host.crowd()?;
    let open = |name: &str| Character::open(format!("{}/assets/{name}.glb", env!("CARGO_MANIFEST_DIR")));
    let (woman, knight) = (open("woman")?, open("knight")?);
    let walks = [&woman, &knight].map(Walk::of);
    let [woman, knight] = [crowd.add_character(woman)?, crowd.add_character(knight)?];
    crowd.set_tints(&host::colors("#ffffff"), 0.8);
    people(&mut crowd, woman, walks[0])?;
    let players = crowd.actors(knight, 2)?;
    let ids = [
        walker(&players, walks[1], [-12.0, 9.0], [4.0, -3.0], 1.15)?,
        walker(&players, walks[1], [13.0, 8.0], [-6.0, 6.0], 1.15)?,
    ];
    let mut game = Game {
        players,
        ids,
        right: crowd.further_view(),
        map: crowd.further_view(),
    };
    // The players' rows and everybody's are sent with the first frame: from then on only cameras are.
    let first = game.draw(&host, &mut crowd, Clock::default())?;
    let later = game.draw(&host, &mut crowd, Clock::from_seconds(6.0))?;
    host.save(path, &[host.pixels()?])?;
    Ok([first, later])
}

impl Game {
    /// Draws all three views of one moment in one pass.
    fn draw(&mut self, host: &Host, crowd: &mut CrowdRenderer, time: Clock) -> Result<u64> {
        let (width, height) = (SCREEN.0 / 2, SCREEN.1);
        let left = Part::new(host, self.follow(0, time)?, [0, 0, width - 2, height]);
        let right = Part::new(host, self.follow(1, time)?, [width + 2, 0, width - 2, height]);
        let above = Look {
            eye: Vec3::new(0.0, 46.0, 18.0),
            target: Vec3::ZERO,
        };
        let map = Part::new(host, above, MAP);

        let mut encoder = encoder(&host.gpu, "frame");
        let mut sent = crowd.prepare(&mut encoder, &left.view, time);
        sent += crowd.prepare_view(&mut encoder, &mut self.right, &right.view)?;
        sent += crowd.prepare_view(&mut encoder, &mut self.map, &map.view)?;
        let mut pass = host.pass(&mut encoder);
        left.begin(&mut pass);
        host.draw_blocks(&mut pass, &left.view);
        crowd.draw(&mut pass);
        right.begin(&mut pass);
        host.draw_blocks(&mut pass, &right.view);
        crowd.draw_view(&mut pass, &self.right);
        drop(pass);
        // The map covers what the players see: it has depth of its own.
        let mut pass = host.pass_over(&mut encoder);
        map.begin(&mut pass);
        host.draw_blocks(&mut pass, &map.view);
        crowd.draw_view(&mut pass, &self.map);
        drop(pass);
        host.gpu.queue.submit([encoder.finish()]);
        Ok(sent)
    }

    /// Camera over the shoulder of a player.
    fn follow(&self, player: usize, time: Clock) -> Result<Look> {
        let state = self.players.state(self.ids[player], time).ok_or("the player is gone")?;
        let place = state.place;
        let ahead = Vec3::new(place.yaw.sin(), 0.0, place.yaw.cos());
        Ok(Look {
            eye: place.position - ahead * 4.6 + Vec3::Y * 2.9,
            target: place.position + ahead * 3.0 + Vec3::Y * 1.1,
        })
    }
}

/// Walking clip of a character, and its ground speed (m/s).
#[derive(Clone, Copy)]
struct Walk {
    clip: u16,
    speed: f32,
}

impl Walk {
    fn of(character: &Character) -> Self {
        let clips = CrowdClip::all_of(character);
        let clip = clips.iter().position(|clip| clip.name == "walk").unwrap_or(0);
        Self {
            clip: clip as u16,
            speed: clips[clip].speed.max(0.1),
        }
    }
}

fn people(crowd: &mut CrowdRenderer, woman: CharacterId, walk: Walk) -> Result<()> {
    let actors = crowd.actors(woman, PEOPLE)?;
    for number in 0..PEOPLE {
        let part = |factor: f32| ((number as f32 * factor).fract() - 0.5) * 2.0 * HALF;
        let (from, to) = ([part(0.754_877), part(0.569_84)], [part(0.618_034), part(0.324_717)]);
        let id = walker(&actors, walk, from, to, 0.92 + 0.16 * (number as f32 * 0.23).fract())?;
        actors.tint(id, [7, 5, 3, 11].map(|factor| (number * factor % 63) as u8))?;
    }
    Ok(())
}

/// Spawns somebody who walks from a place to another (m), with feet that stay where they are set.
fn walker(actors: &Actors, walk: Walk, from: [f32; 2], to: [f32; 2], scale: f32) -> Result<ActorId> {
    let [from, to] = [from, to].map(|[x, z]| Vec3::new(x, 0.0, z));
    let way = to - from;
    let yaw = way.x.atan2(way.z);
    let id = actors.spawn(&Actor {
        position: from.to_array(),
        yaw,
        clip: ActorClip {
            speed: way.length() / WALK as f32 / (walk.speed * scale),
            start: (from.x * 0.37).fract().abs(),
            ..ActorClip::new(walk.clip)
        },
        scale,
        ..Actor::default()
    })?;
    actors.move_to(id, Clock::default()..Clock::from_seconds(WALK), to.to_array(), yaw)?;
    Ok(id)
}
