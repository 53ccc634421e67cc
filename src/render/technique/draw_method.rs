//! Draw method: technique, atlas format and atlas source.

use serde::{Deserialize, Serialize};

use crate::{atlas::AtlasFormat, config::Technique, render::resources::AtlasSource};

/// Method of drawing a crowd.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DrawMethod {
    /// Technique that animates vertices.
    pub technique: Technique,
    /// Encoding of the matrix atlas; f32 if the technique has its own.
    pub format: AtlasFormat,
    /// Source of the animation data; storage if the technique has no choice.
    pub source: AtlasSource,
}

impl DrawMethod {
    /// Method of things that do not move: attachments and scenery.
    pub const REST_POSE: Self = Self::new(Technique::Static, AtlasFormat::F32, AtlasSource::Storage);

    /// Method from the three choices.
    #[must_use]
    pub const fn new(technique: Technique, format: AtlasFormat, source: AtlasSource) -> Self {
        Self {
            technique,
            format,
            source,
        }
    }

    /// Every distinct method of these choices, in their order.
    #[must_use]
    pub fn combinations(techniques: &[Technique], formats: &[AtlasFormat], sources: &[AtlasSource]) -> Vec<Self> {
        let formats_of = |technique: Technique| {
            if technique.facts().reads_format() {
                formats
            } else {
                &[AtlasFormat::F32]
            }
        };
        let sources_of = |technique: Technique| {
            if technique.facts().has_source() {
                sources
            } else {
                &[AtlasSource::Storage]
            }
        };
        let mut methods = Vec::new();
        for &technique in techniques {
            for &format in formats_of(technique) {
                let of_format = sources_of(technique).iter();
                methods.extend(of_format.map(|&source| Self::new(technique, format, source)));
            }
        }
        methods
    }

    /// Method with the values that stand for a choice its technique does not have.
    pub(crate) fn in_use(self) -> Self {
        let facts = self.technique.facts();
        Self {
            technique: self.technique,
            format: if facts.reads_format() {
                self.format
            } else {
                AtlasFormat::F32
            },
            source: if facts.has_source() {
                self.source
            } else {
                AtlasSource::Storage
            },
        }
    }

    /// Atlas format, if the technique reads one.
    #[must_use]
    pub fn atlas_format(self) -> Option<AtlasFormat> {
        self.technique.facts().reads_format().then_some(self.format)
    }

    /// Name of the method: `matrix f16 texture`, `vertex texture`, `static`.
    #[must_use]
    pub fn name(self) -> String {
        if self.technique.facts().has_source() {
            return format!("{} {}", self.short_name(), self.source.name());
        }
        self.short_name()
    }

    /// Name without the source: `matrix f16`, `vertex`.
    #[must_use]
    pub fn short_name(self) -> String {
        let technique = self.technique.name();
        match self.atlas_format() {
            Some(format) => format!("{technique} {}", format.name()),
            None => technique.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_has_its_own_name() {
        let sources = [AtlasSource::Texture, AtlasSource::Storage];
        let all = DrawMethod::combinations(Technique::ALL, &AtlasFormat::ALL, &sources);
        let names: std::collections::BTreeSet<String> = all.iter().map(|m| m.name()).collect();
        assert_eq!(names.len(), all.len());
        assert_eq!(all[0].name(), "static");
        assert_eq!(all[1].name(), "matrix f32 texture");
        // Technique matrix reads every format from both sources, vertex has both sources.
        let (matrix, vertex, others) = (2 * AtlasFormat::ALL.len(), 2, Technique::ALL.len() - 2);
        assert_eq!(all.len(), matrix + vertex + others);
    }
}
