//! The passes that are timed.

use serde::{Deserialize, Serialize};

macro_rules! passes {
    ($($(#[$about:meta])* $pass:ident => $name:literal),* $(,)?) => {
        /// A pass of the frame; ordered by name, as reports list them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "lowercase")]
        pub enum Pass {
            $($(#[$about])* $pass,)*
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
        }
    };
}

passes! {
    /// Compute: what every instance shows this frame.
    Animate => "animate",
    /// Props, ground and sky; resolves multisampling. Compute where the crowd is rasterised in compute.
    Backdrop => "backdrop",
    /// The people; of those drawn from lists, the ones who fill many rows, and what stands around.
    Crowd => "crowd",
    /// Compute: who is hidden behind those.
    Cull => "cull",
    /// The people who are left.
    Far => "far",
    /// Edges smoothed at one sample per pixel, where that is asked for.
    Fxaa => "fxaa",
    /// Compute: the distinct poses of a frame, skinned for technique `preskinned`.
    Preskin => "preskin",
    /// Compute: the nearest triangle of every sample, where the crowd is rasterised in compute.
    Raster => "raster",
    /// Compute: the colours of those.
    Resolve => "resolve",
    /// Compute: who is in the view, at which level of detail.
    Select => "select",
    /// Depth from the sun.
    Shadow => "shadow",
    /// Compute: the triangles of those who fill many rows that the graphics pipe has to see.
    Sift => "sift",
    /// Compute: those of the people who are left.
    SiftFar => "siftfar",
    /// Compute: the shadows of those who are rasterised in compute.
    Sun => "sun",
    /// HDR to the display.
    Tonemap => "tonemap",
}

impl Pass {
    /// The pass of a name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|pass| pass.name() == name)
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
    fn reports_and_labels_use_the_same_names_in_their_order() {
        for &pass in Pass::ALL {
            assert_eq!(serde_json::to_string(&pass).expect("a word"), format!("\"{pass}\""));
            assert_eq!(Pass::from_name(pass.name()), Some(pass));
        }
        assert!(Pass::ALL.is_sorted_by_key(|pass| pass.name()));
        assert!(Pass::ALL.is_sorted());
    }
}
