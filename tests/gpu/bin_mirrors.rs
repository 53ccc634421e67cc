//! Structs of the lists of who is drawn are the same in shaders and in Rust.

use throng::render::{
    passes::bins::{BinLevel, BinList, BinViews, PyramidSizes},
    resources::BoundsRow,
};

use crate::{shader_mirrors::assert_mirrors, shaders::validate};

#[test]
fn what_fills_bins_has_the_same_layout_in_rust() {
    let select = validate("select", &[]);
    assert_mirrors!(
        select,
        "BinList",
        BinList {
            count,
            blocks,
            level_count,
            bin_stride,
            height,
            kind,
            mesh_count,
            first_block,
            first_key,
            first_id,
            levels,
        }
    );
    assert_mirrors!(
        select,
        "BinViews",
        BinViews {
            first_list,
            list_step,
            casts
        }
    );
    assert_mirrors!(
        select,
        "BinLevel",
        BinLevel {
            first_index,
            index_count,
            max_rows
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
    assert_mirrors!(validate("occlude", &[]), "PyramidSizes", PyramidSizes { size, levels });
}
