//! Parses numbers of the command line and the panel, within the ranges of the settings.

use crate::config::{Kind, limits};

/// Parses `1280x720` as width and height, each of [`limits::EDGE`] pixels.
///
/// # Errors
/// A message with the problem and the right notation.
pub fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let (least, most) = (limits::EDGE.start(), limits::EDGE.end());
    let expected = || format!("{text:?} is not a size; use WIDTHxHEIGHT, each {least} to {most}, as in 1280x720");
    let (width, height) = text.split_once(['x', 'X']).ok_or_else(expected)?;
    let edge = |t: &str| t.trim().parse::<u32>().ok().filter(|n| limits::EDGE.contains(n));
    edge(width).zip(edge(height)).ok_or_else(expected)
}

/// Parses a number of instances.
///
/// # Errors
/// A message with the problem and the range.
pub fn parse_count(text: &str) -> Result<u32, String> {
    parse_whole(text, *limits::COUNT.start(), *limits::COUNT.end())
}

/// Parses the coarseness of LODs: `full`, `auto` or a factor in [`limits::DETAIL`].
///
/// # Errors
/// A message with the problem and the right notation.
pub fn parse_detail(text: &str) -> Result<f32, String> {
    match text {
        "full" => Ok(0.0),
        "auto" => Ok(1.0),
        _ => {
            let number = text.parse::<f64>().ok().filter(|n| limits::DETAIL.contains(n));
            let most = limits::DETAIL.end();
            let detail = number.map(|n| n as f32);
            detail.ok_or_else(|| {
                format!("{text:?} is not a level of detail; use full, auto or a number from 0 to {most}")
            })
        }
    }
}

/// Parses `on` or `off`.
///
/// # Errors
/// A message with the problem.
pub fn parse_switch(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(format!("{text:?} is neither on nor off")),
    }
}

/// Parses a world position (m): three numbers in the range of scene files.
///
/// # Errors
/// A message with the problem and the right notation.
pub fn parse_point(text: &str) -> Result<[f32; 3], String> {
    let wrong = || format!("{text:?} is not a point; use X,Y,Z in metres, as in 0,1.7,-12.5");
    let number = |part: &str| {
        part.trim()
            .parse::<f32>()
            .ok()
            .filter(|n| Kind::coordinate(f64::from(*n)))
    };
    let numbers: Option<Vec<f32>> = text.split(',').map(number).collect();
    numbers.and_then(|point| point.try_into().ok()).ok_or_else(wrong)
}

/// Parses a seed in the range of scene files.
///
/// # Errors
/// A message with the problem and the range.
pub fn parse_seed(text: &str) -> Result<u64, String> {
    parse_whole(text, 0, i64::MAX as u64)
}

/// Parses a whole number within bounds.
///
/// # Errors
/// A message with the problem and the range.
pub fn parse_whole<T>(text: &str, least: T, most: T) -> Result<T, String>
where
    T: std::str::FromStr + PartialOrd + std::fmt::Display,
{
    let number = text.parse().ok().filter(|n| (&least..=&most).contains(&n));
    number.ok_or_else(|| format!("{text:?} is not an integer from {least} to {most}"))
}
