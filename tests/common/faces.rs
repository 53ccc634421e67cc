//! Morph targets on characters that have none, and clips that change them.

use glam::Vec3;
use throng::model::{Clip, Interpolation, Lod, Mesh, Model, Morph, MorphChannel, MorphDelta};

/// Deltas of two targets: the first swells the upper part of a mesh, the second pulls its front aside.
fn targets(model: &Model, mesh: &Mesh) -> [Vec<MorphDelta>; 2] {
    let bounds = model.mesh.bounds();
    let (middle, size) = (bounds.centre(), bounds.size().max_element());
    let swell = |at: Vec3| (at - middle) * ((at.y - middle.y) / size).max(0.0);
    let aside = |at: Vec3| Vec3::X * 0.1 * (at.z - middle.z).max(0.0);
    let delta = |push: &dyn Fn(Vec3) -> Vec3, at: usize| MorphDelta {
        vertex: at as u32,
        position: push(mesh.vertices[at].position),
        normal: Vec3::new(0.1, 0.0, -0.2),
        ..MorphDelta::default()
    };
    let pushes: [&dyn Fn(Vec3) -> Vec3; 2] = [&swell, &aside];
    pushes.map(|push| {
        let deltas = (0..mesh.vertices.len()).map(|at| delta(push, at));
        deltas.filter(|delta| delta.position != Vec3::ZERO).collect()
    })
}

/// Weight channels of a clip: each target rises and falls again within it, one after the other.
fn channels(duration: f32) -> Vec<MorphChannel> {
    let channel = |morph: u32, values: [f32; 4]| MorphChannel {
        morph,
        interpolation: Interpolation::Linear,
        times: [0.0, 0.25, 0.75, 1.0].map(|share| share * duration).to_vec(),
        values: values.to_vec(),
    };
    vec![channel(0, [0.0, 1.0, 0.5, 0.0]), channel(1, [0.0, -0.5, 1.0, 0.0])]
}

/// Adds two targets to the model that all of its clips change; a model without clips gets one. Its LODs get deltas,
/// too.
pub fn with_face(mut model: Model) -> Model {
    if model.clips.is_empty() {
        model.clips.push(Clip {
            name: "face".into(),
            duration: 1.0,
            ..Clip::default()
        });
    }
    for clip in &mut model.clips {
        clip.duration = clip.duration.max(0.5);
        clip.morphs = channels(clip.duration);
    }
    let mut lods = std::mem::take(&mut model.lods);
    for lod in &mut lods {
        follow(&model, lod);
    }
    model.lods = lods;
    let morph = |(name, deltas): (&str, Vec<MorphDelta>)| Morph {
        name: name.into(),
        rest: 0.0,
        deltas,
    };
    let deltas = targets(&model, &model.mesh);
    model.morphs = ["swell", "aside"].into_iter().zip(deltas).map(morph).collect();
    model
}

fn follow(model: &Model, lod: &mut Lod) {
    lod.morphs = targets(model, &lod.mesh).to_vec();
}
