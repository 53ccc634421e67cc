//! Characters of the sources that docs/characters.md names: its commands, word for word, with files as they name them.

use serde_json::{Value, json};

use super::{succeed, temporary};
use crate::common::{
    fbx::{BOX, Cluster, Fbx, Space, box_corners},
    glb,
};

/// Commands of the document, and the clips that the character then has.
const COMMANDS: [(&str, &[&str]); 5] = [
    (
        "throng view Hero.fbx --animations Walking.fbx --animations Idle.fbx",
        &["Walking", "Idle"],
    ),
    ("throng view Avatar.vrm --animations Walking.fbx", &["Walking"]),
    ("throng view Bee.fbx", &["Flying"]),
    (
        "throng view characterMedium.fbx --animations idle.fbx --animations run.fbx",
        &["idle", "run"],
    ),
    ("throng view avatar.glb --animations F_Walk_001.fbx", &["F_Walk_001"]),
];

/// Joints by Mixamo's names, the one above, the offset from it (cm), and the name in our own characters.
const JOINTS: [(&str, Option<usize>, [f64; 3], &str); 8] = [
    ("Hips", None, [0.0, 100.0, 0.0], "hips"),
    ("Spine", Some(0), [0.0, 20.0, 0.0], "spine"),
    ("LeftUpLeg", Some(0), [10.0, -5.0, 0.0], "thigh_l"),
    ("LeftLeg", Some(2), [0.0, -45.0, 0.0], "shin_l"),
    ("LeftFoot", Some(3), [0.0, -40.0, 0.0], "foot_l"),
    ("RightUpLeg", Some(0), [-10.0, -5.0, 0.0], "thigh_r"),
    ("RightLeg", Some(5), [0.0, -45.0, 0.0], "shin_r"),
    ("RightFoot", Some(6), [0.0, -40.0, 0.0], "foot_r"),
];

/// A skeleton that bows in stacks of these names, after an empty one; with a body of one material if `skin`.
fn fbx(prefix: &str, skin: bool, stacks: &[&str]) -> Vec<u8> {
    let mut fbx = Fbx::default();
    let mut joints = Vec::new();
    for (name, above, offset, _) in JOINTS {
        let above = above.map_or(0, |above| joints[above]);
        let place = [("Lcl Translation", offset)];
        joints.push(fbx.node(&format!("{prefix}{name}"), "LimbNode", above, &place));
    }
    if skin {
        let node = fbx.node("Body", "Mesh", 0, &[]);
        let uvs = "LayerElementUV: 0 {\nVersion: 101\nName: \"map\"\nMappingInformationType: \"ByVertice\"\n\
                   ReferenceInformationType: \"Direct\"\nUV: *16 { a: 0,0,1,0,0,1,1,1,0,0,1,0,0,1,1,1 }\n}\nLayer: 0 {\n\
                   Version: 100\nLayerElement: {\nType: \"LayerElementUV\"\nTypedIndex: 0\n}\n}";
        let corners = box_corners([-20.0, 0.0, -10.0], [40.0, 180.0, 20.0]);
        let mesh = fbx.mesh(node, &corners, &BOX, uvs);
        let all: Vec<i64> = (0..8).collect();
        let cluster = Cluster {
            bone: joints[1],
            vertices: &all,
            weights: &[1.0; 8],
            at: [0.0, 120.0, 0.0],
        };
        fbx.skin(mesh, &[cluster]);
        let material = fbx.object("Material", "skin", "", "Version: 102\nShadingModel: \"lambert\"");
        fbx.connect(material, node);
    }
    if !stacks.is_empty() {
        fbx.stack("Take 001", 1.0);
    }
    for stack in stacks {
        let layer = fbx.stack(stack, 1.0);
        let keys = [(0.0, 0.0), (1.0, 30.0)];
        fbx.curve(layer, joints[1], ("Lcl Rotation", "d|X"), &keys);
    }
    fbx.finish(Space::Centimetres)
}

/// An embedded character without clips, changed.
fn body(change: impl Fn(&mut Value)) -> Vec<u8> {
    let bytes = throng::scene::embedded::embedded("man").expect("embedded");
    glb::edited(bytes, |json| {
        let object = json.as_object_mut().expect("an object");
        for key in ["animations", "extensions", "extensionsUsed"] {
            object.remove(key);
        }
        change(json);
    })
}

fn node_of(json: &Value, name: &str) -> usize {
    let nodes = json["nodes"].as_array().expect("nodes");
    nodes.iter().position(|node| node["name"] == name).expect("a joint")
}

/// VRM 1.0 that names its bones.
fn vrm() -> Vec<u8> {
    body(|json| {
        let bones = [
            "hips",
            "spine",
            "leftUpperLeg",
            "leftLowerLeg",
            "leftFoot",
            "rightUpperLeg",
            "rightLowerLeg",
            "rightFoot",
        ];
        let pairs = bones.iter().zip(JOINTS);
        let map: serde_json::Map<String, Value> = pairs
            .map(|(bone, joint)| ((*bone).to_owned(), json!({"node": node_of(json, joint.3)})))
            .collect();
        json["extensionsUsed"] = json!(["VRMC_vrm"]);
        json["extensions"] = json!({"VRMC_vrm": {"specVersion": "1.0", "humanoid": {"humanBones": map}}});
    })
}

/// GLB whose joints have Mixamo's names without a prefix.
fn ready_player_me() -> Vec<u8> {
    body(|json| {
        for (name, _, _, own) in JOINTS {
            let node = node_of(json, own);
            json["nodes"][node]["name"] = json!(name);
        }
    })
}

#[test]
fn commands_of_the_document_draw_characters_with_their_clips() {
    let document = include_str!("../../../docs/characters.md");
    let mut stated: Vec<&str> = document
        .split('`')
        .filter(|text| text.starts_with("throng view "))
        .collect();
    stated.retain(|command| COMMANDS.iter().any(|(own, _)| own == command));
    assert_eq!(
        stated,
        COMMANDS.map(|(command, _)| command),
        "commands of docs/characters.md"
    );
    let folder = temporary();
    let folder = folder.path();
    for (name, bytes) in [
        ("Hero.fbx", fbx("mixamorig:", true, &[])),
        ("Walking.fbx", fbx("mixamorig:", false, &["mixamo.com"])),
        ("Idle.fbx", fbx("mixamorig:", false, &["mixamo.com"])),
        ("Avatar.vrm", vrm()),
        ("Bee.fbx", fbx("", true, &["Armature|Flying"])),
        ("characterMedium.fbx", fbx("", true, &[])),
        ("idle.fbx", fbx("", false, &["Take 001"])),
        ("run.fbx", fbx("", false, &["Take 001"])),
        ("avatar.glb", ready_player_me()),
        ("F_Walk_001.fbx", fbx("", false, &["Unreal Take"])),
    ] {
        std::fs::write(folder.join(name), bytes).expect("written");
    }
    let red = image::RgbaImage::from_pixel(2, 2, image::Rgba([255, 0, 0, 255]));
    red.save(folder.join("skin.png")).expect("written");
    for (command, clips) in COMMANDS {
        let files = command.strip_prefix("throng view ").expect("a command").split(' ');
        let arguments: Vec<&str> = ["info", "--json=1", "--samples", "0"]
            .into_iter()
            .chain(files)
            .collect();
        let info: Value = serde_json::from_str(&succeed(folder, &arguments)).expect("JSON");
        let found: Vec<&str> = info["clips"]
            .as_array()
            .expect("clips")
            .iter()
            .filter_map(|clip| clip["name"].as_str())
            .collect();
        assert_eq!(found, clips, "{command}");
    }
}
