//! Parts of a crowd renderer: bindings of a frame, buffers by size, settings of a view, progress of a frame.

use std::sync::Arc;

use crate::{
    gpu::{Gpu, buffer_with},
    render::{
        Culling, FrameUniforms, RenderContext, View, ViewMode,
        crowd::{LightUniforms, rebuild::CrowdPasses},
        passes::{
            crowd_shadow,
            draw_lists::{CullPhase, Pyramid},
            raster::{IdContents, PictureContents, ShadowContents, SizedResource, StorageRoom, VisibilityTarget},
            shadow::ShadowPass,
            triangle_cull::{TriangleCullFrame, TriangleCullTotals},
        },
        plan::{BufferState, FrameOutput},
        resources::instances::bind_group,
    },
};

/// Group 0 of all passes, and the buffers in it.
pub(super) struct FrameBindings {
    pub(super) frame_buffer: wgpu::Buffer,
    /// Light of a host.
    pub(super) light_buffer: wgpu::Buffer,
    pub(super) frame: wgpu::BindGroup,
    pub(super) lit_frame: wgpu::BindGroup,
    /// Group 0 of the pass `background_compute`.
    pub(super) shaded_frame: wgpu::BindGroup,
    /// Group 0 of the pass `shade_visibility`.
    pub(super) surface_frame: wgpu::BindGroup,
    /// Shadow map buffer bound in both.
    shadow_map_words: Option<wgpu::Buffer>,
    pub(super) crowd_shadow_grid: wgpu::Buffer,
    /// Bind group that adds people to the crowd shadow grid.
    pub(super) crowd_shadow: wgpu::BindGroup,
}

impl FrameBindings {
    pub(super) fn new(context: &RenderContext, shadow: &ShadowPass, has_shadows: bool) -> Self {
        let gpu: &Gpu = &context.gpu;
        let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let frame_buffer = buffer_with(gpu, "frame", &[0; size_of::<FrameUniforms>()], usage);
        let light_buffer = buffer_with(gpu, "light", &[0; size_of::<LightUniforms>()], usage);
        let crowd_shadow_grid = crowd_shadow::grid(gpu, has_shadows);
        let lit = LitBuffers {
            frame: &frame_buffer,
            light: &light_buffer,
            crowd_shadow_grid: &crowd_shadow_grid,
        };
        let layouts = &context.layouts;
        Self {
            frame: bind_group(gpu, "frame", &layouts.frame, &[(0, frame_buffer.as_entire_binding())]),
            lit_frame: bind_group(gpu, "lit frame", &layouts.lit_frame, &lit.bindings(shadow)),
            shaded_frame: lit.shaded_frame(context, shadow, None),
            surface_frame: lit.surface_frame(context, shadow, None),
            shadow_map_words: None,
            crowd_shadow: crowd_shadow::group(context, &crowd_shadow_grid),
            frame_buffer,
            light_buffer,
            crowd_shadow_grid,
        }
    }

    /// Group 0 of passes that shade another view's picture in the graphics pipeline, under the same shadow map.
    pub(super) fn lit_frame_of(
        &self,
        context: &RenderContext,
        shadow: &ShadowPass,
        frame: &wgpu::Buffer,
        light: &wgpu::Buffer,
    ) -> wgpu::BindGroup {
        let lit = LitBuffers {
            frame,
            light,
            crowd_shadow_grid: &self.crowd_shadow_grid,
        };
        bind_group(
            &context.gpu,
            "lit frame",
            &context.layouts.lit_frame,
            &lit.bindings(shadow),
        )
    }

    /// Binds a shadow map of the software rasterizer, or none. The one before is free afterwards.
    pub(super) fn bind_shadow_map(
        &mut self,
        context: &RenderContext,
        shadow: &ShadowPass,
        words: Option<&wgpu::Buffer>,
    ) {
        if self.shadow_map_words.as_ref() == words {
            return;
        }
        let lit = LitBuffers {
            frame: &self.frame_buffer,
            light: &self.light_buffer,
            crowd_shadow_grid: &self.crowd_shadow_grid,
        };
        self.shaded_frame = lit.shaded_frame(context, shadow, words);
        self.surface_frame = lit.surface_frame(context, shadow, words);
        self.shadow_map_words = words.cloned();
    }
}

/// Buffers that are bound for shading, around the shadow map.
struct LitBuffers<'a> {
    frame: &'a wgpu::Buffer,
    light: &'a wgpu::Buffer,
    crowd_shadow_grid: &'a wgpu::Buffer,
}

impl<'a> LitBuffers<'a> {
    fn bindings(&self, shadow: &'a ShadowPass) -> [(u32, wgpu::BindingResource<'a>); 5] {
        [
            (0, self.frame.as_entire_binding()),
            (1, wgpu::BindingResource::TextureView(&shadow.map)),
            (2, wgpu::BindingResource::Sampler(&shadow.sampler)),
            (3, self.light.as_entire_binding()),
            (4, self.crowd_shadow_grid.as_entire_binding()),
        ]
    }

    /// Binding of the software rasterizer's shadow map. Without one it is never read; any buffer fills it.
    fn shadow_words(&self, words: Option<&'a wgpu::Buffer>) -> (u32, wgpu::BindingResource<'a>) {
        (5, words.unwrap_or(self.crowd_shadow_grid).as_entire_binding())
    }

    /// Frame bind group for shading in compute, with the software rasterizer's shadow map if it exists.
    fn shaded_frame(
        &self,
        context: &RenderContext,
        shadow: &ShadowPass,
        words: Option<&wgpu::Buffer>,
    ) -> wgpu::BindGroup {
        let rows = [&self.bindings(shadow)[..], &[self.shadow_words(words)]].concat();
        bind_group(&context.gpu, "shaded frame", &context.layouts.shaded_frame, &rows)
    }

    /// Frame bind group for shading people in compute: the shadow map of the software rasterizer is bound where the
    /// device has room for it.
    fn surface_frame(
        &self,
        context: &RenderContext,
        shadow: &ShadowPass,
        words: Option<&wgpu::Buffer>,
    ) -> wgpu::BindGroup {
        let has_room = StorageRoom::of(&context.gpu).is_full();
        let words = has_room.then(|| self.shadow_words(words));
        let [frame, map, sampler, light, _grid] = self.bindings(shadow);
        let rows: Vec<_> = [frame, map, sampler, light].into_iter().chain(words).collect();
        bind_group(&context.gpu, "surface frame", &context.layouts.surface_frame, &rows)
    }
}

/// Buffers that depend on the size of the picture or of the shadow map.
#[derive(Default)]
pub(super) struct SizedBuffers {
    pub(super) pyramid: Option<Pyramid>,
    pub(super) visibility: SizedResource<VisibilityTarget<PictureContents>>,
    pub(super) shadow: SizedResource<VisibilityTarget<ShadowContents>>,
    pub(super) ids: SizedResource<VisibilityTarget<IdContents>>,
    /// Compacted index buffers of triangle culling.
    pub(super) triangle_cull: SizedResource<TriangleCullFrame>,
    /// Largest room that triangle culling has needed so far.
    pub(super) triangle_cull_needed: TriangleCullTotals,
}

impl SizedBuffers {
    /// Tries sizes again that did not fit before the contents changed.
    pub(super) fn retry(&mut self) {
        self.visibility.retry();
        self.shadow.retry();
        self.ids.retry();
        self.triangle_cull.retry();
        self.triangle_cull_needed = TriangleCullTotals::default();
    }

    /// GPU bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.visibility.get().map_or(0, VisibilityTarget::bytes)
            + self.shadow.get().map_or(0, VisibilityTarget::bytes)
            + self.triangle_cull.get().map_or(0, TriangleCullFrame::bytes)
            + self.ids.get().map_or(0, VisibilityTarget::bytes)
    }
}

impl<T> SizedResource<T> {
    /// State for the plan of a frame.
    pub(super) fn state(&self) -> BufferState {
        match (self.get(), self.unsupported_reason()) {
            (Some(_), _) => BufferState::Ready,
            (None, Some(_)) => BufferState::Refused,
            (None, None) => BufferState::Missing,
        }
    }
}

/// Settings of the view prepared last.
#[derive(Clone, Copy)]
pub(super) struct ViewSettings {
    pub(super) mode: ViewMode,
    pub(super) sw_raster_max_rows: u32,
    pub(super) culling: Culling,
    pub(super) frozen: bool,
    pub(super) splats: bool,
}

impl From<&View> for ViewSettings {
    fn from(view: &View) -> Self {
        Self {
            mode: view.mode,
            sw_raster_max_rows: view.sw_raster_max_rows,
            culling: view.culling,
            frozen: view.frozen,
            splats: view.splats,
        }
    }
}

impl Default for ViewSettings {
    fn default() -> Self {
        Self {
            mode: ViewMode::Light,
            sw_raster_max_rows: 0,
            culling: Culling::all(false),
            frozen: false,
            splats: false,
        }
    }
}

impl ViewSettings {
    /// Output of the view, if its pipelines exist.
    pub(super) fn output(&self, passes: &CrowdPasses) -> FrameOutput {
        match self.mode {
            ViewMode::Overdraw if passes.overdraw.is_some() => FrameOutput::Overdraw,
            ViewMode::Heights if passes.heights.is_some() => FrameOutput::Heights,
            ViewMode::Light | ViewMode::Lods | ViewMode::Heights | ViewMode::Overdraw => FrameOutput::Light,
        }
    }
}

/// Progress of encoding a frame; each frame begins with the default.
#[derive(Default)]
pub(super) struct FrameProgress {
    /// True if the software rasterizer has drawn people.
    pub(super) software_drew: bool,
    /// True if the visibility buffer was cleared.
    pub(super) cleared: bool,
    /// True if occlusion culling ran, so that the depth pyramid is current.
    pub(super) occlusion_culled: bool,
    /// Phase that the compacted index buffers are of.
    pub(super) culled_triangles: Option<CullPhase>,
}

/// State of the draw lists of the present contents.
#[derive(Default)]
pub(super) struct ListState {
    /// Another one after each change of what is listed, so that further views notice it.
    pub(super) version: Arc<()>,
    /// True if all draw lists are merged into as few sets as possible.
    pub(super) merged: bool,
    /// True if lists of the contents have been filled.
    pub(super) filled: bool,
    /// True once every draw whose meshlets fit has some, for ids.
    pub(super) has_all_meshlets: bool,
}
