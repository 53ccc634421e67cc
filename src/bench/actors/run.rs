//! Measurement of actors: frames of all kinds of work in turn, each twice (A/A control), in one renderer.

use std::{ops::Range, time::Instant};

use anyhow::Result;

use crate::{
    bench::{
        BenchArgs, BenchPlan, BenchView,
        actors::{
            report::{ActorRow, ActorWork, ViewCosts, ViewCulling, ViewPair},
            views::{self, ViewPlan},
        },
        plan::scene_config,
        run::{frame_input, progress::BenchProgress},
    },
    character::Character,
    config::LodQuality,
    crowd::{
        CrowdClip,
        actors::{Actor, ActorClip, ActorError, ActorId, ActorMove, ActorPlay, RefusedChanges},
        clock::Clock,
    },
    file::LodCache,
    gpu::{Gpu, PICTURE_FORMAT, PICTURE_USAGES, target_texture, whole_view},
    measure::{
        FrameSamples, FrameTiming, Summary, TimingBudget,
        stopwatch::{interleave, interleave_bursts},
    },
    render::{Actors, CrowdOptions, FrameInput, Pass, RenderOptions, Renderer},
    scene::{LodMaker, Scene, StartupTimes, milliseconds},
};

/// Actors for each one who is changed or spawned.
const SHARE: u32 = 10;
/// Scene time between frames (s).
const STEP: f64 = 1.0 / 60.0;
/// Time that a change takes (s): the second key of `move_to`.
const AHEAD: f64 = 1.0;
/// Minimum number of timed frames per kind of work, unless fewer are requested.
const LEAST_FRAMES: usize = 5;
/// Warm-up rounds.
const WARM_UP: usize = 2;
/// Frames of a burst, and those before them.
const BURST: [usize; 2] = [10, 2];

/// Actors on the device.
struct ActorScene<'a> {
    gpu: &'a Gpu,
    renderer: Renderer,
    view: wgpu::TextureView,
    size: (u32, u32),
    input: FrameInput,
    actors: Actors,
    crowd: Vec<ActorId>,
    /// Changes of [`SHARE`] frames, then from the start again.
    changes: Vec<Changes>,
    /// Actors of the last spawn.
    newcomers: Vec<ActorId>,
    square: Square,
    frames: u32,
}

/// Changes of a frame. Listed before anything is timed: finding them is the host's own work.
struct Changes {
    moves: Vec<ActorMove>,
    plays: Vec<ActorPlay>,
}

/// Square that actors stand on, a metre apart.
#[derive(Clone, Copy)]
pub(super) struct Square {
    /// Length of its edge (m).
    edge: u32,
    /// Clips of the character.
    clips: u32,
}

impl Square {
    pub(super) fn of(count: u32, character: &Character) -> Self {
        Self {
            edge: f64::from(count).sqrt().ceil() as u32,
            clips: CrowdClip::all_of(character).len() as u32,
        }
    }

    fn place(self, number: u32) -> [f32; 3] {
        let at = |cell: u32| cell as f32 - 0.5 * self.edge as f32;
        [at(number % self.edge), 0.0, at(number / self.edge % self.edge)]
    }

    /// Changes of one in [`SHARE`] of a crowd by frame: other people in each, who lie apart.
    fn changes(self, crowd: &[ActorId]) -> Vec<Changes> {
        (0..SHARE).map(|frame| self.changes_of(crowd, frame)).collect()
    }

    fn changes_of(self, crowd: &[ActorId], frame: u32) -> Changes {
        let some = crowd.iter().skip(frame as usize).step_by(SHARE as usize);
        let (plays, moves): (Vec<_>, Vec<_>) = (0_u32..)
            .zip(some)
            .partition(|(number, _)| number.is_multiple_of(SHARE));
        let walk = |(number, &id): (u32, &ActorId)| ActorMove {
            id,
            position: self.place(number * SHARE + 1),
            yaw: number as f32,
        };
        let play = |(number, &id): (u32, &ActorId)| ActorPlay {
            id,
            clip: ActorClip::new(((number + frame) % self.clips) as u16),
            fade: 0.3,
        };
        Changes {
            moves: moves.into_iter().map(walk).collect(),
            plays: plays.into_iter().map(play).collect(),
        }
    }

    /// Spawns people at its places, with all clips of the character among them.
    pub(super) fn spawn(self, actors: &Actors, since: Clock, count: u32) -> Result<Vec<ActorId>, ActorError> {
        let mut table = actors.lock();
        let actor = |number: u32| Actor {
            position: self.place(number),
            yaw: number as f32,
            clip: ActorClip {
                start: (number as f32 * 0.618).fract(),
                ..ActorClip::new((number % self.clips) as u16)
            },
            since,
            ..Actor::default()
        };
        (0..count).map(|number| table.spawn(&actor(number))).collect()
    }
}

/// CPU times of the frames of one row (ms).
#[derive(Default)]
struct CpuTimes {
    calls: Vec<f64>,
    frames: Vec<f64>,
}

/// Scene of one person, for whom actors stand in, and the frame of a street among `count` of them.
fn stand_in(args: &BenchArgs, plan: &BenchPlan, count: u32) -> Result<(Scene, FrameInput)> {
    let config = scene_config(args, plan, count);
    let all = Scene::load(&config, &mut StartupTimes::default())?;
    let (_, input) = frame_input(&config, &all, BenchView::Street, plan)?;
    let mut one = Scene::populate(&scene_config(args, plan, 1), all.characters)?;
    one.load_or_make_lods(&LodMaker::new(LodCache::usual(), LodQuality::Judged, |_| ()));
    Ok((one, input))
}

/// Measures actors of a count: two rows for each kind of work, and the cost of a further view.
///
/// # Errors
/// A bad character, actors that do not fit, a lost device.
pub(super) fn measure(
    args: &BenchArgs,
    plan: &BenchPlan,
    gpu: &Gpu,
    progress: &BenchProgress,
    count: u32,
) -> Result<(Vec<ActorRow>, Vec<ViewCosts>)> {
    progress.prepare(&format!("{count} actors: upload"));
    let (one, input) = stand_in(args, plan, count)?;
    let view = input.view(plan.size, false);
    let mut scene = ActorScene::new(plan, gpu, &one, input, count)?;
    let variants = ActorWork::ALL.len() * 2;
    let work_of = |variant: usize| ActorWork::ALL[variant % ActorWork::ALL.len()];
    let mut waited: Vec<CpuTimes> = (0..variants).map(|_| CpuTimes::default()).collect();
    let most = plan.repeats as usize;
    let budget = TimingBudget {
        warm_up: WARM_UP,
        frames: LEAST_FRAMES.min(most)..=most,
        seconds: plan.seconds,
    };
    progress.prepare(&format!("{count} actors: timing"));
    let mut failed = None;
    let samples = interleave(variants, &budget, |variant, round| {
        progress.tick();
        if progress.stopped() || failed.is_some() {
            return None;
        }
        let (calls, timing) = scene.frame(work_of(variant)).map_err(|e| failed = Some(e)).ok()?;
        if round >= WARM_UP {
            waited[variant].calls.push(calls);
            waited[variant].frames.push(timing.times.cpu_ms);
        }
        Some(timing)
    });
    if let Some(error) = failed {
        return Err(error);
    }
    let bursts = scene.bursts(variants, work_of, progress)?;
    if let Some(error) = gpu.take_error() {
        anyhow::bail!("the device rejected a frame: {error}");
    }
    anyhow::ensure!(!gpu.is_lost(), "the device was lost");
    let rows = samples.iter().zip(waited.iter().zip(&bursts)).enumerate();
    let rows = rows.map(|(variant, (samples, (waited, burst)))| {
        // Frames that are waited for find cold caches, but software rasterizers leave no others.
        let times = if burst.frames.is_empty() { waited } else { burst };
        let control = variant >= ActorWork::ALL.len();
        scene.row(work_of(variant), control, samples, times)
    });
    let rows = rows.collect();
    drop(scene);
    let pairs = ViewPair::ALL
        .into_iter()
        .flat_map(|pair| ViewCulling::ALL.map(|culling| (pair, culling)));
    let views = pairs.filter_map(|(pair, culling)| {
        let views = ViewPlan {
            view,
            size: plan.size,
            count,
            pair,
            culling,
        };
        views::measure(plan, gpu, progress, &one, &views).transpose()
    });
    Ok((rows, views.collect::<Result<_>>()?))
}

impl<'a> ActorScene<'a> {
    fn new(plan: &BenchPlan, gpu: &'a Gpu, one: &Scene, input: FrameInput, count: u32) -> Result<Self> {
        let mut renderer = Renderer::new(gpu, RenderOptions::of(CrowdOptions::default().method))?;
        renderer.set_scene(one)?;
        renderer.prepare(gpu, plan.size)?;
        let actors = renderer.actors(0, count + count.div_ceil(SHARE))?;
        let texture = target_texture(gpu, "picture", plan.size, PICTURE_FORMAT, 1, PICTURE_USAGES);
        let mut scene = Self {
            gpu,
            renderer,
            view: whole_view(&texture, "picture"),
            size: plan.size,
            input,
            square: Square::of(count, &one.characters[0]),
            actors,
            crowd: Vec::new(),
            changes: Vec::new(),
            newcomers: Vec::new(),
            frames: 0,
        };
        scene.crowd = scene.square.spawn(&scene.actors, Clock::default(), count)?;
        scene.changes = scene.square.changes(&scene.crowd);
        scene.draw();
        Ok(scene)
    }

    fn now(&self) -> Clock {
        Clock::from_seconds(f64::from(self.frames) * STEP)
    }

    fn changed(&self) -> u32 {
        (self.crowd.len() as u32).div_ceil(SHARE)
    }

    /// Does the calls before a frame, and returns the time they took (ms).
    fn work(&mut self, work: ActorWork) -> Result<f64> {
        let begun = Instant::now();
        match work {
            ActorWork::Still => {}
            ActorWork::Changes => self.change()?,
            ActorWork::Lists => self.change_all()?,
            ActorWork::Spawn => self.newcomers = self.square.spawn(&self.actors, self.now(), self.changed())?,
        }
        Ok(milliseconds(begun))
    }

    /// Changes one in ten, by one call each.
    fn change(&self) -> Result<(), ActorError> {
        let times = self.times();
        let mut table = self.actors.lock();
        let changes = self.frame_changes();
        for change in &changes.moves {
            table.move_to(change.id, times.clone(), change.position, change.yaw)?;
        }
        for change in &changes.plays {
            table.play(change.id, &change.clip, times.start, change.fade)?;
        }
        Ok(())
    }

    /// Changes one in ten, in two calls.
    fn change_all(&self) -> Result<(), RefusedChanges> {
        let times = self.times();
        let mut table = self.actors.lock();
        let changes = self.frame_changes();
        table.move_all(times.clone(), &changes.moves)?;
        table.play_all(times.start, &changes.plays)
    }

    fn frame_changes(&self) -> &Changes {
        &self.changes[(self.frames % SHARE) as usize]
    }

    /// Times of this frame's moves.
    fn times(&self) -> Range<Clock> {
        self.now()..Clock::from_seconds(f64::from(self.frames) * STEP + AHEAD)
    }

    fn advance(&mut self) {
        self.frames += 1;
        self.input.clock = self.now();
    }

    fn draw(&mut self) -> FrameTiming {
        FrameTiming::draw(self.gpu, &mut self.renderer, &self.view, self.size, &self.input)
    }

    /// Draws a frame after some work and waits for it; returns the time of the calls (ms), too.
    fn frame(&mut self, work: ActorWork) -> Result<(f64, FrameTiming)> {
        self.advance();
        let calls = self.work(work)?;
        let timing = self.draw();
        if self.dismiss()? {
            self.draw();
        }
        Ok((calls, timing))
    }

    /// Despawns those of the last spawn; true if there were any.
    fn dismiss(&mut self) -> Result<bool, ActorError> {
        let gone = std::mem::take(&mut self.newcomers);
        let mut table = self.actors.lock();
        for &id in &gone {
            table.despawn(id)?;
        }
        Ok(!gone.is_empty())
    }

    /// CPU times of frames that run ahead of the GPU, for each variant; none on software rasterizers, which draw on the
    /// cores that would be measured.
    fn bursts(
        &mut self,
        variants: usize,
        work_of: impl Fn(usize) -> ActorWork,
        progress: &BenchProgress,
    ) -> Result<Vec<CpuTimes>> {
        let mut times: Vec<CpuTimes> = (0..variants).map(|_| CpuTimes::default()).collect();
        if self.gpu.facts.is_software() {
            return Ok(times);
        }
        let mut outcome = Ok(());
        interleave_bursts(variants, |variant| {
            if outcome.is_ok() && !progress.stopped() {
                outcome = self.burst(work_of(variant), &mut times[variant]);
            }
            Vec::new()
        });
        outcome.map(|()| times)
    }

    fn burst(&mut self, work: ActorWork, times: &mut CpuTimes) -> Result<()> {
        self.gpu.spin_idle();
        let [count, before] = BURST;
        for number in 0..before + count {
            self.advance();
            let calls = self.work(work)?;
            let frame = self.renderer.draw(self.gpu, &self.view, self.size, &self.input).cpu_ms;
            if number >= before {
                times.calls.push(calls);
                times.frames.push(frame);
            }
            if self.dismiss()? {
                self.renderer.draw(self.gpu, &self.view, self.size, &self.input);
            }
        }
        self.gpu.spin_idle();
        Ok(())
    }

    fn row(&self, work: ActorWork, control: bool, samples: &FrameSamples, times: &CpuTimes) -> ActorRow {
        let both = times
            .calls
            .iter()
            .zip(&times.frames)
            .map(|(calls, frame)| calls + frame);
        let animate = samples.gpu_ms.get(&Pass::Animate).map_or(&[][..], Vec::as_slice);
        let animate = if self.gpu.facts.is_software() { &[] } else { animate };
        ActorRow {
            count: self.crowd.len() as u32,
            work,
            changed: match work {
                ActorWork::Still => 0,
                ActorWork::Changes | ActorWork::Lists | ActorWork::Spawn => self.changed(),
            },
            control,
            calls_ms: Summary::of(&times.calls),
            frame_ms: Summary::of(&times.frames),
            cpu_ms: Summary::of(&both.collect::<Vec<_>>()),
            animate_ms: Summary::of(animate),
            upload_bytes: samples.upload_bytes,
            beyond_still_ms: None,
            ratio_to_first: None,
        }
    }
}
