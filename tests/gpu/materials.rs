//! Effects of textures on the picture: one lit square, drawn with and without.

use glam::{Vec3, Vec4};
use throng::{
    config::Technique,
    model::{AlphaMode, Image, Keys, Material, Model, Morph, MorphDelta, TextureRef},
};

use crate::common::{
    self,
    picture::{FRONT, View, mean, picture, whole},
    surfaces,
};

const TECHNIQUES: [Technique; 6] = [
    Technique::Matrix,
    Technique::Vertex,
    Technique::Live,
    Technique::Textbook,
    Technique::Preskinned,
    Technique::Static,
];

/// Normal map of a dome in the middle of the image: normals tilt outwards; `flip` inverts channels.
fn dome(flip: [bool; 2]) -> Image {
    surfaces::image("dome", 64, |u, v| {
        let (x, y) = ((u - 0.5) * 1.8, (0.5 - v) * 1.8);
        let normal_bias = Vec3::new(if flip[0] { -x } else { x }, if flip[1] { -y } else { y }, 0.7).normalize();
        let [r, g, b] = ((normal_bias + 1.0) * 127.5).round().to_array().map(|c| c as u8);
        [r, g, b, 255]
    })
}

pub fn bump(name: &str, flip: [bool; 2], scale: f32) -> Model {
    let material = Material {
        normal_texture: surfaces::texture(0),
        normal_scale: scale,
        roughness: 1.0,
        ..Material::default()
    };
    Model {
        name: name.into(),
        ..surfaces::quad(4, material, vec![dome(flip)])
    }
}

/// Ratios of brightness: right over left half, upper over lower half.
fn slopes(picture: &[f32]) -> [f32; 2] {
    [
        mean(picture, 0.6..0.9, 0.1..0.9) / mean(picture, 0.1..0.4, 0.1..0.9),
        mean(picture, 0.1..0.9, 0.1..0.4) / mean(picture, 0.1..0.9, 0.6..0.9),
    ]
}

#[test]
fn bumps_are_bright_on_the_side_of_the_sun() {
    let Some(gpu) = common::gpu::open() else { return };
    // Sun low to the viewer's right, in front.
    let right = View {
        azimuth: 120.0,
        elevation: 10.0,
        ..FRONT
    };
    let above = View {
        elevation: 55.0,
        ..FRONT
    };
    let slope = |model: &Model, view| slopes(&picture(&gpu, model, view));
    let (plain, red, green) = (
        bump("bump", [false, false], 1.0),
        bump("bump-red", [true, false], 1.0),
        bump("bump-green", [false, true], 1.0),
    );
    for technique in TECHNIQUES {
        let of = |model, view| slope(model, View { technique, ..view });
        let sides = [of(&plain, right)[0], of(&red, right)[0]];
        let heights = [of(&plain, above)[1], of(&green, above)[1]];
        println!(
            "{technique:?}: right over left {sides:.3?} (red flipped), up over down {heights:.3?} (green flipped)"
        );
        assert!(sides[0] > 1.3 && sides[1] < 1.0 / 1.3, "{technique:?}: {sides:?}");
        assert!(heights[0] > 1.1 && heights[1] < 1.0 / 1.1, "{technique:?}: {heights:?}");
    }
    let flat = slope(&bump("bump-scale-0", [false; 2], 0.0), right)[0];
    let none = slope(
        &surfaces::quad(
            4,
            Material {
                roughness: 1.0,
                ..Material::default()
            },
            Vec::new(),
        ),
        right,
    )[0];
    println!("scale 0: {flat:.4}, without the map: {none:.4}");
    assert!((flat - none).abs() < 0.02, "{flat} {none}");
    let negative = slope(&bump("bump-negative", [false; 2], -1.0), right)[0];
    assert!(negative < 1.0 / 1.3, "{negative}");
}

#[test]
fn occlusion_darkens_ambient_light_only() {
    let Some(gpu) = common::gpu::open() else { return };
    // In red, all of the right half is occluded; green and blue must not matter.
    let closed = surfaces::image(
        "closed",
        8,
        |u, _| if u > 0.5 { [0, 255, 0, 255] } else { [255, 0, 255, 255] },
    );
    let quad = |strength: f32| {
        let material = Material {
            occlusion_texture: surfaces::texture(0),
            occlusion_strength: strength,
            roughness: 1.0,
            ..Material::default()
        };
        surfaces::quad(1, material, vec![closed.clone()])
    };
    // From behind, the sun lights nothing; from the front, nearly all light is the sun's.
    let unlit = View { azimuth: 0.0, ..FRONT };
    let halves = |model: &Model, view| {
        let p = picture(&gpu, model, view);
        [mean(&p, 0.1..0.45, 0.1..0.9), mean(&p, 0.55..0.9, 0.1..0.9)]
    };
    let [open, dark] = halves(&quad(1.0), unlit);
    let [_, half] = halves(&quad(0.5), unlit);
    let [lit_open, lit_dark] = halves(&quad(1.0), FRONT);
    println!("shade {open:.3} / occluded {dark:.3} / half {half:.3}; sun {lit_open:.3} / {lit_dark:.3}");
    assert!(
        dark < 0.05 * open,
        "light besides ambient light in the shade: {dark} of {open}"
    );
    assert!(half > dark + 0.1 && half < open - 0.05, "{half}");
    assert!(
        lit_dark > 0.7 * lit_open && lit_dark < lit_open,
        "{lit_dark} of {lit_open}"
    );
}

#[test]
fn vertex_colours_are_base_colours_unless_they_hold_occlusion() {
    let Some(gpu) = common::gpu::open() else { return };
    let unlit = View { azimuth: 0.0, ..FRONT };
    let shade = |base: f32, vertex: f32, color_occludes: bool| {
        let material = Material {
            base_color: Vec4::new(base, base, base, 1.0),
            roughness: 1.0,
            color_occludes,
            ..Material::default()
        };
        let mut model = surfaces::quad(1, material, Vec::new());
        for corner in &mut model.mesh.vertices {
            corner.color = Vec4::new(vertex, vertex, vertex, 1.0);
        }
        mean(&picture(&gpu, &model, unlit), 0.1..0.9, 0.1..0.9)
    };
    let (base, vertex, occluded) = (shade(0.25, 1.0, false), shade(1.0, 0.25, false), shade(1.0, 0.25, true));
    println!("ambient light on a base colour {base:.3}, a vertex colour {vertex:.3}, occlusion {occluded:.3}");
    assert!((base - vertex).abs() < 0.01 * base, "{base} {vertex}");
    assert!(occluded < 0.5 * vertex, "{occluded} {vertex}");
}

/// Number of pixels of at least three quarters of the greatest brightness.
fn highlight(picture: &[f32]) -> usize {
    let brightest = picture.iter().copied().fold(0.0, f32::max);
    picture.iter().filter(|&&p| p > 0.75 * brightest).count()
}

#[test]
fn metallic_roughness_textures_shape_the_highlight() {
    let Some(gpu) = common::gpu::open() else { return };
    let metal = |name: &str, green: u8, blue: u8| {
        let texel = surfaces::image(name, 2, move |_, _| [7, green, blue, 255]);
        let material = Material {
            base_color: glam::Vec4::new(0.2, 0.2, 0.2, 1.0),
            metallic: 1.0,
            roughness: 1.0,
            metallic_roughness_texture: surfaces::texture(0),
            ..Material::default()
        };
        Model {
            name: name.into(),
            ..surfaces::quad(1, material, vec![texel])
        }
    };
    // The reflection of the sun meets the eye in the middle.
    let view = View {
        elevation: 12.0,
        ..FRONT
    };
    let [rough, smooth] = [("rough", 200), ("smooth", 90)].map(|(n, g)| picture(&gpu, &metal(n, g, 255), view));
    println!(
        "highlight of {} pixels rough, {} smooth",
        highlight(&rough),
        highlight(&smooth)
    );
    assert!(
        highlight(&smooth) * 2 < highlight(&rough),
        "smooth metal has the smaller highlight"
    );
    // In blue, 0 is no metal: the base colour is diffuse.
    let plastic = picture(&gpu, &metal("plastic", 255, 0), View { azimuth: 120.0, ..view });
    let bare = picture(&gpu, &metal("bare", 255, 255), View { azimuth: 120.0, ..view });
    println!("diffuse {:.3}, metal {:.3}", whole(&plastic), whole(&bare));
    assert!(
        whole(&plastic) > 1.1 * whole(&bare),
        "{} {}",
        whole(&plastic),
        whole(&bare)
    );
}

#[test]
fn emissive_textures_glow_in_the_dark_and_second_coordinates_find_them() {
    let Some(gpu) = common::gpu::open() else { return };
    let left = surfaces::image("left", 32, |u, _| if u < 0.5 { [255; 4] } else { [0, 0, 0, 255] });
    let quad = |second: bool| {
        let material = Material {
            base_color: glam::Vec4::new(0.0, 0.0, 0.0, 1.0),
            base_color_texture: surfaces::texture(0),
            emissive: Vec3::splat(0.7),
            emissive_texture: Some(TextureRef {
                second,
                ..TextureRef::default()
            }),
            roughness: 1.0,
            ..Material::default()
        };
        let mut model = surfaces::quad(1, material, vec![left.clone()]);
        if second {
            // The second set is mirrored: left is right.
            model
                .mesh
                .vertices
                .iter_mut()
                .for_each(|v| v.uv1 = glam::Vec2::new(1.0 - v.uv.x, v.uv.y));
        }
        model
    };
    for technique in [Technique::Matrix, Technique::Textbook] {
        let view = View {
            azimuth: 0.0,
            technique,
            ..FRONT
        };
        let halves = |model: &Model| {
            let p = picture(&gpu, model, view);
            [mean(&p, 0.1..0.4, 0.1..0.9), mean(&p, 0.6..0.9, 0.1..0.9)]
        };
        let (first, second) = (halves(&quad(false)), halves(&quad(true)));
        println!("{technique:?}: first set {first:.3?}, second {second:.3?}");
        assert!(first[0] > 0.3 && first[1] < 0.1 && second[0] < 0.1 && second[1] > 0.3);
    }
}

/// A square whose middle moves out of the picture, and one that grows: equal in every technique that animates.
#[test]
fn morph_targets_look_the_same_in_every_technique() {
    let Some(gpu) = common::gpu::open() else { return };
    let mut model = Model {
        name: "morph".into(),
        ..bump("morph", [false; 2], 1.0)
    };
    let squeeze = |(vertex, v): (usize, &throng::model::Vertex)| MorphDelta {
        vertex: vertex as u32,
        position: Vec3::new(-0.8 * v.position.x, 0.0, 0.0),
        normal: Vec3::new(0.5 * v.position.x, 0.0, 0.0),
        tangent: Vec3::ZERO,
    };
    model.morphs = vec![Morph {
        name: "squeeze".into(),
        rest: 0.0,
        deltas: model.mesh.vertices.iter().enumerate().map(squeeze).collect(),
    }];
    let mut clip = surfaces::clip("squeeze", Vec::new());
    clip.morphs = vec![surfaces::morph_channel(&[0.0, 1.0], &[0.0, 1.0])];
    model.clips = vec![clip];
    let draw = |technique, seconds| {
        picture(
            &gpu,
            &model,
            View {
                technique,
                seconds,
                ..FRONT
            },
        )
    };
    let difference = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f32>() / a.len() as f32;
    let reference = draw(Technique::Matrix, 0.7);
    let still = difference(&reference, &draw(Technique::Static, 0.7));
    let earlier = difference(&reference, &draw(Technique::Matrix, 0.2));
    println!("rest pose {still:.4}, half a second earlier {earlier:.4}");
    assert!(
        still > 0.02 && earlier > 0.02,
        "the targets move something: {still} {earlier}"
    );
    for technique in [
        Technique::Live,
        Technique::Textbook,
        Technique::Vertex,
        Technique::Preskinned,
    ] {
        let found = difference(&reference, &draw(technique, 0.7));
        println!("{technique:?}: {found:.5}");
        assert!(found < 0.002, "{technique:?}: {found}");
    }
}

/// From behind and above, only the shadow of a square that faces the sun is visible.
#[test]
fn shadows_have_the_holes_of_what_casts_them() {
    let Some(gpu) = common::gpu::open() else { return };
    let half = surfaces::image("half", 8, |u, _| [255, 255, 255, if u < 0.5 { 0 } else { 255 }]);
    // Remaining light behind the opaque half of the image and behind the transparent half.
    let light = |technique, alpha, opacity| {
        let material = Material {
            base_color: glam::Vec4::new(1.0, 1.0, 1.0, opacity),
            base_color_texture: surfaces::texture(0),
            alpha,
            ..Material::default()
        };
        let model = surfaces::quad(1, material, vec![half.clone()]);
        let view = View {
            elevation: 45.0,
            eye: Vec3::new(0.0, 6.0, -4.0),
            technique,
            ..FRONT
        };
        let [lit, shaded] = [false, true].map(|shadows| picture(&gpu, &model, View { shadows, ..view }));
        [0.37..0.47, 0.53..0.63].map(|x| mean(&shaded, x.clone(), 0.65..0.8) / mean(&lit, x, 0.65..0.8))
    };
    for technique in TECHNIQUES {
        for (alpha, opacity, [shown, other]) in [
            (AlphaMode::Opaque, 1.0, [true, true]),
            (AlphaMode::Mask(0.5), 1.0, [true, false]),
            (AlphaMode::Mask(0.5), 0.4, [false, false]),
            (AlphaMode::Blend, 0.8, [true, false]),
            (AlphaMode::Blend, 0.3, [false, false]),
        ] {
            let found = light(technique, alpha, opacity);
            println!("{technique:?} {alpha:?} {opacity}: {found:.3?}");
            let dark = found.map(|share| share < 0.6);
            assert_eq!(dark, [shown, other], "{technique:?} {alpha:?} {opacity}: {found:?}");
            assert!(
                found.iter().zip(dark).all(|(&share, dark)| dark || share > 0.99),
                "{found:?}"
            );
        }
    }
}

/// A negative scale reverses winding: culling by winding would remove such a part, and lighting by it would darken it.
#[test]
fn parts_that_a_clip_mirrors_keep_their_outside() {
    let Some(gpu) = common::gpu::open() else { return };
    let light = |technique, double_sided, scale: Vec3| {
        let material = Material {
            double_sided,
            roughness: 1.0,
            ..Material::default()
        };
        let mut model = surfaces::quad(4, material, Vec::new());
        model.clips = vec![surfaces::clip("turn", vec![(0, Keys::Scale(vec![scale; 2]))])];
        let view = View { technique, ..FRONT };
        whole(&picture(&gpu, &model, view))
    };
    for technique in TECHNIQUES {
        for double_sided in [false, true] {
            let [plain, mirrored] = [1.0, -1.0].map(|x| light(technique, double_sided, Vec3::new(x, 1.0, 1.0)));
            println!("{technique:?}, double-sided {double_sided}: {plain:.4}, mirrored {mirrored:.4}");
            assert!(plain > 0.2, "{technique:?}: {plain}");
            assert!((plain - mirrored).abs() < 0.005, "{technique:?}: {plain} {mirrored}");
        }
    }
}
