//! Whole numbers for agents, which formats of labels demand where files may have names.

use super::{Id, Tracks};

impl Tracks {
    /// Number of each agent, in their order: the file's own ids if all are whole numbers from 0 to 2^31 - 1. Else agents
    /// count from 1 in the order of their first samples in the file, so that one file always gives the same numbers.
    #[must_use]
    pub fn track_numbers(&self) -> Vec<u32> {
        let own = |id: &Id| match id {
            Id::Number(number) => i32::try_from(*number)
                .ok()
                .and_then(|number| u32::try_from(number).ok()),
            Id::Name(_) => None,
        };
        let all: Option<Vec<u32>> = self.agents.iter().map(|agent| own(&agent.id)).collect();
        all.unwrap_or_else(|| (1..).take(self.agents.len()).collect())
    }
}

#[cfg(test)]
mod tests {
    use crate::tracks::{ReadOptions, Tracks};

    #[test]
    fn whole_numbers_stay_and_names_are_counted_in_the_order_of_the_file() {
        let numbers = |ids: [&str; 3]| {
            let lines = ids.map(|id| format!("{id},0,1,2\n{id},1,1,2\n")).concat();
            let text = format!("id,t,x,y\n{lines}");
            let tracks = Tracks::from_bytes("a", text.as_bytes(), &ReadOptions::default()).expect("reads");
            tracks.track_numbers()
        };
        assert_eq!(numbers(["12", "0", "7"]), [12, 0, 7]);
        assert_eq!(numbers(["12", "ped0.1", "7"]), [1, 2, 3]);
        assert_eq!(numbers(["12", "-1", "7"]), [1, 2, 3]);
        assert_eq!(numbers(["12", "2147483648", "7"]), [1, 2, 3]);
    }
}
