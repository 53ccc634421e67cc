//! Tint ramps: one colour per region is chosen for each person: skin, hair, main and second garment.
//!
//! A scene has one table of 64 colours per region; an instance holds four indices into it. The scene's own ramp (or the
//! built-in one) comes first. Ramps of groups follow, so that a group draws from its own part of the table.

/// Separately tinted regions of a character: skin, hair, cloth, trim.
pub const REGIONS: usize = 4;
/// Names of the regions, in the order of an instance's indices.
pub const REGION_NAMES: [&str; REGIONS] = ["skin", "hair", "cloth", "trim"];
/// Colours per region.
pub const RAMP_LEN: usize = 64;

/// Skin tones, from fair to deep, warm and cool; even the deepest keeps a face's features visible in shade.
pub const SKIN: [&str; 14] = [
    "#f6d7c3", "#f0c8ae", "#ecbf9e", "#e5b08c", "#dba27a", "#d19a76", "#c68a63", "#b87a54", "#a86a46", "#95593a",
    "#7e4a32", "#6d4531", "#5f3c2d", "#523328",
];

/// Hair colours: blacks and browns first, then fair, red, grey and white. Two more browns follow, since beards use the
/// ramp, too.
pub const HAIR: [&str; 18] = [
    "#17130f", "#211a15", "#2c211a", "#3a2a1f", "#4a3323", "#5b3f2a", "#1c1714", "#6f4c30", "#30241c", "#8a6238",
    "#a9814a", "#c9a566", "#7c3a1e", "#9a4a25", "#8d8a86", "#c9c6c0", "#53382a", "#3f2b20",
];

/// Main garments: clear but not garish, of similar lightness, so that any two match.
pub const CLOTH: [&str; 26] = [
    "#b5483a", "#c9683f", "#d98e4a", "#dcb35a", "#c7b76a", "#8fa35a", "#6a8f5f", "#4f8a72", "#4a8f8c", "#4f86a6",
    "#466f9e", "#3f5788", "#4f4a80", "#6d4f86", "#8f5485", "#b0587c", "#c77a86", "#d9a79a", "#e8dcc6", "#d3cdbf",
    "#a8a69e", "#7d8288", "#565c66", "#3a414d", "#7a4a3a", "#94693f",
];

/// Second garments, shoes, belts: neutrals.
pub const TRIM: [&str; 16] = [
    "#2a2c31", "#33363d", "#3d3a38", "#46423d", "#4e4439", "#5b4a3a", "#6b5540", "#7d664c", "#8e7a60", "#a39177",
    "#2c3a50", "#3b4a5f", "#57616d", "#73787c", "#959690", "#c9c3b5",
];

/// The tint table of a scene: sRGB colours as `r | g << 8 | b << 16 | 255 << 24`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ramps {
    /// `colours[region][index]`; every entry is filled.
    pub colours: [[u32; RAMP_LEN]; REGIONS],
}

/// Reads "#rrggbb" as `r | g << 8 | b << 16 | 255 << 24`.
#[must_use]
pub fn parse_hex(text: &str) -> Option<u32> {
    let digits = text.strip_prefix('#')?;
    let hex = digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let value = u32::from_str_radix(digits, 16).ok().filter(|_| hex)?;
    Some(value.swap_bytes() >> 8 | 0xff00_0000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_bytes_in_memory_order() {
        assert_eq!(
            parse_hex("#123456").map(u32::to_le_bytes),
            Some([0x12, 0x34, 0x56, 0xff])
        );
        for bad in ["", "123456", "#12345", "#1234567", "#12345g", "#+12345", "#1é345"] {
            assert_eq!(parse_hex(bad), None, "{bad}");
        }
    }
}
