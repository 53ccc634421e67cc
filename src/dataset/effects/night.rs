//! Night: the drawn dusk is darkened, street lamps light what is near, and some windows of houses are lit.

use std::collections::HashMap;

use glam::{Affine3A, IVec3, Quat, Vec3};

use crate::{
    aov::{AovImages, AovValues, FrameParameters},
    crowd::{Instance, PlacedScenery, hash::Draws},
    dataset::effects::{encoded, linear},
    render::passes::AovKind,
    scene::Scene,
};

/// Hash salt of lit windows.
const SALT: u32 = 0x1_1647;
/// Share of the dusk's light that is left at night, by channel.
const MOON: Vec3 = Vec3::new(0.34, 0.40, 0.52);
/// Light of a lamp, linear.
const LAMP: Vec3 = Vec3::new(1.0, 0.74, 0.45);
/// Intensity of a street lamp: its light on a surface a metre away.
const INTENSITY: f32 = 9.0;
/// Height of a lamp's light, as a share of the lamp's height, and the radius of its glass (m).
const HEAD: f32 = 0.92;
const GLASS: f32 = 0.3;
/// Floodlights of scenes without lamps: height, and distance from the crowd (m).
const FLOOD: f32 = 12.0;
/// Share of the dusk's sky that is left.
const SKY: f32 = 0.3;
/// Distance (m) from the plane of a pane within which a pixel shows it, near the camera, and what is added per metre:
/// vertices are snapped to parts of a pixel.
const PLANE: f32 = 0.05;
const PLANE_PER_METRE: f32 = 0.002;
/// Largest distance (m) from the plane of a pane at which it is looked up.
const MARGIN: f32 = 0.4;
/// Edge of a cell in which windows are looked up (m).
const CELL: f32 = 2.0;

/// Lights of a night that are sampled for a picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Night {
    /// Brightness of lamps.
    pub(super) lamps: f32,
    /// Share of the windows that are lit.
    pub(super) windows: f32,
    /// Seed of the set, and number of the picture.
    pub(super) seed: u64,
    pub(super) picture: u32,
}

/// Lamps and windows of a scene.
struct SceneLights {
    lamps: Vec<Lamp>,
    windows: Windows,
}

#[derive(Clone, Copy, Debug)]
struct Lamp {
    place: Vec3,
    intensity: f32,
    /// True if its glass can be seen.
    has_glass: bool,
}

/// Panes of houses: a corner and two edges each (m), and the panes in each cell.
#[derive(Default)]
struct Windows {
    panes: Vec<[Vec3; 3]>,
    cells: HashMap<IVec3, Vec<u32>>,
}

impl Night {
    /// Applies the night to a picture (RGBA8 in sRGB) with normals, albedo and depth.
    pub(super) fn apply(self, color: &mut [u8], scene: &Scene, moment: &FrameParameters, aovs: &AovImages) {
        let lights = SceneLights::of(scene);
        let depth = aovs.floats(AovKind::Depth);
        let (Some(AovValues::F16(normals)), Some(AovValues::F16(albedo))) =
            (aovs.layers.get(&AovKind::Normal), aovs.layers.get(&AovKind::Albedo))
        else {
            return;
        };
        let vector = |all: &[half::f16]| Vec3::new(all[0].to_f32(), all[1].to_f32(), all[2].to_f32());
        let surfaces = depth.iter().zip(normals.chunks_exact(4)).zip(albedo.chunks_exact(4));
        for (place, (pixel, ((&depth, normal), albedo))) in (0_u32..).zip(color.chunks_exact_mut(4).zip(surfaces)) {
            let dusk = Vec3::new(linear(pixel[0]), linear(pixel[1]), linear(pixel[2]));
            let mut light = dusk * MOON * SKY;
            if depth.is_finite() {
                let at = glam::Vec2::new((place % aovs.size.0) as f32 + 0.5, (place / aovs.size.0) as f32 + 0.5);
                let ray = moment.ray(at, aovs.size);
                let point = moment.camera.eye + ray * (depth / ray.dot(moment.camera.forward()).max(1e-3));
                light = match self.emitted(&lights, point, depth) {
                    Some(own) => own,
                    None => dusk * MOON + vector(albedo) * self.arriving(&lights.lamps, point, vector(normal)),
                };
            }
            // Bright surfaces approach white.
            let shown = Vec3::ONE - (-light).exp();
            for (byte, own) in pixel.iter_mut().zip(shown.to_array()) {
                *byte = encoded(own);
            }
        }
    }

    /// Light that a lamp's glass or a lit window emits at a point `depth` metres away; `None` elsewhere.
    fn emitted(self, lights: &SceneLights, point: Vec3, depth: f32) -> Option<Vec3> {
        let is_glass = |lamp: &&Lamp| lamp.has_glass && lamp.place.distance_squared(point) < GLASS * GLASS;
        if lights.lamps.iter().any(|lamp| is_glass(&lamp)) {
            return Some(LAMP * 3.0);
        }
        let pane = lights
            .windows
            .at(point, (PLANE + PLANE_PER_METRE * depth).min(MARGIN))?;
        let draws = Draws::new(self.seed, SALT ^ self.picture, pane);
        (draws.unit(0) < self.windows).then(|| {
            let warmth = draws.unit(1);
            Vec3::new(1.0, 0.62 + 0.25 * warmth, 0.28 + 0.4 * warmth) * (0.4 + 0.8 * draws.unit(2))
        })
    }

    /// Light of all lamps on a surface, without shadows.
    fn arriving(self, lamps: &[Lamp], point: Vec3, normal: Vec3) -> Vec3 {
        let one = |lamp: &Lamp| {
            let way = lamp.place - point;
            let squared = way.length_squared().max(0.25);
            // Light also comes from around: no side is black.
            let facing = (0.75 * normal.dot(way) / squared.sqrt() + 0.25).max(0.05);
            lamp.intensity * facing / squared
        };
        LAMP * (self.lamps * lamps.iter().map(one).sum::<f32>())
    }
}

impl SceneLights {
    fn of(scene: &Scene) -> Self {
        let mut windows = Windows::default();
        let mut lamps = Vec::new();
        for placed in &scene.props {
            match placed.character.model.name.as_str() {
                "lamp" => lamps.extend(lamps_of(placed)),
                _ => windows.add(placed),
            }
        }
        if lamps.is_empty() {
            lamps = floodlights(scene);
        }
        Self { lamps, windows }
    }
}

fn lamps_of(placed: &PlacedScenery) -> impl Iterator<Item = Lamp> + '_ {
    let height = placed.character.model.mesh.bounds().max.y * HEAD;
    placed.instances.iter().map(move |instance| Lamp {
        place: world_from_model(instance).transform_point3(Vec3::Y * height),
        intensity: INTENSITY,
        has_glass: true,
    })
}

/// Four lights at the corners of the crowd, as bright in its middle as a street lamp 4 m away.
fn floodlights(scene: &Scene) -> Vec<Lamp> {
    let extent = &scene.crowd.extent;
    let (least, most) = (extent.min - FLOOD, extent.max + FLOOD);
    let middle = 0.5 * (least + most);
    let corner = |(x, z): (f32, f32)| {
        let place = Vec3::new(x, extent.min.y + FLOOD, z);
        Lamp {
            place,
            intensity: INTENSITY / 32.0 * place.distance_squared(Vec3::new(middle.x, 0.0, middle.z)),
            has_glass: false,
        }
    };
    [
        (least.x, least.z),
        (most.x, least.z),
        (least.x, most.z),
        (most.x, most.z),
    ]
    .map(corner)
    .to_vec()
}

fn world_from_model(instance: &Instance) -> Affine3A {
    let turn = Quat::from_rotation_y(instance.yaw());
    Affine3A::from_scale_rotation_translation(instance.shape(), turn, Vec3::from(instance.position))
}

impl Windows {
    /// Adds the panes of scenery: faces of a material called glass, of four corners each.
    fn add(&mut self, placed: &PlacedScenery) {
        let model = &placed.character.model;
        let Some(glass) = model.materials.iter().position(|material| material.name == "glass") else {
            return;
        };
        for world in placed.instances.iter().map(world_from_model) {
            for face in model.mesh.vertices.chunks_exact(4) {
                if face.iter().all(|vertex| usize::from(vertex.material) == glass) {
                    self.add_pane([0, 1, 2, 3].map(|corner| world.transform_point3(face[corner].position)));
                }
            }
        }
    }

    fn add_pane(&mut self, corners: [Vec3; 4]) {
        let number = self.panes.len() as u32;
        let [a, b, _, d] = corners;
        self.panes.push([a, b - a, d - a]);
        let least = corners.into_iter().fold(Vec3::MAX, Vec3::min) - MARGIN;
        let most = corners.into_iter().fold(Vec3::MIN, Vec3::max) + MARGIN;
        let (first, last) = (cell(least), cell(most));
        for x in first.x..=last.x {
            for y in first.y..=last.y {
                for z in first.z..=last.z {
                    self.cells.entry(IVec3::new(x, y, z)).or_default().push(number);
                }
            }
        }
    }

    /// Returns the number of the pane whose plane is within `most` metres of a point before or on it.
    fn at(&self, point: Vec3, most: f32) -> Option<u32> {
        let near = self.cells.get(&cell(point))?;
        let is_on = |number: &&u32| {
            let [corner, across, up] = self.panes[**number as usize];
            let way = point - corner;
            let off = way.dot(across.cross(up).normalize_or_zero());
            let [x, y] = [across, up].map(|edge| way.dot(edge) / edge.length_squared());
            off.abs() < most && (0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y)
        };
        near.iter().find(is_on).copied()
    }
}

fn cell(point: Vec3) -> IVec3 {
    (point / CELL).floor().as_ivec3()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{config::Config, scene::StartupTimes};

    #[test]
    fn plaza_has_its_lamps_and_windows() {
        let mut config = Config::scene("plaza").expect("embedded");
        config.scene.characters = vec!["man".into()];
        config.scene.count = 20;
        let scene = Scene::load(&config, &mut StartupTimes::default()).expect("loads");
        let lights = SceneLights::of(&scene);
        assert_eq!(lights.lamps.len(), 8);
        assert!(
            lights
                .lamps
                .iter()
                .all(|lamp| lamp.has_glass && (2.5..4.0).contains(&lamp.place.y))
        );
        let panes = &lights.windows.panes;
        assert!(panes.len() > 500, "{}", panes.len());
        for (number, [corner, across, up]) in (0..).zip(panes) {
            let middle = *corner + 0.5 * (*across + *up);
            assert_eq!(lights.windows.at(middle, PLANE), Some(number));
            let ahead = middle + across.cross(*up).normalize() * 0.15;
            assert_eq!(lights.windows.at(ahead, PLANE), None, "an awning");
        }
        let night = |windows: f32| Night {
            lamps: 1.0,
            windows,
            seed: 3,
            picture: 5,
        };
        let lit = |night: Night| {
            let middles = panes.iter().map(|[corner, across, up]| *corner + 0.5 * (*across + *up));
            middles
                .filter(|&middle| night.emitted(&lights, middle, 1.0).is_some())
                .count()
        };
        assert_eq!((lit(night(0.0)), lit(night(1.0))), (0, panes.len()));
        let share = lit(night(0.3)) as f32 / panes.len() as f32;
        assert!((0.2..0.4).contains(&share), "{share}");
        let lamp = lights.lamps[0].place;
        let near = night(0.3).arriving(&lights.lamps, lamp - Vec3::Y * 2.0, Vec3::Y);
        let far = night(0.3).arriving(&lights.lamps, lamp - Vec3::Y * 2.0 + Vec3::X * 40.0, Vec3::Y);
        assert!(near.x > 10.0 * far.x && far.x > 0.0, "{near} {far}");
    }
}
