//! Key points of the body from joints, and their visibility.

use glam::{Affine3A, Vec2, Vec3};

use crate::{
    aov::{AovImages, FrameParameters},
    character::Character,
    label::{JointSet, Mapping, PointAt, PointSource, mapping::POINTS},
    scene::PosedPerson,
};

/// Key points of COCO's person, in its order.
pub const COCO_POINTS: [&str; 17] = match POINTS.first_chunk() {
    Some(points) => *points,
    None => unreachable!(),
};

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
    /// Distance along the camera's axis (m); zero if it is [`KeyPointVisibility::Unlabelled`].
    pub depth: f32,
    /// Visibility of the point.
    pub seen: KeyPointVisibility,
    /// Position in the world (m), in the picture or not; `None` if the character has no such point.
    pub world: Option<Vec3>,
    /// Share of the flesh around the point, within the picture, that something hides: 0..=1.
    pub occlusion: f32,
    /// Share of the flesh around the point that lies outside the picture: 0..=1.
    pub truncation: f32,
}

impl KeyPoint {
    const NONE: Self = Self {
        pixel: Vec2::ZERO,
        depth: 0.0,
        seen: KeyPointVisibility::Unlabelled,
        world: None,
        occlusion: 0.0,
        truncation: 0.0,
    };
}

/// Distance (m) beyond the flesh around a key point from which a nearer surface occludes it.
const SKIN: f32 = 0.02;
/// Number of nearest vertices that determine the thickness of the body around a point.
const NEAREST: usize = 8;
/// Number of samples of the disc around a point that measure its occlusion and truncation.
const SAMPLES: u32 = 19;
/// Turn between samples of a disc (radians): the golden angle, which spreads them evenly.
const GOLDEN_ANGLE: f32 = 2.399_963_2;

/// Key points of one character in its rest pose.
#[derive(Clone, Debug)]
pub struct KeyPoints {
    points: Vec<BodyPoint>,
}

/// Point on a body: at one place, or in the middle of two.
#[derive(Clone, Copy, Debug)]
enum BodyPoint {
    Missing,
    One(RestPoint),
    Middle([RestPoint; 2]),
}

#[derive(Clone, Copy, Debug)]
struct RestPoint {
    slot: usize,
    /// Position in mesh space.
    at: Vec3,
    /// Distance from the point to the skin in model space (m).
    flesh: f32,
}

/// Key point in the world.
#[derive(Clone, Copy, Debug)]
struct WorldPoint {
    place: Vec3,
    /// Thickness of the flesh around the point (m).
    flesh: f32,
}

impl KeyPoints {
    /// Finds the key points of a character by a mapping.
    #[must_use]
    pub fn of(character: &Character, mapping: &Mapping, set: JointSet) -> Self {
        let name = &character.model.name;
        let rest = |point: &str| rest_point(character, mapping.point(name, point)?);
        let middle = |[a, b]: [&str; 2]| Some(BodyPoint::Middle([rest(a)?, rest(b)?]));
        let point = |source: PointSource| match source {
            PointSource::Named(point) => rest(point).map(BodyPoint::One),
            PointSource::NamedOr(point, pair) => rest(point).map(BodyPoint::One).or_else(|| middle(pair)),
            PointSource::Middle(pair) => middle(pair),
        };
        let points = set.points().iter();
        Self {
            points: points.map(|own| point(own.at).unwrap_or(BodyPoint::Missing)).collect(),
        }
    }

    /// Returns the number of points that the character has.
    #[must_use]
    pub fn count(&self) -> usize {
        let missing = |point: &&BodyPoint| !matches!(point, BodyPoint::Missing);
        self.points.iter().filter(missing).count()
    }

    /// Returns the points of a person in a picture. A point is hidden if the depth AOV shows a nearer surface.
    #[must_use]
    pub fn seen(&self, person: &PosedPerson<'_>, moment: &FrameParameters, numbers: &AovImages) -> Vec<KeyPoint> {
        let points = self.points.iter();
        points
            .map(|point| {
                let world = point.in_world(person);
                world.map_or(KeyPoint::NONE, |world| world.seen(moment, numbers))
            })
            .collect()
    }
}

impl BodyPoint {
    /// Returns the point of a person in the world; `None` if there is none.
    fn in_world(self, person: &PosedPerson<'_>) -> Option<WorldPoint> {
        match self {
            Self::Missing => None,
            Self::One(point) => point.in_world(person),
            Self::Middle(pair) => {
                let [a, b] = pair.map(|point| point.in_world(person));
                let (a, b) = (a?, b?);
                Some(WorldPoint {
                    place: 0.5 * (a.place + b.place),
                    flesh: a.flesh.max(b.flesh),
                })
            }
        }
    }
}

impl RestPoint {
    fn in_world(self, person: &PosedPerson<'_>) -> Option<WorldPoint> {
        let model = person.palette.get(self.slot).copied().unwrap_or(Affine3A::IDENTITY);
        let world = person.world_from_model();
        let place = world.transform_point3(model.transform_point3(self.at));
        place.is_finite().then_some(WorldPoint {
            place,
            flesh: self.flesh * person.instance.scale(),
        })
    }
}

impl WorldPoint {
    fn seen(self, moment: &FrameParameters, numbers: &AovImages) -> KeyPoint {
        let placed = KeyPoint {
            world: Some(self.place),
            ..KeyPoint::NONE
        };
        let size = Vec2::new(numbers.size.0 as f32, numbers.size.1 as f32);
        let Some(pixel) = moment.pixel_of(self.place, numbers.size) else {
            return KeyPoint {
                truncation: 1.0,
                ..placed
            };
        };
        let depth = moment.depth_of(self.place);
        let limit = depth - 1.5 * self.flesh - SKIN;
        let inside = |pixel: Vec2| pixel.cmpge(Vec2::ZERO).all() && pixel.cmplt(size).all();
        let hidden = |pixel: Vec2| numbers.depth_at(pixel.x as u32, pixel.y as u32) < limit;
        let radius = self.flesh * moment.focal_length(numbers.size.1) / depth.max(1e-3);
        let (mut within, mut covered) = (0_u32, 0_u32);
        for sample in 0..SAMPLES {
            let at = pixel + sunflower_sample(sample) * radius;
            if inside(at) {
                within += 1;
                covered += u32::from(hidden(at));
            }
        }
        let share = |part: u32, whole: u32| part as f32 / whole.max(1) as f32;
        let measured = KeyPoint {
            occlusion: share(covered, within),
            truncation: share(SAMPLES - within, SAMPLES),
            ..placed
        };
        if !inside(pixel) {
            return measured;
        }
        KeyPoint {
            pixel,
            depth,
            seen: if hidden(pixel) {
                KeyPointVisibility::Hidden
            } else {
                KeyPointVisibility::Visible
            },
            ..measured
        }
    }
}

/// Returns a sample of the unit disc; sample 0 is its centre.
fn sunflower_sample(sample: u32) -> Vec2 {
    let radius = (sample as f32 / SAMPLES as f32).sqrt();
    Vec2::from_angle(sample as f32 * GOLDEN_ANGLE) * radius
}

/// Returns the slot of the joint of a name; `None` if the character has no such joint, or moves no vertex with it.
pub(super) fn slot_of(character: &Character, joint: &str) -> Option<usize> {
    let skeleton = &character.model.skeleton;
    let joint = { skeleton.joints.iter() }.position(|own| own.name.eq_ignore_ascii_case(joint))?;
    skeleton.slots.iter().position(|slot| slot.joint as usize == joint)
}

fn rest_point(character: &Character, at: &PointAt) -> Option<RestPoint> {
    let slot = slot_of(character, &at.joint)?;
    let mesh_from_joint = character.model.skeleton.slots[slot].inverse_bind.inverse();
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
