//! Every combination of device, settings and contents, without a GPU.

use std::collections::BTreeSet;

use super::*;

const STATES: [BufferState; 3] = [BufferState::Missing, BufferState::Ready, BufferState::Refused];

/// Calls `check` with every combination of inputs: 165,888 plans.
fn each_input(mut check: impl FnMut(&PlanInput)) {
    for bits in 0..1_u32 << 11 {
        let on = |bit: u32| bits >> bit & 1 == 1;
        for raster in [Raster::Auto, Raster::Hardware, Raster::Compute] {
            for output in [FrameOutput::Light, FrameOutput::Heights, FrameOutput::Overdraw] {
                for shadows in [ShadowRequest::Off, ShadowRequest::Update, ShadowRequest::Reuse] {
                    for state in STATES {
                        check(&PlanInput {
                            host: PlanHost {
                                computes_background: on(0),
                                reads_shadow_words: on(10),
                                culls_triangles: on(1),
                                counts_invocations: on(2),
                            },
                            settings: PlanSettings {
                                raster,
                                selects: on(3),
                                supports_technique: on(4),
                                output,
                                sw_raster_max_rows: if on(5) { ALL_ROWS } else { 32 },
                                shadows,
                                culling: Culling::all(on(6)),
                                frozen: on(7),
                                splats: true,
                            },
                            contents: PlanContents {
                                has_lists: on(3),
                                listed: on(8),
                                all_in_software: on(9),
                                all_shadows_in_software: on(9),
                                preskins: !on(4),
                            },
                            buffers: PlanBuffers {
                                visibility: state,
                                shadow: state,
                                triangle_cull: state,
                            },
                        });
                    }
                }
            }
        }
    }
}

/// Every step after tone mapping, in order.
fn steps() -> impl Iterator<Item = Pass> {
    DISPLAY_STEPS.iter().map(|step| step.pass)
}

/// Passes of a frame without steps after tone mapping.
fn without_steps(plan: &FramePlan) -> Vec<Pass> {
    plan.passes(std::iter::empty())
}

fn place(passes: &[Pass], pass: Pass) -> Option<usize> {
    passes.iter().position(|own| *own == pass)
}

/// True if `first` comes before `then`, where both run.
fn ordered(passes: &[Pass], first: Pass, then: Pass) -> bool {
    match (place(passes, first), place(passes, then)) {
        (Some(first), Some(then)) => first < then,
        _ => true,
    }
}

#[test]
fn each_pass_follows_those_whose_output_it_reads() {
    each_input(|input| {
        let plan = FramePlan::new(input);
        let passes = plan.passes(steps());
        for (first, then) in [
            (Pass::Animate, Pass::Select),
            (Pass::Select, Pass::Preskin),
            (Pass::Select, Pass::SwShadow),
            (Pass::Preskin, Pass::Shadow),
            (Pass::SwShadow, Pass::Shadow),
            (Pass::Shadow, Pass::Crowd),
            (Pass::TriangleCull, Pass::Crowd),
            (Pass::Crowd, Pass::OcclusionCull),
            (Pass::OcclusionCull, Pass::SwRaster),
            (Pass::SwRaster, Pass::ShadeVisibility),
            (Pass::OcclusionCull, Pass::TriangleCullFar),
            (Pass::TriangleCullFar, Pass::Far),
            (Pass::ShadeVisibility, Pass::Far),
            (Pass::Far, Pass::Background),
            (Pass::Background, Pass::Tonemap),
        ] {
            assert!(ordered(&passes, first, then), "{first} before {then}: {passes:?}");
        }
        // Steps are the last passes, in their order; an overdraw map has none.
        let after = &passes[place(&passes, Pass::Tonemap).expect("runs") + 1..];
        match input.settings.output {
            FrameOutput::Overdraw => assert_eq!(after, []),
            _ => assert!(after.iter().copied().eq(steps()), "{after:?}"),
        }
        let mut distinct = passes.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), passes.len(), "{passes:?}");
    });
}

#[test]
fn each_pass_has_a_place_in_some_frame() {
    let mut left: BTreeSet<Pass> = Pass::ALL.iter().copied().collect();
    each_input(|input| {
        for pass in FramePlan::new(input).passes(steps()) {
            left.remove(&pass);
        }
    });
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn no_pass_that_a_mode_needs_is_left_out() {
    each_input(|input| {
        let plan = FramePlan::new(input);
        let passes = without_steps(&plan);
        let runs = |pass| place(&passes, pass).is_some();
        for pass in [Pass::Animate, Pass::Crowd, Pass::Background, Pass::Tonemap] {
            assert!(runs(pass), "{pass}: {input:?}");
        }
        assert_eq!(runs(Pass::SwRaster), plan.uses_sw_raster());
        assert_eq!(runs(Pass::SwRaster), runs(Pass::ShadeVisibility));
        assert_eq!(runs(Pass::TriangleCull), runs(Pass::TriangleCullFar));
        assert_eq!(runs(Pass::Select), plan.selects());
        // Everything that the far phase holds is drawn by one rasterizer or the other, and attachments are drawn once.
        let far_in_software = plan.raster == RasterMode::Software;
        assert_eq!(
            runs(Pass::Far),
            (plan.selects() && !far_in_software) || (!plan.selects() && plan.background == Backend::Compute),
        );
        assert_eq!(
            runs(Pass::Shadow) || runs(Pass::SwShadow),
            input.settings.shadows == ShadowRequest::Update,
        );
    });
}

#[test]
fn each_optional_pass_runs_exactly_if_its_input_asks_for_it() {
    each_input(|input| {
        let plan = FramePlan::new(input);
        let (settings, contents) = (&input.settings, &input.contents);
        let passes = without_steps(&plan);
        let runs = |pass| place(&passes, pass).is_some();
        assert_eq!(runs(Pass::Preskin), contents.preskins);
        let frozen = settings.frozen && contents.listed;
        assert_eq!(
            runs(Pass::OcclusionCull),
            settings.selects && !frozen && settings.culling.hidden && contents.has_lists,
        );
        // Each rasterizer casts the shadows of what it draws: the hardware's are left out if none are left to it.
        let updates = settings.shadows == ShadowRequest::Update;
        assert_eq!(runs(Pass::SwShadow), updates && plan.uses_sw_shadows());
        assert_eq!(runs(Pass::Shadow), updates && !plan.shadows_in_words());
        let smoothed = place(&plan.passes([Pass::Fxaa].into_iter()), Pass::Fxaa).is_some();
        assert_eq!(smoothed, settings.output != FrameOutput::Overdraw);
        assert!(steps().all(|step| !runs(step)));
    });
}

#[test]
fn software_rasterizer_draws_only_what_device_settings_and_buffers_allow() {
    let mut software = 0;
    each_input(|input| {
        let plan = FramePlan::new(input);
        let (settings, buffers) = (&input.settings, &input.buffers);
        if plan.uses_sw_raster() {
            assert_eq!(settings.raster, Raster::Compute);
            assert!(settings.selects && settings.supports_technique);
            assert_ne!(settings.output, FrameOutput::Overdraw);
            assert_ne!(buffers.visibility, BufferState::Refused);
        }
        if plan.raster == RasterMode::Software {
            software += 1;
            assert!(input.contents.all_in_software && !input.host.counts_invocations);
            assert_eq!(plan.background, Backend::Compute);
            assert_eq!(settings.sw_raster_max_rows, ALL_ROWS);
        }
        if plan.uses_sw_shadows() {
            assert_eq!(buffers.shadow, BufferState::Ready);
            assert_ne!(settings.raster, Raster::Hardware);
        }
        if plan.shadows_in_words() {
            assert_eq!(plan.raster, RasterMode::Software);
        }
        assert!(!plan.splats || buffers.visibility == BufferState::Ready);
        assert!(!plan.culls_triangles() || buffers.triangle_cull == BufferState::Ready);
        assert!(!plan.culls_triangles() || settings.output == FrameOutput::Light);
    });
    assert!(software > 0);
}

#[test]
fn frozen_lists_are_reused_once_they_are_filled_and_not_culled_again() {
    each_input(|input| {
        let plan = FramePlan::new(input);
        let reuse = input.settings.selects && input.settings.frozen && input.contents.listed;
        assert_eq!(plan.draw_lists == DrawListMode::Reuse, reuse);
        assert!(!reuse || !plan.occlusion);
    });
}

#[test]
fn each_frame_is_submitted_in_parts_that_begin_before_the_last_pass() {
    each_input(|input| {
        let plan = FramePlan::new(input);
        let passes = plan.passes(steps());
        let parts: Vec<Pass> = passes
            .iter()
            .copied()
            .filter(|pass| plan.submits_after(*pass))
            .collect();
        let mut last = [Pass::Tonemap].into_iter().chain(steps());
        assert!(last.all(|pass| place(&parts, pass).is_none()));
        // The device poses and selects people while the rest is encoded.
        let first = parts.first().and_then(|first| place(&passes, *first)).expect("a part");
        assert!(first < place(&passes, Pass::Crowd).expect("runs"), "{passes:?}");
    });
}

#[test]
fn modes_name_the_pipelines_of_passes() {
    let plan = FramePlan::default();
    assert_eq!(
        without_steps(&plan),
        [Pass::Animate, Pass::Crowd, Pass::Background, Pass::Tonemap]
    );
    assert_eq!(
        (plan.mode(Pass::Animate), plan.mode(Pass::Crowd)),
        ("compute", "graphics")
    );
    assert!(steps().all(|step| plan.mode(step) == "graphics"));
    let software = FramePlan {
        raster: RasterMode::Software,
        background: Backend::Compute,
        draw_lists: DrawListMode::Reuse,
        ..plan
    };
    assert_eq!(
        (software.mode(Pass::Crowd), software.mode(Pass::Background)),
        ("compute", "compute")
    );
    assert_eq!(software.mode(Pass::Select), "frozen");
}
