//! Formatting of figures and dates.

use crate::bench::report::FigureTarget;

/// Formats a number as `12,345`.
#[must_use]
pub(crate) fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Joins arguments, quoted for a shell.
#[must_use]
pub(crate) fn command(arguments: impl Iterator<Item = String>) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    let quoted = arguments.map(|argument| {
        if !argument.is_empty() && argument.chars().all(plain) {
            return argument;
        }
        format!("'{}'", argument.replace('\'', r"'\''"))
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// Formats a number with three significant digits, without exponent down to 1e-6.
#[must_use]
pub(crate) fn significant(x: f64) -> String {
    if !x.is_finite() {
        return "-".into();
    }
    if x == 0.0 {
        return "0".into();
    }
    let decimals = 2 - x.abs().log10().floor() as i32;
    if decimals > 8 {
        format!("{x:.1e}")
    } else {
        format!("{x:.*}", decimals.max(0) as usize)
    }
}

/// Formats a value with three significant digits, or a dash.
#[must_use]
pub(crate) fn or_dash(x: Option<f64>) -> String {
    x.map_or_else(|| "-".into(), significant)
}

/// Formats a ratio as `1.03`, or a dash.
#[must_use]
pub(crate) fn ratio(x: Option<f64>) -> String {
    x.map_or_else(
        || "-".into(),
        |x| {
            if x < 100.0 {
                format!("{x:.2}")
            } else {
                format!("{x:.0}")
            }
        },
    )
}

/// Formats a target as `≤ 1.05`.
#[must_use]
pub(crate) fn target(target: FigureTarget) -> String {
    match target {
        FigureTarget::AtMost(limit) => format!("≤ {limit}"),
        FigureTarget::AtLeast(limit) => format!("≥ {limit}"),
        FigureTarget::Stated => "stated".into(),
    }
}

/// Formats seconds since 1970 as `2024-02-29 13:05 UTC`.
#[must_use]
pub(crate) fn date(unix_seconds: u64) -> String {
    let (days, seconds) = (unix_seconds / 86_400, unix_seconds % 86_400);
    let (year, month, day) = civil(days as i64);
    format!(
        "{year}-{month:02}-{day:02} {:02}:{:02} UTC",
        seconds / 3600,
        seconds / 60 % 60
    )
}

/// Converts days since 1970 to year, month and day (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
fn civil(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let of_era = z.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 {
        from_march + 3
    } else {
        from_march - 9
    };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::stats::bytes;

    #[test]
    fn figures_read_well() {
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(thousands(999), "999");
        assert_eq!(bytes(1000), "1000 B");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(bytes(800 << 20), "800 MiB");
        assert_eq!(bytes((1 << 40) + (1 << 39)), "1.5 TiB");
        assert_eq!(significant(12.345), "12.3");
        assert_eq!(significant(1234.5), "1234");
        assert_eq!(significant(0.001_234_5), "0.00123");
    }

    #[test]
    fn dates_follow_the_calendar() {
        assert_eq!(date(0), "1970-01-01 00:00 UTC");
        assert_eq!(date(951_827_696), "2000-02-29 12:34 UTC");
        assert_eq!(date(1_735_689_599), "2024-12-31 23:59 UTC");
    }
}
