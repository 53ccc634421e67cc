//! Triangle culling in compute before the hardware rasterizer (Wihlidal, "Optimizing the Graphics Pipeline with
//! Compute", 2016): which draws it takes, and when it runs.

use crate::{
    config::Raster,
    gpu::Gpu,
    render::{
        Pass,
        crowd::{
            CrowdOptions, CrowdRenderer,
            draw_list::{Draw, DrawList},
        },
        passes::{
            crowd::{draw_compacted, draw_listed},
            draw_lists::CullPhase,
            raster::SwRasterDraw,
            triangle_cull::{OcclusionTest, TriangleCullFrame, TriangleCullTotals, supports_device},
        },
    },
};

/// Smallest number of triangles, at full detail, of a draw that is worth culling. Below it, recording costs more than
/// culling gains.
const LEAST_TRIANGLES: u64 = 1 << 14;

impl CrowdOptions {
    /// True if triangles are culled on a device that can: in pictures of the hardware rasterizer, with `Raster::Auto`.
    /// CPU rasterizers are left out: llvmpipe draws triangles smaller than a pixel differently by how many others a
    /// draw has. With and without, one pixel differed in one of 77 pictures.
    pub(super) fn culls_triangles(self, gpu: &Gpu) -> bool {
        let on = self.raster == Raster::Auto && self.casts_in_compute();
        on && supports_device(gpu) && !gpu.facts.is_software()
    }
}

impl CrowdRenderer {
    /// Makes the compacted index buffers for a picture of `size` pixels, if triangles are culled. If they do not fit, all
    /// triangles are drawn.
    pub(super) fn ensure_triangle_cull(&mut self, size: (u32, u32), wanted: bool) {
        let draws = DrawList::of(&self.contents);
        let drawn: Vec<SwRasterDraw<'_>> = worth_triangle_culling(&draws).filter(|_| wanted).collect();
        if drawn.is_empty() {
            self.buffers.triangle_cull.release();
            return;
        }
        let limits = &self.context.gpu.limits;
        let samples = self.targets.samples;
        let all_samples = u64::from(size.0) * u64::from(size.1) * u64::from(samples);
        let expected = TriangleCullTotals::expected(all_samples, u64::from(self.contents.instance_count()));
        let capacity = self.buffers.triangle_cull_needed.max(expected).with_headroom(limits);
        let needed = self.buffers.triangle_cull_needed.on(limits);
        let make = || TriangleCullFrame::new(&self.context, (size, samples), capacity, &drawn);
        self.buffers
            .triangle_cull
            .ensure(size, |frame| frame.is_of(size, needed, &drawn), make);
    }

    /// Remembers the room that a frame has needed, for the next frame.
    pub(crate) fn note_triangle_cull_need(&mut self, totals: TriangleCullTotals) {
        self.buffers.triangle_cull_needed = self.buffers.triangle_cull_needed.max(totals);
    }

    /// Totals of both phases of this frame, if triangle culling ran.
    pub(super) fn triangle_cull_totals(&self) -> Option<[&wgpu::Buffer; 2]> {
        self.triangle_cull_frame()
            .filter(|_| self.progress.culled_triangles.is_some())
            .map(TriangleCullFrame::totals)
    }

    /// Compacted index buffers, if the frame uses them.
    fn triangle_cull_frame(&self) -> Option<&TriangleCullFrame> {
        self.buffers.triangle_cull.get().filter(|_| self.plan.culls_triangles())
    }

    /// Clears the buffers before they are filled.
    pub(super) fn clear_triangle_cull(&self, encoder: &mut wgpu::CommandEncoder) {
        if let Some(frame) = self.triangle_cull_frame() {
            frame.clear(encoder);
        }
    }

    /// Culls triangles of a phase, after [`CrowdRenderer::select`] or [`CrowdRenderer::hide`], for the draws of that
    /// phase only.
    pub(crate) fn triangle_cull(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        phase: CullPhase,
        timestamp_writes: Option<wgpu::ComputePassTimestampWrites<'_>>,
    ) {
        let occlusion = match phase {
            CullPhase::Far if self.progress.occlusion_culled => OcclusionTest::Pyramid,
            CullPhase::Near | CullPhase::Far => OcclusionTest::Off,
        };
        if let (OcclusionTest::Pyramid, Some(frame), Some(pyramid)) =
            (occlusion, self.buffers.triangle_cull.get_mut(), &self.buffers.pyramid)
        {
            frame.cull_occluded(&self.context, pyramid);
        }
        let (Some(passes), Some(frame)) = (&self.passes.triangle_cull, self.triangle_cull_frame()) else {
            return;
        };
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(Pass::TriangleCull.name()),
            timestamp_writes,
        });
        let draws = DrawList::of(&self.contents);
        passes.encode(
            &mut pass,
            &self.bindings.frame,
            frame,
            phase,
            occlusion,
            worth_triangle_culling(&draws),
        );
        drop(pass);
        self.progress.culled_triangles = Some(phase);
    }

    /// Draws one item of a phase from draw lists: compacted triangles if they were culled, and everyone else in full.
    /// Returns the draw calls recorded.
    pub(super) fn draw_from_lists(&self, pass: &mut wgpu::RenderPass<'_>, d: &Draw<'_>, phase: CullPhase) -> u32 {
        let Some(draw_lists) = d.draw_lists else { return 0 };
        let passes = self.crowd_pass();
        let pipeline = passes.pipeline(d.variant);
        let camera = &draw_lists.camera;
        let culled_triangles = self
            .triangle_cull_frame()
            .filter(|_| self.progress.culled_triangles == Some(phase));
        let left = culled_triangles.and_then(|frame| frame.draws(phase).remaining_draws(d.id, camera));
        let (Some(frame), Some(left), Some(draw)) = (culled_triangles, left, d.software()) else {
            let left = self.remaining_draws(d.id, draw_lists, phase);
            return draw_listed(pass, pipeline, d.parts, camera, phase, left);
        };
        let whole = draw_listed(pass, pipeline, d.parts, camera, phase, Some(left));
        whole + draw_compacted(pass, passes.compacted(d.variant), draw, frame, phase)
    }
}

/// Draws with enough triangles to be worth culling.
fn worth_triangle_culling<'a>(draws: &DrawList<'a>) -> impl Iterator<Item = SwRasterDraw<'a>> {
    draws.software().filter(|draw| draw.most_triangles() >= LEAST_TRIANGLES)
}
