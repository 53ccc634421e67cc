//! Points of the body from joints, and whether they are seen.

use glam::{Affine3A, Vec2, Vec3};

use crate::{
    aov::AovImages,
    character::Character,
    label::{Mapping, PointAt},
    scene::{PosedPerson, Scene},
    view::Camera,
};

/// The points of COCO's person, in its order.
pub const COCO_POINTS: [&str; 17] = [
    "nose",
    "left_eye",
    "right_eye",
    "left_ear",
    "right_ear",
    "left_shoulder",
    "right_shoulder",
    "left_elbow",
    "right_elbow",
    "left_wrist",
    "right_wrist",
    "left_hip",
    "right_hip",
    "left_knee",
    "right_knee",
    "left_ankle",
    "right_ankle",
];

/// Points that lines join, counted from 1, as COCO has them.
pub const COCO_SKELETON: [[u32; 2]; 19] = [
    [16, 14],
    [14, 12],
    [17, 15],
    [15, 13],
    [12, 13],
    [6, 12],
    [7, 13],
    [6, 7],
    [6, 8],
    [7, 9],
    [8, 10],
    [9, 11],
    [2, 3],
    [1, 2],
    [1, 3],
    [2, 4],
    [3, 5],
    [4, 6],
    [5, 7],
];

/// COCO's visibility.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyPointVisibility {
    /// Outside the picture, or the character has no such point.
    Unlabelled = 0,
    /// Something is in front of it.
    Hidden = 1,
    /// Nothing is.
    Visible = 2,
}

/// A point of a body in a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeyPoint {
    /// Pixels; zero where it is [`KeyPointVisibility::Unlabelled`].
    pub pixel: Vec2,
    /// Metres along the camera's axis.
    pub depth: f32,
    /// Whether it is seen.
    pub seen: KeyPointVisibility,
}

/// Distance (m) beyond the flesh around a key point from which a nearer surface occludes it.
const SKIN: f32 = 0.02;
/// Vertices around a point whose distance tells how thick the body is there.
const NEAREST: usize = 8;

/// Where the points of one character are in its rest pose.
#[derive(Clone, Debug)]
pub struct KeyPoints {
    points: [Option<RestPoint>; 17],
}

#[derive(Clone, Copy, Debug)]
struct RestPoint {
    slot: usize,
    /// Mesh space.
    at: Vec3,
    /// From the point to the skin, model space.
    flesh: f32,
}

impl KeyPoints {
    /// The points that a mapping finds in a character.
    #[must_use]
    pub fn of(character: &Character, mapping: &Mapping) -> Self {
        let name = &character.model.name;
        let point = |point: &str| rest_point(character, mapping.point(name, point)?);
        Self {
            points: COCO_POINTS.map(point),
        }
    }

    /// Key points of all characters of a scene, in their order.
    #[must_use]
    pub fn of_all(scene: &Scene, mapping: &Mapping) -> Vec<Self> {
        let characters = scene.characters.iter();
        characters.map(|character| Self::of(character, mapping)).collect()
    }

    /// How many points it has.
    #[must_use]
    pub fn count(&self) -> usize {
        self.points.iter().flatten().count()
    }

    /// The points of a person in the world, metres, and the flesh around them.
    fn in_world(&self, person: &PosedPerson<'_>) -> [Option<(Vec3, f32)>; 17] {
        let world = person.world_from_model();
        let scale = person.instance.scale();
        self.points.map(|point| {
            let point = point?;
            let model = person.palette.get(point.slot).copied().unwrap_or(Affine3A::IDENTITY);
            let place = world.transform_point3(model.transform_point3(point.at));
            place.is_finite().then_some((place, point.flesh * scale))
        })
    }

    /// The points of a person in a picture, hidden where the depth of the picture says so.
    #[must_use]
    pub fn seen(&self, person: &PosedPerson<'_>, camera: &Camera, numbers: &AovImages) -> [KeyPoint; 17] {
        let size = Vec2::new(numbers.size.0 as f32, numbers.size.1 as f32);
        self.in_world(person).map(|point| {
            let none = KeyPoint {
                pixel: Vec2::ZERO,
                depth: 0.0,
                seen: KeyPointVisibility::Unlabelled,
            };
            let Some((place, flesh)) = point else { return none };
            let inside = |pixel: &Vec2| pixel.cmpge(Vec2::ZERO).all() && pixel.cmplt(size).all();
            let Some(pixel) = camera.pixel_of(place, size).filter(inside) else {
                return none;
            };
            let depth = (place - camera.eye).dot(camera.forward());
            let shown = numbers.depth_at(pixel.x as u32, pixel.y as u32);
            let hidden = shown < depth - 1.5 * flesh - SKIN;
            KeyPoint {
                pixel,
                depth,
                seen: if hidden {
                    KeyPointVisibility::Hidden
                } else {
                    KeyPointVisibility::Visible
                },
            }
        })
    }
}

fn rest_point(character: &Character, at: &PointAt) -> Option<RestPoint> {
    let skeleton = &character.model.skeleton;
    let joint = { skeleton.joints.iter() }.position(|joint| joint.name.eq_ignore_ascii_case(&at.joint))?;
    let slot = skeleton.slots.iter().position(|slot| slot.joint as usize == joint)?;
    let mesh_from_joint = skeleton.slots[slot].inverse_bind.inverse();
    let point = mesh_from_joint.w_axis.truncate() + Vec3::from(at.offset);
    let vertices = &character.model.mesh.vertices;
    let mut distances: Vec<f32> = vertices.iter().map(|v| v.position.distance(point)).collect();
    let nearest = NEAREST.min(distances.len().checked_sub(1)?);
    let (_, flesh, _) = distances.select_nth_unstable_by(nearest, f32::total_cmp);
    point.is_finite().then_some(RestPoint {
        slot,
        at: point,
        flesh: *flesh,
    })
}
