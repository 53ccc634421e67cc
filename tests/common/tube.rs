//! Bending tube whose vertices have up to eight influences; four of them alone are visibly wrong.

use serde_json::{Value, json};
use throng::{file::gltf, model::Model};

use super::builder::Builder;

/// Number of joints, one above the other.
pub const JOINTS: usize = 8;
const RINGS: usize = 33;
const SIDES: usize = 12;
const HEIGHT: f32 = 2.0;
const RADIUS: f32 = 0.2;

fn height_of(joint: usize) -> f32 {
    (joint as f32 + 0.5) * HEIGHT / JOINTS as f32
}

/// Weights of all joints at a height: all eight reach the middle, five the ends.
pub fn weights(y: f32) -> [f32; JOINTS] {
    let reach: [f32; JOINTS] = std::array::from_fn(|j| (-((y - height_of(j)) / 0.6).powi(2)).exp());
    let sum: f32 = reach.iter().sum();
    let kept = reach.map(|w| if w / sum < 0.01 { 0.0 } else { w });
    kept.map(|w| w / kept.iter().sum::<f32>())
}

/// Height and tilt of a joint, tilted to alternate sides at a quarter of the clip and back at three quarters.
fn sway(joint: usize) -> (f32, f32) {
    let side = if joint.is_multiple_of(2) { 1.0 } else { -1.0 };
    (side * 0.25, side * 0.4)
}

/// A clip that sways every joint.
fn sway_clip(b: &mut Builder) -> Value {
    let times = b.floats(&[0.0, 0.5, 1.0, 1.5, 2.0], "SCALAR", 1);
    let (mut channels, mut samplers) = (Vec::new(), Vec::new());
    for joint in 0..JOINTS {
        let (aside, normal_bias) = sway(joint);
        let shares = [0.0, 1.0, 0.0, -1.0, 0.0];
        let places: Vec<f32> = shares.iter().flat_map(|s| [s * aside, height_of(joint), 0.0]).collect();
        let turns = shares
            .iter()
            .flat_map(|s| glam::Quat::from_rotation_z(s * normal_bias).to_array());
        let turns: Vec<f32> = turns.collect();
        let tracks = [
            ("translation", b.floats(&places, "VEC3", 3)),
            ("rotation", b.floats(&turns, "VEC4", 4)),
        ];
        for (path, output) in tracks {
            channels.push(json!({"sampler": samplers.len(), "target": {"node": joint, "path": path}}));
            samplers.push(json!({"input": times, "output": output}));
        }
    }
    json!({"name": "sway", "channels": channels, "samplers": samplers})
}

/// Attributes and triangles of the only primitive.
fn primitive(b: &mut Builder) -> Value {
    let points = || (0..RINGS).flat_map(|ring| (0..SIDES).map(move |side| (ring, side)));
    let around = |side: usize| {
        let (sin, cos) = (side as f32 / SIDES as f32 * std::f32::consts::TAU).sin_cos();
        [cos, 0.0, sin]
    };
    let up = |ring: usize| HEIGHT * ring as f32 / (RINGS - 1) as f32;
    let place = |(ring, side): (usize, usize)| {
        let [x, _, z] = around(side);
        [x * RADIUS, up(ring), z * RADIUS]
    };
    let positions: Vec<f32> = points().flat_map(place).collect();
    let normals: Vec<f32> = points().flat_map(|(_, side)| around(side)).collect();
    let of_set = |set: usize| -> Vec<f32> {
        let four = |(ring, _): (usize, usize)| weights(up(ring))[4 * set..4 * set + 4].to_vec();
        points().flat_map(four).collect()
    };
    let quad = |(ring, side): (usize, usize)| {
        let at = |ring: usize, side: usize| (ring * SIDES + side % SIDES) as u16;
        let [a, b] = [side, side + 1].map(|side| at(ring - 1, side));
        let [c, d] = [side, side + 1].map(|side| at(ring, side));
        [a, c, b, b, c, d]
    };
    let indices = points().filter(|(ring, _)| *ring > 0).flat_map(quad);
    let indices: Vec<u8> = indices.flat_map(u16::to_le_bytes).collect();
    let count = RINGS * SIDES;
    let attributes = json!({
        "POSITION": b.floats(&positions, "VEC3", 3),
        "NORMAL": b.floats(&normals, "VEC3", 3),
        "JOINTS_0": b.add(&[0, 1, 2, 3].repeat(count), 5121, "VEC4", count),
        "JOINTS_1": b.add(&[4, 5, 6, 7].repeat(count), 5121, "VEC4", count),
        "WEIGHTS_0": b.floats(&of_set(0), "VEC4", 4),
        "WEIGHTS_1": b.floats(&of_set(1), "VEC4", 4),
    });
    let triangles = b.add(&indices, 5123, "SCALAR", indices.len() / 2);
    json!({"attributes": attributes, "indices": triangles})
}

/// The tube as the text of a file.
pub fn file() -> String {
    let mut b = Builder::default();
    let primitive = primitive(&mut b);
    let bind = |joint| glam::Mat4::from_translation(glam::Vec3::Y * -height_of(joint)).to_cols_array();
    let binds: Vec<f32> = (0..JOINTS).flat_map(bind).collect();
    let binds = b.floats(&binds, "MAT4", 16);
    let joint = |joint| json!({"name": format!("j{joint}"), "translation": [0.0, height_of(joint), 0.0]});
    let mut nodes: Vec<Value> = (0..JOINTS).map(joint).collect();
    nodes.push(json!({"mesh": 0, "skin": 0}));
    let clip = sway_clip(&mut b);
    b.text(json!({
        "nodes": nodes,
        "skins": [{"joints": (0..JOINTS).collect::<Vec<_>>(), "inverseBindMatrices": binds}],
        "meshes": [{"primitives": [primitive]}],
        "animations": [clip],
    }))
}

/// The tube as imported.
pub fn model() -> Model {
    gltf::load_bytes("tube", file().as_bytes(), None).expect("loads")
}
