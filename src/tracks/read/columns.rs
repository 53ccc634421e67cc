//! Meaning of the columns of a table: by their names in any order, by a user's list, or by a format's convention.

use crate::tracks::LengthUnit;

use super::fields::Separator;

/// Meaning of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Seconds.
    Time,
    /// Number of a frame.
    Frame,
    /// Identity of an agent.
    Id,
    X,
    Y,
    Z,
    /// Heading (radians counter-clockwise from +x).
    Yaw,
    /// Heading (degrees counter-clockwise from +x).
    YawDegrees,
    /// Component of a heading.
    OriX,
    /// Component of a heading.
    OriY,
    /// Values for colours.
    Value,
}

/// Names of each role, without case, unit and marks between words.
const NAMES: &[(Role, &[&str])] = &[
    (
        Role::Time,
        &["t", "time", "simtime", "simsec", "timestamp", "seconds", "sec", "times"],
    ),
    (
        Role::Frame,
        &[
            "frame",
            "fr",
            "frames",
            "frameid",
            "frameno",
            "framenumber",
            "framenum",
            "timestep",
            "step",
        ],
    ),
    (
        Role::Id,
        &[
            "id",
            "pedid",
            "pid",
            "pedestrianid",
            "pedestrian",
            "ped",
            "person",
            "personid",
            "agent",
            "agentid",
            "no",
            "trackid",
            "track",
            "trajectoryid",
            "targetidentity",
            "vehicleid",
            "nr",
            "identity",
        ],
    ),
    (
        Role::X,
        &[
            "x",
            "posx",
            "xpos",
            "positionx",
            "coordcentx",
            "centerx",
            "centrex",
            "xcoord",
            "xm",
        ],
    ),
    (
        Role::Y,
        &[
            "y",
            "posy",
            "ypos",
            "positiony",
            "coordcenty",
            "centery",
            "centrey",
            "ycoord",
            "ym",
        ],
    ),
    (
        Role::Z,
        &["z", "posz", "zpos", "positionz", "coordcentz", "zcoord", "zm"],
    ),
    (
        Role::Yaw,
        &["yaw", "heading", "orientation", "theta", "orientrad", "yawrad"],
    ),
    (
        Role::YawDegrees,
        &["yawdeg", "headingdeg", "orientationdeg", "angledeg"],
    ),
    (Role::OriX, &["orix", "orientx", "orientationx"]),
    (Role::OriY, &["oriy", "orienty", "orientationy"]),
];

/// Names for `--columns`, with what each means.
pub(super) const TOLD_NAMES: &str = "id, frame, time, x, y, z, yaw, yaw_deg, value, or - for a column without use";

/// Name of a column as files write it, taken apart: "pos_x [cm]" is `posx` in cm.
pub(super) struct Heading {
    pub(super) role: Option<Role>,
    pub(super) unit: Option<LengthUnit>,
}

impl Heading {
    pub(super) fn of(name: &str) -> Self {
        let lower = name.trim().to_lowercase();
        // Vadere appends the number of a processor.
        let lower = lower.split_once("-pid").map_or(lower.as_str(), |(name, _)| name);
        let (stem, unit) = match lower.find(['/', '[', '(']) {
            Some(at) => (
                &lower[..at],
                LengthUnit::of_name(lower[at + 1..].trim_matches([' ', ']', ')'])),
            ),
            None => (lower, None),
        };
        let plain: String = stem.chars().filter(|c| c.is_alphanumeric()).collect();
        let found = NAMES.iter().find(|(_, names)| names.contains(&plain.as_str()));
        Self {
            role: found.map(|(role, _)| *role),
            unit,
        }
    }
}

/// Meaning of all columns of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Columns {
    /// Role of each column, up to the last one that has any.
    pub(super) roles: Vec<Option<Role>>,
    /// Unit that a name states.
    pub(super) unit: Option<LengthUnit>,
}

impl Columns {
    /// Columns in a given order.
    pub(super) fn of_roles(roles: &[Role]) -> Self {
        let roles = roles.iter().map(|role| Some(*role)).collect();
        Self { roles, unit: None }
    }

    /// Columns by their names; the first of two names for one role wins, and time wins over frames. The column named
    /// `value` also gives values.
    pub(super) fn of_names<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let mut columns = Self::default();
        for name in names {
            let heading = Heading::of(name);
            let role = heading.role.filter(|role| columns.at(*role).is_none());
            if matches!(role, Some(Role::X | Role::Y)) {
                columns.unit = columns.unit.or(heading.unit);
            }
            columns.roles.push(role);
        }
        columns
    }

    /// Columns as a user lists them.
    ///
    /// # Errors
    /// A name that means nothing, in a sentence.
    pub(super) fn of_told(names: &[String]) -> Result<Self, String> {
        let role = |name: &String| match name.trim() {
            "-" | "_" | "" => Ok(None),
            "value" => Ok(Some(Role::Value)),
            other => match Heading::of(other).role {
                Some(role) => Ok(Some(role)),
                None => Err(format!("--columns: {other:?} is none of {TOLD_NAMES}")),
            },
        };
        let roles = names.iter().map(role).collect::<Result<Vec<_>, _>>()?;
        let columns = Self { roles, unit: None };
        match columns.missing() {
            Some(missing) => Err(format!("--columns: {missing} is missing")),
            None => Ok(columns),
        }
    }

    /// Number of the column with a role.
    pub(super) fn at(&self, role: Role) -> Option<usize> {
        self.roles.iter().position(|own| *own == Some(role))
    }

    /// True if times are seconds, not frames.
    pub(super) fn has_time(&self) -> bool {
        self.at(Role::Time).is_some()
    }

    /// Name of what no trajectory can be without, if it is missing.
    pub(super) fn missing(&self) -> Option<&'static str> {
        let needed = [(Role::Id, "id"), (Role::X, "x"), (Role::Y, "y")];
        let missing = needed.into_iter().find(|(role, _)| self.at(*role).is_none());
        let untimed = self.at(Role::Time).or(self.at(Role::Frame)).is_none();
        missing.map(|(_, name)| name).or(untimed.then_some("time or frame"))
    }
}

/// True if a text may be a table of trajectories: it names places, or has four numbers a line, below its comments.
pub(super) fn is_table(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    let Some(first) = lines.find(|line| !line.is_empty() && !line.starts_with(['#', '*'])) else {
        return false;
    };
    if first.starts_with('$') {
        return text.contains("$PEDESTRIAN:");
    }
    let fields = Separator::of_line(first).fields(first.as_bytes());
    let fields: Vec<String> = fields
        .map(|field| String::from_utf8_lossy(field).into_owned())
        .collect();
    let are_numbers = fields.len() >= 4
        && fields
            .iter()
            .all(|field| super::number::parse(field.as_bytes()).is_some());
    let named = Columns::of_names(fields.iter().map(String::as_str));
    are_numbers || (named.at(Role::X).is_some() && named.at(Role::Y).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_understood_in_any_order_and_spelling() {
        for header in [
            "id,frame,x/cm,y/cm",
            "Y [cm];X [cm];Frame;Track_ID",
            "pos_y(cm),Ped-ID,pos_x(cm),frame_id",
        ] {
            let columns = Columns::of_names(header.split([',', ';']));
            assert_eq!(
                (columns.missing(), columns.unit),
                (None, Some(LengthUnit::Cm)),
                "{header}"
            );
        }
        let columns = Columns::of_names("t,id,name,active,x,y,z".split(','));
        assert_eq!(
            [Role::Time, Role::Id, Role::Z].map(|role| columns.at(role)),
            [Some(0), Some(1), Some(6)]
        );
        assert_eq!(Columns::of_names("id,x,y".split(',')).missing(), Some("time or frame"));
    }

    #[test]
    fn a_told_list_must_be_complete() {
        let told = |list: &str| Columns::of_told(&list.split(',').map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(told("-,id,frame,x,y").map(|columns| columns.at(Role::Id)), Ok(Some(1)));
        assert!(told("id,frame,x").is_err_and(|error| error.contains("y is missing")));
        assert!(told("id,frame,x,y,speeed").is_err_and(|error| error.contains("speeed")));
    }
}
