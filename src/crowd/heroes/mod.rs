//! Heroes: single people of a baked crowd who are posed live with animation layers, masks and a look-at, in the same
//! draw as the crowd.
//!
//! A hero's pose follows from its plan, the time and the camera alone. No state passes from frame to frame, so that any
//! frame can be drawn on its own. A hero's matrices have a weight that rises on take-over and falls on hand-back; baked
//! matrices have the rest. Weights change smoothly, without visible jumps.

mod look;
mod mask;
mod pose;
mod span;

pub use look::{Gaze, HeadTurn};
pub use mask::{find_joint, mask, upper_body};
pub use pose::{HeroBody, HeroPoser, HeroRig};
pub use span::FadeSpan;

use glam::Affine3A;

/// One person taken over from the baked crowd.
#[derive(Clone, Debug, PartialEq)]
pub struct Hero {
    /// Index of the character.
    pub character: usize,
    /// Index among the character's instances.
    pub index: u32,
    /// Span of time, with fades, in which the hero replaces the baked person.
    pub span: FadeSpan,
    /// Layers over the baked person's clips, later ones over earlier ones.
    pub layers: Vec<Layer>,
    /// Turn of the head; applied after all layers.
    pub look: Option<HeadTurn>,
}

/// An animation layer: a clip over a part of the body.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Name of the clip, without regard to case; a character that lacks it ignores the layer.
    pub clip: String,
    /// Joint whose subtree the layer moves; empty: the whole body. A character that lacks it ignores the layer.
    pub joint: String,
    /// Weight of the layer outside its fades, `0.0..=1.0`.
    pub weight: f32,
    /// Playback speed: 1 as authored, negative backwards.
    pub speed: f32,
    /// Time in the clip at the span's start (s): several heroes need not play in step.
    pub start: f32,
    /// Span of time of the layer.
    pub span: FadeSpan,
}

/// Pose of a hero at a time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeroPose {
    /// Weight against the baked palette, `0.0..=1.0`; 0 is baked.
    pub weight: f32,
    /// `model_from_joint * inverse_bind` of every slot, model space.
    pub palette: Vec<Affine3A>,
    /// `model_from_socket` of every socket.
    pub sockets: Vec<Affine3A>,
}

impl Hero {
    /// A hero without layers, taken over at `seconds` with a fade of `fade` (s).
    #[must_use]
    pub const fn new(character: usize, index: u32, seconds: f64, fade: f32) -> Self {
        Self {
            character,
            index,
            span: FadeSpan::starting(seconds, fade),
            layers: Vec::new(),
            look: None,
        }
    }

    /// Hero with another clip over the subtree of a joint, from the hero's start on.
    #[must_use]
    pub fn with_layer(mut self, clip: &str, joint: &str) -> Self {
        self.layers.push(Layer {
            clip: clip.to_owned(),
            joint: joint.to_owned(),
            weight: 1.0,
            speed: 1.0,
            start: 0.0,
            span: FadeSpan::starting(self.span.from, self.span.fade),
        });
        self
    }

    /// Hero with its head turned to a target.
    #[must_use]
    pub fn with_look(mut self, gaze: Gaze) -> Self {
        self.look = Some(HeadTurn::new(gaze, FadeSpan::starting(self.span.from, self.span.fade)));
        self
    }

    /// Weight against the baked palette at a time, `0.0..=1.0`.
    #[must_use]
    pub fn weight(&self, seconds: f64) -> f32 {
        self.span.weight(seconds)
    }
}
