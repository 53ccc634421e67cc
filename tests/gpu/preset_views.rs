//! Views of presets show their crowds: people are counted by ids.

use std::collections::BTreeSet;

use throng::{
    aov::FrameParameters,
    config::{Config, Raster, Technique},
    render::passes::{AovKind, ID_ATTACHMENT, ID_SCENERY},
    view::Camera,
};

use crate::{common, labels::observer_on};

const SIZE: (u32, u32) = (320, 180);
/// Largest number of people drawn: larger crowds begin with those of smaller ones.
const MOST: u32 = 6000;
/// Smallest number of people in a view, and in a close one.
const LEAST: [usize; 2] = [20, 3];

/// A preset with one character, whom all presets share here.
fn preset(name: &str) -> Config {
    let mut config = Config::scene(name).expect("a preset");
    config.scene.count = config.scene.count.min(MOST);
    config.scene.characters = vec!["man".into()];
    // Half of those who run leave room for those who watch.
    for path in &mut config.scene.paths {
        path.people = path.people.min(MOST / 2);
    }
    (config.window.width, config.window.height) = SIZE;
    config.render.detail = 8.0;
    config
}

#[test]
fn every_view_of_every_preset_shows_its_crowd() {
    let Some(gpu) = common::gpu::open() else { return };
    let mut aov = observer_on(gpu, &preset("plaza"), Technique::Matrix, Raster::Hardware);
    let mut empty = Vec::new();
    for name in Config::preset_names() {
        let mut config = preset(name);
        aov.repopulate(&config).expect("people");
        let views: Vec<String> = Camera::preset_names(&config.camera).map(str::to_owned).collect();
        for view in views {
            config.camera.start.clone_from(&view);
            let time = config.start_time().unwrap_or(4.0);
            let moment = FrameParameters::of(&config, &aov.scene, time).expect("a view");
            let images = aov.numbers(&moment, None, SIZE, &[AovKind::Ids]).expect("draws");
            let people = images
                .ids()
                .iter()
                .filter(|&&id| id != 0 && id & (ID_ATTACHMENT | ID_SCENERY) == 0);
            let seen = people.collect::<BTreeSet<_>>().len();
            println!("{name} {view}: {seen}");
            if seen < LEAST[usize::from(view == "close")] {
                empty.push(format!("{name} {view}: {seen}"));
            }
        }
    }
    assert!(empty.is_empty(), "{empty:?}");
}
