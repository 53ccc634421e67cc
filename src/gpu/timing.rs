//! GPU time per pass from timestamp queries. Results arrive a few frames late, so that nothing waits for them.

use std::collections::BTreeMap;

use wgpu_profiler::{GpuProfiler, GpuProfilerSettings, GpuTimerQueryResult};

use crate::gpu::Gpu;

/// Timer of passes by name.
pub struct PassTimer {
    profiler: Option<GpuProfiler>,
    period: f32,
    span_ms: Option<f64>,
}

impl PassTimer {
    /// Timer of a device; it times nothing if the adapter has no timestamps.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        let supported = gpu.features.contains(wgpu::Features::TIMESTAMP_QUERY);
        let settings = GpuProfilerSettings {
            enable_timer_queries: supported,
            // Every pass carries its name itself.
            enable_debug_groups: false,
            // Measurements of CPU times submit this many frames back to back.
            max_num_pending_frames: 16,
        };
        let profiler = GpuProfiler::new(&gpu.device, settings)
            .inspect_err(|e| tracing::warn!("no GPU times: {e}"))
            .ok()
            .filter(|_| supported);
        Self {
            profiler,
            period: gpu.queue.get_timestamp_period(),
            span_ms: None,
        }
    }

    /// Timer that times nothing.
    #[must_use]
    pub const fn off() -> Self {
        Self {
            profiler: None,
            period: 1.0,
            span_ms: None,
        }
    }

    /// Opens a query around one pass. Pass it to [`PassTimer::end`] after the pass.
    pub fn begin(&self, name: &str, encoder: &mut wgpu::CommandEncoder) -> Option<wgpu_profiler::GpuProfilerQuery> {
        self.profiler.as_ref().map(|p| p.begin_pass_query(name, encoder))
    }

    /// Closes a query.
    pub fn end(&self, encoder: &mut wgpu::CommandEncoder, query: Option<wgpu_profiler::GpuProfilerQuery>) {
        if let (Some(profiler), Some(query)) = (&self.profiler, query) {
            profiler.end_query(encoder, query);
        }
    }

    /// Resolves the frame's queries. Call it before `finish` of the frame's last encoder.
    pub fn resolve(&mut self, encoder: &mut wgpu::CommandEncoder) {
        if let Some(profiler) = &mut self.profiler {
            profiler.resolve_queries(encoder);
        }
    }

    /// Ends the frame; call it after the frame's submit. Returns the times (ms) by pass of the newest finished frame.
    pub fn finish_frame(&mut self) -> Option<BTreeMap<String, f64>> {
        let profiler = self.profiler.as_mut()?;
        if let Err(error) = profiler.end_frame() {
            tracing::warn!("GPU times of a frame dropped: {error}");
        }
        self.poll()
    }

    /// Times (ms) by pass of the newest finished frame, if another frame has finished.
    pub fn poll(&mut self) -> Option<BTreeMap<String, f64>> {
        let profiler = self.profiler.as_mut()?;
        let mut newest = None;
        while let Some(results) = profiler.process_finished_frame(self.period) {
            newest = Some(results);
        }
        if let Some(results) = &newest {
            self.span_ms = span_ms(results);
        }
        newest.map(|results| milliseconds(&results))
    }

    /// Time (ms) of the newest finished frame, from the start of its first pass to the end of its last. Gaps between
    /// passes count; overlaps count once.
    #[must_use]
    pub const fn span_ms(&self) -> Option<f64> {
        self.span_ms
    }
}

fn span_ms(results: &[GpuTimerQueryResult]) -> Option<f64> {
    let times = || results.iter().filter_map(|result| result.time.as_ref());
    let first = times().map(|time| time.start).reduce(f64::min)?;
    let last = times().map(|time| time.end).reduce(f64::max)?;
    Some((last - first) * 1e3)
}

fn milliseconds(results: &[GpuTimerQueryResult]) -> BTreeMap<String, f64> {
    let timed = results.iter().filter_map(|r| Some((r.label.clone(), r.time.as_ref()?)));
    timed.map(|(label, t)| (label, (t.end - t.start) * 1e3)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn span_includes_gaps_and_counts_overlaps_once() {
        let pass = |label: &str, time| GpuTimerQueryResult {
            label: label.into(),
            pid: 0,
            tid: std::thread::current().id(),
            time,
            nested_queries: Vec::new(),
        };
        let frame = [
            pass("a", Some(1.0..1.5)),
            pass("b", Some(1.25..2.0)),
            pass("c", None),
            pass("d", Some(3.0..3.5)),
        ];
        assert_eq!(span_ms(&frame), Some(2500.0));
        assert_eq!(milliseconds(&frame).values().sum::<f64>(), 1750.0);
        assert_eq!(span_ms(&[]), None);
    }
}
