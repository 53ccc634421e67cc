//! Conservative screen boxes of people, which bound the amodal masks before anything is drawn.

use glam::{Vec2, Vec3, Vec4};
use rayon::prelude::*;

use crate::{
    aov::FrameParameters,
    crowd::Instance,
    model::Bounds,
    render::AmodalBox,
    scene::{Scene, all_clips_bounds},
};

/// Margin of boxes, as a share of their largest edge: LODs extend beyond the clips of full detail.
const ROOM: f32 = 0.05;
/// Margin of boxes on the screen (px).
const PIXELS: f32 = 2.0;
/// Largest number of people of a character for which one thread computes the boxes. Other cores have pictures to
/// encode, and the renderer would wait for them.
const SINGLE_THREAD_PEOPLE: usize = 1 << 14;

/// Returns boxes that contain each person, by number. They are empty for people behind the camera or outside the
/// picture. Heroes, whom no clip bounds, get the whole picture.
pub(super) fn boxes_of(scene: &Scene, moment: &FrameParameters, size: (u32, u32)) -> Vec<AmodalBox> {
    let whole = AmodalBox {
        left: 0,
        top: 0,
        right: size.0,
        bottom: size.1,
    };
    let clip = moment.input.projection_from_world;
    let mut boxes = Vec::with_capacity(scene.everyone().count());
    for (number, (instances, plan)) in scene.crowd.per_character.iter().zip(&scene.plans).enumerate() {
        let bounds = all_clips_bounds(&scene.characters[number]);
        let room = Vec3::splat(bounds.size().max_element() * ROOM);
        let corners = corners(Bounds {
            min: bounds.min - room,
            max: bounds.max + room,
        });
        let clips = &scene.casts[number].clips;
        let own = |(index, instance): (usize, &Instance)| {
            let pose = plan.pose(index as u32, instance, clips, moment.input.clock);
            let world = pose.world_from_model(instance);
            around(
                corners.map(|corner| clip * world.transform_point3(corner).extend(1.0)),
                size,
            )
        };
        if instances.len() <= SINGLE_THREAD_PEOPLE {
            boxes.extend(instances.iter().enumerate().map(own));
        } else {
            boxes.par_extend(instances.par_iter().enumerate().map(own));
        }
        let first = boxes.len() - instances.len();
        for hero in scene.heroes.iter().filter(|hero| hero.character == number) {
            boxes[first + hero.index as usize] = whole;
        }
    }
    boxes
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

/// Returns pairs of corners with an edge between them: their numbers differ in one bit.
fn edges() -> impl Iterator<Item = (usize, usize)> {
    (0..8).flat_map(|from: usize| {
        [1, 2, 4]
            .into_iter()
            .filter_map(move |bit| (from & bit == 0).then_some((from, from | bit)))
    })
}

/// Returns the screen box of the part of a box before the near plane, clipped to a picture of `size` (px). Corners are
/// in clip space, where z is the near distance.
fn around(corners: [Vec4; 8], size: (u32, u32)) -> AmodalBox {
    let before = |corner: &Vec4| corner.w >= corner.z;
    let cut = edges().filter_map(|(a, b)| {
        let (a, b) = (corners[a], corners[b]);
        (before(&a) != before(&b)).then(|| a.lerp(b, (a.z - a.w) / (b.w - a.w)))
    });
    let whole = Vec2::new(size.0 as f32, size.1 as f32);
    let pixel = |clip: Vec4| Vec2::new(0.5 + 0.5 * clip.x / clip.w, 0.5 - 0.5 * clip.y / clip.w) * whole;
    let (mut least, mut most) = (Vec2::MAX, Vec2::MIN);
    for seen in corners.iter().copied().filter(before).chain(cut).map(pixel) {
        (least, most) = (least.min(seen), most.max(seen));
    }
    if !(least.cmple(most).all()) {
        return AmodalBox::EMPTY;
    }
    // Casts from float to integer saturate.
    AmodalBox {
        left: (least.x - PIXELS).floor() as u32,
        top: (least.y - PIXELS).floor() as u32,
        right: ((most.x + PIXELS).ceil() as u32).min(size.0),
        bottom: ((most.y + PIXELS).ceil() as u32).min(size.1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use glam::camera::rh;

    const SIZE: (u32, u32) = (640, 480);
    const NEAR: f32 = 0.1;

    /// Projects from the origin, looking ahead: at 480 m, a pixel is 1 m wide.
    fn seen(corner: Vec3) -> Vec4 {
        let projection = rh::proj::directx::perspective_infinite_reverse(2.0 * 0.5_f32.atan(), 640.0 / 480.0, NEAR);
        projection * corner.extend(1.0)
    }

    fn cube(middle: Vec3, half: f32) -> [Vec3; 8] {
        corners(Bounds {
            min: middle - half,
            max: middle + half,
        })
    }

    #[test]
    fn a_box_holds_all_corners_and_ends_at_the_picture() {
        let [middle, beside] = [Vec3::new(0.0, 0.0, -480.0), Vec3::new(315.0, 0.0, -480.0)];
        let bounds = around(cube(middle, 0.5).map(seen), SIZE);
        assert_eq!(
            (bounds.left, bounds.top, bounds.right, bounds.bottom),
            (317, 237, 323, 243)
        );
        let bounds = around(cube(beside, 10.0).map(seen), SIZE);
        assert_eq!((bounds.right, bounds.top), (640, 227));
        assert!(around(cube(Vec3::new(400.0, 0.0, -480.0), 10.0).map(seen), SIZE).is_empty());
        assert!(around(cube(Vec3::new(0.0, 0.0, 5.0), 1.0).map(seen), SIZE).is_empty());
    }

    #[test]
    fn a_box_around_the_camera_fills_the_picture_and_one_beside_it_is_outside() {
        let whole = around(cube(Vec3::ZERO, 1.0).map(seen), SIZE);
        assert_eq!(whole.size(), SIZE);
        // A cube that reaches from before the camera to behind it, far to the right.
        assert!(around(cube(Vec3::new(9.0, 0.0, 0.0), 1.0).map(seen), SIZE).is_empty());
        // A cube whose corner is in the corner of the picture.
        let part = around(cube(Vec3::new(1.2, -1.2, -0.5), 0.8).map(seen), SIZE);
        assert!(!part.is_empty() && part.left > 320 && part.top > 240, "{part:?}");
    }

    proptest::proptest! {
        /// Property: rectangles contain every part of a box that is beyond the near plane and in the picture.
        #[test]
        fn no_part_of_a_box_lies_outside(
            middle in (-6.0..6.0_f32, -6.0..6.0_f32, -8.0..3.0_f32),
            half in 0.01..3.0_f32,
            part in (-1.0..1.0_f32, -1.0..1.0_f32, -1.0..1.0_f32),
        ) {
            let middle = Vec3::from(middle);
            let found = around(cube(middle, half).map(seen), SIZE);
            let point = middle + Vec3::from(part) * half;
            let clip = seen(point);
            let pixel = Vec2::new(0.5 + 0.5 * clip.x / clip.w, 0.5 - 0.5 * clip.y / clip.w) * Vec2::new(640.0, 480.0);
            let inside = pixel.cmpge(Vec2::ZERO).all() && pixel.cmplt(Vec2::new(640.0, 480.0)).all();
            if -point.z > NEAR && inside {
                let (x, y) = (pixel.x as u32, pixel.y as u32);
                let holds = found.left <= x && x < found.right && found.top <= y && y < found.bottom;
                proptest::prop_assert!(holds, "{pixel} {found:?}");
            }
        }
    }
}
