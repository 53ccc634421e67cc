//! From sums to verdicts: which bands can be judged, and what each gate says of each way.

use std::collections::BTreeMap;

use crate::{
    bench::{
        Way,
        quality::{
            control::CONTROLS,
            gates::{Gate, LEAST_PIXELS, failed},
            inspect::{Inspection, Looked},
            report::{BandQuality, ControlQuality, SceneQuality, Verdict, WayQuality, WorstSpot},
            sums::{self, BANDS, BandSums, Sums},
        },
    },
    render::heights::band_rows,
};

/// What was found out of a scene, as the report has it; `file` names the picture of a way's worst spot.
pub(super) fn conclude(found: &Inspection<'_>, file: impl Fn(Way) -> String) -> SceneQuality {
    let auto = found.ways.first().map(Looked::sums).unwrap_or_default();
    let bands: Vec<BandQuality> = (0..BANDS)
        .map(|band| band_quality(band, &auto[band], &found.controls))
        .collect();
    let judged: Vec<bool> = bands.iter().map(|band| band.unjudged.is_none()).collect();
    let mut ways = vec![culled(found)];
    let looked = found.graphics.iter().chain(&found.ways);
    ways.extend(looked.map(|looked| way_quality(looked, &judged, found, &file)));
    if let Some(why) = &found.no_compute {
        ways.push(WayQuality {
            unavailable: Some(why.clone()),
            ..nothing(Way::Compute)
        });
    }
    SceneQuality {
        scene: found.visit.place.scene.clone(),
        count: found.people,
        samples: found.samples,
        views: found.visit.views.clone(),
        moments: found.visit.moments.clone(),
        bands,
        ways,
    }
}

impl Looked {
    /// Of all views.
    fn sums(&self) -> BandSums {
        let mut all = BandSums::default();
        self.views.iter().for_each(|view| sums::add(&mut all, view));
        all
    }
}

/// A band, and whether every control is rejected there.
fn band_quality(band: usize, auto: &Sums, controls: &[BandSums]) -> BandQuality {
    let (from_rows, to_rows) = band_rows(band);
    let controls: Vec<ControlQuality> = CONTROLS
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

fn way_quality(looked: &Looked, judged: &[bool], found: &Inspection<'_>, file: &impl Fn(Way) -> String) -> WayQuality {
    let sums = looked.sums();
    let whole = |gate: Gate| gate.value(&whole(&sums, judged, gate));
    let mut verdicts: Vec<Verdict> = Gate::OF_PICTURES
        .into_iter()
        .filter(|gate| *gate != Gate::Coverage)
        .map(|gate| Verdict::of(gate, None, whole(gate)))
        .collect();
    let bands = (0..BANDS).filter(|band| judged[*band]);
    verdicts.extend(bands.map(|band| Verdict::of(Gate::Coverage, Some(band), Gate::Coverage.value(&sums[band]))));
    // Others are compared with it.
    if looked.way != Way::Full {
        verdicts.push(Verdict::of(
            Gate::Popping,
            None,
            looked.popping.map(|popping| popping.p99),
        ));
    }
    let view = |(name, sums): (&String, &BandSums)| {
        let value = |gate: Gate| Some((gate, gate.value(&self::whole(sums, judged, gate))?));
        (name.clone(), Gate::OF_PICTURES.into_iter().filter_map(value).collect())
    };
    WayQuality {
        verdicts,
        bands: sums.iter().map(values).collect(),
        views: found.visit.views.iter().zip(&looked.views).map(view).collect(),
        worst_tile: sums.iter().map(|sums| sums.worst_tile).fold(0.0, f64::max),
        brighter: {
            let all = self::whole(&sums, judged, Gate::Tiles);
            (all.tiles[0] > 0).then(|| all.brighter / all.tiles[0] as f64)
        },
        popping: looked.popping,
        worst_spot: looked.spot.as_ref().map(|spot| WorstSpot {
            file: file(looked.way),
            view: spot.view.clone(),
            time: spot.time,
            corner: spot.corner,
            difference: spot.difference,
        }),
        ..nothing(looked.way)
    }
}

/// Culled full detail: its pictures are the same or they are not.
fn culled(found: &Inspection<'_>) -> WayQuality {
    let compared = found.compared > 0;
    WayQuality {
        verdicts: vec![Verdict::of(
            Gate::Culling,
            None,
            compared.then_some(found.culling as f64),
        )],
        ..nothing(Way::Culled)
    }
}

/// Nothing is told of a way.
pub(super) fn nothing(way: Way) -> WayQuality {
    WayQuality {
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

/// Judged bands together that a gate looks at.
fn whole(sums: &BandSums, judged: &[bool], gate: Gate) -> Sums {
    let bands = sums
        .iter()
        .enumerate()
        .filter(|(band, _)| judged[*band] && gate.judges(*band));
    bands.fold(Sums::default(), |all, (_, sums)| all.plus(*sums))
}

/// What every gate finds.
fn values(sums: &Sums) -> BTreeMap<Gate, f64> {
    let value = |gate: Gate| Some((gate, gate.value(sums)?));
    Gate::OF_PICTURES.into_iter().filter_map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::quality::gates::FIRST_JUDGED;

    fn sums(error: f64, covered: f64) -> Sums {
        Sums {
            pixels: 1000,
            luminance: [error, 1.0],
            flip: [error, 1.0],
            covered: [covered, 1000.0],
            fine: [error, 1.0],
            tiles: [100, 0],
            ..Sums::default()
        }
    }

    fn controls(error: f64) -> Vec<BandSums> {
        vec![[sums(error, 1000.0); BANDS]; CONTROLS.len()]
    }

    #[test]
    fn a_band_is_judged_where_every_control_is_rejected() {
        let mut controls = controls(2.0);
        assert_eq!(band_quality(3, &sums(1.0, 1000.0), &controls).unjudged, None);
        controls[2][3] = sums(1.0, 1001.0);
        let band = band_quality(3, &sums(1.0, 1000.0), &controls);
        assert!(band.unjudged.is_some_and(|why| why.contains("scaled by 0.7")));
        assert_eq!(band_quality(4, &sums(1.0, 1000.0), &controls).unjudged, None);
        let few = Sums {
            pixels: LEAST_PIXELS - 1,
            ..sums(1.0, 1000.0)
        };
        assert!(band_quality(4, &few, &controls).unjudged.is_some());
        // No control was looked at.
        assert!(
            band_quality(4, &sums(1.0, 1000.0), &[BandSums::default(); 4])
                .unjudged
                .is_some()
        );
    }

    #[test]
    fn bands_that_are_not_judged_do_not_count() {
        let mut all = [sums(1.0, 1000.0); BANDS];
        all[2] = sums(9.0, 1000.0);
        let mut judged = [true; BANDS];
        let value = |judged: &[bool]| Gate::Moved.value(&whole(&all, judged, Gate::Moved)).expect("pixels");
        assert!((value(&judged) - 2.0).abs() < 1e-9);
        judged[2] = false;
        assert!((value(&judged) - 1.0).abs() < 1e-9);
        let errors = whole(&all, &judged, Gate::Flip);
        assert_eq!(errors.pixels, 1000 * (BANDS - 1 - FIRST_JUDGED) as u64);
        assert_eq!(Gate::Moved.value(&whole(&all, &[false; BANDS], Gate::Moved)), None);
    }
}
