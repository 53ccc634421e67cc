//! Passes that are timed.

use serde::{Deserialize, Serialize};

macro_rules! passes {
    ($($(#[$about:meta])* $pass:ident => $name:literal $(was $old:literal)?, $color:expr;)*) => {
        /// A pass of the frame; ordered by name, as reports list them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Pass {
            $($(#[$about])* $(#[serde(alias = $old)])? $pass,)*
        }

        impl Pass {
            /// Every pass.
            pub const ALL: &'static [Self] = &[$(Self::$pass),*];

            /// Label of the pass and of its timer, key in reports.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$pass => $name,)*
                }
            }

            /// Colour of the pass in plots (sRGB).
            #[must_use]
            pub const fn color(self) -> [u8; 3] {
                match self {
                    $(Self::$pass => $color,)*
                }
            }

            /// Name of the pass in reports of throng 0.1, if it differed.
            const fn old_name(self) -> Option<&'static str> {
                match self {
                    $($(Self::$pass => Some($old),)?)*
                    _ => None,
                }
            }
        }
    };
}

passes! {
    /// Compute: evaluates clip, frame and heading of every instance.
    Animate => "animate", [110, 190, 120];
    /// Sky and ground; resolves multisampling. Runs in compute if the software rasterizer drew the crowd.
    Background => "background" was "backdrop", [96, 130, 160];
    /// Graphics: instances that cover many sample rows, their attachments, and scenery.
    Crowd => "crowd", [238, 160, 84];
    /// Graphics: instances of the far phase that survived occlusion culling.
    Far => "far", [214, 128, 60];
    /// Fast approximate anti-aliasing at one sample per pixel, on request.
    Fxaa => "fxaa", [170, 90, 140];
    /// Compute: occlusion culling of far instances against the depth pyramid (Hi-Z) of the near ones.
    OcclusionCull => "occlusion_cull" was "cull", [60, 140, 170];
    /// Compute: skins each distinct pose of a frame once, for technique `preskinned`.
    Preskin => "preskin", [150, 200, 110];
    /// Compute: frustum culling and LOD selection; fills the draw lists.
    Select => "select", [80, 170, 150];
    /// Compute: deferred shading of the visibility buffer.
    ShadeVisibility => "shade_visibility" was "resolve", [190, 160, 70];
    /// Graphics: the directional shadow map.
    Shadow => "shadow", [148, 110, 190];
    /// Compute: the software rasterizer fills the visibility buffer.
    SwRaster => "sw_raster" was "raster", [226, 196, 90];
    /// Compute: the software rasterizer fills the directional shadow map.
    SwShadow => "sw_shadow" was "sun", [150, 128, 84];
    /// Tone mapping: HDR to the display.
    Tonemap => "tonemap", [200, 110, 120];
    /// Compute: triangle culling of near instances; writes compacted index buffers for the hardware rasterizer.
    TriangleCull => "triangle_cull" was "sift", [210, 170, 130];
    /// Compute: triangle culling of far instances.
    TriangleCullFar => "triangle_cull_far" was "siftfar", [184, 142, 104];
}

impl Pass {
    /// Pass with a name of today or of throng 0.1.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|pass| pass.name() == name || pass.old_name() == Some(name))
    }
}

impl std::fmt::Display for Pass {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plots_show_each_pass_in_a_colour_of_its_own() {
        let mut colors: Vec<_> = Pass::ALL.iter().map(|pass| pass.color()).collect();
        colors.sort_unstable();
        colors.dedup();
        assert_eq!(colors.len(), Pass::ALL.len());
    }

    #[test]
    fn reports_and_labels_use_the_same_names_in_their_order() {
        for &pass in Pass::ALL {
            assert_eq!(serde_json::to_string(&pass).expect("a word"), format!("\"{pass}\""));
            assert_eq!(Pass::from_name(pass.name()), Some(pass));
            if let Some(old) = pass.old_name() {
                let read: Pass = serde_json::from_str(&format!("\"{old}\"")).expect("a name of before");
                assert_eq!((read, Pass::from_name(old)), (pass, Some(pass)));
            }
        }
        assert!(Pass::ALL.is_sorted_by_key(|pass| pass.name()));
        assert!(Pass::ALL.is_sorted());
    }
}
