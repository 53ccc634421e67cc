//! Heroes: people taken over from the baked crowd by script, or posed by the host.

use crate::{
    crowd::heroes::Hero,
    gpu::GpuError,
    render::{
        crowd::{CharacterId, CrowdRenderer, state::ListState},
        passes::{
            heroes::{HeroCrowd, PosedHero},
            raster::RasterKey,
        },
        resources::DrawFlags,
    },
};

/// New heroes of one character.
struct HeroChange {
    scripted: Vec<Hero>,
    posed: Vec<PosedHero>,
    /// New buffers, if the old ones were too small.
    grown: Option<HeroCrowd>,
}

impl CrowdRenderer {
    /// Takes people over by script, in place of the scripted heroes before; the renderer poses them. Only technique
    /// `matrix` blends palettes: other techniques, and people who do not exist, are ignored.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] for more heroes than the device can bind, or [`GpuError::Shader`]; the heroes before
    /// stay.
    pub fn set_heroes(&mut self, heroes: &[Hero]) -> Result<(), GpuError> {
        let mut changes = Vec::with_capacity(self.contents.people.len());
        for number in 0..self.contents.people.len() {
            let own = heroes.iter().filter(|hero| hero.character == number).cloned();
            let posed = self.contents.people[number].heroes.as_ref();
            let posed = posed.map(|heroes| heroes.posed().to_vec()).unwrap_or_default();
            changes.push(self.change(number, own.collect(), posed)?);
        }
        let moved = changes
            .into_iter()
            .enumerate()
            .fold(false, |moved, (number, change)| self.apply(number, change) || moved);
        if moved {
            self.rebind_attachments();
        }
        Ok(())
    }

    /// Takes people of one character over with palettes that the host has posed, in place of those before. Call it
    /// again before [`CrowdRenderer::prepare`] whenever they move. The palette wins for people who are also scripted.
    /// Only technique `matrix` blends palettes.
    ///
    /// # Errors
    /// As [`CrowdRenderer::set_heroes`].
    pub fn pose_heroes(&mut self, id: CharacterId, posed: &[PosedHero]) -> Result<(), GpuError> {
        let Some(drawn) = self.contents.people.get(id.0) else {
            return Ok(());
        };
        let scripted = drawn.heroes.as_ref().map(HeroCrowd::scripted).unwrap_or_default();
        let change = self.change(id.0, scripted, posed.to_vec())?;
        if self.apply(id.0, change) {
            self.rebind_attachments();
        }
        Ok(())
    }

    /// Prepares new heroes: every step that can fail.
    fn change(
        &mut self,
        number: usize,
        mut scripted: Vec<Hero>,
        mut posed: Vec<PosedHero>,
    ) -> Result<HeroChange, GpuError> {
        let drawn = &self.contents.people[number];
        if !drawn.assets.method.technique.facts().heroes {
            scripted.clear();
            posed.clear();
        }
        let wanted = scripted.len() + posed.len();
        let grows = wanted > drawn.heroes.as_ref().map_or(0, |heroes| heroes.room);
        let leaves = wanted == 0 && drawn.heroes.is_some();
        if grows || leaves {
            let mut variant = drawn.variant;
            variant.flags.set(DrawFlags::HEROES, grows);
            let mesh = drawn
                .draw_lists
                .as_ref()
                .and_then(|draw_lists| draw_lists.raster.as_ref());
            let drawing = RasterKey::of(variant, mesh);
            self.compile(&[drawing], &[])?;
        }
        let mut grown = None;
        if grows {
            let drawn = &self.contents.people[number];
            let context = &self.context;
            let plan = &drawn.plan;
            grown = Some(HeroCrowd::new(context, &drawn.character, plan, &drawn.crowd, wanted)?);
        }
        Ok(HeroChange { scripted, posed, grown })
    }

    /// Applies new heroes; true if the character's buffers were replaced.
    fn apply(&mut self, number: usize, change: HeroChange) -> bool {
        let HeroChange { scripted, posed, grown } = change;
        let drawn = &mut self.contents.people[number];
        let none = scripted.is_empty() && posed.is_empty();
        let moved = grown.is_some() || (none && drawn.heroes.is_some());
        if moved {
            let runs = grown.as_ref().map(|heroes| &heroes.runs);
            drawn.crowd.bind_heroes(&self.context, runs);
            drawn.variant.flags.set(DrawFlags::HEROES, grown.is_some());
            drawn.heroes = grown;
            // Lists read third clips of actors from the buffer of runs.
            if let (Some(_), Some(lists)) = (&drawn.actors, &mut drawn.draw_lists) {
                lists.read_thirds(&drawn.crowd);
                self.lists = ListState::default();
            }
        }
        if let Some(heroes) = &mut drawn.heroes {
            heroes.follow_actors(drawn.actors.as_ref().map(|actors| actors.table.clone()));
            heroes.assign(&scripted, posed, &drawn.instances);
        }
        moved
    }
}
