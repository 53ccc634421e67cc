//! Morph targets: finds those whose weights change, applies the others to the mesh, and reads the channels.

use std::{
    collections::{HashMap, hash_map::Entry},
    rc::Rc,
};

use ::gltf::json::{
    self, Index,
    accessor::Accessor,
    animation::{Interpolation as JsonInterpolation, Property},
    mesh::Primitive,
    validation::Checked,
};
use glam::Vec3;

use crate::{
    file::{
        ModelError,
        gltf::{
            clip::{check_times, distinct},
            document::Document,
            nodes::Nodes,
            vrm,
        },
    },
    model::{Expression, ExpressionTarget, Interpolation, Morph, MorphChannel},
};

/// Displacements of one target of one primitive; empty lists stand for zeros.
#[derive(Default)]
pub(crate) struct TargetAttributes {
    pub positions: Vec<Vec3>,
    pub normals: Vec<Vec3>,
    pub tangents: Vec<Vec3>,
}

/// Targets of the mesh that a node shows.
#[derive(Clone, Default)]
pub(crate) struct NodeMorphs {
    /// Weights for targets that no clip animates.
    pub rest: Vec<f32>,
    /// Index into `Model::morphs` for targets that some clip changes.
    pub ids: Vec<Option<u32>>,
}

/// All morph targets of the scene.
#[derive(Default)]
pub(crate) struct Morphs {
    /// Morph targets by node.
    pub nodes: HashMap<usize, NodeMorphs>,
    /// Targets that clips change, still without displacements.
    pub list: Vec<Morph>,
    /// Expressions of the file, with the targets of those that clips of other files move.
    pub expressions: Vec<Expression>,
    /// Channels by animation, in file time.
    channels: HashMap<usize, Vec<MorphChannel>>,
    /// Index of the channel of an animation and a target.
    places: HashMap<(usize, u32), usize>,
}

/// Maximum number of targets that expressions name: files have a few dozen.
const MAX_NAMED: usize = 4096;
/// Cost of a target for each node that shows its mesh (elements).
const ELEMENTS_PER_TARGET: u64 = 16;

/// Weights channel as stored: `targets` values per key (×3 for splines).
struct StoredWeights {
    animation: usize,
    node: usize,
    interpolation: Interpolation,
    times: Vec<f32>,
    values: Vec<f32>,
}

impl Morphs {
    /// Finds all targets; keeps those that some clip changes, or all of them for baked files, whose lists are in
    /// order.
    pub(crate) fn read(document: &Document<'_>, nodes: &Nodes, keep_all: bool) -> Result<Self, ModelError> {
        let mut morphs = Self::default();
        let targets = |p: &Primitive| p.targets.as_ref().map_or(0, Vec::len);
        let counts: Vec<usize> = (document.root.meshes.iter())
            .map(|mesh| mesh.primitives.iter().map(targets).max().unwrap_or(0))
            .collect();
        for (node, source) in document
            .root
            .nodes
            .iter()
            .enumerate()
            .filter(|&(n, _)| nodes.in_scene[n])
        {
            let mesh = source
                .mesh
                .and_then(|m| document.root.meshes.get(m.value()).zip(counts.get(m.value())));
            let Some((mesh, &count)) = mesh else { continue };
            if count > 0 {
                document.spend(
                    count as u64 * ELEMENTS_PER_TARGET,
                    &format!("node {node}: its morph targets"),
                )?;
                let stated = source.weights.as_ref().or(mesh.weights.as_ref());
                let weight = |t: usize| stated.and_then(|w| w.get(t)).copied().filter(|w| w.is_finite());
                let rest = (0..count).map(|t| weight(t).unwrap_or(0.0)).collect();
                morphs.nodes.insert(
                    node,
                    NodeMorphs {
                        rest,
                        ids: vec![None; count],
                    },
                );
            }
        }
        if keep_all {
            morphs.keep_all(document);
        }
        let stored = morphs.stored_channels(document)?;
        let mut names = HashMap::new();
        for channel in &stored {
            morphs.assign(document, channel, &mut names);
        }
        morphs.keep_expressions(document, &mut names)?;
        for channel in stored {
            morphs.split(channel);
        }
        Ok(morphs)
    }

    fn keep_all(&mut self, document: &Document<'_>) {
        let mut known = HashMap::new();
        for (&node, morphs) in &mut self.nodes {
            let names = target_names(document, node, &mut known);
            for (target, (id, &rest)) in morphs.ids.iter_mut().zip(&morphs.rest).enumerate() {
                *id = Some(self.list.len() as u32);
                let name = names.get(target).cloned().unwrap_or_default();
                self.list.push(Morph {
                    name,
                    rest,
                    deltas: Vec::new(),
                });
            }
        }
    }

    /// Channels of an animation, with its first key moved to `start`.
    pub(crate) fn channels(&self, animation: usize, start: f32) -> Vec<MorphChannel> {
        let mut channels = self.channels.get(&animation).cloned().unwrap_or_default();
        channels.iter_mut().flat_map(|c| &mut c.times).for_each(|t| *t -= start);
        channels
    }

    fn stored_channels(&self, document: &Document<'_>) -> Result<Vec<StoredWeights>, ModelError> {
        let mut stored = Vec::new();
        for (index, animation) in document.root.animations.iter().enumerate() {
            for (number, channel) in animation.channels.iter().enumerate() {
                let node = channel.target.node.value();
                let weights = channel.target.path == Checked::Valid(Property::MorphTargetWeights);
                let Some(morphs) = self.nodes.get(&node).filter(|_| weights) else {
                    continue;
                };
                let place = format!("animation {index}, channel {number}");
                let Some(sampler) = animation.samplers.get(channel.sampler.value()) else {
                    continue;
                };
                let mut read = read_channel(document, sampler, morphs.rest.len(), &place)?;
                (read.animation, read.node) = (index, node);
                stored.extend((!read.times.is_empty()).then_some(read));
            }
        }
        Ok(stored)
    }

    /// Assigns an index to every target that a channel moves away from its rest weight.
    fn assign(&mut self, document: &Document<'_>, channel: &StoredWeights, known: &mut Names) {
        let Some(morphs) = self.nodes.get(&channel.node) else {
            return;
        };
        let rests = morphs.rest.clone();
        let count = rests.len();
        let spline = channel.interpolation == Interpolation::CubicSpline;
        for (target, &rest) in rests.iter().enumerate() {
            // Splines also store tangents: a target whose tangents are not zero moves, too.
            let still = |(row, &v): (usize, &f32)| v == if spline && row % 3 != 1 { 0.0 } else { rest };
            let values = channel.values.iter().skip(target).step_by(count);
            if !values.enumerate().all(still) {
                self.index_of(document, channel.node, target, known);
            }
        }
    }

    /// Lists the expressions, and assigns an index to every target of those that clips of other files move.
    fn keep_expressions(&mut self, document: &Document<'_>, known: &mut Names) -> Result<(), ModelError> {
        let mut nodes: Vec<usize> = self.nodes.keys().copied().collect();
        nodes.sort_unstable();
        for expression in vrm::expressions(&document.root) {
            let mut targets = Vec::new();
            let is_moved = document.expressions.contains(&expression.name.to_lowercase());
            for bind in expression.binds.iter().filter(|_| is_moved) {
                document.spend(nodes.len() as u64, "expressions")?;
                for &node in nodes.iter().filter(|&&node| bind.is_of(&document.root, node)) {
                    let morph = self.index_of(document, node, bind.target, known);
                    let weight = bind.weight;
                    targets.extend(morph.map(|morph| ExpressionTarget { morph, weight }));
                }
            }
            self.expressions.push(Expression {
                name: expression.name,
                is_binary: expression.is_binary,
                targets,
            });
        }
        Ok(())
    }

    /// Index of a target in `list`, which it joins if it is not there yet; `None` if the node has no such target.
    fn index_of(&mut self, document: &Document<'_>, node: usize, target: usize, known: &mut Names) -> Option<u32> {
        let morphs = self.nodes.get_mut(&node)?;
        let (id, &rest) = morphs.ids.get_mut(target).zip(morphs.rest.get(target))?;
        if id.is_none() {
            *id = Some(self.list.len() as u32);
            let names = target_names(document, node, known);
            let name = names.get(target).cloned().unwrap_or_else(|| format!("target {target}"));
            self.list.push(Morph {
                name,
                rest,
                deltas: Vec::new(),
            });
        }
        *id
    }

    /// Splits a weights channel into one channel per animated target.
    fn split(&mut self, stored: StoredWeights) {
        let Some(morphs) = self.nodes.get(&stored.node) else {
            return;
        };
        let channels = self.channels.entry(stored.animation).or_default();
        for (target, id) in morphs.ids.iter().enumerate() {
            let Some(morph) = *id else { continue };
            let values = stored.values.iter().skip(target).step_by(morphs.ids.len());
            let channel = MorphChannel {
                morph,
                interpolation: stored.interpolation,
                times: stored.times.clone(),
                values: values.copied().collect(),
            };
            // If two channels animate one target, the later one counts.
            match self.places.entry((stored.animation, morph)) {
                Entry::Occupied(place) => channels[*place.get()] = channel,
                Entry::Vacant(place) => {
                    place.insert(channels.len());
                    channels.push(channel);
                }
            }
        }
    }
}

fn read_channel(
    document: &Document<'_>,
    sampler: &json::animation::Sampler,
    targets: usize,
    place: &str,
) -> Result<StoredWeights, ModelError> {
    let flat = |accessor| -> Result<Vec<f32>, ModelError> {
        Ok(document
            .floats::<1>(accessor, place)?
            .into_iter()
            .map(|[x]| x)
            .collect())
    };
    let (times, values) = (flat(sampler.input)?, flat(sampler.output)?);
    let (interpolation, per_key) = match sampler.interpolation {
        Checked::Valid(JsonInterpolation::Step) => (Interpolation::Step, targets),
        Checked::Valid(JsonInterpolation::CubicSpline) => (Interpolation::CubicSpline, 3 * targets),
        _ => (Interpolation::Linear, targets),
    };
    let fail = |problem: String| document.content(place, problem);
    check_times(&times).map_err(fail)?;
    if let Some(bad) = values.iter().position(|x| !x.is_finite()) {
        return Err(fail(format!("key value {bad} is not finite")));
    }
    let (times, values) = distinct(&times, &values, per_key).map_err(fail)?;
    // Splines store in-tangents, values and out-tangents of all targets one after another, so the triple of one target
    // is again evenly spaced.
    Ok(StoredWeights {
        animation: 0,
        node: 0,
        interpolation,
        times,
        values,
    })
}

/// Names of targets by mesh, read once.
type Names = HashMap<usize, Rc<Vec<String>>>;

/// Reads `extras.targetNames` of the node's mesh, a common convention.
fn target_names(document: &Document<'_>, node: usize, known: &mut Names) -> Rc<Vec<String>> {
    let mesh = document.root.nodes[node].mesh.map_or(usize::MAX, |m| m.value());
    let names = known.entry(mesh);
    names
        .or_insert_with(|| Rc::new(read_target_names(document, mesh)))
        .clone()
}

fn read_target_names(document: &Document<'_>, index: usize) -> Vec<String> {
    let mesh = document.root.meshes.get(index);
    let extras = mesh.and_then(|m| m.extras.as_ref());
    let value: Option<json::Value> = extras.and_then(|e| json::deserialize::from_str(e.get()).ok());
    let names = value
        .as_ref()
        .and_then(|v| v.get("targetNames"))
        .and_then(json::Value::as_array);
    let name = |v: &json::Value| v.as_str().unwrap_or_default().to_owned();
    let stated = names.map(|n| n.iter().map(name).collect());
    stated.unwrap_or_else(|| of_expressions(document, index))
}

/// Names after expressions of VRM, for files without others.
fn of_expressions(document: &Document<'_>, mesh: usize) -> Vec<String> {
    let mut names = vrm::target_names(&document.root, mesh);
    let count = names.keys().max().map_or(0, |last| last + 1).min(MAX_NAMED);
    let name = |target| names.remove(&target).unwrap_or_else(|| format!("target {target}"));
    (0..count).map(name).collect()
}

/// Reads the displacements of a primitive's targets.
pub(crate) fn read_targets(
    document: &Document<'_>,
    primitive: &Primitive,
    count: usize,
    place: &str,
) -> Result<Vec<TargetAttributes>, ModelError> {
    let read = |accessor: Option<Index<Accessor>>| -> Result<Vec<Vec3>, ModelError> {
        let Some(accessor) = accessor else {
            return Ok(Vec::new());
        };
        let values = document.vectors(accessor, place)?;
        if values.len() != count || values.iter().any(|v| !v.is_finite()) {
            return Err(document.content(place, "a morph target does not match its mesh or is not finite"));
        }
        Ok(values)
    };
    let targets = primitive.targets.iter().flatten();
    targets
        .map(|t| {
            Ok(TargetAttributes {
                positions: read(t.positions)?,
                normals: read(t.normals)?,
                tangents: read(t.tangents)?,
            })
        })
        .collect()
}
