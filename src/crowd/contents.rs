//! Everything that a renderer draws of a scene.

use std::sync::Arc;

use crate::{
    character::Character,
    crowd::{Attachment, Instance, MotionPlan, heroes::Hero, tints::Ramps},
};

/// One kind of prop and everyone who carries it.
#[derive(Clone)]
pub struct AttachmentKind {
    /// As in the scene file, with its turn and shift.
    pub mesh: String,
    /// Mesh of the prop, its grip at the origin.
    pub prop: Arc<Character>,
    /// Per character of the scene, one record for each of its people who carry it.
    pub carriers: Vec<Vec<Attachment>>,
}

/// A character and its instances.
#[derive(Clone)]
pub struct Placed {
    /// Character that is drawn.
    pub character: Arc<Character>,
    /// Where.
    pub instances: Vec<Instance>,
}

/// Everything that a renderer draws of a scene, borrowed from it. Lists of one entry a character have equal lengths.
#[derive(Clone, Copy)]
pub struct SceneContents<'a> {
    /// One draw each.
    pub characters: &'a [Arc<Character>],
    /// Instances of each character.
    pub instances: &'a [Vec<Instance>],
    /// Paths and schedules that the instances of each character follow.
    pub plans: &'a [MotionPlan],
    /// Scenery: one draw each, never animated.
    pub scenery: &'a [Placed],
    /// Carried things: one draw each.
    pub attachments: &'a [AttachmentKind],
    /// People who are posed live.
    pub heroes: &'a [Hero],
    /// Tint colours.
    pub ramps: &'a Ramps,
    /// Share of the tint in tintable materials, 0 to 1.
    pub tint_strength: f32,
}
