//! Viewer of a single character before a plain background.

use super::{Window, can_test, changed, wait};

#[test]
fn the_viewer_turns_one_character_until_it_is_dragged_and_gives_the_scene_back() {
    if !can_test() {
        return;
    }
    let window = Window::open(&["view", "knight", "man", "--count", "6", "--viewer", "--size", "800x500"]);
    window.wait_for_title(" - 1 person");
    // Time is paused, but the turntable still turns.
    window.xdotool(&["key", "space"]);
    let before = window.screenshot();
    wait("the table to turn", || {
        (changed(&before, &window.screenshot()) > 0.02).then_some(())
    });
    window.drag([600, 300], [30, 5]);
    let alone = window.still();
    window.xdotool(&["key", "i"]);
    window.wait_for_title(" - 6 people");
    assert!(changed(&alone, &window.still()) > 0.3, "sky and scenery are back");
    assert_eq!(window.quit(), Some(0));
}
