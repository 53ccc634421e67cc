//! Local density around people: a sum of Gaussians (Helbing, Johansson and Al-Abideen 2007, Physical Review E 75, 046109,
//! equation 1).

use std::collections::HashMap;

use rayon::prelude::*;

use super::{Agent, AgentKind, Sample, Tracks};

/// Radius of the Gaussian (m): its weight at a distance r is exp(-r²/R²) / (π R²).
pub const DENSITY_RADIUS: f32 = 1.0;
/// Distance (m) from which on people have no weight: there it is below 0.02 % of that at the middle.
const REACH: f32 = 3.0 * DENSITY_RADIUS;
/// Interval (s) at which densities are taken.
const EVERY: f64 = 0.5;

/// Cell of the grid: moment, column, row; cells are [`REACH`] wide.
type Cell = (i64, i32, i32);

impl Tracks {
    /// Local density (people per m²) around every sample, in the order of [`Tracks::samples`], the person included. It is
    /// taken at one sample of each half second and linear in time between them; NaN for vehicles.
    #[must_use]
    pub fn densities(&self) -> Vec<f32> {
        let taken = self.samples_in_turn();
        let mut grid: HashMap<Cell, Vec<&Sample>> = HashMap::new();
        for sample in &taken {
            grid.entry(cell(sample)).or_default().push(sample);
        }
        let known = |sample: &&Sample| Known {
            agent: sample.agent,
            time: sample.time,
            density: density_at(sample, &grid),
        };
        let known: Vec<Known> = taken.par_iter().map(known).collect();
        let mut next = known.chunk_by(|a, b| a.agent == b.agent).peekable();
        let own = |number: u32| next.next_if(|own| own.first().is_some_and(|first| first.agent == number));
        let own = (0..self.agents.len() as u32).map(own).map(Option::unwrap_or_default);
        let per_agent: Vec<(&Agent, &[Known])> = self.agents.iter().zip(own).collect();
        let of_samples = |(agent, own): (&Agent, &[Known])| -> Vec<f32> {
            let samples = self.samples_of(agent).iter();
            samples.map(|sample| between(own, sample.time)).collect()
        };
        per_agent.into_par_iter().flat_map_iter(of_samples).collect()
    }

    /// One sample of every person in each interval.
    fn samples_in_turn(&self) -> Vec<&Sample> {
        let people = self.agents.iter().filter(|agent| agent.kind == AgentKind::Person);
        let of_agent = people.flat_map(|agent| {
            let mut last = None;
            let own = self.samples_of(agent).iter();
            own.filter(move |sample| last.replace(moment(sample)) != Some(moment(sample)))
        });
        of_agent.collect()
    }
}

/// Density around an agent at one time.
struct Known {
    agent: u32,
    /// Time (s).
    time: f64,
    /// People per m².
    density: f32,
}

/// Density at a time, linear between those known; NaN without any.
fn between(known: &[Known], time: f64) -> f32 {
    let after = known.partition_point(|one| one.time <= time);
    match (after.checked_sub(1).and_then(|at| known.get(at)), known.get(after)) {
        (Some(a), Some(b)) => {
            let share = ((time - a.time) / (b.time - a.time)) as f32;
            a.density + (b.density - a.density) * share
        }
        (Some(only), None) | (None, Some(only)) => only.density,
        (None, None) => f32::NAN,
    }
}

fn moment(sample: &Sample) -> i64 {
    (sample.time / EVERY).floor() as i64
}

fn cell(sample: &Sample) -> Cell {
    let place = |at: f32| (at / REACH).floor() as i32;
    (moment(sample), place(sample.x), place(sample.y))
}

/// Sum of the Gaussians of all people around a sample (people per m²).
fn density_at(sample: &Sample, grid: &HashMap<Cell, Vec<&Sample>>) -> f32 {
    let (time, column, row) = cell(sample);
    let around = (-1..=1).flat_map(|x| (-1..=1).map(move |y| (time, column + x, row + y)));
    let weight = |other: &&Sample| {
        // Floors that lie above each other do not share their people.
        let is_far = (other.z - sample.z).abs() > REACH;
        let squared = (other.x - sample.x).powi(2) + (other.y - sample.y).powi(2);
        if is_far {
            return 0.0;
        }
        let radius = DENSITY_RADIUS * DENSITY_RADIUS;
        (-squared / radius).exp() / (std::f32::consts::PI * radius)
    };
    around.filter_map(|at| grid.get(&at)).flatten().map(weight).sum()
}

#[cfg(test)]
mod tests {
    use crate::tracks::{ReadOptions, Tracks};

    /// Densities at the first samples of all agents, and at all samples.
    fn densities(rows: &str) -> [Vec<f32>; 2] {
        let text = format!("id,t,x,y\n{rows}");
        let tracks = Tracks::from_bytes("rows.csv", text.as_bytes(), &ReadOptions::default()).expect("reads");
        let all = tracks.densities();
        let first = tracks.agents.iter().map(|agent| all[agent.samples.start]).collect();
        [first, all]
    }

    #[test]
    fn an_even_crowd_has_its_own_density() {
        // Four people per m², on a grid of half a metre; those in the middle see no edge.
        let mut rows = String::new();
        for number in 0..400 {
            let (x, y) = (f64::from(number % 20) * 0.5, f64::from(number / 20) * 0.5);
            for time in 0..3 {
                rows += &format!("{number},{time},{x},{y}\n");
            }
        }
        let [all, _] = densities(&rows);
        let middle = all[10 * 20 + 10];
        assert!((middle - 4.0).abs() < 0.02, "{middle}");
        // A quarter of the plane, and those on its edges.
        assert!(all[0] < 0.5 * middle, "{}", all[0]);
    }

    #[test]
    fn who_is_alone_or_there_at_another_time_has_the_least_density() {
        let alone = 1.0 / std::f32::consts::PI;
        let [_, all] = densities("1,0,0,0\n1,1,0,0\n2,5,0,0\n2,6,0,0\n3,0,9,0\n3,1,9,0\n");
        assert!(all.iter().all(|density| (density - alone).abs() < 1e-5), "{all:?}");
        let [_, pair] = densities("1,0,0,0\n1,1,0,0\n2,0,1,0\n2,1,1,0\n");
        let wanted = alone * (1.0 + (-1.0_f32).exp());
        assert!(pair.iter().all(|density| (density - wanted).abs() < 1e-5), "{pair:?}");
    }

    #[test]
    fn densities_change_evenly_while_others_come_near() {
        // The second person comes to the first within a second; samples at a quarter of a second lie between those taken.
        let rows = "1,0,0,0\n1,0.25,0,0\n1,0.5,0,0\n2,0,2,0\n2,0.25,1,0\n2,0.5,0,0\n";
        let [_, all] = densities(rows);
        assert!((all[1] - 0.5 * (all[0] + all[2])).abs() < 1e-5, "{all:?}");
        assert!((all[2] - 2.0 / std::f32::consts::PI).abs() < 1e-5, "{all:?}");
    }
}
