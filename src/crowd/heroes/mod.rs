//! Heroes: single people of a baked crowd who are posed live, with layers, masks and a look, while
//! everyone around them stays baked. They are drawn by the same call.
//!
//! What a hero does at a moment follows from its plan, the moment and the eye alone: there is no
//! state that a frame leaves to the next, so that any moment can be drawn on its own. A hero's
//! matrices count with a weight that rises when it is taken over and falls when it is handed back;
//! the baked ones count with the rest. Both change smoothly, so that neither is seen as a jump.

mod look;
mod mask;
mod pose;
mod span;

pub use look::{Gaze, Look};
pub use mask::{find_joint, mask, upper_body};
pub use pose::{HeroPoser, HeroRig};
pub use span::Span;

use glam::Affine3A;

/// One person taken over from the baked crowd.
#[derive(Clone, Debug, PartialEq)]
pub struct Hero {
    /// Index of the character.
    pub character: usize,
    /// Index among the character's instances.
    pub index: u32,
    /// When, and how softly, the hero replaces the baked person.
    pub span: Span,
    /// Played over what the baked person does, the later over the earlier ones.
    pub layers: Vec<Layer>,
    /// Where the head turns; applied after all layers.
    pub look: Option<Look>,
}

/// A clip over a part of the body.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Name of the clip, without regard to case; a character that lacks it ignores the layer.
    pub clip: String,
    /// The joint whose subtree the layer moves; empty: the whole body. A character that lacks it
    /// ignores the layer.
    pub joint: String,
    /// Share of the layer at its full, `0.0..=1.0`.
    pub weight: f32,
    /// Playback; 1 as authored, negative backwards.
    pub speed: f32,
    /// Seconds into the clip at the span's start: people who greet at once need not be in step.
    pub start: f32,
    /// When the layer plays.
    pub span: Span,
}

/// A hero at a moment.
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
    /// Someone who goes on as the baked crowd had them, taken over at `seconds` by a fade of
    /// `fade` seconds.
    #[must_use]
    pub const fn new(character: usize, index: u32, seconds: f64, fade: f32) -> Self {
        Self {
            character,
            index,
            span: Span::starting(seconds, fade),
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
            span: Span::starting(self.span.from, self.span.fade),
        });
        self
    }

    /// Hero with its head turned to a target.
    #[must_use]
    pub fn with_look(mut self, gaze: Gaze) -> Self {
        self.look = Some(Look::new(gaze, Span::starting(self.span.from, self.span.fade)));
        self
    }

    /// Weight against the baked palette at a moment, `0.0..=1.0`.
    #[must_use]
    pub fn weight(&self, seconds: f64) -> f32 {
        self.span.weight(seconds)
    }
}
