//! Lists that are read when first looked at.

use std::{
    fmt,
    ops::Deref,
    sync::{Arc, OnceLock},
};

/// A list that is in memory, or still in the file it comes from. Reads like a slice; the first look
/// at one that is still in its file reads it.
pub struct Later<T> {
    list: OnceLock<Vec<T>>,
    read: Option<Arc<dyn Fn() -> Vec<T> + Send + Sync>>,
}

impl<T> Later<T> {
    /// A list that `read` makes when it is first looked at. It must not wait for threads of a pool:
    /// they may be waiting for this list.
    pub fn new(read: impl Fn() -> Vec<T> + Send + Sync + 'static) -> Self {
        Self {
            list: OnceLock::new(),
            read: Some(Arc::new(read)),
        }
    }

    /// True once the list is in memory.
    #[must_use]
    pub fn is_read(&self) -> bool {
        self.list.get().is_some()
    }
}

impl<T> Deref for Later<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.list
            .get_or_init(|| self.read.as_ref().map(|read| read()).unwrap_or_default())
    }
}

impl<T> Default for Later<T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<T> From<Vec<T>> for Later<T> {
    fn from(list: Vec<T>) -> Self {
        Self {
            list: list.into(),
            read: None,
        }
    }
}

impl<T> FromIterator<T> for Later<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        items.into_iter().collect::<Vec<T>>().into()
    }
}

impl<'a, T> IntoIterator for &'a Later<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: Clone> Clone for Later<T> {
    fn clone(&self) -> Self {
        Self {
            list: self.list.clone(),
            read: self.read.clone(),
        }
    }
}

impl<T: PartialEq> PartialEq for Later<T> {
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

impl<T: Eq> Eq for Later<T> {}

impl<T: fmt::Debug> fmt::Debug for Later<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.list.get() {
            Some(list) => list.fmt(f),
            None => f.write_str("(not loaded)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_once_and_only_on_first_use() {
        let count = Arc::new(std::sync::atomic::AtomicU32::new(0));
        let counted = count.clone();
        let list = Later::new(move || {
            counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            vec![1, 2, 3]
        });
        assert!(!list.is_read());
        assert_eq!((list.len(), list[2]), (3, 3));
        assert!(list.is_read());
        assert_eq!(list, Later::from(vec![1, 2, 3]));
        assert_eq!(count.load(std::sync::atomic::Ordering::Relaxed), 1);
    }
}
