//! Statistics of a frame, shared by all front-ends.

use crate::{
    config::{Config, LodQuality, Raster, Technique},
    gpu::{Gpu, MemorySource, uploads::ByPurpose},
    render::{
        FrameInput, Pass, Renderer,
        crowd::DrawnCounts,
        stats::{FrameStats, PoseShare, STATS_SCHEMA},
        technique::MorphTargets,
    },
    scene::{Scene, Warning},
};

/// Returns draw counts and memory of a frame, with times left at zero.
#[must_use]
pub fn frame_stats(gpu: &Gpu, scene: &Scene, renderer: &Renderer, config: &Config, input: &FrameInput) -> FrameStats {
    let (counts, options) = (renderer.counts(), renderer.options());
    let memory = gpu.memory();
    let (method, technique) = (options.method, options.method.technique.facts());
    let mut notes = scene.notes();
    notes.extend(scene.format_warnings(method.atlas_format()));
    if !technique.lods && (config.render.detail > 0.0 || config.render.cull) {
        notes.push(Warning::FullDetail {
            technique: technique.name,
        });
    }
    if technique.morphs == MorphTargets::LeftOut {
        let morphed = scene.characters.iter().filter(|c| !c.model.morphs.is_empty());
        notes.extend(morphed.map(|c| Warning::MorphsIgnored {
            character: c.model.name.clone(),
            technique: technique.name,
        }));
    }
    if !scene.heroes.is_empty() && !technique.heroes {
        let count = scene.heroes.len();
        let supported = Technique::ALL.iter().map(|t| t.facts()).filter(|t| t.heroes);
        let techniques = supported.map(|t| t.name).collect();
        notes.push(Warning::HeroesBaked { count, techniques });
    }
    if options.samples != config.render.effective_samples() {
        notes.push(Warning::Samples {
            wanted: config.render.effective_samples(),
            used: options.samples,
        });
    }
    let (raster, unsupported_reason) = renderer.raster();
    notes.extend(unsupported_reason.map(|why| Warning::RasterRefused { why }));
    let drawn = renderer.drawn();
    FrameStats {
        schema: STATS_SCHEMA,
        adapter: gpu.facts.clone(),
        scene: config.scene.name.clone(),
        characters: scene.characters.iter().map(|c| c.model.name.clone()).collect(),
        size: [config.window.width, config.window.height],
        samples: options.samples,
        fxaa: options.display_steps.contains(Pass::Fxaa),
        effort: options.effort,
        seed: config.scene.seed,
        time: input.clock.to_seconds(),
        technique: technique.name.into(),
        format: method.atlas_format().map(|format| format.name().into()),
        atlas_source: technique.has_source().then(|| method.source.name().into()),
        instances: counts.instances,
        visible: drawn.map_or(counts.instances, |d| d.visible),
        hidden: drawn.map_or(0, |d| d.hidden),
        lods: drawn.map_or_else(Vec::new, |d| d.lods.clone()),
        lod_quality: match options.draws_lods(&config.render) {
            true => scene.lod_quality(),
            false => LodQuality::Full,
        },
        poses: renderer.poses().map(PoseShare::from),
        raster: raster.name().into(),
        sw_raster_max_rows: (raster == Raster::Compute).then_some(input.sw_raster_max_rows),
        draw_calls: renderer.draw_calls().clone(),
        triangles: drawn.map_or(counts.triangles, DrawnCounts::triangles),
        surviving_triangles: drawn.and_then(DrawnCounts::surviving_triangles),
        prop_triangles: drawn.map_or(counts.prop_triangles, |d| d.prop_triangles),
        vertices: counts.vertices,
        atlas_bytes: counts.atlas_bytes,
        frame_data_bytes: counts.frame_data_bytes,
        vram_bytes: memory.as_ref().map_or(counts.vram_bytes, |m| m.bytes),
        vram_source: match memory {
            Some(_) => MemorySource::Allocator,
            None => MemorySource::Estimate,
        },
        vram_by_purpose: memory.map_or_else(ByPurpose::new, |m| m.by_purpose),
        notes,
        ..FrameStats::default()
    }
}
