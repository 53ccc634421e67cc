//! What stands around a crowd and never moves: the plaza's fountain, trees, lamps and benches, the
//! stadium's steps. One draw per kind.

use std::sync::Arc;

use crate::{
    bake::BakeOptions,
    config::Config,
    crowd::{self, Instance, Layout, Prop},
    scene::{Character, Placed, SceneError, open_model},
};

/// The dressing of a configuration; nothing for a lone character.
///
/// # Errors
/// A defect of an embedded asset.
pub fn dress(config: &Config) -> Result<Vec<Placed>, SceneError> {
    match config.scene.layout {
        _ if config.scene.count == 1 => Ok(Vec::new()),
        Layout::Plaza => plaza(),
        Layout::Stadium => stadium(config),
        _ => Ok(Vec::new()),
    }
}

/// What a dressing depends on: equal keys, equal dressings.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DressingKey {
    layout: Layout,
    lone: bool,
    /// The stands grow with the crowd.
    stands: Option<(u32, f32, u64)>,
}

impl DressingKey {
    /// The key of a configuration.
    #[must_use]
    pub fn of(config: &Config) -> Self {
        let scene = &config.scene;
        let stands = (scene.layout == Layout::Stadium).then_some((scene.count, scene.spacing, scene.seed));
        Self {
            layout: scene.layout,
            lone: scene.count == 1,
            stands,
        }
    }
}

fn plaza() -> Result<Vec<Placed>, SceneError> {
    let kinds = [
        (Prop::Fountain, "fountain"),
        (Prop::Tree, "tree"),
        (Prop::Lamp, "lamp"),
        (Prop::Bench, "bench"),
    ];
    let all = crowd::props();
    let place = |(kind, name): (Prop, &str)| {
        let of_kind = all.iter().filter(|p| p.kind == kind);
        let instances = of_kind
            .map(|p| Instance::new(p.position).with_yaw_scale(p.yaw, 1.0))
            .collect();
        let character = Arc::new(Character::from_opened(open_model(name)?, &BakeOptions::default())?);
        Ok(Placed { character, instances })
    };
    kinds.into_iter().map(place).collect()
}

fn stadium(config: &Config) -> Result<Vec<Placed>, SceneError> {
    let rows = crowd::stands(config.scene.count, config.scene.spacing, config.scene.seed);
    let model = crowd::stand_model(&rows);
    let character = Arc::new(Character::bake(model, &BakeOptions::default())?);
    let instances = vec![Instance::new(glam::Vec3::ZERO)];
    Ok(vec![Placed { character, instances }])
}
