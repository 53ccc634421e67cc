//! Cameras and single settings on the command line, and their effect on pictures.

use super::{small_scene, succeed, temporary, text, throng};
use crate::common::gpu::adapter;

const EYE: [&str; 4] = ["--eye", "-3.5,1.7,6.25", "--look-at", "0,1.1,-2"];

/// Picture drawn with options.
fn picture(folder: &std::path::Path, options: &[&[&str]]) -> Vec<u8> {
    let arguments = [
        &["shot", "--adapter", adapter(), "--size", "64x36", "-o", "a.png"],
        &options.concat()[..],
    ]
    .concat();
    succeed(folder, &arguments);
    std::fs::read(folder.join("a.png")).expect("a picture")
}

#[test]
fn options_and_a_file_that_say_the_same_draw_the_same() {
    let folder = temporary();
    let folder = folder.path();
    let people = ["--count", "12"];
    let settings = [
        "--set",
        "look.exposure=1.25",
        "--set",
        "look.ground=grid",
        "--set",
        "camera.fov=62.5",
    ];
    let by_options = picture(folder, &[&people, &EYE, &settings, &["--time", "2.71875"]]);
    std::fs::write(
        folder.join("mine.toml"),
        "[scene]\ncount = 12\n[look]\nexposure = 1.25\nground = \"grid\"\n[camera]\nstart = \"here\"\nfov = \
         62.5\n[camera.views.here]\neye = [-3.5, 1.7, 6.25]\ntarget = [0, 1.1, -2]\ntime = 2.71875\n",
    )
    .expect("written");
    // The preset has groups that the file does not mention.
    let own = ["--set", "scene.groups={}"];
    let by_options_alone = picture(folder, &[&people, &EYE, &settings, &own, &["--time", "2.71875"]]);
    let by_file = picture(folder, &[&["--scene", "mine.toml"]]);
    assert!(by_file == by_options_alone, "the picture is not of the view's time");
    assert!(
        by_file != picture(folder, &[&["--scene", "mine.toml", "--time", "9"]]),
        "the option was overridden"
    );
    assert!(by_options != picture(folder, &[&people, &EYE, &["--time", "2.71875"]]));
    assert!(by_options != picture(folder, &[&people, &settings, &["--time", "2.71875"]]));
}

#[test]
fn wrong_points_and_settings_are_one_line() {
    let folder = temporary();
    for (arguments, told) in [
        (&["--eye", "1,2,3"][..], "--look-at"),
        (&["--eye", "1,2", "--look-at", "0,0,0"], "X,Y,Z"),
        (&["--eye", "1,2,x", "--look-at", "0,0,0"], "X,Y,Z"),
        (&["--eye", "1e9,2,3", "--look-at", "0,0,0"], "X,Y,Z"),
        (&["--eye", "nan,2,3", "--look-at", "0,0,0"], "X,Y,Z"),
        (&["--eye", "1,2,3", "--look-at", "1,2,3"], "a point other than `eye`"),
        (&["--eye", "1,2,3", "--look-at", "0,0,0", "--camera", "top"], "--camera"),
        (
            &["--set", "look.exposure=99"],
            "`look.exposure` is 99; expected a number from -4 to 4",
        ),
        (&["--set", "look.exposur=1"], "did you mean `look.exposure`"),
        (&["--set", "look"], "KEY=VALUE"),
        (&["--set", "camera.start=nowhere"], "the name of a view"),
    ] {
        let output = throng(folder.path(), &[&["shot"], &small_scene()[..], arguments].concat());
        let said = text(&output.stderr);
        assert_eq!(
            (output.status.code(), said.lines().count()),
            (Some(2), 1),
            "{arguments:?}: {said}"
        );
        assert!(said.contains(told), "{arguments:?}: {said}");
    }
    assert_eq!(super::names(folder.path()).len(), 0, "nothing was drawn");
}
