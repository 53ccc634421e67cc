//! Sampled clip: the input of the glTF writer.

use glam::{Quat, Vec3};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrap {
    Loop,
    Once,
}

#[derive(Clone, Debug)]
pub struct Event {
    pub name: &'static str,
    /// Time from the start of the clip (s).
    pub time: f32,
    /// "l" or "r" for footsteps.
    pub foot: Option<&'static str>,
}

/// Keys of every joint at shared times; local rotations, and the translation of the hips.
#[derive(Clone, Debug)]
pub struct Baked {
    pub name: &'static str,
    pub wrap: Wrap,
    /// Ground speed (m/s), 0 for standing clips.
    pub speed: f32,
    pub events: Vec<Event>,
    pub times: Vec<f32>,
    /// `rotations[joint][key]`.
    pub rotations: Vec<Vec<Quat>>,
    pub hips: Vec<Vec3>,
}
