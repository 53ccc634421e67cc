//! Options of drawing: technique, encoding, levels of detail, culling, rasterizer and cost.

use clap::Args;

use crate::{
    atlas::AtlasFormat,
    config::{
        Config, Effort, LodQuality, Raster, Technique, limits,
        parse::{parse_detail, parse_switch, parse_whole},
    },
    render::resources::AtlasSource,
};

/// Options of drawing, shared by all commands that draw.
#[derive(Args, Debug, Clone, Default)]
pub struct DrawArgs {
    /// Technique of vertex animation.
    #[arg(long)]
    pub technique: Option<Technique>,
    /// Encoding of the animation atlas.
    #[arg(long)]
    pub format: Option<AtlasFormat>,
    /// Storage buffer or texture that shaders read the atlas from. Default: the faster one as measured (view), storage
    /// if it fits (shot).
    #[arg(long)]
    pub atlas: Option<AtlasSource>,
    /// Level of detail: full, auto or a factor. auto is the coarsest level that cannot be told from full detail; a
    /// factor from 0 to 16 scales the height up to which each level is used. Techniques matrix and preskinned only;
    /// others draw full detail.
    #[arg(long, value_parser = parse_detail, value_name = "full|auto|P", allow_negative_numbers = true)]
    pub detail: Option<f32>,
    /// Frustum and occlusion culling of people, and triangle culling; pictures are equal with and without.
    #[arg(long, value_parser = parse_switch, value_name = "on|off")]
    pub cull: Option<bool>,
    /// Levels of detail of files that bring none: quick (made at once), judged (as coarse as cannot be told from full
    /// detail; made in seconds and kept) or full (none). Default: quick in shot, quick and then judged in the window,
    /// judged elsewhere.
    #[arg(long, value_name = "quick|judged|full")]
    pub lods: Option<LodQuality>,
    /// Build levels of detail of raw files again, without the cache.
    #[arg(long)]
    pub no_cache: bool,
    /// Rasterizer of people: hardware, compute or auto. compute is a software rasterizer for people who are small in
    /// the picture (technique matrix, with levels of detail and culling). auto chooses the faster one in the window;
    /// other commands draw pictures by hardware, and shadows, ids and labels by compute where supported [default:
    /// auto].
    #[arg(long, value_name = "hardware|compute|auto")]
    pub raster: Option<Raster>,
    /// With --raster compute: maximum height of people it draws, in sample rows (pixels times the square root of the
    /// samples), 1 to 4096. From 1024 on it draws everything where supported, with scenery and shadows [default: 1024].
    #[arg(long, alias = "raster-rows", value_parser = parse_rows, value_name = "N", allow_negative_numbers = true)]
    pub sw_raster_max_rows: Option<u32>,
    /// Cost of a frame: full, light or auto. light is for adapters that render on the CPU: one sample with FXAA, a small
    /// shadow map, simple ground and sky, coarser levels of detail. auto is light in a window on such an adapter, else
    /// full [default: auto].
    #[arg(long, value_name = "full|light|auto")]
    pub effort: Option<Effort>,
    /// Anti-aliasing: none, fxaa (a filter after tone mapping), or msaa (4 samples per pixel).
    #[arg(long, value_name = "none|fxaa|msaa")]
    pub smoothing: Option<Smoothing>,
}

/// Anti-aliasing method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Smoothing {
    /// One sample per pixel.
    None,
    /// One sample per pixel with FXAA, a filter after tone mapping.
    Fxaa,
    /// Four samples per pixel (MSAA).
    Msaa,
}

impl Smoothing {
    /// Values of `render.msaa` and `render.fxaa`.
    const fn settings(self) -> (u32, bool) {
        match self {
            Self::None => (1, false),
            Self::Fxaa => (1, true),
            Self::Msaa => (4, false),
        }
    }
}

impl DrawArgs {
    /// Sets what the options ask for.
    pub(super) fn apply(&self, config: &mut Config) {
        if let Some(technique) = self.technique {
            config.render.technique = technique;
        }
        if let Some(format) = self.format {
            config.render.format = format;
        }
        if let Some(detail) = self.detail {
            config.render.detail = detail;
        }
        if let Some(lods) = self.lods {
            config.render.lods = lods;
        }
        if let Some(cull) = self.cull {
            config.render.cull = cull;
        }
        if let Some(raster) = self.raster {
            config.render.raster = raster;
        }
        if let Some(rows) = self.sw_raster_max_rows {
            config.render.sw_raster_max_rows = rows;
        }
        if let Some(effort) = self.effort {
            config.render.effort = effort;
        }
        if let Some(smoothing) = self.smoothing {
            (config.render.msaa, config.render.fxaa) = smoothing.settings();
        }
    }
}

fn parse_rows(text: &str) -> Result<u32, String> {
    parse_whole(
        text,
        *limits::SW_RASTER_MAX_ROWS.start(),
        *limits::SW_RASTER_MAX_ROWS.end(),
    )
}
