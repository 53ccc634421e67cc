//! The result of [`verify`](super::verify), as a table and as JSON.

use std::fmt;

use crate::atlas::AtlasFormat;

/// Place of the worst error.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ErrorPlace {
    /// Clip name.
    pub clip: String,
    /// Clip time (s).
    pub time: f32,
    /// Name of the joint that moves the vertex most.
    pub joint: String,
    /// Index into the merged mesh's vertices.
    pub vertex: u32,
}

/// Worst error and 99th percentile over all compared vertices and times.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Statistics {
    /// Worst error (mm, thousandths of the file's unit).
    pub worst_mm: f32,
    /// 99th percentile (mm); at most 4.4 % too high.
    pub p99_mm: f32,
    /// Worst error (percent of the character's height).
    pub worst_percent: f32,
    /// 99th percentile (percent of the character's height).
    pub p99_percent: f32,
    /// Place of the worst error; absent where there is no error.
    pub at: Option<ErrorPlace>,
}

impl Statistics {
    /// Converts errors (m).
    pub(crate) fn new(worst: f32, p99: f32, height: f32, at: Option<ErrorPlace>) -> Self {
        let percent = |x: f32| {
            if height > 0.0 { x / height * 100.0 } else { 0.0 }
        };
        Self {
            worst_mm: worst * 1000.0,
            p99_mm: p99 * 1000.0,
            worst_percent: percent(worst),
            p99_percent: percent(p99),
            at,
        }
    }
}

/// Cost of a clip in one format.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct ClipReport {
    /// Name of the clip.
    pub clip: String,
    /// Number of frames.
    pub frames: u32,
    /// Size of the frames (bytes).
    pub bytes: u64,
    /// Total error at and between frames.
    pub total: Statistics,
}

/// Cost of one format.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct FormatReport {
    /// Format.
    pub format: AtlasFormat,
    /// Frames of all clips.
    pub frames: u32,
    /// Size of the atlas (bytes).
    pub bytes: u64,
    /// Total error at and between frames.
    pub total: Statistics,
    /// Cost of each clip, in the order of the model.
    pub clips: Vec<ClipReport>,
    /// Encoding error at baked frames; absent where it cannot be separated from the resampling error.
    pub encoding_at_frames: Option<Statistics>,
    /// Encoding error between frames; absent where it cannot be separated.
    pub encoding_between_frames: Option<Statistics>,
    /// Total error at baked frames.
    pub total_at_frames: Statistics,
    /// Total error between frames.
    pub total_between_frames: Statistics,
    /// Largest total error of a normal at frames (degrees).
    pub normal_at_frames_degrees: f32,
    /// Largest total error of a normal between frames (degrees).
    pub normal_between_frames_degrees: f32,
    /// Largest total error of a tangent at or between frames (degrees); 0 without normal maps.
    pub tangent_degrees: f32,
}

impl FormatReport {
    /// Largest total error of any vertex at any time (mm); not-a-number counts as infinite.
    #[must_use]
    pub fn worst_mm(&self) -> f32 {
        let moments = [self.total_at_frames.worst_mm, self.total_between_frames.worst_mm];
        moments
            .into_iter()
            .fold(0.0, |worst, mm| if mm.is_nan() { f32::INFINITY } else { worst.max(mm) })
    }

    /// Largest total error (percent of the character's height).
    #[must_use]
    pub fn worst_percent(&self) -> f32 {
        let moments = [
            self.total_at_frames.worst_percent,
            self.total_between_frames.worst_percent,
        ];
        moments
            .into_iter()
            .fold(0.0, |worst, p| if p.is_nan() { f32::INFINITY } else { worst.max(p) })
    }
}

/// Errors of a baked character.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Report {
    /// Name of the model.
    pub character: String,
    /// Extent of the rest pose along y (m); the largest extent where that is zero.
    pub height_m: f32,
    /// Vertices of the merged mesh.
    pub vertices: u32,
    /// Vertices that have fewer influences than in their file.
    pub reduced_vertices: u32,
    /// Baked frames of all clips; those of the first format where each has its own.
    pub frames: u32,
    /// Number of compared frames.
    pub frames_checked: u32,
    /// Number of compared times between frames.
    pub between_checked: u32,
    /// Error of omitted influences: those beyond four, or beyond eight where eight are kept.
    pub influences: Statistics,
    /// Error of blending two frames instead of sampling the keys.
    pub resampling: Statistics,
    /// Error of packing vertices.
    pub vertex_packing: Statistics,
    /// Errors of each format.
    pub formats: Vec<FormatReport>,
    /// Parts that the bake cannot represent, where, and what helps; one sentence each.
    pub warnings: Vec<String>,
}

impl Report {
    /// Report without encoding errors, for frames of which only encoded values exist; adds a warning that says why.
    #[must_use]
    pub fn without_encoding(mut self) -> Self {
        for format in &mut self.formats {
            (format.encoding_at_frames, format.encoding_between_frames) = (None, None);
        }
        self.warnings.push(
            "the frames were chosen by another version or program: the encoding error cannot be separated, and counts \
             as resampling error"
                .into(),
        );
        self
    }

    /// Merges the report of another format, with its own frames, into this one.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.formats.extend(other.formats);
        self.warnings.extend(other.warnings);
        for (own, others) in [
            (&mut self.influences, other.influences),
            (&mut self.resampling, other.resampling),
            (&mut self.vertex_packing, other.vertex_packing),
        ] {
            if others.worst_mm > own.worst_mm {
                *own = others;
            }
        }
        self
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: {:.3} m tall, {} vertices, {} frames; compared {} frames and {} moments between",
            self.character, self.height_m, self.vertices, self.frames, self.frames_checked, self.between_checked
        )?;
        writeln!(
            f,
            "{:<26}{:>11}{:>11}{:>11}  worst at",
            "", "worst mm", "p99 mm", "% height"
        )?;
        row(f, "resampling", &self.resampling)?;
        row(f, "influences left out", &self.influences)?;
        row(f, "packed vertices", &self.vertex_packing)?;
        for format in &self.formats {
            let name = format.format.name();
            if let Some(encoding) = &format.encoding_at_frames {
                row(f, &format!("{name} encoding"), encoding)?;
            }
            row(f, &format!("{name} total at frames"), &format.total_at_frames)?;
            row(f, &format!("{name} total between"), &format.total_between_frames)?;
            writeln!(
                f,
                "{:<26}normals at most {:.3}° at frames, {:.3}° between; {} frames, {} bytes",
                "", format.normal_at_frames_degrees, format.normal_between_frames_degrees, format.frames, format.bytes
            )?;
            if format.tangent_degrees > 0.0 {
                writeln!(f, "{:<26}tangents at most {:.3}°", "", format.tangent_degrees)?;
            }
        }
        self.clips(f)?;
        self.warnings.iter().try_for_each(|w| writeln!(f, "warning: {w}"))
    }
}

impl Report {
    /// Writes the total error of every clip, one line each.
    fn clips(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.formats.first() else {
            return Ok(());
        };
        write!(f, "{:<26}", "clip: frames, worst, p99")?;
        for format in &self.formats {
            write!(f, "{:>28}", format!("{} mm", format.format.name()))?;
        }
        writeln!(f)?;
        for (index, clip) in first.clips.iter().enumerate() {
            write!(f, "{:<26}", clip.clip)?;
            for clip in self.formats.iter().filter_map(|format| format.clips.get(index)) {
                let Statistics { worst_mm, p99_mm, .. } = clip.total;
                write!(f, "{:>8}{worst_mm:>10.4}{p99_mm:>10.4}", clip.frames)?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

fn row(f: &mut fmt::Formatter<'_>, label: &str, s: &Statistics) -> fmt::Result {
    write!(
        f,
        "{label:<26}{:>11.4}{:>11.4}{:>11.4}",
        s.worst_mm, s.p99_mm, s.worst_percent
    )?;
    match &s.at {
        Some(at) => writeln!(f, "  {} {:.3} s, {}, vertex {}", at.clip, at.time, at.joint, at.vertex),
        None => writeln!(f, "  none"),
    }
}
