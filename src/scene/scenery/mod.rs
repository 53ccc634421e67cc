//! Scenery around a crowd, which never moves: the plaza's fountain, trees, lamps, benches and houses, the stadium's
//! steps, a city's streets.
//! One draw per kind.

mod pitch;
mod props;
pub(super) mod solid;
mod square;
mod stands;
mod street;
#[cfg(feature = "tracks")]
mod walls;

pub use props::{Prop, PropPlacement, props};
pub use stands::stand_model;

use std::sync::{Arc, OnceLock};

use glam::Vec3;

use crate::{
    atlas::FramePlacement,
    character::Character,
    config::{Config, Layout, PathConfig, SceneConfig, TrajectoryConfig},
    crowd::Instance,
    model::Model,
    scene::{PlacedScenery, SceneError, layouts, open_model},
};

/// Makes the scenery of a configuration; none for a lone character.
///
/// # Errors
/// A defect of an embedded asset.
pub fn place_scenery(config: &Config) -> Result<Vec<PlacedScenery>, SceneError> {
    match config.scene.layout {
        _ if config.scene.count == 1 || config.scene.trajectories.is_on() => Ok(Vec::new()),
        Layout::Plaza => framed_plaza(&config.scene),
        Layout::Stadium => stadium(config),
        Layout::Roadside => street(&config.scene),
        _ => Ok(Vec::new()),
    }
}

/// Key of the scenery: equal keys give equal scenery.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SceneryKey {
    layout: Layout,
    lone: bool,
    /// Seats of the stadium: its stands grow with the crowd.
    stands: Option<(u32, f32, u64)>,
    /// Radius of the square: houses stand where the crowd ends.
    square: Option<(Option<u32>, u64)>,
    /// File of trajectories, its walls and their height, and what places them.
    walls: Option<TrajectoryConfig>,
    /// Path that streets follow.
    street: Option<(Option<PathConfig>, f32, u64)>,
}

impl SceneryKey {
    /// The key of a configuration.
    #[must_use]
    pub fn of(config: &Config) -> Self {
        let scene = &config.scene;
        let seats = || (crate::scene::count_in_layout(scene), scene.spacing, scene.seed);
        let stands = (scene.layout == Layout::Stadium).then(seats);
        let way = || (scene.paths.first().cloned(), scene.spacing, scene.seed);
        Self {
            walls: scene.trajectories.is_on().then(|| scene.trajectories.clone()),
            street: (scene.layout == Layout::Roadside).then(way),
            square: (scene.layout == Layout::Plaza).then(|| (square::radius(scene), scene.seed)),
            layout: scene.layout,
            lone: scene.count == 1,
            stands,
        }
    }
}

/// The plaza and the houses around it.
fn framed_plaza(scene: &SceneConfig) -> Result<Vec<PlacedScenery>, SceneError> {
    let mut all = plaza()?;
    if let Some(radius) = square::radius(scene) {
        all.push(standing(square::model(radius, scene.seed))?);
    }
    Ok(all)
}

/// Walls along lines on the ground, X and Z (m), `height` high (m); none without lines or height.
#[cfg(feature = "tracks")]
pub(super) fn place_walls(
    lines: impl Iterator<Item = Vec<glam::DVec2>>,
    height: f32,
) -> Result<Vec<PlacedScenery>, SceneError> {
    let model = walls::model(lines, height);
    if height <= 0.0 || model.mesh.indices.is_empty() {
        return Ok(Vec::new());
    }
    Ok(vec![standing(model)?])
}

/// One instance of a model, at the origin of the world.
fn standing(model: Model) -> Result<PlacedScenery, SceneError> {
    Ok(PlacedScenery {
        character: Arc::new(Character::bake(model, FramePlacement::default())?),
        instances: vec![Instance::new(Vec3::ZERO)],
    })
}

/// The plaza's furniture: made once, since every plaza has the same.
fn plaza() -> Result<Vec<PlacedScenery>, SceneError> {
    static FURNITURE: OnceLock<Vec<PlacedScenery>> = OnceLock::new();
    if let Some(made) = FURNITURE.get() {
        return Ok(made.clone());
    }
    let made = furniture()?;
    Ok(FURNITURE.get_or_init(|| made).clone())
}

fn furniture() -> Result<Vec<PlacedScenery>, SceneError> {
    let kinds = [
        (Prop::Fountain, "fountain"),
        (Prop::Tree, "tree"),
        (Prop::Lamp, "lamp"),
        (Prop::Bench, "bench"),
    ];
    let all = props::props();
    let place = |(kind, name): (Prop, &str)| {
        let of_kind = all.iter().filter(|p| p.kind == kind);
        let instances = of_kind
            .map(|p| Instance::new(p.position).with_yaw_scale(p.yaw, 1.0))
            .collect();
        let character = Arc::new(Character::from_opened(open_model(name)?, FramePlacement::default())?);
        Ok(PlacedScenery { character, instances })
    };
    kinds.into_iter().map(place).collect()
}

/// The streets along a path, and a square where the path leaves room for one.
fn street(scene: &SceneConfig) -> Result<Vec<PlacedScenery>, SceneError> {
    let mut all = street::street(scene)?;
    if street::holds_square(scene) {
        all.extend(plaza()?);
    }
    Ok(all)
}

fn stadium(config: &Config) -> Result<Vec<PlacedScenery>, SceneError> {
    let scene = &config.scene;
    let rows = layouts::stands(crate::scene::count_in_layout(scene), scene.spacing, scene.seed);
    let pitch = pitch::model(layouts::stadium_scale(scene.spacing));
    Ok(vec![standing(stand_model(&rows))?, standing(pitch)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stands_grow_with_those_who_sit_there() {
        let mut config = Config::scene("stadium").expect("embedded");
        let before = SceneryKey::of(&config);
        config.scene.count *= 2;
        assert_ne!(SceneryKey::of(&config), before, "more people, more rows");
        let triangles = |config: &Config| -> usize {
            let stands = stadium(config).expect("embedded");
            stands.iter().map(|placed| placed.character.packed.indices.len()).sum()
        };
        let all = triangles(&config);
        config.scene.paths = Config::parse(
            "p.toml",
            "[[scene.paths]]\npoints = [[-200.0, 0.0], [200.0, 0.0], [0.0, 200.0]]\npeople = 900\n",
        )
        .expect("valid")
        .scene
        .paths;
        config.scene.count = 1500;
        let walking = triangles(&config);
        config.scene.paths.clear();
        assert!(
            walking < triangles(&config) && triangles(&config) < all,
            "nobody walking sits"
        );
    }
}
