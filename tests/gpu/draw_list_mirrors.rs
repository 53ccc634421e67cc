//! Structs of draw lists have the same layout in shaders and in Rust.

use throng::render::{
    passes::draw_lists::{DrawListLod, DrawListRow, DrawListViews, PyramidSizes},
    resources::BoundsRow,
};

use crate::{shader_mirrors::assert_mirrors, shaders::validate};

#[test]
fn what_fills_draw_lists_has_the_same_layout_in_rust() {
    let select = validate("select", &[]);
    assert_mirrors!(
        select,
        "DrawListRow",
        DrawListRow {
            count,
            blocks,
            lod_count,
            draw_list_stride,
            height,
            kind,
            mesh_count,
            first_block,
            first_key,
            first_id,
            lods,
        }
    );
    assert_mirrors!(
        select,
        "DrawListViews",
        DrawListViews {
            first_list,
            list_step,
            casts
        }
    );
    assert_mirrors!(
        select,
        "DrawListLod",
        DrawListLod {
            first_index,
            index_count,
            max_sample_rows
        }
    );
    assert_mirrors!(
        select,
        "BoundsRow",
        BoundsRow {
            centre,
            unknown,
            extent,
            spare
        }
    );
    assert_mirrors!(
        validate("occlusion_cull", &[]),
        "PyramidSizes",
        PyramidSizes { size, levels }
    );
}
