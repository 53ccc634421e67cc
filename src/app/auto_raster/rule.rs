//! Rule of `auto`: the adapter's class, triangles and samples decide at once, before anything is timed.
//!
//! Compute gains where triangles are small (Karis 2021). In stored reports of H100 and H200 (1.4 to 340 million
//! triangles, 0.3 to 164 a sample), the hardware rasterizer's time over the software rasterizer's grows with about the
//! square root of triangles per sample. One measurement on an adapter shifts this curve.

use crate::{app::auto_raster::KeptTimes, config::Raster};

/// Ratio of estimated times below which the rasterizer in use stays: a switch makes the window's renderer anew.
const MARGIN: f64 = 1.1;
/// Data-centre cards with few multiprocessors for graphics (NVIDIA Hopper), by parts of their names.
const COMPUTE_CARDS: [&str; 5] = ["H100", "H200", "H800", "H20", "GH200"];

/// Class of a GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AdapterClass {
    /// Data-centre card: few of its multiprocessors draw graphics.
    ComputeCard,
    /// Any other GPU with 64-bit atomics.
    WideAtomics,
    /// GPU without 64-bit atomics, where the software rasterizer takes two steps.
    #[default]
    NarrowAtomics,
}

/// Triangles and samples of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Workload {
    pub triangles: u64,
    pub samples: u64,
}

/// Rule for an adapter.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RasterRule {
    class: AdapterClass,
    /// Measurement on this adapter and driver.
    kept: Option<KeptTimes>,
}

/// Rasterizer that the rule chose, and its reasons.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RuleResult {
    /// `Hardware` or `Compute`.
    pub chosen: Raster,
    /// Estimated time of the hardware rasterizer over that of the software rasterizer.
    advantage: f64,
    work: Workload,
    rule: RasterRule,
}

impl AdapterClass {
    /// Class of a GPU by its name; `wide` if it has 64-bit atomics.
    pub(crate) fn of(name: &str, wide: bool) -> Self {
        let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
        match wide {
            false => Self::NarrowAtomics,
            true if words.any(|word| COMPUTE_CARDS.contains(&word)) => Self::ComputeCard,
            true => Self::WideAtomics,
        }
    }

    /// Samples per triangle at which both rasterizers take equally long, before it is measured.
    const fn break_even(self) -> f64 {
        match self {
            // Reports of H100 and H200 give 0.4 to 60.
            Self::ComputeCard => 10.0,
            // An estimate: graphics have ten times the share of the card, and the ratio of times is a square root.
            Self::WideAtomics => 0.1,
            Self::NarrowAtomics => 0.0,
        }
    }

    const fn sentence(self) -> &'static str {
        match self {
            Self::ComputeCard => "data-centre cards draw graphics on few of their multiprocessors",
            Self::WideAtomics => "an estimate for GPUs with 64-bit atomics",
            Self::NarrowAtomics => "without 64-bit atomics the software rasterizer takes two steps",
        }
    }
}

impl Workload {
    /// Triangles drawn in a picture of `size` pixels with `samples` each.
    pub(crate) fn of(triangles: u64, size: (u32, u32), samples: u32) -> Self {
        Self {
            triangles,
            samples: u64::from(size.0) * u64::from(size.1) * u64::from(samples),
        }
    }

    /// Triangles per sample.
    pub(super) fn density(self) -> f64 {
        self.triangles as f64 / self.samples.max(1) as f64
    }
}

impl RasterRule {
    pub(crate) const fn new(class: AdapterClass, kept: Option<KeptTimes>) -> Self {
        Self { class, kept }
    }

    /// True once a measurement refines the rule.
    pub(super) const fn is_measured(&self) -> bool {
        self.kept.is_some()
    }

    /// Refines the rule by a measurement.
    pub(super) fn refine(&mut self, kept: KeptTimes) {
        self.kept = Some(kept);
    }

    /// Rasterizer before the scene is known: that of a triangle per sample.
    pub(super) fn first(&self) -> Raster {
        let work = Workload {
            triangles: 1,
            samples: 1,
        };
        self.decide(Raster::Hardware, work).chosen
    }

    /// Decides for a picture; `present` is in use and stays unless the other is clearly faster.
    pub(super) fn decide(&self, present: Raster, work: Workload) -> RuleResult {
        let break_even = self
            .kept
            .as_ref()
            .map_or(self.class.break_even(), KeptTimes::break_even);
        let advantage = (break_even * work.density()).sqrt();
        let chosen = match present {
            _ if advantage > MARGIN => Raster::Compute,
            _ if advantage < 1.0 / MARGIN => Raster::Hardware,
            Raster::Compute => Raster::Compute,
            Raster::Hardware | Raster::Auto => Raster::Hardware,
        };
        RuleResult {
            chosen,
            advantage,
            work,
            rule: self.clone(),
        }
    }
}

impl RuleResult {
    /// `about 3.2 times as fast`.
    pub(super) fn short(&self) -> String {
        match self.advantage {
            none if none < 0.01 => "no 64-bit atomics".to_owned(),
            close if (1.0 / MARGIN..=MARGIN).contains(&close) => "both are about as fast".to_owned(),
            more if more > 1.0 => format!("about {more:.1} times as fast"),
            less => format!("about {:.1} times as fast", 1.0 / less),
        }
    }

    /// Rule and its inputs as a sentence.
    pub(super) fn sentence(&self) -> String {
        let millions = |count: u64| format!("{:.1} million", count as f64 * 1e-6);
        let why = match &self.rule.kept {
            Some(kept) => kept.sentence(),
            None => self.rule.class.sentence().to_owned(),
        };
        format!(
            "chosen by a rule for {} triangles on {} samples; {why}. Decided again when scene, count, size, samples, \
             shadows, detail or technique have changed",
            millions(self.work.triangles),
            millions(self.work.samples)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Millions of triangles and of samples, and times (ms) of both rasterizers, in stored reports of an H100 and an
    /// H200.
    const REPORTS: [(f64, f64, [f64; 2]); 9] = [
        // benches/results/2026-11-29-nvidia-h200: scenes, scenes-lean, scenes-full.
        (2.617, 8.294, [7.12, 2.94]),
        (7.292, 8.294, [10.01, 3.12]),
        (15.585, 8.294, [14.06, 2.90]),
        (105.464, 8.294, [46.80, 3.78]),
        (53.827, 2.074, [15.27, 1.38]),
        (339.9, 2.074, [227.31, 4.13]),
        // benches/results/2026-11-28-nvidia-h100/scenes.
        (2.5, 8.294, [6.96, 2.95]),
        (104.0, 8.294, [47.43, 4.13]),
        // benches/results/2026-11-27-nvidia-h200/scenes-foxes.
        (1.4, 2.074, [1.35, 0.77]),
    ];

    fn work(triangles: f64, samples: f64) -> Workload {
        Workload {
            triangles: (triangles * 1e6) as u64,
            samples: (samples * 1e6) as u64,
        }
    }

    fn rule(class: AdapterClass) -> RasterRule {
        RasterRule::new(class, None)
    }

    #[test]
    fn adapters_have_the_class_of_their_names_and_atomics() {
        for (name, wide, class) in [
            ("NVIDIA H200", true, AdapterClass::ComputeCard),
            ("NVIDIA H100 80GB HBM3", true, AdapterClass::ComputeCard),
            ("NVIDIA GH200-480GB", true, AdapterClass::ComputeCard),
            ("NVIDIA GeForce RTX 4090", true, AdapterClass::WideAtomics),
            ("AMD Radeon RX 7900 XTX (RADV NAVI31)", true, AdapterClass::WideAtomics),
            ("Apple M1", false, AdapterClass::NarrowAtomics),
            ("NVIDIA H200", false, AdapterClass::NarrowAtomics),
        ] {
            assert_eq!(AdapterClass::of(name, wide), class, "{name}");
        }
    }

    #[test]
    fn the_rule_chooses_as_stored_reports_would() {
        let rule = rule(AdapterClass::ComputeCard);
        for (triangles, samples, [hardware, compute]) in REPORTS {
            let measured = hardware / compute;
            for present in [Raster::Hardware, Raster::Compute] {
                let result = rule.decide(present, work(triangles, samples));
                assert_eq!(result.chosen, Raster::Compute, "{triangles} million triangles");
                let off = result.advantage / measured;
                assert!((0.4..2.5).contains(&off), "{triangles}: {off} times the measured ratio");
            }
        }
    }

    #[test]
    fn one_measurement_moves_the_break_even_point() {
        let mut card = rule(AdapterClass::WideAtomics);
        let picture = work(15.6, 8.3);
        assert_eq!(card.decide(Raster::Hardware, picture).chosen, Raster::Hardware);
        card.refine(KeptTimes::new([14.0, 7.0], picture));
        let same = card.decide(Raster::Hardware, picture);
        assert_eq!(same.chosen, Raster::Compute);
        assert!((same.advantage - 2.0).abs() < 1e-6, "{}", same.advantage);
        // A sixteenth of the triangles halves the ratio twice.
        let few = card.decide(Raster::Compute, work(15.6 / 16.0, 8.3));
        assert_eq!(few.chosen, Raster::Hardware);
        assert!((few.advantage - 0.5).abs() < 1e-3, "{}", few.advantage);
        // In between, where both are alike, the rasterizer in use stays.
        for present in [Raster::Hardware, Raster::Compute] {
            assert_eq!(card.decide(present, work(15.6 / 4.0, 8.3)).chosen, present);
        }
    }

    #[test]
    fn more_triangles_never_speak_for_the_hardware_and_more_samples_never_for_compute() {
        for class in [
            AdapterClass::ComputeCard,
            AdapterClass::WideAtomics,
            AdapterClass::NarrowAtomics,
        ] {
            let advantage =
                |triangles, samples| rule(class).decide(Raster::Hardware, work(triangles, samples)).advantage;
            for count in [0.0, 0.1, 1.0, 30.0, 4000.0] {
                assert!(advantage(2.0 * count, 2.0) >= advantage(count, 2.0), "{class:?}");
                assert!(advantage(count, 8.0) <= advantage(count, 2.0), "{class:?}");
            }
        }
    }

    #[test]
    fn a_window_begins_as_the_class_of_its_adapter_suggests() {
        let first = |class| rule(class).first();
        assert_eq!(first(AdapterClass::ComputeCard), Raster::Compute);
        assert_eq!(first(AdapterClass::WideAtomics), Raster::Hardware);
        assert_eq!(first(AdapterClass::NarrowAtomics), Raster::Hardware);
    }

    #[test]
    fn statements_name_the_inputs_of_the_rule() {
        let told = rule(AdapterClass::ComputeCard).decide(Raster::Hardware, work(15.6, 8.3));
        assert_eq!(told.short(), "about 4.3 times as fast");
        for part in ["15.6 million triangles", "8.3 million samples", "data-centre"] {
            assert!(told.sentence().contains(part), "{part} in {}", told.sentence());
        }
        let told = rule(AdapterClass::WideAtomics).decide(Raster::Hardware, work(2.0, 8.0));
        assert_eq!(told.short(), "about 6.3 times as fast");
        let kept = KeptTimes::new([14.06, 2.9], work(15.6, 8.3));
        let told = RasterRule::new(AdapterClass::ComputeCard, Some(kept)).decide(Raster::Compute, work(15.6, 8.3));
        assert_eq!(told.short(), "about 4.8 times as fast");
        assert!(told.sentence().contains("14 ms") && told.sentence().contains("2.9 ms"));
        let told = rule(AdapterClass::NarrowAtomics).decide(Raster::Compute, work(9.0, 8.3));
        assert_eq!((told.chosen, &*told.short()), (Raster::Hardware, "no 64-bit atomics"));
    }
}
