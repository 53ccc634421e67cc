//! `report.csv`: one line per row, for spreadsheets.

use anyhow::Result;
use serde::Serialize;

use crate::{bench::BenchRow, measure::Summary};

/// Columns of the file; `timed_frames` counts those of `gpu_ms` and `wall_ms`. Names state the unit: milliseconds,
/// bytes, millimetres, percent or degrees.
#[derive(Serialize)]
struct CsvRow<'a> {
    entry: &'a str,
    technique: &'a str,
    format: &'a str,
    source: &'a str,
    count: u32,
    view: &'a str,
    gpu_ms: Option<f64>,
    gpu_ms_p95: Option<f64>,
    gpu_frame_ms: Option<f64>,
    wall_ms: Option<f64>,
    wall_ms_p95: Option<f64>,
    cpu_ms: Option<f64>,
    cpu_frames: u32,
    timed_frames: u32,
    ratio_to_static: Option<f64>,
    upload_bytes: u64,
    atlas_bytes: u64,
    frame_data_bytes: u64,
    gpu_bytes: u64,
    triangles: u64,
    vertices: u64,
    vertex_invocations: Option<u64>,
    visible_triangles: Option<u64>,
    fragment_invocations: Option<u64>,
    overdraw: Option<f64>,
    poses_asked: Option<u64>,
    poses_skinned: Option<u64>,
    pose_hit_rate: Option<f64>,
    worst_mm: Option<f32>,
    worst_percent: Option<f32>,
    encoding_mm: Option<f32>,
    normal_degrees: Option<f32>,
    picture_mean_percent: Option<f64>,
    picture_max_percent: Option<f64>,
    skipped: &'a str,
}

impl<'a> From<&'a BenchRow> for CsvRow<'a> {
    fn from(row: &'a BenchRow) -> Self {
        let median = |s: Option<Summary>| s.map(|s| s.median);
        Self {
            entry: &row.name,
            technique: row.entry.method.technique.name(),
            format: row.entry.method.format.name(),
            source: row.entry.method.source.name(),
            count: row.count,
            view: row.view.name(),
            gpu_ms: median(row.gpu_ms),
            gpu_ms_p95: row.gpu_ms.map(|s| s.p95),
            gpu_frame_ms: median(row.gpu_frame_ms),
            wall_ms: median(row.wall_ms),
            wall_ms_p95: row.wall_ms.map(|s| s.p95),
            cpu_ms: median(row.cpu_ms),
            cpu_frames: row.cpu_ms.map_or(0, |s| s.count),
            timed_frames: row.wall_ms.map_or(0, |s| s.count),
            ratio_to_static: row.ratio_to_static,
            upload_bytes: row.upload_bytes,
            atlas_bytes: row.atlas_bytes,
            frame_data_bytes: row.frame_data_bytes,
            gpu_bytes: row.gpu_bytes,
            triangles: row.triangles,
            vertices: row.vertices,
            vertex_invocations: row.vertex_invocations,
            visible_triangles: row.visible_triangles,
            fragment_invocations: row.fragment_invocations,
            overdraw: row.overdraw,
            poses_asked: row.poses.as_ref().map(|p| p.asked),
            poses_skinned: row.poses.as_ref().map(|p| p.skinned),
            pose_hit_rate: row.poses.as_ref().map(|p| p.hit_rate()),
            worst_mm: row.error.map(|e| e.worst_mm),
            worst_percent: row.error.map(|e| e.worst_percent),
            encoding_mm: row.error.map(|e| e.encoding_mm),
            normal_degrees: row.error.map(|e| e.normal_degrees),
            picture_mean_percent: row.picture.map(|p| p.mean_percent),
            picture_max_percent: row.picture.map(|p| p.max_percent),
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
        writer.serialize(CsvRow::from(row))?;
    }
    Ok(writer.into_inner()?)
}
