//! Everything that a crowd draws, in one list. Resources of a draw are found by its [`DrawId`], never by position.

use crate::render::{
    crowd::{CrowdContents, CrowdDrawLists, contents::CharacterDraw},
    passes::{
        DrawVariant, ID_ATTACHMENT, ID_SCENERY,
        attachments::AttachmentCrowd,
        draw_lists::DrawLists,
        raster::{RasterKey, SwRasterDraw, supports, tiles::MOST_DRAWS},
    },
    resources::{DrawId, DrawParts},
};

/// Kind of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DrawKind {
    /// People of one character.
    Person,
    /// Attachments of one kind.
    Attachment,
    /// Scenery of one kind.
    Scenery,
}

/// One draw of the crowd.
pub(crate) struct Draw<'a> {
    pub(crate) id: DrawId,
    pub(crate) kind: DrawKind,
    /// Id of its first instance in the AOV of ids.
    pub(crate) first_id: u32,
    pub(crate) variant: DrawVariant,
    pub(crate) parts: DrawParts<'a>,
    /// Draw lists; `None` if all instances are drawn.
    pub(crate) draw_lists: Option<&'a CrowdDrawLists>,
}

impl<'a> Draw<'a> {
    /// Key of its pipelines in the software rasterizer and in triangle culling.
    pub(crate) fn key(&self) -> RasterKey {
        RasterKey::of(self.variant, self.draw_lists.and_then(|lists| lists.raster.as_ref()))
    }

    /// Draw of the software rasterizer; `None` if only the hardware rasterizer supports it.
    pub(crate) fn software(&self) -> Option<SwRasterDraw<'a>> {
        self.software_from(&self.draw_lists?.camera)
    }

    /// Draw of the software rasterizer in the shadow map.
    fn software_shadow(&self) -> Option<SwRasterDraw<'a>> {
        self.software_from(self.draw_lists?.sun.as_ref()?)
    }

    fn software_from(&self, draw_lists: &'a DrawLists) -> Option<SwRasterDraw<'a>> {
        let mesh = self.draw_lists?.raster.as_ref()?;
        supports(mesh.room(), self.variant).then(|| SwRasterDraw {
            id: self.id,
            key: self.key(),
            crowd: self.parts.crowd,
            draw_lists,
            mesh,
        })
    }
}

/// Everything that is drawn: people, then attachments, then scenery.
pub(crate) struct DrawList<'a> {
    draws: Vec<Draw<'a>>,
}

impl<'a> DrawList<'a> {
    /// List of all contents.
    pub(crate) fn of(contents: &'a CrowdContents) -> Self {
        let mut draws = Vec::with_capacity(contents.draw_count());
        let character = |d: &'a CharacterDraw| (d.variant, d.parts(), d.draw_lists.as_ref());
        let attachment = |d: &'a AttachmentCrowd| (d.variant, d.parts(), d.draw_lists.as_ref());
        add(&mut draws, DrawKind::Person, contents.people.iter().map(character));
        add(
            &mut draws,
            DrawKind::Attachment,
            contents.attachments.iter().map(attachment),
        );
        add(&mut draws, DrawKind::Scenery, contents.scenery.iter().map(character));
        Self { draws }
    }

    /// All draws, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Draw<'a>> + Clone {
        self.draws.iter()
    }

    /// Draws of one kind, in order.
    pub(crate) fn of_kind(&self, kind: DrawKind) -> impl Iterator<Item = &Draw<'a>> {
        self.iter().filter(move |draw| draw.kind == kind)
    }

    /// Draws that the software rasterizer supports, in order.
    pub(crate) fn software(&self) -> impl Iterator<Item = SwRasterDraw<'a>> {
        self.iter().filter_map(Draw::software).take(MOST_DRAWS as usize)
    }

    /// Draws of [`DrawList::software`] with a far phase: all but scenery.
    pub(crate) fn software_far(&self) -> impl Iterator<Item = SwRasterDraw<'a>> {
        let far = self.iter().filter(|draw| draw.kind != DrawKind::Scenery);
        far.filter_map(Draw::software).take(MOST_DRAWS as usize)
    }

    /// Draws of [`DrawList::software`] that are listed for the shadow map.
    pub(crate) fn software_shadows(&self) -> impl Iterator<Item = SwRasterDraw<'a>> {
        let supported = self.iter().filter(|draw| draw.software().is_some());
        supported.take(MOST_DRAWS as usize).filter_map(Draw::software_shadow)
    }
}

/// Appends the draws of one kind, with consecutive ids.
fn add<'a>(
    draws: &mut Vec<Draw<'a>>,
    kind: DrawKind,
    sources: impl Iterator<Item = (DrawVariant, DrawParts<'a>, Option<&'a CrowdDrawLists>)>,
) {
    let mut first_id = match kind {
        DrawKind::Person => 1,
        DrawKind::Attachment => ID_ATTACHMENT,
        DrawKind::Scenery => ID_SCENERY,
    };
    for (variant, parts, draw_lists) in sources {
        draws.push(Draw {
            id: DrawId(draws.len() as u32),
            kind,
            first_id,
            variant,
            parts,
            draw_lists,
        });
        first_id += parts.crowd.count;
    }
}
