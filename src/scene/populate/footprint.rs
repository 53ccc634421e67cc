//! Widens the spacing for characters that are wider than tall: the default spacing is for people.

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    character::Character,
    config::{Config, SceneConfig},
    crowd::CrowdCharacter,
    model::clip_names,
    scene::{Warning, populate::clips_in_use},
};

/// Minimum distance of neighbours, as a share of the spacing.
const NEAREST: f32 = 0.6;
/// Largest spacing, in lengths of the longest character: a crowd of animals stays one picture.
const LONGEST: f32 = 1.5;
/// Ratio of width to height, in every standing and moving clip in use, above which a character is not a person.
const WIDE: f32 = 1.05;

/// The configuration with a spacing for the widest of its characters, and a warning if the spacing was widened.
pub(in crate::scene) fn roomy(config: &Config, characters: &[Arc<Character>]) -> (Config, Option<Warning>) {
    let mut config = config.clone();
    if config.scene.count == 1 {
        return (config, None);
    }
    let wide = characters.iter().filter_map(|character| {
        let footprint = footprint(&config.scene, character)?;
        let spacing = (footprint / NEAREST).min(LONGEST * length(character, config.scene.count));
        Some((spacing, character.model.name.clone()))
    });
    let widest = wide.max_by(|a, b| a.0.total_cmp(&b.0));
    let Some((spacing, character)) = widest.filter(|(spacing, _)| *spacing > config.scene.spacing) else {
        return (config, None);
    };
    config.scene.spacing = spacing;
    (config, Some(Warning::Spread { character, spacing }))
}

/// Larger horizontal side (m) of a character at rest, as a crowd shows it.
fn length(character: &Character, count: u32) -> f32 {
    let size = character.packed.bounds.size();
    size.x.max(size.z) * character.crowd_scale(count)
}

/// Larger horizontal side (m) of a character in a crowd over its standing and moving clips in use, or over all in use
/// if none is one; `None` for people, whose arms may overlap.
fn footprint(scene: &SceneConfig, character: &Character) -> Option<f32> {
    let cast = CrowdCharacter::of(character, scene.count);
    let used = clips_in_use(scene, &cast);
    let is_grounded = |clip: &u16| {
        let clip = cast.clips.get(usize::from(*clip));
        clip.is_some_and(|clip| clip_names::is_grounded(&clip.name))
    };
    let grounded: BTreeSet<u16> = used.iter().copied().filter(is_grounded).collect();
    let measured = if grounded.is_empty() { used } else { grounded };
    let sides = measured.into_iter().map(|clip| {
        let size = character.reach(clip).size();
        size.x.max(size.z)
    });
    let sides: Vec<f32> = sides.collect();
    let narrowest = sides.iter().copied().fold(f32::INFINITY, f32::min);
    let widest = sides.iter().copied().fold(0.0, f32::max);
    let wide = narrowest > WIDE * character.packed.bounds.size().y;
    (wide && narrowest.is_finite())
        .then_some(widest * cast.fit * (1.0 + scene.scale_spread) * (1.0 + scene.width_scale_spread))
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

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
        character.packed.bounds = wider(character.packed.bounds);
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
    fn wide_characters_stand_clear_of_each_other_and_people_as_they_did() {
        let spread = |notes: &[Warning]| notes.iter().any(|n| matches!(n, Warning::Spread { .. }));
        for layout in [Layout::Grid, Layout::Ring, Layout::Scatter, Layout::Ranks] {
            let (people, notes) = nearest(&character(1.0), layout);
            assert!(people < 1.7 && !spread(&notes), "{layout:?}: {people}");
            let wide = character(6.0);
            let (apart, notes) = nearest(&wide, layout);
            let config = Config::default();
            let footprint = footprint(&config.scene, &wide).expect("wide");
            // No more than a footprint apart, and no more than the longest spacing allows.
            let length = length(&wide, config.scene.count);
            let wanted = footprint.min(NEAREST * LONGEST * length);
            assert!(
                footprint > 3.0 && apart >= wanted * 0.99 && apart <= LONGEST * length,
                "{layout:?}: {apart} for {footprint}, {length} m long"
            );
            assert!(spread(&notes));
        }
    }
}
