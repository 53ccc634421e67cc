//! Recording of a picture, its AOVs and its labels as files side by side: `00007.png`, `00007.depth.exr`, `00007.json`,
//! `00007.labels.json`, `00007.density.exr`.

use std::{path::Path, sync::Arc};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::{
    aov::{
        AovImages, AovRenderer, FrameParameters, LensWarp, PendingAovs, Populator, camera_json, encode_pass,
        with_suffix,
    },
    config::Config,
    file::{
        exr::{self, CameraMatrices, ExrChannel, ExrSamples},
        output::Output,
    },
    film::PendingPictureLight,
    gpu::Gpu,
    label::{
        Body, Labels, PictureRequest, density,
        formats::LabelledPicture,
        head_point,
        labels::{AmodalPeople, LabelScene},
    },
    render::{crowd::PendingAmodal, passes::AovKind},
    scene::Scene,
};

/// Records pictures of a scene.
pub struct Recorder {
    aov_renderer: AovRenderer,
    wanted: Arc<PictureRequest>,
    /// Bodies of the scene's characters, if labels are requested.
    bodies: Arc<Vec<Body>>,
}

impl Recorder {
    /// Makes a recorder of the requested outputs.
    #[must_use]
    pub fn new(aov_renderer: AovRenderer, wanted: PictureRequest) -> Self {
        let labels = wanted.labels.as_ref();
        let bodies = labels.map(|labels| Body::of_all(&aov_renderer.scene, labels));
        Self {
            aov_renderer,
            wanted: Arc::new(wanted),
            bodies: Arc::new(bodies.unwrap_or_default()),
        }
    }

    /// Returns the AOV renderer of the pictures.
    #[must_use]
    pub const fn aov_renderer(&self) -> &AovRenderer {
        &self.aov_renderer
    }

    /// Returns the requested outputs.
    #[must_use]
    pub fn wanted(&self) -> &PictureRequest {
        &self.wanted
    }

    /// Replaces the crowd by that of another configuration with the same characters.
    ///
    /// # Errors
    /// Errors of [`AovRenderer::repopulate`].
    pub fn repopulate(&mut self, config: &Config) -> Result<()> {
        self.aov_renderer.repopulate(config)
    }

    /// Returns a maker of scenes with the same characters, for any thread.
    #[must_use]
    pub fn populator(&self) -> Populator {
        self.aov_renderer.populator()
    }

    /// Replaces the crowd by that of a scene of [`Recorder::populator`].
    ///
    /// # Errors
    /// Errors of [`AovRenderer::show`].
    pub fn show(&mut self, scene: Arc<Scene>) -> Result<()> {
        Ok(self.aov_renderer.show(scene)?)
    }

    /// Records a picture: the light of all `moments` (motion blur), AOVs and labels of the first. `next` has the frame
    /// parameters of the next picture, which motion vectors need.
    ///
    /// # Errors
    /// A lost device, a picture that does not fit, an adapter that cannot draw labels.
    pub fn record(
        &mut self,
        number: u64,
        moments: &[FrameParameters],
        next: Option<&FrameParameters>,
    ) -> Result<RecordedPicture> {
        self.capture(number, moments, next)?.encode()
    }

    /// Submits a picture as [`Recorder::record`] does. Any thread may finish it while the next one is drawn.
    ///
    /// # Errors
    /// Errors of [`Recorder::record`].
    pub fn capture(
        &mut self,
        number: u64,
        moments: &[FrameParameters],
        next: Option<&FrameParameters>,
    ) -> Result<LabelCapture> {
        let wanted = &self.wanted;
        let moment = moments.first().context("a picture without frame parameters")?;
        let drawn: Vec<FrameParameters> = moments.iter().map(|one| one.drawn(wanted.size).0.clone()).collect();
        let (pinhole, size) = moment.drawn(wanted.size);
        let color = wanted.passes.color.then(|| self.aov_renderer.capture(&drawn, size));
        let color = color.transpose()?;
        let kinds = wanted.kinds();
        let next = next.filter(|_| kinds.contains(&AovKind::Motion));
        let pinhole_next = next.map(|next| next.drawn(wanted.size).0);
        let (numbers, amodal) = match (&wanted.labels, &kinds[..]) {
            (Some(labels), kinds) => {
                // Boxes and counts of a lens come from masks.
                let keeps_masks = labels.amodal_masks || moment.lens.is_some();
                let (numbers, amodal) =
                    self.aov_renderer
                        .submit_counted(pinhole, pinhole_next, size, kinds, keeps_masks)?;
                (Some(numbers), Some(amodal))
            }
            (None, []) => (None, None),
            (None, kinds) => {
                let numbers = self.aov_renderer.submit_numbers(pinhole, pinhole_next, size, kinds)?;
                (Some(numbers), None)
            }
        };
        Ok(LabelCapture {
            gpu: self.aov_renderer.gpu.clone(),
            scene: self.aov_renderer.scene.clone(),
            wanted: self.wanted.clone(),
            bodies: self.bodies.clone(),
            number,
            moment: moment.clone(),
            next: next.cloned(),
            color,
            numbers,
            amodal,
        })
    }
}

/// Submitted picture that is being read back.
pub struct LabelCapture {
    gpu: Gpu,
    scene: Arc<Scene>,
    wanted: Arc<PictureRequest>,
    bodies: Arc<Vec<Body>>,
    number: u64,
    moment: FrameParameters,
    next: Option<FrameParameters>,
    color: Option<PendingPictureLight>,
    numbers: Option<PendingAovs>,
    amodal: Option<PendingAmodal>,
}

impl LabelCapture {
    /// Returns the scene of the picture.
    #[must_use]
    pub const fn scene(&self) -> &Arc<Scene> {
        &self.scene
    }

    /// Waits for the picture and labels it.
    ///
    /// # Errors
    /// A lost device.
    pub fn encode(self) -> Result<RecordedPicture> {
        let gpu = &self.gpu;
        let color = self.color.map(|light| light.encode(gpu)).transpose()?;
        let numbers = self.numbers.map(|numbers| numbers.wait(gpu)).transpose()?;
        let amodal = self.amodal.map(|amodal| amodal.wait_with_masks(gpu)).transpose()?;
        let (color, numbers, amodal) = match LensWarp::of(&self.moment, self.wanted.size) {
            Some(warp) => (
                color.map(|color| warp.color(&color)),
                numbers.map(|numbers| warp.aovs(&numbers)),
                amodal.map(|(extents, masks)| warp.amodal(&extents, &masks)),
            ),
            None => (color, numbers, amodal),
        };
        let labels = match (&self.wanted.labels, &numbers, amodal) {
            (Some(options), Some(numbers), Some((extents, masks))) => {
                let scene = LabelScene {
                    scene: &self.scene,
                    bodies: &self.bodies,
                    options,
                };
                let amodal = AmodalPeople { extents, masks };
                Some(Labels::from_aovs(scene, &self.moment, numbers, &amodal))
            }
            _ => None,
        };
        Ok(RecordedPicture {
            number: self.number,
            moment: self.moment,
            next: self.next,
            color,
            numbers,
            labels,
        })
    }
}

/// Picture with AOVs and labels.
#[derive(Clone, Debug)]
pub struct RecordedPicture {
    /// Number of the picture: frame of a film, or picture of a set.
    pub number: u64,
    /// Frame parameters of the picture.
    pub moment: FrameParameters,
    /// Frame parameters of the next picture, to which motion vectors lead.
    pub next: Option<FrameParameters>,
    /// Colours (RGBA8 in sRGB).
    pub color: Option<Vec<u8>>,
    /// AOVs of every pixel, if passes or labels were requested.
    pub numbers: Option<AovImages>,
    /// Labels of the people.
    pub labels: Option<Labels>,
}

impl RecordedPicture {
    /// Writes all files of the picture `stem`.png, each whole or not at all, labels last.
    ///
    /// # Errors
    /// Errors of writing, for example a full disk.
    pub fn write(&self, wanted: &PictureRequest, stem: &Path) -> Result<()> {
        if let Some(color) = &self.color {
            Output::create(&with_suffix(stem, "png"))?.write_png(color, wanted.size)?;
        }
        let camera = CameraMatrices {
            view_from_world: self.moment.view_from_world(),
            projection_from_world: self.moment.input.projection_from_world,
        };
        if let Some(numbers) = &self.numbers {
            for &kind in &wanted.passes.kinds {
                let bytes = encode_pass(numbers, &wanted.passes, kind, camera)?;
                Output::create(&wanted.passes.path(stem, kind))?.write(&bytes)?;
            }
        }
        if !wanted.passes.kinds.is_empty() {
            let told = camera_json(&self.moment, self.next.as_ref(), wanted.size, &wanted.passes, stem);
            write_json(&with_suffix(stem, "json"), &told)?;
        }
        let (Some(labels), Some(options), Some(aovs)) = (&self.labels, &wanted.labels, &self.numbers) else {
            return Ok(());
        };
        if let Some(sigma) = options.density {
            let heads = labels.people.iter().map(|person| head_point(person, labels.joints));
            let map = ExrSamples::F32(density(&heads.collect::<Vec<_>>(), wanted.size, sigma));
            let bytes = exr::encode(wanted.size, vec![ExrChannel::new("density", map)], None)?;
            Output::create(&with_suffix(stem, "density.exr"))?.write(&bytes)?;
        }
        let picture = LabelledPicture {
            number: self.number,
            stem,
            moment: &self.moment,
            aovs,
            labels,
            options,
        };
        for writer in options.formats.writers() {
            writer.write(&picture)?;
        }
        Ok(())
    }
}

fn write_json(path: &Path, value: &Value) -> Result<()> {
    let text = serde_json::to_string(value)? + "\n";
    Output::create(path)?.write(text.as_bytes())
}
