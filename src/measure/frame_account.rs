//! The account of a frame, the same for every front-end.

use std::collections::BTreeMap;

use crate::{
    config::Config,
    gpu::{Gpu, MemorySource, uploads::ByPurpose},
    render::{FrameInput, Pass, Renderer, SHADOW_MAX_INSTANCES, stats::FrameStats, technique::MorphTargets},
    scene::{Scene, Warning},
};

/// What a frame draws and occupies, times left at zero: the same account for every front-end.
#[must_use]
pub fn frame_stats(gpu: &Gpu, scene: &Scene, renderer: &Renderer, config: &Config, input: &FrameInput) -> FrameStats {
    let (counts, options) = (renderer.counts(), renderer.options());
    let memory = gpu.memory();
    let (method, technique) = (options.method, options.method.technique.facts());
    let shadows = renderer.casts_shadows(input);
    let mut notes = scene.notes();
    notes.extend(scene.cautions(method.atlas_format()));
    if config.look.shadows && !shadows {
        let most = SHADOW_MAX_INSTANCES;
        notes.push(Warning::ShadowsDisabled { most });
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
        notes.push(Warning::HeroesBaked { count });
    }
    if options.samples != config.render.msaa {
        notes.push(Warning::Samples {
            wanted: config.render.msaa,
            used: options.samples,
        });
    }
    let mut draw_calls = BTreeMap::from([
        (Pass::Crowd, counts.crowd_draw_calls),
        (Pass::Backdrop, 2 + counts.prop_draw_calls),
        (Pass::Tonemap, 1),
    ]);
    if shadows {
        draw_calls.insert(Pass::Shadow, counts.crowd_draw_calls + counts.prop_draw_calls);
    }
    FrameStats {
        adapter: gpu.facts.clone(),
        scene: config.scene.name.clone(),
        characters: scene.characters.iter().map(|c| c.model.name.clone()).collect(),
        size: [config.window.width, config.window.height],
        samples: options.samples,
        seed: config.scene.seed,
        time: input.clock.to_seconds(),
        technique: technique.name.into(),
        format: method.format.name().into(),
        atlas_source: method.source.name().into(),
        instances: counts.instances,
        visible: counts.instances,
        draw_calls,
        triangles: counts.triangles,
        prop_triangles: counts.prop_triangles,
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
