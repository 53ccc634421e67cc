//! Blend shapes as morph targets: one target for each key shape of a channel.

use std::collections::HashSet;

use glam::Vec3;
use serde_json::{Value, json};
use ufbx::{BlendChannel, BlendShape, Mesh};

use crate::file::fbx::container::Container;

/// A key shape of a blend channel.
pub(super) struct ShapeTarget<'a> {
    /// Channel that the key shape belongs to.
    pub channel: &'a BlendChannel,
    /// Index among the channel's key shapes.
    pub key: usize,
}

impl<'a> ShapeTarget<'a> {
    fn shape(&self) -> &'a BlendShape {
        self.channel.keyframes[self.key].shape.as_ref()
    }

    /// Weight of this key shape at a weight of its channel: shapes in between are blended linearly.
    pub(super) fn weight_at(&self, channel_weight: f64) -> f32 {
        weights_at(&full_weights(self.channel), channel_weight)[self.key] as f32
    }
}

/// Weights of a channel at which its key shapes are in full.
pub(super) fn full_weights(channel: &BlendChannel) -> Vec<f64> {
    channel.keyframes.iter().map(|key| key.target_weight).collect()
}

/// Weight of each key shape at a weight of its channel. Between two key shapes, and between none and the first, it is
/// linear; beyond the last it goes on as it was.
fn weights_at(full: &[f64], weight: f64) -> Vec<f64> {
    let mut weights = vec![0.0; full.len()];
    // Key shapes on the side of the weight, nearest to zero first.
    let mut side: Vec<usize> = (0..full.len()).filter(|&k| full[k] * weight > 0.0).collect();
    side.sort_by(|&a, &b| full[a].abs().total_cmp(&full[b].abs()));
    let next = side.iter().position(|&k| full[k].abs() > weight.abs());
    let next = next.unwrap_or(side.len().saturating_sub(1));
    let Some(&upper) = side.get(next) else { return weights };
    let lower = next.checked_sub(1).map(|before| side[before]);
    let from = lower.map_or(0.0, |k| full[k]);
    let span = full[upper] - from;
    if span != 0.0 {
        let share = (weight - from) / span;
        weights[upper] = share;
        if let Some(lower) = lower {
            weights[lower] = 1.0 - share;
        }
    }
    weights
}

/// Targets of a mesh that a clip changes or that are visible at rest.
pub(super) fn targets<'a>(mesh: &'a Mesh, animated: &HashSet<u32>) -> Vec<ShapeTarget<'a>> {
    let channels = mesh
        .blend_deformers
        .iter()
        .flat_map(|deformer| deformer.as_ref().channels.iter());
    let used = channels.filter(|c| c.weight != 0.0 || animated.contains(&c.element.element_id));
    used.flat_map(|channel| {
        let channel: &'a BlendChannel = channel.as_ref();
        (0..channel.keyframes.len()).map(move |key| ShapeTarget { channel, key })
    })
    .collect()
}

/// Names of targets: those of the channels, and of the shape for further key shapes of one.
pub(super) fn names(targets: &[ShapeTarget<'_>]) -> Vec<String> {
    let name = |target: &ShapeTarget<'_>| {
        let channel = &target.channel.element.name;
        let of_shape = channel.is_empty() || target.channel.keyframes.len() > 1;
        let name = if of_shape {
            &target.shape().element.name
        } else {
            channel
        };
        // Exporters put the deformer's name in front.
        name.rsplit('.').next().unwrap_or(name).to_owned()
    };
    targets.iter().map(name).collect()
}

/// Weights at rest.
pub(super) fn rest_weights(targets: &[ShapeTarget<'_>]) -> Vec<f32> {
    targets
        .iter()
        .map(|target| target.weight_at(target.channel.weight))
        .collect()
}

/// ShapeDisplacements of every target by vertex of the mesh.
pub(super) struct ShapeDisplacements {
    /// Positions and normals, if the shape changes normals.
    of_target: Vec<(Vec<Vec3>, Option<Vec<Vec3>>)>,
}

impl ShapeDisplacements {
    pub(super) fn of(mesh: &Mesh, targets: &[ShapeTarget<'_>]) -> Self {
        let of_target = targets.iter().map(|target| {
            let shape = target.shape();
            let spread = |offsets: &[ufbx::Vec3]| {
                let mut all = vec![Vec3::ZERO; mesh.num_vertices];
                for (&vertex, offset) in shape.offset_vertices.iter().zip(offsets) {
                    if let Some(value) = all.get_mut(vertex as usize) {
                        *value += vector(*offset);
                    }
                }
                all
            };
            let normals = spread(&shape.normal_offsets);
            let bends = normals.iter().any(|n| *n != Vec3::ZERO);
            (spread(&shape.position_offsets), bends.then_some(normals))
        });
        Self {
            of_target: of_target.collect(),
        }
    }

    /// Writes the targets of a primitive whose vertices are these of the mesh.
    pub(super) fn write(&self, vertices: &[u32], container: &mut Container) -> Vec<Value> {
        let mut gather = |all: &[Vec3]| {
            let values: Vec<Vec3> = vertices
                .iter()
                .map(|&v| all.get(v as usize).copied().unwrap_or(Vec3::ZERO))
                .collect();
            container.vectors(&values)
        };
        let target = |(positions, normals): &(Vec<Vec3>, Option<Vec<Vec3>>)| {
            let mut target = json!({"POSITION": gather(positions)});
            if let Some(normals) = normals {
                target["NORMAL"] = json!(gather(normals));
            }
            target
        };
        self.of_target.iter().map(target).collect()
    }
}

/// Vector in single precision.
pub(super) fn vector(v: ufbx::Vec3) -> Vec3 {
    Vec3::new(v.x as f32, v.y as f32, v.z as f32)
}

#[cfg(test)]
mod tests {
    use super::weights_at;

    #[test]
    fn shapes_in_between_are_blended_linearly() {
        for (weight, expected) in [
            (0.0, [0.0, 0.0]),
            (0.25, [0.5, 0.0]),
            (0.5, [1.0, 0.0]),
            (0.75, [0.5, 0.5]),
            (1.0, [0.0, 1.0]),
            (1.5, [-1.0, 2.0]),
        ] {
            assert_eq!(weights_at(&[0.5, 1.0], weight), expected, "{weight}");
        }
        assert_eq!(weights_at(&[1.0], -0.5), [0.0]);
        assert_eq!(weights_at(&[-1.0, 1.0], -0.5), [0.5, 0.0]);
        assert_eq!(weights_at(&[], 1.0), [0.0; 0]);
    }
}
