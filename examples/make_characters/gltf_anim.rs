//! Animations as glTF channels: quantized rotations, without keys that interpolation replaces.

use crate::anim::{Baked, Wrap};
use crate::gltf_out::{FLOAT, SHORT, Writer, floats};
use crate::rig::HIPS;
use glam::Quat;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Encodes a quaternion as normalized shorts.
fn quat_bytes(q: Quat) -> [u8; 8] {
    let mut out = [0; 8];
    for (i, c) in q.to_array().into_iter().enumerate() {
        let short = (c * 32767.0).round().clamp(-32767.0, 32767.0) as i16;
        out[i * 2..i * 2 + 2].copy_from_slice(&short.to_le_bytes());
    }
    out
}

fn time_accessor(w: &mut Writer, times: &[f32]) -> usize {
    let view = w.view(&floats(times.iter().copied()), None, None);
    let last = times[times.len() - 1];
    w.accessor(json!({"bufferView": view, "componentType": FLOAT, "count": times.len(),
        "type": "SCALAR", "min": [times[0]], "max": [last]}))
}

/// Returns the largest distance of keys (1, 2 or 4) for which `close` holds between them; 0 if one key suffices.
fn thin<T: Copy>(keys: &[T], blend: impl Fn(T, T, f32) -> T, close: impl Fn(T, T) -> bool) -> usize {
    if keys.iter().all(|k| close(*k, keys[0])) {
        return 0;
    }
    let fits = |stride: &usize| {
        let within = |i: usize| {
            let base = i / stride * stride;
            let t = (i - base) as f32 / *stride as f32;
            close(keys[i], blend(keys[base], keys[(base + stride).min(keys.len() - 1)], t))
        };
        (0..keys.len()).all(within)
    };
    [4, 2].into_iter().find(fits).unwrap_or(1)
}

/// Channels of a clip that is being written.
struct Channels<'a> {
    times: &'a [f32],
    /// Time accessors written so far, by the distance of their keys (0: a single key).
    inputs: BTreeMap<usize, usize>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
}

impl<'a> Channels<'a> {
    fn new(times: &'a [f32]) -> Self {
        let inputs = BTreeMap::new();
        Self {
            times,
            inputs,
            samplers: Vec::new(),
            channels: Vec::new(),
        }
    }

    fn add(&mut self, w: &mut Writer, stride: usize, output: usize, node: usize, path: &str) {
        let write = || time_accessor(w, &thinned(self.times, stride));
        let input = *self.inputs.entry(stride).or_insert_with(write);
        let target = json!({"node": node, "path": path});
        self.channels
            .push(json!({"sampler": self.samplers.len(), "target": target}));
        self.samplers.push(json!({"input": input, "output": output}));
    }
}

/// Returns every `stride`-th key, or just the first for 0.
fn thinned<T: Copy>(keys: &[T], stride: usize) -> Vec<T> {
    let step = if stride == 0 { keys.len() } else { stride };
    keys.iter().step_by(step).copied().collect()
}

pub fn write_animation(w: &mut Writer, clip: &Baked, legs: std::ops::Range<usize>) -> Value {
    let mut out = Channels::new(&clip.times);
    let mut bytes = Vec::new();
    let mut outputs = Vec::new();
    for (joint, keys) in clip.rotations.iter().enumerate() {
        // Feet must not slide: joints that move them have a smaller tolerance (rad).
        let tolerance: f32 = if joint <= HIPS || legs.contains(&joint) {
            2e-4
        } else {
            3e-3
        };
        // A small angle is twice the distance of the quaternions.
        let close = |a: Quat, b: Quat| (a - b).length().min((a + b).length()) < tolerance * 0.5;
        let stride = thin(keys, |a, b, t| a.slerp(b, t), close);
        if stride == 0 && close(keys[0], Quat::IDENTITY) {
            continue;
        }
        let kept = thinned(keys, stride);
        outputs.push((joint, stride, bytes.len(), kept.len()));
        bytes.extend(kept.iter().flat_map(|q| quat_bytes(*q)));
    }
    let view = w.view(&bytes, None, None);
    for (joint, stride, offset, count) in outputs {
        let output = w.accessor(json!({"bufferView": view, "byteOffset": offset,
            "componentType": SHORT, "normalized": true, "count": count, "type": "VEC4"}));
        out.add(w, stride, output, joint, "rotation");
    }
    let stride = thin(&clip.hips, |a, b, t| a.lerp(b, t), |a, b| a.distance(b) < 1e-4);
    let kept = thinned(&clip.hips, stride);
    let view = w.view(&floats(kept.iter().flat_map(|p| p.to_array())), None, None);
    let output = w.accessor(json!({"bufferView": view, "componentType": FLOAT,
        "count": kept.len(), "type": "VEC3"}));
    out.add(w, stride, output, HIPS, "translation");
    json!({"name": clip.name, "channels": out.channels, "samplers": out.samplers,
        "extras": {"throng": clip_extras(clip)}})
}

fn clip_extras(clip: &Baked) -> Value {
    let rounded = |x: f32| (f64::from(x) * 1e4).round() / 1e4;
    let events = clip.events.iter().map(|e| {
        let mut event = json!({"name": e.name, "time": rounded(e.time)});
        if let Some(foot) = e.foot {
            event["foot"] = json!(foot);
        }
        event
    });
    let wrap = match clip.wrap {
        Wrap::Loop => "loop",
        Wrap::Once => "once",
    };
    json!({"wrap": wrap, "speed": rounded(clip.speed), "events": events.collect::<Vec<_>>()})
}
