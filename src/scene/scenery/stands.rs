//! The stadium's steps and the lines on its pitch as a model that never moves.

use glam::{Mat4, Vec2, Vec3, Vec4};

use crate::{
    model::{Joint, Material, Mesh, Model, PaletteSlot, Skeleton, Transform, Vertex, padded},
    scene::layouts::StandRow,
};

const CONCRETE: u8 = 0;
const PAINT: u8 = 1;
/// Width of a painted line, metres.
const LINE: f32 = 0.12;
/// Lines lie this far above the grass, metres.
const LIFT: f32 = 0.012;

/// Steps for `rows` (front rows first) and the lines of the pitch before them.
#[must_use]
pub fn stand_model(rows: &[StandRow]) -> Model {
    let mut mesh = Mesh::default();
    let mut below = 0.0;
    for row in rows {
        add_step(&mut mesh, row, below);
        below = row.height;
    }
    if let Some(last) = rows.last() {
        add_back_wall(&mut mesh, last);
    }
    if let Some(first) = rows.first() {
        add_lines(&mut mesh, &first.front);
    }
    Model {
        name: "stands".into(),
        skeleton: still_skeleton(),
        mesh,
        materials: vec![
            material("concrete", Vec4::new(0.40, 0.39, 0.38, 1.0)),
            material("paint", Vec4::new(0.80, 0.80, 0.78, 1.0)),
        ],
        ..Model::default()
    }
}

fn still_skeleton() -> Skeleton {
    Skeleton {
        joints: vec![Joint {
            name: "root".into(),
            parent: None,
            rest: Transform::IDENTITY,
        }],
        slots: vec![PaletteSlot {
            joint: 0,
            inverse_bind: Mat4::IDENTITY,
        }],
        sockets: Vec::new(),
    }
}

fn material(name: &str, base_color: Vec4) -> Material {
    Material {
        name: name.into(),
        base_color,
        roughness: 0.9,
        ..Material::default()
    }
}

/// The tread of a row and the riser in front of it.
fn add_step(mesh: &mut Mesh, row: &StandRow, below: f32) {
    let edges = around(&row.front).zip(around(&row.back));
    for ((front, next_front), (back, next_back)) in edges {
        let at = |p: Vec2, y| Vec3::new(p.x, y, p.y);
        let tread = [
            at(front, row.height),
            at(back, row.height),
            at(next_back, row.height),
            at(next_front, row.height),
        ];
        add_quad(mesh, tread, 1.0, CONCRETE);
        let riser = [
            at(front, below),
            at(front, row.height),
            at(next_front, row.height),
            at(next_front, below),
        ];
        add_quad(mesh, riser, 0.72, CONCRETE);
    }
}

/// From the back of the last row to the ground.
fn add_back_wall(mesh: &mut Mesh, row: &StandRow) {
    for (back, next) in around(&row.back) {
        let at = |p: Vec2, y| Vec3::new(p.x, y, p.y);
        let top = row.height + 1.1;
        add_quad(
            mesh,
            [at(back, top), at(back, 0.0), at(next, 0.0), at(next, top)],
            0.8,
            CONCRETE,
        );
        add_quad(
            mesh,
            [at(next, top), at(next, row.height), at(back, row.height), at(back, top)],
            0.9,
            CONCRETE,
        );
    }
}

/// Border, halfway line and centre circle inside the first row.
fn add_lines(mesh: &mut Mesh, front: &[Vec2]) {
    let reach = front.iter().fold(Vec2::ZERO, |r, p| r.max(p.abs()));
    let half = (reach - 4.0).max(Vec2::splat(4.0));
    let corner = |x: f32, z: f32| Vec2::new(x * half.x, z * half.y);
    let border = [
        corner(-1.0, -1.0),
        corner(1.0, -1.0),
        corner(1.0, 1.0),
        corner(-1.0, 1.0),
    ];
    for (a, b) in around(&border) {
        add_line(mesh, a, b);
    }
    let across = if half.x > half.y {
        [corner(0.0, -1.0), corner(0.0, 1.0)]
    } else {
        [corner(-1.0, 0.0), corner(1.0, 0.0)]
    };
    add_line(mesh, across[0], across[1]);
    let radius = half.min_element() * 0.27;
    let circle: Vec<Vec2> = (0..48)
        .map(|i| Vec2::from_angle(i as f32 / 48.0 * std::f32::consts::TAU) * radius)
        .collect();
    for (a, b) in around(&circle) {
        add_line(mesh, a, b);
    }
}

fn add_line(mesh: &mut Mesh, a: Vec2, b: Vec2) {
    let along = (b - a).normalize_or_zero();
    let side = along.perp() * LINE * 0.5;
    let (a, b) = (a - along * LINE * 0.5, b + along * LINE * 0.5);
    let at = |p: Vec2| Vec3::new(p.x, LIFT, p.y);
    add_quad(
        mesh,
        [at(a + side), at(b + side), at(b - side), at(a - side)],
        1.0,
        PAINT,
    );
}

/// Consecutive pairs of a closed line.
fn around(points: &[Vec2]) -> impl Iterator<Item = (Vec2, Vec2)> + '_ {
    points.iter().copied().zip(points.iter().copied().cycle().skip(1))
}

/// Two triangles, seen from where the corners go round counterclockwise.
fn add_quad(mesh: &mut Mesh, corners: [Vec3; 4], shade: f32, material: u8) {
    let normal = (corners[1] - corners[0])
        .cross(corners[3] - corners[0])
        .normalize_or(Vec3::Y);
    let first = mesh.vertices.len() as u32;
    mesh.vertices.extend(corners.map(|position| Vertex {
        position,
        normal,
        color: Vec3::splat(shade).extend(1.0),
        material,
        weights: padded([1.0], 0.0),
        ..Vertex::default()
    }));
    mesh.indices.extend([0, 1, 2, 0, 2, 3].map(|i| first + i));
}
