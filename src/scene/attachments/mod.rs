//! Attachments that people of a scene carry, and where sockets are at a moment.

mod assign;

pub(super) use assign::attachment_kinds;

use std::sync::Arc;

use glam::Affine3A;

use crate::{
    atlas::FramePlacement,
    character::Character,
    config::{AttachmentConfig, Config},
    crowd::{AttachmentKind, clock::Clock, sockets},
    model::Model,
    scene::{Scene, SceneError, open_model},
};

/// Opens an attachment and moves its mesh into the space of its socket.
fn open_prop(wanted: &AttachmentConfig) -> Result<Character, SceneError> {
    let mut opened = open_model(&wanted.mesh)?;
    let place = wanted.socket_from_prop();
    let Model { mesh, lods, .. } = &mut opened.model;
    let coarser = lods.iter_mut().map(|lod| &mut lod.mesh);
    for vertex in std::iter::once(mesh).chain(coarser).flat_map(|mesh| &mut mesh.vertices) {
        vertex.position = place.transform_point3(vertex.position);
        vertex.normal = place.transform_vector3(vertex.normal);
        let along = place.transform_vector3(vertex.tangent.truncate());
        vertex.tangent = along.extend(vertex.tangent.w);
    }
    Ok(Character::from_opened(opened, FramePlacement::default())?)
}

impl Scene {
    /// Assigns the attachments of the configuration; reuses the meshes that `before` has already loaded.
    pub(crate) fn equip(&mut self, config: &Config, before: Option<&Self>) -> Result<(), SceneError> {
        if config.scene.count == 1 {
            return Ok(());
        }
        for wanted in attachment_kinds(&config.scene) {
            let mesh = wanted.kind();
            let known = before.and_then(|scene| scene.attachments.iter().find(|kind| kind.mesh == mesh));
            let prop = match known {
                Some(kind) => kind.prop.clone(),
                None => Arc::new(open_prop(wanted)?),
            };
            let assign = |(number, character): (usize, &Arc<Character>)| {
                let sockets = character.model.skeleton.sockets.iter();
                let names: Vec<_> = sockets.map(|socket| socket.name.as_str()).collect();
                let owners = &self.crowd.per_character[number];
                assign::assign(&config.scene, &mesh, number, &self.casts[number], owners, &names)
            };
            let carriers = self.characters.iter().enumerate().map(assign).collect();
            self.attachments.push(AttachmentKind { mesh, prop, carriers });
        }
        Ok(())
    }

    /// Transform of a socket of one instance at a moment, `world_from_socket` (m): Y along the grip of a hand, Z
    /// forward. `None` where there is no such character, instance or socket.
    #[must_use]
    pub fn world_from_socket(&self, character: usize, instance: usize, socket: &str, clock: Clock) -> Option<Affine3A> {
        let cast = self.characters.get(character)?;
        let own = self.crowd.per_character.get(character)?.get(instance)?;
        let socket = cast
            .model
            .skeleton
            .sockets
            .iter()
            .find(|s| s.name.eq_ignore_ascii_case(socket))?;
        let pose = self
            .plans
            .get(character)?
            .pose(instance as u32, own, &self.casts.get(character)?.clips, clock);
        let model = sockets::model_from_socket(&cast.palettes, socket, &pose.blend(&cast.palettes));
        Some(pose.world_from_model(own) * model)
    }

    /// Transform of a palette slot of one instance: takes points of the character's mesh in its bind pose to the
    /// world.
    #[must_use]
    pub fn world_from_mesh(&self, character: usize, instance: usize, slot: usize, clock: Clock) -> Option<Affine3A> {
        let cast = self.characters.get(character)?;
        let own = self.crowd.per_character.get(character)?.get(instance)?;
        let pose = self
            .plans
            .get(character)?
            .pose(instance as u32, own, &self.casts.get(character)?.clips, clock);
        let palettes = &cast.palettes;
        let matrix = (slot < palettes.slot_count).then(|| palettes.blended_slot(&pose.blend(palettes), slot))?;
        Some(pose.world_from_model(own) * matrix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prop_lies_in_its_socket_at_every_lod() {
        let wanted = AttachmentConfig {
            mesh: "sword".into(),
            socket: "hand_r".into(),
            share: 1.0,
            turn: [0.0, 0.0, 90.0],
            shift: [0.0, 3.0, 0.0],
        };
        let prop = open_prop(&wanted).expect("embedded");
        let full = prop.model.mesh.bounds();
        assert!(!prop.model.lods.is_empty());
        for lod in &prop.model.lods {
            let bounds = lod.mesh.bounds();
            let off = (bounds.min - full.min)
                .abs()
                .max((bounds.max - full.max).abs())
                .max_element();
            assert!(off < 0.05, "{bounds:?} instead of {full:?}");
        }
    }
}
