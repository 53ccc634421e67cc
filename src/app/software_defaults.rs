//! Start settings that keep the window interactive on CPU adapters.

use crate::{
    app::{panel::widgets::style::grouped, state::AppState},
    gpu::adapter::AdapterFacts,
};

/// Number of people that a CPU adapter draws at interactive rates.
const EASY: u32 = 60;

/// Reduces a start on a CPU adapter: few people, one sample, no shadows, unless a scene, count or character was
/// requested. A large requested count starts with few people to estimate its cost. A notice says so.
pub(super) fn apply_software_defaults(state: &mut AppState, adapter: &AdapterFacts) {
    let unasked = std::mem::take(&mut state.is_default_scene);
    if !adapter.is_software() {
        return;
    }
    if !unasked {
        let wanted = grouped(state.config.scene.count.into());
        if let Some(first) = state.defer_large_count() {
            state.start_notice = Some(format!(
                "{} renders on the CPU: starting with {first} people to estimate the cost of {wanted}",
                adapter.name
            ));
        }
        return;
    }
    state.config.scene.count = EASY;
    state.config.render.msaa = 1;
    state.config.look.shadows = false;
    state.start_notice = Some(format!(
        "{} renders on the CPU: starting with {EASY} people, without shadows and anti-aliasing",
        adapter.name
    ));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{app::AppOptions, config::Config, gpu::AdapterKind};

    fn started(count: Option<u32>, kind: AdapterKind) -> AppState {
        let mut options = AppOptions::of(Config::scene("plaza").expect("the default scene"));
        options.is_default_scene = count.is_none();
        options.config.scene.count = count.unwrap_or(options.config.scene.count);
        let mut state = AppState::new(&options);
        let adapter = AdapterFacts {
            kind,
            ..AdapterFacts::default()
        };
        apply_software_defaults(&mut state, &adapter);
        state
    }

    #[test]
    fn only_default_starts_on_a_cpu_are_reduced() {
        let eased = started(None, AdapterKind::Cpu);
        assert_eq!((eased.config.scene.count, eased.start_notice.is_some()), (EASY, true));
        assert_eq!(started(Some(3000), AdapterKind::Cpu).config.scene.count, 3000);
        assert!(started(None, AdapterKind::DiscreteGpu).config.scene.count > EASY);
        let many = started(Some(1_000_000), AdapterKind::Cpu);
        assert!(many.config.scene.count < 1000 && many.deferred == Some(1_000_000));
        let told = many.start_notice.unwrap_or_default();
        assert!(told.contains("to estimate the cost"), "{told}");
        assert_eq!(started(Some(1_000_000), AdapterKind::DiscreteGpu).deferred, None);
    }
}
