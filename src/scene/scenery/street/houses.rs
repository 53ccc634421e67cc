//! Houses along a path, with fronts that face it, and around a square; none overlaps another or the path.

use glam::{Vec2, Vec3, Vec4, vec2};

use crate::{
    crowd::hash::Draws,
    model::Model,
    scene::{
        layouts::{Course, Side},
        scenery::{
            solid::{Solid, SolidStance, material},
            street::{SALT, linear},
        },
    },
};

const WALL: u8 = 0;
const GLASS: u8 = 1;
const TRIM: u8 = 2;

/// Distance from the pavement to the house fronts (m).
const SETBACK: f32 = 1.6;
/// Depth of a house (m).
const DEPTH: f32 = 13.0;
/// Width of the ground (m) that houses and the gap before them take.
pub(super) const ROOM: f32 = SETBACK + DEPTH + 2.0;
/// Minimum and maximum width of a house (m).
pub(in crate::scene::scenery) const WIDTH: [f32; 2] = [11.0, 21.0];
/// Height of the ground floor and of each storey above (m).
const GROUND: f32 = 4.3;
const STOREY: f32 = 3.3;
/// Minimum number of storeys above the ground floor, and the range above it.
const STOREYS: [u32; 2] = [2, 4];
/// Width of one window bay (m).
const BAY: f32 = 2.5;
/// Width of the lane behind the first row (m).
const LANE: f32 = 9.0;
/// Minimum cosine of the path's turn along a house front: houses stand where the path is nearly straight.
const STRAIGHT: f32 = 0.88;

/// Colours of house fronts (sRGB).
const FRONTS: [[u8; 3]; 9] = [
    [214, 198, 164],
    [196, 158, 106],
    [158, 92, 72],
    [178, 172, 162],
    [206, 168, 148],
    [160, 168, 142],
    [226, 220, 206],
    [132, 74, 60],
    [190, 184, 150],
];
/// Colours of awnings (sRGB).
const AWNINGS: [[u8; 3]; 5] = [[152, 40, 38], [36, 84, 70], [42, 66, 110], [196, 150, 60], [90, 50, 70]];

/// A house on the ground.
pub(in crate::scene::scenery) struct House {
    number: u32,
    /// Middle of the front, on the ground (m), and its heading (radians).
    ground: Vec2,
    yaw: f32,
    width: f32,
}

impl House {
    /// A house with a front `width` metres wide, its middle at `ground`, facing `yaw` (radians; 0 is +Z).
    pub(in crate::scene::scenery) fn new(number: u32, ground: Vec2, yaw: f32, width: f32) -> Self {
        Self {
            number,
            ground,
            yaw,
            width,
        }
    }

    /// Corners of the footprint, those of the front first.
    pub(in crate::scene::scenery) fn corners(&self) -> [Vec2; 4] {
        let stance = SolidStance::new(self.ground, self.yaw);
        let half = 0.5 * self.width;
        [(half, 0.0), (-half, 0.0), (-half, -DEPTH), (half, -DEPTH)].map(|(x, z)| {
            let corner = stance.at(x, 0.0, z);
            vec2(corner.x, corner.z)
        })
    }

    /// Frame at the middle of the wall that is `quarters` quarter turns from the front, facing outwards.
    fn wall(&self, quarters: u8) -> SolidStance {
        let stance = SolidStance::new(self.ground, self.yaw);
        let half = 0.5 * self.width;
        let (x, z) = match quarters {
            0 => (0.0, 0.0),
            1 => (half, -0.5 * DEPTH),
            2 => (0.0, -DEPTH),
            _ => (-half, -0.5 * DEPTH),
        };
        let middle = stance.at(x, 0.0, z);
        SolidStance::new(
            vec2(middle.x, middle.z),
            self.yaw + f32::from(quarters) * std::f32::consts::FRAC_PI_2,
        )
    }

    /// True if two footprints overlap (separating axis theorem).
    fn shares_ground(&self, other: &Self) -> bool {
        let (own, others) = (self.corners(), other.corners());
        let apart = |axis: Vec2| {
            let reach = |corners: &[Vec2; 4]| {
                let along = corners.map(|corner| corner.dot(axis));
                along
                    .into_iter()
                    .fold((f32::MAX, f32::MIN), |(low, high), at| (low.min(at), high.max(at)))
            };
            let ((a, b), (c, d)) = (reach(&own), reach(&others));
            b < c || d < a
        };
        let axes = [self.yaw, other.yaw].into_iter().flat_map(|yaw| {
            let (sin, cos) = yaw.sin_cos();
            [vec2(sin, cos), vec2(cos, -sin)]
        });
        !axes.into_iter().any(apart)
    }
}

/// Houses along both sides of a path, with a second row behind the first.
pub(super) fn place_houses(course: &Course, seed: u64) -> Vec<House> {
    let mut houses: Vec<House> = Vec::new();
    let front = course.pavement() + SETBACK;
    for side in Side::ALL {
        row(&mut houses, course, side.sign() * front, seed);
    }
    let length = |side: &Side| course.line(side.sign() * front).length;
    let outside = Side::ALL.into_iter().max_by(|a, b| length(a).total_cmp(&length(b)));
    if let Some(side) = outside {
        row(&mut houses, course, side.sign() * (front + DEPTH + LANE), seed);
    }
    houses
}

/// Adds houses whose fronts are on a line `offset` metres left of the path, where they have room.
fn row(houses: &mut Vec<House>, course: &Course, offset: f32, seed: u64) {
    let line = course.line(offset);
    let mut along = 0.0;
    while along + WIDTH[0] < line.length {
        let number = houses.len() as u32;
        let draws = Draws::new(seed, SALT ^ 0x4005e, number ^ (along as u32) << 8);
        let width = (WIDTH[0] + (WIDTH[1] - WIDTH[0]) * draws.unit(0)).min(line.length - along);
        let (from, to) = (line.at(along), line.at(along + width));
        let front = (to.ground - from.ground) * offset.signum();
        let house = House {
            number,
            ground: 0.5 * (from.ground + to.ground),
            yaw: front.perp().x.atan2(front.perp().y),
            width: front.length(),
        };
        let bends = (to.yaw - from.yaw).cos() < STRAIGHT;
        let clear = house
            .corners()
            .iter()
            .all(|corner| course.distance(*corner) > offset.abs() - 0.3);
        let fits = !bends && clear && !houses.iter().any(|other| house.shares_ground(other));
        along += if fits { width + 0.02 } else { 1.5 };
        if fits {
            houses.push(house);
        }
    }
}

/// One model of all houses.
pub(in crate::scene::scenery) fn model(houses: &[House], seed: u64) -> Model {
    let mut solid = Solid::default();
    for house in houses {
        build(&mut solid, house, Draws::new(seed, SALT ^ 0xfa_cade, house.number));
    }
    let materials = vec![
        material("wall", Vec4::ONE, 0.92),
        material("glass", Vec4::ONE, 0.25),
        material("trim", Vec4::ONE, 0.8),
    ];
    solid.model("houses", materials)
}

fn build(solid: &mut Solid, house: &House, draws: Draws) {
    let stance = SolidStance::new(house.ground, house.yaw);
    let half = 0.5 * house.width;
    let storeys = STOREYS[0] + draws.below(1, STOREYS[1]);
    let top = GROUND + STOREY * storeys as f32;
    let front = color(FRONTS[draws.below(2, FRONTS.len() as u32) as usize]) * (0.85 + 0.25 * draws.unit(3));
    let walls = [Vec3::new(-half, 0.0, -DEPTH), Vec3::new(half, top, 0.0)];
    solid.block(&stance, walls, front, WALL);
    let pale = front.lerp(Vec3::splat(0.75), 0.45);
    // Cornice, ledge above the shops, and the roof, which is set back.
    solid.block(
        &stance,
        [Vec3::new(-half, top, -DEPTH), Vec3::new(half, top + 0.45, 0.38)],
        pale,
        TRIM,
    );
    solid.block(
        &stance,
        [Vec3::new(-half, GROUND - 0.3, 0.0), Vec3::new(half, GROUND, 0.22)],
        pale,
        TRIM,
    );
    let roof = linear(84, 62, 56) * (0.7 + 0.5 * draws.unit(4));
    let under = [
        Vec3::new(-half + 0.6, top + 0.45, -DEPTH + 0.6),
        Vec3::new(half - 0.6, top + 1.9, -1.3),
    ];
    solid.block(&stance, under, roof, WALL);
    for quarters in 0..4 {
        let wide = if quarters % 2 == 0 { house.width } else { DEPTH };
        windows(solid, &house.wall(quarters), wide, storeys, pale, draws);
    }
    shops(solid, &stance, house.width, draws);
}

fn color(rgb: [u8; 3]) -> Vec3 {
    let [red, green, blue] = rgb;
    linear(red, green, blue)
}

/// Adds the windows: every storey has the same bays of glass, frame and sill.
fn windows(solid: &mut Solid, stance: &SolidStance, width: f32, storeys: u32, pale: Vec3, draws: Draws) {
    let bays = (width / BAY) as u32;
    let tall = 1.55 + 0.5 * draws.unit(5);
    for storey in 0..storeys {
        for bay in 0..bays {
            let x = (bay as f32 + 0.5 - 0.5 * bays as f32) * (width / bays as f32);
            let y = GROUND + STOREY * storey as f32 + 0.85;
            let pane = [vec2(x - 0.52, y), vec2(x + 0.52, y + tall)];
            let around = [pane[0] - 0.13, pane[1] + 0.13];
            solid.panel(stance, 0.02, around, pale, TRIM);
            let own = Draws::new(u64::from(storey), SALT, bay ^ draws.below(6, 1 << 20));
            // Most windows are dark; some have curtains.
            let glass = match own.unit(0) {
                share if share < 0.18 => Vec3::new(0.42, 0.38, 0.31),
                share => Vec3::new(0.03, 0.04, 0.05) * (0.7 + share),
            };
            solid.panel(stance, 0.035, pane, glass, GLASS);
            let bar = [vec2(x - 0.03, y), vec2(x + 0.03, y + tall)];
            solid.panel(stance, 0.045, bar, pale, TRIM);
            let sill = [Vec3::new(x - 0.7, y - 0.22, 0.0), Vec3::new(x + 0.7, y - 0.1, 0.17)];
            solid.block(stance, sill, pale, TRIM);
        }
    }
}

/// Adds the ground floor: wide panes between pillars, a door, awnings over some panes.
fn shops(solid: &mut Solid, stance: &SolidStance, width: f32, draws: Draws) {
    let count = (width / 5.0) as u32;
    let step = width / count as f32;
    let awning = color(AWNINGS[draws.below(7, AWNINGS.len() as u32) as usize]);
    for shop in 0..count {
        let x = (shop as f32 + 0.5 - 0.5 * count as f32) * step;
        let half = 0.5 * step - 0.35;
        let frame = linear(60, 52, 46) * (0.7 + 0.6 * draws.unit(8));
        solid.panel(stance, 0.02, [vec2(x - half, 0.05), vec2(x + half, 3.35)], frame, TRIM);
        let pane = [vec2(x - half + 0.12, 0.55), vec2(x + 0.25 * half, 3.2)];
        solid.panel(stance, 0.035, pane, Vec3::new(0.05, 0.055, 0.06), GLASS);
        let door = [vec2(x + 0.25 * half + 0.15, 0.1), vec2(x + half - 0.12, 3.2)];
        solid.panel(stance, 0.035, door, Vec3::new(0.04, 0.042, 0.045), GLASS);
        if draws.unit(9 + shop) < 0.6 {
            slope(solid, stance, x - half, x + half, awning);
        }
    }
}

/// Adds an awning from the ledge down over the pavement.
fn slope(solid: &mut Solid, stance: &SolidStance, left: f32, right: f32, color: Vec3) {
    let (high, low) = ((3.75, 0.2), (3.0, 1.3));
    let at = |x: f32, (y, z): (f32, f32)| stance.at(x, y, z);
    solid.quad(
        [at(left, low), at(right, low), at(right, high), at(left, high)],
        color,
        TRIM,
    );
    let hem = (low.0 - 0.25, low.1);
    solid.quad(
        [at(left, hem), at(right, hem), at(right, low), at(left, low)],
        color * 0.8,
        TRIM,
    );
    // Underside.
    solid.quad(
        [at(right, low), at(left, low), at(left, high), at(right, high)],
        color * 0.45,
        TRIM,
    );
}
