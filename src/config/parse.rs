//! Numbers as people write them on a command line or into the panel, within the ranges of the settings.

use crate::config::limits;

/// `1280x720` as width and height, each of [`limits::EDGE`] pixels.
///
/// # Errors
/// What is wrong, and how to write it.
pub fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let (least, most) = (limits::EDGE.start(), limits::EDGE.end());
    let expected = || format!("{text:?} is not a size; use WIDTHxHEIGHT, each {least} to {most}, as in 1280x720");
    let (width, height) = text.split_once(['x', 'X']).ok_or_else(expected)?;
    let edge = |t: &str| t.trim().parse::<u32>().ok().filter(|n| limits::EDGE.contains(n));
    edge(width).zip(edge(height)).ok_or_else(expected)
}

/// A number of instances.
///
/// # Errors
/// What is wrong, and the range.
pub fn parse_count(text: &str) -> Result<u32, String> {
    parse_whole(text, *limits::COUNT.start(), *limits::COUNT.end())
}

/// A seed, as scene files have it.
///
/// # Errors
/// What is wrong, and the range.
pub fn parse_seed(text: &str) -> Result<u64, String> {
    parse_whole(text, 0, i64::MAX as u64)
}

/// A whole number within bounds.
///
/// # Errors
/// What is wrong, and the range.
pub fn parse_whole<T>(text: &str, least: T, most: T) -> Result<T, String>
where
    T: std::str::FromStr + PartialOrd + std::fmt::Display,
{
    let number = text.parse().ok().filter(|n| (&least..=&most).contains(&n));
    number.ok_or_else(|| format!("{text:?} is not an integer from {least} to {most}"))
}
