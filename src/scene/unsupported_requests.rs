//! Warnings of names and numbers in a scene that its characters cannot follow.

use std::sync::Arc;

use crate::{
    character::Character,
    config::{Layout, SceneConfig, TintConfig},
    crowd::{
        heroes::{Hero, find_joint},
        tints::REGION_NAMES,
    },
    model::{self, TintRegion},
    scene::Warning,
};

/// Maximum number of available names that a warning lists.
const LISTED: usize = 12;

/// Unsupported requests of a scene; one warning for each kind.
pub(super) fn warnings(scene: &SceneConfig, characters: &[Arc<Character>], heroes: &[Hero]) -> Vec<Warning> {
    let clips = clips_wanted(scene)
        .into_iter()
        .filter(|(_, name)| !clip_names(characters).any(|clip| clip.eq_ignore_ascii_case(name)));
    let sockets = sockets_wanted(scene)
        .into_iter()
        .filter(|(_, name)| !socket_names(characters).any(|socket| socket.eq_ignore_ascii_case(name)));
    let joint = |name: &str| characters.iter().any(|c| find_joint(&c.model.skeleton, name).is_some());
    let joints = joints_wanted(scene).into_iter().filter(|(_, name)| !joint(name));
    let part = |name: &str| characters.iter().any(|c| c.model.has_part(name));
    let hidden = scene.hide.iter().filter(|name| !part(name));
    let hidden = hidden.map(|name| ("scene.hide".to_owned(), name.clone()));
    // A lone character is not expected to fill the places that a scene has for many.
    let crowded = scene.count > 1;
    let notes = [
        note("clip", clips, clip_names(characters)),
        note("socket", sockets, socket_names(characters)),
        note("joint", joints, joint_names(characters)),
        note("part", hidden, part_names(characters)),
        no_head(scene, characters, heroes),
        too_few(
            "scene.heroes",
            scene.heroes.iter().map(|h| u64::from(h.count)).sum(),
            heroes.len() as u64,
        )
        .filter(|_| crowded),
        too_few(
            "scene.paths",
            scene.paths.iter().map(|p| u64::from(p.people)).sum(),
            (scene.count - crate::scene::count_in_layout(scene)).into(),
        )
        .filter(|_| crowded),
    ];
    let notes = notes.into_iter().flatten().chain(no_regions(scene, characters));
    notes.chain(walkers_only(scene, characters)).collect()
}

/// Names of all clips; a name occurs once for each character that has it.
pub(crate) fn clip_names(characters: &[Arc<Character>]) -> impl Iterator<Item = &str> {
    let clips = characters.iter().flat_map(|c| &c.palettes.clips);
    clips.map(|clip| clip.name.as_str())
}

fn socket_names(characters: &[Arc<Character>]) -> impl Iterator<Item = &str> {
    let sockets = characters.iter().flat_map(|c| &c.model.skeleton.sockets);
    sockets.map(|socket| socket.name.as_str())
}

fn part_names(characters: &[Arc<Character>]) -> impl Iterator<Item = &str> {
    let parts = characters.iter().flat_map(|c| &c.model.parts);
    parts.map(|part| part.name.as_str())
}

/// Warning of heroes who are to look at something and have no head.
fn no_head(scene: &SceneConfig, characters: &[Arc<Character>], heroes: &[Hero]) -> Option<Warning> {
    let headless = heroes.iter().filter(|hero| hero.look.is_some()).find_map(|hero| {
        let character = characters.get(hero.character)?;
        let skeleton = &character.model.skeleton;
        skeleton
            .role("head")
            .or_else(|| find_joint(skeleton, "head"))
            .is_none()
            .then_some(character)
    })?;
    let joints = headless.model.skeleton.joints.iter().map(|joint| joint.name.as_str());
    let named = scene
        .joint_roles
        .get("head")
        .map_or_else(String::new, |name| format!(" or \"{name}\""));
    Some(Warning::NoEffect {
        key: "scene.heroes.look".into(),
        why: format!(
            "{} has no joint called head{named}; name it by scene.joint_roles.head; available: {}",
            headless.model.name,
            listed(joints)
        ),
    })
}

/// Notes on characters whose only clips walk, in layouts where most people stand.
fn walkers_only<'a>(
    scene: &'a SceneConfig,
    characters: &'a [Arc<Character>],
) -> impl Iterator<Item = Warning> + use<'a> {
    let stand = matches!(
        scene.layout,
        Layout::Plaza | Layout::Stadium | Layout::Roadside | Layout::Ranks
    );
    let asked = scene.count == 1 || !scene.clips.is_empty() || !scene.groups.is_empty();
    let walks = |c: &&Arc<Character>| {
        let mut alive = c
            .palettes
            .clips
            .iter()
            .filter(|clip| !model::clip_names::is_unsuitable(&clip.name))
            .peekable();
        alive.peek().is_some() && alive.all(|clip| clip.speed > 0.0)
    };
    let walkers = characters.iter().filter(move |_| stand && !asked).filter(walks);
    walkers.map(|c| Warning::Import {
        character: c.model.name.clone(),
        note: "every clip walks: people who stand hold a pose of it; --animations adds a clip that stands".into(),
    })
}

/// Warnings of tints for regions that no material has.
fn no_regions<'a>(scene: &'a SceneConfig, characters: &'a [Arc<Character>]) -> impl Iterator<Item = Warning> + use<'a> {
    let regions = [TintRegion::Skin, TintRegion::Hair, TintRegion::Cloth, TintRegion::Trim];
    let materials = || characters.iter().flat_map(|c| &c.model.materials);
    regions.into_iter().zip(REGION_NAMES).filter_map(move |(region, name)| {
        let groups = scene
            .groups
            .iter()
            .map(|(group, own)| (format!("scene.groups.{group}.tints"), &own.tints));
        let mut all = std::iter::once(("scene.tints".to_owned(), &scene.tints)).chain(groups);
        let (key, _) = all.find(|(_, tints)| !colours(tints, region).is_empty())?;
        // Characters without regions are tinted as a whole, by the ramp of cloth.
        let fits = |tint: &TintRegion| *tint == region || (*tint == TintRegion::Whole && region == TintRegion::Cloth);
        let found = materials().any(|material| material.tints.iter().any(fits));
        (!found).then(|| Warning::NoEffect {
            key: format!("{key}.{name}"),
            why: format!(
                "no material is a {name} region; give one the extra tint = \"{name}\"; materials: {}",
                listed(materials().map(|material| material.name.as_str()))
            ),
        })
    })
}

fn colours(tints: &TintConfig, region: TintRegion) -> &[String] {
    match region {
        TintRegion::Skin => &tints.skin,
        TintRegion::Hair => &tints.hair,
        TintRegion::Cloth => &tints.cloth,
        TintRegion::Trim => &tints.trim,
        TintRegion::None | TintRegion::Whole => &[],
    }
}

fn joint_names(characters: &[Arc<Character>]) -> impl Iterator<Item = &str> {
    let joints = characters.iter().flat_map(|c| &c.model.skeleton.joints);
    joints.map(|joint| joint.name.as_str())
}

/// A key of the scene, and the name requested there.
type RequestedNames = (String, String);

fn clips_wanted(scene: &SceneConfig) -> Vec<RequestedNames> {
    let mut wanted: Vec<RequestedNames> = Vec::new();
    wanted.extend(scene.clips.keys().map(|clip| ("scene.clips".into(), clip.clone())));
    for (name, group) in &scene.groups {
        let key = format!("scene.groups.{name}");
        wanted.extend(group.clips.keys().map(|clip| (format!("{key}.clips"), clip.clone())));
        for (state, settings) in group.behaviour.iter().flat_map(|b| &b.states) {
            let clip = if settings.clip.is_empty() {
                state
            } else {
                &settings.clip
            };
            wanted.push((format!("{key}.behaviour.states.{state}"), clip.clone()));
        }
    }
    let layers = scene.heroes.iter().flat_map(|hero| &hero.layers);
    wanted.extend(layers.map(|layer| ("scene.heroes.layers".into(), layer.clip.clone())));
    wanted
}

fn sockets_wanted(scene: &SceneConfig) -> Vec<RequestedNames> {
    let of = |(name, group): (&String, &crate::config::GroupConfig)| {
        let key = format!("scene.groups.{name}.props");
        let wanted = group.props.iter().map(|prop| (key.clone(), prop.socket.clone()));
        wanted.collect::<Vec<_>>()
    };
    scene.groups.iter().flat_map(of).collect()
}

fn joints_wanted(scene: &SceneConfig) -> Vec<RequestedNames> {
    let layers = scene.heroes.iter().flat_map(|hero| &hero.layers);
    let named = layers.filter(|layer| !layer.joint.is_empty());
    let roles = scene.joint_roles.iter();
    let roles = roles.map(|(role, joint)| (format!("scene.joint_roles.{role}"), joint.clone()));
    named
        .map(|layer| ("scene.heroes.layers".into(), layer.joint.clone()))
        .chain(roles)
        .collect()
}

fn note<'a>(
    what: &'static str,
    missing: impl Iterator<Item = RequestedNames>,
    known: impl Iterator<Item = &'a str>,
) -> Option<Warning> {
    let mut missing: Vec<String> = missing.map(|(key, name)| format!("\"{name}\" ({key})")).collect();
    missing.dedup();
    (!missing.is_empty()).then(|| Warning::MissingName {
        what,
        names: missing.join(" or "),
        available: listed(known),
    })
}

/// Lists each name once, at most [`LISTED`] of them.
pub(crate) fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut each: Vec<&str> = Vec::new();
    for name in names {
        if !each.contains(&name) {
            each.push(name);
        }
    }
    match each.len() {
        0 => "none".to_owned(),
        1..=LISTED => each.join(", "),
        count => format!("{} and {} more", each[..LISTED].join(", "), count - LISTED),
    }
}

fn too_few(key: &'static str, wanted: u64, available: u64) -> Option<Warning> {
    (wanted > available).then_some(Warning::TooFewPeople { key, wanted, available })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        bake::BakeOptions,
        config::Config,
        model::{MATERIAL_VARIANTS, Model},
        scene::{Scene, StartupTimes},
    };

    fn notes(toml: &str) -> Vec<String> {
        let mut config = Config::parse("a.toml", toml).expect("valid");
        config.scene.characters = vec!["knight".into()];
        let scene = Scene::load(&config, &mut StartupTimes::default()).expect("embedded");
        let about = |n: &Warning| matches!(n, Warning::MissingName { .. } | Warning::TooFewPeople { .. });
        let notes = scene.notes().into_iter();
        notes.filter(about).map(|n| n.to_string()).collect()
    }

    #[test]
    fn what_nobody_has_is_told() {
        let none: [String; 0] = [];
        assert_eq!(notes("[scene]\ncount = 20\nclips = { Walk = 1 }"), none);
        let told = notes(
            r#"
            [scene]
            count = 20
            layout = "grid"
            clips = { nope = 1 }
            hide = ["cape"]
            joint_roles = { head = "nobody" }
            [[scene.groups.crowd.props]]
            mesh = "sword"
            socket = "tail"
            [scene.groups.crowd.behaviour.states.idle]
            home = 1
            clip = "zzz"
            [[scene.heroes]]
            count = 30
            layers = [{ clip = "wavee", joint = "fin" }]
            [[scene.paths]]
            points = [[0.0, 0.0], [20.0, 0.0], [20.0, 12.0]]
            people = 40
            "#,
        );
        assert_eq!(told.len(), 6, "{told:?}");
        for part in [
            "\"nope\" (scene.clips)",
            "\"zzz\" (scene.groups.crowd.behaviour.states.idle)",
            "\"wavee\" (scene.heroes.layers); available: ",
            "the socket \"tail\"",
            "the joint \"fin\"",
            "\"nobody\" (scene.joint_roles.head)",
            "the part \"cape\" (scene.hide)",
            "scene.heroes requests 30 people, but only 20 are available",
            "scene.paths requests 40 people, but only 20 are available",
        ] {
            assert!(told.iter().any(|note| note.contains(part)), "{part}: {told:?}");
        }
    }

    /// A bird whose joints have no common names and whose material is no region.
    #[test]
    fn requests_without_effect_are_told_with_what_was_not_found() {
        let mut model = crate::scene::open_model("knight").expect("embedded").model;
        model.name = "bird".into();
        for (index, joint) in model.skeleton.joints.iter_mut().enumerate() {
            joint.name = format!("b{index}");
        }
        for material in &mut model.materials {
            material.tints = [TintRegion::None; MATERIAL_VARIANTS];
        }
        let bake = |model| Character::bake(model, &BakeOptions::default()).expect("bakes");
        let toml = r##"
            [scene]
            count = 20
            layout = "grid"
            [scene.tints]
            hair = ["#ff0000"]
            [[scene.heroes]]
            count = 1
            look = "camera"
        "##;
        let config = Config::parse("a.toml", toml).expect("valid");
        let told = |model: Model| {
            let scene = Scene::populate(&config, vec![Arc::new(bake(model))]).expect("a scene");
            let notes = scene.notes().into_iter();
            let about = |n: &Warning| matches!(n, Warning::NoEffect { .. });
            notes.filter(about).map(|n| n.to_string()).collect::<Vec<_>>()
        };
        let found = told(model.clone());
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(
            found[0].contains("scene.joint_roles.head") && found[0].contains("b0, b1"),
            "{found:?}"
        );
        assert!(found[1].contains("scene.tints.hair"), "{found:?}");
        model.skeleton.roles.insert("head".into(), 2);
        model.materials[0].tints[0] = TintRegion::Hair;
        assert_eq!(told(model), Vec::<String>::new());
    }

    #[test]
    fn presets_ask_for_nothing_in_vain() {
        for name in Config::preset_names() {
            let mut config = Config::scene(name).expect("embedded");
            config.scene.count = config.scene.count.min(3000);
            let scene = Scene::load(&config, &mut StartupTimes::default()).expect("embedded");
            let mut notes = scene.notes().into_iter();
            let unsupported_requests =
                notes.find(|n| matches!(n, Warning::MissingName { .. } | Warning::NoEffect { .. }));
            assert_eq!(unsupported_requests, None, "{name}");
        }
    }
}
