//! Widens the spacing for characters that are wider than tall: the default spacing is for people.

use std::sync::Arc;

use glam::Vec3;

use crate::{
    character::Character,
    config::{Config, SceneConfig},
    crowd::CrowdCharacter,
    model::clip_names,
    scene::{Warning, populate::clips_in_use},
};

/// Footprint for which neighbours stand clear of each other in most directions, as a share of the spacing.
const NEAREST: f32 = 0.7;
/// Largest footprint (lengths at rest): a spacing of 1.5 lengths.
const MOST_LENGTHS: f32 = 1.05;
/// Ratio of width to height, in every clip in use, above which a character is not a person.
const WIDE: f32 = 1.05;

/// The configuration with a spacing for the widest of its characters, and a warning if the spacing was widened.
pub(in crate::scene) fn roomy(config: &Config, characters: &[Arc<Character>]) -> (Config, Option<Warning>) {
    let mut config = config.clone();
    if config.scene.count == 1 {
        return (config, None);
    }
    let wide = characters.iter().filter_map(|character| {
        let footprint = footprint(&config.scene, character)?;
        Some((footprint / NEAREST, character.model.name.clone()))
    });
    let widest = wide.max_by(|a, b| a.0.total_cmp(&b.0));
    let Some((spacing, character)) = widest.filter(|(spacing, _)| *spacing > config.scene.spacing) else {
        return (config, None);
    };
    config.scene.spacing = spacing;
    (config, Some(Warning::Spread { character, spacing }))
}

/// Larger horizontal side (m) of a character in a crowd, over those clips in use that stand or move, else over all of
/// them; `None` for people, whose arms may overlap. A clip that leaps far counts little: it is over soon.
fn footprint(scene: &SceneConfig, character: &Character) -> Option<f32> {
    let cast = CrowdCharacter::of(character, scene.count);
    let used = clips_in_use(scene, &cast);
    let is_suitable = |clip: &u16| {
        let own = cast.clips.get(usize::from(*clip));
        own.is_some_and(|own| clip_names::is_suitable(&own.name))
    };
    let mut standing: Vec<u16> = used.iter().copied().filter(is_suitable).collect();
    if standing.is_empty() {
        standing.extend(&used);
    }
    let side = |size: Vec3| size.x.max(size.z);
    let sides: Vec<f32> = standing
        .iter()
        .map(|&clip| side(character.reach(clip).size()))
        .collect();
    let narrowest = sides.iter().copied().fold(f32::INFINITY, f32::min);
    let widest = sides.iter().copied().fold(0.0, f32::max);
    let wide = narrowest > WIDE * character.rest_bounds.size().y;
    let length = side(character.rest_bounds.size());
    let room = if length > 0.0 {
        widest.min(MOST_LENGTHS * length)
    } else {
        widest
    };
    (wide && narrowest.is_finite()).then_some(room * cast.fit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        bake::BakeOptions,
        config::Layout,
        model::Bounds,
        scene::{Scene, open_model},
    };

    /// A knight whose boxes are stretched sideways.
    fn character(widening: f32) -> Arc<Character> {
        let opened = open_model("knight").expect("embedded");
        let mut character = Character::from_opened(opened, &BakeOptions::default()).expect("bakes");
        let wider = |b: Bounds| Bounds {
            min: b.min * Vec3::new(widening, 1.0, 1.0),
            max: b.max * Vec3::new(widening, 1.0, 1.0),
        };
        character.rest_bounds = wider(character.rest_bounds);
        for clip in &mut character.palettes.clips {
            clip.bounds = wider(clip.bounds);
        }
        Arc::new(character)
    }

    fn nearest(character: &Arc<Character>, layout: Layout) -> (f32, Vec<Warning>) {
        let mut config = Config::default();
        (config.scene.count, config.scene.layout) = (120, layout);
        let scene = Scene::populate(&config, vec![character.clone()]).expect("a scene");
        let places: Vec<Vec3> = scene.crowd.per_character[0].iter().map(|i| i.position.into()).collect();
        let others = |i: usize| places[..i].iter().map(move |other| (i, other));
        let apart = (0..places.len())
            .flat_map(others)
            .map(|(i, other)| places[i].distance(*other));
        (apart.fold(f32::INFINITY, f32::min), scene.notes())
    }

    #[test]
    fn wide_characters_stand_apart_and_people_as_they_did() {
        let spread = |notes: &[Warning]| notes.iter().any(|n| matches!(n, Warning::Spread { .. }));
        for layout in [Layout::Grid, Layout::Ring, Layout::Scatter, Layout::Ranks] {
            let (people, notes) = nearest(&character(1.0), layout);
            assert!(people < 1.7 && !spread(&notes), "{layout:?}: {people}");
            let wide = character(6.0);
            let (apart, notes) = nearest(&wide, layout);
            let config = Config::default();
            let footprint = footprint(&config.scene, &wide).expect("wide");
            assert!(
                footprint > 2.5 && apart >= footprint * 0.79,
                "{layout:?}: {apart} for {footprint}"
            );
            assert!(spread(&notes));
        }
    }
}
