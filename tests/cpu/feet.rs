//! Foot sliding of the embedded characters, from their baked clips.

use throng::{
    atlas::AtlasFormat,
    bake::{BakeOptions, foot_slide, ground_speed},
    character::Character,
    crowd::CrowdClip,
    file::{self, gltf},
    model::Model,
    scene::embedded as assets,
};

use crate::common::worse::worse;

fn load(name: &str) -> Model {
    gltf::load_bytes(name, assets::embedded(name).expect("embedded"), None).expect("loads")
}

#[test]
fn feet_stay_where_they_are_put() {
    println!(
        "{:<8} {:<5} {:>6} {:>10} {:>6} {:>12} {:>12}",
        "", "clip", "m/s", "estimated", "steps", "mean mm", "worst mm"
    );
    let mut worst = 0.0_f32;
    for name in assets::NAMES {
        let character = Character::bake(load(name), &BakeOptions::default()).expect("bakes");
        let skeleton = &character.model.skeleton;
        for clip in character
            .palettes
            .clips
            .iter()
            .filter(|clip| ["walk", "run"].contains(&clip.name.as_str()))
        {
            let slide = foot_slide(skeleton, &character.palettes, clip).expect("has feet");
            let estimate = ground_speed(skeleton, &character.palettes, clip);
            let (mean, most) = (slide.mean * 1e3, slide.worst * 1e3);
            println!(
                "{name:<8} {:<5} {:>6.2} {estimate:>10.3} {:>6} {mean:>12.2} {most:>12.2}",
                clip.name, clip.speed, slide.steps
            );
            assert!(slide.steps >= 2, "both feet: {slide:?}");
            assert!(
                (estimate - clip.speed).abs() < 0.06 * clip.speed,
                "{estimate} {}",
                clip.speed
            );
            worst = worse(worst, most);
        }
    }
    assert!(worst < 20.0, "{worst} mm");
}

#[test]
fn the_speed_that_feet_tell_is_baked_with_the_clip() {
    let mut model = load("woman");
    let stated: Vec<f32> = model.clips.iter().map(|clip| clip.speed).collect();
    for clip in &mut model.clips {
        clip.speed = 0.0;
    }
    let raw = Character::bake(model, &BakeOptions::default()).expect("bakes");
    let bytes = file::baked::to_bytes(&raw.model, &raw.atlas(AtlasFormat::F16), None).expect("fits");
    let opened = file::open_bytes_to_draw("woman.glb", bytes, None).expect("opens");
    let baked = Character::from_opened(opened, &BakeOptions::default()).expect("baked");
    let told = CrowdClip::all_of(&baked);
    assert!(!baked.palettes.matrices.is_read(), "speeds were estimated again");
    assert_eq!(told, CrowdClip::all_of(&raw));
    for (clip, stated) in told.iter().zip(stated) {
        assert!(
            (clip.speed - stated).abs() <= 0.06 * stated,
            "{clip:?}, not {stated} m/s"
        );
    }
    assert!(
        told.iter().filter(|clip| clip.speed > 0.0).count() >= 2,
        "a walk and a run"
    );
    for (clip, told) in baked.model.clips.iter().zip(&told) {
        assert_eq!(clip.speed, told.speed);
    }
}
