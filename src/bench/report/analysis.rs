//! Conclusions from the rows: bottlenecks, cases where the matrix atlas is slower, caveats.

use crate::{
    bench::{
        BenchReport, BenchRow, BenchView, TimeBasis,
        report::{
            targets::best_matrix,
            text::{ratio, significant, thousands},
        },
    },
    render::stats::bytes,
    render::technique::Role,
};

/// Parts of names of adapters whose graphics hardware is far smaller than their compute hardware.
const DATA_CENTRE: [&str; 3] = ["H100", "H200", "H800"];

/// Returns caveats about the figures of this adapter.
#[must_use]
pub(super) fn caveats(report: &BenchReport) -> Vec<String> {
    let setup = &report.setup;
    let mut caveats = Vec::new();
    if setup.adapter.is_software() {
        caveats.push(
            "Rendered by a software rasterizer: its times are not representative of a GPU, so only ratios are \
             shown. They include sky, ground and tone mapping, which all entries share. Bytes, errors and pictures \
             are the same on any adapter."
                .to_owned(),
        );
    }
    if DATA_CENTRE.iter().any(|part| setup.adapter.name.contains(part)) {
        caveats.push(format!(
            "{} is a data-centre part that runs graphics on about 4 of its 132 multiprocessors: it is far slower \
             than a desktop card in absolute terms, and its primitive rate hides part of the cost of skinning.",
            setup.adapter.name
        ));
    }
    if setup.build != "release" {
        caveats.push(format!(
            "This is a {} build: its CPU times are not representative of a release build.",
            setup.build
        ));
    }
    let noisy = report.controls.iter().filter(|c| c.noisy).count();
    if noisy > 0 {
        caveats.push(format!(
            "{noisy} of {} A/A controls are outside 0.95-1.05: the machine was busy or frames are too short to \
             time; differences of that size are not significant there.",
            report.controls.len()
        ));
    }
    if let Some(reason) = &report.stopped {
        caveats.push(format!("Incomplete: {reason}."));
    }
    caveats
}

/// Returns the bottleneck of the draw at every count, from rates and from how time follows fragments.
#[must_use]
pub(super) fn binding(report: &BenchReport) -> Vec<String> {
    let groups = report.groups();
    let counts = groups
        .iter()
        .filter(|(_, v)| *v == BenchView::Overview)
        .map(|(c, _)| *c);
    counts.filter_map(|count| binding_at(report, count)).collect()
}

fn binding_at(report: &BenchReport, count: u32) -> Option<String> {
    let row = best_matrix(report, count, BenchView::Overview)?;
    let mut said = vec![format!("{} instances, {}:", thousands(u64::from(count)), row.name)];
    if !report.setup.adapter.is_software() {
        said.extend(rates(report, row));
    }
    if let Some(overdraw) = row.overdraw {
        said.push(format!("{} fragments per pixel;", significant(overdraw)));
    }
    let tax = row.ratio_to_static?;
    said.push(if tax <= 1.05 {
        "as fast as the unskinned mesh: the cost of skinning is hidden".into()
    } else {
        format!(
            "{} % slower than the unskinned mesh: vertex-bound",
            significant((tax - 1.0) * 100.0)
        )
    });
    if let Some(fill) = fill(report, count, row) {
        said.push(fill);
    }
    Some(said.join(" ") + ".")
}

fn rates(report: &BenchReport, row: &BenchRow) -> Option<String> {
    let seconds = row.median(report.setup.basis)? * 1e-3;
    let rate = |n: u64| significant(n as f64 / seconds / 1e6);
    let triangles = format!("{} M triangles/s", rate(row.triangles));
    Some(match row.vertex_invocations {
        Some(vertices) => {
            let reuse = vertices as f64 / row.vertices.max(1) as f64;
            format!(
                "{triangles}, {} M vertex invocations/s ({} per distinct vertex),",
                rate(vertices),
                significant(reuse)
            )
        }
        None => triangles + ",",
    })
}

/// States whether time follows fragments, judging by the view that shades the most.
fn fill(report: &BenchReport, count: u32, row: &BenchRow) -> Option<String> {
    let basis = report.setup.basis;
    let (time, fragments) = (row.median(basis)?, row.fragment_invocations?.max(1));
    let others = [BenchView::Street, BenchView::Close]
        .into_iter()
        .filter_map(|v| report.row(&row.name, count, v));
    let other = others.max_by_key(|r| r.fragment_invocations)?;
    let more = other.fragment_invocations? as f64 / fragments as f64;
    let slower = other.median(basis)? / time;
    let conclusion = if more < 1.5 {
        return None;
    } else if slower < 1.1 {
        "not fragment-bound"
    } else {
        "partly fragment-bound"
    };
    Some(format!(
        "({} shades {}× the fragments in {}× the time: {conclusion})",
        other.view.name(),
        significant(more),
        ratio(Some(slower)),
    ))
}

/// Lists entries that are faster than the best matrix row, with the widest margin. Leaves out `static`, which shows no
/// animation.
#[must_use]
pub(super) fn losses(report: &BenchReport) -> Vec<String> {
    let mut losses: Vec<Loss> = Vec::new();
    for (count, view) in report.groups() {
        let Some(matrix) = best_matrix(report, count, view) else {
            continue;
        };
        for candidate in report.group(count, view).filter(|r| is_competitor(r)) {
            let Some(share) = share(report, candidate, matrix) else {
                continue;
            };
            match losses.iter_mut().find(|l| l.candidate.name == candidate.name) {
                Some(loss) => loss.add(candidate, matrix, share),
                None => losses.push(Loss::new(candidate, matrix, share)),
            }
        }
    }
    let groups = report.groups().len();
    losses.iter().map(|l| l.sentence(groups)).collect()
}

fn is_competitor(row: &BenchRow) -> bool {
    row.entry.method.technique.facts().role == Role::Alternative
}

/// Returns the time of a candidate over that of the matrix row, if it is less beyond the noise.
fn share(report: &BenchReport, candidate: &BenchRow, matrix: &BenchRow) -> Option<f64> {
    // A `live` frame costs more than its crowd pass: the CPU poses it.
    let posed_on_cpu = candidate.entry.method.technique.facts().posed_on_cpu;
    let basis = if posed_on_cpu {
        TimeBasis::Wall
    } else {
        report.setup.basis
    };
    let share = candidate.median(basis)? / matrix.median(basis)?;
    (1.0 / share > 1.0 + noise(report, candidate.count, candidate.view)).then_some(share)
}

/// Technique that is faster somewhere.
struct Loss<'a> {
    candidate: &'a BenchRow,
    matrix: &'a BenchRow,
    /// Smallest ratio of times.
    share: f64,
    groups: usize,
}

impl<'a> Loss<'a> {
    fn new(candidate: &'a BenchRow, matrix: &'a BenchRow, share: f64) -> Self {
        Self {
            candidate,
            matrix,
            share,
            groups: 1,
        }
    }

    fn add(&mut self, candidate: &'a BenchRow, matrix: &'a BenchRow, share: f64) {
        self.groups += 1;
        if share < self.share {
            (self.candidate, self.matrix, self.share) = (candidate, matrix, share);
        }
    }

    fn sentence(&self, groups: usize) -> String {
        format!(
            "{} is faster in {} of {groups} groups, most at {} {}: {} of the time of {}{}.",
            self.candidate.name,
            self.groups,
            thousands(u64::from(self.candidate.count)),
            self.candidate.view.name(),
            ratio(Some(self.share)),
            self.matrix.name,
            memory(self.candidate, self.matrix),
        )
    }
}

fn memory(candidate: &BenchRow, matrix: &BenchRow) -> String {
    if candidate.frame_data_bytes > 0 {
        return format!(", sending {} every frame", bytes(candidate.frame_data_bytes));
    }
    if candidate.atlas_bytes == 0 || matrix.atlas_bytes == 0 {
        return String::new();
    }
    let factor = candidate.atlas_bytes as f64 / matrix.atlas_bytes as f64;
    format!(", with {}× the animation memory", significant(factor))
}

/// Returns the noise of a group: how far its A/A ratio is off, at least 0.01.
#[must_use]
pub(super) fn noise(report: &BenchReport, count: u32, view: BenchView) -> f64 {
    let control = report.controls.iter().find(|c| c.count == count && c.view == view);
    control.map_or(0.05, |c| c.ratio.max(1.0 / c.ratio) - 1.0).max(0.01)
}
