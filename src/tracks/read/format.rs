//! Formats and the marks by which each is recognised.

/// Format of a file of trajectories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// JuPedSim's SQLite database.
    JuPedSim,
    /// HDF5 of the Pedestrian Dynamics Data Archive.
    DataArchive,
    /// Text of PeTrack and of JuPedSim up to version 0.9.
    PeTrack,
    /// Vadere's table of footsteps, `.traj`.
    Vadere,
    /// SUMO's floating car data, XML.
    SumoFcd,
    /// Viswalk's protocol of pedestrians, `.pp`.
    Viswalk,
    /// Pathfinder's table.
    PathfinderCsv,
    /// Pathfinder's JSON.
    PathfinderJson,
    /// Table of crowd:it.
    CrowdIt,
    /// ETH walking pedestrians, `obsmat.txt`.
    EthObsmat,
    /// Text of TrajNet.
    TrajNet,
    /// Any other table with columns by name or as told.
    Table,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 12] = [
        Self::JuPedSim,
        Self::DataArchive,
        Self::PeTrack,
        Self::Vadere,
        Self::SumoFcd,
        Self::Viswalk,
        Self::PathfinderCsv,
        Self::PathfinderJson,
        Self::CrowdIt,
        Self::EthObsmat,
        Self::TrajNet,
        Self::Table,
    ];

    /// Name for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::JuPedSim => "JuPedSim SQLite",
            Self::DataArchive => "Pedestrian Dynamics Data Archive HDF5",
            Self::PeTrack => "PeTrack text",
            Self::Vadere => "Vadere trajectories",
            Self::SumoFcd => "SUMO floating car data",
            Self::Viswalk => "Viswalk protocol",
            Self::PathfinderCsv => "Pathfinder CSV",
            Self::PathfinderJson => "Pathfinder JSON",
            Self::CrowdIt => "crowd:it CSV",
            Self::EthObsmat => "ETH obsmat",
            Self::TrajNet => "TrajNet text",
            Self::Table => "table",
        }
    }
}

/// Formats in a sentence, for messages.
pub(super) fn known() -> String {
    let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
    format!("throng reads {}", names.join(", "))
}

/// First bytes of a SQLite database.
pub(super) const SQLITE_MAGIC: &[u8] = b"SQLite format 3\0";
/// First bytes of an HDF5 file.
pub(super) const HDF5_MAGIC: &[u8] = b"\x89HDF\r\n\x1a\n";

/// Format that the first bytes of a file, unpacked, have; `None` for tables, which only their columns tell apart, and
/// for anything else.
pub(super) fn recognise(head: &[u8]) -> Option<Format> {
    if head.starts_with(SQLITE_MAGIC) {
        return Some(Format::JuPedSim);
    }
    if head.starts_with(HDF5_MAGIC) {
        return Some(Format::DataArchive);
    }
    let text = String::from_utf8_lossy(&head[..head.len().min(4096)]);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let first = text.lines().next().unwrap_or_default();
    if first.starts_with('<') {
        return text.contains("<fcd-export").then_some(Format::SumoFcd);
    }
    if first.starts_with('{') {
        return Some(Format::PathfinderJson);
    }
    if first.starts_with("#IDXCOL=") || first.starts_with("pedestrianId ") || first.starts_with("timeStep pedestrianId")
    {
        return Some(Format::Vadere);
    }
    None
}

/// True if a file looks like trajectories: any text or one of the known databases, packed or not. Characters in glTF
/// and settings in TOML are none.
#[must_use]
pub fn is_trajectories(head: &[u8]) -> bool {
    let is_packed = head.starts_with(&[0x1f, 0x8b]);
    if is_packed || recognise(head).is_some_and(|format| format != Format::PathfinderJson) {
        return true;
    }
    let text = String::from_utf8_lossy(&head[..head.len().min(4096)]);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let quoted_number = text
        .strip_prefix('{')
        .map(|rest| rest.trim_start().trim_start_matches('"'));
    if let Some(key) = quoted_number {
        return key.starts_with(|c: char| c.is_ascii_digit());
    }
    super::columns::is_table(text)
}
