// Marks heroes among the posed instances of a crowd. Runs once per hero, after animate. The layout of a marked
// instance: shaders/shared/hero.wgsl.

import package::shared::hero::HERO_BIT;
import package::shared::instance::{WIDTH_SCALE_MASK, Posed};

/// Hero of a frame.
struct HeroRow { // shared with Rust
    /// Index among the character's instances.
    instance: u32,
    /// First row of the hero's run.
    run: u32,
    /// First row of the palette in the run.
    palette: u32,
    /// Weight against the baked palette (0 to 1).
    weight: f32,
}

@group(1) @binding(0) var<storage, read> hero_list: array<HeroRow>;
@group(1) @binding(1) var<storage, read_write> posed: array<Posed>;
@group(1) @binding(2) var<storage, read_write> hero_runs: array<vec4<u32>>;

@compute @workgroup_size(64)
fn heroes(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&hero_list) {
        return;
    }
    let hero = hero_list[id.x];
    // At weight 0 the instance stays baked, bit for bit.
    if hero.weight <= 0.0 || hero.instance >= arrayLength(&posed) {
        return;
    }
    let play = posed[hero.instance].play;
    hero_runs[hero.run] = play;
    let weight = (bitcast<u32>(hero.weight) & ~WIDTH_SCALE_MASK) | (play.z & WIDTH_SCALE_MASK);
    posed[hero.instance].play = vec4<u32>(hero.run, hero.palette, weight, play.w | HERO_BIT);
}
