//! Selection of poses of a character's clips: some build its LODs, others evaluate them.
//!
//! Frames are grouped into runs of [`RUN_LENGTH`]. Even runs build; odd ones evaluate, half-way to the next frame. A
//! character without odd runs is evaluated by the frames that it has. Faces move only briefly, so up to half of the
//! poses are those in which weights of morph targets are extreme.

use glam::{Affine3A, Mat3A, Vec3, Vec3A};

use crate::{
    bake::{
        Palettes,
        lods::shape::Shape,
        skinning::{self, SkinnedVertex},
    },
    model::{Model, Vertex},
};

/// Frames per run.
const RUN_LENGTH: usize = 8;
/// Largest number of frames from which the building poses are chosen.
const POOL: usize = 96;
/// Number of vertices that poses are compared by.
const COMPARED_VERTICES: usize = 96;

/// Pose: joint matrices and weights of morph targets.
#[derive(Clone, Debug)]
pub(super) struct LodPose {
    /// Matrix of every slot.
    pub palette: Vec<Affine3A>,
    /// Weight of every morph target.
    pub morphs: Vec<f32>,
    /// First frame of its clip.
    pub clip_start: usize,
}

impl LodPose {
    fn of(palettes: &Palettes, place: FramePlace) -> Self {
        Self {
            palette: palettes.frame(place.frame).to_vec(),
            morphs: palettes.frame_morphs(place.frame).to_vec(),
            clip_start: place.clip_start,
        }
    }

    /// Pose half-way between two frames.
    fn between(palettes: &Palettes, place: FramePlace) -> Self {
        let next = place.frame + 1;
        Self {
            palette: skinning::palette_between(palettes, place.frame, next, 0.5),
            morphs: skinning::morphs_between(palettes, place.frame, next, 0.5),
            clip_start: place.clip_start,
        }
    }

    /// Skins the full mesh in this pose.
    pub(super) fn full(&self, model: &Model) -> Vec<SkinnedVertex> {
        skinning::skin_vertices(&skinning::morphed(model, &self.morphs), &self.palette)
    }

    /// Positions of the full mesh in this pose.
    pub(super) fn full_positions(&self, model: &Model) -> Vec<Vec3> {
        let vertices = skinning::morphed(model, &self.morphs);
        let posed = |v| skinning::blend(v, &self.palette).transform_point3(v.position);
        vertices.iter().map(posed).collect()
    }

    /// Skins an LOD in this pose.
    pub(super) fn skinned(&self, lod: &Shape) -> Vec<SkinnedVertex> {
        skinning::skin_vertices(&lod.vertices(&self.morphs), &self.palette)
    }

    /// LOD in this pose for pictures that show positions alone: normals and tangents are zero.
    pub(super) fn placed(&self, lod: &Shape) -> Vec<SkinnedVertex> {
        let placed = |position| SkinnedVertex {
            position,
            ..SkinnedVertex::default()
        };
        self.positions(lod).into_iter().map(placed).collect()
    }

    /// Matrix by which this pose transforms the normal of every vertex of an LOD, and the offset that morph targets add
    /// before.
    pub(super) fn turns(&self, lod: &Shape) -> Vec<(Mat3A, Vec3A)> {
        let vertices = lod.vertices(&self.morphs);
        let turn = |(vertex, rest): (&Vertex, &Vertex)| {
            let matrix = skinning::blend(vertex, &self.palette).matrix3;
            let side = if matrix.determinant() < 0.0 { -1.0 } else { 1.0 };
            let turn = skinning::cofactor(matrix) * side;
            let length = (turn * Vec3A::from(vertex.normal)).length();
            let turn = if length > 0.0 {
                turn * length.recip()
            } else {
                Mat3A::ZERO
            };
            (turn, Vec3A::from(vertex.normal - rest.normal))
        };
        vertices.iter().zip(&lod.mesh.vertices).map(turn).collect()
    }

    /// Positions of an LOD in this pose.
    pub(super) fn positions(&self, lod: &Shape) -> Vec<Vec3> {
        let posed = |v| skinning::blend(v, &self.palette).transform_point3(v.position);
        lod.vertices(&self.morphs).iter().map(posed).collect()
    }
}

/// Frame, and the first frame of its clip.
#[derive(Clone, Copy)]
struct FramePlace {
    frame: usize,
    clip_start: usize,
}

/// Evenly spread selection of at most `count` entries, none twice.
fn spread<T: Copy>(list: &[T], count: usize) -> Vec<T> {
    let count = count.min(list.len());
    (0..count)
        .map(|i| list[(2 * i + 1) * list.len() / (2 * count)])
        .collect()
}

/// Evenly spread selection of at most `count` frames; up to half of them are replaced by frames with extreme weights of
/// morph targets.
fn chosen(palettes: &Palettes, list: &[FramePlace], count: usize) -> Vec<FramePlace> {
    let ends = ends(palettes, list, count / 2);
    let mut chosen = spread(list, count - ends.len());
    if !ends.is_empty() {
        chosen.extend(ends);
        chosen.sort_by_key(|place| place.frame);
        chosen.dedup_by_key(|place| place.frame);
    }
    chosen
}

/// Frames in which the weight of a morph target is largest or smallest, for the targets whose weights change most. At
/// most `most` frames, none twice.
fn ends(palettes: &Palettes, list: &[FramePlace], most: usize) -> Vec<FramePlace> {
    let targets = palettes.morph_weights.len() / palettes.frame_count.max(1);
    let of_target = |target: usize| {
        let weight = |place: &FramePlace| palettes.frame_morphs(place.frame)[target];
        let order = |a: &&FramePlace, b: &&FramePlace| weight(a).total_cmp(&weight(b));
        let (low, high) = (list.iter().min_by(order)?, list.iter().max_by(order)?);
        let range = weight(high) - weight(low);
        (range > 0.0).then_some((range, [*low, *high]))
    };
    let mut moving: Vec<(f32, [FramePlace; 2])> = (0..targets).filter_map(of_target).collect();
    moving.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut ends: Vec<FramePlace> = Vec::new();
    for place in moving.into_iter().flat_map(|(_, places)| places) {
        if ends.len() < most && !ends.iter().any(|known| known.frame == place.frame) {
            ends.push(place);
        }
    }
    ends
}

/// Frames of all clips, and whether each is reserved for evaluation.
fn places(palettes: &Palettes) -> impl Iterator<Item = (FramePlace, bool)> {
    palettes.clips.iter().flat_map(|clip| {
        let clip_start = clip.first_frame as usize;
        (0..clip.frame_count as usize).map(move |at| {
            let place = FramePlace {
                frame: clip_start + at,
                clip_start,
            };
            (place, (at / RUN_LENGTH) % 2 == 1)
        })
    })
}

fn building(palettes: &Palettes) -> Vec<FramePlace> {
    places(palettes).filter(|p| !p.1).map(|p| p.0).collect()
}

/// Farthest-point selection of poses. The first is the one most unlike the rest pose, each further one is least like
/// any chosen before it.
pub(super) fn far_apart(model: &Model, palettes: &Palettes, count: usize) -> Vec<LodPose> {
    let pool = chosen(palettes, &building(palettes), POOL);
    let vertices = &model.mesh.vertices;
    let compared_vertices = compared_vertices(model);
    let placed = |place: &FramePlace| -> Vec<Vec3> {
        let pose = LodPose::of(palettes, *place);
        let vertices = skinning::morphed(model, &pose.morphs);
        let at = |&m: &usize| skinning::blend(&vertices[m], &pose.palette).transform_point3(vertices[m].position);
        compared_vertices.iter().map(at).collect()
    };
    let poses: Vec<Vec<Vec3>> = pool.iter().map(placed).collect();
    let rest: Vec<Vec3> = compared_vertices.iter().map(|&m| vertices[m].position).collect();
    let mut nearest: Vec<f32> = poses.iter().map(|p| distance(p, &rest)).collect();
    let mut chosen = Vec::new();
    while chosen.len() < count.min(pool.len()) {
        let Some(next) = (0..pool.len()).max_by(|&a, &b| nearest[a].total_cmp(&nearest[b]).then(b.cmp(&a))) else {
            break;
        };
        // Remaining poses are copies: a character that hardly moves needs few poses.
        if nearest[next] <= 1e-6 * distance(&rest, &vec![Vec3::ZERO; rest.len()]) && !chosen.is_empty() {
            break;
        }
        chosen.push(LodPose::of(palettes, pool[next]));
        for (near, pose) in nearest.iter_mut().zip(&poses) {
            *near = near.min(distance(pose, &poses[next]));
        }
        nearest[next] = -1.0;
    }
    chosen
}

/// Vertices that poses are compared by: some of all, and as many of those that morph targets move.
fn compared_vertices(model: &Model) -> Vec<usize> {
    let mut compared_vertices = spread(&(0..model.mesh.vertices.len()).collect::<Vec<_>>(), COMPARED_VERTICES);
    let deltas = model.morphs.iter().flat_map(|morph| &morph.deltas);
    let mut moved: Vec<usize> = deltas.map(|delta| delta.vertex as usize).collect();
    moved.sort_unstable();
    moved.dedup();
    compared_vertices.extend(spread(&moved, COMPARED_VERTICES));
    compared_vertices
}

/// Mean squared distance of the compared vertices (m²).
fn distance(a: &[Vec3], b: &[Vec3]) -> f32 {
    let sum: f32 = a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).sum();
    sum / a.len().max(1) as f32
}

/// Building poses, spread over all clips.
pub(super) fn builders(palettes: &Palettes, count: usize) -> Vec<LodPose> {
    let places = chosen(palettes, &building(palettes), count);
    places.into_iter().map(|p| LodPose::of(palettes, p)).collect()
}

/// Poses of all clips, evenly spread.
pub(super) fn all(palettes: &Palettes, count: usize) -> Vec<LodPose> {
    let all: Vec<FramePlace> = places(palettes).map(|p| p.0).collect();
    chosen(palettes, &all, count)
        .into_iter()
        .map(|p| LodPose::of(palettes, p))
        .collect()
}

/// Evaluation poses, spread over the clips; none of them is a building pose.
pub(super) fn evaluation_poses(palettes: &Palettes, count: usize) -> Vec<LodPose> {
    let held_out: Vec<FramePlace> = places(palettes).filter(|p| p.1).map(|p| p.0).collect();
    if held_out.is_empty() {
        return all(palettes, count);
    }
    let is_last = |place: &FramePlace| {
        let clip = palettes
            .clips
            .iter()
            .find(|c| c.first_frame as usize == place.clip_start);
        clip.is_none_or(|c| place.frame + 1 >= (c.first_frame + c.frame_count) as usize)
    };
    let pose = |place: FramePlace| {
        if is_last(&place) {
            LodPose::of(palettes, place)
        } else {
            LodPose::between(palettes, place)
        }
    };
    chosen(palettes, &held_out, count).into_iter().map(pose).collect()
}
