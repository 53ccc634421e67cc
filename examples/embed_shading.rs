//! A surface shader: a host's WGSL function lights the crowd. Above people as throng lights them, below in three bands of
//! light with an ink line; two selected people glow.
//!
//! cargo run --example embed_shading -- -o shading.png --shader mine.wgsl

#[allow(dead_code)]
mod host;

use glam::Vec3;
use host::{Block, Host, Look, Result};
use throng::{
    Character,
    crowd::{Clock, CrowdClip, Instance},
    render::{CrowdRenderer, SurfaceShader},
};

const PEOPLE: u32 = 40;
/// People who are selected: their trim has the last colour of its table.
const SELECTED: [u32; 2] = [3, 14];

/// The shader unless there is another one: `SURFACE_POINT_WGSL` documents the fields of the point.
const TOON: &str = "
const BANDS = 3.0;
const SELECTED = 63u;

fn surface_radiance(point: SurfacePoint) -> vec3<f32> {
    let cosine = max(dot(point.normal, point.sun_direction), 0.0) * point.sun_visibility;
    let sun = point.sun_irradiance * ceil(cosine * BANDS) / BANDS * 0.4;
    let ambient = mix(point.ambient_below, point.ambient_above, 0.5 + 0.5 * point.normal.y);
    let facing = max(dot(point.normal, point.view), 0.0);
    let ink = smoothstep(0.25, 0.4, facing);
    // The fourth index of the tint is the trim's.
    let selected = ((point.tint >> 18u) & 63u) == SELECTED;
    let glow = select(0.0, 1.0 - 0.7 * facing, selected);
    return mix(point.base_color * (sun + 0.6 * ambient) * ink, vec3<f32>(1.0, 0.5, 0.03), glow);
}";

#[allow(dead_code)]
fn main() -> Result<()> {
    let text = host::option("--shader").map(std::fs::read_to_string).transpose()?;
    draw(
        host::option("-o").as_deref().unwrap_or("embed_shading.png"),
        text.as_deref().unwrap_or(TOON),
    )
}

/// Saves two pictures below each other: people as throng lights them, and as the shader `text` does.
pub fn draw(path: &str, text: &str) -> Result<()> {
    // Needs no device: a program can check texts while somebody writes them.
    let shader = SurfaceShader::new(text)?;
    let host = Host::open(
        (720, 300),
        &[Block::new([-60.0, -1.0, -60.0], [60.0, 0.0, 60.0], [0.32, 0.34, 0.3])],
    )?;
    let mut crowd = host.crowd()?;
    populate(&mut crowd)?;
    let look = Look {
        eye: Vec3::new(0.0, 1.9, 4.4),
        target: Vec3::new(0.0, 0.85, -1.0),
    };
    let now = Clock::from_seconds(1.0);
    host.draw(&mut crowd, look, now);
    let standard = host.pixels()?;
    crowd.set_surface_shader(Some(shader))?;
    host.draw(&mut crowd, look, now);
    host.save(path, &[standard, host.pixels()?])
}

fn populate(crowd: &mut CrowdRenderer) -> Result<()> {
    let character = Character::open(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/woman.glb"))?;
    let clips = CrowdClip::all_of(&character);
    let walk = clips.iter().position(|clip| clip.name == "walk").ok_or("no walk")?;
    let woman = crowd.add_character(character)?;
    crowd.set_tints(&host::colors("#f0f0f0"), 1.0);
    let person = |number: u32| {
        let part = |factor: f32| (number as f32 * factor).fract();
        let (column, row) = ((number % 8) as f32, (number / 8) as f32);
        let place = Vec3::new(
            (column - 3.5) * 1.1 + part(0.618) * 0.4,
            0.0,
            row * -1.6 + part(0.755) * 0.5,
        );
        let mut tint = [7, 5, 3, 11].map(|factor| (number * factor % 63) as u8);
        if SELECTED.contains(&number) {
            tint[3] = 63;
        }
        Instance::new(place)
            .with_yaw_scale((part(0.325) - 0.5) * 2.0, 1.0)
            .with_clip(walk as u16, 1.0, part(0.37))
            .with_tint(tint)
    };
    let people: Vec<Instance> = (0..PEOPLE).map(person).collect();
    Ok(crowd.set_instances(woman, &people)?)
}
