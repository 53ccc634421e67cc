//! Outputs beside colour, for a host's TAA, SSAO and picking: normals, motion vectors, ids, in passes of the host.

use crate::{
    crowd::clock::Clock,
    gpu::GpuError,
    render::{
        FrameUniforms, View,
        crowd::{AovFrame, CrowdRenderer, NextMoment},
        passes::AovKind,
    },
};

/// View of a frame and its time.
#[derive(Clone, Copy, Debug)]
pub struct TimedView<'a> {
    /// Camera; light is not used.
    pub view: &'a View,
    /// Time.
    pub time: Clock,
}

impl<'a> TimedView<'a> {
    const fn frame(self, uniforms: &'a FrameUniforms) -> AovFrame<'a> {
        AovFrame {
            uniforms,
            view: self.view,
            clock: self.time,
        }
    }
}

impl CrowdRenderer {
    /// Compiles the pipelines of outputs that are missing. Call it when the contents have changed; otherwise it costs a
    /// look-up for each draw.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn prepare_outputs(&mut self, kinds: &[AovKind]) -> Result<(), GpuError> {
        self.prepare_aov(kinds, false)
    }

    /// Poses everybody at this and another time, for [`AovKind::Motion`]. TAA takes the frame before as `other`: motion
    /// vectors then lead to where a point was. Call it before [`CrowdRenderer::prepare`] of this frame; it submits by
    /// itself, sends changed rows of actors, and holds the posed data of both times until it is dropped.
    ///
    /// Actors are posed by their present rows: whoever was changed since `other` is there where the new rows say.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] for more people than two times of them can be bound.
    pub fn pose_motion(&mut self, now: TimedView<'_>, other: TimedView<'_>) -> Result<NextMoment, GpuError> {
        let uniforms = |moment: TimedView<'_>| FrameUniforms::of(moment.view, moment.time, 0, self.targets.samples);
        let both = [uniforms(now), uniforms(other)];
        self.pose_both(now.frame(&both[0]), other.frame(&both[1]))
    }

    /// Draws one output of everybody as the frame prepared last shows them, after
    /// [`CrowdRenderer::prepare_outputs`]. Nothing is drawn that was not prepared; motion needs a `motion`.
    ///
    /// The pass has one sample a pixel, one colour attachment of the output's [`format`](AovKind::format) and `size`
    /// (px), and depth in the renderer's format. Begin it with cleared depth, and draw your own scene's outputs in it,
    /// too: depth decides who is in front.
    pub fn draw_output(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        kind: AovKind,
        size: (u32, u32),
        motion: Option<&NextMoment>,
    ) {
        if kind != AovKind::Motion || motion.is_some() {
            self.draw_aov(pass, kind, None, size, motion, None);
        }
    }
}
