//! Arbitrary output variables (AOVs) of a frame: ids, depth, normals, motion, uv, albedo.

use crate::{
    gpu::{Gpu, GpuError, Staging, encoder, target_texture, whole_view},
    render::{
        FrameInput, FrameUniforms, Renderer,
        crowd::{Amodal, AmodalBox, AovFrame, PendingAmodal, Round},
        passes::AovKind,
        targets::DEPTH_FORMAT,
    },
};

/// AOVs requested of one moment.
#[derive(Clone, Copy, Debug)]
pub struct AovView<'a> {
    /// Width and height (px).
    pub size: (u32, u32),
    /// Camera and moment; light is not used.
    pub input: &'a FrameInput,
    /// Next frame, to which [`AovKind::Motion`] points.
    pub next: Option<&'a FrameInput>,
    /// Number of one person (id less one) to draw alone, without background.
    pub only: Option<u32>,
    /// Box (px) around each person, by number: pixels of amodal masks are counted in them with [`AovKind::Ids`].
    pub boxes: Option<&'a [AmodalBox]>,
    /// True to keep the amodal masks, not only their extents.
    pub keeps_masks: bool,
}

/// Textures that AOVs are drawn into.
pub(crate) struct AovTargets {
    size: (u32, u32),
    depth: wgpu::TextureView,
    depth_texture: wgpu::Texture,
    kinds: Vec<(AovKind, wgpu::Texture, wgpu::TextureView)>,
}

/// Texture of one AOV, with the depth buffer that it is drawn with.
struct AovTarget<'a> {
    texture: &'a wgpu::Texture,
    view: &'a wgpu::TextureView,
    depth: &'a wgpu::TextureView,
}

impl AovTargets {
    fn new(gpu: &Gpu, size: (u32, u32)) -> Self {
        let depth = target_texture(
            gpu,
            "AOV depth",
            size,
            DEPTH_FORMAT,
            1,
            wgpu::TextureUsages::COPY_SRC | wgpu::TextureUsages::TEXTURE_BINDING,
        );
        Self {
            size,
            depth: whole_view(&depth, "AOV depth"),
            depth_texture: depth,
            kinds: Vec::new(),
        }
    }

    /// GPU bytes.
    pub(super) fn bytes(&self) -> u64 {
        let textures = self
            .kinds
            .iter()
            .map(|(_, texture, _)| texture)
            .chain([&self.depth_texture]);
        let pixels = u64::from(self.size.0) * u64::from(self.size.1);
        let texel = |texture: &wgpu::Texture| texture.format().block_copy_size(None).map_or(0, u64::from);
        pixels * textures.map(texel).sum::<u64>()
    }

    fn target(&mut self, gpu: &Gpu, kind: AovKind) -> AovTarget<'_> {
        let place = self.kinds.iter().position(|(own, ..)| *own == kind);
        let place = place.unwrap_or_else(|| {
            let read = wgpu::TextureUsages::COPY_SRC | wgpu::TextureUsages::TEXTURE_BINDING;
            let texture = target_texture(gpu, kind.condition(), self.size, kind.format(), 1, read);
            let view = whole_view(&texture, kind.condition());
            self.kinds.push((kind, texture, view));
            self.kinds.len() - 1
        });
        let (_, texture, view) = &self.kinds[place];
        AovTarget {
            texture,
            view,
            depth: &self.depth,
        }
    }
}

impl Renderer {
    /// Draws AOVs: one texture for each kind, in their order. Copy them before the next call (usage `COPY_SRC`). The
    /// call neither depends on the last frame nor changes it.
    ///
    /// [`AovKind::Depth`] needs no draw of its own if depth can be copied. Its texture is then the depth buffer of the
    /// other draws, in a depth format. Values are the near distance over the distance in metres, and zero for the
    /// background. If the software rasterizer draws ids, it is their depth (m).
    ///
    /// # Errors
    /// [`GpuError::Shader`]; [`GpuError::TooLarge`] or [`GpuError::Memory`] for pictures and crowds that do not fit;
    /// [`GpuError::NoFragmentWrites`] if fragment shaders cannot count pixels.
    pub fn aov(&mut self, gpu: &Gpu, view: &AovView<'_>, kinds: &[AovKind]) -> Result<Vec<wgpu::Texture>, GpuError> {
        let is_copied = |kind: &AovKind| *kind == AovKind::Depth && gpu.copies_depth();
        let mut drawn: Vec<AovKind> = kinds.iter().copied().filter(|kind| !is_copied(kind)).collect();
        if drawn.is_empty() && !kinds.is_empty() {
            // Depth needs at least one draw.
            drawn.push(AovKind::Ids);
        }
        // Depth is copied from the last draw. Ids come last, so that depth and ids agree to the pixel.
        drawn.sort_by_key(|kind| *kind == AovKind::Ids);
        let counted = view.boxes.is_some();
        self.crowd.prepare_aov(&drawn, counted)?;
        self.crowd.prepare_aov_background(&drawn)?;
        let outputs_ids = drawn.contains(&AovKind::Ids);
        if outputs_ids {
            self.crowd.prepare_ids(view.size, counted)?;
        }
        // LODs are those of the picture, since they depend on its sample count.
        let samples = self.options.samples;
        let uniforms = |input: &FrameInput| FrameUniforms::new(input, view.size, samples, false, 0);
        let (now, now_view) = (uniforms(view.input), view.input.view(view.size, false));
        let next = view
            .next
            .map(|next| (uniforms(next), next.view(view.size, false), next.clock));
        let next = next.as_ref().map(|(uniforms, view, clock)| AovFrame {
            uniforms,
            view,
            clock: *clock,
        });
        let now = AovFrame {
            uniforms: &now,
            view: &now_view,
            clock: view.input.clock,
        };
        let both = match next {
            Some(next) => Some(self.crowd.pose_both(now, next)?),
            None => {
                self.crowd.pose_aov(now);
                None
            }
        };
        let size = view.size;
        if self.aov.as_ref().is_none_or(|targets| targets.size != size) {
            self.aov = Some(self.aov_targets(gpu, size)?);
        }
        let Some(targets) = &mut self.aov else {
            return Ok(Vec::new());
        };
        self.counted = None;
        for kind in drawn {
            let target = targets.target(gpu, kind);
            let draw = |round: Option<&Round>| {
                let mut encoder = encoder(gpu, "aov");
                if kind == AovKind::Ids {
                    self.crowd.rasterise_ids(&mut encoder, round, view.only);
                }
                let mut pass = begin(&mut encoder, &target);
                self.crowd
                    .draw_aov(&mut pass, kind, round, size, both.as_ref(), view.only);
                if view.only.is_none() {
                    self.crowd.draw_aov_background(&mut pass, kind, size, both.as_ref());
                }
                drop(pass);
                if kind == AovKind::Ids {
                    self.crowd
                        .show_ids(&mut encoder, [target.view, target.depth], view.only.is_some());
                }
                gpu.queue.submit([encoder.finish()]);
            };
            match view.boxes.filter(|_| kind == AovKind::Ids) {
                Some(boxes) => {
                    let mut pending = PendingAmodal::of(boxes.len());
                    if view.keeps_masks {
                        pending.keep_masks(size.1);
                    }
                    self.counted = Some(count(gpu, &self.staging, boxes, pending, draw)?);
                }
                None => draw(None),
            }
        }
        let shown = self.crowd.shown_ids().filter(|_| outputs_ids);
        let texture = |kind: &AovKind| match (kind, shown) {
            (AovKind::Ids, Some([ids, _])) => ids.clone(),
            (AovKind::Depth, Some([_, depth])) if is_copied(kind) => depth.clone(),
            (AovKind::Depth, _) if is_copied(kind) => targets.depth_texture.clone(),
            _ => targets.target(gpu, *kind).texture.clone(),
        };
        Ok(kinds.iter().map(texture).collect())
    }

    /// Amodal extents of everyone in the picture of the last [`Renderer::aov`], by number; empty if it counted
    /// nobody.
    ///
    /// # Errors
    /// [`GpuError::Readback`]; [`GpuError::OutsideBox`].
    pub fn amodal(&mut self) -> Result<Vec<Amodal>, GpuError> {
        let gpu = self.crowd.gpu().clone();
        self.take_counted().wait(&gpu)
    }

    /// Amodal extents being read back from the GPU.
    pub(crate) fn take_counted(&mut self) -> PendingAmodal {
        self.counted.take().unwrap_or_default()
    }

    fn aov_targets(&self, gpu: &Gpu, size: (u32, u32)) -> Result<AovTargets, GpuError> {
        let what = format!("AOVs of {} x {} pixels", size.0, size.1);
        gpu.ensure_memory(&what, "use a smaller --size", || AovTargets::new(gpu, size))
    }
}

/// Draws ids until everyone is counted: once, unless the boxes need several rounds.
fn count(
    gpu: &Gpu,
    staging: &Staging,
    boxes: &[AmodalBox],
    mut pending: PendingAmodal,
    mut draw: impl FnMut(Option<&Round>),
) -> Result<PendingAmodal, GpuError> {
    let mut first = 0;
    loop {
        let round = Round::new(gpu, boxes, first)?;
        draw(Some(&round));
        first = round.end();
        pending.add(gpu, staging, round)?;
        if first >= boxes.len() {
            return Ok(pending);
        }
    }
}

/// Begins a pass with cleared AOV targets.
fn begin<'a>(encoder: &'a mut wgpu::CommandEncoder, target: &AovTarget<'_>) -> wgpu::RenderPass<'a> {
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("aov"),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: target.view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                store: wgpu::StoreOp::Store,
            },
        })],
        depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
            view: target.depth,
            depth_ops: Some(wgpu::Operations {
                load: wgpu::LoadOp::Clear(0.0),
                store: wgpu::StoreOp::Store,
            }),
            stencil_ops: None,
        }),
        ..Default::default()
    })
}
