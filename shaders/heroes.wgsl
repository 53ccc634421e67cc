// Marks the heroes among the posed instances of a crowd: once per hero, after animate. What a
// marked instance then holds is told in shaders/shared/hero.wgsl.

import package::shared::hero::HERO_BIT;
import package::shared::instance::Posed;

// per hero: instance, first row of its run, first row of its palette, weight as f32
@group(1) @binding(0) var<storage, read> hero_list: array<vec4<u32>>;
@group(1) @binding(1) var<storage, read_write> posed: array<Posed>;
@group(1) @binding(2) var<storage, read_write> hero_runs: array<vec4<u32>>;

@compute @workgroup_size(64)
fn heroes(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&hero_list) {
        return;
    }
    let hero = hero_list[id.x];
    // What weighs nothing is drawn as baked, to the last bit.
    if bitcast<f32>(hero.w) <= 0.0 || hero.x >= arrayLength(&posed) {
        return;
    }
    let play = posed[hero.x].play;
    hero_runs[hero.y] = play;
    posed[hero.x].play = vec4<u32>(hero.y, hero.z, hero.w, play.w | HERO_BIT);
}
