//! Number of a draw, by which its resources are found, and what it is drawn from.

use crate::render::resources::{CharacterAssets, CrowdInstances};

/// Number of a draw among all draws of the present contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct DrawId(pub(crate) u32);

/// Values of some draws.
pub(crate) struct DrawMap<T>(Vec<(DrawId, T)>);

impl<T> DrawMap<T> {
    /// Value of a draw.
    pub(crate) fn get(&self, id: DrawId) -> Option<&T> {
        let place = self.0.binary_search_by_key(&id, |(own, _)| *own).ok()?;
        self.0.get(place).map(|(_, value)| value)
    }

    /// All values, in the order of their draws.
    pub(crate) fn values(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|(_, value)| value)
    }
}

impl<T> FromIterator<(DrawId, T)> for DrawMap<T> {
    fn from_iter<I: IntoIterator<Item = (DrawId, T)>>(values: I) -> Self {
        let mut values: Vec<_> = values.into_iter().collect();
        values.sort_by_key(|(id, _)| *id);
        Self(values)
    }
}

/// Character and instances of a draw.
#[derive(Clone, Copy)]
pub(crate) struct DrawParts<'a> {
    pub(crate) assets: &'a CharacterAssets,
    pub(crate) crowd: &'a CrowdInstances,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_draw_in_any_order_of_insertion() {
        let map: DrawMap<&str> = [(DrawId(7), "c"), (DrawId(0), "a"), (DrawId(3), "b")]
            .into_iter()
            .collect();
        assert_eq!(map.get(DrawId(3)), Some(&"b"));
        assert_eq!(map.get(DrawId(7)), Some(&"c"));
        assert_eq!(map.get(DrawId(1)), None);
        assert_eq!(map.values().copied().collect::<String>(), "abc");
    }
}
