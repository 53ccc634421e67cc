//! Animation stacks as glTF animations: layers flattened, pivots and Euler angles resolved, sampled where curves bend.

use std::collections::HashMap;

use glam::{Quat, Vec3};
use serde_json::{Value, json};
use ufbx::{AnimStack, BakeOpts, BakedAnimRoot, BakedNode, BakedQuat, BakedVec3, BlendChannel, Scene};

use crate::file::{
    Source,
    fbx::{
        container::Container,
        load::{allocator, problem},
        meshes::Meshes,
        nodes::{self, Nodes},
        shapes::{ShapeTarget, full_weights, vector},
    },
};

/// Samples per second of a file that states no frame rate.
const DEFAULT_RATE: f64 = 30.0;
/// Smallest rate of samples (Hz).
const LEAST_RATE: f64 = 60.0;
/// Maximum number of samples between two keys: a minute at 60 a second.
const MAX_SEGMENTS: usize = 3600;
/// Property of blend channels that curves change (percent).
const DEFORM_PERCENT: &str = "DeformPercent";
/// Names that programs give to stacks on their own: the file's name says more.
const NAMELESS: [&str; 6] = ["", "mixamo.com", "take 001", "take 01", "unreal take", "scene"];
/// Difference from rest below which a constant value counts as at rest.
const AT_REST: f32 = 1e-5;

/// A sampled stack.
pub(super) struct SampledClip {
    name: String,
    /// Time of the first key (s).
    start: f64,
    /// Time of the last key (s).
    end: f64,
    baked: BakedAnimRoot,
}

impl SampledClip {
    /// Element ids of blend channels with keys.
    pub(super) fn changed_shapes(&self) -> impl Iterator<Item = u32> {
        let elements = self.baked.elements.iter();
        let with_keys = elements.filter(|element| element.props.iter().any(|p| &*p.name == DEFORM_PERCENT));
        with_keys.map(|element| element.element_id)
    }
}

/// True if some stack has curves.
pub(super) fn exist(scene: &Scene) -> bool {
    let mut layers = scene.anim_stacks.iter().flat_map(|stack| stack.as_ref().layers.iter());
    layers.any(|layer| !layer.anim_values.is_empty()) && !scene.anim_curves.is_empty()
}

/// Samples all stacks that move something. The error is the problem in words.
pub(super) fn sample(scene: &Scene, source: &Source<'_>, notes: &mut Vec<String>) -> Result<Vec<SampledClip>, String> {
    let mut clips = Vec::new();
    let mut left = allocator(source.bytes.len()).memory_limit;
    let mut still = Vec::new();
    for stack in scene.anim_stacks.iter() {
        let name = &*stack.element.name;
        let rate = scene.settings.frames_per_second;
        let mut options = BakeOpts {
            temp_allocator: allocator(source.bytes.len()),
            result_allocator: allocator(source.bytes.len()),
            resample_rate: sample_rate(rate),
            max_keyframe_segments: MAX_SEGMENTS,
            ..BakeOpts::default()
        };
        options.result_allocator.memory_limit = left;
        let baked = ufbx::bake_anim(scene, &stack.anim, options)
            .map_err(|error| format!("animation \"{name}\": {}", problem(&error)))?;
        left = left.saturating_sub(baked.metadata.result_memory_used).max(1);
        if !moves(scene, &baked) {
            still.push(format!("\"{name}\""));
            continue;
        }
        let (start, end) = range(stack, &baked);
        clips.push(SampledClip {
            name: name.to_owned(),
            start,
            end,
            baked,
        });
    }
    if !still.is_empty() {
        notes.push(format!("animation {} moves nothing and is left out", still.join(", ")));
    }
    name_all(&mut clips, source.name);
    Ok(clips)
}

/// Rate of samples between keys that are far apart (Hz): the smallest multiple of the frame rate that is fast enough
/// for linear interpolation between samples.
fn sample_rate(frame_rate: f64) -> f64 {
    let rate = if (12.0..=120.0).contains(&frame_rate) {
        frame_rate
    } else {
        DEFAULT_RATE
    };
    rate * (LEAST_RATE / rate).ceil()
}

/// First and last time with keys, inside the stack's own range where it has one.
fn range(stack: &AnimStack, baked: &BakedAnimRoot) -> (f64, f64) {
    let layers = stack.layers.iter();
    let values = layers.flat_map(|layer| layer.as_ref().anim_values.iter());
    let curves = values.flat_map(|value| value.as_ref().curves.iter().flatten());
    let keyed = curves.filter(|curve| !curve.keyframes.is_empty());
    let none = (f64::INFINITY, f64::NEG_INFINITY);
    let keys = keyed.fold(none, |(first, last), c| (first.min(c.min_time), last.max(c.max_time)));
    // Sampling fills the whole range of the stack, which is often that of an empty time line.
    let (first, last) = if keys.0 < keys.1 {
        keys
    } else {
        (baked.key_time_min, baked.key_time_max)
    };
    let (begin, end) = (baked.playback_time_begin, baked.playback_time_end);
    let both = (first.max(begin), last.min(end));
    if both.0 < both.1 {
        both
    } else {
        (first, last.max(first))
    }
}

/// Names clips after what follows the last separator; one clip of a name that no person gave has that of its file.
fn name_all(clips: &mut [SampledClip], file: &str) {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    for clip in &mut *clips {
        let plain = clip.name.trim_end_matches("|BaseLayer").trim_end_matches("|Layer0");
        clip.name = plain.rsplit('|').next().unwrap_or(plain).to_owned();
    }
    if let [clip] = clips
        && NAMELESS.contains(&clip.name.to_lowercase().as_str())
        && !stem.is_empty()
    {
        clip.name = stem.to_owned();
    }
}

/// True if a stack changes anything.
fn moves(scene: &Scene, baked: &BakedAnimRoot) -> bool {
    let node = |node: &BakedNode| {
        let rest = scene.nodes.get(node.typed_id as usize).map(|n| &n.local_transform);
        rest.is_some_and(|rest| {
            let [t, r, s] = [nodes::translation(rest), nodes::rotation(rest), nodes::scale(rest)];
            !node.constant_translation
                || !node.constant_rotation
                || !node.constant_scale
                || differs(&node.translation_keys, &t)
                || differs(&node.scale_keys, &s)
                || turns(&node.rotation_keys, &r)
        })
    };
    let shapes = |element: &ufbx::BakedElement| element.props.iter().any(|prop| &*prop.name == DEFORM_PERCENT);
    baked.nodes.iter().any(node) || baked.elements.iter().any(shapes)
}

fn differs(keys: &[BakedVec3], rest: &[f32]) -> bool {
    let rest = Vec3::from_slice(rest);
    let near = AT_REST * rest.length().max(AT_REST);
    keys.iter().any(|key| vector(key.value).distance(rest) > near)
}

fn turns(keys: &[BakedQuat], rest: &[f32]) -> bool {
    let rest = Quat::from_slice(rest);
    keys.iter()
        .any(|key| quaternion(key).dot(rest).abs() < 1.0 - AT_REST * AT_REST.sqrt())
}

fn quaternion(key: &BakedQuat) -> Quat {
    let q = key.value;
    Quat::from_xyzw(q.x as f32, q.y as f32, q.z as f32, q.w as f32)
}

/// Writes all clips.
pub(super) fn write(clips: &[SampledClip], nodes: &Nodes<'_>, meshes: &Meshes<'_, '_>, container: &mut Container) {
    for clip in clips {
        let mut writer = ClipWriter {
            clip,
            container,
            times: HashMap::new(),
            samplers: Vec::new(),
            channels: Vec::new(),
        };
        for node in clip.baked.nodes.iter() {
            if let Some(index) = nodes.index(node.typed_id) {
                writer.node(index, node, nodes);
            }
        }
        let mut shaped: Vec<_> = meshes.targets.iter().collect();
        shaped.sort_by_key(|(node, _)| **node);
        for (node, targets) in shaped {
            writer.shapes(*node, targets);
        }
        let (samplers, channels) = (writer.samplers, writer.channels);
        if !channels.is_empty() {
            let animation = json!({"name": clip.name, "samplers": samplers, "channels": channels});
            container.push("animations", animation);
        }
    }
}

struct ClipWriter<'a> {
    clip: &'a SampledClip,
    container: &'a mut Container,
    /// Accessors of key times, by their bits.
    times: HashMap<Vec<u8>, usize>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
}

impl ClipWriter<'_> {
    fn node(&mut self, index: usize, node: &BakedNode, nodes: &Nodes<'_>) {
        let Some(rest) = nodes.node(node.typed_id).map(|n| &n.local_transform) else {
            return;
        };
        let vectors =
            |keys: &[BakedVec3]| -> Vec<(f64, Vec3)> { keys.iter().map(|k| (k.time, vector(k.value))).collect() };
        for (path, keys, constant, rest) in [
            (
                "translation",
                &node.translation_keys,
                node.constant_translation,
                nodes::translation(rest),
            ),
            ("scale", &node.scale_keys, node.constant_scale, nodes::scale(rest)),
        ] {
            if !constant || differs(keys, &rest) {
                let (times, values) = self.within(&vectors(keys), Vec3::lerp);
                let values = self.container.vectors(&values);
                self.channel(index, path, &times, values);
            }
        }
        let rest = nodes::rotation(rest);
        if !node.constant_rotation || turns(&node.rotation_keys, &rest) {
            let keys: Vec<(f64, Quat)> = node.rotation_keys.iter().map(|k| (k.time, quaternion(k))).collect();
            let (times, values) = self.within(&keys, Quat::slerp);
            let values = self.container.floats(bytemuck::cast_slice(&values), "VEC4", 4);
            self.channel(index, "rotation", &times, values);
        }
    }

    /// Writes the weights of all targets of a node.
    fn shapes(&mut self, node: usize, targets: &[ShapeTarget<'_>]) {
        let keys: Vec<Vec<(f64, f64)>> = targets.iter().map(|target| self.percents(target.channel)).collect();
        if keys.iter().all(Vec::is_empty) {
            return;
        }
        let mut all: Vec<f64> = keys.iter().flatten().map(|key| key.0).collect();
        all.sort_by(f64::total_cmp);
        all.dedup();
        let linear = |a: f64, b: f64, share: f32| a + (b - a) * f64::from(share);
        let values_at = |time: f64| {
            let weight = |(target, keys): (&ShapeTarget<'_>, &Vec<(f64, f64)>)| {
                let channel = value_at(keys, time, linear).unwrap_or(target.channel.weight);
                target.weight_at(channel)
            };
            targets.iter().zip(&keys).map(weight).collect::<Vec<f32>>()
        };
        let range = (self.clip.start, self.clip.end);
        let inside = all.into_iter().filter(|time| *time > range.0 && *time < range.1);
        let moments: Vec<f64> = [range.0].into_iter().chain(inside).chain([range.1]).collect();
        let values: Vec<f32> = moments.iter().flat_map(|time| values_at(*time)).collect();
        let times: Vec<f32> = moments.iter().map(|time| (time - range.0) as f32).collect();
        let values = self.container.floats(&values, "SCALAR", 1);
        self.channel(node, "weights", &times, values);
    }

    /// Keys of a blend channel (s, weight), with more where a shape in between is in full.
    fn percents(&self, channel: &BlendChannel) -> Vec<(f64, f64)> {
        let of_channel = |e: &&ufbx::BakedElement| e.element_id == channel.element.element_id;
        let element = self.clip.baked.elements.iter().find(of_channel);
        let prop = element.and_then(|e| e.props.iter().find(|prop| &*prop.name == DEFORM_PERCENT));
        let Some(prop) = prop else { return Vec::new() };
        let keys: Vec<(f64, f64)> = prop.keys.iter().map(|key| (key.time, key.value.x / 100.0)).collect();
        let mut stops = full_weights(channel);
        stops.push(0.0);
        let mut dense: Vec<(f64, f64)> = Vec::with_capacity(keys.len());
        for (at, key) in keys.iter().enumerate() {
            dense.push(*key);
            if let Some(next) = keys.get(at + 1) {
                let between = |stop: &&f64| (**stop - key.1) * (**stop - next.1) < 0.0;
                let share = |stop: &f64| (stop - key.1) / (next.1 - key.1);
                let mut crossed: Vec<f64> = stops.iter().filter(between).copied().collect();
                crossed.sort_by(|a, b| share(a).total_cmp(&share(b)));
                dense.extend(
                    crossed
                        .iter()
                        .map(|stop| (key.0 + (next.0 - key.0) * share(stop), *stop)),
                );
            }
        }
        dense
    }

    /// Keys inside the clip, with one at each end.
    fn within<T: Copy>(&self, keys: &[(f64, T)], between: fn(T, T, f32) -> T) -> (Vec<f32>, Vec<T>) {
        let (start, end) = (self.clip.start, self.clip.end);
        let inside = keys.iter().filter(|key| key.0 > start && key.0 < end).copied();
        let end_key = |time: f64| value_at(keys, time, between).map(|value| (time, value));
        let last = end_key(end).filter(|_| end > start);
        let all = end_key(start).into_iter().chain(inside).chain(last);
        all.map(|(time, value)| ((time - start) as f32, value)).unzip()
    }

    fn channel(&mut self, node: usize, path: &str, times: &[f32], values: usize) {
        let bits: Vec<u8> = bytemuck::cast_slice(times).to_vec();
        let input = match self.times.get(&bits) {
            Some(&known) => known,
            None => self.container.floats(times, "SCALAR", 1),
        };
        self.times.insert(bits, input);
        self.channels
            .push(json!({"sampler": self.samplers.len(), "target": {"node": node, "path": path}}));
        self.samplers.push(json!({"input": input, "output": values}));
    }
}

/// Value of keys at a time; before the first and after the last they stay. `None` without keys.
fn value_at<T: Copy>(keys: &[(f64, T)], time: f64, between: impl Fn(T, T, f32) -> T) -> Option<T> {
    let next = keys.partition_point(|key| key.0 <= time);
    let (before, after) = (next.checked_sub(1).and_then(|at| keys.get(at)), keys.get(next));
    Some(match (before, after) {
        (Some(a), Some(b)) => between(a.1, b.1, ((time - a.0) / (b.0 - a.0)) as f32),
        (Some(only), None) | (None, Some(only)) => only.1,
        (None, None) => return None,
    })
}
