//! Ids by the rasteriser in compute, unless `hardware` is asked for: at the centre of every pixel one sample is enough, and
//! people are drawn once more for them.

use crate::{
    config::Raster,
    gpu::{GpuError, buffer_with, compute_pass},
    render::{
        crowd::{CrowdRenderer, Round, draw::Drawn, truth::instances_of},
        passes::{
            EVERYBODY, TruthUniforms,
            raster::{IdsFrame, RasterMesh, RasterPasses, Rastered, serves},
        },
    },
};

/// [`TruthUniforms::only`] of draws that the one person who is drawn is not in.
const NOBODY: u32 = EVERYBODY - 1;

/// Of one draw of ids.
struct Numbered<'a> {
    first_id: u32,
    /// People are counted, what they carry is not.
    is_people: bool,
    drawn: Drawn<'a>,
    rastered: Rastered<'a>,
}

impl CrowdRenderer {
    /// Makes what ids of `size` pixels are rasterised in, where the device can and nobody forbids it, and what counts
    /// people with them if they are `counted`; where that does not fit, the graphics pipe draws.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub(crate) fn prepare_ids(&mut self, size: (u32, u32), counted: bool) -> Result<(), GpuError> {
        let mut raster = std::mem::take(&mut self.ids_raster);
        if !self.tells_in_compute() {
            return Ok(());
        }
        if !self.meshes_brought {
            self.bring_meshes()?;
            self.meshes_brought = true;
        }
        let drawn: Vec<Rastered<'_>> = self.rastered().map(|(_, rastered)| rastered).collect();
        let make = || IdsFrame::new(&self.gpu, &self.layouts, size, &drawn);
        raster.prepare(size, |frame| frame.is_of(size, &drawn), make);
        let drawings: Vec<_> = { self.rastered_ids() }
            .map(|n| (n.drawn.drawing(), counted && n.is_people))
            .collect();
        self.ids_raster = raster;
        match &mut self.passes.raster {
            Some(passes) => passes.prepare_ids(&self.gpu, &self.layouts, drawings.into_iter()),
            None => Ok(()),
        }
    }

    fn tells_in_compute(&self) -> bool {
        self.options.raster != Raster::Hardware && self.lists_for_compute()
    }

    /// Makes the meshlets of everyone who has none: pictures need them only where they are rasterised in compute, too.
    /// Whose do not fit is the graphics pipe's.
    fn bring_meshes(&mut self) -> Result<(), GpuError> {
        let (gpu, layouts) = (&self.gpu, &self.layouts);
        if self.passes.raster.is_none() {
            self.passes.raster = Some(RasterPasses::new(
                gpu,
                layouts,
                (self.targets, self.options.shown()),
                false,
            )?);
        }
        let Some(passes) = &mut self.passes.raster else {
            return Ok(());
        };
        for d in &mut self.contents.people {
            let Some(bins) = d
                .bins
                .as_mut()
                .filter(|bins| bins.raster.is_none() && serves(d.variant))
            else {
                continue;
            };
            let baker = passes.baker(gpu, layouts, d.variant)?;
            let baker = baker.as_ref().map(|baker| (baker, [&self.frame, &d.crowd.character]));
            bins.raster = RasterMesh::new((gpu, layouts), (&d.character, &d.assets), d.crowd.count, baker).ok();
        }
        for a in &mut self.contents.attachments {
            if let Some(bins) = a
                .bins
                .as_mut()
                .filter(|bins| bins.raster.is_none() && serves(a.variant))
            {
                bins.raster = RasterMesh::new((gpu, layouts), (&a.prop, &a.assets), a.crowd.count, None).ok();
            }
        }
        Ok(())
    }

    /// What ids are rasterised in; the graphics pipe tells all of them where there is none.
    pub(super) fn ids_frame(&self) -> Option<&IdsFrame> {
        self.ids_raster.get().filter(|_| self.tells_in_compute())
    }

    /// Rasterises ids, prepared before, of everyone or of one person (by number), and counts those of a round; the draw
    /// of ids then draws the others, and [`CrowdRenderer::show_ids`] puts both together.
    pub(crate) fn rasterise_ids(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        (round, only): (Option<&Round>, Option<u32>),
    ) {
        let (Some(passes), Some(frame)) = (&self.passes.raster, self.ids_frame()) else {
            return;
        };
        let shared = (&self.gpu, &self.layouts);
        let draws = self.rastered_ids().enumerate().filter_map(|(number, n)| {
            let crowd = n.drawn.parts.1;
            let truth = TruthUniforms {
                first_id: n.first_id,
                only: match (only, instances_of(n.first_id, crowd.count, only)) {
                    (None, _) => EVERYBODY,
                    (Some(_), Some(instances)) => instances.start,
                    (Some(_), None) => NOBODY,
                },
                ..TruthUniforms::default()
            };
            let bytes = bytemuck::bytes_of(&truth);
            let truth = buffer_with(&self.gpu, "truth", bytes, wgpu::BufferUsages::STORAGE);
            let counting = round.filter(|_| n.is_people).map(|round| [&round.words, &round.places]);
            let group = frame.group(shared, (number, n.rastered), (&truth, counting))?;
            let drawing = n.drawn.drawing();
            Some((drawing, counting.is_some(), crowd, group))
        });
        let draws: Vec<_> = draws.collect();
        frame.clear(encoder);
        let mut pass = compute_pass(encoder, "raster ids");
        passes.rasterise_ids(&mut pass, (&self.frame, frame), &draws);
    }

    /// Puts these among the ids and depths that were drawn of the others, before the ground unless people are `alone`.
    pub(crate) fn show_ids(&self, encoder: &mut wgpu::CommandEncoder, drawn: [&wgpu::TextureView; 2], alone: bool) {
        let show = self.passes.raster.as_ref().and_then(RasterPasses::show_ids);
        let (Some(show), Some(frame)) = (show, self.ids_frame()) else {
            return;
        };
        let mut pass = compute_pass(encoder, "ids");
        let shared = (&self.gpu, &self.layouts, &self.frame);
        show.encode(&mut pass, shared, frame, (drawn, !alone));
    }

    /// What that leaves: ids, and metres; `None` where the graphics pipe tells all of them.
    pub(crate) fn shown_ids(&self) -> Option<[&wgpu::Texture; 2]> {
        self.ids_frame().map(IdsFrame::shown)
    }

    /// [`CrowdRenderer::rastered`] as they are numbered.
    fn rastered_ids(&self) -> impl Iterator<Item = Numbered<'_>> {
        let people = self.contents.people.len();
        let rastered = people + self.contents.attachments.len();
        let numbered = self.numbered().enumerate().take(rastered);
        numbered.filter_map(move |(number, (first_id, drawn))| {
            Some(Numbered {
                first_id,
                is_people: number < people,
                rastered: drawn.rastered()?,
                drawn,
            })
        })
    }
}
