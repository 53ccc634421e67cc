//! Errors in reports: read back from the GPU for every technique, morph targets included.

use glam::Vec3;
use throng::{
    atlas::AtlasFormat,
    config::Technique,
    measure::{Accuracy, SkinningReference},
    model::{Keys, Material, Model, Morph, MorphDelta},
    render::{DrawMethod, resources::AtlasSource},
};

use crate::common::{self, surfaces};

/// Square of 2 m on a joint that turns, with a morph target that moves its vertices by up to 0.5 m.
fn morphing() -> Model {
    let mut model = surfaces::quad(4, Material::default(), Vec::new());
    let delta = |vertex: u32| MorphDelta {
        vertex,
        position: Vec3::new(0.0, 0.0, 0.02 * vertex as f32),
        normal: Vec3::ZERO,
        tangent: Vec3::ZERO,
    };
    model.morphs = vec![Morph {
        name: "bulge".into(),
        rest: 0.0,
        deltas: (0..model.mesh.vertices.len() as u32).map(delta).collect(),
    }];
    let turn = glam::Quat::from_rotation_y(0.4);
    let mut clip = surfaces::clip("bulge", vec![(0, Keys::Rotation(vec![glam::Quat::IDENTITY, turn]))]);
    clip.morphs = vec![surfaces::morph_channel(&[0.0, 1.0], &[0.0, 1.0])];
    model.clips = vec![clip];
    model
}

fn measured(technique: Technique) -> Option<Accuracy> {
    let gpu = common::gpu::open()?;
    let character = common::gpu::bake(morphing());
    let method = DrawMethod::new(technique, AtlasFormat::F32, AtlasSource::Storage);
    let accuracy = SkinningReference::new(&character, 100_000)
        .measure(&gpu, method)
        .expect("fits");
    println!("{technique:?}: {accuracy:?}");
    Some(accuracy.expect("it animates"))
}

#[test]
fn morph_targets_are_no_error_of_the_encoding() {
    for technique in [
        Technique::Matrix,
        Technique::Vertex,
        Technique::Textbook,
        Technique::Live,
    ] {
        let Some(accuracy) = measured(technique) else { return };
        assert!(accuracy.encoding_percent < 0.01, "{technique:?}: {accuracy:?}");
    }
}

#[test]
fn fetched_attributes_are_read_back_and_not_compared_with_themselves() {
    let Some(accuracy) = measured(Technique::Textbook) else {
        return;
    };
    let rounding = accuracy.encoding_mm;
    assert!(
        rounding > 0.0,
        "GPU and CPU agree to the bit, which is implausible: {accuracy:?}"
    );
    assert!(rounding < 0.05 && accuracy.moments > 10, "{accuracy:?}");
}
