//! `report.csv`: one line per row, for spreadsheets.

use anyhow::Result;
use serde::Serialize;

use crate::{bench::BenchRow, measure::Summary};

/// Columns of the file. Names state the unit: milliseconds, bytes, millimetres, percent or degrees. A tuple of structs,
/// since the writer takes column names from structs that hold no others.
type CsvRow<'a> = (
    CaseColumns<'a>,
    TimeColumns,
    MemoryColumns,
    GeometryColumns,
    PoseColumns,
    ErrorColumns,
    SkippedColumn<'a>,
);

fn columns(row: &BenchRow) -> CsvRow<'_> {
    (
        CaseColumns::from(row),
        TimeColumns::from(row),
        MemoryColumns::from(row),
        GeometryColumns::from(row),
        PoseColumns::from(row),
        ErrorColumns::from(row),
        SkippedColumn::from(row),
    )
}

/// Method and crowd that were measured.
#[derive(Serialize)]
struct CaseColumns<'a> {
    entry: &'a str,
    technique: &'a str,
    format: &'a str,
    source: &'a str,
    count: u32,
    view: &'a str,
}

impl<'a> From<&'a BenchRow> for CaseColumns<'a> {
    fn from(row: &'a BenchRow) -> Self {
        Self {
            entry: &row.name,
            technique: row.entry.method.technique.name(),
            format: row.entry.method.format.name(),
            source: row.entry.method.source.name(),
            count: row.count,
            view: row.view.name(),
        }
    }
}

/// Times (ms); `timed_frames` counts the frames of `gpu_ms` and `wall_ms`.
#[derive(Serialize)]
struct TimeColumns {
    gpu_ms: Option<f64>,
    gpu_ms_p95: Option<f64>,
    gpu_frame_ms: Option<f64>,
    wall_ms: Option<f64>,
    wall_ms_p95: Option<f64>,
    cpu_ms: Option<f64>,
    cpu_frames: u32,
    timed_frames: u32,
    ratio_to_static: Option<f64>,
}

impl From<&BenchRow> for TimeColumns {
    fn from(row: &BenchRow) -> Self {
        let median = |s: Option<Summary>| s.map(|s| s.median);
        Self {
            gpu_ms: median(row.gpu_ms),
            gpu_ms_p95: row.gpu_ms.map(|s| s.p95),
            gpu_frame_ms: median(row.gpu_frame_ms),
            wall_ms: median(row.wall_ms),
            wall_ms_p95: row.wall_ms.map(|s| s.p95),
            cpu_ms: median(row.cpu_ms),
            cpu_frames: row.cpu_ms.map_or(0, |s| s.count),
            timed_frames: row.wall_ms.map_or(0, |s| s.count),
            ratio_to_static: row.ratio_to_static,
        }
    }
}

/// Uploads and memory (bytes).
#[derive(Serialize)]
struct MemoryColumns {
    upload_bytes: u64,
    atlas_bytes: u64,
    frame_data_bytes: u64,
    gpu_bytes: u64,
}

impl From<&BenchRow> for MemoryColumns {
    fn from(row: &BenchRow) -> Self {
        Self {
            upload_bytes: row.upload_bytes,
            atlas_bytes: row.atlas_bytes,
            frame_data_bytes: row.frame_data_bytes,
            gpu_bytes: row.gpu_bytes,
        }
    }
}

/// Geometry drawn, and pipeline statistics of the GPU.
#[derive(Serialize)]
struct GeometryColumns {
    triangles: u64,
    vertices: u64,
    vertex_invocations: Option<u64>,
    visible_triangles: Option<u64>,
    fragment_invocations: Option<u64>,
    overdraw: Option<f64>,
}

impl From<&BenchRow> for GeometryColumns {
    fn from(row: &BenchRow) -> Self {
        Self {
            triangles: row.triangles,
            vertices: row.vertices,
            vertex_invocations: row.vertex_invocations,
            visible_triangles: row.visible_triangles,
            fragment_invocations: row.fragment_invocations,
            overdraw: row.overdraw,
        }
    }
}

/// Pose sharing of technique `preskinned`.
#[derive(Serialize)]
struct PoseColumns {
    poses_asked: Option<u64>,
    poses_skinned: Option<u64>,
    pose_hit_rate: Option<f64>,
}

impl From<&BenchRow> for PoseColumns {
    fn from(row: &BenchRow) -> Self {
        let poses = row.poses.as_ref();
        Self {
            poses_asked: poses.map(|p| p.asked),
            poses_skinned: poses.map(|p| p.skinned),
            pose_hit_rate: poses.map(|p| p.hit_rate()),
        }
    }
}

/// Errors against exact skinning and against its picture.
#[derive(Serialize)]
struct ErrorColumns {
    worst_mm: Option<f32>,
    worst_percent: Option<f32>,
    encoding_mm: Option<f32>,
    normal_degrees: Option<f32>,
    picture_mean_percent: Option<f64>,
    picture_max_percent: Option<f64>,
}

impl From<&BenchRow> for ErrorColumns {
    fn from(row: &BenchRow) -> Self {
        Self {
            worst_mm: row.error.map(|e| e.worst_mm),
            worst_percent: row.error.map(|e| e.worst_percent),
            encoding_mm: row.error.map(|e| e.encoding_mm),
            normal_degrees: row.error.map(|e| e.normal_degrees),
            picture_mean_percent: row.picture.map(|p| p.mean_percent),
            picture_max_percent: row.picture.map(|p| p.max_percent),
        }
    }
}

/// Reason why a case was not measured; empty otherwise.
#[derive(Serialize)]
struct SkippedColumn<'a> {
    skipped: &'a str,
}

impl<'a> From<&'a BenchRow> for SkippedColumn<'a> {
    fn from(row: &'a BenchRow) -> Self {
        Self {
            skipped: row.skipped.as_deref().unwrap_or(""),
        }
    }
}

/// Returns the bytes of the file.
///
/// # Errors
/// None in practice: it is written to memory.
pub(super) fn csv(rows: &[BenchRow]) -> Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(columns(row))?;
    }
    Ok(writer.into_inner()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        atlas::AtlasFormat,
        bench::{BenchEntry, BenchView},
        config::Technique,
        render::{DrawMethod, resources::AtlasSource},
    };

    #[test]
    fn columns_keep_their_names_and_order() {
        let method = DrawMethod::new(Technique::Static, AtlasFormat::F16, AtlasSource::Storage);
        let entry = BenchEntry { method, control: false };
        let mut row = BenchRow::new(entry, 7, BenchView::Overview);
        (row.upload_bytes, row.overdraw, row.skipped) = (400, Some(1.5), Some("too large".into()));
        let bytes = csv(&[row.clone(), row]).expect("written to memory");
        let text = String::from_utf8(bytes).expect("text");
        let lines: Vec<&str> = text.lines().collect();
        let names = "entry,technique,format,source,count,view,gpu_ms,gpu_ms_p95,gpu_frame_ms,wall_ms,wall_ms_p95,cpu_ms,\
                     cpu_frames,timed_frames,ratio_to_static,upload_bytes,atlas_bytes,frame_data_bytes,gpu_bytes,\
                     triangles,vertices,vertex_invocations,visible_triangles,fragment_invocations,overdraw,poses_asked,\
                     poses_skinned,pose_hit_rate,worst_mm,worst_percent,encoding_mm,normal_degrees,\
                     picture_mean_percent,picture_max_percent,skipped";
        assert_eq!(lines[0], names);
        let values: Vec<&str> = lines[1].split(',').collect();
        let of = |name: &str| values[names.split(',').position(|n| n == name).expect("a column")];
        assert_eq!(values.len(), names.split(',').count());
        assert_eq!(
            ["count", "gpu_ms", "upload_bytes", "overdraw", "skipped"].map(of),
            ["7", "", "400", "1.5", "too large"]
        );
        assert_eq!(lines[2], lines[1]);
    }
}
