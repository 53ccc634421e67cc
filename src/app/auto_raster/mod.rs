//! Rasterizer setting `auto` in the window: the faster of hardware and software rasterizer for the scene and adapter.
//! It is measured step by step between the window's frames.

pub(crate) mod autotune;
mod autotune_key;
mod result;

use std::time::Instant;

pub(crate) use autotune_key::AutotuneKey;
pub(crate) use result::{AutotuneResult, TimingBasis};

use crate::{
    app::{auto_raster::autotune_key::SettleTimer, state::AppState},
    config::Raster,
    gpu::{AdapterFacts, Gpu},
    render::passes::raster::{UnsupportedReason, supports_technique},
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
    /// Not measured yet; the rasterizer in use stays.
    #[default]
    Unmeasured,
    /// One of both rasterizers is unsupported.
    Refused(AutotuneUnsupported),
    /// Both rasterizers were timed.
    Measured(AutotuneResult),
}

/// Rasterizer in use with `auto`, and the reason.
#[derive(Debug, Default)]
pub(crate) struct AutoRaster {
    in_compute: bool,
    why: Why,
    /// Key of the result.
    decided: Option<AutotuneKey>,
    warmup: SettleTimer,
    /// A measurement is due, or will be once the settings have settled.
    awaits: bool,
    /// A measurement is running.
    pub(crate) measuring: bool,
}

impl AutoRaster {
    /// Updates the key at a time; returns the key to measure if it has changed and settled.
    fn follow(&mut self, now: AutotuneKey, at: Instant) -> Option<AutotuneKey> {
        let is_settled = self.warmup.follow(&now, at);
        self.awaits = self.decided.as_ref().is_none_or(|decided| !decided.is_near(&now));
        (self.awaits && is_settled).then_some(now)
    }

    /// Stores the outcome of a measurement.
    pub(in crate::app) fn decide(&mut self, of: AutotuneKey, outcome: Result<AutotuneResult, AutotuneUnsupported>) {
        let used = match &outcome {
            Ok(result) => result.chosen,
            Err(unsupported) => unsupported.used,
        };
        self.why = outcome.map_or_else(Why::Refused, Why::Measured);
        self.decided = Some(of);
        (self.awaits, self.measuring) = (false, false);
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

    const fn used(&self) -> Raster {
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
            Why::Measured(result) => result.short(),
        }
    }

    /// Full explanation for the tooltip.
    fn long(&self) -> String {
        match &self.why {
            Why::Unmeasured => {
                "both rasterizers are timed on this scene once it has not changed for a moment; not while pictures are \
                 compared, a film is recorded or levels of detail are built"
                    .to_owned()
            }
            Why::Refused(unsupported) => unsupported.long.clone(),
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
    /// device.
    pub(in crate::app) fn follow_auto_raster(
        &mut self,
        unsupported: Option<AutotuneUnsupported>,
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
            *auto = AutoRaster::default();
            auto.keep(self.config.render.raster);
            return None;
        }
        let has_choice = self.fixed_raster_reason().is_none() && !self.is_busy_for_autotune();
        let now = AutotuneKey::of(self).filter(|_| has_choice)?;
        let due = self.auto_raster.follow(now, at);
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
