//! Attachments: props that people carry.

use crate::{
    crowd::AttachmentKind,
    gpu::GpuError,
    render::{
        crowd::{CrowdRenderer, contents::CharacterDraw},
        passes::attachments::AttachmentCrowd,
    },
};

impl CrowdRenderer {
    /// Replaces all attachments: props at the sockets of people, one draw call for each kind.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] or [`GpuError::Shader`]; the attachments before stay.
    pub fn set_attachments(&mut self, kinds: &[AttachmentKind]) -> Result<(), GpuError> {
        let (context, tints) = (&self.context, &self.contents.tints);
        let view_set = self.options.selects().then(|| self.view_set());
        let owners = || self.contents.people.iter().map(CharacterDraw::parts);
        let uploads = kinds
            .iter()
            .map(|kind| AttachmentCrowd::upload(context, kind, owners(), tints, view_set));
        let attachments = uploads.collect::<Result<Vec<_>, _>>()?;
        let drawings: Vec<_> = attachments.iter().map(AttachmentCrowd::raster_key).collect();
        self.compile(&drawings, &[])?;
        self.contents.attachments = attachments;
        self.invalidate_lists();
        Ok(())
    }

    /// Binds attachments to their owners' current buffers.
    pub(super) fn rebind_attachments(&mut self) {
        for attachment in &mut self.contents.attachments {
            let owners = self.contents.people.iter().map(CharacterDraw::parts);
            attachment.bind(&self.context, owners);
        }
    }
}
