//! How much work LODs may take: judged ones, those of formations, and quick ones.

use crate::bake::lods::{
    evaluate::{EvaluationStage, QUICK_STAGES, STAGES},
    simplify::{QUICK_SETTINGS, SIMPLIFY_SETTINGS, SimplifySettings},
};

/// Effort of evaluating LODs.
#[derive(Clone, Copy, Debug)]
pub(super) struct EvaluationEffort {
    /// Number of poses that evaluate, each from [`VIEWS`](super::evaluate::VIEWS) sides, and as many that LODs are
    /// optimized for.
    pub moments: usize,
    /// Samples along the height of the character in the pictures.
    pub samples: usize,
    /// True if LODs must also be as bright as full detail in formations where everybody has the same pose.
    pub formation: bool,
    /// True if crowds are measured even where they have no limit.
    pub reports_crowds: bool,
    /// Pictures, the cheapest first.
    pub stages: &'static [EvaluationStage],
    /// Share of every limit that an LOD may use, 0 to 1.
    pub share: f64,
    /// Height (sample rows) above which an LOD is used only up to the height before the last one that it passes.
    pub sure: f32,
}

impl EvaluationEffort {
    /// Effort for heights up to 256 sample rows.
    pub(super) const FULL: Self = Self {
        moments: 8,
        samples: 2048,
        formation: false,
        reports_crowds: false,
        stages: &STAGES,
        share: 1.0,
        sure: f32::INFINITY,
    };
    /// Effort for characters in formation.
    pub(super) const FORMATION: Self = Self {
        formation: true,
        ..Self::FULL
    };
    /// Few small pictures of the same poses, with a margin for the heights between them. Above 24 rows, heights are far
    /// apart and first measured with 64 samples a pixel.
    const QUICK: Self = Self {
        stages: &QUICK_STAGES,
        share: 0.95,
        sure: 24.0,
        ..Self::FULL
    };

    /// Number of poses for the photometric fit. In formations each pose counts by itself, and twice as many generalise
    /// well enough to others.
    pub(super) fn photometric_poses(self) -> usize {
        if self.formation { 2 * self.moments } else { self.moments }
    }

    /// Effort for the controls, which fail by far at large heights. It is the same for quick LODs: a control that is
    /// accepted up to some height rules out the heights up to there.
    pub(super) fn of_controls(self) -> Self {
        Self {
            samples: (self.samples / 4).max(256),
            stages: &STAGES,
            ..self
        }
    }
}

/// Effort of making LODs.
#[derive(Clone, Copy, Debug)]
pub(super) struct MakingEffort {
    /// Evaluation of the results.
    pub evaluation: EvaluationEffort,
    /// Settings of simplification that are tried.
    pub settings: &'static [SimplifySettings],
    /// True if normals and colours are fitted to pictures of crowds.
    pub fits: bool,
    /// Number of meshes of which the last one decides whether coarser ones are tried.
    pub batch: usize,
    /// Poses in which the visible areas of materials are measured.
    pub area_poses: usize,
    /// Poses over which the worst vertex error is stated, at most.
    pub stating: usize,
    /// Poses among those that the percentile of vertex errors is taken of, about.
    pub percentile: usize,
    /// Poses and steps of the fit of splats.
    pub splats: SplatEffort,
}

/// Effort of the fit of splats.
#[derive(Clone, Copy, Debug)]
pub(super) struct SplatEffort {
    pub poses: usize,
    pub steps: usize,
}

impl MakingEffort {
    /// Judged LODs with the given evaluation.
    pub(super) const fn careful(evaluation: EvaluationEffort) -> Self {
        Self {
            evaluation,
            settings: &SIMPLIFY_SETTINGS,
            fits: true,
            batch: 4,
            area_poses: 6,
            stating: 256,
            percentile: 32,
            splats: SplatEffort {
                // More than evaluate.
                poses: 5 * evaluation.moments / 2,
                steps: 64,
            },
        }
    }

    /// Quick LODs, with a quarter of the work: without fits of normals and colours, which serve crowds seen as a whole, with
    /// short fits of splats, and with the gates of small pictures.
    pub(super) const QUICK: Self = Self {
        evaluation: EvaluationEffort::QUICK,
        settings: &QUICK_SETTINGS,
        fits: false,
        batch: usize::MAX,
        area_poses: 3,
        stating: 8,
        percentile: 2,
        splats: SplatEffort { poses: 6, steps: 24 },
    };
}
