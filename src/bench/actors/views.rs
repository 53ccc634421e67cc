//! Cost of a further view: frames of one picture and of two in turn, as a host draws them.

use std::{f32::consts::PI, time::Instant};

use anyhow::Result;
use glam::{Mat4, Vec3, camera::rh};

use crate::{
    bench::{
        BenchPlan,
        actors::{
            report::{ViewCosts, ViewCulling, ViewPair},
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
/// Pictures of a frame: one, two, and one again (A/A control).
const PICTURES: [usize; 3] = [1, 2, 1];
/// Edge of a host's shadow map (px).
const SHADOW_SIZE: u32 = 2_048;

/// Pictures that are compared: two of them with one.
#[derive(Clone, Copy)]
pub(super) struct ViewPlan {
    /// The one view.
    pub(super) view: View,
    /// Its width and height (px).
    pub(super) size: (u32, u32),
    /// Actors.
    pub(super) count: u32,
    /// Second picture.
    pub(super) pair: ViewPair,
    /// Culling in each.
    pub(super) culling: ViewCulling,
}

/// View and the textures that it is drawn to; without colour for depth alone.
struct Picture {
    view: View,
    color: Option<wgpu::TextureView>,
    depth: wgpu::TextureView,
}

/// Actors in a host's renderer, and the pictures to be drawn.
struct ViewScene<'a> {
    gpu: &'a Gpu,
    crowd: CrowdRenderer,
    further: FurtherView,
    culling: ViewCulling,
    one: Picture,
    two: [Picture; 2],
    /// Handle that keeps the actors' table.
    _actors: Actors,
}

/// Measures frames of one and of two pictures of actors who stand in for a scene's first character.
///
/// # Errors
/// Actors that do not fit, a lost device.
pub(super) fn measure(
    plan: &BenchPlan,
    gpu: &Gpu,
    progress: &BenchProgress,
    scene: &Scene,
    views: &ViewPlan,
) -> Result<Option<ViewCosts>> {
    progress.prepare(&format!("{} actors: {}", views.count, views.pair.name()));
    let mut stage = ViewScene::new(gpu, scene, views)?;
    let most = plan.repeats as usize;
    let budget = TimingBudget {
        warm_up: 2,
        frames: 5.min(most)..=most,
        seconds: plan.seconds,
    };
    let mut failed = None;
    let samples = interleave(PICTURES.len(), &budget, |variant, round| {
        progress.tick();
        if progress.stopped() || failed.is_some() {
            return None;
        }
        stage.frame(PICTURES[variant], round).map_err(|e| failed = Some(e)).ok()
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
        count: views.count,
        pair: views.pair,
        culling: views.culling,
        one_ms,
        two_ms,
        ratio: two_ms.median / one_ms.median,
        control: again.map(|again| again.median / one_ms.median),
    });
    Ok(costs)
}

impl ViewPlan {
    /// Views of the two pictures.
    fn views(&self) -> [View; 2] {
        match self.pair {
            ViewPair::Same => [self.view; 2],
            ViewPair::SplitScreen => {
                let first = View {
                    projection_from_world: Mat4::from_scale(Vec3::new(2.0, 1.0, 1.0)) * self.view.projection_from_world,
                    size: Some((self.size.0 / 2, self.size.1)),
                    ..self.view
                };
                // The second player looks at the crowd from the other side of it.
                let turn = Mat4::from_rotation_y(PI);
                let second = View {
                    projection_from_world: first.projection_from_world * turn,
                    eye: turn.transform_point3(first.eye),
                    ..first
                };
                [first, second]
            }
            ViewPair::ShadowMap => [self.view, self.sun()],
        }
    }

    /// View of the sun, whose depth alone is drawn: everybody, from above.
    fn sun(&self) -> View {
        let half = 0.75 * f64::from(self.count).sqrt() as f32;
        // Depth is reversed: 1 at the near plane.
        let projection = rh::proj::directx::orthographic(-half, half, -half, half, 4.0 * half, 0.0);
        let eye = 2.0 * half * self.view.light.sun.direction;
        View {
            projection_from_world: projection * rh::view::look_at_mat4(eye, Vec3::ZERO, Vec3::X),
            eye,
            size: Some((SHADOW_SIZE, SHADOW_SIZE)),
            ..self.view
        }
    }
}

impl Picture {
    fn new(gpu: &Gpu, view: View, has_color: bool) -> Self {
        let size = view.size.unwrap_or((1, 1));
        let color = target_texture(gpu, "picture", size, PICTURE_FORMAT, 1, PICTURE_USAGES);
        let depth = target_texture(gpu, "depth", size, DEPTH, 1, wgpu::TextureUsages::TEXTURE_BINDING);
        Self {
            view,
            color: has_color.then(|| whole_view(&color, "picture")),
            depth: whole_view(&depth, "depth"),
        }
    }
}

impl<'a> ViewScene<'a> {
    fn new(gpu: &'a Gpu, scene: &Scene, plan: &ViewPlan) -> Result<Self> {
        let targets = Targets {
            color: PICTURE_FORMAT,
            depth: DepthTarget::reversed(DEPTH),
            samples: 1,
        };
        let mut crowd = CrowdRenderer::new(gpu, targets)?;
        let id = crowd.add_character(scene.characters[0].clone())?;
        let actors = crowd.actors(id, plan.count)?;
        Square::of(plan.count, &scene.characters[0]).spawn(&actors, Clock::default(), plan.count)?;
        crowd.prepare_depth()?;
        let [first, second] = plan.views();
        let has_color = plan.pair != ViewPair::ShadowMap;
        Ok(Self {
            gpu,
            further: crowd.further_view(),
            crowd,
            culling: plan.culling,
            one: Picture::new(gpu, plan.view, true),
            two: [Picture::new(gpu, first, true), Picture::new(gpu, second, has_color)],
            _actors: actors,
        })
    }

    /// Draws a frame of some pictures and waits for it.
    fn frame(&mut self, pictures: usize, round: usize) -> Result<FrameTiming> {
        let begun = Instant::now();
        let mut encoder = encoder(self.gpu, "frame");
        let time = Clock::from_seconds(round as f64 / 60.0);
        if pictures == 1 {
            self.crowd.prepare(&mut encoder, &self.one.view, time);
            draw_first(&mut self.crowd, &mut encoder, &self.one, self.culling);
        } else {
            let [first, second] = &self.two;
            self.crowd.prepare(&mut encoder, &first.view, time);
            self.crowd.prepare_view(&mut encoder, &mut self.further, &second.view)?;
            draw_first(&mut self.crowd, &mut encoder, first, self.culling);
            self.draw_further(&mut encoder);
        }
        self.gpu.queue.submit([encoder.finish()]);
        self.gpu.spin_idle();
        Ok(FrameTiming {
            wall_ms: milliseconds(begun),
            ..FrameTiming::default()
        })
    }

    fn draw_further(&mut self, encoder: &mut wgpu::CommandEncoder) {
        let (picture, further) = (&self.two[1], &mut self.further);
        match self.culling {
            _ if picture.color.is_none() => self
                .crowd
                .draw_view_depth(&mut host_pass(encoder, picture, Some(0.0)), further),
            ViewCulling::Outside => self
                .crowd
                .draw_view(&mut host_pass(encoder, picture, Some(0.0)), further),
            ViewCulling::Hidden => {
                self.crowd
                    .draw_view_near(&mut host_pass(encoder, picture, Some(0.0)), further);
                self.crowd.cull_view(encoder, further, &picture.depth);
                self.crowd
                    .draw_view_far(&mut host_pass(encoder, picture, None), further);
            }
        }
    }
}

fn draw_first(crowd: &mut CrowdRenderer, encoder: &mut wgpu::CommandEncoder, picture: &Picture, culling: ViewCulling) {
    match culling {
        ViewCulling::Outside => crowd.draw(&mut host_pass(encoder, picture, Some(0.0))),
        ViewCulling::Hidden => {
            crowd.draw_near(&mut host_pass(encoder, picture, Some(0.0)));
            crowd.cull(encoder, &picture.depth);
            crowd.draw_far(&mut host_pass(encoder, picture, None));
        }
    }
}

/// Pass on a picture: with `far` on cleared colour and depth, without on what was drawn before.
fn host_pass<'a>(encoder: &'a mut wgpu::CommandEncoder, picture: &Picture, far: Option<f32>) -> wgpu::RenderPass<'a> {
    let color = picture.color.as_ref().map(|view| wgpu::RenderPassColorAttachment {
        view,
        depth_slice: None,
        resolve_target: None,
        ops: wgpu::Operations {
            load: far.map_or(wgpu::LoadOp::Load, |_| wgpu::LoadOp::default()),
            store: wgpu::StoreOp::Store,
        },
    });
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("host"),
        color_attachments: if color.is_some() {
            std::slice::from_ref(&color)
        } else {
            &[]
        },
        depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
            view: &picture.depth,
            depth_ops: Some(wgpu::Operations {
                load: far.map_or(wgpu::LoadOp::Load, wgpu::LoadOp::Clear),
                store: wgpu::StoreOp::Store,
            }),
            stencil_ops: None,
        }),
        ..Default::default()
    })
}
