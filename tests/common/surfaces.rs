//! Small characters built in code.

use glam::{Mat4, Vec2, Vec3, Vec4};
use throng::model::{
    Channel, Clip, Image, Interpolation, Joint, Keys, Material, Mesh, Model, MorphChannel, PaletteSlot, Skeleton,
    TextureRef, Transform, Vertex, padded,
};

/// Skeleton with one root joint per entry.
pub fn skeleton(rests: &[Transform]) -> Skeleton {
    let joint = |(index, &rest): (usize, &Transform)| Joint {
        name: format!("joint {index}"),
        parent: None,
        rest,
    };
    let slot = |joint: usize| PaletteSlot {
        joint: joint as u32,
        inverse_bind: Mat4::IDENTITY,
    };
    Skeleton {
        joints: rests.iter().enumerate().map(joint).collect(),
        slots: (0..rests.len()).map(slot).collect(),
        ..Skeleton::default()
    }
}

/// Right triangle in the xy plane that faces +Z, all of it on the first slot.
pub fn triangle(width: f32, height: f32) -> Mesh {
    let vertex = |(x, y)| Vertex {
        position: Vec3::new(x, y, 0.0),
        normal: Vec3::Z,
        weights: padded([1.0], 0.0),
        ..Vertex::default()
    };
    Mesh {
        vertices: [(0.0, 0.0), (width, 0.0), (0.0, height)].map(vertex).into(),
        indices: vec![0, 1, 2],
    }
}

/// Channel of the first joint.
pub fn channel(interpolation: Interpolation, times: &[f32], keys: Keys) -> Channel {
    Channel {
        joint: 0,
        interpolation,
        times: times.to_vec(),
        keys,
    }
}

/// Channel of the first morph target, linear between its keys.
pub fn morph_channel(times: &[f32], weights: &[f32]) -> MorphChannel {
    MorphChannel {
        morph: 0,
        interpolation: Interpolation::Linear,
        times: times.to_vec(),
        values: weights.to_vec(),
    }
}

/// Model with one joint, a triangle on it 1 m wide, and one clip.
pub fn one_joint(channels: Vec<Channel>, duration: f32) -> Model {
    Model {
        name: "one".into(),
        skeleton: skeleton(&[Transform::IDENTITY]),
        mesh: triangle(1.0, 1.0),
        materials: vec![Material::default()],
        clips: vec![Clip {
            name: "move".into(),
            duration,
            channels: channels.into(),
            ..Clip::default()
        }],
        ..Model::default()
    }
}

/// Square of 2 m that stands on the ground in the xy plane and faces +Z, its image upright; `cells` squares a side.
/// Without tangents.
pub fn quad(cells: u32, material: Material, images: Vec<Image>) -> Model {
    let vertex = |x: u32, y: u32| {
        let uv = Vec2::new(x as f32, y as f32) / cells as f32;
        Vertex {
            position: Vec3::new(2.0 * uv.x - 1.0, 2.0 - 2.0 * uv.y, 0.0),
            normal: Vec3::Z,
            color: Vec4::ONE,
            uv,
            weights: padded([1.0], 0.0),
            ..Vertex::default()
        }
    };
    let row = cells + 1;
    let square = |x: u32, y: u32| {
        let at = y * row + x;
        [at, at + row, at + 1, at + 1, at + row, at + row + 1]
    };
    let places = |n: u32| (0..n).flat_map(move |y| (0..n).map(move |x| (x, y)));
    Model {
        name: "quad".into(),
        skeleton: skeleton(&[Transform::IDENTITY]),
        mesh: Mesh {
            vertices: places(row).map(|(x, y)| vertex(x, y)).collect(),
            indices: places(cells).flat_map(|(x, y)| square(x, y)).collect(),
        },
        materials: vec![material],
        images,
        ..Model::default()
    }
}

/// Texture that shows an image.
pub fn texture(image: u32) -> Option<TextureRef> {
    Some(TextureRef {
        image,
        ..TextureRef::default()
    })
}

/// Square image; `pixel` takes coordinates in 0..1 of the middle of each pixel, y downwards.
pub fn image(name: &str, edge: u32, pixel: impl Fn(f32, f32) -> [u8; 4]) -> Image {
    let at = |i: u32| (i as f32 + 0.5) / edge as f32;
    let pixels = (0..edge * edge).flat_map(|i| pixel(at(i % edge), at(i / edge)));
    Image {
        name: name.into(),
        width: edge,
        height: edge,
        rgba: pixels.collect(),
    }
}

/// Clip with keys for some joints.
pub fn clip(name: &str, channels: Vec<(u32, Keys)>) -> Clip {
    let channel = |(joint, keys)| Channel {
        joint,
        interpolation: Interpolation::Linear,
        times: vec![0.0, 1.0],
        keys,
    };
    Clip {
        name: name.into(),
        duration: 1.0,
        channels: channels.into_iter().map(channel).collect(),
        ..Clip::default()
    }
}
