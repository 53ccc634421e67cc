//! Structs of both shaders and Rust have the same members at the same offsets, as naga lays them out.

use std::mem::offset_of;

use throng::{
    crowd::{
        Attachment, Instance,
        clock::Clock,
        paths::Path,
        schedule::{EdgeRow, GroupRow, StateRow},
    },
    model::{PackedSurface, PackedVertex},
    render::{
        DaylightUniforms, FrameUniforms,
        crowd::{AmodalMask, LightUniforms},
        passes::{
            AovUniforms, AttachmentCounts, DifferenceUniforms, EventHead, EventRow, HOST_LIGHT, HeroRow, LiveCounts,
            MarkRow, PickHead, PickQuery, PickedRow, ProbeVertex,
            raster::{RasterRow, RasterUniforms, SlotUniforms, large_triangles::LargeTriangle, meshlets::RasterLod},
            triangle_cull::{CompactedRow, TriangleCullLod, TriangleCullTotals},
        },
        resources::{CharacterUniforms, GpuClip, GpuMaterial, GpuPosed},
    },
};
use wgpu::naga;

use crate::shaders::validate;

/// Size and (name, offset) of every member of a struct of a shader.
pub fn members_of(module: &naga::Module, name: &str) -> (u32, Vec<(String, u32)>) {
    let found = module.types.iter().find(|(_, t)| t.name.as_deref() == Some(name));
    let Some((_, ty)) = found else {
        panic!("no struct {name}")
    };
    let naga::TypeInner::Struct { members, span } = &ty.inner else {
        panic!("{name} is not a struct")
    };
    let rows = members.iter().map(|m| (m.name.clone().unwrap_or_default(), m.offset));
    (*span, rows.collect())
}

macro_rules! assert_mirrors {
    ($module:expr, $wgsl:literal, $rust:ty { $($field:ident),* $(,)? }) => {{
        let (size, members) = $crate::shader_mirrors::members_of(&$module, $wgsl);
        let expected = vec![$((stringify!($field).to_owned(), std::mem::offset_of!($rust, $field) as u32)),*];
        assert_eq!(size as usize, size_of::<$rust>(), "size of {}", $wgsl);
        let padding = |name: &str| name.starts_with("pad");
        let members: Vec<_> = members.into_iter().filter(|(name, _)| !padding(name)).collect();
        assert_eq!(members, expected, "members of {}", $wgsl);
    }};
}
pub(crate) use assert_mirrors;

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
            culling,
            sample_rows,
            detail,
            crowd_shadow_origin,
            near_rows,
            picture_size,
            daylight,
        }
    );
    assert_mirrors!(
        crowd,
        "Daylight",
        DaylightUniforms {
            zenith,
            haze_falloff,
            horizon,
            clouds,
            haze,
            sun_color,
            ambient_above,
            ambient_below,
            land,
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
            first_biased,
            lod_offset,
            lod_scale,
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
            regions,
            color_occludes
        }
    );
    assert_mirrors!(crowd, "Posed", GpuPosed { place, play });
    let slots = validate("slots", &["slots_pass"]);
    assert_mirrors!(
        slots,
        "SlotUniforms",
        SlotUniforms {
            draw_count,
            first_row,
            first_draw
        }
    );
    assert_mirrors!(
        slots,
        "RasterLod",
        RasterLod {
            first_meshlet,
            meshlet_count,
            people_per_group,
            own_list,
            triangle_count,
            splats,
            first_word,
            counts,
            first_corner,
            drawn_row,
        }
    );
    assert_mirrors!(
        slots,
        "RasterRow",
        RasterRow {
            first_triangle,
            people,
            first_group,
            group_count,
            list_start,
            first_meshlet,
            meshlet_count,
            people_per_group,
            triangle_count,
            splats,
            first_word,
            counts,
            first_corner,
        }
    );
    let composite = validate("composite", &["slots_pass"]);
    assert_mirrors!(
        composite,
        "RasterUniforms",
        RasterUniforms {
            size,
            samples,
            first_row,
            other_row,
            first_tile,
            draw_count,
            max_surviving,
            writes_ids,
        }
    );
    let draws = validate("triangle_cull_draws", &["kept_pass"]);
    assert_mirrors!(
        draws,
        "TriangleCullLod",
        TriangleCullLod {
            first_vertex,
            vertex_bits
        }
    );
    assert_mirrors!(
        draws,
        "CompactedRow",
        CompactedRow {
            list_start,
            first_vertex,
            vertex_bits
        }
    );
    assert_mirrors!(draws, "TriangleCullTotals", TriangleCullTotals { triangles, groups });
    let spread = validate("large_triangles", &["large_triangle_pass"]);
    assert_mirrors!(spread, "LargeTriangle", LargeTriangle { a, b, c, id, depths });
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
        "ProbeVertex",
        ProbeVertex {
            position,
            normal,
            tangent
        }
    );
    // Read as two or three vec4<u32>.
    assert_eq!((size_of::<PackedVertex>(), size_of::<PackedSurface>()), (32, 16));
}

#[test]
fn the_light_of_a_host_has_the_same_layout_in_rust() {
    let crowd = validate("crowd", &["technique_matrix", "format_f16", HOST_LIGHT]);
    assert_mirrors!(
        crowd,
        "LightUniforms",
        LightUniforms {
            sun_color,
            exposure,
            ambient_above,
            ambient_below
        }
    );
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
            start,
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
            frame_count,
            actors,
        }
    );
    assert_mirrors!(
        attachments,
        "Attachment",
        Attachment {
            size,
            tint,
            socket,
            owner
        }
    );
    // Attachments take the place of instances, and passes that draw either read the tint.
    assert_eq!(size_of::<Attachment>(), size_of::<Instance>());
    assert_eq!(offset_of!(Attachment, tint), offset_of!(Instance, tint));
}

#[test]
fn mirrored_structs_of_passes_that_measure_have_the_same_layout_in_rust() {
    let matrix = ["technique_matrix", "format_f16", "atlas_texture"];
    let with = |condition| [&matrix[..], &[condition]].concat();
    let aov = validate("aov", &with("show_motion"));
    let masks = validate("aov", &[&with("show_ids")[..], &["amodal_masks"]].concat());
    assert_mirrors!(
        aov,
        "AovUniforms",
        AovUniforms {
            next_from_world,
            size,
            first_id,
            next_hero_row,
            only
        }
    );
    assert_mirrors!(
        masks,
        "AmodalMask",
        AmodalMask {
            left,
            top,
            extent,
            first_word
        }
    );
}

/// Lists that a pass fills: a header, then rows.
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
