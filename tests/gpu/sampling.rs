//! Wrap modes, nearest filtering and the alpha of vertex colours: in pictures of raw and baked files.

use glam::{Vec2, Vec3};
use throng::{
    atlas::{Atlas, AtlasFormat},
    bake::{BakeOptions, bake},
    config::Technique,
    file,
    model::{AlphaMode, Image, Material, Model, TextureRef, TextureWrap, UnitSpace},
};

use crate::common::{
    self,
    picture::{FRONT, View, mean, picture, pixels, through_a_file},
    surfaces,
    worse::worse,
};

const WRAPS: [TextureWrap; 3] = [TextureWrap::Repeat, TextureWrap::Mirror, TextureWrap::Clamp];

/// Square that shows an image unlit, from `first` to `last` in both texture coordinates.
fn shown(image: Image, texture: TextureRef, (first, last): (f32, f32)) -> Model {
    let material = Material {
        base_color_texture: Some(texture),
        unlit: true,
        ..Material::default()
    };
    let mut model = surfaces::quad(1, material, vec![image]);
    for v in &mut model.mesh.vertices {
        v.uv = Vec2::splat(first) + v.uv * (last - first);
    }
    model
}

fn worst(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, worse)
}

/// Texel index of pixel `i` in an image of `edge` pixels, beyond its edges by the wrap mode.
fn wrapped(i: i32, edge: i32, wrap: TextureWrap) -> i32 {
    match wrap {
        TextureWrap::Repeat => i.rem_euclid(edge),
        TextureWrap::Clamp => i.clamp(0, edge - 1),
        TextureWrap::Mirror => {
            let at = i.rem_euclid(2 * edge);
            at.min(2 * edge - 1 - at)
        }
    }
}

/// Eight by eight distinct blocks: redder to the right, greener downwards.
fn blocks(u: f32, v: f32) -> [u8; 4] {
    let step = |x: f32| (x * 8.0) as u8 * 36;
    [step(u), step(v), 128, 255]
}

/// Coordinates from -1 to 3 show the same as an image of four by four tiles, enlarged and reduced.
#[test]
fn every_wrap_mode_shows_the_tiles_it_stands_for() {
    let Some(gpu) = common::gpu::open() else { return };
    for edge in [16, 64] {
        let tile = || surfaces::image("tile", edge as u32, blocks);
        let textures = WRAPS.into_iter().flat_map(|u| WRAPS.map(|v| [u, v]));
        for wrap in textures {
            let texture = TextureRef {
                wrap,
                ..TextureRef::default()
            };
            let tiles = surfaces::image("tiles", 4 * edge as u32, |u, v| {
                let at = |x: f32, wrap| {
                    let pixel = (x * 4.0 * edge as f32) as i32 - edge;
                    (wrapped(pixel, edge, wrap) as f32 + 0.5) / edge as f32
                };
                blocks(at(u, wrap[0]), at(v, wrap[1]))
            });
            let expected = picture(&gpu, &shown(tiles, TextureRef::default(), (0.0, 1.0)), FRONT);
            for technique in [Technique::Matrix, Technique::Textbook] {
                let view = View { technique, ..FRONT };
                let found = picture(&gpu, &shown(tile(), texture, (-1.0, 3.0)), view);
                let worst = worst(&found, &expected);
                println!("{edge} {wrap:?} {technique:?}: {worst:.4}");
                assert!(worst < 0.02, "{edge} {wrap:?} {technique:?}: {worst}");
            }
        }
    }
}

/// Far away, a coarse texel at one edge does not include the opposite edge.
#[test]
fn clamped_edges_stay_apart_when_small() {
    let Some(gpu) = common::gpu::open() else { return };
    let halves = || surfaces::image("halves", 64, |u, _| if u < 0.5 { [0, 0, 0, 255] } else { [255; 4] });
    let ends = |wrap| {
        let texture = TextureRef {
            wrap: [wrap, TextureWrap::Repeat],
            ..TextureRef::default()
        };
        let far = View {
            eye: Vec3::new(0.0, 1.0, 7.0),
            ..FRONT
        };
        let p = picture(&gpu, &shown(halves(), texture, (-1.0, 2.0)), far);
        // The square covers the middle 30 % of the picture.
        [mean(&p, 0.37..0.46, 0.4..0.6), mean(&p, 0.54..0.63, 0.4..0.6)]
    };
    let clamped = ends(TextureWrap::Clamp);
    let repeated = ends(TextureWrap::Repeat);
    println!("clamped {clamped:.3?}, repeated {repeated:.3?}");
    assert!(clamped[0] < 0.01 && clamped[1] > 0.55, "{clamped:?}");
    assert!(
        repeated.iter().all(|half| (0.2..0.6).contains(half)),
        "stripes: {repeated:?}"
    );
}

/// Sizes that need no change, that are enlarged to a power of two, and to the size of another image.
#[test]
fn nearest_texels_keep_hard_edges() {
    let Some(gpu) = common::gpu::open() else { return };
    let checker = |edge: u32| {
        surfaces::image("checker", edge, move |u, v| {
            let odd = ((u * edge as f32) as u32 + (v * edge as f32) as u32) % 2 == 1;
            if odd { [255; 4] } else { [0, 0, 0, 255] }
        })
    };
    for (edge, beside) in [(4, None), (3, None), (4, Some(64))] {
        let between = |nearest: bool| {
            let texture = TextureRef {
                nearest,
                ..TextureRef::default()
            };
            let mut model = shown(checker(edge), texture, (0.0, 1.0));
            if let Some(other) = beside {
                model.images.push(checker(other));
                model.materials[0].emissive_texture = surfaces::texture(1);
            }
            let p = picture(&gpu, &model, FRONT);
            let white = p.iter().copied().fold(0.0, f32::max);
            let grey = p.iter().filter(|&&p| p > 0.02 && p < 0.95 * white).count();
            (grey, mean(&p, 0.1..0.9, 0.1..0.9) / white)
        };
        let ((hard, share), (soft, _)) = (between(true), between(false));
        println!("{edge} beside {beside:?}: {hard} grey pixels, {soft} blended, {share:.3} white");
        assert!(hard == 0 && soft > 500, "{edge} beside {beside:?}: {hard} {soft}");
        assert!((share - 0.5).abs() < 0.1, "{share}");
    }
}

/// Square whose vertex colours are opaque on the right and transparent on the left.
fn fading(alpha: AlphaMode, left: f32) -> Model {
    let material = Material {
        unlit: true,
        alpha,
        ..Material::default()
    };
    let mut model = surfaces::quad(2, material, Vec::new());
    for v in &mut model.mesh.vertices {
        v.color.w = if v.uv.x < 0.6 { left } else { 1.0 };
    }
    model
}

#[test]
fn the_alpha_of_vertex_colours_masks_and_blends() {
    let Some(gpu) = common::gpu::open() else { return };
    for technique in [Technique::Matrix, Technique::Textbook] {
        let view = View { technique, ..FRONT };
        let solid = picture(&gpu, &fading(AlphaMode::Opaque, 1.0), view);
        // Share of pixels that show the square, left and right.
        let seen = |model: &Model| {
            let p = picture(&gpu, model, view);
            let same: Vec<f32> = p.iter().zip(&solid).map(|(a, b)| f32::from(a == b)).collect();
            [mean(&same, 0.05..0.45, 0.1..0.9), mean(&same, 0.8..0.95, 0.1..0.9)]
        };
        let ignored = seen(&fading(AlphaMode::Opaque, 0.0));
        let masked = seen(&fading(AlphaMode::Mask(0.25), 0.2));
        let kept = seen(&fading(AlphaMode::Mask(0.25), 0.3));
        let blended = seen(&fading(AlphaMode::Blend, 0.25));
        println!("{technique:?}: opaque {ignored:?}, masked {masked:?}, kept {kept:?}, blended {blended:?}");
        assert_eq!((ignored, masked[0], kept[0]), ([1.0, 1.0], 0.0, 1.0));
        assert!(
            masked[1] > 0.5 && (blended[0] - 0.25).abs() < 0.03,
            "{masked:?} {blended:?}"
        );
    }
}

/// The baked file has ordinary samplers, textures and colours: the picture loses nothing.
#[test]
fn a_baked_file_gives_the_same_picture_to_the_byte() {
    let Some(gpu) = common::gpu::open() else { return };
    let texture = |wrap, nearest| {
        Some(TextureRef {
            wrap,
            nearest,
            ..TextureRef::default()
        })
    };
    let [repeat, mirror, clamp] = WRAPS;
    let mut model = fading(AlphaMode::Blend, 0.5);
    model.images = vec![surfaces::image("tile", 16, blocks)];
    model.materials[0] = Material {
        base_color_texture: texture([clamp, mirror], true),
        emissive: Vec3::splat(0.4),
        emissive_texture: texture([mirror, repeat], false),
        unlit: false,
        ..model.materials[0].clone()
    };
    for v in &mut model.mesh.vertices {
        v.uv = v.uv * 4.0 - 1.5;
    }
    let raw = through_a_file(&model);
    let palettes = bake(&raw, &BakeOptions::default(), &|_| ()).expect("bakes");
    let atlas = Atlas::encode(&palettes, &UnitSpace::around(raw.mesh.bounds()), AtlasFormat::F32);
    let baked = file::open_bytes(
        "baked.glb",
        &file::baked::to_bytes(&raw, &atlas, None).expect("fits"),
        None,
    )
    .expect("opens");
    assert!(baked.atlas.is_some());
    assert_eq!(
        raw.materials[0].base_color_texture,
        model.materials[0].base_color_texture
    );
    assert_eq!(raw.materials, baked.model.materials);
    let pictures = [&raw, &baked.model].map(|m| pixels(&gpu, m, FRONT));
    assert!(pictures[0] == pictures[1]);
    model.materials[0].base_color_texture = surfaces::texture(0);
    assert!(
        pictures[0] != pixels(&gpu, &through_a_file(&model), FRONT),
        "wrap modes do not differ"
    );
}
