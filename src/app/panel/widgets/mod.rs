//! Widgets of the panel.

pub(super) mod filter;
pub(super) mod fold;
pub(super) mod icons;
pub(super) mod list;
pub(super) mod mark;
pub(super) mod numbers;
pub(super) mod plot;
pub(super) mod setting_rows;
pub(in crate::app) mod style;
