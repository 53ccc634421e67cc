//! Facial expressions that clips of other files move, as weights of the character's morph targets.

use std::collections::{BTreeMap, HashSet};

use crate::{
    bake::pose::morph_weight,
    model::{AnimationLibrary, Clip, Expression, Interpolation, Model, MorphChannel},
};

/// Weight at which a binary expression is shown (VRM 1.0, `isBinary`).
const SHOWN: f32 = 0.5;

/// Share of a morph target that an expression's weights have.
struct Share<'a> {
    channel: &'a MorphChannel,
    weight: f32,
    is_binary: bool,
}

impl Share<'_> {
    fn at(&self, time: f32) -> f32 {
        let value = morph_weight(self.channel, time).clamp(0.0, 1.0);
        let value = if self.is_binary {
            f32::from(u8::from(value > SHOWN))
        } else {
            value
        };
        self.weight * value
    }
}

/// Replaces a clip's weights of a library's expressions by those of the model's morph targets. A target that several
/// expressions move gets the sum, at the keys of all of them.
pub(super) fn apply(model: &Model, library: &AnimationLibrary, clip: &mut Clip) {
    let mut shares: BTreeMap<u32, Vec<Share<'_>>> = BTreeMap::new();
    let weights = std::mem::take(&mut clip.morphs);
    for channel in &weights {
        let name = library.expressions.get(channel.morph as usize);
        let Some(expression) = name.and_then(|name| named(model, name)) else {
            continue;
        };
        for target in &expression.targets {
            shares.entry(target.morph).or_default().push(Share {
                channel,
                weight: target.weight,
                is_binary: expression.is_binary,
            });
        }
    }
    let rest = |morph: u32| model.morphs.get(morph as usize).map_or(0.0, |morph| morph.rest);
    clip.morphs = shares
        .iter()
        .map(|(&morph, shares)| combined_channel(morph, rest(morph), shares))
        .collect();
}

/// Names of a library's expressions that a model lacks.
pub(super) fn missing<'a>(model: &Model, library: &'a AnimationLibrary) -> Vec<&'a str> {
    let own: HashSet<String> = model.expressions.iter().map(|own| own.name.to_lowercase()).collect();
    let names = library.expressions.iter().map(String::as_str);
    names.filter(|name| !own.contains(&name.to_lowercase())).collect()
}

fn named<'a>(model: &'a Model, name: &str) -> Option<&'a Expression> {
    let name = name.to_lowercase();
    model.expressions.iter().find(|own| own.name.to_lowercase() == name)
}

/// Channel of one target. Splines become straight lines between their keys.
fn combined_channel(morph: u32, rest: f32, shares: &[Share<'_>]) -> MorphChannel {
    let mut times: Vec<f32> = shares
        .iter()
        .flat_map(|share| share.channel.times.iter().copied())
        .collect();
    times.sort_by(f32::total_cmp);
    times.dedup();
    let holds = |share: &Share<'_>| share.is_binary || share.channel.interpolation == Interpolation::Step;
    let values = times
        .iter()
        .map(|&time| rest + shares.iter().map(|share| share.at(time)).sum::<f32>())
        .collect();
    MorphChannel {
        morph,
        interpolation: if shares.iter().all(holds) {
            Interpolation::Step
        } else {
            Interpolation::Linear
        },
        times,
        values,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ExpressionTarget, Morph};

    fn channel(morph: u32, times: &[f32], values: &[f32]) -> MorphChannel {
        MorphChannel {
            morph,
            interpolation: Interpolation::Linear,
            times: times.to_vec(),
            values: values.to_vec(),
        }
    }

    fn expression(name: &str, is_binary: bool, targets: &[(u32, f32)]) -> Expression {
        let target = |&(morph, weight): &(u32, f32)| ExpressionTarget { morph, weight };
        Expression {
            name: name.into(),
            is_binary,
            targets: targets.iter().map(target).collect(),
        }
    }

    #[test]
    fn targets_follow_the_sum_of_their_expressions() {
        let model = Model {
            morphs: vec![
                Morph::default(),
                Morph {
                    rest: 0.25,
                    ..Morph::default()
                },
            ],
            expressions: vec![
                expression("happy", false, &[(0, 1.0), (1, 0.5)]),
                expression("blink", true, &[(1, 1.0)]),
            ],
            ..Model::default()
        };
        let library = AnimationLibrary {
            expressions: vec!["Happy".into(), "blink".into(), "angry".into()],
            ..AnimationLibrary::default()
        };
        let mut clip = Clip {
            morphs: vec![
                channel(0, &[0.0, 2.0], &[0.0, 1.0]),
                channel(1, &[0.0, 1.0], &[0.0, 0.6]),
                channel(2, &[0.0], &[1.0]),
            ],
            ..Clip::default()
        };
        apply(&model, &library, &mut clip);
        let expected = [
            channel(0, &[0.0, 2.0], &[0.0, 1.0]),
            channel(1, &[0.0, 1.0, 2.0], &[0.25, 0.25 + 0.25 + 1.0, 0.25 + 0.5 + 1.0]),
        ];
        assert_eq!(clip.morphs, expected);
        assert_eq!(missing(&model, &library), ["angry"]);
    }
}
