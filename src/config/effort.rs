//! Effort of pictures: how much a frame may cost, as one setting over samples, shadows, ground, sky and LODs.

use serde::{Deserialize, Serialize};

use crate::config::{LodQuality, RenderConfig};

/// Effort of pictures. `Light` is for adapters that render on the CPU: it caps what a frame costs and changes no other
/// setting, so that `Full` brings back every sample and LOD.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// In the window, `light` on an adapter that renders on the CPU; `full` elsewhere.
    #[default]
    Auto,
    /// Everything as the other settings say.
    Full,
    /// One sample with FXAA, a small shadow map, simple ground and sky, coarser LODs, no occlusion culling of a small
    /// crowd.
    Light,
}

impl Effort {
    /// Name in settings and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Full => "full",
            Self::Light => "light",
        }
    }

    /// Effort of a window on an adapter: `Auto` becomes `Light` on one that renders on the CPU.
    #[must_use]
    pub const fn in_window(self, is_software: bool) -> Self {
        match self {
            Self::Auto if is_software => Self::Light,
            other => other,
        }
    }

    /// Effort of a picture: `Auto` is `Full`.
    #[must_use]
    pub const fn in_pictures(self) -> Self {
        match self {
            Self::Auto => Self::Full,
            other => other,
        }
    }

    /// True for `Light` alone.
    #[must_use]
    pub const fn is_light(self) -> bool {
        matches!(self, Self::Light)
    }
}

/// Factor of `light` on the heights up to which LODs are used.
const LIGHT_DETAIL: f32 = 10.0;
/// Largest crowd that `light` draws without occlusion culling: on a CPU its passes cost more than the people whom they
/// leave out.
const LIGHT_FEW: u32 = 1000;

impl RenderConfig {
    /// Samples per pixel of pictures: `msaa`, and 1 with [`Effort::Light`].
    #[must_use]
    pub const fn effective_samples(&self) -> u32 {
        if self.effort.is_light() { 1 } else { self.msaa }
    }

    /// True if edges are smoothed by FXAA: as set, and in place of several samples with [`Effort::Light`].
    #[must_use]
    pub const fn effective_fxaa(&self) -> bool {
        self.fxaa || (self.effort.is_light() && self.msaa > 1)
    }

    /// True if hidden people are left out: as `cull` says, but not of a small crowd with [`Effort::Light`].
    #[must_use]
    pub const fn culls_hidden(&self, people: u32) -> bool {
        self.cull && !(self.effort.is_light() && people <= LIGHT_FEW)
    }

    /// Scale of LOD selection: `detail`, and a multiple of it with [`Effort::Light`]. 0 stays 0: full detail only, as with
    /// [`LodQuality::Full`].
    #[must_use]
    pub const fn effective_detail(&self) -> f32 {
        if matches!(self.lods, LodQuality::Full) {
            0.0
        } else if self.effort.is_light() {
            self.detail * LIGHT_DETAIL
        } else {
            self.detail
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn light_caps_the_cost_and_keeps_what_was_set() {
        let full = RenderConfig::default();
        let light = RenderConfig {
            effort: Effort::Light,
            ..full.clone()
        };
        assert_eq!((full.effective_samples(), full.effective_fxaa()), (4, false));
        assert_eq!((light.effective_samples(), light.effective_fxaa()), (1, true));
        assert!(light.effective_detail() > full.effective_detail());
        assert!(full.culls_hidden(1) && !light.culls_hidden(LIGHT_FEW) && light.culls_hidden(LIGHT_FEW + 1));
        let back = RenderConfig {
            effort: Effort::Auto,
            ..light
        };
        assert_eq!(back, full);
    }

    #[test]
    fn light_adds_no_smoothing_and_no_lods_where_none_are_wanted() {
        let light = RenderConfig {
            effort: Effort::Light,
            msaa: 1,
            detail: 0.0,
            ..RenderConfig::default()
        };
        assert!(!light.effective_fxaa());
        assert_eq!(light.effective_detail(), 0.0);
    }

    #[test]
    fn only_windows_on_a_cpu_choose_light_by_themselves() {
        assert_eq!(Effort::Auto.in_window(true), Effort::Light);
        assert_eq!(Effort::Auto.in_window(false), Effort::Auto);
        assert_eq!(Effort::Full.in_window(true), Effort::Full);
        assert_eq!(Effort::Auto.in_pictures(), Effort::Full);
        assert_eq!(Effort::Light.in_pictures(), Effort::Light);
    }
}
