//! Cost of a further view: frames of one view and of two in turn, as a host draws them.

use std::time::Instant;

use anyhow::Result;

use crate::{
    bench::{
        BenchPlan,
        actors::{
            report::{ViewCosts, ViewCulling},
            run::Square,
        },
        run::progress::BenchProgress,
    },
    crowd::clock::Clock,
    gpu::{Gpu, PICTURE_FORMAT, PICTURE_USAGES, encoder, target_texture, whole_view},
    measure::{FrameTiming, Summary, TimingBudget, stopwatch::interleave},
    render::{Actors, CrowdRenderer, DepthTarget, FurtherView, Targets, View},
    scene::{Scene, milliseconds},
};

const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
/// Views of a frame: one, two, and one again (A/A control).
const VIEWS: [usize; 3] = [1, 2, 1];

/// Colour and depth of a view.
struct ViewTarget {
    color: wgpu::TextureView,
    depth: wgpu::TextureView,
}

/// Actors in a host's renderer, and targets of two views.
struct ViewScene<'a> {
    gpu: &'a Gpu,
    crowd: CrowdRenderer,
    further: FurtherView,
    view: View,
    culling: ViewCulling,
    targets: [ViewTarget; 2],
    /// Handle that keeps the actors' table.
    _actors: Actors,
}

/// Measures frames of one and of two views of the same camera and size, among `count` actors.
///
/// # Errors
/// Actors that do not fit, a lost device.
pub(super) fn measure(
    plan: &BenchPlan,
    gpu: &Gpu,
    progress: &BenchProgress,
    scene: &Scene,
    view: View,
    culling: ViewCulling,
    count: u32,
) -> Result<Option<ViewCosts>> {
    progress.prepare(&format!("{count} actors: two views"));
    let mut stage = ViewScene::new(gpu, plan.size, scene, view, culling, count)?;
    let most = plan.repeats as usize;
    let budget = TimingBudget {
        warm_up: 2,
        frames: 5.min(most)..=most,
        seconds: plan.seconds,
    };
    let mut failed = None;
    let samples = interleave(VIEWS.len(), &budget, |variant, round| {
        progress.tick();
        if progress.stopped() || failed.is_some() {
            return None;
        }
        stage.frame(VIEWS[variant], round).map_err(|e| failed = Some(e)).ok()
    });
    if let Some(error) = failed {
        return Err(error);
    }
    if let Some(error) = gpu.take_error() {
        anyhow::bail!("the device rejected a frame: {error}");
    }
    anyhow::ensure!(!gpu.is_lost(), "the device was lost");
    let [one, two, again] = [0, 1, 2].map(|variant| Summary::of(&samples[variant].wall_ms));
    let costs = one.zip(two).map(|(one_ms, two_ms)| ViewCosts {
        count,
        culling,
        one_ms,
        two_ms,
        ratio: two_ms.median / one_ms.median,
        control: again.map(|again| again.median / one_ms.median),
    });
    Ok(costs)
}

impl<'a> ViewScene<'a> {
    fn new(
        gpu: &'a Gpu,
        size: (u32, u32),
        scene: &Scene,
        view: View,
        culling: ViewCulling,
        count: u32,
    ) -> Result<Self> {
        let targets = Targets {
            color: PICTURE_FORMAT,
            depth: DepthTarget::reversed(DEPTH),
            samples: 1,
        };
        let mut crowd = CrowdRenderer::new(gpu, targets)?;
        let id = crowd.add_character(scene.characters[0].clone())?;
        let actors = crowd.actors(id, count)?;
        Square::of(count, &scene.characters[0]).spawn(&actors, Clock::default(), count)?;
        let target = || {
            let color = target_texture(gpu, "picture", size, PICTURE_FORMAT, 1, PICTURE_USAGES);
            let depth = target_texture(gpu, "depth", size, DEPTH, 1, wgpu::TextureUsages::TEXTURE_BINDING);
            ViewTarget {
                color: whole_view(&color, "picture"),
                depth: whole_view(&depth, "depth"),
            }
        };
        Ok(Self {
            gpu,
            further: crowd.further_view(),
            crowd,
            view,
            culling,
            targets: [target(), target()],
            _actors: actors,
        })
    }

    /// Draws a frame of some views and waits for it.
    fn frame(&mut self, views: usize, round: usize) -> Result<FrameTiming> {
        let begun = Instant::now();
        let mut encoder = encoder(self.gpu, "frame");
        let time = Clock::from_seconds(round as f64 / 60.0);
        self.crowd.prepare(&mut encoder, &self.view, time);
        if views > 1 {
            self.crowd.prepare_view(&mut encoder, &mut self.further, &self.view)?;
        }
        self.draw_first(&mut encoder);
        if views > 1 {
            self.draw_further(&mut encoder);
        }
        self.gpu.queue.submit([encoder.finish()]);
        self.gpu.spin_idle();
        Ok(FrameTiming {
            wall_ms: milliseconds(begun),
            ..FrameTiming::default()
        })
    }

    fn draw_first(&mut self, encoder: &mut wgpu::CommandEncoder) {
        let target = &self.targets[0];
        match self.culling {
            ViewCulling::Outside => self.crowd.draw(&mut host_pass(encoder, target, Some(0.0))),
            ViewCulling::Hidden => {
                self.crowd.draw_near(&mut host_pass(encoder, target, Some(0.0)));
                self.crowd.cull(encoder, &target.depth);
                self.crowd.draw_far(&mut host_pass(encoder, target, None));
            }
        }
    }

    fn draw_further(&mut self, encoder: &mut wgpu::CommandEncoder) {
        let (target, further) = (&self.targets[1], &mut self.further);
        match self.culling {
            ViewCulling::Outside => self
                .crowd
                .draw_view(&mut host_pass(encoder, target, Some(0.0)), further),
            ViewCulling::Hidden => {
                self.crowd
                    .draw_view_near(&mut host_pass(encoder, target, Some(0.0)), further);
                self.crowd.cull_view(encoder, further, &target.depth);
                self.crowd.draw_view_far(&mut host_pass(encoder, target, None), further);
            }
        }
    }
}

/// Pass on a target: with `far` on cleared colour and depth, without on what was drawn before.
fn host_pass<'a>(encoder: &'a mut wgpu::CommandEncoder, target: &ViewTarget, far: Option<f32>) -> wgpu::RenderPass<'a> {
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("host"),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: &target.color,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations {
                load: far.map_or(wgpu::LoadOp::Load, |_| wgpu::LoadOp::default()),
                store: wgpu::StoreOp::Store,
            },
        })],
        depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
            view: &target.depth,
            depth_ops: Some(wgpu::Operations {
                load: far.map_or(wgpu::LoadOp::Load, wgpu::LoadOp::Clear),
                store: wgpu::StoreOp::Store,
            }),
            stencil_ops: None,
        }),
        ..Default::default()
    })
}
