//! crowd:it's `.floor`: XML with walls as lists of points.

use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

use super::{Area, Walls};

pub(super) fn parse(text: &str) -> Result<Walls, String> {
    let mut reader = Reader::from_str(text);
    let mut walls = Walls::default();
    let mut open: Option<Wall> = None;
    let mut is_floor = false;
    loop {
        let event = reader.read_event();
        let at = reader_position(&reader, text);
        let line = || text[..at].matches('\n').count() + 1;
        let event = event.map_err(|error| format!("line {}: {error}", line()))?;
        match event {
            Event::Start(tag) | Event::Empty(tag) => match tag.name().as_ref() {
                b"floor" => is_floor = true,
                b"wall" => {
                    let is_deleted = attribute(&tag, "deleted").as_deref() == Some("true");
                    let is_closed = attribute(&tag, "closed").as_deref() == Some("true");
                    open = Some(Wall {
                        is_deleted,
                        is_closed,
                        points: Vec::new(),
                    });
                }
                b"point" => {
                    let number = |name: &str| attribute(&tag, name).and_then(|text| text.parse::<f64>().ok());
                    if let Some(wall) = &mut open {
                        let point = number("x")
                            .zip(number("y"))
                            .filter(|(x, y)| x.is_finite() && y.is_finite());
                        let (x, y) = point.ok_or_else(|| format!("line {}: a point without x and y", line()))?;
                        wall.points.push([x, y]);
                    }
                }
                _ => {}
            },
            Event::End(tag) if tag.name().as_ref() == b"wall" => {
                if let Some(wall) = open.take() {
                    wall.add_to(&mut walls);
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    if !is_floor {
        return Err("XML without <floor>; walls are WKT, crowd:it's .floor or Vadere's .scenario".to_owned());
    }
    if walls.is_empty() {
        return Err("a floor without walls".to_owned());
    }
    Ok(walls)
}

fn reader_position(reader: &Reader<&[u8]>, text: &str) -> usize {
    let at = usize::try_from(reader.buffer_position())
        .unwrap_or(text.len())
        .min(text.len());
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}

/// A wall whose points are being read.
struct Wall {
    is_deleted: bool,
    is_closed: bool,
    points: Vec<[f64; 2]>,
}

impl Wall {
    fn add_to(self, walls: &mut Walls) {
        match (self.is_deleted, self.is_closed && self.points.len() > 2) {
            (true, _) => {}
            (false, true) => walls.solid.push(Area {
                outline: self.points,
                holes: Vec::new(),
            }),
            (false, false) if self.points.len() > 1 => walls.lines.push(self.points),
            (false, false) => {}
        }
    }
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = tag.try_get_attribute(name).ok()??;
    Some(String::from_utf8_lossy(&found.value).into_owned())
}
