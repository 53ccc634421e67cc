//! Error limits of `--max-error`: millimetres or percent of the height.

use crate::cli::inputs::parse_positive;

/// Largest error that a command allows, with the unit that the user wrote.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ErrorLimit {
    /// Millimetres: `2mm`.
    Millimetres(f32),
    /// Percent of the character's height: `0.1%`.
    Percent(f32),
    /// Number without a unit, which each command takes in its own.
    Bare(f32),
}

/// Unit in which a command takes a number without a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BareUnit {
    /// `bake`.
    Millimetres,
    /// `verify`.
    Percent,
}

impl ErrorLimit {
    /// Limit with a unit. A number without one takes that of the command, with a warning on standard error.
    pub(crate) fn with_unit(self, bare: BareUnit) -> Self {
        let Self::Bare(number) = self else { return self };
        let (limit, word) = match bare {
            BareUnit::Millimetres => (Self::Millimetres(number), "millimetres"),
            BareUnit::Percent => (Self::Percent(number), "percent of the height"),
        };
        eprintln!(
            "throng: --max-error {number} has no unit and means {word} here; write --max-error {} instead: bare numbers \
             will be an error",
            limit.text()
        );
        limit
    }

    /// Limit in millimetres for a character `height` metres tall.
    pub(crate) fn millimetres(self, height: f32) -> f32 {
        match self {
            Self::Millimetres(mm) | Self::Bare(mm) => mm,
            Self::Percent(percent) => percent * 0.01 * 1000.0 * height,
        }
    }

    /// Limit in percent of the height for a character `height` metres tall.
    pub(crate) fn percent(self, height: f32) -> f32 {
        match self {
            Self::Percent(percent) | Self::Bare(percent) => percent,
            Self::Millimetres(mm) => mm / (1000.0 * height) * 100.0,
        }
    }

    /// Limit as it is written on a command line.
    pub(crate) fn text(self) -> String {
        match self {
            Self::Millimetres(mm) => format!("{mm}mm"),
            Self::Percent(percent) => format!("{percent}%"),
            Self::Bare(number) => number.to_string(),
        }
    }
}

/// Parses `2mm`, `0.1%`, or a number without a unit.
///
/// # Errors
/// A message with the problem and the right notation.
pub(crate) fn parse_error_limit(text: &str) -> Result<ErrorLimit, String> {
    let positive = |number: &str| parse_positive(number.trim()).ok();
    let number = match (text.strip_suffix("mm"), text.strip_suffix('%')) {
        (Some(mm), _) => positive(mm).map(ErrorLimit::Millimetres),
        (_, Some(percent)) => positive(percent).map(ErrorLimit::Percent),
        (None, None) => positive(text).map(ErrorLimit::Bare),
    };
    number.ok_or_else(|| {
        format!("{text:?} is not an error above zero; write millimetres as 2mm, or percent of the height as 0.1%")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_units_are_read_and_converted_into_each_other() {
        assert_eq!(parse_error_limit("2mm"), Ok(ErrorLimit::Millimetres(2.0)));
        assert_eq!(parse_error_limit("0.1 %"), Ok(ErrorLimit::Percent(0.1)));
        assert_eq!(parse_error_limit("3"), Ok(ErrorLimit::Bare(3.0)));
        for wrong in ["", "mm", "-1mm", "0%", "2cm", "nan", "1e99mm"] {
            let why = parse_error_limit(wrong).expect_err(wrong);
            assert!(why.contains("2mm") && why.contains("0.1%"), "{why}");
        }
        let height = 1.8;
        assert!((ErrorLimit::Percent(0.1).millimetres(height) - 1.8).abs() < 1e-5);
        assert!((ErrorLimit::Millimetres(1.8).percent(height) - 0.1).abs() < 1e-6);
    }

    #[test]
    fn bare_numbers_keep_the_unit_of_their_command() {
        assert_eq!(
            ErrorLimit::Bare(2.0).with_unit(BareUnit::Millimetres),
            ErrorLimit::Millimetres(2.0)
        );
        assert_eq!(
            ErrorLimit::Bare(2.0).with_unit(BareUnit::Percent),
            ErrorLimit::Percent(2.0)
        );
        assert_eq!(
            ErrorLimit::Percent(2.0).with_unit(BareUnit::Millimetres),
            ErrorLimit::Percent(2.0)
        );
    }
}
