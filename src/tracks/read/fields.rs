//! Fields of a line of text.

/// Fewest columns of a table: id, time, x, y.
const LEAST_COLUMNS: usize = 4;

/// Separator of a table's fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    /// One byte: comma, semicolon or tab. Fields may be quoted.
    Byte(u8),
    /// Any number of spaces and tabs.
    Space,
}

impl Separator {
    /// Separator of a line: whichever of tab, semicolon and comma it has, else space. Columns of numbers by spaces may
    /// have decimal commas.
    pub(super) fn of_line(line: &str) -> Self {
        let unquoted: String = line.split('"').step_by(2).collect();
        let by_space = unquoted.split_whitespace().count();
        let has = |mark: char| unquoted.contains(mark);
        if has(';') {
            Self::Byte(b';')
        } else if has(',') && unquoted.matches(',').count() + 1 >= by_space.min(3) && !is_decimal_commas(&unquoted) {
            Self::Byte(b',')
        } else if unquoted.split('\t').count() >= LEAST_COLUMNS && !unquoted.contains("\t\t") {
            Self::Byte(b'\t')
        } else {
            Self::Space
        }
    }

    /// Fields of a line, without blanks and quotes around them.
    pub(super) fn fields(self, line: &[u8]) -> Fields<'_> {
        Fields {
            separator: self,
            rest: Some(line),
        }
    }
}

/// True for "1 0 1,25 3,5": each comma stands between digits, and spaces separate the fields.
fn is_decimal_commas(line: &str) -> bool {
    let fields: Vec<&str> = line.split_whitespace().collect();
    fields.len() >= 3
        && fields
            .iter()
            .all(|field| super::number::parse(field.as_bytes()).is_some())
}

/// Fields of a line, from the first on.
pub(super) struct Fields<'a> {
    separator: Separator,
    rest: Option<&'a [u8]>,
}

impl<'a> Iterator for Fields<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest?;
        match self.separator {
            Separator::Space => {
                let rest = rest.trim_ascii_start();
                if rest.is_empty() {
                    self.rest = None;
                    return None;
                }
                let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
                self.rest = Some(&rest[end..]);
                Some(unquoted(&rest[..end]))
            }
            Separator::Byte(mark) => {
                let start = rest.trim_ascii_start();
                let quoted = (start.first() == Some(&b'"')).then(|| start[1..].iter().position(|&byte| byte == b'"'));
                // A separator within quotes separates nothing.
                let from = match quoted.flatten() {
                    Some(length) => rest.len() - start.len() + length + 2,
                    None => 0,
                };
                let end = memchr::memchr(mark, &rest[from..]).map_or(rest.len(), |at| at + from);
                self.rest = rest.get(end + 1..);
                Some(unquoted(&rest[..end]))
            }
        }
    }
}

fn unquoted(field: &[u8]) -> &[u8] {
    match field.trim_ascii() {
        [b'"', inner @ .., b'"'] => inner.trim_ascii(),
        plain => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str) -> Vec<String> {
        let fields = Separator::of_line(line).fields(line.as_bytes());
        fields
            .map(|field| String::from_utf8_lossy(field).into_owned())
            .collect()
    }

    #[test]
    fn the_separator_follows_from_the_line() {
        assert_eq!(split("1 0  2.5\t3 "), ["1", "0", "2.5", "3"]);
        assert_eq!(split("1\t0\t2.5\t3"), ["1", "0", "2.5", "3"]);
        assert_eq!(split("1;0;2,5;3"), ["1", "0", "2,5", "3"]);
        assert_eq!(split("1, 0, 2.5, 3"), ["1", "0", "2.5", "3"]);
        assert_eq!(split("1 0 2,5 3,0"), ["1", "0", "2,5", "3,0"]);
        assert_eq!(split("\"a, b\",1,\"\",2"), ["a, b", "1", "", "2"]);
        assert_eq!(split("a,,b,"), ["a", "", "b", ""]);
    }
}
