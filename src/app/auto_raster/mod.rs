//! Rasterizer setting `auto` in the window: the faster of hardware and software rasterizer for the scene and adapter.
//! A rule decides at once; one measurement, kept for the adapter and its driver, refines it.

mod autotune_key;
mod kept_times;
mod result;
mod rule;
pub(crate) mod trial;

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

pub(crate) use autotune_key::AutotuneKey;
pub(crate) use kept_times::KeptTimes;
pub(crate) use result::{AutotuneResult, TimingBasis};
pub(crate) use rule::Workload;

use crate::{
    app::{
        auto_raster::{
            autotune_key::SettleTimer,
            rule::{AdapterClass, RasterRule, RuleResult},
        },
        state::AppState,
    },
    config::Raster,
    gpu::{AdapterFacts, Gpu, GpuError},
    render::passes::raster::{UnsupportedReason, prefers_compute, supports_technique},
};

/// Reason why nothing is timed, short and as a sentence, and the rasterizer used instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AutotuneUnsupported {
    pub used: Raster,
    pub short: String,
    pub long: String,
}

impl AutotuneUnsupported {
    /// Reason against timing on a device: the software rasterizer is unsupported, or a CPU adapter's frames could block
    /// the window.
    #[must_use]
    pub(crate) fn of(gpu: &Gpu) -> Option<Self> {
        let name = gpu.facts.name.as_str();
        match UnsupportedReason::of(gpu) {
            Some(unsupported_reason) => Some(Self::lacking(unsupported_reason, name)),
            None => gpu.facts.is_software().then(|| Self {
                used: Raster::Hardware,
                short: "CPU adapter".to_owned(),
                long: format!(
                    "the hardware rasterizer draws: {name} runs on the CPU, where one frame of the software rasterizer \
                     can block the window for seconds; set the rasterizer to compute to use it"
                ),
            }),
        }
    }

    /// Reason if the other rasterizer cannot be opened to be timed: the one in use stays.
    pub(crate) fn no_memory(used: Raster, why: &GpuError) -> Self {
        Self {
            used,
            short: "no memory to measure".into(),
            long: format!("cannot time the other rasterizer: {why}"),
        }
    }

    fn lacking(unsupported_reason: UnsupportedReason, adapter: &str) -> Self {
        Self {
            used: Raster::Hardware,
            short: unsupported_reason.short().to_owned(),
            long: format!(
                "the hardware rasterizer draws: {}",
                unsupported_reason.sentence(adapter)
            ),
        }
    }
}

/// Reason for the rasterizer in use.
#[derive(Clone, Debug, Default, PartialEq)]
enum Why {
    /// Nothing is known of the scene yet; the rasterizer in use stays.
    #[default]
    Unmeasured,
    /// One of both rasterizers is unsupported.
    Refused(AutotuneUnsupported),
    /// The rule decided.
    Ruled(RuleResult),
    /// Both rasterizers were timed.
    Measured(AutotuneResult),
}

/// Rasterizer in use with `auto`, and the reason.
#[derive(Debug, Default)]
pub(crate) struct AutoRaster {
    in_compute: bool,
    why: Why,
    rule: RasterRule,
    /// Folder in which a measurement is kept.
    folder: Option<PathBuf>,
    /// Key of the rule's decision, or of the measurement that stands in its place.
    decided: Option<AutotuneKey>,
    /// Key of a measurement that failed.
    failed: Option<AutotuneKey>,
    warmup: SettleTimer,
    /// A decision or a measurement is due, or will be once the settings have settled.
    awaits: bool,
    /// A measurement is running.
    pub(crate) measuring: bool,
}

impl AutoRaster {
    /// State that reads and keeps a measurement in a folder.
    pub(in crate::app) fn kept_in(folder: Option<&Path>) -> Self {
        Self {
            folder: folder.map(Path::to_owned),
            ..Self::default()
        }
    }

    /// State for a new device, before a scene is drawn.
    pub(in crate::app) fn on(self, gpu: &Gpu) -> Self {
        let class = AdapterClass::of(&gpu.facts.name, prefers_compute(gpu));
        let kept = self
            .folder
            .as_ref()
            .and_then(|folder| KeptTimes::read(folder, &gpu.facts));
        let rule = RasterRule::new(class, kept);
        let used = match AutotuneUnsupported::of(gpu) {
            Some(unsupported) => unsupported.used,
            None => rule.first(),
        };
        Self {
            in_compute: used == Raster::Compute,
            rule,
            folder: self.folder,
            ..Self::default()
        }
    }

    /// Updates the key at a time: lets the rule decide for a new one, whose picture has `work` to do. Returns the key to
    /// measure if a measurement is due.
    fn follow(&mut self, now: AutotuneKey, work: Option<Workload>, at: Instant) -> Option<AutotuneKey> {
        let is_settled = self.warmup.follow(&now, at);
        let is_new = |of: &Option<AutotuneKey>| of.as_ref().is_none_or(|of| !of.is_near(&now));
        // A first decision is made at once. Later ones wait, since a switch makes the renderer anew.
        if is_new(&self.decided)
            && (is_settled || self.decided.is_none())
            && let Some(work) = work
        {
            let result = self.rule.decide(self.used(), work);
            self.keep(result.chosen);
            self.why = Why::Ruled(result);
            self.decided = Some(now.clone());
        }
        let measures = !self.rule.is_measured() && is_new(&self.failed);
        self.awaits = measures || is_new(&self.decided);
        (measures && is_settled).then_some(now)
    }

    /// Stores the outcome of a measurement.
    pub(in crate::app) fn decide(
        &mut self,
        of: AutotuneKey,
        adapter: &AdapterFacts,
        outcome: Result<(AutotuneResult, KeptTimes), AutotuneUnsupported>,
    ) {
        (self.awaits, self.measuring) = (false, false);
        match outcome {
            Ok((result, kept)) => {
                if let Some(Err(error)) = self.folder.as_ref().map(|folder| kept.write(folder, adapter)) {
                    tracing::warn!("cannot keep the times of both rasterizers: {error:#}");
                }
                self.rule.refine(kept);
                self.keep(result.chosen);
                self.why = Why::Measured(result);
            }
            Err(unsupported) => {
                self.keep(unsupported.used);
                self.why = Why::Refused(unsupported);
                self.failed = Some(of.clone());
            }
        }
        self.decided = Some(of);
    }

    /// Returns to the rasterizer that was decided on, after a measurement was given up.
    pub(in crate::app) fn give_up_measuring(&mut self, before: Raster) {
        self.measuring = false;
        self.keep(before);
    }

    /// Stays at a rasterizer because the renderer could not be made anew.
    pub(in crate::app) fn stay(&mut self, used: Raster, error: &GpuError) {
        if self.used() != used {
            self.why = Why::Refused(AutotuneUnsupported {
                used,
                short: "the other does not fit".into(),
                long: format!("cannot switch to the other rasterizer: {error}"),
            });
        }
        self.keep(used);
    }

    /// Sets the rasterizer in use, whatever was measured.
    pub(in crate::app) fn keep(&mut self, used: Raster) {
        self.in_compute = used == Raster::Compute;
    }

    /// True while a measurement is due or will be.
    #[must_use]
    pub(in crate::app) const fn awaits(&self) -> bool {
        self.awaits
    }

    pub(in crate::app) const fn used(&self) -> Raster {
        match self.in_compute {
            true => Raster::Compute,
            false => Raster::Hardware,
        }
    }

    /// `3.1 ms against 5.2 ms`.
    fn short(&self) -> String {
        match &self.why {
            _ if self.measuring => "measuring…".to_owned(),
            Why::Unmeasured => "not measured yet".to_owned(),
            Why::Refused(unsupported) => unsupported.short.clone(),
            Why::Ruled(result) => result.short(),
            Why::Measured(result) => result.short(),
        }
    }

    /// Full explanation for the tooltip.
    fn long(&self) -> String {
        match &self.why {
            Why::Unmeasured => {
                "a rule decides once the scene is drawn; not while pictures are compared, a film is recorded or levels of \
                 detail are built"
                    .to_owned()
            }
            Why::Refused(unsupported) => unsupported.long.clone(),
            Why::Ruled(result) => result.sentence(),
            Why::Measured(result) => result.sentence(),
        }
    }
}

impl AppState {
    /// Rasterizer of the picture shown: as set, or as chosen by `auto`.
    #[must_use]
    pub(in crate::app) fn raster(&self) -> Raster {
        match self.config.render.raster {
            Raster::Auto if self.fixed_raster_reason().is_none() => self.auto_raster.used(),
            _ => self.compared_raster(),
        }
    }

    /// Rasterizer option of a renderer. With `auto` on a GPU, the hardware rasterizer gets triangle culling in compute,
    /// as in pictures written to files.
    #[must_use]
    pub(in crate::app) fn raster_of(&self, adapter: &AdapterFacts) -> Raster {
        let is_open = self.config.render.raster == Raster::Auto && self.fixed_raster_reason().is_none();
        match self.raster() {
            Raster::Hardware if is_open && !adapter.is_software() => Raster::Auto,
            raster => raster,
        }
    }

    /// Rasterizer for comparisons of techniques: `auto` means hardware, which every technique supports.
    #[must_use]
    pub(in crate::app) const fn compared_raster(&self) -> Raster {
        match self.config.render.raster {
            Raster::Compute => Raster::Compute,
            Raster::Hardware | Raster::Auto => Raster::Hardware,
        }
    }

    /// Reason why `auto` must use the hardware rasterizer, short and as a sentence; `None` if it has a choice.
    fn fixed_raster_reason(&self) -> Option<[String; 2]> {
        let technique = self.config.render.technique.facts();
        let name = technique.name;
        if !(technique.lods && supports_technique(self.config.render.technique)) {
            let why = format!("the software rasterizer does not support technique {name}");
            return Some([format!("technique {name}"), why]);
        }
        let why = "two pictures are compared with the hardware rasterizer, which every technique supports";
        self.compare.on.then(|| ["two pictures".to_owned(), why.to_owned()])
    }

    /// With `auto`: the rasterizer in use and the reason, short (`auto: compute, 3.1 ms against 5.2 ms`) and as
    /// sentences.
    #[must_use]
    pub(in crate::app) fn raster_text(&self) -> Option<[String; 2]> {
        let found_out = || [self.auto_raster.short(), self.auto_raster.long()];
        let [short, long] = self.fixed_raster_reason().unwrap_or_else(found_out);
        let told = [format!("auto: {}, {short}", self.raster().name()), long];
        (self.config.render.raster == Raster::Auto).then_some(told)
    }

    /// Updates `auto` at a time; returns the key to measure if a measurement is due. `unsupported` is that of the
    /// device, `work` that of a recent frame.
    pub(in crate::app) fn follow_auto_raster(
        &mut self,
        unsupported: Option<AutotuneUnsupported>,
        work: Option<Workload>,
        at: Instant,
    ) -> Option<AutotuneKey> {
        let auto = &mut self.auto_raster;
        (auto.awaits, auto.measuring) = (false, false);
        if let Some(unsupported) = unsupported {
            auto.keep(unsupported.used);
            auto.why = Why::Refused(unsupported);
            return None;
        }
        if self.config.render.raster != Raster::Auto {
            // A later `auto` begins with this rasterizer.
            *auto = AutoRaster {
                rule: std::mem::take(&mut auto.rule),
                folder: auto.folder.take(),
                ..AutoRaster::default()
            };
            auto.keep(self.config.render.raster);
            return None;
        }
        let has_choice = self.fixed_raster_reason().is_none() && !self.is_busy_for_autotune();
        let now = AutotuneKey::of(self).filter(|_| has_choice)?;
        let due = self.auto_raster.follow(now, work, at);
        self.auto_raster.measuring = due.is_some();
        due
    }

    /// True while a comparison, build, film, stress test or frozen culling would disturb or outdate the measurement.
    fn is_busy_for_autotune(&self) -> bool {
        let measures = self.compare.sweep || self.compare.table.left > 0;
        let builds = self.load.loading.is_some() || self.load.lods_share.is_some() || self.load.deferred.is_some();
        measures || builds || self.files.filming.is_some() || self.stress.trying().is_some() || self.inspect.frozen
    }
}

#[cfg(test)]
pub(in crate::app) mod tests;
