//! Ids by the software rasterizer: labels agree to the pixel with every person drawn alone, and with the hardware
//! rasterizer except at edges.

use std::sync::Arc;

use throng::{
    aov::{AovRenderer, FrameParameters},
    config::{Config, Raster, Technique},
    gpu::Gpu,
    label::Labels,
    render::passes::{AovKind, ID_SCENERY},
};

use crate::{
    labels::{ALL, SIZE, agree, among, brute_force, config, observer_on},
    raster::{supported, with_sources},
};

const KINDS: [AovKind; 2] = [AovKind::Ids, AovKind::Depth];

fn ids(aov_renderer: &mut AovRenderer, moment: &FrameParameters) -> Vec<u32> {
    let numbers = aov_renderer.numbers(moment, None, SIZE, &KINDS);
    numbers.expect("draws").ids().to_vec()
}

fn observers(gpu: &Gpu, config: &Config) -> [AovRenderer; 2] {
    [Raster::Hardware, Raster::Compute].map(|raster| observer_on(gpu.clone(), config, Technique::Matrix, raster))
}

fn waving() -> Config {
    let mut config = config("plaza", 24);
    let wave = "count = 6\nlayers = [{ clip = \"wave\", joint = \"upper_arm_r\" }]\n";
    config.scene.heroes = vec![toml::from_str(wave).expect("heroes")];
    config
}

#[test]
fn labels_agree_to_the_pixel_with_everybody_rasterised_alone() {
    let Some(gpu) = supported() else { return };
    for (detail, mut config) in [(0.0, config("plaza", 24)), (1.0, config("plaza", 24)), (0.0, waving())] {
        config.render.detail = detail;
        let mut aov_renderer = observer_on(gpu.clone(), &config, Technique::Matrix, Raster::Compute);
        let moment = among(&config, &aov_renderer, 7.3);
        let numbers = aov_renderer.numbers(&moment, None, SIZE, &KINDS).expect("draws");
        let labels = Labels::of(&mut aov_renderer, &moment, &numbers, &ALL).expect("labels");
        let brute = brute_force(&mut aov_renderer, &moment, &numbers);
        assert!(labels.people.len() > 7, "{} people", labels.people.len());
        agree(&labels, &brute, &format!("in compute, at detail {detail}"));
    }
}

/// Number of pixels that differ, and of those next to no other id in either picture.
fn compare(a: &[u32], b: &[u32]) -> (usize, usize) {
    let width = SIZE.0 as usize;
    let is_even = |picture: &[u32], at: usize| {
        let (x, y) = (at % width, at / width);
        let beside = (-1..=1).flat_map(|dy: isize| (-1..=1).map(move |dx: isize| (dx, dy)));
        let mut beside = beside.filter_map(|(dx, dy)| {
            let (x, y) = (x.checked_add_signed(dx)?, y.checked_add_signed(dy)?);
            (x < width).then(|| picture.get(y * width + x))?
        });
        beside.all(|other| *other == picture[at])
    };
    let differing: Vec<usize> = (0..a.len()).filter(|&at| a[at] != b[at]).collect();
    let inside = differing.iter().filter(|&&at| is_even(a, at) && is_even(b, at));
    (differing.len(), inside.count())
}

#[test]
fn both_rasterisers_write_the_same_instance_ids() {
    let Some(gpu) = supported() else { return };
    for (name, config) in [("army", config("army", 200)), ("heroes", waving())] {
        let [mut hardware, mut compute] = observers(&gpu, &config);
        let near = among(&config, &hardware, 3.1);
        let far = FrameParameters::of(&config, &hardware.scene, 8.0).expect("a view");
        for moment in [&near, &far] {
            let (by_pipe, found) = (ids(&mut hardware, moment), ids(&mut compute, moment));
            let (differing, inside) = compare(&by_pipe, &found);
            eprintln!("{name}: {differing} pixels differ, {inside} inside people");
            assert!(differing * 1000 <= found.len(), "{name}: {differing} differ");
            assert_eq!(inside, 0, "{name}: pixels inside people differ");
            assert_eq!(found, ids(&mut compute, moment), "{name}: the second picture differs");
        }
        let found = ids(&mut compute, &far);
        let by = |raster| observer_on(gpu.clone(), &config, Technique::Matrix, raster);
        let auto = ids(&mut by(Raster::Auto), &far);
        assert_eq!(found, auto, "{name}: ids depend on the rasterizer of the picture");
        // With shaders that write wrong ids, the pixels that then differ come from the software rasterizer.
        let wrong = with_sources("aov.first_id + owners", "aov.first_id + 1u + owners");
        let own = gpu.replace_shaders(Arc::new(wrong));
        let told = ids(&mut by(Raster::Compute), &far);
        gpu.replace_shaders(own);
        let is_person = |id: &&u32| **id != 0 && **id & ID_SCENERY == 0;
        let (told, people) = (compare(&told, &found).0, found.iter().filter(is_person).count());
        assert!(
            told * 20 > people,
            "{name}: {told} of {people} pixels of ids come from compute"
        );
    }
}
