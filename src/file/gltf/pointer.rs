//! KHR_animation_pointer: pointers to transforms and weights of nodes become plain channels, those to the visibility of
//! nodes become channels of scales that are 0 or 1.

use std::collections::HashMap;

use ::gltf::json::{self, Index, Value};
use serde_json::json;

use crate::file::{ModelError, gltf::document::Document};

/// Name of the extension.
pub(crate) const EXTENSION: &str = "KHR_animation_pointer";
/// Extension of nodes whose only member is `visible`.
const VISIBILITY: &str = "KHR_node_visibility";
/// Cost of a key of visibility besides its value (elements).
const ELEMENTS_PER_KEY: u64 = 4;

/// A channel that shows and hides a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VisibilityChannel {
    animation: usize,
    sampler: usize,
    node: usize,
}

/// Turns pointers to transforms and weights into targets of nodes and takes those to visibility out of the JSON.
pub(crate) fn expand(root: &mut Value) -> Vec<VisibilityChannel> {
    let mut found = Vec::new();
    let animations = root.get_mut("animations").and_then(Value::as_array_mut);
    for (animation, object) in animations.into_iter().flatten().enumerate() {
        let Some(channels) = object.get_mut("channels").and_then(Value::as_array_mut) else {
            continue;
        };
        channels.retain_mut(|channel| {
            let pointer = channel.pointer("/target/extensions/KHR_animation_pointer/pointer");
            let Some((node, path)) = pointer.and_then(Value::as_str).and_then(of_node) else {
                return true;
            };
            match path.as_str() {
                "translation" | "rotation" | "scale" | "weights" => {
                    channel["target"] = json!({"node": node, "path": path});
                    true
                }
                "extensions/KHR_node_visibility/visible" => {
                    let sampler = channel.get("sampler").and_then(Value::as_u64);
                    found.extend(sampler.map(|sampler| VisibilityChannel {
                        animation,
                        sampler: sampler as usize,
                        node,
                    }));
                    false
                }
                _ => true,
            }
        });
    }
    found
}

/// Node and rest of a pointer such as `/nodes/3/translation`.
fn of_node(pointer: &str) -> Option<(usize, String)> {
    let (node, path) = pointer.strip_prefix("/nodes/")?.split_once('/')?;
    Some((node.parse().ok()?, path.to_owned()))
}

/// Adds a node above each one that is shown and hidden, whose scale is 1 or 0, and the channels that change it.
pub(crate) fn show_and_hide(document: &mut Document<'_>, channels: &[VisibilityChannel]) -> Result<(), ModelError> {
    let mut holders = HashMap::new();
    let mut skinned = 0;
    for channel in channels {
        let place = format!("animation {}, visibility of node {}", channel.animation, channel.node);
        let Some(node) = document.root.nodes.get(channel.node) else {
            return Err(document.content(place, "the node does not exist"));
        };
        if node.skin.is_some() {
            skinned += 1;
            continue;
        }
        let holder = match holders.get(&channel.node) {
            Some(&holder) => holder,
            None => hold(document, channel.node).map_err(|problem| document.content(&place, problem))?,
        };
        holders.insert(channel.node, holder);
        add_channel(document, *channel, holder, &place)?;
    }
    if skinned > 0 {
        document.notes.push(format!(
            "{skinned} animations of the visibility of skinned meshes are ignored: they stay as they are"
        ));
    }
    Ok(())
}

/// Puts a node between another and its parent; returns it. The error is the problem in words.
fn hold(document: &mut Document<'_>, node: usize) -> Result<usize, String> {
    let root = &mut document.root;
    let holder = root.nodes.len();
    let held = &mut root.nodes[node];
    let hidden = held.extensions.as_mut().and_then(|e| e.others.remove(VISIBILITY));
    let visible = hidden
        .and_then(|object| object.get("visible")?.as_bool())
        .unwrap_or(true);
    let scale = if visible { [1.0; 3] } else { [0.0; 3] };
    let name = format!("{} (visibility)", held.name.as_deref().unwrap_or("node"));
    let object = json!({"name": name, "scale": scale, "children": [node]});
    let object = json::deserialize::from_value(object).map_err(|error| error.to_string())?;
    let lists = root.nodes.iter_mut().filter_map(|node| node.children.as_mut());
    for list in lists.chain(root.scenes.iter_mut().map(|scene| &mut scene.nodes)) {
        for entry in list.iter_mut().filter(|entry| entry.value() == node) {
            *entry = Index::new(holder as u32);
        }
    }
    root.nodes.push(object);
    Ok(holder)
}

/// Adds a channel of scales from values of visibility.
fn add_channel(
    document: &mut Document<'_>,
    channel: VisibilityChannel,
    holder: usize,
    place: &str,
) -> Result<(), ModelError> {
    let animation = &document.root.animations[channel.animation];
    let Some(sampler) = animation.samplers.get(channel.sampler) else {
        return Err(document.content(place, format!("its sampler {} does not exist", channel.sampler)));
    };
    let (input, output) = (sampler.input.value(), sampler.output);
    let values = document.floats::<1>(output, place)?;
    document.spend(values.len() as u64 * ELEMENTS_PER_KEY, place)?;
    let scale = |[visible]: &[f32; 1]| [if *visible == 0.0 { 0.0_f32 } else { 1.0 }; 3];
    let scales: Vec<[f32; 3]> = values.iter().map(scale).collect();
    let view = document.add_view(bytemuck::cast_slice(&scales).to_vec());
    let accessor = json!({"bufferView": view, "componentType": 5126, "type": "VEC3", "count": scales.len()});
    let sampler = json!({"input": input, "output": document.root.accessors.len(), "interpolation": "STEP"});
    let target = json!({"sampler": document.root.animations[channel.animation].samplers.len(),
        "target": {"node": holder, "path": "scale"}});
    let broken = |document: &Document<'_>, error: serde_json::Error| document.content(place, error.to_string());
    let accessor = json::deserialize::from_value(accessor).map_err(|error| broken(document, error))?;
    let sampler = json::deserialize::from_value(sampler).map_err(|error| broken(document, error))?;
    let target = json::deserialize::from_value(target).map_err(|error| broken(document, error))?;
    document.root.accessors.push(accessor);
    let animation = &mut document.root.animations[channel.animation];
    animation.samplers.push(sampler);
    animation.channels.push(target);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_to_nodes_become_plain_channels() {
        let channel = |pointer: &str| json!({"sampler": 2, "target": {"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": pointer}}}});
        let mut root = json!({"animations": [{"channels": [
            channel("/nodes/3/rotation"),
            channel("/nodes/4/extensions/KHR_node_visibility/visible"),
            channel("/materials/0/emissiveFactor"),
        ]}]});
        let visible = expand(&mut root);
        assert_eq!(
            visible,
            [VisibilityChannel {
                animation: 0,
                sampler: 2,
                node: 4
            }]
        );
        let channels = root["animations"][0]["channels"].as_array().expect("a list");
        assert_eq!(channels[0]["target"], json!({"node": 3, "path": "rotation"}));
        assert_eq!(channels[1]["target"]["path"], "pointer");
        assert_eq!(channels.len(), 2);
    }
}
