//! Statistics of a rendered frame, for the panel and for every report.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    config::{Effort, LodQuality},
    gpu::{MemorySource, adapter::AdapterFacts, uploads::ByPurpose},
    render::{Pass, crowd::LodCount, resources::PoseCounts},
    report::{StartupTimes, Warning},
};

/// Draw counts and memory of one frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DrawCounts {
    /// Instances drawn.
    pub instances: u64,
    /// Draw calls of the crowd pass: one per character.
    pub crowd_draw_calls: u32,
    /// Heroes, who have palettes of their own within the same draw calls.
    pub heroes: u32,
    /// Draw calls of props: one per kind of scenery or attachment.
    pub prop_draw_calls: u32,
    /// Triangles of props.
    pub prop_triangles: u64,
    /// Triangles of the crowd pass.
    pub triangles: u64,
    /// Distinct vertices times instances.
    pub vertices: u64,
    /// Resident animation data on the GPU.
    pub atlas_bytes: u64,
    /// Animation data uploaded for every frame: technique `live`.
    pub frame_data_bytes: u64,
    /// Bytes of characters, instances and targets: an estimate for backends without an allocator report.
    pub vram_bytes: u64,
    /// Bytes that grow with the number of people.
    pub people_bytes: u64,
}

/// Pose sharing of technique `preskinned`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PoseShare {
    /// Poses asked for and poses skinned.
    #[serde(flatten)]
    pub counts: PoseCounts,
    /// [`PoseCounts::hit_rate`], `0.0..=1.0`.
    pub hit_rate: f64,
}

impl From<PoseCounts> for PoseShare {
    fn from(counts: PoseCounts) -> Self {
        Self {
            hit_rate: counts.hit_rate(),
            counts,
        }
    }
}

/// Times of one frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameTimes {
    /// CPU time (ms) to encode and submit.
    pub cpu_ms: f64,
    /// GPU time (ms) by pass, of the newest frame whose timestamps have arrived; empty without timestamps.
    pub gpu_ms: BTreeMap<Pass, f64>,
    /// Bytes sent to the GPU while this frame was encoded.
    pub upload_bytes: u64,
}

/// Schema of [`FrameStats`]. Changes when a reader of older statistics would misread newer ones.
pub const STATS_SCHEMA: u32 = 1;

/// Statistics that `--stats` writes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FrameStats {
    /// [`STATS_SCHEMA`].
    pub schema: u32,
    /// Adapter that drew.
    pub adapter: AdapterFacts,
    /// Scene name.
    pub scene: String,
    /// Characters in the scene.
    pub characters: Vec<String>,
    /// Width and height (px).
    pub size: [u32; 2],
    /// Samples per pixel.
    pub samples: u32,
    /// True if FXAA smoothed edges after tone mapping.
    #[serde(default)]
    pub fxaa: bool,
    /// Effort of the picture.
    #[serde(default)]
    pub effort: Effort,
    /// Seed of the crowd.
    pub seed: u64,
    /// Scene time (s).
    pub time: f64,
    /// `matrix`, `vertex`, `live`, `static`, `textbook`, `preskinned`.
    pub technique: String,
    /// Name of an [`AtlasFormat`](crate::atlas::AtlasFormat); none for techniques that read no atlas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// `texture` or `storage`; `None` if the technique has no choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub atlas_source: Option<String>,
    /// Instances in the scene.
    pub instances: u64,
    /// People drawn: in the view and not occluded. In a window the count is of a recent frame.
    pub visible: u64,
    /// People in the view culled as occluded.
    #[serde(default)]
    pub hidden: u64,
    /// People and triangles by LOD, full detail first; empty without LODs.
    #[serde(default)]
    pub lods: Vec<LodCount>,
    /// Quality of the LODs: `quick` if those of any character are, else `judged`; `full` without LODs.
    #[serde(default)]
    pub lod_quality: LodQuality,
    /// Pose sharing, in a window of a recent frame; `None` if poses are not shared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poses: Option<PoseShare>,
    /// Rasterizer of people: `hardware` or `compute`.
    pub raster: String,
    /// Height (sample rows: pixels times the square root of the samples) above which the hardware rasterizer draws
    /// people, with `compute`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sw_raster_max_rows: Option<u32>,
    /// Draw calls by pass.
    pub draw_calls: BTreeMap<Pass, u32>,
    /// Triangles of people drawn.
    pub triangles: u64,
    /// Triangles of scenery and attachments.
    pub prop_triangles: u64,
    /// Triangles of people and props that survived triangle culling; `None` if it did not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surviving_triangles: Option<u64>,
    /// Distinct vertices times instances.
    pub vertices: u64,
    /// Resident animation data on the GPU.
    pub atlas_bytes: u64,
    /// Animation data uploaded for every frame: technique `live`.
    #[serde(default)]
    pub frame_data_bytes: u64,
    /// Bytes on the GPU, as far as `vram_source` sees.
    pub vram_bytes: u64,
    /// Source of `vram_bytes`.
    #[serde(default)]
    pub vram_source: MemorySource,
    /// `vram_bytes` by label; empty for an estimate.
    #[serde(default)]
    pub vram_by_purpose: ByPurpose,
    /// Bytes uploaded for the newest frame, for the window's panel, picking and second picture too.
    pub upload_bytes: u64,
    /// Bytes uploaded for the first frame, which include what later frames reuse; `None` where it was not counted apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_upload_bytes: Option<u64>,
    /// Uploaded bytes by purpose: label of the buffer or texture.
    #[serde(default)]
    pub upload_by_purpose: ByPurpose,
    /// CPU time (ms) to encode and submit.
    pub cpu_ms: f64,
    /// GPU time (ms) by pass.
    pub gpu_ms: BTreeMap<Pass, f64>,
    /// Time (ms) from submit to idle; `None` if frames were not waited for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall_ms: Option<f64>,
    /// Number of frames of which `gpu_ms` and `wall_ms` are medians.
    pub timed_frames: u32,
    /// Number of frames of which `cpu_ms` is the median. If frames can run ahead of the GPU, they are others than those
    /// above, which were waited for.
    pub cpu_frames: u32,
    /// Number of frames drawn and dropped before those timed.
    pub warm_up_frames: u32,
    /// Startup times by part.
    pub startup_ms: StartupTimes,
    /// Requests that were dropped, assumed or switched off.
    pub notes: Vec<Warning>,
}

impl FrameStats {
    /// Upload in words: `6040 B once, 400 B/frame`. A single frame was the first, whose upload says nothing of later ones.
    #[must_use]
    pub fn upload(&self) -> String {
        match self.first_upload_bytes {
            None => format!("{} B/frame", self.upload_bytes),
            Some(first) if self.timed_frames == 1 && self.warm_up_frames == 0 => {
                format!("{first} B for the first frame")
            }
            Some(first) => format!("{first} B once, {} B/frame", self.upload_bytes),
        }
    }

    /// Method in words: `matrix f16 from storage`, `vertex from texture`, `static`.
    #[must_use]
    pub fn method(&self) -> String {
        let format = self.format.as_ref().map(|format| format!(" {format}"));
        let source = self.atlas_source.as_ref().map(|source| format!(" from {source}"));
        format!(
            "{}{}{}",
            self.technique,
            format.unwrap_or_default(),
            source.unwrap_or_default()
        )
    }

    /// Summary of a few lines for a terminal.
    #[must_use]
    pub fn summary(&self) -> String {
        let gpu: Vec<String> = self.gpu_ms.iter().map(|(pass, ms)| format!("{pass} {ms:.2}")).collect();
        let mut lines = vec![
            format!("adapter    {}", self.adapter.summary()),
            format!(
                "scene      {}: {} of {}, {} triangles in {}",
                self.scene,
                counted(self.instances, "instance"),
                self.characters.join(", "),
                millions(self.triangles),
                counted(
                    self.draw_calls.get(&Pass::Crowd).copied().unwrap_or(0).into(),
                    "draw call"
                ),
            ),
            format!(
                "technique  {}{}: {}, GPU memory {}, upload {}",
                self.method(),
                self.sw_raster_max_rows
                    .map_or_else(String::new, |rows| format!(", rasterised in compute up to {rows} rows")),
                animation_data("atlas ", self.atlas_bytes, self.frame_data_bytes),
                memory(self.vram_bytes, self.vram_source),
                self.upload(),
            ),
            format!(
                "time       CPU {:.3} ms, submit to idle {}, GPU ms by pass: {}",
                self.cpu_ms,
                self.wall_ms.map_or("not measured".into(), |ms| format!("{ms:.2} ms")),
                if gpu.is_empty() {
                    "not available".into()
                } else {
                    gpu.join(", ")
                },
            ),
            format!(
                "start      {:.0} ms: device {:.0}, import {:.0}, bake {:.0}, crowd {:.0}, LODs {:.0}, upload {:.0}, pipelines {:.0}",
                self.startup_ms.total,
                self.startup_ms.device,
                self.startup_ms.import,
                self.startup_ms.bake,
                self.startup_ms.crowd,
                self.startup_ms.lods,
                self.startup_ms.upload,
                self.startup_ms.pipelines,
            ),
        ];
        let light = "effort     light: one sample, a small shadow map, simple ground and sky, coarser LODs";
        lines.extend(self.effort.is_light().then(|| light.to_owned()));
        let quick = "LODs       quick: --lods judged makes coarser ones and keeps them";
        lines.extend((self.lod_quality == LodQuality::Quick).then(|| quick.to_owned()));
        lines.extend(self.poses.as_ref().map(|poses| {
            format!(
                "poses      {} skinned of {} asked for: {:.1} % found in the cache; {}",
                poses.counts.skinned,
                poses.counts.asked,
                100.0 * poses.hit_rate,
                poses.counts.tiers()
            )
        }));
        lines.extend(self.adapter.switched_off.iter().map(|s| format!("disabled   {s}")));
        lines.extend(self.notes.iter().map(|n| format!("note       {n}")));
        lines.join("\n")
    }
}

/// Bytes in words: `812 B`, `3.4 KiB`, `56 MiB`, `1.2 GiB`.
#[must_use]
pub fn bytes(n: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"];
    if n < 1024 {
        return format!("{n} B");
    }
    let power = ((n.ilog2() / 10) as usize).clamp(1, units.len());
    let value = n as f64 / 1024_f64.powi(power as i32);
    // Enough digits to compare sizes.
    let decimals = usize::from(value < 99.95 && value.fract() > 0.0);
    format!("{value:.decimals$} {}", units[power - 1])
}

/// GPU memory in words: `312 MiB`; `about 300 MiB` for an estimate.
#[must_use]
pub fn memory(n: u64, source: MemorySource) -> String {
    match source {
        MemorySource::Allocator => bytes(n),
        MemorySource::Estimate => format!("about {}", bytes(n)),
    }
}

/// Animation data in words: `atlas 770 KiB`; `169 MiB every frame` if it is uploaded for each.
#[must_use]
pub fn animation_data(what: &str, kept: u64, per_frame: u64) -> String {
    if per_frame > 0 {
        format!("{} every frame", bytes(per_frame))
    } else {
        format!("{what}{}", bytes(kept))
    }
}

/// Count with its noun: `1 instance`, `2 instances`.
#[must_use]
pub fn counted(n: u64, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// Number in words: `812`, `3.60 M`.
fn millions(n: u64) -> String {
    match n {
        0..100_000 => n.to_string(),
        _ => format!("{:.2} M", n as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upload_of_the_first_frame_is_never_that_of_every_frame() {
        let told = |first: Option<u64>, timed_frames: u32, warm_up_frames: u32| {
            let stats = FrameStats {
                first_upload_bytes: first,
                upload_bytes: 400,
                timed_frames,
                warm_up_frames,
                ..FrameStats::default()
            };
            stats.upload()
        };
        assert_eq!(told(Some(6040), 29, 1), "6040 B once, 400 B/frame");
        assert_eq!(told(Some(6040), 1, 0), "6040 B for the first frame");
        assert_eq!(told(None, 0, 0), "400 B/frame");
    }

    #[test]
    fn summary_of_one_character_names_it() {
        let stats = FrameStats {
            scene: "knight".into(),
            characters: vec!["knight".into()],
            instances: 1,
            triangles: 4_321,
            atlas_bytes: 30_000,
            draw_calls: BTreeMap::from([(Pass::Crowd, 1)]),
            ..FrameStats::default()
        };
        let told = stats.summary();
        assert!(
            told.contains("1 instance of knight, 4321 triangles in 1 draw call\n"),
            "{told}"
        );
        assert!(told.contains("atlas 29.3 KiB"), "{told}");
        let matrix = FrameStats {
            technique: "matrix".into(),
            format: Some("f16".into()),
            atlas_source: Some("storage".into()),
            ..FrameStats::default()
        };
        let plain = FrameStats {
            technique: "static".into(),
            ..FrameStats::default()
        };
        assert_eq!([matrix.method(), plain.method()], ["matrix f16 from storage", "static"]);
        assert!(!serde_json::to_string(&plain).expect("JSON").contains("\"format\""));
        assert_eq!([millions(99_999), millions(3_600_000)], ["99999", "3.60 M"]);
        assert_eq!(counted(2, "draw call"), "2 draw calls");
    }
}
