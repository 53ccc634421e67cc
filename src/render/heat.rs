//! Colour ramp of heat maps (differences and overdraw), as in shaders/shared/heat.wgsl.

/// Colours at equal distances (linear): black, violet, orange, white.
const COLORS: [[f32; 3]; 4] = [[0.0; 3], [0.55, 0.1, 0.6], [1.0, 0.55, 0.15], [1.0; 3]];

/// Colour (linear) of a heat in 0..=1, where 1 is white.
#[must_use]
pub fn heat_color(heat: f32) -> [f32; 3] {
    let x = heat.clamp(0.0, 1.0) * (COLORS.len() - 1) as f32;
    let first = (x as usize).min(COLORS.len() - 2);
    let part = x - first as f32;
    [0, 1, 2].map(|i: usize| COLORS[first][i] + (COLORS[first + 1][i] - COLORS[first][i]) * part)
}

/// Heat of a number of shaded fragments per pixel: a quarter for one, and a quarter more for each doubling, up to 1 at
/// 8.
#[must_use]
pub fn overdraw_heat(fragments: f32) -> f32 {
    if fragments < 1.0 {
        return 0.25 * fragments.max(0.0);
    }
    (0.25 * (1.0 + fragments.log2())).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_is_brighter() {
        assert_eq!(
            [heat_color(0.0), heat_color(1.0 / 3.0), heat_color(1.0)],
            [COLORS[0], COLORS[1], COLORS[3]]
        );
        let brightness = |heat: f32| heat_color(heat).iter().sum::<f32>();
        assert!((0..20).all(|i| brightness(i as f32 / 20.0) < brightness((i + 1) as f32 / 20.0)));
    }

    #[test]
    fn every_doubling_of_fragments_is_a_step() {
        let told = [0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 100.0].map(overdraw_heat);
        assert_eq!(told, [0.0, 0.125, 0.25, 0.5, 0.75, 1.0, 1.0]);
    }
}
