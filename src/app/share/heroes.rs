//! Heroes taken over by hand, converted to scene settings.

use crate::{
    app::{person::pick::pose_of, state::AppState},
    config::{HeroConfig, LayerConfig, LookTarget, SceneConfig},
    crowd::{
        clock::Clock,
        heroes::{Gaze, Hero, Layer},
    },
    scene::{PersonRef, Scene},
};

/// Scene with its heroes, and the number of heroes that no file can express.
pub(super) struct Cast {
    pub(super) scene: SceneConfig,
    pub(super) omitted_heroes: usize,
}

impl AppState {
    /// Scene settings including all present heroes.
    pub(super) fn with_heroes(&self, mut config: SceneConfig) -> Cast {
        let list = &self.person.heroes.list;
        let Some(scene) = self.shown.scene.as_deref().filter(|scene| scene.heroes != *list) else {
            return Cast {
                scene: config,
                omitted_heroes: 0,
            };
        };
        // Heroes that were handed back are left out.
        let now = self.clock.seconds;
        let over = |hero: &Hero| hero.span.until + f64::from(hero.span.fade) <= now;
        let list: Vec<&Hero> = list.iter().filter(|hero| !over(hero)).collect();
        config.heroes = list.iter().filter_map(|hero| hero_config(scene, hero)).collect();
        let cast = scene.cast(&config);
        let omitted_heroes = list.iter().filter(|hero| !cast.contains(hero)).count();
        Cast {
            scene: config,
            omitted_heroes,
        }
    }
}

/// Settings of one hero; `None` if a file cannot express them.
fn hero_config(scene: &Scene, hero: &Hero) -> Option<HeroConfig> {
    let who = PersonRef {
        character: hero.character,
        index: hero.index,
    };
    let (_, pose) = pose_of(scene, who, Clock::from_seconds(hero.span.from))?;
    let (look, look_at) = match hero.look.map(|look| look.gaze) {
        None => (LookTarget::Ahead, [0.0; 3]),
        Some(Gaze::Eye) => (LookTarget::Camera, [0.0; 3]),
        Some(Gaze::Point(point)) => (LookTarget::Point, point.into()),
    };
    let finite = |seconds: f64| seconds.is_finite().then_some(seconds);
    let layer = |layer: &Layer| LayerConfig {
        clip: layer.clip.clone(),
        joint: layer.joint.clone(),
        weight: layer.weight,
        speed: layer.speed,
        start: Some(layer.start),
        from: (layer.span.from != hero.span.from).then_some(layer.span.from),
        until: finite(layer.span.until).filter(|_| layer.span.until != hero.span.until),
    };
    Some(HeroConfig {
        at: pose.position.into(),
        count: 1,
        group: String::new(),
        from: hero.span.from,
        until: finite(hero.span.until),
        fade: hero.span.fade,
        look,
        look_at,
        layers: hero.layers.iter().map(layer).collect(),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{app::AppOptions, config::Config, scene::StartupTimes};

    #[test]
    fn saved_heroes_are_the_same_people_and_those_left_out_are_counted() {
        let mut config = Config::scene("plaza").expect("a preset");
        config.scene.count = 40;
        let scene = Scene::load(&config, &mut StartupTimes::default()).expect("embedded");
        let mut state = AppState::new(&AppOptions::of(config));
        state.show(Arc::new(scene), false);
        let scene = state.shown.scene.clone().expect("shown");
        for (number, seconds) in [(3, 2.5), (5, 1.0 / 3.0), (1, 7.25)] {
            let who = PersonRef {
                character: number as usize % scene.characters.len(),
                index: number,
            };
            state.person.heroes.take_over(&scene, who, seconds);
        }
        let cast = state.with_heroes(state.config.scene.clone());
        assert_eq!((cast.scene.heroes.len(), cast.omitted_heroes), (3, 0));
        assert_eq!(scene.cast(&cast.scene), state.person.heroes.list);
        let said = |state: &AppState| {
            let cast = state.with_heroes(state.config.scene.clone());
            (cast.scene.heroes.len(), cast.omitted_heroes)
        };
        // A look that began later, with another fade.
        let look = state.person.heroes.list[0].look.as_mut().expect("looks");
        (look.span.from, look.span.fade) = (4.0, 0.125);
        assert_eq!(said(&state), (3, 1));
        // During the hand-over, heads still look at their target, which a file cannot express. Afterwards they belong
        // to the crowd.
        state.person.heroes.hand_over_all(9.0);
        state.clock.seconds = 9.125;
        assert_eq!(said(&state), (3, 3));
        state.clock.seconds = 10.0;
        assert_eq!(said(&state), (0, 0));
        state.person.heroes.list.clear();
        assert!(state.with_heroes(state.config.scene.clone()).scene.heroes.is_empty());
    }
}
