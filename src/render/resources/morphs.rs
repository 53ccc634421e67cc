//! Morph targets of one character in one storage buffer: deltas by vertex, those of LODs included, and weights by
//! frame. shaders/shared/skinning.wgsl reads it.

use crate::{
    character::Character,
    config::Technique,
    gpu::{Gpu, GpuError, buffer_with},
    model::{Model, MorphDelta},
    render::{
        resources::{
            layout::{DELTA_WORDS, DELTA_WORDS_WITH_TANGENTS, MORPH_HEADER_WORDS},
            lods::CoarserMeshes,
        },
        technique::MorphTargets,
    },
};

/// Uploads morph targets if the technique applies them itself: baked vertices contain them, and the rest pose is drawn
/// without.
///
/// # Errors
/// [`GpuError::TooLarge`] beyond the device's binding limit.
pub(crate) fn upload(
    gpu: &Gpu,
    character: &Character,
    coarser: &CoarserMeshes<'_>,
    technique: Technique,
) -> Result<Option<wgpu::Buffer>, GpuError> {
    let added = match technique.facts().morphs {
        MorphTargets::Added | MorphTargets::AddedBefore => true,
        MorphTargets::Baked | MorphTargets::LeftOut => false,
    };
    if !added || character.model.morphs.is_empty() {
        return Ok(None);
    }
    let words = words(character, coarser);
    let what = format!("the morph targets of {}", character.model.name);
    gpu.check_storage(
        &what,
        4 * words.len() as u64,
        "use fewer targets, or --technique vertex",
    )?;
    let usage = wgpu::BufferUsages::STORAGE;
    Ok(Some(buffer_with(
        gpu,
        "morph targets",
        bytemuck::cast_slice(&words),
        usage,
    )))
}

/// Words of each delta of a character.
pub(super) fn delta_words(model: &Model) -> usize {
    if model.has_normal_maps() {
        DELTA_WORDS_WITH_TANGENTS
    } else {
        DELTA_WORDS
    }
}

/// Contents of the buffer: header (targets, start of weights, start of deltas, 0), index of vertices, weights, deltas.
/// A delta is target, position, normal and, with normal maps, tangent.
fn words(character: &Character, coarser: &CoarserMeshes<'_>) -> Vec<u32> {
    let (model, weights) = (&character.model, &character.palettes.morph_weights);
    let used = delta_words(model);
    let packed = |(target, delta): (usize, MorphDelta)| {
        // The shader adds them in unit space.
        let [px, py, pz] = (delta.position / character.unit.half_extent)
            .to_array()
            .map(f32::to_bits);
        let [nx, ny, nz] = delta.normal.to_array().map(f32::to_bits);
        let [tx, ty, tz] = delta.tangent.to_array().map(f32::to_bits);
        (delta.vertex, [target as u32, px, py, pz, nx, ny, nz, tx, ty, tz])
    };
    let targets = model.morphs.iter().enumerate();
    let full_deltas = targets.flat_map(|(target, morph)| morph.deltas.iter().map(move |delta| (target, *delta)));
    let all = full_deltas.chain(coarser.deltas(&character.packed));
    let mut deltas: Vec<(u32, [u32; DELTA_WORDS_WITH_TANGENTS])> = all.map(packed).collect();
    // Stable: targets stay in order within a vertex.
    deltas.sort_by_key(|(vertex, _)| *vertex);
    let vertices = coarser.vertex_count(&character.packed);
    let first_weight = MORPH_HEADER_WORDS + vertices + 1;
    let first_delta = first_weight + weights.len();
    let mut words = vec![model.morphs.len() as u32, first_weight as u32, first_delta as u32, 0];
    words.extend((0..=vertices as u32).map(|v| deltas.partition_point(|(vertex, _)| *vertex < v) as u32));
    words.extend(weights.iter().map(|w| w.to_bits()));
    words.extend(deltas.iter().flat_map(|(_, delta)| &delta[..used]));
    words
}
