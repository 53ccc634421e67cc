//! A clip after sampling: what the glTF writer stores.

use glam::{Quat, Vec3};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrap {
    Loop,
    Once,
}

#[derive(Clone, Debug)]
pub struct Event {
    pub name: &'static str,
    /// Seconds from the start of the clip.
    pub time: f32,
    /// "l" or "r" for footsteps.
    pub foot: Option<&'static str>,
}

/// Keys of every joint at shared times; local rotations, and the translation of the hips.
#[derive(Clone, Debug)]
pub struct Baked {
    pub name: &'static str,
    pub wrap: Wrap,
    /// Ground speed in metres per second, 0 for standing clips.
    pub speed: f32,
    pub events: Vec<Event>,
    pub times: Vec<f32>,
    /// `rotations[joint][key]`.
    pub rotations: Vec<Vec<Quat>>,
    pub hips: Vec<Vec3>,
}
