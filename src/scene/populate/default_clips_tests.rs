//! Clips that people play where nobody names one.

use super::*;
use crate::config::Layout;

/// Character with clips of these names and ground speeds.
fn cast(clips: &[(&str, f32)]) -> CrowdCharacter {
    let clip = |&(name, speed): &(&str, f32)| CrowdClip {
        name: name.into(),
        duration: 1.0,
        speed,
    };
    CrowdCharacter {
        name: "somebody".into(),
        clips: clips.iter().map(clip).collect(),
        fit: 1.0,
    }
}

fn people(cast: CrowdCharacter, count: u32) -> Vec<Instance> {
    let mut scene = crate::config::Config::default().scene;
    scene.count = count;
    populate(&scene, &[cast]).per_character.remove(0)
}

#[test]
fn nobody_dies_unless_there_is_nothing_else() {
    let fish = [
        ("Fish|Death", 0.0),
        ("Swimming_Normal", 0.0),
        ("Out_Of_Water", 0.0),
        ("Bite", 0.0),
    ];
    let played: BTreeSet<u16> = people(cast(&fish), 400).iter().map(Instance::clip).collect();
    assert_eq!(played, BTreeSet::from([1, 3]));
    let dead: BTreeSet<u16> = people(cast(&fish[..1]), 50).iter().map(Instance::clip).collect();
    assert_eq!(dead, BTreeSet::from([0]));
}

#[test]
fn who_stands_does_not_walk_on_the_spot() {
    let group = |one: &&Instance| Group::ALL[usize::from(one.group_id())];
    let walks = |one: &&Instance| group(one) == Group::Walkers;
    let standing = |one: &&Instance| stands(group(one));
    let nameless = people(cast(&[("clip 0", 1.3)]), 600);
    assert!(nameless.iter().filter(walks).all(|one| one.speed() > 0.0));
    assert!(nameless.iter().filter(standing).all(|one| one.speed() == 0.0));
    assert!(nameless.iter().filter(standing).count() > 100);
    // With another clip, those who stand play it.
    let both = people(cast(&[("clip 0", 1.3), ("clip 1", 0.0)]), 600);
    let mut others = both.iter().filter(standing);
    assert!(others.all(|one| one.clip() == 1 && one.speed() > 0.0));
}

#[test]
fn a_lone_character_stands_at_the_origin_in_every_layout() {
    for layout in [
        Layout::Plaza,
        Layout::Grid,
        Layout::Ring,
        Layout::Ranks,
        Layout::Stadium,
        Layout::Scatter,
    ] {
        let mut scene = crate::config::Config::default().scene;
        (scene.count, scene.layout) = (1, layout);
        let crowd = populate(&scene, &[cast(&[("idle", 0.0)])]);
        let lone = crowd.per_character[0][0];
        assert_eq!(
            (lone.position, crowd.extent.subject),
            ([0.0; 3], glam::Vec3::ZERO),
            "{layout:?}"
        );
    }
}
