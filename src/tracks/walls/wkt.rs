//! Well-known text: polygons are walkable areas, lines are walls.
//!
//! Own code: the crate `wkt` descends once more for each nested collection, without a limit, so that a hostile file ends
//! the program.

use super::{Area, Walls};

/// Largest number of points, over all shapes.
const MOST_POINTS: usize = 4_000_000;

/// Reads all geometries of a text, one after another.
///
/// # Errors
/// A sentence with the place of the first problem.
pub fn parse(text: &str) -> Result<Walls, String> {
    let mut reader = WktReader { text, at: 0, points: 0 };
    let mut walls = Walls::default();
    reader.skip(&[';', ',']);
    while !reader.is_end() {
        reader.geometry(&mut walls)?;
        reader.skip(&[';', ',', ')']);
    }
    if walls.is_empty() {
        return Err("no POLYGON and no LINESTRING".to_owned());
    }
    Ok(walls)
}

struct WktReader<'a> {
    text: &'a str,
    /// Byte.
    at: usize,
    points: usize,
}

impl WktReader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn is_end(&self) -> bool {
        self.rest().is_empty()
    }

    /// Skips blanks and some marks.
    fn skip(&mut self, marks: &[char]) {
        let rest = self.rest();
        self.at += rest.len()
            - rest
                .trim_start_matches(|c: char| c.is_whitespace() || marks.contains(&c))
                .len();
    }

    fn problem(&self, expected: &str) -> String {
        let line = self.text[..self.at].matches('\n').count() + 1;
        let found: String = self.rest().chars().take(20).collect();
        format!("line {line}: {expected} expected, found {found:?}")
    }

    fn word(&mut self) -> String {
        self.skip(&[]);
        let rest = self.rest();
        let word: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
        self.at += word.len();
        word.to_uppercase()
    }

    /// True if the next mark is this one, which is then passed.
    fn passes(&mut self, mark: char) -> bool {
        self.skip(&[]);
        let is_next = self.rest().starts_with(mark);
        if is_next {
            self.at += mark.len_utf8();
        }
        is_next
    }

    fn expect(&mut self, mark: char) -> Result<(), String> {
        if self.passes(mark) {
            Ok(())
        } else {
            Err(self.problem(&format!("{mark:?}")))
        }
    }

    /// One geometry. Collections are flat: their members follow one another, and closing brackets are skipped.
    fn geometry(&mut self, walls: &mut Walls) -> Result<(), String> {
        let word = self.word();
        if word == "SRID" {
            let end = self.rest().find(';').map_or(self.text.len(), |at| self.at + at);
            self.at = end;
            return Ok(());
        }
        let before = self.at;
        match self.word().as_str() {
            "Z" | "M" | "ZM" => {}
            "EMPTY" => return Ok(()),
            _ => self.at = before,
        }
        match word.as_str() {
            "GEOMETRYCOLLECTION" => self.expect('('),
            "POLYGON" => {
                let area = self.area()?;
                walls.walkable.extend(area);
                Ok(())
            }
            "MULTIPOLYGON" => {
                self.expect('(')?;
                loop {
                    let area = self.area()?;
                    walls.walkable.extend(area);
                    if !self.passes(',') {
                        return self.expect(')');
                    }
                }
            }
            "LINESTRING" | "LINEARRING" => {
                let line = self.line()?;
                walls.lines.push(line);
                Ok(())
            }
            "MULTILINESTRING" => {
                let lines = self.lines()?;
                walls.lines.extend(lines);
                Ok(())
            }
            "POINT" | "MULTIPOINT" => {
                let end = self.rest().find(')').ok_or_else(|| self.problem("\")\""))?;
                self.at += end + 1;
                Ok(())
            }
            _ => {
                self.at = before - word.len();
                Err(self.problem("POLYGON, LINESTRING or GEOMETRYCOLLECTION"))
            }
        }
    }

    fn area(&mut self) -> Result<Option<Area>, String> {
        let mut rings = self.lines()?.into_iter().map(|mut ring| {
            if ring.len() > 1 && ring.first() == ring.last() {
                ring.pop();
            }
            ring
        });
        let outline = rings.next().filter(|ring| ring.len() > 2);
        Ok(outline.map(|outline| Area {
            outline,
            holes: rings.filter(|ring| ring.len() > 2).collect(),
        }))
    }

    fn lines(&mut self) -> Result<Vec<Vec<[f64; 2]>>, String> {
        self.expect('(')?;
        let mut lines = vec![self.line()?];
        while self.passes(',') {
            lines.push(self.line()?);
        }
        self.expect(')')?;
        Ok(lines)
    }

    fn line(&mut self) -> Result<Vec<[f64; 2]>, String> {
        self.expect('(')?;
        let mut points = Vec::new();
        loop {
            let (x, y) = (self.number()?, self.number()?);
            // Further ordinates are height and measure.
            while !self.rest().trim_start().starts_with([',', ')']) {
                self.number()?;
            }
            points.push([x, y]);
            self.points += 1;
            if self.points > MOST_POINTS {
                return Err(self.problem("at most 4,000,000 points"));
            }
            if !self.passes(',') {
                self.expect(')')?;
                return Ok(points);
            }
        }
    }

    fn number(&mut self) -> Result<f64, String> {
        self.skip(&[]);
        let rest = self.rest();
        let length = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)))
            .unwrap_or(rest.len());
        let number = rest[..length].parse().ok().filter(|number: &f64| number.is_finite());
        let number = number.ok_or_else(|| self.problem("a number"))?;
        self.at += length;
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn areas_with_holes_and_lines_are_read() {
        let walls = parse(
            "SRID=25832;GEOMETRYCOLLECTION Z (POLYGON ((0 0 1, 4 0 1, 4 4 1, 0 4 1, 0 0 1), (1 1, 2 1, 2 2, 1 2)), \
             LINESTRING(5 0, 5 4), POINT (1 1), MULTIPOLYGON(((9 0,10 0,10 1)),((0 9, 1 9, 1 10))))",
        );
        let walls = walls.expect("well-known text");
        assert_eq!((walls.walkable.len(), walls.lines.len()), (3, 1));
        assert_eq!(walls.walkable[0].size(), 15.0);
        assert_eq!(walls.walkable_area(), Some(16.0));
        assert_eq!(walls.walkable[0].outline.len(), 4);
        assert!((walls.length() - (16.0 + 4.0 + 4.0 + 2.0 * (2.0 + 2_f64.sqrt()))).abs() < 1e-9);
    }

    #[test]
    fn problems_name_their_line() {
        let error = parse("POLYGON ((0 0, 1 0,\n1 x))").expect_err("x is no number");
        assert_eq!(error, "line 2: a number expected, found \"x))\"");
        assert!(parse("").is_err() && parse("POLYGON EMPTY").is_err() && parse("CIRCLE (1 1)").is_err());
        // Deep nesting costs no stack.
        assert!(parse(&"GEOMETRYCOLLECTION(".repeat(200_000)).is_err());
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[A-Z(),.0-9 é]{0,60}") {
            let _ = parse(&format!("POLYGON{text}"));
            let _ = parse(&text);
        }
    }
}
