//! Report of `throng bake` for one character, as text and JSON.

use std::fmt;

use crate::{
    atlas::{
        Atlas, AtlasFormat,
        baked_vertex::VertexAtlas,
        solve::Plan,
        verify::{PlacementCost, even_steps_line, report::Report},
    },
    bake::{self, BakeOptions, Palettes},
    model::Model,
};

/// Times of the stages (ms).
#[derive(Clone, Copy, Debug, Default, serde::Serialize)]
pub struct Times {
    /// Reading the file.
    pub import: f64,
    /// Building LODs; 0 if the file has them.
    #[serde(rename = "levels")]
    pub lods: f64,
    /// Choosing rates and format.
    pub solve: f64,
    /// Sampling and encoding.
    pub bake: f64,
    /// Assembling and writing the file.
    pub write: f64,
    /// Measuring the error.
    pub verify: f64,
}

/// Report about a baked character.
#[derive(Clone, Debug, serde::Serialize)]
pub struct BakedFile {
    /// Input as given.
    pub input: String,
    /// Path of the baked file.
    pub output: String,
    /// Size of the input without referenced files (bytes); 0 for embedded characters.
    pub input_bytes: u64,
    /// Size of the baked file (bytes).
    pub output_bytes: u64,
    /// Encoding of the matrices.
    pub format: AtlasFormat,
    /// Number of clips.
    pub clips: u32,
    /// Number of frames of all clips.
    pub frames: u32,
    /// Matrices per frame.
    pub slots: u32,
    /// LODs: number of triangles or splats, largest height (sample rows), and which of both.
    #[serde(rename = "levels")]
    pub lods: Vec<(usize, f32, &'static str)>,
    /// Size of the matrices (bytes).
    pub atlas_bytes: u64,
    /// Number of frames at even steps of 30 Hz.
    pub even_frames: u64,
    /// Size of these in the same format (bytes).
    pub even_bytes: u64,
    /// Ratio of the size in f32 to `atlas_bytes`.
    pub ratio_to_f32: f64,
    /// Ratio of the size of baked vertices to `atlas_bytes`.
    pub ratio_to_vertices: f64,
    /// Size of the baked vertices in the file (bytes); `None` without them.
    pub vertex_bytes: Option<u64>,
    /// Times of the stages (ms).
    pub times: Times,
    /// Cost of even steps in the same format, if frames are placed by the motion.
    pub even: Option<[PlacementCost; 2]>,
    /// Changes, omissions and assumptions of the import.
    pub notes: Vec<String>,
    /// Plan of the solver, if a limit was given.
    pub plan: Option<Plan>,
    /// Errors of baking, if measured.
    pub errors: Option<Report>,
}

impl BakedFile {
    /// Report with sizes and ratios; the caller fills in paths, times and errors.
    pub(crate) fn new(model: &Model, palettes: &Palettes, atlas: &Atlas, vertices: Option<&VertexAtlas>) -> Self {
        let bytes = atlas.bytes.len() as u64;
        let even_frames = bake::frame_count(model, &BakeOptions::default());
        let ratio = |other: u64| if bytes > 0 { other as f64 / bytes as f64 } else { 0.0 };
        Self {
            input: String::new(),
            output: String::new(),
            input_bytes: 0,
            output_bytes: 0,
            format: atlas.format,
            clips: atlas.clips.len() as u32,
            frames: atlas.frame_count,
            lods: model
                .lods
                .iter()
                .map(|l| (l.triangles(), l.max_sample_rows, l.kind()))
                .collect(),
            slots: atlas.slot_count,
            atlas_bytes: bytes,
            even_frames,
            even_bytes: even_frames * (atlas.slot_count as usize * atlas.format.matrix_bytes()) as u64,
            ratio_to_f32: ratio((palettes.matrices.len() * AtlasFormat::F32.matrix_bytes()) as u64),
            ratio_to_vertices: ratio(VertexAtlas::byte_size(model, palettes)),
            vertex_bytes: vertices.map(|v| 4 * v.words.len() as u64),
            times: Times::default(),
            notes: model.all_notes().collect(),
            plan: None,
            errors: None,
            even: None,
        }
    }
}

impl fmt::Display for BakedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let t = &self.times;
        writeln!(f, "{} -> {}", self.input, self.output)?;
        writeln!(
            f,
            "  size       {} bytes in, {} out; atlas {} bytes in {} ({:.2}× smaller than f32, {:.1}× smaller than \
             baked vertices)",
            self.input_bytes,
            self.output_bytes,
            self.atlas_bytes,
            self.format.name(),
            self.ratio_to_f32,
            self.ratio_to_vertices
        )?;
        if let Some(bytes) = self.vertex_bytes {
            writeln!(f, "  vertices   {bytes} bytes of baked vertices")?;
        }
        if !self.lods.is_empty() {
            let lods: Vec<String> = self
                .lods
                .iter()
                .map(|(count, rows, kind)| format!("{count} {kind} (up to {rows:.0} rows)"))
                .collect();
            writeln!(f, "  levels     {}", lods.join(", "))?;
        }
        writeln!(
            f,
            "  frames     {} of {} clips, {} matrices each; at even steps of 30 Hz {} and {} bytes",
            self.frames, self.clips, self.slots, self.even_frames, self.even_bytes
        )?;
        writeln!(
            f,
            "  time       import {:.1} ms, levels {:.1}, solve {:.1}, bake {:.1}, write {:.1}, verify {:.1}",
            t.import, t.lods, t.solve, t.bake, t.write, t.verify
        )?;
        if let Some(even) = &self.even {
            writeln!(f, "  even steps {}", even_steps_line(even))?;
        }
        for note in &self.notes {
            writeln!(f, "  note       {note}")?;
        }
        if let Some(plan) = &self.plan {
            write_plan(f, plan)?;
        }
        match &self.errors {
            Some(errors) => write!(f, "{errors}"),
            None => Ok(()),
        }
    }
}

/// Writes the solver's table of formats, and its choice for every clip.
fn write_plan(f: &mut fmt::Formatter<'_>, plan: &Plan) -> fmt::Result {
    writeln!(
        f,
        "  {:<8}{:>14}{:>14}{:>14}",
        "format", "encoding mm", "bytes", "worst mm"
    )?;
    for offer in &plan.offers {
        let chosen = if offer.format == plan.format { "  chosen" } else { "" };
        let name = offer.format.name();
        match (offer.bytes, offer.worst_mm) {
            (Some(bytes), Some(worst)) => {
                writeln!(
                    f,
                    "  {name:<8}{:>14.4}{bytes:>14}{worst:>14.4}{chosen}",
                    offer.encoding_mm
                )?;
            }
            _ => writeln!(
                f,
                "  {name:<8}{:>14.4}{:>28}",
                offer.encoding_mm, "cannot meet the limits"
            )?,
        }
    }
    writeln!(f, "  {:<32}{:>9}{:>9}{:>16}", "clip", "Hz", "frames", "resampling mm")?;
    for clip in &plan.clips {
        writeln!(
            f,
            "  {:<32}{:>9.2}{:>9}{:>16.4}",
            clip.clip, clip.rate, clip.frames, clip.resampling_mm
        )?;
    }
    Ok(())
}
