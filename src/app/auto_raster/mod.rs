//! What the setting `auto` of the rasteriser has come to in the window: whichever of the two draws the scene that is
//! shown faster on this adapter, measured step by step between the window's own frames.

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

/// Why nothing was measured, in a few words and in a sentence, and the rasteriser that draws.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AutotuneUnsupported {
    pub used: Raster,
    pub short: String,
    pub long: String,
}

impl AutotuneUnsupported {
    /// Nothing is measured on a device: it cannot uses the software rasterizer, or a frame of that would hold the
    /// window up.
    #[must_use]
    pub(crate) fn of(gpu: &Gpu) -> Option<Self> {
        let name = gpu.facts.name.as_str();
        match UnsupportedReason::of(gpu) {
            Some(unsupported_reason) => Some(Self::lacking(unsupported_reason, name)),
            None => gpu.facts.is_software().then(|| Self {
                used: Raster::Hardware,
                short: "software rasteriser".to_owned(),
                long: format!(
                    "the graphics pipe draws: {name} is a software rasteriser, and a single frame in compute can hold \
                     the window up for seconds there; choose compute to see it"
                ),
            }),
        }
    }

    fn lacking(unsupported_reason: UnsupportedReason, adapter: &str) -> Self {
        Self {
            used: Raster::Hardware,
            short: unsupported_reason.short().to_owned(),
            long: format!("the graphics pipe draws: {}", unsupported_reason.sentence(adapter)),
        }
    }
}

/// Reason for the rasterizer in use.
#[derive(Clone, Debug, Default, PartialEq)]
enum Why {
    /// Nothing yet: the one in use is that of before.
    #[default]
    Unmeasured,
    /// Not both of them can draw.
    Refused(AutotuneUnsupported),
    /// Both were timed.
    Measured(AutotuneResult),
}

/// The rasteriser in use where the setting is `auto`, and why.
#[derive(Debug, Default)]
pub(crate) struct AutoRaster {
    in_compute: bool,
    why: Why,
    /// Key for which that was found out.
    decided: Option<AutotuneKey>,
    warmup: SettleTimer,
    /// Something is to be measured, or about to be.
    awaits: bool,
    /// Both are being timed.
    pub(crate) measuring: bool,
}

impl AutoRaster {
    /// Looks at what decides; what to measure now, if it has changed for good.
    fn follow(&mut self, now: AutotuneKey, at: Instant) -> Option<AutotuneKey> {
        let is_settled = self.warmup.follow(&now, at);
        self.awaits = self.decided.as_ref().is_none_or(|decided| !decided.is_near(&now));
        (self.awaits && is_settled).then_some(now)
    }

    /// Takes over what a measurement has come to.
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

    /// This one is in use, whatever was found out.
    pub(in crate::app) fn keep(&mut self, used: Raster) {
        self.in_compute = used == Raster::Compute;
    }

    /// Whether something is to be measured.
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

    /// Explanation in whole sentences.
    fn long(&self) -> String {
        match &self.why {
            Why::Unmeasured => {
                "both rasterisers are timed on the scene that is shown once it stays as it is for a moment; not while \
                 pictures are compared, a film is made or levels of detail are being made"
                    .to_owned()
            }
            Why::Refused(unsupported) => unsupported.long.clone(),
            Why::Measured(result) => result.sentence(),
        }
    }
}

impl AppState {
    /// Rasterizer of the picture that is shown: as set, or as `auto` has found out.
    #[must_use]
    pub(in crate::app) fn raster(&self) -> Raster {
        match self.config.render.raster {
            Raster::Auto if self.fixed_raster_reason().is_none() => self.auto_raster.used(),
            _ => self.compared_raster(),
        }
    }

    /// Rasterizer for a renderer. With `auto`, on a GPU, the hardware rasterizer gets triangle culling in compute, as
    /// in pictures that are written.
    #[must_use]
    pub(in crate::app) fn raster_of(&self, adapter: &AdapterFacts) -> Raster {
        let is_open = self.config.render.raster == Raster::Auto && self.fixed_raster_reason().is_none();
        match self.raster() {
            Raster::Hardware if is_open && !adapter.is_software() => Raster::Auto,
            raster => raster,
        }
    }

    /// Rasterizer for comparisons of techniques: `auto` means the hardware rasterizer, which all of them have.
    #[must_use]
    pub(in crate::app) const fn compared_raster(&self) -> Raster {
        match self.config.render.raster {
            Raster::Compute => Raster::Compute,
            Raster::Hardware | Raster::Auto => Raster::Hardware,
        }
    }

    /// Why `auto` is the hardware rasterizer whatever is faster, in a few words and in a sentence.
    fn fixed_raster_reason(&self) -> Option<[String; 2]> {
        let technique = self.config.render.technique.facts();
        let name = technique.name;
        if !(technique.lods && supports_technique(self.config.render.technique)) {
            let why = format!("technique {name} is not rasterised in compute");
            return Some([format!("technique {name}"), why]);
        }
        let why = "two pictures are compared by the graphics pipe, which every technique has";
        self.compare.on.then(|| ["two pictures".to_owned(), why.to_owned()])
    }

    /// With `auto`, which rasteriser draws and why: `auto: compute, 3.1 ms against 5.2 ms`, and whole sentences.
    #[must_use]
    pub(in crate::app) fn raster_text(&self) -> Option<[String; 2]> {
        let found_out = || [self.auto_raster.short(), self.auto_raster.long()];
        let [short, long] = self.fixed_raster_reason().unwrap_or_else(found_out);
        let told = [format!("auto: {}, {short}", self.raster().name()), long];
        (self.config.render.raster == Raster::Auto).then_some(told)
    }

    /// Looks whether the rasterisers are to be timed at a moment; what for, if so. `unsupported` is that of the device.
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
            // Where `auto` begins from.
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

    /// Whether other things are being drawn, timed or made than the scene as it will stay.
    fn is_busy_for_autotune(&self) -> bool {
        let measures = self.compare.sweep || self.compare.table.left > 0;
        let builds = self.loading.is_some() || self.lods_share.is_some() || self.deferred.is_some();
        measures || builds || self.filming.is_some() || self.stress.trying().is_some() || self.inspect.frozen
    }
}

#[cfg(test)]
pub(in crate::app) mod tests;
