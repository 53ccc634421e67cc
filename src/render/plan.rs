//! Plan of a frame: what it does, decided once by a pure function before anything is encoded. It needs no GPU.

use crate::{
    config::Raster,
    render::{
        Culling, Pass,
        passes::{display::DISPLAY_STEPS, raster::ALL_ROWS},
    },
};

/// Facts that a frame is planned from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlanInput {
    pub(crate) host: PlanHost,
    pub(crate) settings: PlanSettings,
    pub(crate) contents: PlanContents,
    pub(crate) buffers: PlanBuffers,
}

/// Renderer that the crowd is drawn by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlanHost {
    /// True if ground and sky can be shaded, and samples resolved, in compute.
    pub(crate) computes_background: bool,
    /// True if triangle culling has pipelines.
    pub(crate) culls_triangles: bool,
    /// True if shading in compute reads shadows from the words of the software rasterizer.
    pub(crate) reads_shadow_words: bool,
    /// True if hardware draws are wanted even if none is needed, since they are counted.
    pub(crate) counts_invocations: bool,
}

/// Settings of a renderer and of a view.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlanSettings {
    /// Rasterizer that the device allows.
    pub(crate) raster: Raster,
    /// True if people are drawn from draw lists.
    pub(crate) selects: bool,
    /// True if the software rasterizer supports the technique.
    pub(crate) supports_technique: bool,
    pub(crate) output: FrameOutput,
    pub(crate) sw_raster_max_rows: u32,
    pub(crate) shadows: ShadowRequest,
    pub(crate) culling: Culling,
    /// True if culling is frozen.
    pub(crate) frozen: bool,
    /// True if splats may be drawn.
    pub(crate) splats: bool,
}

/// Contents of the crowd.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlanContents {
    /// True if draw lists exist.
    pub(crate) has_lists: bool,
    /// True if the lists of these contents have been filled.
    pub(crate) listed: bool,
    /// True if the software rasterizer supports every draw, and its triangle ids suffice.
    pub(crate) all_in_software: bool,
    /// True if the software rasterizer supports every draw of the shadow map.
    pub(crate) all_shadows_in_software: bool,
    /// True if poses are skinned before they are drawn.
    pub(crate) preskins: bool,
}

/// State of a buffer that depends on the size of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BufferState {
    /// It was not made.
    Missing,
    /// It exists.
    Ready,
    /// It did not fit.
    Refused,
}

/// Buffers of the software rasterizer and of triangle culling.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlanBuffers {
    pub(crate) visibility: BufferState,
    pub(crate) shadow: BufferState,
    pub(crate) triangle_cull: BufferState,
}

/// Content of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum FrameOutput {
    #[default]
    Light,
    /// Heights of people.
    Heights,
    /// Number of shaded fragments of each pixel.
    Overdraw,
}

/// Shadows that a frame asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShadowRequest {
    Off,
    Update,
    /// Shadow map of the last frame.
    Reuse,
}

/// Frame as it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FramePlan {
    pub(crate) draw_lists: DrawListMode,
    /// True if poses are skinned before they are drawn.
    pub(crate) preskin: bool,
    pub(crate) shadows: ShadowMode,
    pub(crate) raster: RasterMode,
    /// True if people whom others hide are culled.
    pub(crate) occlusion: bool,
    pub(crate) output: FrameOutput,
    pub(crate) background: Backend,
    /// True if the smallest people are drawn as splats.
    pub(crate) splats: bool,
}

/// Source of the draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DrawListMode {
    /// Everyone is drawn without lists.
    Everyone,
    /// Lists are filled.
    Build,
    /// Lists stay as they are.
    Reuse,
}

/// Rasterizers of people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RasterMode {
    /// Hardware, maybe with triangle culling in compute.
    Hardware { triangle_culling: bool },
    /// Software for people of limited height, hardware for the rest.
    Hybrid,
    /// Software for everything.
    Software,
}

/// Rasterizers of the shadow map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShadowRaster {
    Hardware,
    /// Software, and hardware for draws that it does not support.
    Hybrid,
    Software,
}

/// Shadow map of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShadowMode {
    Off,
    /// It is drawn.
    Update(ShadowRaster),
    /// It is the one of the last frame.
    Reuse(ShadowRaster),
}

/// Pipelines of the background.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Backend {
    Graphics,
    Compute,
}

impl Default for FramePlan {
    /// Plan of a renderer that has drawn nothing.
    fn default() -> Self {
        Self {
            draw_lists: DrawListMode::Everyone,
            preskin: false,
            shadows: ShadowMode::Off,
            raster: RasterMode::Hardware {
                triangle_culling: false,
            },
            occlusion: false,
            output: FrameOutput::Light,
            background: Backend::Graphics,
            splats: false,
        }
    }
}

impl PlanSettings {
    /// True if the software rasterizer draws people in pictures, if its buffers fit.
    pub(crate) fn wants_software(&self) -> bool {
        self.raster == Raster::Compute && self.lists_for_compute() && self.output != FrameOutput::Overdraw
    }

    /// True if the software rasterizer draws shadows, if their map fits.
    pub(crate) fn wants_software_shadows(&self) -> bool {
        self.raster != Raster::Hardware && self.lists_for_compute()
    }

    /// True if triangles are culled, if the buffers fit.
    pub(crate) fn wants_triangle_culling(&self, host: PlanHost) -> bool {
        host.culls_triangles && self.culling.triangles && self.lists_for_compute() && self.output == FrameOutput::Light
    }

    const fn lists_for_compute(&self) -> bool {
        self.selects && self.supports_technique
    }
}

impl FramePlan {
    /// Plans a frame.
    pub(crate) fn new(input: &PlanInput) -> Self {
        let PlanInput {
            host,
            settings,
            contents,
            buffers,
        } = input;
        let draw_lists = match (settings.selects, settings.frozen && contents.listed) {
            (false, _) => DrawListMode::Everyone,
            (true, false) => DrawListMode::Build,
            (true, true) => DrawListMode::Reuse,
        };
        let background = match host.computes_background && settings.output == FrameOutput::Light {
            true => Backend::Compute,
            false => Backend::Graphics,
        };
        let software = settings.wants_software() && buffers.visibility != BufferState::Refused;
        let needs_no_hardware = background == Backend::Compute
            && !host.counts_invocations
            && settings.sw_raster_max_rows >= ALL_ROWS
            && contents.all_in_software;
        let raster = match (software, needs_no_hardware) {
            (true, true) => RasterMode::Software,
            (true, false) => RasterMode::Hybrid,
            (false, _) => RasterMode::Hardware {
                triangle_culling: settings.wants_triangle_culling(*host) && buffers.triangle_cull == BufferState::Ready,
            },
        };
        let in_words = raster == RasterMode::Software && contents.all_shadows_in_software && host.reads_shadow_words;
        let shadow_raster = match settings.wants_software_shadows() && buffers.shadow == BufferState::Ready {
            false => ShadowRaster::Hardware,
            true if in_words => ShadowRaster::Software,
            true => ShadowRaster::Hybrid,
        };
        Self {
            draw_lists,
            preskin: contents.preskins,
            shadows: match settings.shadows {
                ShadowRequest::Off => ShadowMode::Off,
                ShadowRequest::Update => ShadowMode::Update(shadow_raster),
                ShadowRequest::Reuse => ShadowMode::Reuse(shadow_raster),
            },
            raster,
            occlusion: draw_lists == DrawListMode::Build && settings.culling.hidden && contents.has_lists,
            output: settings.output,
            background,
            splats: settings.splats && software && buffers.visibility == BufferState::Ready,
        }
    }

    /// True if the software rasterizer draws people.
    pub(crate) fn uses_sw_raster(&self) -> bool {
        !matches!(self.raster, RasterMode::Hardware { .. })
    }

    /// True if the software rasterizer draws shadows, now or before.
    pub(crate) fn uses_sw_shadows(&self) -> bool {
        let (ShadowMode::Update(raster) | ShadowMode::Reuse(raster)) = self.shadows else {
            return false;
        };
        raster != ShadowRaster::Hardware
    }

    /// True if triangles are culled in compute.
    pub(crate) fn culls_triangles(&self) -> bool {
        matches!(self.raster, RasterMode::Hardware { triangle_culling: true })
    }

    /// True if draw lists are used.
    pub(crate) fn selects(&self) -> bool {
        self.draw_lists != DrawListMode::Everyone
    }

    /// True if the frame has shadows, drawn now or before.
    pub(crate) fn has_shadows(&self) -> bool {
        self.shadows != ShadowMode::Off
    }

    /// True if the shadow map is drawn in this frame.
    pub(crate) fn updates_shadows(&self) -> bool {
        matches!(self.shadows, ShadowMode::Update(_))
    }

    /// True if the shadow map is in words of the software rasterizer alone.
    pub(crate) fn shadows_in_words(&self) -> bool {
        let (ShadowMode::Update(raster) | ShadowMode::Reuse(raster)) = self.shadows else {
            return false;
        };
        raster == ShadowRaster::Software
    }

    /// Passes of the frame, in order. `display_steps` follow tone mapping.
    pub(crate) fn passes(&self, display_steps: impl Iterator<Item = Pass>) -> Vec<Pass> {
        let all_software = self.raster == RasterMode::Software;
        let shadows = |raster| self.shadows == ShadowMode::Update(raster);
        let steps = [
            (Pass::Animate, true),
            (Pass::Select, self.selects()),
            (Pass::Preskin, self.preskin),
            (
                Pass::SwShadow,
                shadows(ShadowRaster::Software) || shadows(ShadowRaster::Hybrid),
            ),
            (
                Pass::Shadow,
                shadows(ShadowRaster::Hardware) || shadows(ShadowRaster::Hybrid),
            ),
            (Pass::TriangleCull, self.culls_triangles()),
            (Pass::Crowd, true),
            (Pass::OcclusionCull, self.occlusion),
            (Pass::SwRaster, self.uses_sw_raster()),
            (Pass::ShadeVisibility, self.uses_sw_raster()),
            (Pass::TriangleCullFar, self.culls_triangles()),
            (
                Pass::Far,
                if self.selects() {
                    !all_software
                } else {
                    self.background == Backend::Compute
                },
            ),
            (Pass::Background, true),
            (Pass::Tonemap, true),
        ];
        // An overdraw map is no picture that steps could improve.
        let display_steps = display_steps.filter(|_| self.output != FrameOutput::Overdraw);
        let steps = steps.into_iter().chain(display_steps.map(|pass| (pass, true)));
        steps.filter(|(_, runs)| *runs).map(|(pass, _)| pass).collect()
    }

    /// True if the device is given what is encoded so far after a pass, so that it works while the rest is encoded. That
    /// costs the CPU 20 to 40 us each time: nothing is gained once the longest passes have begun.
    pub(crate) fn submits_after(&self, pass: Pass) -> bool {
        match pass {
            Pass::Animate => !self.selects() && !self.preskin,
            Pass::Select => !self.preskin,
            Pass::Preskin | Pass::OcclusionCull => true,
            Pass::Crowd => self.selects() && !self.occlusion,
            _ => false,
        }
    }

    /// Mode of a pass in a word, for reports.
    pub(crate) fn mode(&self, pass: Pass) -> &'static str {
        match pass {
            Pass::Background if self.background == Backend::Graphics => "graphics",
            Pass::Crowd if self.raster != RasterMode::Software => "graphics",
            Pass::Shadow | Pass::Far | Pass::Tonemap => "graphics",
            Pass::Select if self.draw_lists == DrawListMode::Reuse => "frozen",
            _ if DISPLAY_STEPS.iter().any(|step| step.pass == pass) => "graphics",
            _ => "compute",
        }
    }
}

#[cfg(test)]
mod tests;
