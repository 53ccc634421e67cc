//! Morph targets of a written file: sparse accessors, since targets usually move few vertices.

use glam::Vec3;
use serde_json::{Value, json};

use crate::{
    file::Glb,
    model::{Bounds, Interpolation, Model, Morph, MorphChannel, MorphDelta},
};

/// Accessors of every target, in the model's order, as a primitive's `targets`.
pub(crate) fn write(glb: &mut Glb, model: &Model) -> Vec<Value> {
    let layout = TargetLayout {
        vertices: model.mesh.vertices.len(),
        has_normals: !model.flat,
        has_tangents: model.mesh.has_tangents(),
    };
    model.morphs.iter().map(|morph| target(glb, morph, layout)).collect()
}

/// Attributes that every target of a mesh has.
#[derive(Clone, Copy)]
struct TargetLayout {
    vertices: usize,
    has_normals: bool,
    has_tangents: bool,
}

fn target(glb: &mut Glb, morph: &Morph, layout: TargetLayout) -> Value {
    let mut deltas = if morph.deltas.is_empty() {
        vec![MorphDelta::default()]
    } else {
        morph.deltas.clone()
    };
    deltas.sort_by_key(|d| d.vertex);
    deltas.dedup_by_key(|d| d.vertex);
    let indices: Vec<u32> = deltas.iter().map(|d| d.vertex).collect();
    let indices = glb.add_view(bytemuck::cast_slice(&indices));
    let mut sparse = |values: Vec<Vec3>| {
        let view = glb.add_view(bytemuck::cast_slice(&values));
        let all = values.len() == layout.vertices;
        // Vertices that a sparse accessor does not list are zero.
        let rest = (!all).then_some(Vec3::ZERO);
        let bounds = Bounds::of(values.iter().copied().chain(rest));
        glb.add_accessor(json!({
            "componentType": 5126, "type": "VEC3", "count": layout.vertices,
            "min": bounds.min.to_array(), "max": bounds.max.to_array(),
            "sparse": {
                "count": values.len(),
                "indices": {"bufferView": indices, "componentType": 5125},
                "values": {"bufferView": view},
            },
        }))
    };
    let position = sparse(deltas.iter().map(|d| d.position).collect());
    let mut target = json!({"POSITION": position});
    if layout.has_normals {
        target["NORMAL"] = sparse(deltas.iter().map(|d| d.normal).collect()).into();
    }
    if layout.has_tangents {
        target["TANGENT"] = sparse(deltas.iter().map(|d| d.tangent).collect()).into();
    }
    target
}

/// Key times and weights of all targets for one animation channel; `None` where the clip has none.
///
/// Channels with common times keep their keys. Other channels are resampled at the times of all channels, which is
/// exact for linear interpolation.
pub(crate) fn weights(model: &Model, channels: &[MorphChannel]) -> Option<(Interpolation, Vec<f32>, Vec<f32>)> {
    let first = channels.first()?;
    let alike = |c: &MorphChannel| c.times == first.times && c.interpolation == first.interpolation;
    let kind = if channels.iter().all(alike) {
        first.interpolation
    } else {
        Interpolation::Linear
    };
    let mut times: Vec<f32> = channels.iter().flat_map(|c| c.times.iter().copied()).collect();
    times.sort_by(f32::total_cmp);
    times.dedup();
    let rows = if kind == Interpolation::CubicSpline { 3 } else { 1 };
    let mut values = Vec::with_capacity(times.len() * rows * model.morphs.len());
    for (key, &time) in times.iter().enumerate() {
        for row in 0..rows {
            for (index, morph) in model.morphs.iter().enumerate() {
                let channel = channels.iter().find(|c| c.morph as usize == index);
                values.push(match channel {
                    Some(c) if rows == 3 => c.values[3 * key + row],
                    Some(c) => value_at(c, time),
                    None if rows == 3 && row != 1 => 0.0,
                    None => morph.rest,
                });
            }
        }
    }
    Some((kind, times, values))
}

/// Value of a channel with linear interpolation (or constant, for steps).
fn value_at(channel: &MorphChannel, time: f32) -> f32 {
    let value = |key: usize| match channel.interpolation {
        Interpolation::CubicSpline => channel.values[3 * key + 1],
        Interpolation::Step | Interpolation::Linear => channel.values[key],
    };
    let after = channel.times.partition_point(|&t| t <= time);
    let Some(key) = after.checked_sub(1) else {
        return value(0);
    };
    match channel.times.get(after) {
        Some(next) if channel.interpolation != Interpolation::Step => {
            let fraction = (time - channel.times[key]) / (next - channel.times[key]);
            value(key) + (value(after) - value(key)) * fraction
        }
        _ => value(key),
    }
}
