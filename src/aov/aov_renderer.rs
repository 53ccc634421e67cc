//! AOV renderer: an adapter, a scene, and pictures and AOVs of it.

use std::sync::Arc;

use anyhow::Result;

use crate::{
    aov::{AovImages, FrameParameters, Opening, Populator, boxes::boxes_of},
    config::Config,
    film::{PendingPictureLight, render_light},
    gpu::{
        AdapterChoice, Gpu, GpuError, PICTURE_FORMAT, PICTURE_USAGES, PendingPicture, Staging, target_texture,
        whole_view,
    },
    render::{
        Amodal, AovView, DrawPath, Renderer,
        crowd::{AmodalRuns, PendingAmodal},
        passes::AovKind,
        resources::AtlasSource,
    },
    scene::{LodMaker, Scene, StartupTimes},
};

/// Scene on an adapter, with a renderer of pictures and AOVs.
pub struct AovRenderer {
    /// The device.
    pub gpu: Gpu,
    /// Scene, shared with the labels of its pictures.
    pub scene: Arc<Scene>,
    renderer: Renderer,
    /// Maker of LODs, if LODs are drawn and this renderer loads scenes.
    lods: Option<Arc<LodMaker>>,
    /// Texture that pictures are drawn into.
    target: Option<wgpu::Texture>,
    /// Staging buffers for readback.
    staging: Staging,
}

/// AOVs that are being read back; any thread may wait for them.
pub(crate) struct PendingAovs {
    size: (u32, u32),
    /// Kind and texture of each AOV. Depth from a depth buffer also has the near distance (m).
    layers: Vec<(AovKind, PendingPicture, Option<f32>)>,
}

impl PendingAovs {
    /// # Errors
    /// A lost device.
    pub(crate) fn wait(self, gpu: &Gpu) -> Result<AovImages, GpuError> {
        let mut numbers = AovImages {
            size: self.size,
            ..AovImages::default()
        };
        for (kind, layer, near) in self.layers {
            layer.read(gpu, |bytes| numbers.add(kind, bytes, near))?;
        }
        Ok(numbers)
    }
}

impl AovRenderer {
    /// Opens an adapter and uploads the scene of a configuration, with its LODs.
    ///
    /// # Errors
    /// A faulty scene, no adapter, a scene that does not fit.
    pub fn open(
        config: &Config,
        adapter: &AdapterChoice,
        how: (Option<AtlasSource>, DrawPath),
        lods: LodMaker,
    ) -> Result<Self> {
        let opening = Opening::new(config, adapter, how, &lods, &mut StartupTimes::default())?;
        Ok(Self {
            lods: opening.lods.then(|| Arc::new(lods)),
            ..Self::new(opening.gpu, opening.scene, opening.renderer)
        })
    }

    /// Makes an AOV renderer of a scene that is on a device already; its renderer draws into [`PICTURE_FORMAT`].
    #[must_use]
    pub fn new(gpu: Gpu, scene: Scene, mut renderer: Renderer) -> Self {
        renderer.disable_timing();
        Self {
            gpu,
            scene: Arc::new(scene),
            renderer,
            lods: None,
            target: None,
            staging: Staging::default(),
        }
    }

    /// Replaces the crowd by that of another configuration with the same characters.
    ///
    /// # Errors
    /// A faulty scene, or one that does not fit; the previous crowd stays.
    pub fn repopulate(&mut self, config: &Config) -> Result<()> {
        let scene = self.populator().repopulate(config)?;
        Ok(self.show(scene)?)
    }

    /// Returns a maker of scenes with the same characters, for any thread.
    #[must_use]
    pub fn populator(&self) -> Populator {
        Populator {
            scene: self.scene.clone(),
            lods: self.lods.clone(),
        }
    }

    /// Replaces the crowd by that of a scene of [`AovRenderer::populator`].
    ///
    /// # Errors
    /// A scene that does not fit; the previous crowd stays.
    pub fn show(&mut self, scene: Arc<Scene>) -> Result<(), GpuError> {
        self.renderer.set_crowd_and_scenery(&scene)?;
        self.scene = scene;
        Ok(())
    }

    /// Draws a picture averaged over several frame parameters in linear light (motion blur): RGBA8 in sRGB.
    ///
    /// # Errors
    /// A lost device, a picture that does not fit.
    pub fn picture(&mut self, moments: &[FrameParameters], size: (u32, u32)) -> Result<Vec<u8>> {
        self.capture(moments, size)?.encode(&self.gpu)
    }

    /// Submits a picture as [`AovRenderer::picture`] draws it, without waiting.
    pub(crate) fn capture(&mut self, moments: &[FrameParameters], size: (u32, u32)) -> Result<PendingPictureLight> {
        self.renderer.prepare(&self.gpu, size)?;
        let fits = |target: &&wgpu::Texture| (target.width(), target.height()) == size;
        let target = match self.target.as_ref().filter(fits) {
            Some(target) => target.clone(),
            None => {
                let make = || target_texture(&self.gpu, "picture", size, PICTURE_FORMAT, 1, PICTURE_USAGES);
                self.gpu.ensure_memory("the picture", "use a smaller --size", make)?
            }
        };
        self.target = Some(target.clone());
        let (gpu, renderer, staging) = (&self.gpu, &mut self.renderer, &self.staging);
        let view = whole_view(&target, "picture");
        render_light(gpu, moments, |moment: &FrameParameters| {
            renderer.draw(gpu, &view, size, &moment.input);
            let copy = PendingPicture::copy(gpu, staging, &target);
            gpu.check()?;
            Ok(copy)
        })
    }

    /// Draws AOVs of every pixel. Motion vectors need the next frame parameters.
    ///
    /// # Errors
    /// A lost device, or AOVs that do not fit.
    pub fn numbers(
        &mut self,
        moment: &FrameParameters,
        next: Option<&FrameParameters>,
        size: (u32, u32),
        kinds: &[AovKind],
    ) -> Result<AovImages> {
        Ok(self.submit_numbers(moment, next, size, kinds)?.wait(&self.gpu)?)
    }

    /// Submits AOVs as [`AovRenderer::numbers`] draws them, without waiting.
    pub(crate) fn submit_numbers(
        &mut self,
        moment: &FrameParameters,
        next: Option<&FrameParameters>,
        size: (u32, u32),
        kinds: &[AovKind],
    ) -> Result<PendingAovs, GpuError> {
        let view = AovView {
            size,
            input: &moment.input,
            next: next.map(|next| &next.input),
            only: None,
            boxes: None,
            keeps_masks: false,
        };
        self.look(&view, kinds)
    }

    /// Submits AOVs, ids among them, and the amodal extents of everyone, with their masks if those are kept.
    pub(crate) fn submit_counted(
        &mut self,
        moment: &FrameParameters,
        next: Option<&FrameParameters>,
        size: (u32, u32),
        kinds: &[AovKind],
        keeps_masks: bool,
    ) -> Result<(PendingAovs, PendingAmodal), GpuError> {
        let boxes = boxes_of(&self.scene, moment, size);
        let view = AovView {
            size,
            input: &moment.input,
            next: next.map(|next| &next.input),
            only: None,
            boxes: Some(&boxes),
            keeps_masks,
        };
        let numbers = self.look(&view, kinds)?;
        Ok((numbers, self.renderer.take_counted()))
    }

    /// Draws AOVs of one person (by number) without occluders.
    ///
    /// # Errors
    /// Errors of [`AovRenderer::numbers`].
    pub fn numbers_of(
        &mut self,
        person: u32,
        moment: &FrameParameters,
        size: (u32, u32),
        kinds: &[AovKind],
    ) -> Result<AovImages> {
        let view = AovView {
            size,
            input: &moment.input,
            next: None,
            only: Some(person),
            boxes: None,
            keeps_masks: false,
        };
        Ok(self.look(&view, kinds)?.wait(&self.gpu)?)
    }

    fn look(&mut self, view: &AovView<'_>, kinds: &[AovKind]) -> Result<PendingAovs, GpuError> {
        let textures = self.renderer.aov(&self.gpu, view, kinds)?;
        let copied = kinds.iter().zip(&textures);
        // The projection is reversed and infinite: in clip space, z of every point is the near distance.
        let near = view.input.projection_from_world.row(2).w;
        let layers = copied.map(|(&kind, texture)| {
            let near = texture.format().is_depth_stencil_format().then_some(near);
            (kind, PendingPicture::copy(&self.gpu, &self.staging, texture), near)
        });
        let pending = PendingAovs {
            size: view.size,
            layers: layers.collect(),
        };
        self.gpu.check()?;
        Ok(pending)
    }

    /// Returns the amodal extents of everyone in a picture, by number.
    ///
    /// # Errors
    /// Errors of [`Renderer::aov`] and [`Renderer::amodal`].
    pub fn amodal(&mut self, moment: &FrameParameters, size: (u32, u32)) -> Result<Vec<Amodal>> {
        let (_, amodal) = self.submit_counted(moment, None, size, &[AovKind::Ids], false)?;
        Ok(amodal.wait(&self.gpu)?)
    }

    /// Returns the amodal extents as [`AovRenderer::amodal`] does, and the masks if they are kept.
    pub(crate) fn amodal_people(
        &mut self,
        moment: &FrameParameters,
        size: (u32, u32),
        keeps_masks: bool,
    ) -> Result<(Vec<Amodal>, Vec<AmodalRuns>)> {
        let (_, amodal) = self.submit_counted(moment, None, size, &[AovKind::Ids], keeps_masks)?;
        Ok(amodal.wait_with_masks(&self.gpu)?)
    }
}
