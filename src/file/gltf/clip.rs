//! Animations: channels on joints, trimmed to their first key.

use std::{
    collections::{HashMap, hash_map::Entry},
    mem::discriminant,
};

use ::gltf::json::{
    self,
    animation::{Animation, Interpolation as JsonInterpolation, Property},
    validation::Checked,
};
use glam::{Quat, Vec3};
use serde::Deserialize;

use crate::{
    bake::MAX_FRAMES,
    file::{
        ModelError,
        gltf::{document::Document, morph::Morphs, nodes::normalized, skins::Rig},
    },
    model::{Channel, Clip, ClipEvent, Interpolation, Keys, Wrap},
};

/// `extras.throng` of an animation.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Extras {
    wrap: Wrap,
    speed: f32,
    turn: f32,
    events: Vec<ClipEvent>,
}

/// Reads every animation; those without channels on joints remain as clips in the rest pose.
pub(crate) fn read(
    document: &Document<'_>,
    rig: &Rig,
    morphs: &Morphs,
    notes: &mut Vec<String>,
) -> Result<Vec<Clip>, ModelError> {
    let animations = document.root.animations.iter().enumerate();
    animations
        .map(|(index, a)| read_clip(document, rig, morphs, index, a, notes))
        .collect()
}

fn read_clip(
    document: &Document<'_>,
    rig: &Rig,
    morphs: &Morphs,
    index: usize,
    animation: &Animation,
    notes: &mut Vec<String>,
) -> Result<Clip, ModelError> {
    let name = match &animation.name {
        Some(name) if !name.is_empty() => name.clone(),
        _ => format!("clip {index}"),
    };
    let mut reader = Reader {
        document,
        animation,
        joint_of: &rig.joint_of,
        start: f32::INFINITY,
        end: f32::NEG_INFINITY,
    };
    let mut channels = reader.channels(&format!("animation {index} \"{name}\""))?;
    let (start, end) = if reader.start <= reader.end {
        (reader.start, reader.end)
    } else {
        (0.0, 0.0)
    };
    for channel in &mut channels {
        channel.times.iter_mut().for_each(|t| *t -= start);
    }
    let duration = end - start;
    check_duration(duration).map_err(|problem| document.content(format!("animation {index} \"{name}\""), problem))?;
    let extras = extras(animation, &name, notes);
    Ok(Clip {
        name,
        duration,
        file_start: start,
        channels: channels.into(),
        morphs: morphs.channels(index, start),
        wrap: extras.wrap,
        speed: if extras.speed.is_finite() { extras.speed } else { 0.0 },
        turn: if extras.turn.is_finite() { extras.turn } else { 0.0 },
        events: ClipEvent::in_order(extras.events, duration),
    })
}

/// Reads the channels of an animation in file time, for files that need no trimming.
pub(crate) fn read_channels(
    document: &Document<'_>,
    joint_of: &[Option<u32>],
    index: usize,
) -> Result<Vec<Channel>, ModelError> {
    let place = format!("animation {index}");
    let animation = document.root.animations.get(index);
    let animation = animation.ok_or_else(|| document.content(&place, "does not exist"))?;
    let mut reader = Reader {
        document,
        animation,
        joint_of,
        start: f32::INFINITY,
        end: f32::NEG_INFINITY,
    };
    reader.channels(&place)
}

fn extras(animation: &Animation, name: &str, notes: &mut Vec<String>) -> Extras {
    let object: Option<json::Value> = animation
        .extras
        .as_ref()
        .and_then(|e| json::deserialize::from_str(e.get()).ok());
    let Some(ours) = object.as_ref().and_then(|o| o.get("throng")) else {
        return Extras::default();
    };
    Extras::deserialize(ours).unwrap_or_else(|e| {
        notes.push(format!("clip \"{name}\": its extras.throng is ignored: {e}"));
        Extras::default()
    })
}

struct Reader<'a> {
    document: &'a Document<'a>,
    animation: &'a Animation,
    /// Joint of each node.
    joint_of: &'a [Option<u32>],
    /// Time of the first key of all channels (s), file time.
    start: f32,
    /// Time of the last key of all channels (s), file time.
    end: f32,
}

impl Reader<'_> {
    /// All channels that move joints; if two animate the same property, the last one counts.
    fn channels(&mut self, place: &str) -> Result<Vec<Channel>, ModelError> {
        let mut channels: Vec<Channel> = Vec::with_capacity(self.animation.channels.len());
        let mut known = HashMap::new();
        for (number, channel) in self.animation.channels.iter().enumerate() {
            let place = format!("{place}, channel {number}");
            let Some(channel) = self.channel(channel, &place)? else {
                continue;
            };
            match known.entry((channel.joint, discriminant(&channel.keys))) {
                Entry::Occupied(index) => channels[*index.get()] = channel,
                Entry::Vacant(place) => {
                    place.insert(channels.len());
                    channels.push(channel);
                }
            }
        }
        Ok(channels)
    }

    /// Reads a channel in file time; `None` if it moves nothing that is drawn.
    fn channel(&mut self, channel: &json::animation::Channel, place: &str) -> Result<Option<Channel>, ModelError> {
        let fail = |problem: String| self.document.content(place, problem);
        let sampler = self.animation.samplers.get(channel.sampler.value());
        let sampler = sampler.ok_or_else(|| fail(format!("its sampler {} does not exist", channel.sampler)))?;
        let node = channel.target.node.value();
        let joint = *self
            .joint_of
            .get(node)
            .ok_or_else(|| fail(format!("its node {node} does not exist")))?;
        let interpolation = match sampler.interpolation {
            Checked::Valid(JsonInterpolation::Step) => Interpolation::Step,
            Checked::Valid(JsonInterpolation::Linear) => Interpolation::Linear,
            Checked::Valid(JsonInterpolation::CubicSpline) => Interpolation::CubicSpline,
            Checked::Invalid => return Err(fail("its interpolation is unknown".into())),
        };
        let times: Vec<f32> = self
            .document
            .floats::<1>(sampler.input, place)?
            .into_iter()
            .map(|[t]| t)
            .collect();
        check_times(&times).map_err(fail)?;
        let (Some(&first), Some(&last)) = (times.first(), times.last()) else {
            return Ok(None);
        };
        self.start = self.start.min(first);
        self.end = self.end.max(last);
        let path = channel.target.path;
        let Some(joint) = joint else { return Ok(None) };
        let per_key = if interpolation == Interpolation::CubicSpline {
            3
        } else {
            1
        };
        let (times, keys) = match path {
            Checked::Valid(Property::Translation) => {
                distinct(&times, &self.vectors(sampler, place)?, per_key).map(|(t, v)| (t, Keys::Translation(v)))
            }
            Checked::Valid(Property::Scale) => {
                distinct(&times, &self.vectors(sampler, place)?, per_key).map(|(t, v)| (t, Keys::Scale(v)))
            }
            Checked::Valid(Property::Rotation) => {
                let rotations = self.rotations(sampler, per_key, place)?;
                distinct(&times, &rotations, per_key).map(|(t, q)| (t, Keys::Rotation(q)))
            }
            Checked::Valid(Property::MorphTargetWeights) | Checked::Invalid => return Ok(None),
        }
        .map_err(|problem| self.document.content(place, problem))?;
        Ok(Some(Channel {
            joint,
            interpolation,
            times,
            keys,
        }))
    }

    fn vectors(&self, sampler: &json::animation::Sampler, place: &str) -> Result<Vec<Vec3>, ModelError> {
        let values = self.document.vectors(sampler.output, place)?;
        match values.iter().position(|v| !v.is_finite()) {
            Some(bad) => Err(self.document.content(place, format!("key value {bad} is not finite"))),
            None => Ok(values),
        }
    }

    fn rotations(
        &self,
        sampler: &json::animation::Sampler,
        per_key: usize,
        place: &str,
    ) -> Result<Vec<Quat>, ModelError> {
        let values: Vec<Quat> = self
            .document
            .floats::<4>(sampler.output, place)?
            .into_iter()
            .map(Quat::from_array)
            .collect();
        if let Some(bad) = values.iter().position(|q| !q.is_finite()) {
            return Err(self.document.content(place, format!("key value {bad} is not finite")));
        }
        // Tangents (the first and last of three) are not rotations and keep their length.
        let value = |i: usize| per_key == 1 || i % 3 == 1;
        Ok(values
            .into_iter()
            .enumerate()
            .map(|(i, q)| if value(i) { normalized(q) } else { q })
            .collect())
    }
}

/// Refuses clips that no atlas can hold at one frame a second.
pub(crate) fn check_duration(seconds: f32) -> Result<(), String> {
    if (0.0..MAX_FRAMES as f32).contains(&seconds) {
        return Ok(());
    }
    Err(format!(
        "lasts {seconds} s, but an atlas holds {MAX_FRAMES} frames, at least one a second; shorten it or remove stray keys"
    ))
}

/// Checks that key times are finite and in order.
pub(crate) fn check_times(times: &[f32]) -> Result<(), String> {
    if let Some(bad) = times.iter().position(|t| !t.is_finite()) {
        return Err(format!("key time {bad} is not finite"));
    }
    match times.windows(2).position(|w| w[1] < w[0]) {
        Some(bad) => Err(format!("key time {} is less than its predecessor", bad + 1)),
        None => Ok(()),
    }
}

/// Keeps the last key of those at the same time, with its `per_key` values. Values past the last key are dropped.
pub(crate) fn distinct<T: Copy>(times: &[f32], values: &[T], per_key: usize) -> Result<(Vec<f32>, Vec<T>), String> {
    if values.len() < times.len() * per_key {
        return Err(format!(
            "has {} key times but {} values; expected {per_key} per key",
            times.len(),
            values.len()
        ));
    }
    let last_of = |i: &usize| times.get(i + 1).is_none_or(|next| *next > times[*i]);
    let kept: Vec<usize> = (0..times.len()).filter(last_of).collect();
    let of_key = |&k: &usize| &values[k * per_key..(k + 1) * per_key];
    Ok((
        kept.iter().map(|&k| times[k]).collect(),
        kept.iter().flat_map(of_key).copied().collect(),
    ))
}
