//! Assigns attachments to people by the shares that a scene gives.

use crate::{
    config::{AttachmentConfig, Group, SceneConfig},
    crowd::{Attachment, CrowdCharacter, Instance, hash::Draws},
};

/// Hash salt of the random numbers of this file.
const SALT: u32 = 0x4e_1d;

/// Every kind of attachment that people of a scene carry, each once, in the order of the scene.
#[must_use]
pub(crate) fn attachment_kinds(scene: &SceneConfig) -> Vec<&AttachmentConfig> {
    let mut kinds: Vec<&AttachmentConfig> = Vec::new();
    for prop in scene.groups.values().flat_map(|group| &group.props) {
        if !kinds.iter().any(|kind| kind.kind() == prop.kind()) {
            kinds.push(prop);
        }
    }
    kinds
}

/// Attachments of a [kind](AttachmentConfig::kind) that the instances of one character carry.
/// A socket of a person takes one attachment: entries are tried in order, each with its share as probability.
/// `sockets` are those of the character; an attachment for a socket that it lacks is left out.
#[must_use]
pub(super) fn assign(
    scene: &SceneConfig,
    kind: &str,
    character: usize,
    cast: &CrowdCharacter,
    instances: &[Instance],
    sockets: &[&str],
) -> Vec<Attachment> {
    let mut assigned = Vec::new();
    for (owner, instance) in (0..).zip(instances) {
        let Some(group) = Group::ALL.get(usize::from(instance.group_id())) else {
            continue;
        };
        let Some(own) = scene.groups.get(group.name()) else {
            continue;
        };
        let draws = Draws::new(scene.seed, SALT ^ (character as u32) << 16, owner);
        let mut taken = Vec::new();
        for (stream, prop) in (0..).zip(&own.props) {
            let socket = sockets.iter().position(|name| name.eq_ignore_ascii_case(&prop.socket));
            let free = socket.filter(|socket| !taken.contains(socket));
            let Some(socket) = free.filter(|_| draws.unit(stream) < prop.share) else {
                continue;
            };
            taken.push(socket);
            if prop.kind() == kind {
                assigned.push(Attachment::new(owner, socket as u16, instance.tint).with_size(1.0 / cast.fit));
            }
        }
    }
    assigned
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::config::{AttachmentConfig, GroupConfig};

    fn prop(mesh: &str, socket: &str, share: f32) -> AttachmentConfig {
        AttachmentConfig {
            mesh: mesh.into(),
            socket: socket.into(),
            share,
            ..AttachmentConfig::default()
        }
    }

    #[test]
    fn a_hand_holds_one_thing_and_shares_hold() {
        let props = vec![
            prop("flag", "hand_r", 0.25),
            prop("sword", "Hand_R", 1.0),
            prop("shield", "tail", 1.0),
        ];
        let group = GroupConfig {
            props,
            ..GroupConfig::default()
        };
        let mut scene = SceneConfig::default();
        scene.groups.insert("crowd".into(), group);
        let people = vec![Instance::new(Vec3::ZERO); 4000];
        let cast = CrowdCharacter {
            name: "someone".into(),
            clips: Vec::new(),
            fit: 0.5,
        };
        let of = |mesh| assign(&scene, mesh, 0, &cast, &people, &["back", "hand_r"]);
        let (flags, swords) = (of("flag"), of("sword"));
        assert_eq!(flags.len() + swords.len(), 4000);
        assert!((900..1100).contains(&flags.len()), "{}", flags.len());
        assert!(swords.iter().all(|s| s.size == 2.0), "as large as everybody's");
        assert!(of("shield").is_empty(), "nobody has a tail");
        assert!(flags.iter().all(|f| swords.iter().all(|s| s.owner != f.owner)));
        let kinds: Vec<_> = attachment_kinds(&scene).iter().map(|prop| prop.kind()).collect();
        assert_eq!(kinds, ["flag", "sword", "shield"]);
    }
}
