//! Scene on the device, with renderers of every method.

use std::borrow::Cow;

use anyhow::{Context, Result};
use half::f16;
use rayon::prelude::*;

use crate::{
    aov::FrameParameters,
    bench::{
        SceneMethod,
        quality::{
            control::PlantedFault,
            plan::QualityScene,
            sweep::{Adders, SampleChoice},
        },
        scenes::plan,
    },
    config::LodQuality,
    file::LodCache,
    gpu::{Gpu, GpuError, PICTURE_FORMAT, PendingPicture, Staging, target_texture, whole_view},
    measure::FloatPicture,
    render::{FrameInput, RenderOptions, Renderer, ViewMode, heights::HEIGHT_BANDS},
    scene::{LodMaker, Scene, StartupTimes},
    view::Camera,
};

/// Number of samples of each height band at every pixel, rows top to bottom.
pub(super) type Heights = Vec<[u8; HEIGHT_BANDS as usize]>;

/// View and scene time of a picture.
#[derive(Clone, Debug)]
pub(super) struct QualityShot {
    /// Name of the view.
    pub view: String,
    /// Scene time (s).
    pub time: f64,
    /// Camera that replaces the view's.
    pub camera: Option<Camera>,
}

/// Scene and renderers of its methods. Full detail is drawn from the same draw lists as every method, with nobody left
/// out. The plain draw would lack the crowd shadow grid beyond the shadow map. The software rasterizer draws its many
/// pictures of one scene time if the device can, except in [`Studio::with_hardware_raster`].
pub(super) struct Studio<'a> {
    pub(super) gpu: &'a Gpu,
    pub(super) quality_scene: &'a QualityScene,
    scene: Scene,
    /// Renderers with the samples of the scene.
    sharp: Renderers,
    /// Renderers with one sample: with several, small triangles are shaded beyond their edges.
    single: Renderers,
    target: wgpu::TextureView,
    pub(super) staging: Staging,
    pub(super) adders: Adders,
    only_graphics: bool,
    /// Exposure: factor of light in tone mapping.
    pub(super) exposure: f32,
}

/// Renderers of a scene with a number of samples per pixel.
struct Renderers {
    listed: Renderer,
    /// Renderer with the software rasterizer, or the reason why there is none.
    compute: Result<Renderer, String>,
}

impl Renderers {
    fn open(gpu: &Gpu, quality_scene: &QualityScene, scene: &Scene, samples: u32) -> Result<Self> {
        let open = |way: SceneMethod| -> Result<Renderer, GpuError> {
            let mut config = quality_scene.config.clone();
            let path = way.apply(&mut config);
            config.render.msaa = samples;
            let options = RenderOptions::of_pictures(gpu, &config.render, &scene.characters, None, path);
            let mut renderer = Renderer::new(gpu, options)?;
            renderer.keep_radiance();
            renderer.disable_timing();
            renderer.prepare_heights()?;
            renderer.set_scene(scene)?;
            renderer.prepare(gpu, size(quality_scene))?;
            Ok(renderer)
        };
        Ok(Self {
            listed: open(SceneMethod::Auto)?,
            compute: match open(SceneMethod::Compute) {
                Ok(renderer) => match renderer.raster().1 {
                    Some(why) => Err(why),
                    None => Ok(renderer),
                },
                Err(error @ (GpuError::TooLarge { .. } | GpuError::Memory { .. })) => Err(error.to_string()),
                Err(error) => return Err(error.into()),
            },
        })
    }

    /// Returns the renderer of single pictures of a method.
    fn of(&mut self, way: SceneMethod) -> Result<&mut Renderer> {
        match (way, &mut self.compute) {
            (SceneMethod::Full | SceneMethod::Culled | SceneMethod::Auto, _) => Ok(&mut self.listed),
            (SceneMethod::Compute | SceneMethod::FullCompute, Ok(compute)) => Ok(compute),
            (SceneMethod::Compute | SceneMethod::FullCompute, Err(why)) => anyhow::bail!("{why}"),
            (SceneMethod::Compute32, _) => anyhow::bail!("pictures of `compute-32` are those of `compute`"),
            (SceneMethod::Preskinned, _) => anyhow::bail!("only methods with technique matrix are evaluated"),
        }
    }

    fn all(&mut self) -> impl Iterator<Item = &mut Renderer> {
        std::iter::once(&mut self.listed).chain(&mut self.compute)
    }
}

impl<'a> Studio<'a> {
    /// Loads a scene with its LODs and uploads it once for every renderer.
    ///
    /// # Errors
    /// A bad scene, a lost device, what does not fit.
    pub(super) fn open(gpu: &'a Gpu, quality_scene: &'a QualityScene) -> Result<Self> {
        let mut scene = Scene::load(&quality_scene.config, &mut StartupTimes::default())?;
        scene.load_or_make_lods(&LodMaker::new(LodCache::usual(), LodQuality::Judged, |_| ()));
        let size = size(quality_scene);
        let make = || target_texture(gpu, "picture", size, PICTURE_FORMAT, 1, wgpu::TextureUsages::COPY_DST);
        let target = gpu.ensure_memory("the picture", "use a smaller --size", make)?;
        let open = |samples: u32| Renderers::open(gpu, quality_scene, &scene, samples);
        let (sharp, single) = (open(quality_scene.config.render.msaa)?, open(1)?);
        gpu.check()?;
        let mut studio = Self {
            gpu,
            quality_scene,
            target: whole_view(&target, "picture"),
            staging: Staging::default(),
            adders: Adders::new(gpu, sharp.listed.options().samples)?,
            only_graphics: false,
            sharp,
            single,
            scene,
            exposure: 1.0,
        };
        // Views are checked first: an unknown one should not cost the pictures of the others.
        for view in &quality_scene.views {
            let input = studio.moment(SceneMethod::Full, &QualityShot::of(view, 0.0))?.input;
            studio.exposure = input.view(size, false).light.exposure;
        }
        Ok(studio)
    }

    /// Returns the number of people in the scene.
    pub(super) fn people(&self) -> u64 {
        self.scene.crowd.count() as u64
    }

    /// Returns the samples per pixel of a single picture.
    pub(super) fn samples(&self) -> u32 {
        self.sharp.listed.options().samples
    }

    /// Returns the reason why the software rasterizer cannot draw, if it cannot.
    pub(super) fn no_compute(&self) -> Option<&str> {
        let renderers = [&self.sharp, &self.single].into_iter();
        let mut whys = renderers.filter_map(|own| own.compute.as_ref().err());
        whys.next().map(String::as_str)
    }

    /// Uploads the scene with a planted fault, draws pictures, and restores it.
    pub(super) fn with_fault<T>(
        &mut self,
        control: PlantedFault,
        pictures: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let before = control.apply(&mut self.scene);
        let taken = match self.upload() {
            Ok(()) => pictures(self),
            Err(error) => Err(error.into()),
        };
        before.restore(&mut self.scene);
        self.upload()?;
        taken
    }

    /// Draws all pictures of full detail with the hardware rasterizer.
    pub(super) fn with_hardware_raster<T>(&mut self, pictures: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.only_graphics = true;
        let taken = pictures(self);
        self.only_graphics = false;
        taken
    }

    fn upload(&mut self) -> Result<(), GpuError> {
        for renderer in self.sharp.all().chain(self.single.all()) {
            renderer.set_scene(&self.scene)?;
            renderer.prepare(self.gpu, size(self.quality_scene))?;
        }
        Ok(())
    }

    /// Returns camera, light and time of a shot.
    pub(super) fn moment(&self, way: SceneMethod, shot: &QualityShot) -> Result<FrameParameters> {
        let mut config = self.quality_scene.config.clone();
        way.apply(&mut config);
        config.camera.start.clone_from(&shot.view);
        if let Some(camera) = shot.camera {
            return Ok(FrameParameters::seen_by(&config, camera, shot.time));
        }
        let place = plan::SceneView {
            view: Some(shot.view.clone()),
            ..self.quality_scene.place.clone()
        };
        plan::moment(&place, &config, &self.scene, shot.time)
    }

    /// Draws a single picture: linear light as four half floats per pixel.
    pub(super) fn radiance(&mut self, way: SceneMethod, shot: &QualityShot) -> Result<Vec<u8>> {
        Ok(self.queue_radiance(way, shot)?.wait(self.gpu)?)
    }

    /// Tone maps linear light.
    pub(super) fn tone_mapped(&self, radiance: &[u8]) -> FloatPicture {
        let texels: Vec<[f16; 4]> = bytemuck::pod_collect_to_vec(radiance);
        let light: Vec<[f32; 3]> = texels.par_iter().map(light).collect();
        FloatPicture::of_radiance(&light, self.exposure, size(self.quality_scene))
    }

    /// Submits a single picture, which may be waited for later.
    pub(super) fn queue_radiance(&mut self, way: SceneMethod, shot: &QualityShot) -> Result<PendingPicture> {
        let input = self.moment(way, shot)?.input;
        let drawn = render_picture(
            self.gpu,
            self.sharp.of(way)?,
            &self.target,
            size(self.quality_scene),
            &input,
        )?;
        self.copy(&drawn)
    }

    /// Submits a picture of full detail that shows where people are.
    pub(super) fn queue_people(&mut self, shot: &QualityShot) -> Result<PendingPicture> {
        let input = height_input(self.moment(SceneMethod::Full, shot)?.input);
        let drawn = self.draw(SampleChoice::Own, SceneMethod::Full, &input)?;
        self.copy(&drawn)
    }

    /// Reads back the picture of [`Studio::queue_people`]: true for pixels that show people.
    pub(super) fn people_shown(&self, asked: PendingPicture) -> Result<Vec<bool>> {
        // Band numbers begin at 1 and are averaged over the samples: half of the smallest mean separates people from
        // nothing.
        let least = 0.5 / self.samples() as f32;
        let shown = |texel: &[f16; 4]| texel[0].to_f32().max(texel[1].to_f32()) >= least;
        Ok(asked.read(self.gpu, |bytes| texels(bytes).par_iter().map(shown).collect())?)
    }

    /// Reads back the picture of [`Studio::queue_radiance`] as display luminance of every pixel.
    pub(super) fn luminance(&self, asked: PendingPicture) -> Result<Vec<f32>> {
        let exposure = self.exposure;
        let shown = |texel: &[f16; 4]| FloatPicture::luminance_of_radiance(light(texel), exposure);
        Ok(asked.read(self.gpu, |bytes| texels(bytes).par_iter().map(shown).collect())?)
    }

    /// Draws one of many pictures of a scene time. The caller adds it up or copies it before the next one is drawn.
    pub(super) fn draw(
        &mut self,
        samples: SampleChoice,
        way: SceneMethod,
        input: &FrameInput,
    ) -> Result<wgpu::Texture> {
        let renderers = match samples {
            SampleChoice::One => &mut self.single,
            SampleChoice::Own => &mut self.sharp,
        };
        let renderer = match (way, &mut renderers.compute) {
            (SceneMethod::Full, Ok(compute)) if !self.only_graphics => compute,
            _ => renderers.of(way)?,
        };
        render_picture(self.gpu, renderer, &self.target, size(self.quality_scene), input)
    }

    fn copy(&self, drawn: &wgpu::Texture) -> Result<PendingPicture> {
        let copy = PendingPicture::copy(self.gpu, &self.staging, drawn);
        self.gpu.check()?;
        Ok(copy)
    }
}

/// Draws a picture and returns its radiance, before tone mapping.
fn render_picture(
    gpu: &Gpu,
    renderer: &mut Renderer,
    target: &wgpu::TextureView,
    size: (u32, u32),
    input: &FrameInput,
) -> Result<wgpu::Texture> {
    renderer.draw(gpu, target, size, input);
    Ok(renderer.radiance().context("a picture that was not kept")?.clone())
}

/// Views the bytes of a picture as texels.
fn texels(bytes: &[u8]) -> Cow<'_, [[f16; 4]]> {
    bytemuck::try_cast_slice(bytes).map_or_else(|_| bytemuck::pod_collect_to_vec(bytes).into(), Cow::Borrowed)
}

impl QualityShot {
    /// Makes the shot of a view at a scene time (s).
    pub(super) fn of(view: &str, time: f64) -> Self {
        Self {
            view: view.to_owned(),
            time,
            camera: None,
        }
    }
}

/// Returns the size of the pictures (px).
pub(super) fn size(quality_scene: &QualityScene) -> (u32, u32) {
    (quality_scene.config.window.width, quality_scene.config.window.height)
}

/// Returns linear light. NaN is black, as in tone mapping, and infinity is the largest half float.
fn light(texel: &[f16; 4]) -> [f32; 3] {
    let finite = |value: f16| match value.is_nan() {
        true => 0.0,
        false => value.to_f32().min(f16::MAX.to_f32()),
    };
    [texel[0], texel[1], texel[2]].map(finite)
}

/// Makes the input of a picture that shows height bands.
pub(super) fn height_input(mut input: FrameInput) -> FrameInput {
    input.mode = ViewMode::Heights;
    // Shadows are invisible in this picture.
    input.look.shadows = false;
    input
}
