//! Decimal numbers of text, read without a detour over `str` where digits are few.

/// Powers of ten that are exact as `f64`.
const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// Number that a field states, to the nearest `f64`; `None` if it is none. Words for NaN and infinity are numbers.
/// A decimal comma counts as a point.
#[must_use]
pub(in crate::tracks) fn parse(field: &[u8]) -> Option<f64> {
    match few_digits(field) {
        Some(number) => Some(number),
        None => any_number(field),
    }
}

/// Numbers of at most 19 digits below 2^53, without an exponent: a whole number over a power of ten, both exact, so
/// that the quotient is the nearest `f64` (Clinger 1990).
fn few_digits(field: &[u8]) -> Option<f64> {
    let (is_negative, digits) = match field {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, field),
    };
    if digits.is_empty() || digits.len() > 19 {
        return None;
    }
    let mut whole = 0_u64;
    let mut point = None;
    for (at, &byte) in digits.iter().enumerate() {
        match byte {
            b'0'..=b'9' => whole = whole * 10 + u64::from(byte - b'0'),
            b'.' if point.is_none() => point = Some(at),
            _ => return None,
        }
    }
    if whole >= 1 << 53 || (point.is_some() && digits.len() == 1) {
        return None;
    }
    let decimals = point.map_or(0, |at| digits.len() - 1 - at);
    let number = whole as f64 / TENS[decimals];
    Some(if is_negative { -number } else { number })
}

fn any_number(field: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(field).ok()?.trim();
    let text = text.strip_prefix('+').unwrap_or(text);
    match text.parse() {
        Ok(number) => Some(number),
        Err(_) if text.matches(',').count() == 1 && !text.contains('.') => text.replace(',', ".").parse().ok(),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_are_those_of_the_standard_library(number in any::<f64>(), digits in 0_usize..12) {
            for text in [format!("{number}"), format!("{number:e}"), format!("{:.*}", digits, number % 1e6)] {
                let (ours, theirs) = (parse(text.as_bytes()), text.parse::<f64>().ok());
                prop_assert_eq!(ours.map(f64::to_bits), theirs.map(f64::to_bits), "{}", text);
            }
        }

        #[test]
        fn any_bytes_are_a_number_or_none(bytes in proptest::collection::vec(any::<u8>(), 0..24)) {
            let _ = parse(&bytes);
        }
    }

    #[test]
    fn odd_numbers() {
        assert_eq!(parse(b"1,25"), Some(1.25));
        assert_eq!(parse(b"+3."), Some(3.0));
        assert_eq!(parse(b"-0"), Some(-0.0));
        assert!(parse(b"nan").is_some_and(f64::is_nan));
        for none in [&b""[..], b".", b"-", b"1.2.3", b"1,2,3", b"x"] {
            assert_eq!(parse(none), None, "{}", String::from_utf8_lossy(none));
        }
    }
}
