//! Foot slide of the characters that come with the program, from their baked clips.

use throng::{
    assets,
    bake::{BakeOptions, foot_slide, ground_speed},
    model::gltf,
    scene::Character,
};

#[test]
fn feet_stay_where_they_are_put() {
    println!(
        "{:<8} {:<5} {:>6} {:>10} {:>6} {:>12} {:>12}",
        "", "clip", "m/s", "estimated", "steps", "mean mm", "worst mm"
    );
    let mut worst = 0.0_f32;
    for name in assets::NAMES {
        let model = gltf::load_bytes(name, assets::embedded(name).expect("embedded"), None).expect("loads");
        let character = Character::bake(model, &BakeOptions::default()).expect("bakes");
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
            worst = worst.max(most);
        }
    }
    assert!(worst < 20.0, "{worst} mm");
}
