//! Lists that are read on first use.

use std::{
    fmt,
    ops::Deref,
    sync::{Arc, OnceLock},
};

/// A list in memory, or still in its file. Dereferences to a slice; the first access reads the file.
pub struct LazyList<T> {
    list: OnceLock<Vec<T>>,
    read: Option<Arc<dyn Fn() -> Vec<T> + Send + Sync>>,
}

impl<T> LazyList<T> {
    /// List that `read` makes on first access. `read` must not wait for threads of a pool: they may be waiting for this
    /// list.
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

impl<T> Deref for LazyList<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.list
            .get_or_init(|| self.read.as_ref().map(|read| read()).unwrap_or_default())
    }
}

impl<T> Default for LazyList<T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<T> From<Vec<T>> for LazyList<T> {
    fn from(list: Vec<T>) -> Self {
        Self {
            list: list.into(),
            read: None,
        }
    }
}

impl<T> FromIterator<T> for LazyList<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        items.into_iter().collect::<Vec<T>>().into()
    }
}

impl<'a, T> IntoIterator for &'a LazyList<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: Clone> Clone for LazyList<T> {
    fn clone(&self) -> Self {
        Self {
            list: self.list.clone(),
            read: self.read.clone(),
        }
    }
}

impl<T: PartialEq> PartialEq for LazyList<T> {
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

impl<T: Eq> Eq for LazyList<T> {}

impl<T: fmt::Debug> fmt::Debug for LazyList<T> {
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
        let list = LazyList::new(move || {
            counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            vec![1, 2, 3]
        });
        assert!(!list.is_read());
        assert_eq!((list.len(), list[2]), (3, 3));
        assert!(list.is_read());
        assert_eq!(list, LazyList::from(vec![1, 2, 3]));
        assert_eq!(count.load(std::sync::atomic::Ordering::Relaxed), 1);
    }
}
