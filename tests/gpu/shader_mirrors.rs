//! What shaders and Rust both state: structs, as naga lays them out, and constants.

use std::{collections::BTreeMap, mem::offset_of};

use throng::{
    crowd::{
        Instance,
        clock::Clock,
        paths::{self, Path},
        schedule::{self, EdgeRow, GroupRow, StateRow, streams, travel},
        tints::RAMP_LEN,
        wrap,
    },
    gpu::shader,
    model::{PackedSurface, PackedVertex},
    render::{
        self, FrameUniforms,
        passes::{
            AttachmentCounts, DifferenceUniforms, EventHead, EventRow, HeroRow, LiveCounts, MarkRow, PickHead,
            PickQuery, PickedRow, Probed,
        },
        resources::{CharacterUniforms, GpuClip, GpuMaterial, GpuPosed, layout},
    },
};
use wgpu::naga;

use crate::shaders::validate;

/// Size and (name, offset) of every member of a struct of a shader.
fn members_of(module: &naga::Module, name: &str) -> (u32, Vec<(String, u32)>) {
    let found = module.types.iter().find(|(_, t)| t.name.as_deref() == Some(name));
    let Some((_, ty)) = found else {
        panic!("no struct {name}")
    };
    let naga::TypeInner::Struct { members, span } = &ty.inner else {
        panic!("{name} is no struct")
    };
    let rows = members.iter().map(|m| (m.name.clone().unwrap_or_default(), m.offset));
    (*span, rows.collect())
}

macro_rules! assert_mirrors {
    ($module:expr, $wgsl:literal, $rust:ty { $($field:ident),* $(,)? }) => {{
        let (size, members) = members_of(&$module, $wgsl);
        let expected = vec![$((stringify!($field).to_owned(), offset_of!($rust, $field) as u32)),*];
        assert_eq!(size as usize, size_of::<$rust>(), "size of {}", $wgsl);
        let padding = |name: &str| name.starts_with("pad");
        let members: Vec<_> = members.into_iter().filter(|(name, _)| !padding(name)).collect();
        assert_eq!(members, expected, "members of {}", $wgsl);
    }};
}

#[test]
fn mirrored_structs_have_the_same_layout_in_rust() {
    let matrix = ["technique_matrix", "format_f16", "atlas_texture"];
    let crowd = validate("crowd", &matrix);
    let animate = validate("animate", &[]);
    let probe = validate("probe", &matrix);
    assert_mirrors!(
        crowd,
        "FrameUniforms",
        FrameUniforms {
            projection_from_world,
            world_from_projection,
            shadow_from_world,
            eye,
            exposure,
            sun_direction,
            sun_irradiance,
            shadows,
            shadow_texel,
            shadow_metres,
            ground,
            seconds,
            ticks,
            interpolate,
        }
    );
    assert_mirrors!(
        crowd,
        "CharacterUniforms",
        CharacterUniforms {
            position_offset,
            position_scale,
            uv_offset,
            uv_scale,
            unit_centre,
            unit_half_extent,
            decode_min,
            decode_size,
            slot_count,
            clip_count,
            vertex_count,
            instance_count,
            seed,
            group_count,
            path_count,
        }
    );
    assert_mirrors!(
        crowd,
        "Material",
        GpuMaterial {
            base_color,
            emissive,
            alpha_cutoff,
            metallic,
            roughness,
            unlit,
            normal_scale,
            base_color_map,
            emissive_map,
            normal_map,
            metallic_roughness_map,
            occlusion_map,
            occlusion_strength,
            region,
            color_occludes
        }
    );
    assert_mirrors!(crowd, "Posed", GpuPosed { place, play });
    assert_mirrors!(
        animate,
        "Clip",
        GpuClip {
            first_frame,
            intervals,
            cycles
        }
    );
    assert_mirrors!(
        animate,
        "GroupRow",
        GroupRow {
            first_state,
            state_count,
            block_min,
            block_span,
            home_total,
            flags,
            seed,
            path,
        }
    );
    assert_mirrors!(
        animate,
        "StateRow",
        StateRow {
            clip,
            rate,
            speed_min,
            speed_span,
            flags,
            dwell_min,
            dwell_span,
            fade,
            first_edge,
            edge_count,
            edge_total,
            home_end,
            stride,
        }
    );
    assert_mirrors!(
        animate,
        "Path",
        Path {
            kind,
            rate,
            length,
            radius,
            inner,
            outer,
            heading,
            direction,
            per_metre,
            first,
            count,
            along,
        }
    );
    assert_mirrors!(
        validate("difference", &[]),
        "DifferenceUniforms",
        DifferenceUniforms { divider, gain, heat }
    );
    assert_mirrors!(
        validate("pick", &[]),
        "PickQuery",
        PickQuery {
            origin,
            instance_count,
            direction,
            character,
            box_min,
            box_max,
        }
    );
    assert_mirrors!(
        probe,
        "Probed",
        Probed {
            position,
            normal,
            tangent
        }
    );
    // Pulled as two or three vec4<u32>.
    assert_eq!((size_of::<PackedVertex>(), size_of::<PackedSurface>()), (32, 16));
}

#[test]
fn mirrored_rows_of_instances_have_the_same_layout_in_rust() {
    let animate = validate("animate", &[]);
    let attachments = validate("attachments", &[]);
    assert_mirrors!(
        animate,
        "Instance",
        Instance {
            position,
            yaw_scale,
            tint,
            clip_speed,
            frame,
            group
        }
    );
    assert_mirrors!(animate, "EdgeRow", EdgeRow { state, end, fade });
    assert_mirrors!(animate, "Clock", Clock { seconds, ticks });
    assert_mirrors!(
        validate("heroes", &[]),
        "HeroRow",
        HeroRow {
            instance,
            run,
            palette,
            weight
        }
    );
    assert_mirrors!(
        validate("live", &[]),
        "LiveCounts",
        LiveCounts {
            slot_count,
            matrix_count
        }
    );
    assert_mirrors!(
        attachments,
        "AttachmentCounts",
        AttachmentCounts {
            first,
            count,
            socket_count,
            frame_count
        }
    );
    // Instances that somebody carries lie where others do.
    let (size, members) = members_of(&attachments, "Attachment");
    let expected = [
        ("size", offset_of!(Instance, position)),
        ("tint", offset_of!(Instance, tint)),
        ("socket", offset_of!(Instance, clip_speed)),
        ("owner", offset_of!(Instance, frame)),
    ];
    let members = members.into_iter().filter(|(name, _)| !name.starts_with("pad"));
    let expected = expected.map(|(name, offset)| (name.to_owned(), offset as u32));
    assert_eq!(members.collect::<Vec<_>>(), expected);
    assert_eq!(size as usize, size_of::<Instance>());
}

/// Lists that a pass fills: a head, then rows.
#[test]
fn mirrored_lists_have_the_same_layout_in_rust() {
    let events = validate("events", &[]);
    let pick = validate("pick", &[]);
    assert_mirrors!(
        events,
        "EventRow",
        EventRow {
            instance,
            clip_name,
            seconds,
            ticks
        }
    );
    assert_mirrors!(
        events,
        "MarkRow",
        MarkRow {
            first_or_name,
            count_or_position
        }
    );
    assert_mirrors!(
        pick,
        "PickedRow",
        PickedRow {
            instance,
            character,
            distance
        }
    );
    let event_head = [
        ("count", offset_of!(EventHead, count)),
        ("since_seconds", offset_of!(EventHead, since_seconds)),
        ("since_ticks", offset_of!(EventHead, since_ticks)),
        ("span", offset_of!(EventHead, span)),
        ("items", size_of::<EventHead>()),
    ];
    let pick_head = [("count", offset_of!(PickHead, count)), ("items", size_of::<PickHead>())];
    for (module, name, expected) in [
        (&events, "EventList", &event_head[..]),
        (&pick, "PickList", &pick_head[..]),
    ] {
        let (_, members) = members_of(module, name);
        let members: Vec<_> = members
            .into_iter()
            .filter(|(name, _)| !name.starts_with("pad"))
            .collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|(name, at)| ((*name).to_owned(), *at as u32))
            .collect();
        assert_eq!(members, expected, "{name}");
    }
}

/// Values of the `u32` constants of a shader file by name; those under a condition as
/// `NAME if condition`.
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
        // Under a condition a name stands twice.
        if condition.is_empty() {
            text += &format!("const {name} = {value}\n");
        }
        text += &format!("const value_{number} = {value}\n");
        names.push(format!("{name}{condition}"));
    }
    let module = naga::front::wgsl::parse_str(&text).unwrap_or_else(|e| panic!("{path}: {}", e.emit_to_string(&text)));
    let value = |number: usize| {
        let wanted = format!("value_{number}");
        let (_, constant) = module
            .constants
            .iter()
            .find(|(_, c)| c.name.as_deref() == Some(&wanted))?;
        match module.global_expressions[constant.init] {
            naga::Expression::Literal(naga::Literal::U32(value)) => Some(value),
            _ => None,
        }
    };
    let values: Vec<_> = (0..names.len()).map(value).collect();
    names.into_iter().zip(values).collect()
}

/// Constants that Rust states too, by shader file.
fn shared() -> Vec<(&'static str, &'static str, u32)> {
    let mut all = Vec::new();
    let mut of = |file: &'static str, rows: &[(&'static str, u32)]| {
        all.extend(rows.iter().map(|&(name, value)| (file, name, value)));
    };
    of(
        "shared/actor",
        &[
            ("MAX_STEPS", schedule::MAX_STEPS),
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
        "ground",
        &[
            ("GROUND_PLAZA", render::GROUND_PLAZA),
            ("GROUND_GRASS", render::GROUND_GRASS),
            ("GROUND_GRID", render::GROUND_GRID),
        ],
    );
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
    let loads = |bytes: usize| (bytes / 16) as u32;
    of(
        "shared/packed",
        &[
            ("VERTEX_LOADS if !extended_vertex", loads(size_of::<PackedVertex>())),
            (
                "VERTEX_LOADS if extended_vertex",
                loads(size_of::<PackedVertex>() + size_of::<PackedSurface>()),
            ),
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
    all
}

/// Constants that only shaders need.
const OF_SHADERS_ALONE: &[(&str, &[&str])] = &[
    ("shadow", &["BLEND_CUTOFF"]),
    ("shared/hero", &["HERO_BIT"]),
    ("shared/light", &["SUN_COLOR", "GROUND_BOUNCE", "SKY_AMBIENT", "PI"]),
    ("shared/paths", &["HALF_TURN", "FULL_TURN"]),
    ("shared/skinning", &["MORPH_TARGETS", "MORPH_WEIGHTS", "MORPH_DELTAS"]),
    ("shared/sky", &["ZENITH", "HORIZON", "WARM_HAZE"]),
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
    let source = "const A = 3u;\n@if(x) const B = 1u << 4u;\n@if(!x) const B = A | 4u;\nconst C = 2.5;\nfn f() {}\n";
    let found: Vec<_> = constants("test", source).into_iter().collect();
    let expected = [("A", Some(3)), ("B if !x", Some(7)), ("B if x", Some(16)), ("C", None)];
    assert_eq!(found, expected.map(|(name, value)| (name.to_owned(), value)));
}
