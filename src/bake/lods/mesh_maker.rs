//! Makes one mesh: simplification, offset, and fits of normals and colours.

use rayon::prelude::*;

use crate::{
    bake::lods::{
        LAST,
        crowd::CrowdPictures,
        deviation::Reference,
        evaluate::Screen,
        offset_surface::Areas,
        photometric_fit::Order,
        proxy_hull::ProxyHulls,
        seen::VisibilitySampling,
        shape::Shape,
        simplify::{Collapsible, SimplifySettings},
        surface::Surface,
        transfer_attributes::transfer_attributes,
    },
    model::PackedMesh,
};

/// Smallest number of triangles of a mesh: fewer lose too much coverage.
pub(super) const FEWEST_TRIANGLES: usize = 100;
/// Factor on the requested number of triangles that a result may have.
const NEAR_ENOUGH: f32 = 1.15;

/// Maker of meshes of one character with any number of triangles.
pub(super) struct MeshMaker<'a> {
    pub full: &'a Shape,
    pub whole: Collapsible<'a>,
    pub shells: ProxyHulls<'a>,
    pub choosing: Reference<'a>,
    pub morphing: Morphing<'a>,
    pub areas: Areas<'a>,
    /// Settings of simplification that are tried.
    pub settings: &'a [SimplifySettings],
    /// `None` for quick LODs.
    pub fits: Option<Fits<'a>>,
}

/// Fits of normals and colours.
pub(super) struct Fits<'a> {
    pub screen: Screen<'a>,
    pub visibility: VisibilitySampling<'a>,
    pub crowd: CrowdPictures<'a>,
    pub order: Order,
}

impl Fits<'_> {
    /// Mesh with other normals and colours; `None` if no fit would help.
    fn apply(&self, lod: Shape, areas: &Areas<'_>) -> Option<Shape> {
        if self.screen.is_hopeless(&lod) {
            return None;
        }
        // They depend on positions, which stay.
        let coverage = &self.crowd.cover(&lod);
        let biased = |lod: Shape| self.crowd.with_normal_bias(lod, coverage);
        // The normal bias depends on the normals, and their fit on the bias: two rounds.
        let samples = self.visibility.samples(&lod);
        let lod = (0..2).fold(lod, |lod, _| biased(self.visibility.turned(lod, &samples)));
        let lod = areas.relight(self.visibility.colored(lod, &samples));
        let lod = self.crowd.photometric_fit(lod, coverage, self.order);
        Some(self.crowd.relight(lod, coverage))
    }
}

impl MeshMaker<'_> {
    /// Mesh of about `target` triangles; `None` if none can be made, or none would pass at any height.
    pub(super) fn make(&self, target: usize) -> Option<Shape> {
        let Shape { mesh, morphs, .. } = self.morphing.best(self.best_of(target)?, &self.choosing);
        let lod = self.areas.offset_surface(Shape {
            mesh: transfer_attributes(&self.full.mesh, mesh),
            morphs,
            radii: Vec::new(),
            normal_bias: 0.0,
        });
        // From here on only normals and colours change.
        let lod = match &self.fits {
            Some(fits) => fits.apply(lod, &self.areas)?,
            None => self.areas.relight(lod),
        };
        Some(as_packed(lod))
    }

    /// Result with the smallest worst vertex error among all methods.
    fn best_of(&self, target: usize) -> Option<Shape> {
        let fits = |lod: &Shape| {
            let triangles = lod.mesh.triangle_count();
            triangles >= FEWEST_TRIANGLES && triangles as f32 <= NEAR_ENOUGH * target as f32
        };
        let collapsed = |of: &Collapsible<'_>| -> Vec<Shape> {
            let made: Vec<Shape> = (self.settings.par_iter())
                .map(|settings| of.collapse(target, *settings))
                .collect();
            made.into_iter().filter(fits).collect()
        };
        let mut made = collapsed(&self.whole);
        // Loose and seamed parts collapse too little, or vanish; proxy hulls do better.
        if made.is_empty() || target <= LAST[0] {
            made.extend(collapsed(self.shells.of(target)));
        }
        let (best, _) = self.choosing.best(&made)?;
        Some(made.swap_remove(best))
    }
}

/// Source of the morph deltas of LODs.
pub(super) struct Morphing<'a> {
    full: &'a Shape,
    /// Surface of the full mesh, if it has morph targets.
    surface: Option<Surface>,
}

impl<'a> Morphing<'a> {
    pub(super) fn of(full: &'a Shape) -> Self {
        let positions = || full.mesh.vertices.iter().map(|v| v.position).collect::<Vec<_>>();
        let has_targets = !full.morphs.is_empty();
        let surface = has_targets.then(|| Surface::new(&full.mesh.indices, &positions()));
        Self { full, surface }
    }

    /// Chooses between two sets of morph deltas: those of the vertices that remained, and those at the nearest points
    /// of the full surface. The set with the smaller worst vertex error is kept.
    pub(super) fn best(&self, lod: Shape, choosing: &Reference<'_>) -> Shape {
        let Some(surface) = &self.surface else {
            return lod;
        };
        let mut ways = vec![lod.moved_as(self.full, surface), lod];
        let best = choosing.best(&ways).map_or(1, |(best, _)| best);
        ways.swap_remove(best)
    }
}

/// Mesh with four influences that packing reproduces exactly.
pub(super) fn as_packed(lod: Shape) -> Shape {
    // More influences are hardly visible at so few rows; their cost is measured with everything else.
    let mut mesh = lod.mesh.narrowed().into_owned();
    for _ in 0..4 {
        let again = PackedMesh::new(&mesh).unpacked();
        let is_stable = again == mesh;
        mesh = again;
        if is_stable {
            break;
        }
    }
    Shape { mesh, ..lod }
}
