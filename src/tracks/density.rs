//! Local density around people: a sum of Gaussians (Helbing, Johansson and Al-Abideen 2007, Physical Review E 75, 046109,
//! equation 1).

use std::collections::HashMap;

use super::{AgentKind, Sample, Tracks};

/// Radius of the Gaussian (m): its weight at a distance r is exp(-r²/R²) / (π R²).
pub const DENSITY_RADIUS: f32 = 1.0;
/// Distance (m) from which on people have no weight: there it is below 0.02 % of that at the middle.
const REACH: f32 = 3.0 * DENSITY_RADIUS;
/// Interval (s) at which densities are taken.
const EVERY: f64 = 0.5;

/// Cell of the grid: moment, column, row; cells are [`REACH`] wide.
type Cell = (i64, i32, i32);

impl Tracks {
    /// Mean local density (people per m²) of each agent over its samples, in the order of agents, themselves included. 0
    /// for vehicles. One sample of each half second counts.
    #[must_use]
    pub fn mean_densities(&self) -> Vec<f32> {
        let taken = self.samples_in_turn();
        let mut grid: HashMap<Cell, Vec<&Sample>> = HashMap::new();
        for sample in &taken {
            grid.entry(cell(sample)).or_default().push(sample);
        }
        let mut sums = vec![(0.0, 0_u32); self.agents.len()];
        for sample in &taken {
            let Some((sum, count)) = sums.get_mut(sample.agent as usize) else {
                continue;
            };
            *sum += f64::from(density_at(sample, &grid));
            *count += 1;
        }
        let mean = |(sum, count): (f64, u32)| (sum / f64::from(count.max(1))) as f32;
        sums.into_iter().map(mean).collect()
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

    fn densities(rows: &str) -> Vec<f32> {
        let text = format!("id,t,x,y\n{rows}");
        let tracks = Tracks::from_bytes("rows.csv", text.as_bytes(), &ReadOptions::default()).expect("reads");
        tracks.mean_densities()
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
        let all = densities(&rows);
        let middle = all[10 * 20 + 10];
        assert!((middle - 4.0).abs() < 0.02, "{middle}");
        // A quarter of the plane, and those on its edges.
        assert!(all[0] < 0.5 * middle, "{}", all[0]);
    }

    #[test]
    fn who_is_alone_or_there_at_another_time_has_the_least_density() {
        let alone = 1.0 / std::f32::consts::PI;
        let all = densities("1,0,0,0\n1,1,0,0\n2,5,0,0\n2,6,0,0\n3,0,9,0\n3,1,9,0\n");
        assert!(all.iter().all(|density| (density - alone).abs() < 1e-5), "{all:?}");
        let pair = densities("1,0,0,0\n1,1,0,0\n2,0,1,0\n2,1,1,0\n");
        let wanted = alone * (1.0 + (-1.0_f32).exp());
        assert!(pair.iter().all(|density| (density - wanted).abs() < 1e-5), "{pair:?}");
    }
}
