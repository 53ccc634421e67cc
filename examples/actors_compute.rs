//! Fifty thousand actors that a compute pass moves: they go round the pillars of a square, and the CPU sends nothing.
//!
//! cargo run --example actors_compute -- -o compute.png

#[allow(dead_code)]
mod host;

use glam::Vec3;
use host::{Block, Host, Look, Result};
use throng::{
    Character,
    crowd::{
        Clock, CrowdClip,
        actors::{Actor, ActorClip},
    },
    gpu::{compute_pass, encoder},
    render::ACTOR_ROWS_WGSL,
};

const PEOPLE: u32 = 50_000;
/// Edge of the square (m).
const EDGE: f32 = 330.0;
/// Length of a step of the simulation (s): its second key is where everybody is at the end.
const STEP: f64 = 0.5;

/// A flow field: forwards along two streams, round three pillars, each person a little off the stream.
const SIMULATION: &str = "
@group(0) @binding(0) var<storage, read_write> motions: array<MotionRow>;
const EDGE = 330.0;
const STEP = 0.5;
fn flow(at: vec2<f32>) -> vec2<f32> {
    var way = vec2<f32>(sin(at.y * 0.05) * 0.4, select(-1.0, 1.0, at.x > 0.0));
    let pillars = array(vec2(-60.0, 20.0), vec2(55.0, -30.0), vec2(10.0, 90.0));
    for (var i = 0u; i < 3u; i++) {
        let away = at - pillars[i];
        let near = exp(-dot(away, away) / 500.0);
        way += (normalize(away) * 2.4 + vec2(-away.y, away.x) * 0.12) * near;
    }
    return normalize(way);
}
@compute @workgroup_size(64)
fn simulate(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&motions) || motions[id.x].mark != ACTOR_ALIVE { return; }
    var row = motions[id.x];
    // The step before ends here.
    let at = row.end_position;
    let speed = 1.1 + 0.6 * fract(f32(id.x) * 0.618);
    let way = flow(at.xz);
    var next = at + vec3<f32>(way.x, 0.0, way.y) * speed * STEP;
    row.start_position = at;
    // Whoever leaves the square comes back on its other side.
    if any(abs(next.xz) > vec2<f32>(EDGE * 0.5)) {
        next -= sign(next) * vec3<f32>(step(EDGE * 0.5, abs(next.x)), 0.0, step(EDGE * 0.5, abs(next.z))) * EDGE;
        row.start_position = next;
    }
    row.end_position = next;
    row.start_yaw = row.end_yaw;
    row.end_yaw = atan2(way.x, way.y);
    let ticks = row.ticks + row.span;
    row.seconds += ticks >> 16u;
    row.ticks = ticks & 0xffffu;
    row.span = u32(STEP * 65536.0);
    motions[id.x] = row;
}";

#[allow(dead_code)]
fn main() -> Result<()> {
    let [first, still, moving] = simulate(host::option("-o").as_deref().unwrap_or("actors_compute.png"))?;
    println!("bytes sent: {first} at first, {still} for a frame, {moving} after {PEOPLE} people moved");
    Ok(())
}

/// Simulates half a minute and saves a picture of its end. Returns the bytes sent for the first frame, for one while
/// nobody moves, and for the last one.
pub fn simulate(path: &str) -> Result<[u64; 3]> {
    let grey = [0.32, 0.32, 0.34];
    let pillar = |x: f32, z: f32| Block::new([x - 5.0, 0.0, z - 5.0], [x + 5.0, 14.0, z + 5.0], [0.5, 0.42, 0.32]);
    let host = Host::open(
        (960, 540),
        &[
            Block::new([-EDGE, -1.0, -EDGE], [EDGE, 0.0, EDGE], grey),
            pillar(-60.0, 20.0),
            pillar(55.0, -30.0),
            pillar(10.0, 90.0),
        ],
    )?;
    let mut crowd = host.crowd()?;
    let character = Character::open(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/woman.glb"))?;
    let clips = CrowdClip::all_of(&character);
    let walk = clips.iter().position(|clip| clip.name == "walk").ok_or("no walk")?;
    let woman = crowd.add_character(character)?;
    crowd.set_tints(&host::colors("#d8d4c8"), 1.0);
    let actors = crowd.actors(woman, PEOPLE)?;
    {
        let mut table = actors.lock();
        for number in 0..PEOPLE {
            let part = |factor: f32| (number as f32 * factor).fract();
            // The speed that the simulation gives to this slot.
            let speed = 1.1 + 0.6 * part(0.618);
            table.spawn(&Actor {
                position: [(part(0.754_877) - 0.5) * EDGE, 0.0, (part(0.569_84) - 0.5) * EDGE],
                clip: ActorClip {
                    start: part(0.37),
                    speed: speed / clips[walk].speed.max(0.1),
                    ..ActorClip::new(walk as u16)
                },
                scale: 0.9 + 0.2 * part(0.23),
                tint: [7, 5, 3, 11].map(|factor| (number * factor % 64) as u8),
                ..Actor::default()
            })?;
        }
    }
    let device = &host.gpu.device;
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("simulation"),
        source: wgpu::ShaderSource::Wgsl(format!("{ACTOR_ROWS_WGSL}{SIMULATION}").into()),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("simulation"),
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: Default::default(),
        cache: None,
    });
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("simulation"),
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[wgpu::BindGroupEntry {
            binding: 0,
            resource: actors.buffer().as_entire_binding(),
        }],
    });
    let look = Look {
        eye: Vec3::new(-14.0, 34.0, 150.0),
        target: Vec3::new(0.0, 0.0, 40.0),
    };
    // The rows of everybody are sent once.
    let first = host.draw(&mut crowd, look, Clock::default());
    let still = host.draw(&mut crowd, look, Clock::default());
    let steps = 60;
    for _ in 0..steps {
        let mut encoder = encoder(&host.gpu, "simulation");
        let mut pass = compute_pass(&mut encoder, "simulation");
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(PEOPLE.div_ceil(64), 1, 1);
        drop(pass);
        host.gpu.queue.submit([encoder.finish()]);
    }
    let now = Clock::from_seconds(f64::from(steps - 1) * STEP + 0.3);
    let moving = host.draw(&mut crowd, look, now);
    host.save(path, &[host.pixels()?])?;
    Ok([first, still, moving])
}
