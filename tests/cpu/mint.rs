//! Types of the crate mint, as feature `mint` converts them.

use throng::{
    crowd::{Instance, actors::Actor},
    glam::{Affine3A, Mat4, Quat, Vec3},
    render::{Light, PosedHero, View},
};

const COLUMNS: [[f32; 4]; 4] = [
    [1.0, 2.0, 3.0, 4.0],
    [5.0, 6.0, 7.0, 8.0],
    [9.0, 10.0, 11.0, 12.0],
    [13.0, 14.0, 15.0, 16.0],
];

#[test]
fn views_take_matrices_and_points_of_mint() {
    let eye = mint::Point3::from([1.0, 2.0, 3.0]);
    let columns = mint::ColumnMatrix4::from(COLUMNS);
    let wanted = View::from_arrays(COLUMNS, [1.0, 2.0, 3.0]);
    assert_eq!(View::new(columns.into(), eye.into()), wanted);
    // Rows that are written as columns are the transposed matrix.
    let rows = mint::RowMatrix4::from(COLUMNS);
    let transposed = View::new(rows.into(), eye.into()).projection_from_world;
    assert_eq!(transposed, wanted.projection_from_world.transpose());
    let light = Light {
        sun_color: mint::Vector3::from([0.5, 0.25, 0.125]).into(),
        ..Light::default()
    };
    assert_eq!(light.sun_color, Vec3::new(0.5, 0.25, 0.125));
}

#[test]
fn people_and_palettes_take_points_quaternions_and_matrices_of_mint() {
    let place = mint::Point3::from([1.0, 2.0, 3.0]);
    assert_eq!(Instance::new(place.into()), Instance::new(Vec3::new(1.0, 2.0, 3.0)));
    let actor = Actor {
        position: place.into(),
        ..Actor::default()
    };
    assert_eq!(actor.position, [1.0, 2.0, 3.0]);
    let turn = mint::Quaternion {
        v: mint::Vector3::from([0.0, 1.0, 0.0]),
        s: 0.0,
    };
    let hero = PosedHero {
        index: 0,
        weight: 1.0,
        palette: vec![Affine3A::from_rotation_translation(turn.into(), place.into())],
    };
    let half_turn = Quat::from_rotation_y(std::f32::consts::PI);
    let wanted = Mat4::from_rotation_translation(half_turn, Vec3::new(1.0, 2.0, 3.0));
    assert!(Mat4::from(hero.palette[0]).abs_diff_eq(wanted, 1e-6));
}
