//! Checks every vertex at the times at which a choice of frames has its largest errors.

use glam::{Affine3A, Vec3A};

use crate::bake::{
    Differences,
    frame_times::{
        error_probes::posed_vertex,
        fit::{Values, fraction},
        motion::{Motion, PoseSource, matrices},
        search::Choice,
    },
};

/// A vertex whose error exceeds the bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct OffendingKey {
    pub(super) vertex: u32,
    /// Error (m).
    pub(super) error: f32,
}

/// Vertices with the largest errors above `bound` (m). They are checked where the error probes are worst: at every
/// frame and once in every interval.
pub(super) fn offenders(
    source: &PoseSource<'_>,
    motion: &Motion,
    choice: &Choice,
    values: &Values,
    errors: &[f32],
    bound: f32,
) -> Vec<OffendingKey> {
    let mut found: Vec<OffendingKey> = Vec::new();
    for (index, pair) in choice.frames.windows(2).enumerate() {
        let inner = (pair[0] + 1..pair[1]).max_by(|&a, &b| errors[a].total_cmp(&errors[b]));
        let at_frame = (index > 0 && choice.weights.is_some()).then_some(pair[0]);
        for k in inner.into_iter().chain(at_frame) {
            let u = fraction(&motion.times, pair[0], pair[1], k);
            let (a, b) = (values.palettes.row(index), values.palettes.row(index + 1));
            let worst = worst_vertex(source, motion.palettes.row(k), a, b, u, bound);
            if worst.error > bound && !found.iter().any(|o| o.vertex == worst.vertex) {
                found.push(worst);
            }
        }
    }
    found
}

/// Vertex with the largest distance between the blend of two rows and an exact row, if it exceeds `bound` (m).
fn worst_vertex(source: &PoseSource<'_>, exact: &[f32], a: &[f32], b: &[f32], u: f32, bound: f32) -> OffendingKey {
    let model = source.model;
    let slots = model.skeleton.slots.len();
    let blended: Vec<f32> = a.iter().zip(b).map(|(a, b)| a + (b - a) * u).collect();
    let off: Vec<f32> = blended.iter().zip(exact).map(|(a, b)| a - b).collect();
    let off_palette: Vec<Affine3A> = matrices(&off, slots).collect();
    let mut worst = OffendingKey { vertex: 0, error: 0.0 };
    if model.morphs.is_empty() {
        let differences = Differences::new(&off_palette);
        source.groups.each_beyond(&differences, bound, |range, limit| {
            for index in range {
                let vertex = &model.mesh.vertices[index];
                let error = posed_vertex(&off_palette, vertex, vertex.position.into()).length_squared();
                worst = farther(worst, index, error);
            }
            limit.max(worst.error.sqrt())
        });
    } else {
        let exact_palette: Vec<Affine3A> = matrices(exact, slots).collect();
        let (exact_weights, weights) = (&exact[12 * slots..], &blended[12 * slots..]);
        for (index, vertex) in model.mesh.vertices.iter().enumerate() {
            let rest = |w: &[f32]| source.displacements.displaced(index as u32, vertex.position.into(), w);
            let (shown, meant): (Vec3A, Vec3A) = (rest(weights), rest(exact_weights));
            // blended * shown - exact * meant; each palette's weights sum to 1
            let off = posed_vertex(&off_palette, vertex, shown);
            let moved = posed_vertex(&exact_palette, vertex, shown) - posed_vertex(&exact_palette, vertex, meant);
            worst = farther(worst, index, (off + moved).length_squared());
        }
    }
    OffendingKey {
        error: worst.error.sqrt(),
        ..worst
    }
}

fn farther(worst: OffendingKey, vertex: usize, error: f32) -> OffendingKey {
    if error > worst.error {
        OffendingKey {
            vertex: vertex as u32,
            error,
        }
    } else {
        worst
    }
}
