//! History of measured times, for plot and table of the panel.

use std::collections::{BTreeMap, VecDeque};

use crate::{
    config::RenderConfig,
    measure::Summary,
    render::{DrawMethod, Pass, resources::AtlasSource, stats::FrameTimes},
};

/// Number of frames in the history.
pub(crate) const FRAMES: usize = 240;

/// Newest [`FRAMES`] values of one quantity, oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Series(VecDeque<f64>);

impl Series {
    /// Adds the newest value.
    pub(crate) fn push(&mut self, value: f64) {
        if self.0.len() == FRAMES {
            self.0.pop_front();
        }
        self.0.push_back(value);
    }

    /// Iterates over the values, oldest first.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = f64> + '_ {
        self.0.iter().copied()
    }

    /// Median and 95th percentile; zeros without values.
    #[must_use]
    pub(crate) fn summary(&self) -> Summary {
        let values: Vec<f64> = self.iter().collect();
        Summary::of(&values).unwrap_or_default()
    }
}

/// Settings that measured times belong to; a change clears the history.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DrawnSettings {
    /// Render settings, with the rasterizer in use.
    pub render: RenderConfig,
    /// Where the atlas is read from.
    pub source: AtlasSource,
    /// The overdraw map is shown.
    pub overdraw: bool,
    /// Size of the picture (px).
    pub size: (u32, u32),
    /// Shadows are on.
    pub shadows: bool,
    /// Right side of the compare view, while that is shown.
    pub right: Option<DrawMethod>,
}

/// Milliseconds of the newest frames, all of one [`DrawnSettings`].
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct History {
    of: Option<DrawnSettings>,
    /// False until the first frame, which includes the cost of the change and is not counted.
    started: bool,
    /// Time between frames (ms).
    pub frame: Series,
    /// CPU time of encode and submit (ms).
    pub cpu: Series,
    /// CPU time of layout and painting of the panel (ms).
    pub panel: Series,
    /// GPU times by pass (ms), of equal length; 0 if a pass did not run.
    pub gpu: BTreeMap<Pass, Series>,
    /// GPU time of all passes (ms).
    pub gpu_total: Series,
}

/// [`Summary`] of each quantity in a [`History`].
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct HistorySummary {
    /// Time between frames (ms).
    pub frame: Summary,
    /// CPU time of encode and submit (ms).
    pub cpu: Summary,
    /// CPU time of layout and painting of the panel (ms).
    pub panel: Summary,
    /// GPU times by pass (ms).
    pub gpu: BTreeMap<Pass, Summary>,
    /// GPU time of all passes (ms).
    pub gpu_total: Summary,
}

impl History {
    /// Clears the history if the settings have changed; true if so.
    pub(crate) fn follow(&mut self, now: &DrawnSettings) -> bool {
        if self.of.as_ref() == Some(now) {
            return false;
        }
        *self = Self {
            of: Some(now.clone()),
            ..Self::default()
        };
        true
    }

    /// Adds a frame: time since the previous one (ms), its times, and the panel's CPU time (ms).
    pub(crate) fn push(&mut self, frame_ms: f64, times: &FrameTimes, panel_ms: f64) {
        if !std::mem::replace(&mut self.started, true) {
            return;
        }
        self.frame.push(frame_ms);
        self.cpu.push(times.cpu_ms);
        self.panel.push(panel_ms);
        // Timestamps arrive a few frames late.
        if times.gpu_ms.is_empty() {
            return;
        }
        self.gpu_total.push(times.gpu_ms.values().sum());
        let before = self.gpu_total.iter().len() - 1;
        for pass in times.gpu_ms.keys() {
            if !self.gpu.contains_key(pass) {
                let empty = Series(std::iter::repeat_n(0.0, before).collect());
                self.gpu.insert(*pass, empty);
            }
        }
        for (pass, series) in &mut self.gpu {
            series.push(times.gpu_ms.get(pass).copied().unwrap_or(0.0));
        }
    }

    /// Clears the history after a change of scene.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Medians and percentiles of all quantities.
    #[must_use]
    pub(crate) fn summary(&self) -> HistorySummary {
        HistorySummary {
            frame: self.frame.summary(),
            cpu: self.cpu.summary(),
            panel: self.panel.summary(),
            gpu: self.gpu.iter().map(|(pass, s)| (*pass, s.summary())).collect(),
            gpu_total: self.gpu_total.summary(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(passes: &[(Pass, f64)]) -> FrameTimes {
        FrameTimes {
            cpu_ms: 0.5,
            gpu_ms: passes.iter().copied().collect(),
            upload_bytes: 0,
        }
    }

    #[test]
    fn only_the_newest_frames_remain() {
        let mut series = Series::default();
        (0..FRAMES + 10).for_each(|i| series.push(i as f64));
        assert_eq!((series.iter().len(), series.iter().next()), (FRAMES, Some(10.0)));
    }

    fn drawing() -> DrawnSettings {
        DrawnSettings {
            render: RenderConfig::default(),
            source: AtlasSource::Storage,
            overdraw: false,
            size: (900, 600),
            shadows: true,
            right: None,
        }
    }

    #[test]
    fn every_change_of_drawn_settings_clears_the_history() {
        use crate::config::Technique;
        let mut changed = vec![drawing(); 6];
        changed[0].render.technique = Technique::Static;
        changed[1].size = (901, 600);
        changed[2].shadows = false;
        changed[3].right = Some(DrawMethod::REST_POSE);
        changed[4].source = AtlasSource::Texture;
        changed[5].overdraw = true;
        for other in changed {
            let mut history = History::default();
            assert!(history.follow(&drawing()) && !history.follow(&drawing()));
            (0..3).for_each(|_| history.push(16.0, &times(&[(Pass::Shadow, 1.0)]), 0.1));
            assert_eq!((history.frame.iter().len(), history.gpu.len()), (2, 1));
            assert!(history.follow(&other), "{other:?}");
            history.push(900.0, &times(&[]), 0.1);
            assert_eq!((history.frame.iter().len(), history.gpu.len()), (0, 0));
            history.push(16.0, &times(&[]), 0.1);
            assert_eq!((history.frame.iter().len(), history.gpu_total.iter().len()), (1, 0));
        }
    }

    #[test]
    fn late_timestamps_stay_aligned_with_their_frames() {
        let mut history = History {
            started: true,
            ..History::default()
        };
        history.push(16.0, &times(&[(Pass::Crowd, 2.0)]), 0.1);
        history.push(16.0, &times(&[(Pass::Crowd, 2.0), (Pass::Shadow, 1.0)]), 0.1);
        history.push(16.0, &times(&[(Pass::Crowd, 2.0)]), 0.1);
        let shadow: Vec<f64> = history.gpu[&Pass::Shadow].iter().collect();
        assert_eq!(shadow, [0.0, 1.0, 0.0]);
        assert_eq!(history.gpu_total.iter().collect::<Vec<_>>(), [2.0, 3.0, 2.0]);
    }
}
