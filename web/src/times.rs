//! Numbers of recent frames, as JSON for the page.

use serde_json::json;
use throng::render::{Renderer, stats::FrameTimes};

/// Numbers of the newest frame.
pub(crate) fn numbers(renderer: &Renderer, times: &FrameTimes) -> String {
    let passes = times
        .gpu_ms
        .iter()
        .map(|(pass, ms)| (pass.name().to_owned(), json!(ms)));
    let counts = renderer.counts();
    let triangles = renderer.drawn().map_or(counts.triangles, |drawn| drawn.triangles());
    json!({
        "cpuMs": times.cpu_ms,
        "gpuMs": passes.collect::<serde_json::Map<_, _>>(),
        "people": counts.instances,
        "triangles": triangles,
        "bytes": counts.vram_bytes,
    })
    .to_string()
}
