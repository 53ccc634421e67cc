//! Conclusions from sums: which height bands can be evaluated, and the result of every gate for every method.

use std::collections::BTreeMap;

use crate::{
    bench::{
        SceneMethod,
        quality::{
            control::PLANTED_FAULTS,
            gates::{Gate, LEAST_PIXELS, failed},
            inspect::{Inspection, MethodInspection},
            report::{BandQuality, ControlQuality, GateResult, MethodQuality, SceneQuality, WorstSpot},
            sums::{self, BANDS, BandSums, QualitySums},
        },
    },
    render::heights::band_rows,
};

/// Returns the quality of a scene for the report; `file` names the picture of a method's worst tile.
pub(super) fn conclude(found: &Inspection<'_>, file: impl Fn(SceneMethod) -> String) -> SceneQuality {
    let auto = found.ways.first().map(MethodInspection::sums).unwrap_or_default();
    let bands: Vec<BandQuality> = (0..BANDS)
        .map(|band| band_quality(band, &auto[band], &found.controls))
        .collect();
    let evaluated: Vec<bool> = bands.iter().map(|band| band.unjudged.is_none()).collect();
    let mut ways = vec![culled(found)];
    let inspected = found.graphics.iter().chain(&found.ways);
    ways.extend(inspected.map(|inspected| way_quality(inspected, &evaluated, found, &file)));
    if let Some(why) = &found.no_compute {
        ways.push(MethodQuality {
            unavailable: Some(why.clone()),
            ..nothing(SceneMethod::Compute)
        });
    }
    SceneQuality {
        scene: found.quality_scene.place.scene.to_string(),
        count: found.people,
        samples: found.samples,
        views: found.quality_scene.views.clone(),
        moments: found.quality_scene.moments.clone(),
        bands,
        ways,
    }
}

impl MethodInspection {
    /// Returns the sums over all views.
    fn sums(&self) -> BandSums {
        let mut all = BandSums::default();
        self.views.iter().for_each(|view| sums::add(&mut all, view));
        all
    }
}

/// Returns the quality of a band, and whether gates reject every control there.
fn band_quality(band: usize, auto: &QualitySums, controls: &[BandSums]) -> BandQuality {
    let (from_rows, to_rows) = band_rows(band);
    let controls: Vec<ControlQuality> = PLANTED_FAULTS
        .iter()
        .zip(controls)
        .map(|((name, _), sums)| ControlQuality {
            name: (*name).to_owned(),
            values: values(&sums[band]),
            rejected_by: failed(&sums[band], band),
        })
        .collect();
    let accepted: Vec<&str> = controls
        .iter()
        .filter(|control| control.rejected_by.is_empty())
        .map(|control| control.name.as_str())
        .collect();
    let unjudged = if auto.covered[1] <= 0.0 {
        Some("nobody is so tall".to_owned())
    } else if auto.pixels < LEAST_PIXELS {
        Some(format!("{} pixels of people are too few", auto.pixels))
    } else {
        (!accepted.is_empty()).then(|| format!("a control is accepted: {}", accepted.join(", ")))
    };
    let mean = |sum: f64| (auto.pixels > 0).then(|| sum / auto.pixels as f64);
    BandQuality {
        from_rows,
        to_rows: to_rows.is_finite().then_some(to_rows),
        covered: auto.covered[1],
        full_luminance_error: mean(auto.luminance[1]),
        full_flip: mean(auto.flip[1]),
        controls,
        unjudged,
    }
}

fn way_quality(
    inspected: &MethodInspection,
    evaluated: &[bool],
    found: &Inspection<'_>,
    file: &impl Fn(SceneMethod) -> String,
) -> MethodQuality {
    let sums = inspected.sums();
    let whole = |gate: Gate| gate.value(&whole(&sums, evaluated, gate));
    let mut verdicts: Vec<GateResult> = Gate::OF_PICTURES
        .into_iter()
        .filter(|gate| *gate != Gate::Coverage)
        .map(|gate| GateResult::of(gate, None, whole(gate)))
        .collect();
    let bands = (0..BANDS).filter(|band| evaluated[*band]);
    verdicts.extend(bands.map(|band| GateResult::of(Gate::Coverage, Some(band), Gate::Coverage.value(&sums[band]))));
    // Full detail has no popping gate: the popping of other methods is relative to it.
    if inspected.way != SceneMethod::Full {
        verdicts.push(GateResult::of(
            Gate::Popping,
            None,
            inspected.popping.map(|popping| popping.p99),
        ));
    }
    let view = |(name, sums): (&String, &BandSums)| {
        let value = |gate: Gate| Some((gate, gate.value(&self::whole(sums, evaluated, gate))?));
        (name.clone(), Gate::OF_PICTURES.into_iter().filter_map(value).collect())
    };
    MethodQuality {
        verdicts,
        bands: sums.iter().map(values).collect(),
        views: found
            .quality_scene
            .views
            .iter()
            .zip(&inspected.views)
            .map(view)
            .collect(),
        worst_tile: sums.iter().map(|sums| sums.worst_tile).fold(0.0, f64::max),
        brighter: {
            let all = self::whole(&sums, evaluated, Gate::Tiles);
            (all.tiles[0] > 0).then(|| all.brighter / all.tiles[0] as f64)
        },
        popping: inspected.popping,
        worst_spot: inspected.spot.as_ref().map(|spot| WorstSpot {
            file: file(inspected.way),
            view: spot.view.clone(),
            time: spot.time,
            corner: spot.corner,
            difference: spot.difference,
        }),
        ..nothing(inspected.way)
    }
}

/// Compares culled full detail, whose pictures must be identical.
fn culled(found: &Inspection<'_>) -> MethodQuality {
    let compared = found.compared > 0;
    MethodQuality {
        verdicts: vec![GateResult::of(
            Gate::Culling,
            None,
            compared.then_some(found.culling as f64),
        )],
        ..nothing(SceneMethod::Culled)
    }
}

/// Makes the quality of a method without any values.
pub(super) fn nothing(way: SceneMethod) -> MethodQuality {
    MethodQuality {
        way,
        unavailable: None,
        verdicts: Vec::new(),
        bands: Vec::new(),
        views: BTreeMap::new(),
        worst_tile: 0.0,
        brighter: None,
        popping: None,
        worst_spot: None,
    }
}

/// Adds up the evaluated bands that a gate covers.
fn whole(sums: &BandSums, evaluated: &[bool], gate: Gate) -> QualitySums {
    let bands = sums
        .iter()
        .enumerate()
        .filter(|(band, _)| evaluated[*band] && gate.evaluates_band(*band));
    bands.fold(QualitySums::default(), |all, (_, sums)| all.plus(*sums))
}

/// Returns the values of every gate.
fn values(sums: &QualitySums) -> BTreeMap<Gate, f64> {
    let value = |gate: Gate| Some((gate, gate.value(sums)?));
    Gate::OF_PICTURES.into_iter().filter_map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::quality::gates::FIRST_EVALUATED;

    fn sums(error: f64, covered: f64) -> QualitySums {
        QualitySums {
            pixels: 1000,
            luminance: [error, 1.0],
            flip: [error, 1.0],
            covered: [covered, 1000.0],
            fine: [error, 1.0],
            tiles: [100, 0],
            ..QualitySums::default()
        }
    }

    fn controls(error: f64) -> Vec<BandSums> {
        vec![[sums(error, 1000.0); BANDS]; PLANTED_FAULTS.len()]
    }

    #[test]
    fn a_band_is_evaluated_where_every_control_is_rejected() {
        let mut controls = controls(2.0);
        assert_eq!(band_quality(3, &sums(1.0, 1000.0), &controls).unjudged, None);
        controls[2][3] = sums(1.0, 1001.0);
        let band = band_quality(3, &sums(1.0, 1000.0), &controls);
        assert!(band.unjudged.is_some_and(|why| why.contains("scaled by 0.7")));
        assert_eq!(band_quality(4, &sums(1.0, 1000.0), &controls).unjudged, None);
        let few = QualitySums {
            pixels: LEAST_PIXELS - 1,
            ..sums(1.0, 1000.0)
        };
        assert!(band_quality(4, &few, &controls).unjudged.is_some());
        // No control was compared.
        assert!(
            band_quality(4, &sums(1.0, 1000.0), &[BandSums::default(); 4])
                .unjudged
                .is_some()
        );
    }

    #[test]
    fn bands_that_are_not_evaluated_do_not_count() {
        let mut all = [sums(1.0, 1000.0); BANDS];
        all[2] = sums(9.0, 1000.0);
        let mut evaluated = [true; BANDS];
        let value = |evaluated: &[bool]| Gate::Moved.value(&whole(&all, evaluated, Gate::Moved)).expect("pixels");
        assert!((value(&evaluated) - 2.0).abs() < 1e-9);
        evaluated[2] = false;
        assert!((value(&evaluated) - 1.0).abs() < 1e-9);
        let errors = whole(&all, &evaluated, Gate::Flip);
        assert_eq!(errors.pixels, 1000 * (BANDS - 1 - FIRST_EVALUATED) as u64);
        assert_eq!(Gate::Moved.value(&whole(&all, &[false; BANDS], Gate::Moved)), None);
    }
}
