//! How many people are there at a time, from the first and the last sample of each.

use super::{AgentKind, GroundMap, Tracks};

/// First and last moments of people. Pauses between them count as presence.
#[derive(Clone, Debug, Default)]
pub struct Presence {
    /// First moments (s of scene time), ascending.
    begins: Vec<f64>,
    /// Last moments (s of scene time), ascending.
    ends: Vec<f64>,
    /// Time of the last sample of any agent (s of scene time).
    duration: f64,
}

impl Presence {
    /// Moments of the people of a file.
    #[must_use]
    pub fn of(tracks: &Tracks, map: &GroundMap) -> Self {
        let people = || tracks.agents.iter().filter(|agent| agent.kind == AgentKind::Person);
        let spans = people().filter_map(|agent| {
            let own = tracks.samples_of(agent);
            Some((map.time(own.first()?.time), map.time(own.last()?.time)))
        });
        let (mut begins, mut ends): (Vec<f64>, Vec<f64>) = spans.unzip();
        begins.sort_by(f64::total_cmp);
        ends.sort_by(f64::total_cmp);
        let times = tracks.samples.iter().map(|sample| map.time(sample.time));
        let duration = times.fold(0.0, f64::max);
        Self { begins, ends, duration }
    }

    /// Time of the last sample (s of scene time).
    #[must_use]
    pub fn duration(&self) -> f64 {
        self.duration
    }

    /// Number of people who are there at a scene time (s).
    #[must_use]
    pub fn at(&self, time: f64) -> usize {
        let begun = self.begins.partition_point(|&begin| begin <= time);
        begun - self.ends.partition_point(|&end| end < time)
    }

    /// Scene time (s) at which most people are there; the middle of the longest such span.
    #[must_use]
    pub fn busiest_time(&self) -> f64 {
        let (mut most, mut longest, mut middle) = (0, 0.0, 0.0);
        for &begin in &self.begins {
            let people = self.at(begin);
            // Nobody arrives or leaves before the next of these.
            let arrival = self.begins.get(self.begins.partition_point(|&other| other <= begin));
            let leave = self.ends.get(self.ends.partition_point(|&end| end < begin));
            let until = arrival.into_iter().chain(leave).copied().fold(f64::INFINITY, f64::min);
            let span = until - begin;
            if people > most || (people == most && span > longest) {
                (most, longest, middle) = (people, span, begin + 0.5 * span);
            }
        }
        middle
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tracks::ReadOptions;

    fn presence(rows: &str) -> Presence {
        let text = format!("id,t,x,y\n{rows}");
        let tracks = Tracks::from_bytes("rows.csv", text.as_bytes(), &ReadOptions::default()).expect("reads");
        Presence::of(&tracks, &GroundMap::of(&tracks))
    }

    #[test]
    fn people_are_there_from_their_first_to_their_last_sample() {
        let presence = presence("1,10,0,0\n1,14,4,0\n2,12,0,0\n2,20,8,0\n3,14,0,0\n3,15,1,0\n");
        assert_eq!(presence.duration(), 10.0);
        let counts = [-0.1, 0.0, 1.9, 2.0, 4.0, 4.1, 5.1, 10.0, 10.1].map(|time| presence.at(time));
        assert_eq!(counts, [0, 1, 1, 2, 3, 2, 1, 1, 0]);
        // All three are there at one moment alone.
        assert_eq!(presence.busiest_time(), 4.0);
    }

    #[test]
    fn the_busiest_time_is_in_the_longest_of_equal_spans() {
        let presence = presence("1,0,0,0\n1,9,9,0\n2,1,0,0\n2,2,1,0\n3,4,0,0\n3,8,4,0\n");
        assert_eq!(presence.busiest_time(), 6.0);
    }
}
