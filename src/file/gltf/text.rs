//! Cleans the JSON text before it is parsed, since names in it are later printed on terminals.

use std::borrow::Cow;

/// Replaces control characters inside strings by visible escapes, so that no name can move a cursor or forge a line.
/// For example, `\u001b` becomes its six characters.
pub(crate) fn without_control_characters(text: &[u8]) -> Cow<'_, [u8]> {
    if !(0..text.len()).any(|at| control(&text[at..]).is_some()) {
        return Cow::Borrowed(text);
    }
    // An escape begins at a backslash that is not itself escaped, so scan every backslash.
    let mut clean = Vec::with_capacity(text.len() + 64);
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let length = match control(rest) {
            Some((length, code)) => {
                clean.extend(format!("\\\\u{code:04x}").bytes());
                length
            }
            _ if rest[0] == b'\\' && rest.len() > 1 => {
                clean.extend(&rest[..2]);
                2
            }
            _ => {
                clean.push(rest[0]);
                1
            }
        };
        at += length;
    }
    Cow::Owned(clean)
}

/// Length in the text, and code, of the control character that starts here. Plain line breaks and tabs are layout of
/// the text: JSON forbids them inside strings.
fn control(rest: &[u8]) -> Option<(usize, u32)> {
    match rest {
        [b'\\', b'n', ..] => Some((2, 0x0a)),
        [b'\\', b'r', ..] => Some((2, 0x0d)),
        [b'\\', b't', ..] => Some((2, 0x09)),
        [b'\\', b'b', ..] => Some((2, 0x08)),
        [b'\\', b'f', ..] => Some((2, 0x0c)),
        [b'\\', b'u', digits @ ..] => {
            let digits = std::str::from_utf8(digits.get(..4)?).ok()?;
            let code = u32::from_str_radix(digits, 16).ok()?;
            is_control(code).then_some((6, code))
        }
        [0x7f, ..] => Some((1, 0x7f)),
        // U+0080 to U+009F as UTF-8.
        [0xc2, low @ 0x80..=0x9f, ..] => Some((2, u32::from(*low))),
        _ => None,
    }
}

fn is_control(code: u32) -> bool {
    char::from_u32(code).is_some_and(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::without_control_characters;

    fn clean(text: &str) -> String {
        let clean = without_control_characters(text.as_bytes()).into_owned();
        serde_json::from_slice::<serde_json::Value>(&clean).expect("JSON")["name"]
            .as_str()
            .expect("a text")
            .to_owned()
    }

    #[test]
    fn control_characters_become_visible() {
        for (stored, read) in [
            (r"plain \u00e9 \/ \\ é", r"plain é / \ é"),
            (r"a\u001b[31mred", r"a\u001b[31mred"),
            (r"a\nthrong: done", r"a\u000athrong: done"),
            // A backslash, then an n.
            (r"a\\n\\u001b", r"a\n\u001b"),
            (r"a\\\n", r"a\\u000a"),
            ("a\u{7f}\u{9b}31m", r"a\u007f\u009b31m"),
        ] {
            assert_eq!(clean(&format!("{{\n\t\"name\": \"{stored}\"\r\n}}")), read, "{stored}");
        }
        assert!(matches!(
            without_control_characters(b"{\n\t\"a\": \"b\\u00e9\"\r\n}"),
            std::borrow::Cow::Borrowed(_)
        ));
    }
}
