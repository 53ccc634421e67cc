//! Warnings of names and numbers in a scene that its characters cannot follow.

use std::sync::Arc;

use crate::{
    character::Character,
    config::SceneConfig,
    crowd::heroes::{Hero, find_joint},
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
    // A lone character is not expected to fill the places that a scene has for many.
    let crowded = scene.count > 1;
    let notes = [
        note("clip", clips, clip_names(characters)),
        note("socket", sockets, socket_names(characters)),
        note("joint", joints, joint_names(characters)),
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
    notes.into_iter().flatten().collect()
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
    named
        .map(|layer| ("scene.heroes.layers".into(), layer.joint.clone()))
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
    use crate::{
        config::Config,
        scene::{Scene, StartupTimes, Warning},
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
        assert_eq!(told.len(), 5, "{told:?}");
        for part in [
            "\"nope\" (scene.clips)",
            "\"zzz\" (scene.groups.crowd.behaviour.states.idle)",
            "\"wavee\" (scene.heroes.layers); available: ",
            "the socket \"tail\"",
            "the joint \"fin\"",
            "scene.heroes requests 30 people, but only 20 are available",
            "scene.paths requests 40 people, but only 20 are available",
        ] {
            assert!(told.iter().any(|note| note.contains(part)), "{part}: {told:?}");
        }
    }

    #[test]
    fn presets_ask_for_nothing_in_vain() {
        for name in Config::preset_names() {
            let mut config = Config::scene(name).expect("embedded");
            config.scene.count = config.scene.count.min(3000);
            let scene = Scene::load(&config, &mut StartupTimes::default()).expect("embedded");
            let mut notes = scene.notes().into_iter();
            let unsupported_requests = notes.find(|n| matches!(n, Warning::MissingName { .. }));
            assert_eq!(unsupported_requests, None, "{name}");
        }
    }
}
