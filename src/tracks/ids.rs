//! Identities of agents, numbered in the order in which they first occur.

use std::{collections::HashMap, fmt};

/// Identity of an agent in its file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Id {
    /// Identity that is an integer.
    Number(i64),
    /// Any other text.
    Name(Box<str>),
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Name(name) => f.write_str(name),
        }
    }
}

impl Id {
    /// Identity that a field of a text states.
    pub(super) fn of_field(field: &[u8]) -> Self {
        if let Some(number) = whole_number(field) {
            return Self::Number(number);
        }
        // Tables of floating-point numbers write 7 as 7.0000000e+00.
        match super::read::number::parse(field) {
            Some(number) if number.fract() == 0.0 && number.abs() < 9e15 => Self::Number(number as i64),
            _ => Self::Name(String::from_utf8_lossy(field).into()),
        }
    }
}

fn whole_number(field: &[u8]) -> Option<i64> {
    let (sign, digits) = match field {
        [b'-', rest @ ..] => (-1, rest),
        _ => (1, field),
    };
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let add = |number: i64, digit: &u8| digit.is_ascii_digit().then(|| number * 10 + i64::from(digit - b'0'));
    digits.iter().try_fold(0, add).map(|number| sign * number)
}

/// Numbers given to identities, from 0.
#[derive(Debug, Default)]
pub(super) struct IdTable {
    numbers: HashMap<Id, u32>,
    /// Identities in the order of their numbers.
    pub(super) ids: Vec<Id>,
    /// Identity of the call before: files list many samples of one agent in a row.
    last: Option<(Id, u32)>,
}

impl IdTable {
    /// Number of an identity; a new one if it occurs for the first time.
    pub(super) fn number(&mut self, id: Id) -> u32 {
        if let Some((last, number)) = &self.last
            && *last == id
        {
            return *number;
        }
        let number = match self.numbers.get(&id) {
            Some(number) => *number,
            None => {
                let number = self.ids.len() as u32;
                self.numbers.insert(id.clone(), number);
                self.ids.push(id.clone());
                number
            }
        };
        self.last = Some((id, number));
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_ids_have_one_number_and_floats_that_are_whole_are_numbers() {
        let mut table = IdTable::default();
        let numbers = ["7", "ped0.1", "7.0000000e+00", "-3", "ped0.1", "007"]
            .map(|text| table.number(Id::of_field(text.as_bytes())));
        assert_eq!(numbers, [0, 1, 0, 2, 1, 0]);
        assert_eq!(table.ids[2], Id::Number(-3));
        assert_eq!(Id::of_field(b"").to_string(), "");
    }
}
