//! Constants of both shaders and Rust have equal values; the others are marked as `shader only`.

use std::collections::BTreeMap;

use throng::{
    bake::WHOLE,
    crowd::{
        actors::rows,
        paths,
        schedule::{self, streams, travel},
        tints::RAMP_LEN,
        trajectory, wrap,
    },
    gpu::shader,
    model::{PackedInfluences, PackedSurface, PackedVertex},
    render::{
        self, heights,
        passes::{
            self, draw_lists,
            raster::{self, edges, meshlets, vertex_cache},
            triangle_cull,
        },
        resources::{layout, pose_cache, pose_lods, pose_steps},
    },
};
use wgpu::naga;

/// Comment of constants that Rust does not need.
const SHADER_ONLY: &str = "; // shader only";

/// Constant of a shader file.
#[derive(Debug, PartialEq)]
struct Constant {
    /// Value of a `u32`, bits of an `f32`.
    value: Option<u32>,
    /// True if it is marked by [`SHADER_ONLY`].
    shader_only: bool,
}

/// Constants of a shader file by name. A constant under a condition is named `NAME if condition`.
fn constants(path: &str, source: &str) -> BTreeMap<String, Constant> {
    let (mut names, mut marks) = (Vec::new(), Vec::new());
    let mut text = String::new();
    for line in source.lines() {
        let (condition, line) = match line.strip_prefix("@if(").and_then(|rest| rest.split_once(") const ")) {
            Some((condition, rest)) => (format!(" if {condition}"), format!("const {rest}")),
            None => (String::new(), line.to_owned()),
        };
        let Some((name, value)) = line.strip_prefix("const ").and_then(|rest| rest.split_once(" = ")) else {
            continue;
        };
        let number = names.len();
        // A name under conditions occurs twice.
        if condition.is_empty() {
            text += &format!("const {name} = {value}\n");
        }
        text += &format!("const value_{number} = {value}\n");
        names.push(format!("{name}{condition}"));
        marks.push(value.contains(SHADER_ONLY));
    }
    let module = naga::front::wgsl::parse_str(&text).unwrap_or_else(|e| panic!("{path}: {}", e.emit_to_string(&text)));
    let value = |number: usize| {
        let wanted = format!("value_{number}");
        let mut constants = module.constants.iter();
        let (_, constant) = constants.find(|(_, c)| c.name.as_deref() == Some(&wanted))?;
        match module.global_expressions[constant.init] {
            naga::Expression::Literal(naga::Literal::U32(value)) => Some(value),
            naga::Expression::Literal(naga::Literal::F32(value)) => Some(value.to_bits()),
            _ => None,
        }
    };
    let constant = |(number, shader_only)| Constant {
        value: value(number),
        shader_only,
    };
    names
        .into_iter()
        .zip(marks.into_iter().enumerate().map(constant))
        .collect()
}

/// Constants that Rust has, too, by shader file.
fn shared() -> Vec<(&'static str, &'static str, u32)> {
    let mut all = Vec::new();
    let mut of = |file: &'static str, rows: &[(&'static str, u32)]| {
        all.extend(rows.iter().map(|&(name, value)| (file, name, value)));
    };
    of(
        "shared/person_schedule",
        &[
            ("MAX_STEPS", schedule::MAX_STEPS),
            ("SHORTEST_BLOCK", schedule::SHORTEST_BLOCK),
            ("LONGEST_BLOCK", schedule::LONGEST_BLOCK),
            ("STREAM_LENGTH", streams::STREAM_LENGTH),
            ("STREAM_SHIFT", streams::STREAM_SHIFT),
            ("STREAM_BLOCK", streams::STREAM_BLOCK),
            ("STREAM_HOME", streams::STREAM_HOME),
            ("STREAM_DWELL", streams::STREAM_DWELL),
            ("STREAM_NEXT", streams::STREAM_NEXT),
            ("STREAM_SPEED", streams::STREAM_SPEED),
            ("STREAM_PHASE", streams::STREAM_PHASE),
            ("STREAM_OWN", streams::STREAM_OWN),
        ],
    );
    of(
        "shared/tables",
        &[
            ("FLAG_SHARED", schedule::FLAG_SHARED),
            ("FLAG_WAVE", schedule::FLAG_WAVE),
            ("FLAG_TRAVELS", schedule::FLAG_TRAVELS),
            ("FLAG_OWN_PATHS", schedule::FLAG_OWN_PATHS),
            ("MARCHES", schedule::MARCHES),
            ("FLAG_WRAP_MASK", schedule::FLAG_WRAP_MASK),
            ("FLAG_REVERSED", schedule::FLAG_REVERSED),
        ],
    );
    of(
        "shared/vertex_cache",
        &[
            ("PLACE_BITS", vertex_cache::PLACE_BITS),
            ("PLACE_MASK", vertex_cache::PLACE_MASK),
        ],
    );
    of("shared/travel", &[("HALF_ROUND", travel::HALF_ROUND)]);
    of(
        "shared/wrap",
        &[
            ("WRAP_LOOP", wrap::WRAP_LOOP),
            ("WRAP_ONCE", wrap::WRAP_ONCE),
            ("WRAP_PING_PONG", wrap::WRAP_PING_PONG),
            ("WRAP_CLAMP", wrap::WRAP_CLAMP),
        ],
    );
    of(
        "shared/paths",
        &[
            ("PATH_CIRCLE", paths::PATH_CIRCLE),
            ("PATH_WAYPOINTS", paths::PATH_WAYPOINTS),
        ],
    );
    of(
        "shared/trajectory",
        &[
            ("PATH_TRAJECTORY", paths::PATH_TRAJECTORY),
            ("FIRST_IS_TIMED", trajectory::FIRST_IS_TIMED),
            ("SECOND_IS_TIMED", trajectory::SECOND_IS_TIMED),
            ("IS_GAP", trajectory::IS_GAP),
            ("SHADE_SHIFT", trajectory::SHADE_SHIFT),
            ("SHADE_MASK", trajectory::SHADE_MASK),
        ],
    );
    of(
        "shared/paving",
        &[
            ("GROUND_PLAZA", render::GROUND_PLAZA),
            ("GROUND_GRASS", render::GROUND_GRASS),
            ("GROUND_GRID", render::GROUND_GRID),
            ("GROUND_STUDIO", render::GROUND_STUDIO),
            ("GROUND_PITCH", render::GROUND_PITCH),
        ],
    );
    of(
        "shared/aov",
        &[
            ("ID_ATTACHMENT", render::passes::ID_ATTACHMENT),
            ("ID_SCENERY", render::passes::ID_SCENERY),
            ("EVERYBODY", render::passes::EVERYBODY),
        ],
    );
    of("shared/amodal", &[("NO_MASK", render::crowd::NO_MASK)]);
    of(
        "shared/surface",
        &[
            ("MAP_LAYER_MASK", layout::MAP_LAYER_MASK),
            ("MAP_NONE", layout::MAP_NONE),
            ("MAP_SECOND_UV", layout::MAP_SECOND_UV),
            ("MAP_WRAP_U_SHIFT", layout::MAP_WRAP_U_SHIFT),
            ("MAP_WRAP_V_SHIFT", layout::MAP_WRAP_V_SHIFT),
            ("MAP_WRAP_MASK", layout::MAP_WRAP_MASK),
            ("MAP_NEAREST", layout::MAP_NEAREST),
            ("TEXTURE_REPEAT", layout::TEXTURE_REPEAT),
            ("TEXTURE_MIRROR", layout::TEXTURE_MIRROR),
            ("TEXTURE_CLAMP", layout::TEXTURE_CLAMP),
            ("TINT_NONE", layout::TINT_NONE),
            ("TINT_SKIN", layout::TINT_SKIN),
            ("TINT_CLOTH", layout::TINT_CLOTH),
            ("TINT_TRIM", layout::TINT_TRIM),
            ("TINT_WHOLE", layout::TINT_WHOLE),
            ("TINT_RAMP_COLORS", RAMP_LEN as u32),
        ],
    );
    of(
        "shared/atlas",
        &[
            ("MATRICES_PER_ROW_BITS", layout::MATRICES_PER_ROW.ilog2()),
            ("ROWS_PER_LAYER_BITS", layout::ROWS_PER_LAYER.ilog2()),
        ],
    );
    of(
        "shared/baked_vertex",
        &[
            ("TEXELS_PER_ROW_BITS", layout::VERTICES_PER_ROW.ilog2()),
            ("BAKED_ROWS_PER_LAYER_BITS", layout::ROWS_PER_LAYER.ilog2()),
        ],
    );
    of(
        "shared/draw_lists",
        &[
            ("DRAW_LIST_BLOCK", draw_lists::DRAW_LIST_BLOCK),
            ("DRAW_LIST_LODS", draw_lists::DRAW_LIST_LODS),
            ("DRAW_LISTS", draw_lists::DRAW_LISTS),
            ("FAR_DRAW_LISTS", draw_lists::FAR_DRAW_LISTS),
            ("ARGUMENT_WORDS", draw_lists::ARGUMENT_WORDS),
            ("DRAW_LIST_CARRIED", draw_lists::DRAW_LIST_CARRIED),
            ("DRAW_LIST_SUN", draw_lists::DRAW_LIST_SUN),
            ("DRAW_LIST_NEAR", draw_lists::DRAW_LIST_NEAR),
            ("DRAW_LIST_ACTORS", draw_lists::DRAW_LIST_ACTORS),
        ],
    );
    of(
        "shared/actor_rows",
        &[
            ("ACTOR_ALIVE", rows::ACTOR_ALIVE),
            ("MOST_PLAYBACKS", rows::MOST_PLAYBACKS as u32),
            ("FADE_UNIT", rows::FADE_UNIT),
            ("PLAYS_ONCE", rows::PLAYS_ONCE),
        ],
    );
    of(
        "shared/actor_state",
        &[
            ("FARTHEST_BITS", rows::FARTHEST.to_bits()),
            ("LARGEST_YAW_BITS", rows::LARGEST_YAW.to_bits()),
            ("TURN", std::f32::consts::TAU.to_bits()),
        ],
    );
    of(
        "shared/listed",
        &[
            ("ID_LOD_SHIFT", render::crowd::ID_LOD_SHIFT),
            ("ID_MASK", render::crowd::ID_MASK),
        ],
    );
    of(
        "shared/raster",
        &[
            ("MOST_TRIANGLES", raster::MOST_TRIANGLES),
            ("MESHLET_VERTICES", meshlets::MESHLET_VERTICES),
            ("MESHLET_TRIANGLES", meshlets::MESHLET_TRIANGLES),
            ("ROW_OF_GROUPS", raster::ROW_OF_GROUPS),
            ("TILE", raster::tiles::TILE),
            ("TILE_ROW", raster::tiles::TILE_ROW),
        ],
    );
    of(
        "scatter_rows",
        &[
            ("PACKET_HEAD", passes::PACKET_HEAD),
            ("PACKET_SHARED", passes::PACKET_SHARED),
        ],
    );
    of("slots", &[("DISPATCH_WORDS", raster::DISPATCH_WORDS)]);
    of("tiles", &[("MOST_DRAWS", raster::tiles::MOST_DRAWS)]);
    let pixels = raster::tiles::TILE * raster::tiles::TILE;
    of(
        "shade_visibility",
        &[
            ("PIXELS", pixels),
            ("PIXEL_BITS", pixels.ilog2()),
            ("SAMPLE_BITS", 4),
            ("MOST_HITS if multisampled", 4 * pixels),
            ("MOST_HITS if !multisampled", pixels),
        ],
    );
    of(
        "shared/large_triangles",
        &[("MOST_SPREAD", raster::large_triangles::MOST_SPREAD)],
    );
    of(
        "shared/edges",
        &[
            ("SUBPIXEL_BITS", edges::SUBPIXEL_BITS),
            ("SUBPIXELS", edges::SUBPIXELS),
            ("FARTHEST_PIXEL", edges::FARTHEST_PIXEL),
        ],
    );
    of(
        "shared/crowd_shadow",
        &[("CROWD_SHADOW_CELLS", render::passes::CROWD_SHADOW_CELLS)],
    );
    of(
        "shared/pyramid",
        &[("PYRAMID_LEVELS", draw_lists::PYRAMID_LEVELS as u32)],
    );
    of(
        "shared/frame",
        &[
            ("CULL_OUTSIDE", render::CULL_OUTSIDE),
            ("CULL_HIDDEN", render::CULL_HIDDEN),
            ("SHOW_LODS", render::SHOW_LODS),
            ("DRAW_SPLATS", render::DRAW_SPLATS),
            ("FREEZE_CULLING", render::FREEZE_CULLING),
            ("SHADOWS_IN_WORDS", render::SHADOWS_IN_WORDS),
        ],
    );
    of(
        "shared/heights",
        &[
            ("HEIGHT_BANDS", heights::HEIGHT_BANDS),
            ("LEAST_BAND", heights::LEAST_BAND),
            ("BANDS_OF_CHANNEL", heights::BANDS_OF_CHANNEL),
        ],
    );
    let loads = |bytes: usize| (bytes / 16) as u32;
    of(
        "shared/pose_steps",
        &[
            ("STEP_WHOLE", (WHOLE as f32).to_bits()),
            ("RATE_LODS", pose_steps::RATE_LODS),
            ("MOST_ROWS_OFF", pose_steps::MOST_ROWS_OFF.to_bits()),
            ("COUNT_RUNNING", pose_cache::COUNT_RUNNING),
            ("COUNT_ASKED", pose_cache::COUNT_ASKED),
            ("COUNT_SKINNED", pose_cache::COUNT_SKINNED),
            ("COUNT_ROWS", pose_cache::COUNT_ROWS),
            ("COUNT_DISPATCH", pose_cache::COUNT_DISPATCH),
            ("POSE_LODS", pose_lods::POSE_LODS as u32),
        ],
    );
    let [without, with] = pose_cache::POSED_VERTEX_BYTES.map(|bytes| loads(bytes as usize));
    of(
        "shared/posed_vertex",
        &[
            ("POSED_LOADS if !normal_mapped", without),
            ("POSED_LOADS if normal_mapped", with),
        ],
    );
    of(
        "shared/packed",
        &[
            (
                "VERTEX_LOADS if !extended_vertex && !eight_influences",
                loads(size_of::<PackedVertex>()),
            ),
            (
                "VERTEX_LOADS if !extended_vertex && eight_influences",
                loads(size_of::<PackedVertex>() + size_of::<PackedInfluences>()),
            ),
            (
                "VERTEX_LOADS if extended_vertex && !eight_influences",
                loads(size_of::<PackedVertex>() + size_of::<PackedSurface>()),
            ),
            (
                "VERTEX_LOADS if extended_vertex && eight_influences",
                loads(size_of::<PackedVertex>() + size_of::<PackedSurface>() + size_of::<PackedInfluences>()),
            ),
        ],
    );
    of(
        "shared/triangle_cull",
        &[
            ("MASK_WORDS", triangle_cull::MASK_WORDS),
            ("TRIANGLE_CULL_BLOCK", triangle_cull::TRIANGLE_CULL_BLOCK),
        ],
    );
    of(
        "shared/skinning",
        &[
            ("MORPH_HEADER_WORDS", layout::MORPH_HEADER_WORDS as u32),
            ("DELTA_WORDS if !normal_mapped", layout::DELTA_WORDS as u32),
            ("DELTA_WORDS if normal_mapped", layout::DELTA_WORDS_WITH_TANGENTS as u32),
        ],
    );
    of(
        "shared/cover",
        &[
            ("CONSTANT_BIAS", (passes::CONSTANT_BIAS as f32).to_bits()),
            ("SLOPE_BIAS", passes::SLOPE_BIAS.to_bits()),
        ],
    );
    all
}

#[test]
fn constants_are_those_of_rust() {
    let mut left = BTreeMap::new();
    for (path, source) in shader::SOURCES {
        for (name, constant) in constants(path, source) {
            left.insert((*path, name), constant);
        }
    }
    assert!(left.len() > 50, "{} constants", left.len());
    for (file, name, value) in shared() {
        let found = left.remove(&(file, name.to_owned()));
        let expected = Constant {
            value: Some(value),
            shader_only: false,
        };
        assert_eq!(found, Some(expected), "{file}: {name}");
    }
    left.retain(|_, constant| !constant.shader_only);
    assert!(left.is_empty(), "neither shared nor marked as shader only: {left:?}");
}

#[test]
fn constants_are_read_as_the_compiler_reads_them() {
    let source = "const A = 3u; // shader only: a test\n@if(x) const B = 1u << 4u;\n@if(!x) const B = A | 4u; // shader only\n\
                  const C = 2.5f; // in Rust, too\nconst D = true;\nfn f() {}\n";
    let found: Vec<_> = constants("test", source).into_iter().collect();
    let expected = [
        ("A", Some(3), true),
        ("B if !x", Some(7), true),
        ("B if x", Some(16), false),
        ("C", Some(2.5_f32.to_bits()), false),
        ("D", None, false),
    ];
    let expected = expected.map(|(name, value, shader_only)| (name.to_owned(), Constant { value, shader_only }));
    assert_eq!(found, expected);
}
