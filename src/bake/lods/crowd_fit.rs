//! Pictures of crowds that normals and colours of meshes and splats are fitted to.

use rayon::prelude::*;

use crate::{
    bake::lods::{
        crowd::{self, CrowdPictures, CrowdViews},
        effort::MakingEffort,
        mesh_maker::as_packed,
        photometric_fit::Order,
        poses::LodPose,
        shape::Shape,
        surface_color::VariantShaders,
    },
    model::Model,
};

/// Views of every pose for the photometric fit; and those for formations and splats.
const VIEWS: usize = 6;
const CAREFUL_VIEWS: usize = 9;

/// Pictures of crowds that normals and colours are fitted to.
pub(super) struct CrowdFit<'a> {
    model: &'a Model,
    variants: &'a VariantShaders<'a>,
    pub order: Order,
    careful: CrowdViews<'a>,
}

impl<'a> CrowdFit<'a> {
    pub(super) fn new(
        model: &'a Model,
        variants: &'a VariantShaders<'a>,
        poses: &'a [LodPose],
        effort: MakingEffort,
    ) -> Self {
        let order = match (model.clips.is_empty(), effort.evaluation.formation) {
            (true, _) => Order::Carried,
            (false, true) => Order::Formation,
            (false, false) => Order::Anyhow,
        };
        let careful = CrowdViews {
            poses,
            sides: CAREFUL_VIEWS,
            elevations: order.elevations(),
            points: crowd::EVALUATION_POINTS,
            samples: crowd::EVALUATION_SAMPLES,
            turns: false,
        };
        Self {
            model,
            variants,
            order,
            careful,
        }
    }

    /// Pictures for meshes. Their errors average out where everybody has another pose.
    pub(super) fn of_meshes(&self) -> CrowdPictures<'a> {
        let views = match self.order {
            Order::Formation => self.careful,
            Order::Anyhow | Order::Carried => CrowdViews {
                sides: VIEWS,
                points: crowd::FIT_POINTS,
                samples: crowd::FIT_SAMPLES,
                ..self.careful
            },
        };
        CrowdPictures::new(self.model, self.variants, views)
    }

    /// Fits splats. They show people who are farthest away, under suns of any elevation. They have enough colours for
    /// twice as many equations. Those average out the errors of fewer points, though not of coarser samples.
    pub(super) fn finished(&self, splats: Vec<Shape>) -> Vec<Shape> {
        if splats.is_empty() {
            return splats;
        }
        let views = match self.order {
            Order::Formation => self.careful,
            Order::Anyhow | Order::Carried => CrowdViews {
                points: crowd::FIT_POINTS,
                ..self.careful
            },
        };
        let views = CrowdViews { turns: true, ..views };
        let turning = CrowdPictures::new(self.model, self.variants, views);
        let finished = |lod: Shape| {
            let coverage = &turning.cover(&lod);
            let lod = turning.relight(lod, coverage);
            let balanced = turning.photometric_fit(lod, coverage, self.order);
            as_packed(turning.relight(balanced, coverage))
        };
        splats.into_par_iter().map(finished).collect()
    }
}
