//! Tint table of a scene, and the part of it from which each group draws.

use crate::{
    config::{Group, SceneConfig, TintConfig},
    crowd::tints::{CLOTH, HAIR, RAMP_LEN, REGION_NAMES, REGIONS, Ramps, SKIN, TRIM, parse_hex},
};

/// Error: a colour that cannot be read, or too many colours.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TintError {
    /// A colour that is not "#rrggbb".
    #[error("tints.{region}: \"{text}\" is not a colour; use \"#rrggbb\", for example \"#c9683f\"")]
    NotAColour {
        /// Tinted region: skin, hair, cloth or trim.
        region: &'static str,
        /// Text as written.
        text: String,
    },
    /// Colours of the scene and of its groups that do not fit into the table.
    #[error("tints.{region}: the scene and its groups define {count} colours, but the limit is {RAMP_LEN}")]
    TooMany {
        /// Tinted region: skin, hair, cloth or trim.
        region: &'static str,
        /// Number of colours named.
        count: usize,
    },
}

/// Part of a ramp: first index and length, at least 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TintSpan {
    /// Index of the first colour.
    pub first: u8,
    /// Number of colours to choose from.
    pub len: u8,
}

/// Part of each ramp from which each group draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TintSpans([[TintSpan; REGIONS]; Group::COUNT]);

impl TintSpans {
    /// Spans of a scene; ramps that do not fit fall back to the scene's own.
    #[must_use]
    pub fn of(scene: &SceneConfig) -> Self {
        let mut spans = [[TintSpan::default(); REGIONS]; Group::COUNT];
        for region in 0..REGIONS {
            let own = ramp(&scene.tints, region).len().clamp(1, RAMP_LEN);
            let mut next = own;
            for group in &mut spans {
                group[region] = span(0, own);
            }
            for (group, list) in group_lists(scene, region) {
                if next + list.len() <= RAMP_LEN {
                    spans[group as usize][region] = span(next, list.len());
                    next += list.len();
                }
            }
        }
        Self(spans)
    }

    /// Span of `group` in `region` (0 skin, 1 hair, 2 cloth, 3 trim).
    #[must_use]
    pub const fn get(&self, group: Group, region: usize) -> TintSpan {
        self.0[group as usize][region]
    }
}

impl Ramps {
    /// Table of a scene with the ramps of its groups.
    ///
    /// # Errors
    /// A colour that is not "#rrggbb", or more colours than fit.
    pub fn from_scene(scene: &SceneConfig) -> Result<Self, TintError> {
        let mut colours = [[0; RAMP_LEN]; REGIONS];
        for (region, table) in colours.iter_mut().enumerate() {
            let mut all = parse_all(&ramp(&scene.tints, region), region)?;
            for (_, list) in group_lists(scene, region) {
                all.extend(parse_all(list, region)?);
            }
            let (region, count) = (REGION_NAMES[region], all.len());
            if count > RAMP_LEN {
                return Err(TintError::TooMany { region, count });
            }
            for (entry, &colour) in table.iter_mut().zip(all.iter().cycle()) {
                *entry = colour;
            }
        }
        Ok(Self { colours })
    }
}

fn parse_all<S: AsRef<str>>(ramp: &[S], region: usize) -> Result<Vec<u32>, TintError> {
    let colour = |text: &S| {
        parse_hex(text.as_ref()).ok_or_else(|| TintError::NotAColour {
            region: REGION_NAMES[region],
            text: text.as_ref().to_owned(),
        })
    };
    ramp.iter().map(colour).collect()
}

/// Colours of a region: the scene's own, or the built-in ones.
fn ramp(tints: &TintConfig, region: usize) -> Vec<&str> {
    let built_in: [&[&'static str]; REGIONS] = [&SKIN, &HAIR, &CLOTH, &TRIM];
    match list(tints, region) {
        [] => built_in[region].to_vec(),
        own => own.iter().map(String::as_str).collect(),
    }
}

/// Groups with their own ramp for a region, in the order of their names.
fn group_lists(scene: &SceneConfig, region: usize) -> impl Iterator<Item = (Group, &[String])> {
    let named = scene.groups.iter();
    let lists = named.filter_map(move |(name, group)| Some((Group::from_name(name)?, list(&group.tints, region))));
    lists.filter(|(_, list)| !list.is_empty())
}

fn list(tints: &TintConfig, region: usize) -> &[String] {
    [&tints.skin, &tints.hair, &tints.cloth, &tints.trim][region]
}

fn span(first: usize, len: usize) -> TintSpan {
    TintSpan {
        first: first as u8,
        len: len as u8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::GroupConfig;

    fn ramps(tints: TintConfig) -> Result<Ramps, TintError> {
        Ramps::from_scene(&SceneConfig {
            tints,
            ..SceneConfig::default()
        })
    }

    #[test]
    fn built_in_ramps_fill_the_table() {
        let ramps = ramps(TintConfig::default()).expect("built-in colours");
        assert!(ramps.colours.iter().flatten().all(|&colour| colour >> 24 == 255));
        assert_eq!(ramps.colours[3][0], ramps.colours[3][16]);
    }

    #[test]
    fn a_group_draws_from_its_own_part() {
        let mut scene = SceneConfig::default();
        let red = TintConfig {
            cloth: vec!["#ff0000".into(), "#ee0000".into()],
            ..TintConfig::default()
        };
        let home = GroupConfig {
            tints: red,
            ..GroupConfig::default()
        };
        scene.groups.insert("home".into(), home);
        let (spans, ramps) = (TintSpans::of(&scene), Ramps::from_scene(&scene).expect("colours"));
        let span = spans.get(Group::Home, 2);
        assert_eq!((span.first as usize, span.len), (CLOTH.len(), 2));
        assert_eq!(ramps.colours[2][CLOTH.len()], 0xff00_00ff);
        assert_eq!(spans.get(Group::Away, 2).first, 0);
    }

    #[test]
    fn errors_name_region_and_text() {
        let tints = TintConfig {
            hair: vec!["brown".into()],
            ..TintConfig::default()
        };
        let error = ramps(tints).expect_err("not a colour").to_string();
        assert!(error.contains("hair") && error.contains("brown"), "{error}");
        let tints = TintConfig {
            skin: vec!["#aabbcc".into(); 65],
            ..TintConfig::default()
        };
        assert!(matches!(ramps(tints), Err(TintError::TooMany { count: 65, .. })));
    }
}
