//! Scenes of the library by name, each read once: the page asks for their numbers all the time.

use std::{cell::RefCell, collections::HashMap};

use throng::config::{Config, ConfigError};

thread_local! {
    static READ: RefCell<HashMap<String, Config>> = RefCell::default();
}

/// Scene of a name.
///
/// # Errors
/// As [`Config::scene`].
pub(crate) fn preset(name: &str) -> Result<Config, ConfigError> {
    if let Some(known) = READ.with_borrow(|read| read.get(name).cloned()) {
        return Ok(known);
    }
    let config = Config::scene(name)?;
    READ.with_borrow_mut(|read| read.insert(name.to_owned(), config.clone()));
    Ok(config)
}
