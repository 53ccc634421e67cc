//! Numbers of recent frames, as JSON for the page.

use serde_json::json;
use throng::render::{Renderer, stats::FrameTimes};

/// Numbers of the newest frame.
pub(crate) fn numbers(renderer: &mut Renderer, times: &FrameTimes) -> String {
    // Times of a still picture arrive after its only frame.
    let gpu_ms = renderer.finished_gpu_ms();
    let passes = gpu_ms.iter().map(|(pass, ms)| (pass.name().to_owned(), json!(ms)));
    let counts = renderer.counts();
    let triangles = renderer.drawn().map_or(counts.triangles, |drawn| drawn.triangles());
    json!({
        "cpuMs": times.cpu_ms,
        "gpuMs": passes.collect::<serde_json::Map<_, _>>(),
        "raster": renderer.raster().0,
        "people": counts.instances,
        "triangles": triangles,
        "bytes": counts.vram_bytes,
    })
    .to_string()
}
