//! FBX, with files that the tests write: units and axes, skins, blend shapes, layers, materials, damaged files.

use glam::Vec3;
use throng::{
    bake::skinning,
    character::animate,
    file::{self, Animations, Source, fbx::ConvertedScene},
    model::{Bounds, Clip, Keys, Model},
};

use crate::common::fbx::{BOX, Cluster, Fbx, Space, box_corners};

/// Height of the person that the tests write (m).
const HEIGHT: f64 = 1.8;

/// A person of two boxes on two bones, in a unit of `unit` metres; with Z up if `z_up`.
struct Person {
    fbx: Fbx,
    hips: i64,
    chest: i64,
    mesh: i64,
    node: i64,
}

impl Person {
    fn new(unit: f64) -> Self {
        let mut fbx = Fbx::default();
        let size = |metres: f64| metres / unit;
        let hips = fbx.node(
            "mixamorig:Hips",
            "LimbNode",
            0,
            &[("Lcl Translation", [0.0, size(1.0), 0.0])],
        );
        let chest = fbx.node(
            "mixamorig:Spine",
            "LimbNode",
            hips,
            &[("Lcl Translation", [0.0, size(0.4), 0.0])],
        );
        let node = fbx.node("Body", "Mesh", 0, &[]);
        let mut vertices = box_corners([0.0; 3].map(size), [0.4, 1.0, 0.2].map(size));
        vertices.extend(box_corners([0.0, 1.0, 0.0].map(size), [0.4, 0.8, 0.2].map(size)));
        let upper = BOX.map(|quad| quad.map(|corner| corner + 8));
        let mesh = fbx.mesh(node, &vertices, &[BOX, upper].concat(), "");
        let low: Vec<i64> = (0..8).collect();
        let high: Vec<i64> = (8..16).collect();
        fbx.skin(
            mesh,
            &[
                cluster(hips, &low, &[1.0; 8], [0.0, size(1.0), 0.0]),
                cluster(chest, &high, &[1.0; 8], [0.0, size(1.4), 0.0]),
            ],
        );
        Self {
            fbx,
            hips,
            chest,
            mesh,
            node,
        }
    }

    fn bow(&mut self, stack: &str) {
        let layer = self.fbx.stack(stack, 1.0);
        let keys = [(0.0, 0.0), (1.0, 90.0)];
        self.fbx.curve(layer, self.chest, ("Lcl Rotation", "d|X"), &keys);
    }

    fn open(&self, name: &str, space: Space) -> Model {
        open(name, &self.fbx.finish(space))
    }
}

fn cluster<'a>(bone: i64, vertices: &'a [i64], weights: &'a [f64], at: [f64; 3]) -> Cluster<'a> {
    Cluster {
        bone,
        vertices,
        weights,
        at,
    }
}

fn open(name: &str, bytes: &[u8]) -> Model {
    file::open_bytes(name, bytes, None)
        .unwrap_or_else(|error| panic!("{error}"))
        .model
}

/// Bounds at a time of a clip (m).
fn bounds(model: &Model, clip: Option<&Clip>, time: f32) -> Bounds {
    let skinned = skinning::skin_exact(model, clip, time);
    Bounds::of(skinned.iter().map(|vertex| vertex.position))
}

fn near(a: Vec3, b: [f32; 3]) -> bool {
    a.distance(Vec3::from(b)) < 1e-3
}

#[test]
fn every_unit_gives_metres() {
    for (unit, space) in [(1.0, Space::Metres), (0.01, Space::Centimetres)] {
        let mut person = Person::new(unit);
        person.bow("bow");
        let model = person.open("hero.fbx", space);
        let rest = bounds(&model, None, 0.0);
        assert!(
            near(rest.min, [0.0; 3]) && near(rest.max, [0.4, HEIGHT as f32, 0.2]),
            "{rest:?}"
        );
        assert_eq!(model.skeleton.joints[0].name, "mixamorig:Hips");
        // The upper box has fallen to the front, around the joint at 1.4 m.
        let clip = &model.clips[0];
        assert_eq!((clip.name.as_str(), clip.duration), ("bow", 1.0));
        let bowed = bounds(&model, Some(clip), 1.0);
        assert!(
            near(bowed.max, [0.4, 1.4, 0.4]) && near(bowed.min, [0.0, 0.0, -0.4]),
            "{bowed:?}"
        );
    }
}

#[test]
fn z_up_files_stand_upright_and_face_the_front() {
    let mut fbx = Fbx::default();
    let node = fbx.node("Body", "Mesh", 0, &[]);
    // Left is +X, up +Z, the nose at -Y, in centimetres.
    fbx.mesh(node, &box_corners([0.0, -30.0, 0.0], [40.0, 30.0, 180.0]), &BOX, "");
    let rest = bounds(&open("max.fbx", &fbx.finish(Space::Max)), None, 0.0);
    assert!(near(rest.min, [0.0; 3]) && near(rest.max, [0.4, 1.8, 0.3]), "{rest:?}");
}

#[test]
fn geometric_transforms_move_the_mesh_alone() {
    let mut fbx = Fbx::default();
    let node = fbx.node(
        "Body",
        "Mesh",
        0,
        &[
            ("Lcl Translation", [1.0, 0.0, 0.0]),
            ("GeometricTranslation", [0.0, 2.0, 0.0]),
        ],
    );
    fbx.mesh(node, &box_corners([0.0; 3], [1.0; 3]), &BOX, "");
    let child = fbx.node("Hat", "Mesh", node, &[]);
    fbx.mesh(child, &box_corners([0.0; 3], [1.0, 1.0, 5.0]), &BOX, "");
    let rest = bounds(&open("box.fbx", &fbx.finish(Space::Metres)), None, 0.0);
    assert!(
        near(rest.min, [1.0, 0.0, 0.0]) && near(rest.max, [2.0, 3.0, 5.0]),
        "{rest:?}"
    );
}

#[test]
fn pivots_are_what_a_node_turns_around() {
    let mut fbx = Fbx::default();
    let node = fbx.node("Door", "Mesh", 0, &[("RotationPivot", [1.0, 0.0, 0.0])]);
    fbx.mesh(node, &box_corners([0.0; 3], [1.0; 3]), &BOX, "");
    let layer = fbx.stack("open", 1.0);
    fbx.curve(layer, node, ("Lcl Rotation", "d|Y"), &[(0.0, 0.0), (1.0, 90.0)]);
    let model = open("door.fbx", &fbx.finish(Space::Metres));
    let half = bounds(&model, Some(&model.clips[0]), 0.5);
    let corner = 0.5_f32.sqrt();
    assert!((half.max.x - (1.0 + corner)).abs() < 2e-3, "{half:?}");
    let opened = bounds(&model, Some(&model.clips[0]), 1.0);
    assert!(
        near(opened.min, [1.0, 0.0, 0.0]) && near(opened.max, [2.0, 1.0, 1.0]),
        "{opened:?}"
    );
    assert!(
        model.notes.iter().any(|note| note.contains("no skin")),
        "{:?}",
        model.notes
    );
}

#[test]
fn layers_are_flattened() {
    let mut person = Person::new(1.0);
    let stack = 1 + person.node.max(person.mesh).max(person.hips);
    let first = person.fbx.stack("both", 1.0);
    person.fbx.curve(
        first,
        person.hips,
        ("Lcl Translation", "d|X"),
        &[(0.0, 0.0), (1.0, 1.0)],
    );
    let second = person.fbx.layer(first - 1);
    person.fbx.curve(
        second,
        person.hips,
        ("Lcl Translation", "d|X"),
        &[(0.0, 0.0), (1.0, 0.5)],
    );
    assert!(first > stack, "the stack precedes its layer");
    let model = person.open("layers.fbx", Space::Metres);
    let end = bounds(&model, Some(&model.clips[0]), 1.0);
    assert!((end.min.x - 1.5).abs() < 1e-3, "additive layers add up: {end:?}");
}

#[test]
fn empty_stacks_are_left_out_and_nameless_clips_have_the_name_of_the_file() {
    let mut person = Person::new(0.01);
    person.fbx.stack("Take 001", 10.0);
    person.bow("mixamo.com");
    let model = person.open("Bowing.fbx", Space::Centimetres);
    let names: Vec<&str> = model.clips.iter().map(|clip| clip.name.as_str()).collect();
    assert_eq!(names, ["Bowing"]);
    assert!(
        model
            .notes
            .iter()
            .any(|note| note.contains("\"Take 001\" moves nothing")),
        "{:?}",
        model.notes
    );
}

#[test]
fn a_clip_ends_with_its_last_key() {
    let mut person = Person::new(1.0);
    let layer = person.fbx.stack("Armature|Armature|walk", 9.0);
    person
        .fbx
        .curve(layer, person.chest, ("Lcl Rotation", "d|X"), &[(0.0, 0.0), (0.5, 20.0)]);
    let model = person.open("walk.fbx", Space::Metres);
    assert_eq!((model.clips[0].name.as_str(), model.clips[0].duration), ("walk", 0.5));
}

#[test]
fn any_number_of_influences_is_read_and_their_loss_is_stated() {
    let mut fbx = Fbx::default();
    let node = fbx.node("Body", "Mesh", 0, &[]);
    let mesh = fbx.mesh(node, &box_corners([0.0; 3], [1.0; 3]), &BOX, "");
    let all: Vec<i64> = (0..8).collect();
    let bones: Vec<i64> = (0..9)
        .map(|n| fbx.node(&format!("bone{n}"), "LimbNode", 0, &[]))
        .collect();
    let weights: Vec<[f64; 8]> = (0..9).map(|n| [f64::from(9 - n) / 45.0; 8]).collect();
    let clusters: Vec<_> = bones
        .iter()
        .zip(&weights)
        .map(|(bone, w)| cluster(*bone, &all, w, [0.0; 3]))
        .collect();
    fbx.skin(mesh, &clusters);
    let model = open("nine.fbx", &fbx.finish(Space::Metres));
    // All nine are there for the bake, which decides between four and eight.
    assert_eq!(model.skeleton.slots.len(), 9);
    assert_eq!(model.reduced.len(), model.mesh.vertices.len(), "{:?}", model.notes);
}

#[test]
fn vertices_without_weights_follow_their_own_node() {
    let mut fbx = Fbx::default();
    let bone = fbx.node("bone", "LimbNode", 0, &[]);
    let node = fbx.node("Body", "Mesh", 0, &[("Lcl Translation", [0.0, 5.0, 0.0])]);
    let mesh = fbx.mesh(node, &box_corners([0.0; 3], [1.0; 3]), &BOX, "");
    fbx.skin(mesh, &[cluster(bone, &[0, 1, 2, 3], &[1.0; 4], [0.0; 3])]);
    let rest = bounds(&open("half.fbx", &fbx.finish(Space::Metres)), None, 0.0);
    assert!((rest.max.y - 6.0).abs() < 1e-3, "{rest:?}");
}

#[test]
fn blend_shapes_move_with_their_curves() {
    let mut fbx = Fbx::default();
    let node = fbx.node("Head", "Mesh", 0, &[]);
    let mesh = fbx.mesh(node, &box_corners([0.0; 3], [1.0; 3]), &BOX, "");
    let up = [
        (2, [0.0, 1.0, 0.0]),
        (3, [0.0, 1.0, 0.0]),
        (6, [0.0, 1.0, 0.0]),
        (7, [0.0, 1.0, 0.0]),
    ];
    let channel = fbx.blend_shape(mesh, "stretch", &up);
    fbx.blend_shape(mesh, "unused", &up);
    let layer = fbx.stack("talk", 1.0);
    fbx.curve(
        layer,
        channel,
        ("DeformPercent", "d|DeformPercent"),
        &[(0.0, 0.0), (1.0, 50.0)],
    );
    let model = open("head.fbx", &fbx.finish(Space::Metres));
    let names: Vec<&str> = model.morphs.iter().map(|morph| morph.name.as_str()).collect();
    assert_eq!(names, ["stretch"]);
    let end = bounds(&model, Some(&model.clips[0]), 1.0);
    assert!((end.max.y - 1.5).abs() < 1e-3, "{end:?}");
}

#[test]
fn materials_have_colour_opacity_and_textures_of_foreign_paths() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("textures")).expect("a folder");
    let red = image::RgbaImage::from_pixel(2, 2, image::Rgba([255, 0, 0, 255]));
    red.save(folder.path().join("textures/skin.png")).expect("written");
    let mut fbx = Fbx::default();
    let node = fbx.node("Body", "Mesh", 0, &[]);
    let uvs = "LayerElementUV: 0 {\nVersion: 101\nName: \"map\"\nMappingInformationType: \"ByVertice\"\n\
               ReferenceInformationType: \"Direct\"\nUV: *16 { a: 0,0,1,0,0,1,1,1,0,0,1,0,0,1,1,1 }\n}\n\
               LayerElementMaterial: 0 {\nVersion: 101\nName: \"\"\nMappingInformationType: \"AllSame\"\n\
               ReferenceInformationType: \"IndexToDirect\"\nMaterials: *1 { a: 0 }\n}\nLayer: 0 {\nVersion: 100\n\
               LayerElement: {\nType: \"LayerElementUV\"\nTypedIndex: 0\n}\nLayerElement: {\nType: \
               \"LayerElementMaterial\"\nTypedIndex: 0\n}\n}";
    fbx.mesh(node, &box_corners([0.0; 3], [1.0; 3]), &BOX, uvs);
    let body = "Version: 102\nShadingModel: \"lambert\"\nProperties70: {\nP: \"DiffuseColor\", \"Color\", \"\", \
                \"A\",0.2,0.4,0.6\nP: \"TransparencyFactor\", \"Number\", \"\", \"A\",0.25\n}";
    let material = fbx.object("Material", "skin", "", body);
    fbx.connect(material, node);
    let plain = open("plain.fbx", &fbx.finish(Space::Metres));
    assert_eq!(plain.materials[0].name, "skin");
    assert!(
        plain.materials[0]
            .base_color
            .abs_diff_eq(glam::Vec4::new(0.2, 0.4, 0.6, 0.75), 1e-4)
    );
    // A material without a texture shows the image of its name beside the model.
    let unnamed = folder.path().join("unnamed.fbx");
    std::fs::write(&unnamed, fbx.finish(Space::Metres)).expect("written");
    let unnamed = file::open(&unnamed).expect("opens").model;
    assert_eq!(unnamed.images[0].rgba[..4], [255, 0, 0, 255]);
    assert_eq!(unnamed.materials[0].base_color, glam::Vec4::new(1.0, 1.0, 1.0, 0.75));
    let said = |note: &String| note.contains("\"skin\": it names no texture: \"textures/skin.png\"");
    assert!(unnamed.notes.iter().any(said), "{:?}", unnamed.notes);
    let texture = fbx.object(
        "Texture",
        "map",
        "",
        "Type: \"TextureVideoClip\"\nVersion: 202\nFileName: \"C:\\work\\skin.psd\"\nRelativeFilename: \
         \"..\\..\\work\\skin.psd\"",
    );
    fbx.connect_property(texture, material, "DiffuseColor");
    let path = folder.path().join("hero.fbx");
    std::fs::write(&path, fbx.finish(Space::Metres)).expect("written");
    let model = file::open(&path).expect("opens").model;
    assert!(model.materials[0].base_color_texture.is_some(), "{:?}", model.notes);
    assert_eq!(model.images[0].rgba[..4], [255, 0, 0, 255]);
    let without = open("hero.fbx", &fbx.finish(Space::Metres));
    assert!(
        without
            .notes
            .iter()
            .any(|n| n.contains("\"skin.psd\" is not in the file")),
        "{:?}",
        without.notes
    );
}

#[test]
fn files_of_clips_alone_are_libraries() {
    let mut motion = Fbx::default();
    let hips = motion.node(
        "mixamorig:Hips",
        "LimbNode",
        0,
        &[("Lcl Translation", [0.0, 200.0, 0.0])],
    );
    let chest = motion.node(
        "mixamorig:Spine",
        "LimbNode",
        hips,
        &[("Lcl Translation", [0.0, 80.0, 0.0])],
    );
    let layer = motion.stack("mixamo.com", 1.0);
    motion.curve(layer, chest, ("Lcl Rotation", "d|X"), &[(0.0, 0.0), (1.0, 90.0)]);
    motion.curve(layer, hips, ("Lcl Translation", "d|Y"), &[(0.0, 200.0), (1.0, 100.0)]);
    let bytes = motion.finish(Space::Centimetres);
    let contents = file::importer_of(&bytes).contents(&bytes).expect("sound");
    assert!(contents.clips && !contents.meshes);
    let refused = file::open_bytes("Bow.fbx", &bytes, None)
        .expect_err("no meshes")
        .to_string();
    assert!(refused.contains("--animations"), "{refused}");
    let library = file::open_library_bytes("Bow.fbx", &bytes, None).expect("opens");
    assert_eq!(library.clips[0].name, "Bow");
    let animations = Animations {
        libraries: vec![library],
        ..Animations::default()
    };
    let mut opened =
        file::open_bytes("hero.fbx", &Person::new(0.01).fbx.finish(Space::Centimetres), None).expect("opens");
    animate(&mut opened, &animations).expect("joints match");
    let model = opened.model;
    // The library is twice as tall: its hips sink by half of that.
    let end = bounds(&model, Some(&model.clips[0]), 1.0);
    assert!((end.min.y + 0.5).abs() < 1e-2, "{end:?}");
    let turned = model.clips[0]
        .channels
        .iter()
        .filter(|c| matches!(c.keys, Keys::Rotation(_)));
    assert_eq!(turned.count(), 1);
}

#[test]
fn a_converted_file_opens_as_the_file_itself() {
    let mut person = Person::new(0.01);
    person.bow("bow");
    let smile = person.fbx.blend_shape(person.mesh, "smile", &[(3, [0.0, 5.0, 0.0])]);
    let layer = person.fbx.stack("smile", 1.0);
    person.fbx.curve(
        layer,
        smile,
        ("DeformPercent", "d|DeformPercent"),
        &[(0.0, 0.0), (1.0, 100.0)],
    );
    let bytes = person.fbx.finish(Space::Centimetres);
    let source = Source {
        name: "hero.fbx",
        bytes: &bytes,
        base: None,
    };
    let converted = ConvertedScene::read(&source).expect("converts");
    let (expected, found) = (open("hero.fbx", &bytes), open("hero.fbx", &converted.glb));
    assert_eq!((found.clips.len(), found.morphs.len()), (2, 1));
    assert_eq!(format!("{found:?}"), format!("{expected:?}"));
}

#[test]
fn damaged_files_say_so_in_one_line() {
    let bytes = Person::new(1.0).fbx.finish(Space::Metres);
    for broken in [
        &bytes[..60],
        &bytes[..bytes.len() / 2],
        b"Kaydara FBX Binary  \0\x1a\0\xe8\x1c\0\0garbage",
    ] {
        let error = file::open_bytes("hero.fbx", broken, None)
            .expect_err("broken")
            .to_string();
        assert!(error.starts_with("hero.fbx: ") && !error.contains('\n'), "{error}");
    }
}
