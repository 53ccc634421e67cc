//! `actors.json` and `actors.md`: frames of actors by what the CPU does to them.

use serde::{Deserialize, Serialize};

use crate::{
    bench::{
        BenchSetup,
        report::{
            frame_report::{FrameReport, heading},
            markdown::table,
            text::{or_dash, ratio, significant, thousands},
        },
    },
    measure::Summary,
    render::stats::bytes,
};

/// Everything that `--actors` measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ActorReport {
    /// [`SCHEMA`](crate::bench::SCHEMA).
    pub schema: u32,
    /// Where and how it was measured.
    pub setup: BenchSetup,
    /// Rows, one per count and kind of work, and another one for its A/A control.
    pub rows: Vec<ActorRow>,
    /// Cost of a further view by count.
    #[serde(default)]
    pub views: Vec<ViewCosts>,
    /// Reason for missing rows; absent for a complete run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

/// Culling in a frame of a host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ViewCulling {
    /// People outside the view.
    #[default]
    Outside,
    /// Occluded people, too.
    Hidden,
}

impl ViewCulling {
    /// All kinds, in the order of the rows.
    pub const ALL: [Self; 2] = [Self::Outside, Self::Hidden];

    const fn name(self) -> &'static str {
        match self {
            Self::Outside => "outside",
            Self::Hidden => "outside, hidden",
        }
    }
}

/// Two pictures that are compared with one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ViewPair {
    /// Both of the camera and size of the one.
    #[default]
    Same,
    /// Two halves of the one picture: its middle, and what is seen from the other side of the crowd.
    SplitScreen,
    /// The one picture, and the depth of everybody from the sun.
    ShadowMap,
}

impl ViewPair {
    /// All pairs, in the order of the rows.
    pub const ALL: [Self; 3] = [Self::Same, Self::SplitScreen, Self::ShadowMap];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Same => "two whole pictures",
            Self::SplitScreen => "split screen",
            Self::ShadowMap => "picture and shadow map",
        }
    }
}

/// Frames of one picture and of two, from the start of encoding until the device is idle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ViewCosts {
    /// Living actors.
    pub count: u32,
    /// Two pictures.
    #[serde(default)]
    pub pair: ViewPair,
    /// Culling in each view.
    #[serde(default)]
    pub culling: ViewCulling,
    /// Frame of one picture (ms).
    pub one_ms: Summary,
    /// Frame of the two pictures (ms).
    pub two_ms: Summary,
    /// Median of `two_ms` over that of `one_ms`.
    pub ratio: f64,
    /// Second measurement of one picture over the first (A/A control).
    pub control: Option<f64>,
}

/// Work of the CPU on actors before a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ActorWork {
    /// None: everybody goes on by what was sent before.
    Still,
    /// One in ten is changed by a call each: nine of ten calls are `move_to`, the others `play` with a fade.
    Changes,
    /// One in ten is changed in two calls: `move_all` for nine of ten, `play_all` for the others.
    Lists,
    /// As many as one in ten of those who are there are spawned.
    Spawn,
}

impl ActorWork {
    /// All kinds of work, in the order of the rows.
    pub const ALL: [Self; 4] = [Self::Still, Self::Changes, Self::Lists, Self::Spawn];

    const fn name(self) -> &'static str {
        match self {
            Self::Still => "still",
            Self::Changes => "changes",
            Self::Lists => "changes in lists",
            Self::Spawn => "spawn",
        }
    }
}

/// Frames with one kind of work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActorRow {
    /// Living actors before the frame.
    pub count: u32,
    /// Kind of work.
    pub work: ActorWork,
    /// Number of actors who are changed or spawned before each frame.
    #[serde(alias = "calls")]
    pub changed: u32,
    /// True for the second measurement of the same work (A/A control).
    pub control: bool,
    /// CPU time of the calls (ms).
    pub calls_ms: Option<Summary>,
    /// CPU time to send rows, encode and submit the frame (ms).
    pub frame_ms: Option<Summary>,
    /// CPU time of both (ms).
    pub cpu_ms: Option<Summary>,
    /// GPU time of `animate` with the scattering of changed rows (ms); none on software rasterizers, whose timestamps
    /// do not cover compute.
    pub animate_ms: Option<Summary>,
    /// Bytes sent for the newest frame.
    pub upload_bytes: u64,
    /// Median of `cpu_ms` beyond that of `still` (ms).
    #[serde(default)]
    pub beyond_still_ms: Option<f64>,
    /// Median of `cpu_ms` over that of the first measurement, in rows of controls.
    #[serde(default)]
    pub ratio_to_first: Option<f64>,
}

impl ActorReport {
    /// Compares rows of one count with each other.
    pub fn conclude(&mut self) {
        let first: Vec<_> = { self.rows.iter() }
            .filter(|row| !row.control)
            .filter_map(|row| Some((row.count, row.work, row.cpu_ms?.median)))
            .collect();
        let median_of = |count, work| {
            let found = first.iter().find(|(c, w, _)| (*c, *w) == (count, work));
            found.map(|(.., ms)| *ms)
        };
        for row in &mut self.rows {
            let own = row.cpu_ms.map(|ms| ms.median);
            let still = median_of(row.count, ActorWork::Still);
            row.beyond_still_ms = own.zip(still).map(|(own, still)| own - still);
            let first = median_of(row.count, row.work).filter(|_| row.control);
            row.ratio_to_first = own.zip(first).map(|(own, first)| own / first);
        }
    }
}

impl FrameReport for ActorReport {
    const NAME: &'static str = "actors";

    fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn page(&self) -> String {
        let method = "frames with LODs, without shadows; kinds of work interleaved; median (p95)";
        let mut page = heading("actors", &self.setup, method);
        page += "`CPU ms`: calls, sending of rows, encoding and submitting of the whole frame. `beyond still`: what is \
                 left without a frame in which nobody is changed. `animate` includes scattering of changed rows.\n\n";
        let header = [
            "actors",
            "work",
            "changed",
            "calls ms",
            "frame ms",
            "CPU ms",
            "beyond still ms",
            "animate ms",
            "sent",
            "A/A",
        ];
        let cells = self.rows.iter().map(|row| {
            vec![
                thousands(row.count.into()),
                format!("{}{}", row.work.name(), if row.control { " (again)" } else { "" }),
                thousands(row.changed.into()),
                spread(row.calls_ms),
                spread(row.frame_ms),
                spread(row.cpu_ms),
                or_dash(row.beyond_still_ms),
                spread(row.animate_ms),
                bytes(row.upload_bytes),
                ratio(row.ratio_to_first),
            ]
        });
        table(&mut page, &header, cells);
        page += "\nFrames in a host's passes, of one picture and of two, until the device is idle. The halves of a split screen \
                 have the pixels of the one picture.\n\n";
        let header = ["actors", "two pictures", "culled", "one ms", "two ms", "ratio", "A/A"];
        let cells = self.views.iter().map(|views| {
            vec![
                thousands(views.count.into()),
                views.pair.name().into(),
                views.culling.name().into(),
                spread(Some(views.one_ms)),
                spread(Some(views.two_ms)),
                ratio(Some(views.ratio)),
                ratio(views.control),
            ]
        });
        table(&mut page, &header, cells);
        if let Some(why) = &self.stopped {
            page += &format!("\nRows are missing: {why}\n");
        }
        page
    }

    fn summary(&self) -> String {
        self.page()
    }
}

/// Median, and the 95th percentile in brackets.
fn spread(summary: Option<Summary>) -> String {
    summary.map_or_else(
        || "-".into(),
        |ms| format!("{} ({})", significant(ms.median), significant(ms.p95)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(work: ActorWork, control: bool, ms: f64) -> ActorRow {
        ActorRow {
            count: 1000,
            work,
            changed: 100,
            control,
            calls_ms: None,
            frame_ms: None,
            cpu_ms: Summary::of(&[ms]),
            animate_ms: None,
            upload_bytes: 5_200,
            beyond_still_ms: None,
            ratio_to_first: None,
        }
    }

    #[test]
    fn rows_are_compared_with_still_frames_and_controls_with_their_first() {
        let mut report = ActorReport {
            rows: vec![
                row(ActorWork::Still, false, 0.5),
                row(ActorWork::Changes, false, 0.75),
                row(ActorWork::Changes, true, 1.5),
            ],
            ..ActorReport::default()
        };
        report.conclude();
        let beyond: Vec<_> = report.rows.iter().map(|row| row.beyond_still_ms).collect();
        assert_eq!(beyond, [Some(0.0), Some(0.25), Some(1.0)]);
        assert_eq!(report.rows[1].ratio_to_first, None);
        assert_eq!(report.rows[2].ratio_to_first, Some(2.0));
        assert!(report.page().contains("changes (again)"), "{}", report.page());
        let back: ActorReport = serde_json::from_str(&serde_json::to_string(&report).expect("JSON")).expect("reads");
        assert_eq!(back, report);
    }
}
