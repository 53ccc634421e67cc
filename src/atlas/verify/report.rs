//! The result of [`verify`](super::verify), as a table and as JSON.

use std::fmt;

use crate::atlas::AtlasFormat;

/// Where an error is worst.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ErrorPlace {
    /// Clip name.
    pub clip: String,
    /// Clip time, seconds.
    pub time: f32,
    /// Name of the joint that moves the vertex most.
    pub joint: String,
    /// Index into the merged mesh's vertices.
    pub vertex: u32,
}

/// Worst error and 99th percentile over all compared vertices and moments.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Statistics {
    /// Millimetres (thousandths of the file's unit).
    pub worst_mm: f32,
    /// Millimetres; at most 4.4 % too high.
    pub p99_mm: f32,
    /// Percent of the character's height.
    pub worst_percent: f32,
    /// Percent of the character's height.
    pub p99_percent: f32,
    /// Where the worst is; absent where there is no error at all.
    pub at: Option<ErrorPlace>,
}

impl Statistics {
    /// From metres.
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
    /// Its name.
    pub clip: String,
    /// Its frames.
    pub frames: u32,
    /// Bytes of these.
    pub bytes: u64,
    /// Everything together, at and between frames.
    pub total: Statistics,
}

/// Cost of one format.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct FormatReport {
    /// Which.
    pub format: AtlasFormat,
    /// Frames of all clips.
    pub frames: u32,
    /// Size of the atlas.
    pub bytes: u64,
    /// Everything together, at and between frames.
    pub total: Statistics,
    /// Per clip, in the order of the model.
    pub clips: Vec<ClipReport>,
    /// Encoding alone, at baked frames; absent where it cannot be told from the rest.
    pub encoding_at_frames: Option<Statistics>,
    /// Encoding alone, between frames; absent likewise.
    pub encoding_between_frames: Option<Statistics>,
    /// Everything together, at baked frames.
    pub total_at_frames: Statistics,
    /// Everything together, between frames.
    pub total_between_frames: Statistics,
    /// Worst normal, everything together, degrees.
    pub normal_at_frames_degrees: f32,
    /// Worst normal, everything together, degrees.
    pub normal_between_frames_degrees: f32,
    /// Worst tangent at or between frames, everything together, degrees; 0 without normal maps.
    pub tangent_degrees: f32,
}

impl FormatReport {
    /// Worst error of any vertex at any moment, everything together, millimetres; not-a-number
    /// counts as infinite.
    #[must_use]
    pub fn worst_mm(&self) -> f32 {
        let moments = [self.total_at_frames.worst_mm, self.total_between_frames.worst_mm];
        moments
            .into_iter()
            .fold(0.0, |worst, mm| if mm.is_nan() { f32::INFINITY } else { worst.max(mm) })
    }

    /// Worst error in percent of the character's height.
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

/// Accuracy cost of baking a character.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Report {
    /// Name of the model.
    pub character: String,
    /// Extent of the rest pose along y (the largest extent where that is zero), metres.
    pub height_m: f32,
    /// Vertices of the merged mesh.
    pub vertices: u32,
    /// Vertices that have fewer influences than in their file.
    pub reduced_vertices: u32,
    /// Baked frames of all clips; of the first format, where each has its own.
    pub frames: u32,
    /// Frames compared.
    pub frames_checked: u32,
    /// Moments between frames compared.
    pub between_checked: u32,
    /// Cost of leaving influences out: more than four, or more than eight where that is kept.
    pub influences: Statistics,
    /// Cost of blending two frames instead of sampling the keys, between frames.
    pub resampling: Statistics,
    /// Cost of packing vertices.
    pub vertex_packing: Statistics,
    /// Cost of each format.
    pub formats: Vec<FormatReport>,
    /// Parts that the bake cannot hold, where, and what helps; one sentence each.
    pub warnings: Vec<String>,
}

impl Report {
    /// For frames of which only the encoded values are left: states no encoding error, and says why.
    #[must_use]
    pub fn without_encoding(mut self) -> Self {
        for format in &mut self.formats {
            (format.encoding_at_frames, format.encoding_between_frames) = (None, None);
        }
        self.warnings.push(
            "the frames were chosen by another version or program: what encoding costs is not told apart, and counts \
             as resampling"
                .into(),
        );
        self
    }

    /// This report and that of another format with frames of its own.
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
    /// Total errors of every clip, a line each.
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
