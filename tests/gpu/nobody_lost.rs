//! Nobody is lost: everyone whom full detail shows with 16 pixels or more, at one sample, is in the ids with LODs and
//! culling.
//! Tested with both rasterizers, in every scene and from every view.

use std::collections::{BTreeMap, BTreeSet};

use throng::{
    aov::{AovRenderer, FrameParameters},
    config::{Config, Raster, Technique},
    render::passes::{AovKind, ID_ATTACHMENT, ID_SCENERY},
    view::Camera,
};

use crate::{labels::observer_on, raster::supported};

/// Number of pixels from which on a person cannot be missed.
const LEAST: usize = 16;
/// Time at which people are in full motion (s).
const TIME: f64 = 7.3;

/// Size of the pictures (px), and maximum number of people of a scene: whole scenes only with THRONG_LONG (.ci/long).
fn extent() -> ((u32, u32), u32) {
    match std::env::var_os("THRONG_LONG") {
        Some(_) => ((960, 540), 20_000),
        None => ((320, 180), 150),
    }
}

/// Number of pixels of every visible person.
fn people(ids: &[u32]) -> BTreeMap<u32, usize> {
    let mut pixels = BTreeMap::new();
    for id in ids
        .iter()
        .filter(|&id| id & (ID_ATTACHMENT | ID_SCENERY) == 0 && *id != 0)
    {
        *pixels.entry(*id).or_default() += 1;
    }
    pixels
}

/// People of `full` with enough pixels who are not in `found`, and the number of people searched for.
fn lost(full: &[u32], found: &[u32]) -> (BTreeSet<u32>, usize) {
    let found = people(found);
    let large = people(full).into_iter().filter(|(_, pixels)| *pixels >= LEAST);
    let wanted: BTreeSet<u32> = large.map(|(id, _)| id).collect();
    let missing = wanted.iter().filter(|id| !found.contains_key(id)).copied();
    (missing.collect(), wanted.len())
}

fn ids(aov_renderer: &mut AovRenderer, config: &Config, detail: f32) -> Vec<u32> {
    let mut config = config.clone();
    config.render.detail = detail;
    let moment = FrameParameters::of(&config, &aov_renderer.scene, TIME).expect("a view");
    let size = (config.window.width, config.window.height);
    let numbers = aov_renderer.numbers(&moment, None, size, &[AovKind::Ids]);
    numbers.expect("draws").ids().to_vec()
}

#[test]
fn nobody_whom_full_detail_shows_is_lost() {
    let Some(gpu) = supported() else { return };
    let (size, most) = extent();
    let (mut looked_for, mut changed) = (0, 0);
    for name in Config::preset_names() {
        let mut config = Config::scene(name).expect("a preset");
        config.scene.count = config.scene.count.min(most);
        (config.window.width, config.window.height) = size;
        let by = |raster| observer_on(gpu.clone(), &config, Technique::Matrix, raster);
        let [mut hardware, mut compute] = [by(Raster::Hardware), by(Raster::Compute)];
        let views: Vec<String> = Camera::preset_names(&config.camera).map(str::to_owned).collect();
        let (mut of_scene, mut seen_by) = (0, 0);
        for view in views {
            config.camera.start.clone_from(&view);
            let full = ids(&mut hardware, &config, 0.0);
            for (which, aov_renderer) in [("hardware", &mut hardware), ("compute", &mut compute)] {
                let found = ids(aov_renderer, &config, 1.0);
                let (missing, wanted) = lost(&full, &found);
                assert!(missing.is_empty(), "{name}, {view}, {which}: {missing:?} of {wanted}");
                of_scene += wanted;
                changed += full.iter().zip(&found).filter(|(a, b)| a != b).count();
                // The comparison must find a person removed from the picture.
                if let Some(&id) = people(&full)
                    .iter()
                    .find(|(_, pixels)| **pixels >= LEAST)
                    .map(|(id, _)| id)
                {
                    let without: Vec<u32> = found.iter().map(|&own| if own == id { 0 } else { own }).collect();
                    assert_eq!(lost(&full, &without).0, [id].into());
                }
            }
            seen_by += 1;
        }
        eprintln!(
            "{name}: {} people from {seen_by} views, looked for {of_scene} times",
            config.scene.count
        );
        looked_for += of_scene;
    }
    assert!(looked_for > 1000, "{looked_for}");
    assert!(
        changed > 100,
        "{changed} pixels differ: nobody was drawn at another LOD"
    );
}
