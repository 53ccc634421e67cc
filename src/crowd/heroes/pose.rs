//! Poses of heroes: the baked person's clips sampled from their keys, with layers and a look-at on top.

use glam::{Affine3A, Vec3};

use crate::{
    bake::{Palettes, pose},
    crowd::{
        Instance, InstancePose,
        clock::Clock,
        heroes::{Gaze, Hero, HeroPose, Layer, find_joint, look::Head, mask},
        schedule::ClipTime,
    },
    model::{Clip, Model, Transform, Wrap},
};

/// Rig that heroes of one character share.
#[derive(Clone, Debug, PartialEq)]
pub struct HeroRig {
    head: Option<Head>,
}

impl HeroRig {
    /// Finds neck and head.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        Self {
            head: Head::of(&model.skeleton),
        }
    }

    /// True if the character has a head to turn.
    #[must_use]
    pub fn can_look(&self) -> bool {
        self.head.is_some()
    }
}

/// Model of a character with all that poses of its heroes are computed from.
#[derive(Clone, Copy, Debug)]
pub struct HeroBody<'a> {
    /// Model with skeleton and clips.
    pub model: &'a Model,
    /// Palettes of the model's clips.
    pub palettes: &'a Palettes,
    /// Rig of the model.
    pub rig: &'a HeroRig,
}

/// Computes poses of heroes; reuses its scratch memory.
#[derive(Debug, Default)]
pub struct HeroPoser {
    locals: Vec<Transform>,
    over: Vec<Transform>,
    joints: Vec<Affine3A>,
}

impl HeroPoser {
    /// Pose of a hero at a time. `instance` is the person taken over. `own` is that person's pose by the crowd's plan,
    /// below all layers. `eye` is the position of the camera (m).
    pub fn pose(
        &mut self,
        body: &HeroBody<'_>,
        hero: &Hero,
        instance: &Instance,
        own: &InstancePose,
        clock: Clock,
        eye: Vec3,
    ) -> HeroPose {
        let HeroBody { model, palettes, rig } = *body;
        let seconds = clock.to_seconds();
        self.own(model, palettes, own);
        for layer in &hero.layers {
            self.lay(model, palettes, layer, seconds);
        }
        pose::model_from_joints(&model.skeleton, &self.locals, &mut self.joints);
        if let (Some(look), Some(head)) = (&hero.look, &rig.head) {
            let world = match look.gaze {
                Gaze::Eye => eye,
                Gaze::Point(point) => point,
            };
            let target = own.world_from_model(instance).inverse().transform_point3(world);
            if target.is_finite() {
                head.turn(&mut self.joints, target, look.limits, look.span.weight(seconds));
            }
        }
        let mut palette = vec![Affine3A::IDENTITY; model.skeleton.slots.len()];
        pose::palette(&model.skeleton, &self.joints, &mut palette);
        let sockets = model.skeleton.sockets.iter().map(|socket| {
            let slot = palette.get(socket.slot as usize).copied().unwrap_or(Affine3A::IDENTITY);
            slot * Affine3A::from_mat4(socket.mesh_from_socket)
        });
        HeroPose {
            weight: hero.weight(seconds),
            sockets: sockets.collect(),
            palette,
        }
    }

    /// Position and forward direction of the head of the last hero posed, model space.
    #[must_use]
    pub fn head(&self, rig: &HeroRig) -> Option<(Vec3, Vec3)> {
        Some(rig.head.as_ref()?.ray(&self.joints))
    }

    /// Samples the clips of the crowd's plan as local transforms; fades blend joint by joint.
    fn own(&mut self, model: &Model, palettes: &Palettes, own: &InstancePose) {
        let moment = &own.moment;
        sample(model, palettes, moment.to, &mut self.locals);
        if moment.weight < 1.0 {
            sample(model, palettes, moment.from, &mut self.over);
            for (local, from) in self.locals.iter_mut().zip(&self.over) {
                *local = mix(from, local, moment.weight);
            }
        }
    }

    fn lay(&mut self, model: &Model, palettes: &Palettes, layer: &Layer, seconds: f64) {
        let weight = layer.weight.clamp(0.0, 1.0) * layer.span.weight(seconds);
        let mut clips = palettes.clips.iter();
        let Some(index) = clips.position(|clip| clip.name.eq_ignore_ascii_case(&layer.clip)) else {
            return;
        };
        let reach = match layer.joint.as_str() {
            "" => None,
            name => match find_joint(&model.skeleton, name) {
                Some(root) => Some(mask(&model.skeleton, root)),
                None => return,
            },
        };
        if weight <= 0.0 {
            return;
        }
        let (clip, elapsed) = (&palettes.clips[index], seconds - layer.span.from);
        // Double precision: a layer may play for days.
        let round = f64::from(clip.duration.max(1e-6)) * 2.0;
        let turns = (elapsed * f64::from(layer.speed) + f64::from(layer.start)).min(1e9);
        let time = if clip.wrap.is_endless() {
            turns.rem_euclid(round)
        } else if clip.wrap == Wrap::Once && layer.speed < 0.0 {
            // Reversed clips start at their end, as in the crowd.
            turns + f64::from(clip.duration)
        } else {
            turns
        };
        sample_at(
            model,
            index,
            clip.wrap.local_time(time as f32, clip.duration),
            &mut self.over,
        );
        for (joint, (local, over)) in self.locals.iter_mut().zip(&self.over).enumerate() {
            if reach.as_ref().is_none_or(|reach| reach[joint]) {
                *local = mix(local, over, weight);
            }
        }
    }
}

fn sample(model: &Model, palettes: &Palettes, playing: ClipTime, out: &mut Vec<Transform>) {
    let index = playing.clip as usize;
    let duration = palettes.clips.get(index).map_or(0.0, |clip| clip.duration);
    sample_at(model, index, playing.position * duration, out);
}

fn sample_at(model: &Model, clip: usize, time: f32, out: &mut Vec<Transform>) {
    let rest = Clip::default();
    out.resize(model.skeleton.joints.len(), Transform::IDENTITY);
    pose::sample(&model.skeleton, model.clips.get(clip).unwrap_or(&rest), time, out);
}

/// Interpolation from `a` to `b`; rotations take the shorter arc.
fn mix(a: &Transform, b: &Transform, weight: f32) -> Transform {
    Transform {
        translation: a.translation.lerp(b.translation, weight),
        rotation: a.rotation.slerp(b.rotation, weight).normalize(),
        scale: a.scale.lerp(b.scale, weight),
    }
}
