//! Vehicles of trajectories: boxes with a cabin of dark glass, which show where the front is.
//!
//! The origin is the middle of the front bumper on the ground, which SUMO states as a vehicle's place.

use glam::{Vec2, Vec3, Vec4};

use crate::{
    atlas::FramePlacement,
    character::Character,
    crowd::{
        Instance,
        hash::{fold_seed, hash},
        tints::{RAMP_LEN, REGIONS},
    },
    model::{MATERIAL_VARIANTS, Material, Model, TintRegion},
    scene::{
        SceneError,
        scenery::solid::{Solid, SolidStance, material},
    },
    tracks::VehicleClass,
};

/// Hash salt of the paint of vehicles.
const PAINT: u32 = 0xca_75;
/// Height (m) of the body's underside.
const CLEARANCE: f32 = 0.18;
/// Linear colours.
const GLASS: Vec3 = Vec3::new(0.02, 0.03, 0.045);
const TYRE: Vec3 = Vec3::new(0.012, 0.012, 0.012);
const HEADLIGHT: Vec3 = Vec3::new(0.9, 0.88, 0.75);
const TAIL_LIGHT: Vec3 = Vec3::new(0.45, 0.012, 0.01);
/// Materials of the model, by number.
const PAINTED: u8 = 0;
const PLAIN: u8 = 1;

/// Character of a class of vehicles. It has no clips.
///
/// # Errors
/// None is known: the model is our own.
pub(super) fn character(class: VehicleClass) -> Result<Character, SceneError> {
    Ok(Character::bake(model(class), FramePlacement::default())?)
}

/// Instance of the vehicle at a place of the file, with a paint of its own.
pub(super) fn instance(seed: u64, place: u32) -> Instance {
    let paint = (hash(fold_seed(seed), place, PAINT) % RAMP_LEN as u32) as u8;
    Instance::new(Vec3::ZERO).with_tint([paint; REGIONS])
}

/// Side view of a vehicle, in shares of its length from the front bumper and of its height.
struct Outline {
    /// Height of the body below the cabin.
    body: f32,
    /// Ends of the cabin where it stands on the body, front first.
    foot: [f32; 2],
    /// Ends of its roof.
    roof: [f32; 2],
}

impl Outline {
    const fn of(class: VehicleClass) -> Self {
        let (body, foot, roof) = match class {
            VehicleClass::Passenger => (0.58, [0.22, 0.92], [0.40, 0.80]),
            VehicleClass::Delivery => (0.42, [0.06, 0.99], [0.20, 0.98]),
            VehicleClass::Truck => (0.45, [0.02, 0.28], [0.06, 0.27]),
            VehicleClass::Trailer => (0.35, [0.01, 0.13], [0.03, 0.125]),
            VehicleClass::Bus | VehicleClass::Tram => (0.32, [0.0, 1.0], [0.01, 0.995]),
            VehicleClass::Motorcycle | VehicleClass::Bicycle => (0.55, [0.30, 0.75], [0.42, 0.70]),
        };
        Self { body, foot, roof }
    }
}

/// Model of a class; Z runs ahead, so that all of it lies at negative Z.
fn model(class: VehicleClass) -> Model {
    let [length, width, height] = class.size();
    let outline = Outline::of(class);
    let stance = SolidStance::new(Vec2::ZERO, 0.0);
    let mut solid = Solid::default();
    let half = 0.5 * width;
    let shoulder = outline.body * height;
    solid.block(
        &stance,
        [Vec3::new(-half, CLEARANCE, -length), Vec3::new(half, shoulder, 0.0)],
        Vec3::ONE,
        PAINTED,
    );
    cabin(&mut solid, class);
    wheels(&mut solid, class);
    if matches!(class, VehicleClass::Truck | VehicleClass::Trailer) {
        let load = [
            Vec3::new(-half, shoulder, -length),
            Vec3::new(half, height, -(outline.foot[1] + 0.02) * length),
        ];
        solid.block(&stance, load, Vec3::splat(0.55), PLAIN);
    }
    lights(&mut solid, class);
    let painted = Material {
        tints: [TintRegion::Trim; MATERIAL_VARIANTS],
        ..material("paint", Vec4::ONE, 0.35)
    };
    solid.model(class.name(), vec![painted, material("plain", Vec4::ONE, 0.4)])
}

/// Adds the cabin: dark glass on all sides, a painted roof.
fn cabin(solid: &mut Solid, class: VehicleClass) {
    let [length, width, height] = class.size();
    let outline = Outline::of(class);
    let half = 0.5 * width;
    let is_tall = class.size()[2] > 2.0;
    // Cars taper towards the roof.
    let (low, high) = (half * 0.98, if is_tall { half * 0.98 } else { half * 0.78 });
    let [front, back] = outline.foot.map(|share| -share * length);
    let [roof_front, roof_back] = outline.roof.map(|share| -share * length);
    let shoulder = outline.body * height;
    let at = Vec3::new;
    let foot = [
        at(-low, shoulder, front),
        at(low, shoulder, front),
        at(low, shoulder, back),
        at(-low, shoulder, back),
    ];
    let roof = [
        at(-high, height, roof_front),
        at(high, height, roof_front),
        at(high, height, roof_back),
        at(-high, height, roof_back),
    ];
    for (a, b) in [(0, 1), (1, 2), (2, 3), (3, 0)] {
        solid.quad([foot[a], foot[b], roof[b], roof[a]], GLASS, PLAIN);
    }
    solid.quad(roof, Vec3::ONE, PAINTED);
}

/// Adds wheels as dark blocks; one row in the middle under what has two of them.
fn wheels(solid: &mut Solid, class: VehicleClass) {
    let [length, width, _] = class.size();
    let stance = SolidStance::new(Vec2::ZERO, 0.0);
    let is_single = matches!(class, VehicleClass::Motorcycle | VehicleClass::Bicycle);
    let half = 0.5 * width;
    let rows: &[[f32; 2]] = if is_single {
        &[[-0.06, 0.06]]
    } else {
        &[[-half, -half + 0.22], [half - 0.22, half]]
    };
    let radius = (0.09 * length).clamp(0.25, 0.5);
    for share in [0.17, 0.82] {
        let middle = -share * length;
        for [left, right] in rows {
            let corners = [
                Vec3::new(*left, 0.0, middle - radius),
                Vec3::new(*right, CLEARANCE + 0.02, middle + radius),
            ];
            solid.block(&stance, corners, TYRE, PLAIN);
        }
    }
}

/// Adds lights: bright at the front, red at the back.
fn lights(solid: &mut Solid, class: VehicleClass) {
    let [length, width, height] = class.size();
    let half = 0.5 * width;
    let (low, high) = (
        0.6 * Outline::of(class).body * height,
        0.85 * Outline::of(class).body * height,
    );
    let front = SolidStance::new(Vec2::ZERO, 0.0);
    let back = SolidStance::new(Vec2::new(0.0, -length), std::f32::consts::PI);
    for [left, right] in [[-0.95, -0.6], [0.6, 0.95]] {
        let corners = [Vec2::new(left * half, low), Vec2::new(right * half, high)];
        solid.panel(&front, 0.01, corners, HEADLIGHT, PLAIN);
        solid.panel(&back, 0.01, corners, TAIL_LIGHT, PLAIN);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_have_the_sizes_of_their_classes_and_face_ahead() {
        for class in [VehicleClass::Passenger, VehicleClass::Trailer, VehicleClass::Bicycle] {
            let model = model(class);
            let places = || model.mesh.vertices.iter().map(|vertex| vertex.position);
            let (low, high) = places().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(a, b), p| (a.min(p), b.max(p)));
            let [length, width, height] = class.size();
            assert!(
                (high - low - Vec3::new(width, height, length)).abs().max_element() < 0.03,
                "{class:?}"
            );
            assert!(low.y == 0.0 && high.z < 0.02, "{class:?}: the bumper is the origin");
            let vertices = model.mesh.vertices.iter();
            let headlights: Vec<Vec3> = vertices
                .filter(|vertex| vertex.color.truncate() == HEADLIGHT)
                .map(|vertex| vertex.normal)
                .collect();
            assert!(headlights.len() == 8 && headlights.iter().all(|normal| normal.z > 0.9));
        }
    }
}
