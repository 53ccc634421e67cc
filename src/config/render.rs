//! `[render]`: technique, format, antialiasing, LODs, culling and rasterizer.

use crate::{
    atlas::AtlasFormat,
    config::{
        Effort, Kind, LodQuality, Raster, Technique,
        keys::{integer, number, words},
        limits,
        section::section,
    },
};

section! {
    rows;

    /// `[render]`.
    ["render"] RenderConfig

    /// Cost of a frame: "full", "light" or "auto". "full" draws what the settings below say. "light" is for adapters
    /// that render on the CPU: one sample with FXAA instead of several, a small shadow map, simple ground and sky, LODs
    /// up to ten times the height, no occlusion culling of up to 1000 people. "auto" is "light" in a window on such an
    /// adapter, else "full".
    effort: Effort = Effort::Auto, Kind::OneOf(words::<Effort>), "";

    /// Technique that animates vertices: "matrix" (joint matrices from the atlas), "vertex" (baked vertices),
    /// "live" (palettes computed each frame), "static" (no skinning), "textbook" (four vertex attributes) or "preskinned"
    /// (each distinct pose skinned once a frame in a compute pass).
    technique: Technique = Technique::Matrix, Kind::OneOf(words::<Technique>), "";

    /// Encoding of the atlas.
    format: AtlasFormat = AtlasFormat::F16, Kind::OneOf(words::<AtlasFormat>), "";

    /// LODs of files that bring none: "quick", made at once; "judged", as coarse as cannot be told from full detail, made in
    /// seconds and kept; "full", none; or "auto": "quick" in `throng shot`, then "judged" in the window, "judged" elsewhere.
    lods: LodQuality = LodQuality::Auto, Kind::OneOf(words::<LodQuality>), "";

    /// Samples per pixel.
    msaa: u32 = 4, Kind::IntegerOf(&[1, 4]), "samples";

    /// Filter that smooths edges after tone mapping (FXAA), for one sample per pixel. It is nearly as clean as 4 samples
    /// where those cost too much.
    fxaa: bool = false, Kind::Bool, "";

    /// Blend of the two nearest frames; if off, the nearest one is shown.
    interpolate: bool = true, Kind::Bool, "",
        row("frames", "interpolate between the two nearest baked frames; if off, show the nearest one",
            Switch { caption: "interpolate" });

    /// Coarseness of LODs: they serve up to so many times the height at which they cannot be told from full detail.
    /// 0 draws full detail only.
    detail: f32 = 1.0, number(&limits::DETAIL), "";

    /// Splats in place of people of so few rows that nobody can tell them from them, where the software rasterizer draws
    /// the picture.
    splats: bool = true, Kind::Bool, "";

    /// Culling of people outside the view or hidden by others. With raster = "auto" also of triangles that the hardware
    /// rasterizer need not see: back faces, and triangles that hold no sample or are covered by others. Pictures are the
    /// same with and without.
    cull: bool = true, Kind::Bool, "";

    /// Rasterizer of people: "hardware", "compute" or "auto". "compute" is a software rasterizer in a compute shader for
    /// people of at most `sw_raster_max_rows`, with LODs and culling. It draws technique "matrix", on GPUs that bind 16
    /// storage buffers. "auto" is in the window the faster of the two, by a rule that the adapter is timed for once. Elsewhere it
    /// draws pictures by the hardware rasterizer. Their shadows and ids (for labels) come from the compute shader, on
    /// GPUs with 64-bit atomics.
    raster: Raster = Raster::Auto, Kind::OneOf(words::<Raster>), "";

    /// Height of people up to which "compute" takes them. A row is a pixel times the square root of the samples. From
    /// 1024 on it takes everything, scenery and the shadow map with it, and leaves the hardware rasterizer nothing to do,
    /// where no material has holes of alpha and the crowd is not too large. Data-centre cards do best so; on gaming cards
    /// try the small ones alone (16 to 32).
    sw_raster_max_rows: u32 = 1024, integer(&limits::SW_RASTER_MAX_ROWS), "rows";
}
