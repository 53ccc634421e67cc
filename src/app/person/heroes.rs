//! Heroes of the window: people taken over from the crowd by hand.

use crate::{
    crowd::heroes::{FadeSpan, Gaze, HeadTurn, Hero, Layer, upper_body},
    scene::{PersonRef, Scene},
};

/// Default fade time (s).
const FADE: f32 = 0.5;
/// Default clip of a hero's first layer, if the character has it.
const START_NOTICE: &str = "wave";

/// Everyone who is or was a hero.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Heroes {
    /// Heroes as sent to the renderer.
    pub list: Vec<Hero>,
    /// Fade time of heroes, layers and looks (s).
    pub fade: f32,
}

impl Default for Heroes {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            fade: FADE,
        }
    }
}

impl Heroes {
    /// Hero of a person, if there is one.
    #[must_use]
    pub(crate) fn of(&self, who: PersonRef) -> Option<&Hero> {
        self.list.iter().find(|hero| is(hero, who))
    }

    /// Hero of a person, mutable.
    pub(crate) fn of_mut(&mut self, who: PersonRef) -> Option<&mut Hero> {
        self.list.iter_mut().find(|hero| is(hero, who))
    }

    /// True if a person is a hero at a time or becomes one later, and is not being handed back.
    #[must_use]
    pub(crate) fn is_live(&self, who: PersonRef, seconds: f64) -> bool {
        self.of(who)
            .is_some_and(|hero| hero.span.from <= seconds && seconds < hero.span.until)
    }

    /// Number of heroes with a weight above 0 at a time.
    #[must_use]
    pub(crate) fn count(&self, seconds: f64) -> usize {
        self.list.iter().filter(|hero| !hero.span.is_off(seconds)).count()
    }

    /// Takes a person over. The upper body waves and the head turns to the camera, which makes the change visible. A
    /// person who is being handed back continues from the current weight.
    pub(crate) fn take_over(&mut self, scene: &Scene, who: PersonRef, seconds: f64) {
        if let Some(hero) = self.of_mut(who).filter(|hero| !hero.span.is_off(seconds)) {
            hero.span = hero.span.resumed(seconds);
            return;
        }
        let Some(character) = scene.characters.get(who.character) else {
            return;
        };
        let fade = self.fade;
        let mut hero = Hero::new(who.character, who.index, seconds, fade).with_look(Gaze::Eye);
        let clips = &character.palettes.clips;
        if clips.iter().any(|clip| clip.name.eq_ignore_ascii_case(START_NOTICE)) {
            let skeleton = &character.model.skeleton;
            let upper = upper_body(skeleton).map_or("", |joint| skeleton.joints[joint].name.as_str());
            hero = hero.with_layer(START_NOTICE, upper);
        }
        self.list.retain(|hero| !is(hero, who));
        self.list.push(hero);
    }

    /// Hands a person back to the baked crowd.
    pub(crate) fn hand_over(&mut self, who: PersonRef, seconds: f64) {
        if let Some(hero) = self.of_mut(who) {
            hero.span = hero.span.ended(seconds);
        }
    }

    /// Hands everyone back.
    pub(crate) fn hand_over_all(&mut self, seconds: f64) {
        for hero in &mut self.list {
            hero.span = hero.span.ended(seconds);
        }
    }

    /// Applies the heroes of a new scene. Heroes taken over by hand stay if the new scene has the identical person.
    pub(crate) fn carry(&mut self, before: Option<&Scene>, scene: &Scene) {
        let person = |scene: &Scene, hero: &Hero| {
            let instances = scene.crowd.per_character.get(hero.character)?;
            instances.get(hero.index as usize).copied()
        };
        let from_file = |scene: &Scene, hero: &Hero| {
            scene
                .heroes
                .iter()
                .any(|h| h.character == hero.character && h.index == hero.index)
        };
        self.list.retain(|hero| {
            let Some(before) = before else { return false };
            let same = person(before, hero).is_some() && person(before, hero) == person(scene, hero);
            same && from_file(before, hero) == from_file(scene, hero)
        });
        for hero in &scene.heroes {
            let who = PersonRef {
                character: hero.character,
                index: hero.index,
            };
            if self.of(who).is_none() {
                self.list.push(hero.clone());
            }
        }
    }
}

fn is(hero: &Hero, who: PersonRef) -> bool {
    (hero.character, hero.index) == (who.character, who.index)
}

/// Fades a clip in as a layer of a hero, in place of layer `number`, which fades out. Weights stay continuous.
pub(crate) fn replace_layer(hero: &mut Hero, number: Option<usize>, clip: &str, joint: &str, seconds: f64, fade: f32) {
    let before = number.and_then(|number| hero.layers.get_mut(number));
    let (weight, speed) = before.as_ref().map_or((1.0, 1.0), |layer| (layer.weight, layer.speed));
    if let Some(layer) = before {
        end_layer(layer, seconds, fade);
    }
    hero.layers
        .retain(|layer| seconds < layer.span.until + f64::from(layer.span.fade));
    hero.layers.push(Layer {
        clip: clip.to_owned(),
        joint: joint.to_owned(),
        weight,
        speed,
        start: 0.0,
        span: FadeSpan::starting(seconds, fade),
    });
}

/// Fades a layer out.
pub(crate) fn end_layer(layer: &mut Layer, seconds: f64, fade: f32) {
    let risen = layer.span.weight(seconds) >= 1.0;
    layer.span = layer.span.ended(seconds);
    // Changing the fade time would make the weight of a layer that still fades in jump.
    if risen {
        layer.span.from = layer.span.from.min(seconds - f64::from(fade));
        layer.span.fade = fade;
    }
}

/// Turns a hero's head to the camera, or releases it.
pub(crate) fn set_look(hero: &mut Hero, on: bool, seconds: f64, fade: f32) {
    match &mut hero.look {
        Some(look) if on => look.span = look.span.resumed(seconds),
        Some(look) => look.span = look.span.ended(seconds),
        None if on => hero.look = Some(HeadTurn::new(Gaze::Eye, FadeSpan::starting(seconds, fade))),
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{config::Config, scene::StartupTimes};

    const WHO: PersonRef = PersonRef { character: 0, index: 3 };

    fn scene(count: u32, seed: u64) -> Scene {
        let mut config = Config::scene("plaza").expect("the plaza");
        (config.scene.count, config.scene.seed) = (count, seed);
        Scene::load(&config, &mut StartupTimes::default()).expect("a scene")
    }

    #[test]
    fn taking_over_again_during_the_hand_over_is_continuous() {
        let (scene, mut heroes) = (scene(60, 1), Heroes::default());
        heroes.take_over(&scene, WHO, 2.0);
        assert!(heroes.is_live(WHO, 2.1) && heroes.count(2.3) == 1);
        assert_eq!(heroes.of(WHO).map(|hero| hero.layers.len()), Some(1));
        heroes.hand_over(WHO, 5.0);
        assert!(!heroes.is_live(WHO, 5.2));
        let before = heroes.of(WHO).map_or(0.0, |hero| hero.weight(5.2));
        heroes.take_over(&scene, WHO, 5.2);
        let after = heroes.of(WHO).map_or(0.0, |hero| hero.weight(5.2));
        assert!(before > 0.1 && before < 0.9 && (before - after).abs() < 1e-3);
        heroes.hand_over_all(7.0);
        assert_eq!((heroes.count(7.1), heroes.count(9.0)), (1, 0));
    }

    #[test]
    fn replacing_a_layer_keeps_weights_continuous() {
        let mut hero = Hero::new(0, 0, 1.0, 0.5).with_layer("wave", "");
        let total = |hero: &Hero, t: f64| -> f32 { hero.layers.iter().map(|l| l.span.weight(t)).sum() };
        replace_layer(&mut hero, Some(0), "clap", "", 4.0, 0.3);
        assert!((total(&hero, 4.0) - 1.0).abs() < 1e-6 && (total(&hero, 4.15) - 1.0).abs() < 1e-3);
        assert_eq!(hero.layers.len(), 2);
        replace_layer(&mut hero, Some(1), "cheer", "", 4.1, 0.3);
        assert!((hero.layers[1].span.weight(4.1 + 1e-6) - hero.layers[1].span.weight(4.1)).abs() < 1e-3);
        replace_layer(&mut hero, None, "talk", "", 9.0, 0.3);
        assert_eq!(hero.layers.len(), 2, "what is over is forgotten");
    }

    #[test]
    fn heroes_stay_with_the_same_people_only() {
        let (few, more, others) = (scene(60, 1), scene(90, 1), scene(60, 2));
        let mut heroes = Heroes::default();
        heroes.take_over(&few, WHO, 2.0);
        heroes.carry(Some(&few), &more);
        assert_eq!(heroes.list.len(), 1);
        heroes.carry(Some(&more), &others);
        assert!(heroes.list.is_empty());
    }
}
