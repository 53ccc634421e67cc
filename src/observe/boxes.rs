//! Where in a picture everyone may be: what counting pixels needs to know before anything is drawn.

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use crate::{
    model::Bounds,
    observe::Moment,
    render::AloneBox,
    scene::{Scene, all_clips_bounds},
};

/// Levels of detail are inflated: boxes are larger than those of all clips by this share of their largest edge.
const ROOM: f32 = 0.05;
/// And by so many pixels.
const PIXELS: f32 = 2.0;

/// Boxes that hold everyone, by number; empty for those behind the camera or beside the picture. Heroes, whom no clip
/// bounds, may be anywhere.
pub(super) fn boxes_of(scene: &Scene, moment: &Moment, size: (u32, u32)) -> Vec<AloneBox> {
    let whole = AloneBox {
        left: 0,
        top: 0,
        right: size.0,
        bottom: size.1,
    };
    let mut boxes = Vec::with_capacity(scene.everyone().count());
    for (number, (instances, plan)) in scene.crowd.per_character.iter().zip(&scene.plans).enumerate() {
        let bounds = all_clips_bounds(&scene.characters[number]);
        let room = Vec3::splat(bounds.size().max_element() * ROOM);
        let corners = corners(Bounds {
            min: bounds.min - room,
            max: bounds.max + room,
        });
        let clips = &scene.casts[number].clips;
        boxes.par_extend(instances.par_iter().enumerate().map(|(index, instance)| {
            let pose = plan.pose(index as u32, instance, clips, moment.input.clock);
            let world = pose.world_from_model(instance);
            let seen = corners.map(|corner| moment.camera.pixel_of(world.transform_point3(corner), pixels(size)));
            around(seen, whole)
        }));
        let first = boxes.len() - instances.len();
        for hero in scene.heroes.iter().filter(|hero| hero.character == number) {
            boxes[first + hero.index as usize] = whole;
        }
    }
    boxes
}

fn pixels(size: (u32, u32)) -> Vec2 {
    Vec2::new(size.0 as f32, size.1 as f32)
}

fn corners(bounds: Bounds) -> [Vec3; 8] {
    std::array::from_fn(|corner| {
        let pick = |axis: usize| {
            if corner >> axis & 1 == 0 {
                bounds.min[axis]
            } else {
                bounds.max[axis]
            }
        };
        Vec3::new(pick(0), pick(1), pick(2))
    })
}

/// Around corners in a picture, `None` behind the camera: who is partly there may be anywhere.
fn around(corners: [Option<Vec2>; 8], whole: AloneBox) -> AloneBox {
    let seen = corners.iter().flatten().count();
    if seen == 0 {
        return AloneBox::EMPTY;
    }
    if seen < corners.len() {
        return whole;
    }
    let corners = || corners.iter().flatten();
    let least = corners().copied().fold(Vec2::MAX, Vec2::min) - PIXELS;
    let most = corners().copied().fold(Vec2::MIN, Vec2::max) + PIXELS;
    // Casts of floats to integers end at the ends of their range.
    AloneBox {
        left: least.x.floor() as u32,
        top: least.y.floor() as u32,
        right: (most.x.ceil() as u32).min(whole.right),
        bottom: (most.y.ceil() as u32).min(whole.bottom),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: AloneBox = AloneBox {
        left: 0,
        top: 0,
        right: 640,
        bottom: 480,
    };

    #[test]
    fn a_box_holds_all_corners_and_ends_at_the_picture() {
        let at = |x: f32, y: f32| Some(Vec2::new(x, y));
        let mut corners = [at(10.5, 20.5); 8];
        corners[3] = at(700.0, 30.0);
        let bounds = around(corners, WHOLE);
        assert_eq!((bounds.left, bounds.top, bounds.right, bounds.bottom), (8, 18, 640, 32));
        assert!(around([at(-50.0, 20.0); 8], WHOLE).is_empty());
        corners[0] = None;
        assert_eq!(around(corners, WHOLE), WHOLE);
        assert_eq!(around([None; 8], WHOLE), AloneBox::EMPTY);
    }
}
