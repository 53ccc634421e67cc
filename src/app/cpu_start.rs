//! Start on an adapter that renders on the CPU: light effort, and few people where no number was requested.

use crate::{
    app::{panel::widgets::style::grouped, state::AppState},
    gpu::adapter::AdapterFacts,
};

/// Number of people of the default scene that a CPU adapter starts with.
const EASY: u32 = 100;

/// Sets the effort for an adapter. On one that renders on the CPU, the default scene starts with few people, and a large
/// requested count with few people to estimate its cost. A notice says so.
pub(super) fn apply(state: &mut AppState, adapter: &AdapterFacts) {
    let unasked = std::mem::take(&mut state.load.is_default_scene);
    let before = state.config.render.effort;
    let effort = before.in_window(adapter.is_software());
    (state.config.render.effort, state.preset.render.effort) = (effort, effort);
    if !adapter.is_software() {
        return;
    }
    let mut said = Vec::new();
    if effort != before {
        said.push("light effort (one sample, small shadow map, coarse levels of detail; a click on \"light\" in the panel changes it)".to_owned());
    }
    if unasked {
        state.config.scene.count = EASY;
        said.push(format!("{EASY} people"));
    } else {
        let wanted = grouped(state.config.scene.count.into());
        if let Some(first) = state.defer_large_count() {
            said.push(format!("{first} people first, to estimate the cost of {wanted}"));
        }
    }
    if !said.is_empty() {
        state.load.start_notice = Some(format!("{} renders on the CPU: {}", adapter.name, said.join(", ")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::AppOptions,
        config::{Config, Effort},
        gpu::AdapterKind,
    };

    fn adapter(kind: AdapterKind) -> AdapterFacts {
        AdapterFacts {
            kind,
            ..AdapterFacts::default()
        }
    }

    fn started(count: Option<u32>, kind: AdapterKind) -> AppState {
        let mut options = AppOptions::of(Config::scene("plaza").expect("the default scene"));
        options.is_default_scene = count.is_none();
        options.config.scene.count = count.unwrap_or(options.config.scene.count);
        let mut state = AppState::new(&options);
        apply(&mut state, &adapter(kind));
        state
    }

    #[test]
    fn a_cpu_starts_with_light_effort_and_says_so() {
        let light = started(Some(3000), AdapterKind::Cpu);
        assert_eq!(
            (light.config.render.effort, light.config.scene.count),
            (Effort::Light, 3000)
        );
        let told = light.load.start_notice.unwrap_or_default();
        assert!(told.contains("light effort") && told.contains("click"), "{told}");
        let full = started(None, AdapterKind::DiscreteGpu);
        assert!(full.config.scene.count > EASY && full.load.start_notice.is_none());
        assert_eq!(full.config.render.effort, Effort::Auto);
    }

    #[test]
    fn a_requested_effort_is_kept() {
        let mut config = Config::scene("plaza").expect("the default scene");
        config.render.effort = Effort::Full;
        let mut state = AppState::new(&AppOptions::of(config));
        apply(&mut state, &adapter(AdapterKind::Cpu));
        assert_eq!(
            (state.config.render.effort, state.load.start_notice),
            (Effort::Full, None)
        );
    }

    #[test]
    fn only_default_starts_on_a_cpu_have_fewer_people() {
        let eased = started(None, AdapterKind::Cpu);
        assert_eq!(
            (eased.config.scene.count, eased.load.start_notice.is_some()),
            (EASY, true)
        );
        let many = started(Some(1_000_000), AdapterKind::Cpu);
        assert!(many.config.scene.count < 1000 && many.load.deferred == Some(1_000_000));
        let told = many.load.start_notice.unwrap_or_default();
        assert!(told.contains("to estimate the cost"), "{told}");
        assert_eq!(started(Some(1_000_000), AdapterKind::DiscreteGpu).load.deferred, None);
    }
}
