//! The baked file: round trips, validity, hostile files.

use std::{path::Path, sync::Arc};

use throng::{
    atlas::{Atlas, AtlasFormat, baked_vertex::VertexAtlas},
    bake::{self, BakeOptions, Palettes},
    file::{self, export, gltf},
    model::{Model, UnitSpace},
};

use crate::common;

fn bake_model(model: &Model, rate: f32, format: AtlasFormat) -> (Palettes, Atlas) {
    let palettes = bake::bake(model, &BakeOptions { rate }, &|_| ()).expect("bakes");
    let atlas = Atlas::encode(&palettes, &UnitSpace::around(model.mesh.bounds()), format);
    (palettes, atlas)
}

fn assert_same_model(a: &Model, b: &Model, file: &str) {
    assert!(a.skeleton == b.skeleton, "{file}: skeleton");
    assert!(a.mesh == b.mesh, "{file}: mesh");
    assert_eq!(a.materials, b.materials, "{file}");
    assert!(a.images == b.images, "{file}: images");
    assert!(a.morphs == b.morphs, "{file}: morphs");
    assert_eq!(a.clips.len(), b.clips.len(), "{file}");
    for (a, b) in a.clips.iter().zip(&b.clips) {
        assert_eq!(
            (&a.name, a.duration, a.wrap, a.speed),
            (&b.name, b.duration, b.wrap, b.speed)
        );
        assert!(a.channels == b.channels, "{file}: channels of {}", a.name);
        assert_eq!(a.events, b.events);
        assert!(
            a.morphs.is_empty() || a.morphs == b.morphs,
            "{file}: morphs of {}",
            a.name
        );
    }
}

#[test]
fn baked_files_come_back_as_they_were() {
    let Some(folder) = common::samples() else {
        return;
    };
    let out = std::env::var_os("THRONG_BAKED_OUT");
    println!(
        "{:<48} {:>10} {:>10} {:>9} {:>9}",
        "file", "atlas", "file", "bake ms", "open ms"
    );
    for (index, file) in common::LOADABLE.into_iter().enumerate() {
        let start = std::time::Instant::now();
        let model = common::load(&folder, file);
        let (palettes, atlas) = bake_model(&model, 30.0, AtlasFormat::ALL[index % AtlasFormat::ALL.len()]);
        let baked_in = start.elapsed();
        let vertices = (index % 3 == 0).then(|| VertexAtlas::encode(&model, &palettes));
        let bytes = file::baked::to_bytes(&model, &atlas, vertices.as_ref()).expect("fits");
        let start = std::time::Instant::now();
        let opened = file::open_bytes(file, &bytes, None).unwrap_or_else(|e| panic!("{e}"));
        let opened_in = start.elapsed();
        let copy = bytes.clone();
        let start = std::time::Instant::now();
        let quick = file::open_bytes_to_draw(file, copy, None).unwrap_or_else(|e| panic!("{e}"));
        let drawn_in = start.elapsed();
        let read = quick.model.clips.iter().any(|c| c.channels.is_read())
            || quick.model.images.iter().any(|i| i.rgba.is_read());
        let has_keys = model.clips.iter().any(|c| !c.channels.is_empty());
        assert!(
            !read || !has_keys || !model.morphs.is_empty(),
            "{file}: keys or pixels were read"
        );
        assert_same_model(&model, &quick.model, file);
        let quick = Arc::new(quick.atlas.expect("the file is baked"));
        let decoded = quick.to_palettes(&model);
        assert!(!decoded.matrices.is_read(), "{file}");
        assert!(!quick.bytes.is_read() || !model.morphs.is_empty(), "{file}");
        assert_eq!(decoded.matrices.len(), palettes.matrices.len());
        assert!(quick.bytes == atlas.bytes, "{file}");
        println!(
            "{file:<48} {:>10} {:>10} {:>9.2} {:>9.2} {:>9.2}",
            atlas.bytes.len(),
            bytes.len(),
            baked_in.as_secs_f64() * 1e3,
            opened_in.as_secs_f64() * 1e3,
            drawn_in.as_secs_f64() * 1e3
        );
        assert_same_model(&model, &opened.model, file);
        let back = opened.atlas.expect("the file is baked");
        assert!(back.bytes == atlas.bytes && back.format == atlas.format, "{file}");
        assert_eq!(
            (back.unit, back.decode_min, back.decode_size),
            (atlas.unit, atlas.decode_min, atlas.decode_size)
        );
        for (a, b) in atlas.clips.iter().zip(&back.clips) {
            assert_eq!((a, a.bounds), (b, b.bounds));
        }
        assert_eq!(opened.vertices.map(|v| v.words), vertices.map(|v| v.words));
        // Files to inspect with other programs.
        if let Some(out) = &out {
            let name = Path::new(file).with_extension("baked.glb");
            let path = Path::new(out).join(name.file_name().expect("a name"));
            std::fs::write(&path, &bytes).expect("written");
        }
    }
}

/// Baked character of two triangles and two joints, built in code.
fn small() -> Vec<u8> {
    static BYTES: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
    BYTES.get_or_init(make_small).clone()
}

pub fn small_model() -> throng::model::Model {
    use glam::{Mat4, Quat, Vec2, Vec3, Vec4};
    use throng::model::*;
    let joint = |name: &str, parent, y: f32| Joint {
        name: name.into(),
        parent,
        rest: Transform {
            translation: Vec3::Y * y,
            ..Transform::IDENTITY
        },
    };
    let vertex = |x: f32, y: f32, joints: [u16; 4], weights: [f32; 4], material| Vertex {
        position: Vec3::new(x, y, 0.0),
        normal: Vec3::Z,
        tangent: Vec3::X.extend(if x > 0.0 { -1.0 } else { 1.0 }),
        uv: Vec2::new(x, 0.5 * y),
        uv1: Vec2::new(y, 3.0 * x),
        color: Vec4::new(1.0, 0.5, 0.25, 1.0 - 0.25 * y),
        joints: padded(joints, joints[0]),
        weights: padded(weights, 0.0),
        material,
    };
    let one = [1.0, 0.0, 0.0, 0.0];
    let slot = |joint, y: f32| PaletteSlot {
        joint,
        inverse_bind: Mat4::from_translation(Vec3::Y * -y),
    };
    let turn = Channel {
        joint: 1,
        interpolation: Interpolation::Linear,
        times: vec![0.0, 1.0],
        keys: Keys::Rotation(vec![Quat::IDENTITY, Quat::from_rotation_z(1.0)]),
    };
    let texture = |image, second| {
        Some(TextureRef {
            image,
            second,
            ..TextureRef::default()
        })
    };
    let image = |name: &str, rgba| Image {
        name: name.into(),
        width: 1,
        height: 1,
        rgba: Vec::into(rgba),
    };
    Model {
        name: "small".into(),
        skeleton: Skeleton {
            joints: vec![
                joint("hip", None, 0.0),
                joint("knee", Some(0), 1.0),
                joint("other root", None, 0.0),
            ],
            // One joint has two slots, and there are two roots: both need extra nodes.
            slots: vec![slot(0, 0.0), slot(1, 1.0), slot(1, 0.5), slot(2, 0.0)],
            sockets: vec![Socket {
                name: "foot".into(),
                slot: 1,
                mesh_from_socket: Mat4::from_translation(Vec3::Y),
            }],
            ..Skeleton::default()
        },
        mesh: Mesh {
            vertices: vec![
                vertex(0.0, 0.0, [0; 4], one, 0),
                vertex(1.0, 0.0, [0, 1, 0, 0], [0.75, 0.25, 0.0, 0.0], 0),
                vertex(0.0, 1.0, [1; 4], one, 0),
                vertex(1.0, 1.0, [2; 4], one, 1),
                vertex(1.0, 2.0, [2; 4], one, 1),
                vertex(0.0, 2.0, [3; 4], one, 1),
            ],
            indices: vec![0, 1, 2, 3, 4, 5],
        },
        materials: vec![
            Material {
                name: "skin".into(),
                tints: [TintRegion::Skin; throng::model::MATERIAL_VARIANTS],
                ..Material::default()
            },
            Material {
                name: "lamp".into(),
                emissive: Vec3::new(4.0, 2.0, 1.0),
                unlit: true,
                double_sided: true,
                alpha: AlphaMode::Mask(0.25),
                base_color_texture: texture(0, false),
                normal_texture: texture(1, true),
                normal_scale: -0.75,
                metallic_roughness_texture: Some(TextureRef {
                    image: 1,
                    wrap: [TextureWrap::Mirror, TextureWrap::Clamp],
                    nearest: true,
                    ..TextureRef::default()
                }),
                occlusion_texture: texture(1, true),
                occlusion_strength: 0.25,
                emissive_texture: texture(0, true),
                ..Material::default()
            },
        ],
        images: vec![
            image("dot", vec![10, 20, 30, 128]),
            image("bump", vec![100, 150, 250, 255]),
        ],
        clips: vec![
            Clip {
                name: "turn".into(),
                duration: 1.0,
                channels: vec![turn].into(),
                wrap: Wrap::PingPong,
                speed: 1.25,
                events: vec![ClipEvent {
                    name: "step".into(),
                    time: 0.5,
                }],
                ..Clip::default()
            },
            Clip {
                name: "still".into(),
                ..Clip::default()
            },
        ],
        morphs: vec![Morph {
            name: "lift".into(),
            rest: 0.25,
            deltas: vec![MorphDelta {
                vertex: 3,
                position: Vec3::Y,
                normal: Vec3::X,
                tangent: Vec3::NEG_Z,
            }],
        }],
        ..Model::default()
    }
}

fn make_small() -> Vec<u8> {
    let model = small_model();
    let (palettes, atlas) = bake_model(&model, 10.0, AtlasFormat::F16);
    let vertices = VertexAtlas::encode(&model, &palettes);
    let bytes = file::baked::to_bytes(&model, &atlas, Some(&vertices)).expect("fits");
    let opened = file::open_bytes("small", &bytes, None).expect("opens");
    assert_same_model(&model, &opened.model, "small");
    bytes
}

#[test]
fn every_feature_survives_and_bytes_repeat() {
    assert!(make_small() == small());
    if let Some(out) = std::env::var_os("THRONG_BAKED_OUT") {
        std::fs::write(Path::new(&out).join("small.baked.glb"), small()).expect("written");
    }
}

/// Files of every version stay readable.
#[test]
fn version_1_opens() {
    let bytes = include_bytes!("../data/baked-v1.glb");
    let opened = file::open_bytes("baked-v1.glb", bytes, None).expect("opens");
    let atlas = opened.atlas.expect("baked");
    assert_eq!(
        (atlas.frame_count, atlas.slot_count, atlas.format),
        (12, 4, AtlasFormat::F16)
    );
    assert_eq!(opened.model.skeleton.sockets[0].name, "foot");
    assert_eq!(opened.vertices.expect("has vertices").vertex_count, 6);
}

/// Reads matrices back from the texture as `docs/export.md` describes.
#[test]
fn exported_textures_hold_every_matrix() {
    let opened = file::open_bytes("small", &small(), None).expect("opens");
    let palettes = Arc::new(opened.atlas.expect("baked")).to_palettes(&opened.model);
    for format in AtlasFormat::ALL {
        let atlas = Atlas::encode(&palettes, &UnitSpace::around(opened.model.mesh.bounds()), format);
        let files = export(&opened.model, &atlas).expect("fits");
        let json: serde_json::Value = serde_json::from_str(&files.description).expect("JSON");
        let field = |name: &str| json["texture"][name].as_u64().expect("a number") as usize;
        let word = |at: usize| u32::from_le_bytes(files.texture[at..at + 4].try_into().expect("four bytes")) as usize;
        assert_eq!((word(20), word(24)), (field("width"), field("height")));
        let texels = word(80);
        let (slots, size) = (atlas.slot_count as usize, format.matrix_bytes());
        let texel = size / format.matrix_texels();
        for frame in 0..palettes.frame_count {
            for slot in 0..slots {
                let x = ((frame % field("framesPerRow")) * slots + slot) * field("texelsPerMatrix");
                let y = frame / field("framesPerRow");
                let at = texels + (y * field("width") + x) * texel;
                let stored = (frame * slots + slot) * size;
                assert_eq!(files.texture[at..at + size], atlas.bytes[stored..stored + size]);
            }
        }
        let morphs = &json["morphs"];
        let weights = morphs["weights"].as_array().expect("a list").iter();
        let weights: Vec<f32> = weights.map(|w| w.as_f64().expect("a number") as f32).collect();
        assert_eq!(
            (morphs["targetCount"].as_u64(), weights),
            (Some(1), atlas.morph_weights.clone())
        );
        assert_eq!(files.texture.len(), texels + field("width") * field("height") * texel);
        let character = gltf::load_bytes("still.glb", &files.character, None).expect("loads");
        assert!(character.clips.is_empty() && character.mesh.triangle_count() == 2);
        if let Some(out) = std::env::var_os("THRONG_BAKED_OUT") {
            let path = Path::new(&out).join(format!("small-{}.ktx2", format.name()));
            std::fs::write(&path, &files.texture).expect("written");
        }
    }
}

#[test]
fn newer_versions_are_refused_by_number() {
    let error = rejection("\"version\":2", "\"version\":7");
    assert!(error.contains("version 7") && error.contains("up to 2;"), "{error}");
}

/// Error of opening the small character with `from` in its JSON replaced by `to` of the same length.
fn rejection(from: &str, to: &str) -> String {
    assert_eq!(from.len(), to.len());
    let mut bytes = small();
    let at = bytes.windows(from.len()).position(|w| w == from.as_bytes());
    let at = at.expect("it is there");
    bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
    let error = file::open_bytes("edited.glb", &bytes, None).expect_err(to);
    error.to_string()
}

#[test]
fn clips_that_contradict_their_frames_are_refused() {
    // Clip "turn" has frames 0 to 10 at 10 Hz, clip "still" frame 11.
    for (from, to, clip) in [
        ("\"firstFrame\":11", "\"firstFrame\":10", "still"),
        ("\"firstFrame\":0", "\"firstFrame\":1", "turn"),
        ("\"duration\":1.0", "\"duration\":0.0", "turn"),
        ("\"rate\":10.0", "\"rate\":20.0", "turn"),
    ] {
        let error = rejection(from, to);
        assert!(error.contains(&format!("\"{clip}\"")), "{to}: {error}");
    }
}

#[test]
fn without_the_extension_it_is_an_ordinary_model() {
    let mut bytes = small();
    let name = b"THRONG_animation_atlas";
    while let Some(at) = bytes.windows(name.len()).position(|w| w == name) {
        bytes[at] = b'X';
    }
    let plain = gltf::load_bytes("plain.glb", &bytes, None).expect("loads");
    assert_eq!((plain.mesh.triangle_count(), plain.clips.len()), (2, 1));
    assert!(
        file::open_bytes("plain.glb", &bytes, None)
            .expect("opens")
            .atlas
            .is_none()
    );
}

#[test]
fn broken_baked_files_never_panic() {
    let bytes = small();
    for cut in 0..bytes.len() {
        assert!(
            file::open_bytes("cut.glb", &bytes[..cut], None).is_err(),
            "cut at {cut}"
        );
    }
}

mod flipped {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn bit_flips_never_panic(flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
            let mut bytes = small();
            for (at, value) in flips {
                let at = at.index(bytes.len());
                bytes[at] = value;
            }
            let _ = file::open_bytes("flipped", &bytes, None);
        }
    }
}

mod textures {
    use super::*;
    use proptest::{option, prelude::*};
    use throng::model::{Image, MATERIAL_VARIANTS, Material, TextureKind, TextureRef, TextureWrap, TintRegion};

    fn texture() -> impl Strategy<Value = Option<TextureRef>> {
        let wrap = || prop::sample::select(vec![TextureWrap::Repeat, TextureWrap::Mirror, TextureWrap::Clamp]);
        let parts = (0_u32..3, any::<bool>(), [wrap(), wrap()], any::<bool>());
        option::of(parts.prop_map(|(image, second, wrap, nearest)| TextureRef {
            image,
            second,
            wrap,
            nearest,
        }))
    }

    /// One region for all material variants, or one each.
    fn tints() -> impl Strategy<Value = [TintRegion; MATERIAL_VARIANTS]> {
        let all = vec![
            TintRegion::Skin,
            TintRegion::Hair,
            TintRegion::Cloth,
            TintRegion::Trim,
            TintRegion::None,
        ];
        let one = prop::sample::select(all[..4].to_vec()).prop_map(|region| [region; MATERIAL_VARIANTS]);
        prop_oneof![one, prop::array::uniform8(prop::sample::select(all))]
    }

    prop_compose! {
        fn material()(
            textures in (texture(), texture(), texture(), texture(), texture()),
            scale in -4.0_f32..4.0,
            factors in (0.0_f32..=1.0, 0.0_f32..=1.0, 0.0_f32..=1.0),
            emissive in 0.0_f32..=1.0,
            tints in tints(),
        ) -> Material {
            Material {
                base_color_texture: textures.0,
                normal_texture: textures.1,
                metallic_roughness_texture: textures.2,
                occlusion_texture: textures.3,
                emissive_texture: textures.4,
                // Without a texture, its factor has no place in a file.
                normal_scale: if textures.1.is_some() { scale } else { 1.0 },
                occlusion_strength: if textures.3.is_some() { factors.0 } else { 1.0 },
                metallic: factors.1,
                roughness: factors.2,
                emissive: glam::Vec3::splat(emissive),
                tints,
                ..Material::default()
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_texture_and_factor_comes_back(materials in (material(), material()), angles in prop::collection::vec(0.0_f32..6.3, 6)) {
            let mut model = small_model();
            model.materials = vec![materials.0, materials.1];
            let image = |i: u8| Image { name: format!("image {i}"), width: 2, height: 1, rgba: vec![i, 2, 3, 255, 5, 6, i, 255].into() };
            let used = |i: u32| model.materials.iter().flat_map(Material::textures).any(|(_, t)| t.image == i);
            // Unused images are not read back: keep only models that use all three, in order of use.
            prop_assume!((0..3).all(used));
            model.images = vec![image(0), image(1), image(2)];
            for (v, angle) in model.mesh.vertices.iter_mut().zip(angles) {
                v.tangent = glam::Vec4::new(angle.cos(), angle.sin(), 0.0, v.tangent.w);
            }
            let (_, atlas) = bake_model(&model, 5.0, AtlasFormat::F16);
            let back = file::open_bytes("back", &file::baked::to_bytes(&model, &atlas, None).expect("fits"), None).expect("opens").model;
            for (a, b) in model.materials.iter().zip(&back.materials) {
                let images = |m: &Material, of: &Model| -> Vec<(TextureKind, String, TextureRef)> {
                    let named = |(kind, t): (TextureKind, TextureRef)| {
                        (kind, of.images[t.image as usize].name.clone(), TextureRef { image: 0, ..t })
                    };
                    m.textures().map(named).collect()
                };
                prop_assert_eq!(images(a, &model), images(b, &back));
                let bare = |m: &Material| Material {
                    base_color_texture: None, normal_texture: None, metallic_roughness_texture: None,
                    occlusion_texture: None, emissive_texture: None, ..m.clone()
                };
                prop_assert_eq!(bare(a), bare(b));
            }
            for image in &model.images {
                prop_assert!(back.images.iter().any(|i| i == image));
            }
            prop_assert_eq!(&model.mesh.indices, &back.mesh.indices);
            for (a, b) in model.mesh.vertices.iter().zip(&back.mesh.vertices) {
                prop_assert_eq!((a.uv, a.uv1, a.normal), (b.uv, b.uv1, b.normal));
                prop_assert!(a.tangent.abs_diff_eq(b.tangent, 1e-6));
            }
        }
    }
}
