//! Comparison of a scene's pictures: controls first, then every method, by view and scene time.

use anyhow::Result;
use rayon::prelude::*;

use crate::{
    bench::{
        SceneMethod,
        quality::{
            control::{PLANTED_FAULTS, PlantedFault},
            plan::QualityScene,
            popping::{self, Popping},
            spot::{Crop, WorstCrop},
            studio::{QualityShot, Studio},
            sums::{self, BandSums, ComparedPictures, ReferenceView},
        },
        run::progress::BenchProgress,
    },
    gpu::Gpu,
};

/// Bytes per pixel of radiance.
const TEXEL: usize = 8;

/// Sums of the pictures of one method.
#[derive(Clone, Debug)]
pub(super) struct MethodInspection {
    pub way: SceneMethod,
    /// Sums by view, in the order of the scene's views.
    pub views: Vec<BandSums>,
    pub spot: Option<WorstCrop>,
    pub popping: Option<Popping>,
}

impl MethodInspection {
    fn at_nothing(way: SceneMethod, quality_scene: &QualityScene) -> Self {
        Self {
            way,
            views: vec![BandSums::default(); quality_scene.views.len()],
            spot: None,
            popping: None,
        }
    }

    /// Adds the differences of the pictures of one scene time to the sums of a view.
    fn add(&mut self, view: usize, reference_view: &ReferenceView, shot: &QualityShot, subject: &ComparedPictures) {
        sums::add(&mut self.views[view], &reference_view.compare(subject));
        let (difference, corner) = reference_view.worst_spot(subject);
        if self.spot.as_ref().is_none_or(|worst| difference > worst.difference) {
            let pictures = [&reference_view.fine, &reference_view.sharp, &subject.sharp];
            self.spot = Some(WorstCrop {
                difference,
                view: shot.view.clone(),
                time: shot.time,
                corner,
                pictures: pictures.map(|picture| Crop::around(picture, corner)).to_vec(),
            });
        }
    }
}

/// Results of the comparison of a scene.
pub(super) struct Inspection<'a> {
    studio: Studio<'a>,
    progress: &'a BenchProgress,
    pub quality_scene: &'a QualityScene,
    /// Sums of the controls over all views, at the first scene time.
    pub controls: Vec<BandSums>,
    pub ways: Vec<MethodInspection>,
    /// Reason why the software rasterizer did not draw people.
    pub no_compute: Option<String>,
    /// Full detail by the hardware rasterizer at the first time of the first view. Only if the software rasterizer
    /// draws the reference.
    pub graphics: Option<MethodInspection>,
    pub people: u64,
    pub samples: u32,
    /// Number of pictures (view and scene time) that were compared.
    pub compared: u32,
    /// Number of pixels that differ with culling switched off.
    pub culling: u64,
}

impl<'a> Inspection<'a> {
    /// Loads a scene and its renderers.
    ///
    /// # Errors
    /// As [`Studio::open`].
    pub(super) fn open(gpu: &'a Gpu, quality_scene: &'a QualityScene, progress: &'a BenchProgress) -> Result<Self> {
        progress.prepare(&format!("{}: loading", quality_scene.place.scene));
        let studio = Studio::open(gpu, quality_scene)?;
        let ways = match studio.no_compute() {
            Some(_) => vec![SceneMethod::Auto],
            None => vec![SceneMethod::Auto, SceneMethod::Compute],
        };
        let inspected = |way: &SceneMethod| MethodInspection::at_nothing(*way, quality_scene);
        Ok(Self {
            progress,
            quality_scene,
            controls: vec![BandSums::default(); PLANTED_FAULTS.len()],
            ways: ways.iter().map(inspected).collect(),
            no_compute: studio.no_compute().map(str::to_owned),
            people: studio.people(),
            samples: studio.samples(),
            graphics: None,
            compared: 0,
            culling: 0,
            studio,
        })
    }

    /// Draws and compares all pictures, or those before a stop.
    ///
    /// # Errors
    /// A lost device, a rejected frame; earlier comparisons stay.
    pub(super) fn run(&mut self) -> Result<()> {
        let quality_scene = self.quality_scene;
        for (number, view) in quality_scene.views.iter().enumerate() {
            for (moment, &time) in quality_scene.moments.iter().enumerate() {
                if self.progress.stopped() {
                    return Ok(());
                }
                self.say(&format!("{view}, {time} s"));
                let shot = QualityShot::of(view, time);
                let (reference_view, everyone) = self.reference_view(&shot)?;
                if moment == 0 {
                    self.controls(&reference_view, &shot)?;
                }
                if moment == 0 && number == 0 && self.no_compute.is_none() {
                    self.graphics(&reference_view, &shot)?;
                }
                self.culling(&shot, &everyone)?;
                for way in 0..self.ways.len() {
                    self.look(way, number, &reference_view, &shot)?;
                }
                self.compared += 1;
                self.progress.done(1);
            }
        }
        self.dolly()
    }

    fn say(&self, what: &str) {
        self.progress
            .prepare(&format!("{}: {what}", self.quality_scene.place.scene));
    }

    /// Draws full detail at a scene time; returns the reference view and the radiance of the single picture.
    fn reference_view(&mut self, shot: &QualityShot) -> Result<(ReferenceView, Vec<u8>)> {
        let studio = &mut self.studio;
        let [fine, right, down] = studio.fine_and_moved(shot)?;
        let heights = studio.heights(SceneMethod::Full, shot)?;
        let radiance = studio.radiance(SceneMethod::Full, shot)?;
        let sharp = studio.tone_mapped(&radiance);
        Ok((ReferenceView::new(fine, sharp, [&right, &down], heights), radiance))
    }

    fn controls(&mut self, reference_view: &ReferenceView, shot: &QualityShot) -> Result<()> {
        for (number, (name, control)) in PLANTED_FAULTS.into_iter().enumerate() {
            if self.progress.stopped() {
                return Ok(());
            }
            self.say(&format!("{}, control: {name}", shot.view));
            let found = self.control(control, reference_view, shot)?;
            sums::add(&mut self.controls[number], &found);
            self.progress.done(1);
        }
        Ok(())
    }

    fn control(
        &mut self,
        control: PlantedFault,
        reference_view: &ReferenceView,
        shot: &QualityShot,
    ) -> Result<BandSums> {
        let pictures = |studio: &mut Studio<'_>| subject(studio, SceneMethod::Full, shot);
        Ok(reference_view.compare(&self.studio.with_fault(control, pictures)?))
    }

    fn look(&mut self, way: usize, view: usize, reference_view: &ReferenceView, shot: &QualityShot) -> Result<()> {
        let inspected = &mut self.ways[way];
        let subject = subject(&mut self.studio, inspected.way, shot)?;
        inspected.add(view, reference_view, shot, &subject);
        Ok(())
    }

    /// Compares full detail by the hardware rasterizer with that by the software rasterizer.
    fn graphics(&mut self, reference_view: &ReferenceView, shot: &QualityShot) -> Result<()> {
        self.say(&format!("{}, full detail by the hardware rasterizer", shot.view));
        let subject = self
            .studio
            .with_hardware_raster(|studio| subject(studio, SceneMethod::Full, shot))?;
        let mut inspected = MethodInspection::at_nothing(SceneMethod::Full, self.quality_scene);
        inspected.add(0, reference_view, shot, &subject);
        self.graphics = Some(inspected);
        Ok(())
    }

    /// Compares culled full detail with that of everyone, bit by bit.
    fn culling(&mut self, shot: &QualityShot, everyone: &[u8]) -> Result<()> {
        let culled = self.studio.radiance(SceneMethod::Culled, shot)?;
        let pixels = culled.par_chunks_exact(TEXEL).zip(everyone.par_chunks_exact(TEXEL));
        self.culling += pixels.filter(|(a, b)| a != b).count() as u64;
        Ok(())
    }

    fn dolly(&mut self) -> Result<()> {
        let (Some(view), Some(&time)) = (self.quality_scene.views.first(), self.quality_scene.moments.first()) else {
            return Ok(());
        };
        self.say(&format!("{view}, popping"));
        let ways: Vec<SceneMethod> = self.ways.iter().map(|inspected| inspected.way).collect();
        let shot = QualityShot::of(view, time);
        let found = popping::dolly(&mut self.studio, self.progress, &ways, &shot, self.quality_scene.dolly)?;
        for (inspected, popping) in self.ways.iter_mut().zip(found) {
            inspected.popping = popping;
        }
        Ok(())
    }
}

/// Draws all pictures of a method at a scene time.
fn subject(studio: &mut Studio<'_>, way: SceneMethod, shot: &QualityShot) -> Result<ComparedPictures> {
    let radiance = studio.radiance(way, shot)?;
    Ok(ComparedPictures {
        fine: studio.fine(way, shot)?,
        heights: studio.heights(way, shot)?,
        sharp: studio.tone_mapped(&radiance),
    })
}
