//! Step before a frame: the view is taken over, buffers are made, and the frame is planned.

use crate::render::{
    View,
    crowd::{
        CrowdRenderer,
        draw_list::DrawList,
        state::{FrameProgress, ViewSettings},
    },
    passes::raster::{MOST_TRIANGLES, supports_technique, tiles::MOST_DRAWS},
    plan::{DrawListMode, FramePlan, PlanBuffers, PlanContents, PlanHost, PlanInput, PlanSettings, ShadowRequest},
};

impl CrowdRenderer {
    /// Plans the next frame, for a picture of `size` pixels if that is known, after all buffers are made that it wants.
    /// Progress of an earlier frame is reset.
    pub(crate) fn plan_frame(
        &mut self,
        view: &View,
        size: Option<(u32, u32)>,
        shadows: ShadowRequest,
        host: PlanHost,
    ) -> FramePlan {
        self.merge_lists();
        self.view = ViewSettings::from(view);
        self.progress = FrameProgress::default();
        let settings = self.plan_settings(shadows);
        if let Some(size) = size {
            self.ensure_visibility(size, &settings);
            self.ensure_triangle_cull(size, settings.wants_triangle_culling(host));
        }
        self.ensure_shadow_map(&settings);
        self.plan = FramePlan::new(&PlanInput {
            host,
            settings,
            contents: self.plan_contents(),
            buffers: PlanBuffers {
                visibility: self.buffers.visibility.state(),
                shadow: self.buffers.shadow.state(),
                triangle_cull: self.buffers.triangle_cull.state(),
            },
        });
        if !self.plan.occlusion {
            self.buffers.pyramid = None;
        }
        self.lists.filled = true;
        self.plan
    }

    /// Plans AOVs: draw lists alone.
    pub(super) fn plan_aov(&mut self, view: &View) {
        self.progress = FrameProgress::default();
        self.plan = FramePlan {
            draw_lists: match (self.options.selects(), view.frozen && self.lists.filled) {
                (false, _) => DrawListMode::Everyone,
                (true, false) => DrawListMode::Build,
                (true, true) => DrawListMode::Reuse,
            },
            ..FramePlan::default()
        };
        self.lists.filled = true;
    }

    /// Plan of the frame prepared last.
    pub(crate) const fn plan(&self) -> &FramePlan {
        &self.plan
    }

    /// True if triangle culling has pipelines.
    pub(crate) fn has_triangle_culling(&self) -> bool {
        self.passes.triangle_cull.is_some()
    }

    /// Settings of the renderer and of the view prepared last.
    pub(super) fn plan_settings(&self, shadows: ShadowRequest) -> PlanSettings {
        let (view, passes) = (&self.view, &self.passes);
        PlanSettings {
            raster: self.options.raster,
            selects: self.options.selects(),
            supports_technique: supports_technique(self.options.method.technique),
            output: view.output(passes),
            sw_raster_max_rows: view.sw_raster_max_rows,
            shadows,
            culling: view.culling,
            frozen: view.frozen,
            splats: view.splats,
        }
    }

    fn plan_contents(&self) -> PlanContents {
        let draws = DrawList::of(&self.contents);
        let drawn = || draws.iter().filter(|d| d.parts.crowd.count > 0);
        let triangles: Option<u64> = drawn().map(|d| Some(d.software()?.most_triangles())).sum();
        let fits = triangles.is_some_and(|triangles| triangles <= u64::from(MOST_TRIANGLES));
        let camera_lists = self.contents.camera_draw_lists().count();
        PlanContents {
            has_lists: camera_lists > 0,
            listed: self.lists.filled,
            all_in_software: fits && drawn().count() <= MOST_DRAWS as usize,
            all_shadows_in_software: self.contents.shadow_draw_lists().count() == camera_lists,
            preskins: self.preskins(),
        }
    }

    fn merge_lists(&mut self) {
        if !self.lists.merged {
            self.contents.merge_draw_lists(&self.context);
            self.lists.merged = true;
        }
    }
}
