//! KITTI's 3D object labels (Geiger et al. 2012): boxes in the picture and in metres, and the calibration of each
//! picture.
//!
//! KITTI's camera is level: its boxes turn about its vertical axis alone. Ours looks down or rolls, so boxes are in a
//! level space at the camera's place, and `P2` holds the turn from there to the camera before it projects. Every reader
//! that multiplies by `P2` finds the pixels; `P2` is `K` alone where the camera is level.

use std::{
    fmt::Write,
    path::{Path, PathBuf},
};

use anyhow::Result;
use glam::{Mat3, Vec3};

use crate::{
    aov::FrameParameters,
    label::{
        Box3, PersonLabel,
        formats::{LabelWriter, LabelledPicture, SiblingEndings, in_sibling_folder, write_file},
    },
};

/// Writer of KITTI's labels and calibration.
pub(super) struct KittiWriter;

const LABELS: SiblingEndings = SiblingEndings {
    in_folder: "txt",
    beside: "kitti.txt",
};
const CALIBRATION: SiblingEndings = SiblingEndings {
    in_folder: "txt",
    beside: "calib.txt",
};

/// Occlusion below which people count as visible, and as partly occluded.
const OCCLUSION_STEPS: [f32; 2] = [0.1, 0.5];

impl LabelWriter for KittiWriter {
    fn files(&self, stem: &Path) -> Vec<PathBuf> {
        vec![
            in_sibling_folder(stem, "label_2", LABELS),
            in_sibling_folder(stem, "calib", CALIBRATION),
        ]
    }

    fn write(&self, picture: &LabelledPicture<'_>) -> Result<()> {
        let space = LevelSpace::of(picture.moment);
        let people = picture.labels.people.iter();
        let lines: String = people.filter_map(|person| space.line(person)).collect();
        write_file(&in_sibling_folder(picture.stem, "label_2", LABELS), lines.as_bytes())?;
        let calibration = space.calibration(picture.moment, picture.labels.size);
        let path = in_sibling_folder(picture.stem, "calib", CALIBRATION);
        write_file(&path, calibration.as_bytes())
    }
}

/// Level space at the camera's place: x to the right, y down, z ahead.
struct LevelSpace {
    eye: Vec3,
    level_from_world: Mat3,
}

impl LevelSpace {
    fn of(moment: &FrameParameters) -> Self {
        let camera = &moment.camera;
        let flat = |direction: Vec3| Vec3::new(direction.x, 0.0, direction.z);
        // A camera that looks straight down is led by the top of its picture.
        let ahead = flat(camera.forward()).try_normalize();
        let ahead = ahead.unwrap_or_else(|| flat(camera.up()).normalize_or(Vec3::NEG_Z));
        let right = ahead.cross(Vec3::Y);
        Self {
            eye: camera.eye,
            level_from_world: Mat3::from_cols(right, Vec3::NEG_Y, ahead).transpose(),
        }
    }

    fn line(&self, person: &PersonLabel) -> Option<String> {
        let own = self.place(person.box_3d.as_ref()?);
        let [step, most] = OCCLUSION_STEPS;
        let occluded = match person.occlusion {
            share if share < step => 0,
            share if share < most => 1,
            _ => 2,
        };
        let bounds = person.full_box;
        // The last pixel belongs to a box.
        let edges = [bounds.left, bounds.top, bounds.right - 1, bounds.bottom - 1];
        let mut line = format!("Pedestrian {:.2} {occluded} {:.4}", person.truncation, own.alpha);
        edges.iter().for_each(|edge| _ = write!(line, " {edge}.00"));
        let [across, up, along] = own.size.to_array();
        let [x, y, z] = own.foot.to_array();
        line += &format!(" {up:.4} {across:.4} {along:.4} {x:.4} {y:.4} {z:.4} {:.4}\n", own.turn);
        Some(line)
    }

    fn place(&self, own: &Box3) -> LevelBox {
        let foot = self.level_from_world * (own.foot - self.eye);
        let heading = self.level_from_world * Vec3::new(own.heading.sin(), 0.0, own.heading.cos());
        let turn = (-heading.z).atan2(heading.x);
        LevelBox {
            foot,
            size: own.size,
            turn,
            alpha: wrapped(turn - foot.x.atan2(foot.z)),
        }
    }

    /// Returns the projection from this space to pixels, whose first has its centre at (0, 0).
    fn projection(&self, moment: &FrameParameters, size: (u32, u32)) -> Mat3 {
        let flip = Mat3::from_diagonal(Vec3::new(1.0, -1.0, -1.0));
        let camera_from_world = flip * Mat3::from_mat4(moment.view_from_world());
        let focal = moment.focal_length(size.1);
        let [cx, cy] = [size.0, size.1].map(|edge| 0.5 * edge as f32 - 0.5);
        let intrinsics = Mat3::from_cols(
            Vec3::new(focal, 0.0, 0.0),
            Vec3::new(0.0, focal, 0.0),
            Vec3::new(cx, cy, 1.0),
        );
        intrinsics * camera_from_world * self.level_from_world.transpose()
    }

    fn calibration(&self, moment: &FrameParameters, size: (u32, u32)) -> String {
        let projection = self.projection(moment, size).transpose();
        let rows = [projection.x_axis, projection.y_axis, projection.z_axis];
        let own: Vec<String> = rows
            .iter()
            .map(|row| format!("{:.9e} {:.9e} {:.9e} 0", row.x, row.y, row.z))
            .collect();
        let own = own.join(" ");
        let mut text = String::new();
        for number in 0..4 {
            text += &format!("P{number}: {own}\n");
        }
        text += "R0_rect: 1 0 0 0 1 0 0 0 1\n";
        // A laser scanner at the camera's place: x ahead, y to the left, z up.
        text += "Tr_velo_to_cam: 0 -1 0 0 0 0 -1 0 1 0 0 0\n";
        text += "Tr_imu_to_velo: 1 0 0 0 0 1 0 0 0 0 1 0\n";
        text
    }
}

/// Box in level space.
struct LevelBox {
    /// Middle of the lower face (m).
    foot: Vec3,
    /// Width, height and length (m).
    size: Vec3,
    /// Turn about the vertical axis (radians): 0 faces right, positive turns towards the camera.
    turn: f32,
    /// Turn relative to the line of sight (radians).
    alpha: f32,
}

/// Returns an angle within -π..=π.
fn wrapped(angle: f32) -> f32 {
    let turn = std::f32::consts::TAU;
    angle - turn * (angle / turn).round()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{config::Config, view::Camera};

    const SIZE: (u32, u32) = (640, 360);

    fn moment(target: Vec3, roll: f32) -> FrameParameters {
        let mut config = Config::default();
        (config.window.width, config.window.height) = SIZE;
        let camera = Camera {
            eye: Vec3::new(2.0, 4.0, 6.0),
            target,
            fov: 0.9,
        };
        FrameParameters::seen_by(&config, camera, 0.0).rolled(roll, 640.0 / 360.0)
    }

    #[test]
    fn corners_of_boxes_project_to_their_pixels() {
        for (target, roll) in [
            (Vec3::new(0.0, 1.0, 0.0), 0.0),
            (Vec3::new(0.0, 4.0, 0.0), 0.0),
            (Vec3::new(1.0, 0.0, 2.0), 0.4),
            (Vec3::new(2.0, 0.0, 6.0), 0.0),
        ] {
            let moment = moment(target, roll);
            let space = LevelSpace::of(&moment);
            let own = Box3 {
                foot: Vec3::new(0.5, 0.0, 1.0),
                size: Vec3::new(0.5, 1.8, 0.3),
                heading: 0.7,
            };
            let placed = space.place(&own);
            let projection = space.projection(&moment, SIZE);
            // Corners as readers of KITTI compute them: turned about y, y up to minus the height.
            let (sin, cos) = placed.turn.sin_cos();
            for world in own.corners() {
                let nearest = [-0.5, 0.5].iter().flat_map(|x| [-0.5, 0.5].map(|z| (*x, z)));
                let errors = nearest
                    .flat_map(|(x, z)| [0.0, -1.0].map(|y| (x, y, z)))
                    .map(|(x, y, z)| {
                        let (along, across) = (x * placed.size.z, z * placed.size.x);
                        let corner = Vec3::new(
                            cos * along + sin * across,
                            y * placed.size.y,
                            -sin * along + cos * across,
                        );
                        let pixel = projection * (placed.foot + corner);
                        let pixel = glam::Vec2::new(pixel.x, pixel.y) / pixel.z + 0.5;
                        pixel.distance(moment.pixel_of(world, SIZE).expect("in front"))
                    });
                let error = errors.fold(f32::MAX, f32::min);
                assert!(error < 0.01, "{target} {roll}: {error} px");
            }
            assert!(placed.foot.y > 0.0, "the ground is below the camera");
        }
    }

    #[test]
    fn somebody_who_faces_right_has_no_turn() {
        let moment = moment(Vec3::new(2.0, 4.0, 0.0), 0.0);
        let own = Box3 {
            foot: Vec3::new(2.0, 0.0, 0.0),
            size: Vec3::ONE,
            heading: std::f32::consts::FRAC_PI_2,
        };
        let placed = LevelSpace::of(&moment).place(&own);
        assert!(placed.turn.abs() < 1e-5 && placed.alpha.abs() < 1e-5);
        assert!(placed.foot.distance(Vec3::new(0.0, 4.0, 6.0)) < 1e-5, "{}", placed.foot);
        let projection = LevelSpace::of(&moment).projection(&moment, SIZE);
        assert!(projection.y_axis.x.abs() < 1e-3, "a level camera has a plain P2");
    }
}
