//! Everything that a renderer draws of a scene.

use std::sync::Arc;

use crate::{
    character::Character,
    crowd::{Attachment, Instance, MotionPlan, heroes::Hero, tints::Ramps},
};

/// One kind of prop and all its carriers.
#[derive(Clone)]
pub struct AttachmentKind {
    /// Mesh as named in the scene file, with its rotation and offset.
    pub mesh: String,
    /// Prop's character, its grip at the origin.
    pub prop: Arc<Character>,
    /// Per character of the scene: one record for each instance that carries the prop.
    pub carriers: Vec<Vec<Attachment>>,
}

/// A character of the scenery and its instances.
#[derive(Clone)]
pub struct PlacedScenery {
    /// Character that is drawn.
    pub character: Arc<Character>,
    /// Instances of the character.
    pub instances: Vec<Instance>,
}

/// Everything that a renderer draws of a scene, borrowed from it. Lists with one entry per character have equal
/// lengths.
#[derive(Clone, Copy)]
pub struct SceneContents<'a> {
    /// Characters of the crowd: one draw each.
    pub characters: &'a [Arc<Character>],
    /// Instances of each character.
    pub instances: &'a [Vec<Instance>],
    /// Paths and schedules that the instances of each character follow.
    pub plans: &'a [MotionPlan],
    /// Scenery: one draw each, never animated.
    pub scenery: &'a [PlacedScenery],
    /// Attachments: one draw per kind of prop.
    pub attachments: &'a [AttachmentKind],
    /// People who are posed live.
    pub heroes: &'a [Hero],
    /// Tint colours.
    pub ramps: &'a Ramps,
    /// Strength of the tint in tintable materials, 0 to 1.
    pub tint_strength: f32,
}
