//! Triangles that the graphics pipe need not see, left out of its draws.

use crate::{
    config::Raster,
    gpu::Gpu,
    render::{
        Pass,
        crowd::{CrowdOptions, CrowdRenderer, draw::Drawn},
        passes::{
            bins::Phase,
            crowd::{draw_listed, draw_sifted},
            raster::Rastered,
            sift::{SiftFrame, SiftTotals, serves_device},
        },
    },
};

/// Triangles of a draw at full detail from whom on it is sifted: below, what that costs to record is more than it gains.
const LEAST_TRIANGLES: u64 = 1 << 14;

impl CrowdOptions {
    /// Whether triangles are sifted on a device that can: of pictures that the graphics pipe draws with the help of
    /// compute. Not on software rasterisers: what llvmpipe draws of a triangle of a fraction of a pixel depends on how many
    /// others its draw has, in one pixel of one of 77 pictures with and without.
    pub(super) fn sifts(self, gpu: &Gpu) -> bool {
        let on = self.raster == Raster::Auto && self.casts_in_compute();
        on && serves_device(gpu) && !gpu.facts.is_software()
    }
}

impl CrowdRenderer {
    /// Whether the next frame is.
    pub(super) fn wants_sift(&self) -> bool {
        self.passes.sift.is_some() && self.sifts_next && self.lists_for_compute() && self.shows_light()
    }

    /// Makes what a picture of `size` pixels is sifted in; where that does not fit, everyone is drawn whole.
    pub(crate) fn prepare_sift(&mut self, size: (u32, u32)) {
        let mut sift = std::mem::take(&mut self.sift);
        if self.wants_sift() {
            let drawn: Vec<Rastered<'_>> = self.worth_sifting().map(|(_, rastered)| rastered).collect();
            if drawn.is_empty() {
                return;
            }
            let limits = &self.gpu.limits;
            let samples = u64::from(size.0) * u64::from(size.1) * u64::from(self.targets.samples);
            let expected = SiftTotals::expected(samples, u64::from(self.instance_count()));
            let room = self.sift_needed.max(expected).with_room(limits);
            let needed = self.sift_needed.on(limits);
            let make = || SiftFrame::new(&self.gpu, &self.layouts, ((size, self.targets.samples), room), &drawn);
            sift.prepare(size, |frame| frame.is_of((size, needed), &drawn), make);
        }
        self.sift = sift;
    }

    /// What a frame has needed: the next has room for it.
    pub(crate) fn needed_to_sift(&mut self, totals: SiftTotals) {
        self.sift_needed = self.sift_needed.max(totals);
    }

    /// Of both phases of this frame, where they were sifted.
    pub(super) fn sift_totals(&self) -> Option<[&wgpu::Buffer; 2]> {
        self.sift_frame()
            .filter(|_| self.sifted.is_some())
            .map(SiftFrame::totals)
    }

    /// Of everything that could be, in its order, what has enough triangles.
    fn worth_sifting(&self) -> impl Iterator<Item = (Drawn<'_>, Rastered<'_>)> {
        self.rastered_with_scenery().filter(|(d, (_, mesh))| {
            let triangles = u64::from(d.parts.1.count) * u64::from(mesh.most_triangles());
            triangles >= LEAST_TRIANGLES
        })
    }

    /// What the next frame is sifted in.
    fn sift_frame(&self) -> Option<&SiftFrame> {
        self.sift.get().filter(|_| self.wants_sift())
    }

    /// Before it is filled.
    pub(super) fn clear_sift(&self, encoder: &mut wgpu::CommandEncoder) {
        if let Some(frame) = self.sift_frame() {
            frame.clear(encoder);
        }
    }

    /// Whether there is anything to sift.
    pub(crate) fn sifts(&self) -> bool {
        self.sift_frame().is_some()
    }

    /// Sifts those of a phase whom lists name, after [`CrowdRenderer::select`], or [`CrowdRenderer::hide`], for draws of
    /// that phase alone.
    pub(crate) fn sift(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        phase: Phase,
        timestamp_writes: Option<wgpu::ComputePassTimestampWrites<'_>>,
    ) {
        let hidden = phase == Phase::Far && self.hid;
        let mut sift = std::mem::take(&mut self.sift);
        if let (true, Some(frame), Some(pyramid)) = (hidden, sift.get_mut(), &self.pyramid) {
            let drawn: Vec<Rastered<'_>> = self.worth_sifting().map(|(_, rastered)| rastered).collect();
            frame.hide_behind((&self.gpu, &self.layouts), pyramid, &drawn);
        }
        self.sift = sift;
        let (Some(passes), Some(frame)) = (&self.passes.sift, self.sift_frame()) else {
            return;
        };
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(Pass::Sift.name()),
            timestamp_writes,
        });
        let draws = self.worth_sifting().map(|(d, _)| (d.drawing(), d.parts.1));
        passes.encode(&mut pass, (&self.frame, frame), (phase, hidden), draws);
        drop(pass);
        self.sifted = Some(phase);
    }

    /// Draws someone of a phase from lists: what was sifted, if it was, and whoever is whole. Returns the draw calls
    /// recorded.
    pub(super) fn draw_from_lists(&self, pass: &mut wgpu::RenderPass<'_>, d: &Drawn<'_>, phase: Phase) -> u32 {
        let Some(bins) = d.bins else { return 0 };
        let passes = self.crowd_pass();
        let pipeline = passes.pipeline(d.variant);
        let listed = (&bins.camera, phase);
        let sifted = self.sift_frame().filter(|_| self.sifted == Some(phase));
        let left = sifted.and_then(|frame| frame.draws(phase).left_of(&bins.camera));
        let Some((frame, left)) = sifted.zip(left) else {
            return draw_listed(pass, pipeline, d.parts, listed, self.left_of(bins, phase));
        };
        let whole = draw_listed(pass, pipeline, d.parts, listed, Some(left));
        let own = passes.sifted(d.variant);
        whole + draw_sifted(pass, own, d.parts.1, (frame, &bins.camera, phase))
    }
}
