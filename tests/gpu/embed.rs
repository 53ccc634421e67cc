//! Example for host programs: crowd and host occlude each other by depth, and the host's camera is used.

use glam::Vec3;
use throng::crowd::Instance;

#[path = "../../examples/embed.rs"]
mod example;

const FRONT: Vec3 = Vec3::new(0.0, 1.7, 9.0);

fn pixel(picture: &[u8], [x, y]: [u32; 2]) -> [u8; 3] {
    let at = ((y * example::SIZE.0 + x) * 4) as usize;
    [picture[at], picture[at + 1], picture[at + 2]]
}

#[test]
fn a_crowd_and_a_host_hide_each_other_by_depth() {
    let Some(gpu) = crate::common::gpu::open() else { return };
    let seen = |eye: Vec3, people: &[Instance]| {
        example::picture(&gpu.device, &gpu.queue, eye, people).expect("the example draws")
    };
    let (before, farther) = (Instance::new(Vec3::Z * 2.0), Instance::new(Vec3::Z * -2.0));
    let empty = seen(FRONT, &[]);
    let middle = [example::SIZE.0 / 2, example::SIZE.1 / 2];
    let red = pixel(&empty, middle);
    assert!(red[0] > 150 && red[1] < 60, "the host's triangle: {red:?}");
    assert!(
        seen(FRONT, &[farther]) == empty,
        "a person behind the triangle is visible"
    );
    let covered = seen(FRONT, &[before]);
    assert_ne!(
        pixel(&covered, middle),
        red,
        "a person in front of the triangle is not visible"
    );
    // From the opposite side, the order is reversed.
    let back = FRONT * Vec3::new(1.0, 1.0, -1.0);
    assert!(
        seen(back, &[before]) == seen(back, &[]),
        "a person behind the triangle is visible"
    );
    assert_ne!(
        pixel(&seen(back, &[farther]), middle),
        red,
        "a person in front of the triangle is not visible"
    );
    assert_eq!(gpu.take_error(), None);
}

#[test]
fn the_picture_follows_the_host_s_camera() {
    let Some(gpu) = crate::common::gpu::open() else { return };
    let people = example::around();
    let from = |eye: Vec3| example::picture(&gpu.device, &gpu.queue, eye, &people).expect("the example draws");
    let (front, same, side) = (from(FRONT), from(FRONT), from(Vec3::new(8.0, 3.0, 5.0)));
    assert!(front == same, "pictures of one camera differ");
    let changed = front.chunks_exact(4).zip(side.chunks_exact(4)).filter(|(a, b)| a != b);
    assert!(changed.count() > 5000, "pictures of two cameras hardly differ");
}
