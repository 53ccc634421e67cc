//! Vadere's `.scenario`: JSON with the bounds of the topography and what people walk around.

use serde::Deserialize;

use super::{Area, Walls};

#[derive(Deserialize)]
struct File {
    scenario: Scenario,
}

#[derive(Deserialize)]
struct Scenario {
    topography: Topography,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Topography {
    attributes: Option<Attributes>,
    #[serde(default)]
    obstacles: Vec<ScenarioItem>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attributes {
    bounds: ScenarioShape,
    #[serde(default)]
    bounding_box_width: f64,
    #[serde(default)]
    bounded: bool,
}

#[derive(Deserialize)]
struct ScenarioItem {
    shape: ScenarioShape,
}

/// A polygon, or a rectangle.
#[derive(Deserialize)]
#[serde(untagged)]
enum ScenarioShape {
    Polygon { points: Vec<ScenarioPoint> },
    Rectangle { x: f64, y: f64, width: f64, height: f64 },
    Circle { center: ScenarioPoint, radius: f64 },
}

#[derive(Deserialize)]
struct ScenarioPoint {
    x: f64,
    y: f64,
}

/// Corners of a circle.
const CIRCLE: u32 = 24;

impl ScenarioShape {
    fn outline(&self) -> Vec<[f64; 2]> {
        match self {
            Self::Polygon { points } => points.iter().map(|point| [point.x, point.y]).collect(),
            Self::Rectangle { x, y, width, height } => {
                vec![[*x, *y], [x + width, *y], [x + width, y + height], [*x, y + height]]
            }
            Self::Circle { center, radius } => {
                let angle = |corner: u32| f64::from(corner) * std::f64::consts::TAU / f64::from(CIRCLE);
                let at = |corner| {
                    [
                        center.x + radius * angle(corner).cos(),
                        center.y + radius * angle(corner).sin(),
                    ]
                };
                (0..CIRCLE).map(at).collect()
            }
        }
    }
}

pub(super) fn parse(text: &str) -> Result<Walls, String> {
    let file: File = serde_json::from_str(text).map_err(|error| format!("not a scenario of Vadere: {error}"))?;
    let Topography { attributes, obstacles } = file.scenario.topography;
    let mut walls = Walls::default();
    let area = |outline: Vec<[f64; 2]>| Area {
        outline,
        holes: Vec::new(),
    };
    if let Some(Attributes {
        bounds,
        bounding_box_width,
        ..
    }) = attributes.filter(|all| all.bounded)
        && let ScenarioShape::Rectangle { x, y, width, height } = bounds
    {
        // The frame around the bounds is solid: people walk within.
        let edge = bounding_box_width;
        let inner = ScenarioShape::Rectangle {
            x: x + edge,
            y: y + edge,
            width: width - 2.0 * edge,
            height: height - 2.0 * edge,
        };
        walls.walkable.push(area(inner.outline()));
    }
    walls.solid.extend(
        obstacles
            .iter()
            .map(|item| area(item.shape.outline()))
            .filter(|area| area.outline.len() > 2),
    );
    if walls.is_empty() {
        return Err("a scenario without bounds and walls".to_owned());
    }
    Ok(walls)
}
