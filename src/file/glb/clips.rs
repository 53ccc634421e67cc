//! Animations of a written file.

use serde_json::{Value, json};

use crate::{
    file::{Glb, glb::morphs},
    model::{Clip, Interpolation, Keys, Model},
};

/// Adds an animation for every clip that has channels; returns the animation of each clip.
pub(crate) fn write(glb: &mut Glb, model: &Model) -> Vec<Option<usize>> {
    let mut animations: Vec<Value> = Vec::new();
    let mut of_clip = Vec::with_capacity(model.clips.len());
    for clip in &model.clips {
        if clip.channels.is_empty() && clip.morphs.is_empty() {
            of_clip.push(None);
            continue;
        }
        of_clip.push(Some(animations.len()));
        animations.push(animation(glb, model, clip));
    }
    if !animations.is_empty() {
        glb.set("animations", animations.into());
    }
    of_clip
}

fn animation(glb: &mut Glb, model: &Model, clip: &Clip) -> Value {
    let mut channels = Vec::with_capacity(clip.channels.len());
    let mut samplers = Vec::with_capacity(clip.channels.len());
    for channel in &clip.channels {
        let (path, output) = match &channel.keys {
            Keys::Translation(v) => ("translation", glb.floats(bytemuck::cast_slice(v), "VEC3", 3)),
            Keys::Scale(v) => ("scale", glb.floats(bytemuck::cast_slice(v), "VEC3", 3)),
            Keys::Rotation(q) => ("rotation", glb.floats(bytemuck::cast_slice(q), "VEC4", 4)),
        };
        let input = glb.floats(&channel.times, "SCALAR", 1);
        channels.push(json!({
            "sampler": samplers.len(),
            "target": {"node": channel.joint, "path": path},
        }));
        samplers.push(sampler(input, output, channel.interpolation));
    }
    if let Some((kind, times, values)) = morphs::weights(model, &clip.morphs) {
        let input = glb.floats(&times, "SCALAR", 1);
        let output = glb.floats(&values, "SCALAR", 1);
        channels.push(json!({
            "sampler": samplers.len(),
            "target": {"node": glb.mesh_node, "path": "weights"},
        }));
        samplers.push(sampler(input, output, kind));
    }
    let events = serde_json::to_value(&clip.events).unwrap_or_default();
    json!({
        "name": clip.name,
        "channels": channels,
        "samplers": samplers,
        "extras": {"throng": {
            "wrap": serde_json::to_value(clip.wrap).unwrap_or_default(),
            "speed": clip.speed,
            "turn": clip.turn,
            "events": events,
        }},
    })
}

/// Omits the interpolation if it is LINEAR, the default: stating it would be a tenth of a file with many clips.
fn sampler(input: usize, output: usize, interpolation: Interpolation) -> Value {
    let mut sampler = json!({"input": input, "output": output});
    match interpolation {
        Interpolation::Step => sampler["interpolation"] = "STEP".into(),
        Interpolation::Linear => {}
        Interpolation::CubicSpline => sampler["interpolation"] = "CUBICSPLINE".into(),
    }
    sampler
}
