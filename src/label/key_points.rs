//! Key points of the body from joints, and their visibility.

use glam::{Affine3A, Vec2, Vec3};

use crate::{
    aov::AovImages,
    character::Character,
    label::{Mapping, PointAt},
    scene::{PosedPerson, Scene},
    view::Camera,
};

/// Key points of COCO's person, in its order.
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

/// Pairs of key points that COCO's skeleton joins, counted from 1.
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

/// Visibility of a key point, with COCO's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyPointVisibility {
    /// Not labelled: outside the picture, or the character has no such point.
    Unlabelled = 0,
    /// Labelled but occluded.
    Hidden = 1,
    /// Labelled and visible.
    Visible = 2,
}

/// Key point in a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeyPoint {
    /// Position (px); zero if it is [`KeyPointVisibility::Unlabelled`].
    pub pixel: Vec2,
    /// Distance along the camera's axis (m).
    pub depth: f32,
    /// Visibility of the point.
    pub seen: KeyPointVisibility,
}

/// Distance (m) beyond the flesh around a key point from which a nearer surface occludes it.
const SKIN: f32 = 0.02;
/// Number of nearest vertices that determine the thickness of the body around a point.
const NEAREST: usize = 8;

/// Key points of one character in its rest pose.
#[derive(Clone, Debug)]
pub struct KeyPoints {
    points: [Option<RestPoint>; 17],
}

#[derive(Clone, Copy, Debug)]
struct RestPoint {
    slot: usize,
    /// Position in mesh space.
    at: Vec3,
    /// Distance from the point to the skin in model space (m).
    flesh: f32,
}

impl KeyPoints {
    /// Finds the key points of a character by a mapping.
    #[must_use]
    pub fn of(character: &Character, mapping: &Mapping) -> Self {
        let name = &character.model.name;
        let point = |point: &str| rest_point(character, mapping.point(name, point)?);
        Self {
            points: COCO_POINTS.map(point),
        }
    }

    /// Finds the key points of all characters of a scene, in their order.
    #[must_use]
    pub fn of_all(scene: &Scene, mapping: &Mapping) -> Vec<Self> {
        let characters = scene.characters.iter();
        characters.map(|character| Self::of(character, mapping)).collect()
    }

    /// Returns the number of points.
    #[must_use]
    pub fn count(&self) -> usize {
        self.points.iter().flatten().count()
    }

    /// Returns the points of a person in world space (m), and the thickness of flesh around them (m).
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

    /// Returns the points of a person in a picture. A point is hidden if the depth AOV shows a nearer surface.
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
