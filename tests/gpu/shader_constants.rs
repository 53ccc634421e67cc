//! Constants of both shaders and Rust have equal values.

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

/// Values of the `u32` constants of a shader file by name, and bits of the `f32` ones. A constant under a condition is
/// named `NAME if condition`.
fn constants(path: &str, source: &str) -> BTreeMap<String, Option<u32>> {
    let mut names = Vec::new();
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
    let values: Vec<_> = (0..names.len()).map(value).collect();
    names.into_iter().zip(values).collect()
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

/// Constants that only shaders need.
const OF_SHADERS_ALONE: &[(&str, &[&str])] = &[
    // The whole cycle in floating point; tests/gpu/frame_times.rs compares its results with the CPU.
    ("animate", &["WHOLE"]),
    // With another row length than the CPU's, every vertex read back would be a different one.
    ("fetched_probe", &["ROW"]),
    ("shadow", &["BLEND_CUTOFF"]),
    // tests/gpu/culling.rs compares the results of these with the CPU.
    ("shared/draw_lists", &["NO_DRAW_LIST"]),
    ("shared/visible", &["ENDLESS_ROWS", "SWITCH_SPREAD"]),
    ("select", &["ROWS_PER_SHADOW_TEXEL"]),
    ("occlusion_cull", &["SNAP"]),
    ("background_compute", &["ENDLESS_PIXEL"]),
    ("shared/ground_point", &["FARTHEST_TIMES", "NO_GROUND"]),
    (
        "rasterise",
        &[
            "LARGE",
            "MOST_LISTED if !crosses",
            "MOST_LISTED if crosses",
            "NOWHERE_NEAR",
            "PART_BITS",
            "THREADS if !wide",
            "THREADS if wide",
            "TEAM",
            "TEAM_COLUMNS",
            "TEAM_ROWS",
        ],
    ),
    ("shared/cover", &["DEPTH_STEP", "SMALL"]),
    // Far beyond the size of splats.
    (
        "shared/raster",
        &["MOST_RADIUS", "SAMPLES if !multisampled", "SAMPLES if multisampled"],
    ),
    ("tiles", &["THREADS"]),
    // tests/gpu/raster_teams.rs compares pictures with those of other thresholds.
    ("shared/large_triangles", &["SPREAD"]),
    // tests/gpu/triangle_cull.rs compares pictures with and without.
    (
        "triangle_cull",
        &[
            "DEPTH_SLACK",
            "MOST_LEVEL",
            "MOST_SAMPLES",
            "NOWHERE",
            "CULL_THREADS if !wide",
            "CULL_THREADS if wide",
            "SLACK",
        ],
    ),
    ("triangle_cull_blocks", &["SHARE"]),
    ("large_triangles", &["COLUMNS", "ROWS", "SLICES"]),
    ("shade_visibility", &["SPLAT_FLATNESS", "NO_ROW", "SLIVER", "THREADS"]),
    // tests/gpu/fxaa.rs measures the results of these.
    ("fxaa", &["SHARE", "LEAST", "SUBPIXEL", "STRIDES"]),
    // tests/gpu/difference.rs compares the sums with the CPU's.
    ("difference_sums", &["LANES"]),
    // tests/gpu/picture_sums.rs compares sums of the brightest pictures, in sizes that are no multiple of the edge.
    ("picture_sums", &["BRIGHTEST", "EDGE"]),
    // Anything above MOST_TRIANGLES.
    ("slots", &["TOO_MANY"]),
    ("shared/cast", &["LEAST_ELEVATION", "BODY_WIDTH"]),
    // DENSITY_METRES is held by the picture of a crowd beyond the shadow map.
    ("shared/crowd_shadow", &["CROWD_SHADOW_CELL_SIZE", "CROWD_SHADOW_UNITS"]),
    ("pyramid", &["SOURCE if from_depth", "SOURCE if !from_depth"]),
    (
        "shared/pyramid",
        &["NEAREST if standard_depth", "NEAREST if !standard_depth"],
    ),
    // Groups of a dispatch in one dimension: WebGPU's default limit.
    ("compact_poses", &["MOST_GROUPS"]),
    ("shared/hero", &["HERO_BIT"]),
    ("shared/actor_state", &["SPEED_EXPONENT"]),
    // tests/gpu/width_scale.rs compares visible results with the CPU, schedule.rs values between frames.
    (
        "shared/instance",
        &["BETWEEN_WHOLE", "WIDTH_SCALE_MASK", "WIDTH_SCALE_STEP"],
    ),
    ("shared/pose_steps", &["RATE_SHIFT", "STEP_MASK"]),
    ("shared/light", &["PI"]),
    ("shared/paths", &["HALF_TURN", "FULL_TURN"]),
    // Mean colours of effort light: held by pictures.
    (
        "shared/paving",
        &[
            "GROUND_MIDDLE",
            "GROUND_REACH",
            "MOWN_HALF_SIZE",
            "MOWN_STRIPE",
            "MEAN_PAVING if simple",
            "MEAN_RING if simple",
            "MEAN_GRASS if simple",
        ],
    ),
    ("shared/skinning", &["MORPH_TARGETS", "MORPH_WEIGHTS", "MORPH_DELTAS"]),
    // Values of the motion pass for a point that the next picture does not show.
    ("shared/aov", &["NOWHERE", "OUTSIDE_CLIP_SPACE"]),
    ("shared/sky", &["CLOUD_DRIFT_BITS", "HAZE_HEIGHT"]),
    ("shared/surface", &["BRIGHTEST"]),
];

#[test]
fn constants_are_those_of_rust() {
    let mut left = BTreeMap::new();
    for (path, source) in shader::SOURCES {
        for (name, value) in constants(path, source) {
            left.insert((*path, name), value);
        }
    }
    assert!(left.len() > 50, "{} constants", left.len());
    for (file, name, value) in shared() {
        let found = left.remove(&(file, name.to_owned()));
        assert_eq!(found, Some(Some(value)), "{file}: {name}");
    }
    for (file, names) in OF_SHADERS_ALONE {
        for name in *names {
            assert!(left.remove(&(*file, (*name).to_owned())).is_some(), "{file}: {name}");
        }
    }
    assert!(left.is_empty(), "neither shared nor of shaders alone: {left:?}");
}

#[test]
fn constants_are_read_as_the_compiler_reads_them() {
    let source = "const A = 3u;\n@if(x) const B = 1u << 4u;\n@if(!x) const B = A | 4u;\nconst C = 2.5f;\nconst D = true;\nfn f() {}\n";
    let found: Vec<_> = constants("test", source).into_iter().collect();
    let expected = [
        ("A", Some(3)),
        ("B if !x", Some(7)),
        ("B if x", Some(16)),
        ("C", Some(2.5_f32.to_bits())),
        ("D", None),
    ];
    assert_eq!(found, expected.map(|(name, value)| (name.to_owned(), value)));
}
